"""How names of JSON fields are written in CEL, where they must be identifiers."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["escape", "keyword_spelling", "resolve_spelling"]

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


_KEYWORD_FIELDS: Final = {f"__{word}__": word for word in _RESERVED - {"true", "false", "null", "in"}}
"""Fields that may also be selected by the plain keyword. The grammar has tokens for the other four words, so
that they cannot follow a dot."""

_ESCAPED_PART: Final = re.compile(r"__([^_]+)__")
_UNESCAPES: Final = {"underscores": "__", "dot": ".", "dash": "-", "slash": "/"}


def keyword_spelling(field: str) -> str | None:
    """The keyword that selects a field as its escaped name does: `namespace` for `__namespace__`.

    Servers accept both since 1.31.
    """
    return _KEYWORD_FIELDS.get(field)


@lru_cache(maxsize=1024)
def resolve_spelling(name: str) -> str | None:
    """The escaped name of the field that `name` selects at run time; None if it can select no field.

    Upstream unescapes a name before it looks for the value, so that a name which is not escaped finds its
    field as well. For names in checked types only keywords can make a difference; `dyn` values take any.
    """
    field = _unescape(name)
    return None if field is None else escape(field)


def _unescape(name: str) -> str | None:
    parts: list[str] = []
    at = 0
    for match in _ESCAPED_PART.finditer(name):
        word = match[1]
        if word in _UNESCAPES:
            part = _UNESCAPES[word]
        elif word in _RESERVED and match[0] == name:
            part = word
        else:
            return None
        parts += name[at : match.start()], part
        at = match.end()
    return "".join(parts) + name[at:]
