"""How names of JSON fields are written in CEL, where they must be identifiers."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["escape"]

_RESERVED: Final = frozenset(
    [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
"""The words that CEL's grammar keeps for itself."""

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
_ESCAPABLE: Final = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*").fullmatch
_PART: Final = re.compile(r"__|[-./]")
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


def escape(name: str) -> str | None:
    """The identifier for a field's name; None if the name cannot be had in CEL."""
    if name in _RESERVED:
        return f"__{name}__"
    if _PLAIN(name) and "__" not in name:
        return name
    if not _ESCAPABLE(name):
        return None
    return _PART.sub(lambda part: _ESCAPES[part[0]], name)
