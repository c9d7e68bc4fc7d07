"""Fields that hold a number or a text: ports by number or name, counts such as 3 or "25%"."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from kubewright.machinery.errors import ParseError, quoted

__all__ = ["IntOrString", "int_value", "parse_int_or_string", "scaled_value_from_int_or_percent"]

IntOrString: TypeAlias = int | str
"""What upstream calls intstr.IntOrString: on the wire and in Python, an int or a str."""

_INT32: Final = range(-(2**31), 2**31)
"""Upstream keeps the number of an IntOrString as an int32."""

_INT64: Final = range(-(2**63), 2**63)
"""Upstream reads the number in a text as an int64."""

# Zeros in front apart, so that the rest tells by its length whether it can be an int64 at all.
_NUMBER: Final = re.compile(r"([+-]?)0*([0-9]+)", re.ASCII)


def scaled_value_from_int_or_percent(value: IntOrString, total: int, *, round_up: bool) -> int:
    """The count that an int or a percentage of `total` stands for, as maxSurge and minAvailable need it.

    An int is the count itself; "25%" is a quarter of the total, rounded up or down as asked. The result is
    exact; upstream computes in float64 and so differs past some 2**46. Raises ParseError for a text that
    is no whole number followed by a percent sign.
    """
    if isinstance(value, int):
        return value
    percent = _int64(value[:-1]) if value.endswith("%") else None
    if percent is None or percent not in _INT64:
        raise ParseError(f"{quoted(value)} is neither a number nor a percentage; write it as 3 or '25%'")
    product = percent * total
    return -(-product // 100) if round_up else product // 100


def parse_int_or_string(text: str) -> IntOrString:
    """The number that a text such as "8080" stands for when it is an int32, else the text itself."""
    number = _int64(text)
    return text if number is None or number not in _INT32 else number


def int_value(value: IntOrString) -> int:
    """The int, or the number that the text is; 0 when it is none, the nearest int64 when it is larger."""
    if isinstance(value, int):
        return value
    number = _int64(value)
    return 0 if number is None else min(max(number, _INT64.start), _INT64.stop - 1)


def _int64(text: str) -> int | None:
    """The number, or one just past int64 when it is larger than that; None when the text is no number."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    sign, digits = match.groups()
    size = int(digits) if len(digits) < 20 else _INT64.stop + 1
    return -size if sign == "-" else size
