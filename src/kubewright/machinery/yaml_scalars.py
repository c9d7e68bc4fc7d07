"""What a YAML scalar means: the rules of Go's parser, which kubectl and the API server use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

__all__ = ["MERGE", "RESOLVERS", "must_be_quoted", "resolve", "resolve_tagged"]

MERGE: Final = "<<"

_CONSTANTS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False),
    **dict.fromkeys(["", "~", "null", "Null", "NULL"], None),
}

_INT: Final = re.compile(r"^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$")
_FLOAT: Final = re.compile(r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$")
_NOT_FINITE: Final = re.compile(r"^(?:\.nan|\.NaN|\.NAN|[-+]?(?:\.inf|\.Inf|\.INF))$")

_BETWEEN_DIGITS: Final = re.compile(r"(?<=[0-9])_(?=[0-9])")

_MAX_EXACT: Final = 10**21
"""Go writes a float below this without an exponent, so that `1e3` in YAML is the integer 1000 in JSON."""

_MAX_DIGITS: Final = 400
"""A number of more digits is past the largest float."""

_ASIDE: Final = "-+.0123456789"
"""What a number begins with."""

RESOLVERS: Final[Sequence[tuple[str, re.Pattern[str], list[str]]]] = [
    ("bool", re.compile(r"^(?:true|false)$"), ["t", "f"]),
    ("null", re.compile(r"^null$"), ["n"]),
    ("int", re.compile(r"^-?[0-9]+$"), [*"-0123456789"]),
    ("float", _FLOAT, [*_ASIDE]),
]
"""Tag, pattern and first characters of what is written plain and is no text."""

# What this parser takes for a text and another may not: underscores, base 60, dates, octals of YAML 1.2.
_AMBIGUOUS: Final = re.compile(
    r"^(?:[-+._]*[0-9][-+._:0-9a-fA-FxXoO]*|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*|<<|=|[-+]?\.[a-zA-Z]+)$"
)


def must_be_quoted(text: str) -> bool:
    """Whether a text that is written without quotes could be read as something else."""
    if text in _CONSTANTS:
        return True
    return text[0] in _QUOTE_FIRST and (_AMBIGUOUS.match(text) is not None or _number(text) is not text)


_QUOTE_FIRST: Final = frozenset("-+._0123456789<=")


def resolve(text: str, *, plain: bool) -> Any:
    """The value of a scalar without a tag; `plain` is one that is not quoted. Raises ValueError."""
    if not plain:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _ASIDE:
        return text
    if _NOT_FINITE.match(text):
        raise ValueError(f"{text} has no JSON form")
    return _number(text)


def resolve_tagged(text: str, tag: str) -> Any:
    """The value of a scalar with a tag. Raises ValueError."""
    if tag in ("!", "tag:yaml.org,2002:str"):
        return text
    value = resolve(text, plain=True)
    wanted = tag.removeprefix("tag:yaml.org,2002:")
    fits = {
        "bool": isinstance(value, bool),
        "int": isinstance(value, int) and not isinstance(value, bool),
        "float": isinstance(value, int | float) and not isinstance(value, bool),
        "null": value is None,
    }
    if wanted not in fits:
        raise ValueError(f"the tag {tag!r} has no JSON form")
    if not fits[wanted]:
        raise ValueError(f"{text!r} is not of the type {wanted} that its tag says")
    return value


def _number(text: str) -> Any:
    # Underscores may stand anywhere in a number, but in one that begins with a dot only between digits.
    digits = text.replace("_", "") if not text.startswith(".") else _BETWEEN_DIGITS.sub("", text)
    if len(digits) > _MAX_DIGITS:
        return text
    if _INT.match(digits):
        number = _integer(digits)
        # What Go cannot hold in 64 bits it takes for a float, if it is decimal.
        if -(2**63) <= number < 2**64:
            return number
    if _FLOAT.match(digits):
        real = float(digits)
        if real in (float("inf"), float("-inf")):
            return text
        # By its shortest text, as Go writes it: not every digit of a large float is meant.
        return int(Decimal(repr(real))) if real.is_integer() and abs(real) < _MAX_EXACT else real
    return text


def _integer(digits: str) -> int:
    bare = digits.lstrip("+-")
    if len(bare) > 1 and bare.startswith("0") and bare.isdigit():
        return int(f"{digits[: len(digits) - len(bare)]}0o{bare}", 0)
    return int(digits, 0)
