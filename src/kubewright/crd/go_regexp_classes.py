"""The character classes of Go's regular expressions."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

__all__ = ["CharSet", "ascii_class", "perl_class", "unicode_class"]

_MAX_CODE: Final = 0x10FFFF
_FOLD_AT_MOST: Final = 2000
"""Ranges of more characters than this are folded in their ASCII part only."""


class CharSet(NamedTuple):
    """The characters that stand for one: ranges of codes, and classes of Unicode with those they are not."""

    ranges: tuple[tuple[int, int], ...]
    categories: tuple[str, ...] = ()
    """Names of Unicode categories and scripts."""
    but_not: tuple[CharSet, ...] = ()
    """Sets whose complement belongs to it as well."""

    def union(self, other: CharSet) -> CharSet:
        return CharSet(
            self.ranges + other.ranges, self.categories + other.categories, self.but_not + other.but_not
        )

    def negated(self) -> CharSet:
        if self.categories or self.but_not:
            return CharSet((), (), (self,))
        found, start = [], 0
        for low, high in sorted(self.ranges):
            if low > start:
                found.append((start, low - 1))
            start = max(start, high + 1)
        if start <= _MAX_CODE:
            found.append((start, _MAX_CODE))
        return CharSet(tuple(found))

    def folded(self) -> CharSet:
        """With the other cases of its characters."""
        more: set[int] = set()
        for low, high in self.ranges:
            codes = range(low, high + 1) if high - low <= _FOLD_AT_MOST else range(low, min(high, 127) + 1)
            for code in codes:
                more.update(_other_cases(chr(code)))
        categories = self.categories
        if "Lu" in categories or "Ll" in categories:
            categories = (*categories, "Lu", "Ll")
        return CharSet((*self.ranges, *((code, code) for code in sorted(more))), categories, self.but_not)

    def contains(self, char: str) -> bool:
        code = ord(char)
        for low, high in self.ranges:
            if low <= code <= high:
                return True
        if self.categories and any(_in_category(char, name) for name in self.categories):
            return True
        return any(not other.contains(char) for other in self.but_not)

    def for_python(self) -> str | None:
        """The set in the syntax of `re`; None if that cannot say it."""
        if self.categories or self.but_not:
            return None
        if not self.ranges:
            return "(?!)"
        if len(self.ranges) == 1 and self.ranges[0][0] == self.ranges[0][1]:
            return re.escape(chr(self.ranges[0][0]))
        return "[" + "".join(f"{_escaped(low)}-{_escaped(high)}" for low, high in self.ranges) + "]"


def _escaped(code: int) -> str:
    return f"\\U{code:08x}"


def _other_cases(char: str) -> set[int]:
    found = {ord(other) for other in (char.lower(), char.upper()) if len(other) == 1}
    # Go's simple folding has these two beside the pairs, and leaves dotless i alone.
    if char in "kK\u212a":
        found |= {ord("k"), ord("K"), 0x212A}
    elif char in "sS\u017f":
        found |= {ord("s"), ord("S"), 0x017F}
    elif char == "\u0131":
        found = set()
    return found - {ord(char)}


def _set(text: str) -> CharSet:
    """From pairs of characters: "09az"."""
    return CharSet(tuple((ord(text[at]), ord(text[at + 1])) for at in range(0, len(text), 2)))


_PERL: Final = {"d": _set("09"), "s": _set("\t\n\f\r  "), "w": _set("09AZ__az")}

_ASCII: Final = {
    "alnum": _set("09AZaz"),
    "alpha": _set("AZaz"),
    "ascii": _set("\x00\x7f"),
    "blank": _set("\t\t  "),
    "cntrl": _set("\x00\x1f\x7f\x7f"),
    "digit": _set("09"),
    "graph": _set("!~"),
    "lower": _set("az"),
    "print": _set(" ~"),
    "punct": _set("!/:@[`{~"),
    "space": _set("\t\r  "),
    "upper": _set("AZ"),
    "word": _set("09AZ__az"),
    "xdigit": _set("09AFaf"),
}

_CATEGORIES: Final = frozenset(
    [
        "C",
        "Cc",
        "Cf",
        "Co",
        "Cs",
        "L",
        "Ll",
        "Lm",
        "Lo",
        "Lt",
        "Lu",
        "M",
        "Mc",
        "Me",
        "Mn",
        "N",
        "Nd",
        "Nl",
        "No",
        "P",
        "Pc",
        "Pd",
        "Pe",
        "Pf",
        "Pi",
        "Po",
        "Ps",
        "S",
        "Sc",
        "Sk",
        "Sm",
        "So",
        "Z",
        "Zl",
        "Zp",
        "Zs",
    ]
)
_SCRIPTS: Final = frozenset(
    [
        "Arabic",
        "Armenian",
        "Bengali",
        "Bopomofo",
        "Cherokee",
        "Coptic",
        "Cyrillic",
        "Devanagari",
        "Ethiopic",
        "Georgian",
        "Greek",
        "Gujarati",
        "Gurmukhi",
        "Han",
        "Hangul",
        "Hebrew",
        "Hiragana",
        "Kannada",
        "Katakana",
        "Khmer",
        "Lao",
        "Latin",
        "Malayalam",
        "Mongolian",
        "Myanmar",
        "Oriya",
        "Sinhala",
        "Syriac",
        "Tamil",
        "Telugu",
        "Thaana",
        "Thai",
        "Tibetan",
    ]
)
"""The scripts that are known here; Python has no table of them, so a character is of the script that its name
begins with. Go knows some hundred more, of historic use."""


def perl_class(letter: str) -> CharSet | None:
    """\\d, \\s, \\w and their complements, which are ASCII in Go; None for another letter."""
    found = _PERL.get(letter.lower())
    return found.negated() if found is not None and letter.isupper() else found


def ascii_class(name: str) -> CharSet | None:
    """[:alpha:] or [:^alpha:]; None for a name that is not known."""
    bare = name[2:-2]
    found = _ASCII.get(bare.removeprefix("^"))
    return found.negated() if found is not None and bare.startswith("^") else found


def unicode_class(name: str) -> CharSet | None:
    """The class of \\p{name}; None for a name that is not known."""
    if name == "Any":
        return CharSet(((0, _MAX_CODE),))
    return CharSet((), (name,)) if name in _CATEGORIES or name in _SCRIPTS else None


def _in_category(char: str, name: str) -> bool:
    if len(name) <= 2:
        return unicodedata.category(char).startswith(name)
    wanted = "CJK" if name == "Han" else name.upper()
    return unicodedata.name(char, "").startswith(wanted)
