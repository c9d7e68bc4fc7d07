"""Go's regular expressions (RE2 syntax), parsed into a tree, with Go's errors for what it does not take.

Schemas' `pattern`s are written for Go. Python's `re` reads them differently: `$` matches before a last
newline, `\\d` and `\\w` know all scripts, `\\z`, `\\pL`, `[[:alpha:]]` and `(?U)` do not exist, look-around
does. So they are parsed here, and matched by what `go_regexp` makes of the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from kubewright.crd.go_regexp_classes import CharSet, ascii_class, perl_class, unicode_class
from kubewright.machinery.errors import ParseError

__all__ = ["Alternatives", "Assertion", "Node", "Repeat", "Sequenced", "parse"]

_MAX_REPEAT: Final = 1000
"""Go's limit of a repeat count, and of the product of nested ones."""

_MAX_DEPTH: Final = 100
"""How deep groups may nest; Go allows 1000, but each level costs four Python frames here."""


class Assertion(NamedTuple):
    """An empty match: `begin` and `end` of the text, of a `line`, or a `word` boundary or none."""

    what: str


class Sequenced(NamedTuple):
    parts: Sequence[Node]


class Alternatives(NamedTuple):
    parts: Sequence[Node]


class Repeat(NamedTuple):
    part: Node
    least: int
    most: int | None
    """None: no limit."""


Node: TypeAlias = "CharSet | Assertion | Sequenced | Alternatives | Repeat"


def parse(pattern: str) -> Node:
    """The tree of a pattern. Raises ParseError with the text of Go's error."""
    parser = _Parser(pattern)
    tree = parser.alternatives(0)
    if parser.at < len(pattern):
        raise parser.error("unexpected )", pattern)
    return tree


class _Flags(NamedTuple):
    fold: bool = False
    multi_line: bool = False
    dot_newline: bool = False


_NO_NEWLINE: Final = CharSet(((0, 9), (11, 0x10FFFF)))
_ANY: Final = CharSet(((0, 0x10FFFF),))
_OPERATORS: Final = frozenset("*+?")
_ESCAPES: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class _Parser:
    """A recursive descent over the pattern; `flags` are those in force at `at`."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.flags = _Flags()

    def error(self, what: str, part: str) -> ParseError:
        return ParseError(f"error parsing regexp: {what}: `{part}`")

    def alternatives(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise self.error("expression nests too deeply", self.pattern)
        parts = [self.sequence(depth)]
        while self._next() == "|":
            self.at += 1
            parts.append(self.sequence(depth))
        return parts[0] if len(parts) == 1 else Alternatives(parts)

    def sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while (char := self._next()) not in {"", "|", ")"}:
            if self._at_operator():
                self._repeat(parts)
            elif self.pattern.startswith("\\Q", self.at):
                parts.extend(self._quoted())
            elif (part := self._atom(char, depth)) is not None:
                parts.append(part)
        return parts[0] if len(parts) == 1 else Sequenced(parts)

    def _next(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _repeat(self, parts: list[Node]) -> None:
        start = self.at
        least, most, self.at = self._operator()
        if self._next() == "?":
            self.at += 1  # greedy or not makes no difference to whether a text matches
        after = self.at
        if not parts:
            raise self.error("missing argument to repetition operator", self.pattern[start:after])
        if self._at_operator():
            _, _, self.at = self._operator()
            self.at += self._next() == "?"
            raise self.error("invalid nested repetition operator", self.pattern[start : self.at])
        repeat = Repeat(parts[-1], least, most)
        if _repeats(repeat, _MAX_REPEAT) < 0:
            raise self.error("invalid repeat count", self.pattern[start:after])
        parts[-1] = repeat

    def _operator(self) -> tuple[int, int | None, int]:
        char = self._next()
        if char == "*":
            return 0, None, self.at + 1
        if char == "+":
            return 1, None, self.at + 1
        if char == "?":
            return 0, 1, self.at + 1
        least, most, end = self._counts() or (0, None, self.at)
        if least > _MAX_REPEAT or (most is not None and (most > _MAX_REPEAT or least > most)):
            raise self.error("invalid repeat count", self.pattern[self.at : end])
        return least, most, end

    def _at_operator(self) -> bool:
        char = self._next()
        return char in _OPERATORS or (char == "{" and self._counts() is not None)

    def _counts(self) -> tuple[int, int | None, int] | None:
        """{n}, {n,} or {n,m} at this place; None where the brace is a plain character."""
        end = self.pattern.find("}", self.at)
        if end < 0:
            return None
        first, comma, second = self.pattern[self.at + 1 : end].partition(",")
        if not _is_count(first) or (second and not _is_count(second)):
            return None
        least = min(int(first), _MAX_REPEAT + 1)
        most: int | None = least
        if comma:
            most = min(int(second), _MAX_REPEAT + 1) if second else None
        return least, most, end + 1

    def _atom(self, char: str, depth: int) -> Node | None:
        if char == "(":
            return self._group(depth)
        if char == "[":
            return self._class()
        if char == "\\":
            return self._escape()
        self.at += 1
        if char == ".":
            return _ANY if self.flags.dot_newline else _NO_NEWLINE
        if char == "^":
            return Assertion("line begin" if self.flags.multi_line else "begin")
        if char == "$":
            return Assertion("line end" if self.flags.multi_line else "end")
        return self._literal(char)

    def _literal(self, char: str) -> CharSet:
        found = CharSet(((ord(char), ord(char)),))
        return found.folded() if self.flags.fold else found

    def _group(self, depth: int) -> Node | None:
        start, outer = self.at, self.flags
        self.at += 1
        if self.pattern.startswith("?", self.at) and not self._opened(start):
            return None
        inner = self.alternatives(depth + 1)
        if self._next() != ")":
            raise self.error("missing closing )", self.pattern)
        self.at += 1
        self.flags = outer
        # A group of nothing can be repeated, so it is a part and not None.
        return inner

    def _opened(self, start: int) -> bool:
        """Read what follows `(?`. False where it only set flags, such as `(?i)`."""
        for opening in ("?P<", "?<"):
            if self.pattern.startswith(opening, self.at):
                end = self.pattern.find(">", self.at)
                if end < 0:
                    raise self.error("invalid named capture", self.pattern[start:])
                name = self.pattern[self.at + len(opening) : end]
                if not name or not all(char.isascii() and (char.isalnum() or char == "_") for char in name):
                    raise self.error("invalid named capture", self.pattern[start : end + 1])
                self.at = end + 1
                return True
        return self._read_flags(start)

    def _read_flags(self, start: int) -> bool:
        self.at += 1
        on, seen = True, False
        flags = self.flags
        while self.at < len(self.pattern):
            char = self._next()
            self.at += 1
            if char == "i":
                flags, seen = flags._replace(fold=on), True
            elif char == "m":
                flags, seen = flags._replace(multi_line=on), True
            elif char == "s":
                flags, seen = flags._replace(dot_newline=on), True
            elif char == "U":
                seen = True
            elif char == "-" and on:
                on, seen = False, False
            elif char in ":)" and (on or seen):
                self.flags = flags
                return char == ":"
            else:
                break
        else:
            if seen:
                raise self.error("missing closing )", self.pattern)
        raise self.error("invalid or unsupported Perl syntax", self.pattern[start : self.at])

    def _escape(self) -> Node:
        char = self.pattern[self.at + 1 : self.at + 2]
        assertion = {"A": "begin", "z": "end", "b": "word", "B": "no word"}.get(char)
        if assertion is not None:
            self.at += 2
            return Assertion(assertion)
        if char == "C":
            raise self.error("invalid escape sequence", "\\C")
        found = self._class_escape()
        if found is not None:
            return found.folded() if self.flags.fold else found
        return self._literal(self._escaped_char())

    def _quoted(self) -> list[CharSet]:
        end = self.pattern.find("\\E", self.at + 2)
        text = self.pattern[self.at + 2 : end if end >= 0 else None]
        self.at = end + 2 if end >= 0 else len(self.pattern)
        return [self._literal(char) for char in text]

    def _class_escape(self) -> CharSet | None:
        """\\d and its like, or \\pL and \\p{Greek}; None for any other escape."""
        char = self.pattern[self.at + 1 : self.at + 2]
        found = perl_class(char)
        if found is not None:
            self.at += 2
            return found
        if char not in {"p", "P"}:
            return None
        start = self.at
        name = self.pattern[start + 2 : start + 3]
        self.at = start + 3
        if name == "{":
            end = self.pattern.find("}", start)
            if end < 0:
                raise self.error("invalid character class range", self.pattern[start:])
            name = self.pattern[start + 3 : end]
            self.at = end + 1
        negated = (char == "P") != name.startswith("^")
        found = unicode_class(name.removeprefix("^"))
        if found is None:
            raise self.error("invalid character class range", self.pattern[start : self.at])
        return found.negated() if negated else found

    def _escaped_char(self) -> str:
        start = self.at
        char = self.pattern[start + 1 : start + 2]
        if not char:
            # Go says it so, with nothing between the quotes.
            raise self.error("trailing backslash at end of expression", "")
        self.at += 2
        if char in _ESCAPES:
            return _ESCAPES[char]
        if char == "x":
            return self._hexadecimal(start)
        if char in "01234567" and (char == "0" or self._next() in set("01234567")):
            digits = char
            while len(digits) < 3 and self._next() in set("01234567"):
                digits += self._next()
                self.at += 1
            return chr(int(digits, 8))
        if char.isascii() and not char.isalnum():
            return char
        raise self.error("invalid escape sequence", self.pattern[start : self.at])

    def _hexadecimal(self, start: int) -> str:
        if self._next() == "{":
            end = self.pattern.find("}", self.at)
            digits = self.pattern[self.at + 1 : end] if end >= 0 else ""
            self.at = end + 1 if end >= 0 else len(self.pattern)
        else:
            digits = self.pattern[self.at : self.at + 2]
            self.at += 2
            digits = digits if len(digits) == 2 else ""
        if digits and len(digits) <= 8 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
            code = int(digits, 16)
            if code <= 0x10FFFF:
                return chr(code)
        raise self.error("invalid escape sequence", self.pattern[start : self.at])

    def _class(self) -> CharSet:
        start = self.at
        self.at += 1
        negated = self._next() == "^"
        self.at += negated
        found = CharSet(())
        first = True
        while first or self._next() != "]":
            if self._next() == "":
                raise self.error("missing closing ]", self.pattern[start:])
            found = found.union(self._class_part(start))
            first = False
        self.at += 1
        if self.flags.fold:
            found = found.folded()
        return found.negated() if negated else found

    def _class_part(self, start: int) -> CharSet:
        if self.pattern.startswith("[:", self.at):
            end = self.pattern.find(":]", self.at + 2)
            if end >= 0:
                name = self.pattern[self.at : end + 2]
                found = ascii_class(name)
                if found is None:
                    raise self.error("invalid character class range", name)
                self.at = end + 2
                return found
        if self._next() == "\\" and (escape := self._class_escape()) is not None:
            return escape
        begin = self.at
        low = self._class_char(start)
        high = low
        if self._next() == "-" and self.pattern[self.at + 1 : self.at + 2] not in {"]", ""}:
            self.at += 1
            high = self._class_char(start)
            if high < low:
                raise self.error("invalid character class range", self.pattern[begin : self.at])
        return CharSet(((ord(low), ord(high)),))

    def _class_char(self, start: int) -> str:
        char = self._next()
        if not char:
            raise self.error("missing closing ]", self.pattern[start:])
        if char == "\\":
            return self._escaped_char()
        self.at += 1
        return char


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and (len(text) == 1 or text[0] != "0")


def _repeats(node: Node, allowed: int) -> int:
    """What is left of the allowed product of nested counts, negative if they exceed it."""
    if isinstance(node, Repeat):
        count = node.most if node.most is not None else node.least
        return _repeats(node.part, allowed // count if count > 1 else allowed) if allowed else -1
    if isinstance(node, Sequenced | Alternatives):
        return min((_repeats(part, allowed) for part in node.parts), default=allowed)
    return allowed if allowed > 0 else -1
