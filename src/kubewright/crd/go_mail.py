"""Whether a text is one mail address, as Go's net/mail.ParseAddress takes it: `a@b.c` or `Ann <a@b.c>`."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_address"]

_ATOM: Final = r"[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\U0010ffff]+"
_DOT_ATOM: Final = rf"{_ATOM}(?:\.{_ATOM})*"
_QUOTED: Final = r'"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[^\x00-\x08\x0a-\x1f\x7f])*"'
_DOMAIN: Final = rf"(?:{_DOT_ATOM}|\[[^\[\]\\\x00-\x20\x7f]*\])"
_SPEC: Final = rf"(?:{_DOT_ATOM}|{_QUOTED})@[ \t]*{_DOMAIN}"
_WORD: Final = rf"(?:{_ATOM}(?:\.+{_ATOM})*\.*|{_QUOTED})"
_IS_SPEC: Final = re.compile(rf"[ \t]*{_SPEC}[ \t]*").fullmatch
_IS_ANGLED: Final = re.compile(rf"<{_SPEC}[ \t]*>[ \t]*").fullmatch
_IS_PHRASE: Final = re.compile(rf"[ \t]*(?:{_WORD}[ \t]+)*(?:{_WORD})?[ \t]*").fullmatch
_MAX: Final = 1000
"""Longer texts are no addresses here, so that the expressions stay quick; RFC 5321 allows 256 octets."""


def is_address(text: str) -> bool:
    """Whether the text is an address, with or without a display name.

    Of comments, which Go reads anywhere, only one after the address is taken.
    """
    if len(text) > _MAX or "@" not in text:
        return False
    text = _without_comment(text)
    if _IS_SPEC(text) is not None:
        return not text.strip(" \t").startswith('""@')
    before, angle, after = text.partition("<")
    return bool(angle) and _IS_PHRASE(before) is not None and _IS_ANGLED(f"<{after}") is not None


def _without_comment(text: str) -> str:
    stripped = text.rstrip(" \t")
    if stripped.endswith(")") and "(" in stripped and "@" in stripped[: stripped.index("(")]:
        inner = stripped[stripped.index("(") + 1 : -1]
        if "(" not in inner and ")" not in inner:
            return stripped[: stripped.index("(")]
    return text
