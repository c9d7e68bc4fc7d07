"""Numbers that may also be percentages, such as `maxUnavailable: 25%`."""

from __future__ import annotations

from kubewright.machinery.field_errors import invalid
from kubewright.machinery.label_selectors import parse_int64
from kubewright.machinery.names import is_valid_percent
from kubewright.server.kinds.kind import Errors
from kubewright.server.kinds.metadata_rules import validate_non_negative

__all__ = ["int_or_percent_value", "validate_at_most_100_percent", "validate_int_or_percent"]

_MANY = 2**63 - 1
"""What Go's Atoi makes of a number that has more digits than it can hold."""


def validate_int_or_percent(value: int | str, path: str) -> Errors:
    """A whole number from 0, or a text such as "25%"."""
    if isinstance(value, str):
        return [invalid(path, value, message) for message in is_valid_percent(value)]
    return validate_non_negative(value, path)


def validate_at_most_100_percent(value: int | str, path: str) -> Errors:
    """A percentage may not exceed 100%; numbers and texts that are no percentage are not looked at."""
    percent = _percent(value)
    if percent is None or percent <= 100:
        return []
    return [invalid(path, value, "must not be greater than 100%")]


def int_or_percent_value(value: int | str | None) -> int:
    """The number, that before the percent sign, or that which a text without one says; else 0."""
    percent = _percent(value)
    if percent is not None:
        return percent
    if isinstance(value, str):
        return parse_int64(value) or 0
    return value or 0


def _percent(value: int | str | None) -> int | None:
    if not isinstance(value, str) or is_valid_percent(value):
        return None
    number = parse_int64(value[:-1])
    return _MANY if number is None else number
