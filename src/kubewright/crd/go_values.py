"""How Go prints and compares JSON values, which the messages and the rules of upstream's validation show."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from kubewright.machinery.field_errors import FieldError, go_quote

__all__ = [
    "MAX_INT64",
    "MIN_INT64",
    "as_stored",
    "deep_equal",
    "go_float",
    "go_json",
    "go_print",
    "invalid",
    "is_integral",
    "may_have_whole_floats",
    "shown",
]

MIN_INT64: Final = -(2**63)
MAX_INT64: Final = 2**63 - 1
"""Go reads a JSON number without fraction as int64 if it fits, and as float64 if not."""

_MAX_JSON_FLOAT: Final = float(2**53 - 1)
_EPSILON: Final = 1e-9
"""Of go-openapi's IsFloat64AJSONInteger: how far from a whole number still counts as one."""

_JSON_EXPONENT: Final = (1e-6, 1e21)
_PRINTED_EXPONENT: Final = (1e-4, 1e6)
"""Below and from where Go's JSON encoder, and %v, write a float with an exponent."""


def go_float(number: float) -> str:
    """A float as %v prints it: 5, 0.1, 1e+06."""
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    if math.isnan(number):
        return "NaN"
    return _plain(number, *_PRINTED_EXPONENT)


def _plain(number: float, exponent_below: float, exponent_from: float) -> str:
    size = abs(number)
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    digits, exponent = _shortest(size)
    sign = "-" if number < 0 else ""
    if size >= exponent_from or size < exponent_below:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole, fraction = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{sign}{whole}.{fraction}" if fraction else sign + whole


def _shortest(size: float) -> tuple[str, int]:
    """The fewest digits that tell a number from all others, and the power of ten of the first."""
    mantissa, _, power = f"{size!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    exponent = len(whole) - 1 if whole != "0" else -(len(fraction) - len(fraction.lstrip("0")) + 1)
    return digits.rstrip("0") or "0", exponent + int(power or 0)


def go_json(value: object) -> str:
    """A value as Go's json.Marshal writes it: keys sorted, no blanks, and `<`, `>`, `&` escaped.

    A value that nests too deeply to print is shown as "...".
    """
    try:
        return _written(value)
    except RecursionError:
        return '"..."'


def _written(value: object) -> str:
    if isinstance(value, dict):
        return f"{{{','.join(f'{_text(name)}:{_written(value[name])}' for name in sorted(value))}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_written, value))}]"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and math.isfinite(value):
        return _plain(value, *_JSON_EXPONENT)
    return json.dumps(value, default=str)


def _text(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    if not written.isascii() or "<" in written or ">" in written or "&" in written:
        for char in "<>&\u2028\u2029":
            written = written.replace(char, f"\\u{ord(char):04x}")
    return written


def go_print(value: object) -> str:
    """A value as %v prints it: `map[a:1]`, `[1 2]`, `<nil>`."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{name}:{go_print(value[name])}' for name in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_print, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "<nil>", True: "true", False: "false"}[value]
    return go_float(value) if isinstance(value, float) else str(value)


def shown(value: object) -> str:
    """A bad value as upstream's field errors show it."""
    if isinstance(value, str):
        return go_quote(value)
    if isinstance(value, float):
        return go_float(value)
    return go_json(value)


def invalid(field: str, value: object, detail: str) -> FieldError:
    """A value breaks a rule; the value is shown as Go shows JSON."""
    return FieldError("FieldValueInvalid", field, f"Invalid value: {shown(value)}: {detail}")


def as_stored(value: Any) -> Any:
    """A value as a server in Go reads it back from its store: 2.0 is written as 2, which is an integer then.

    Nothing is changed in place.
    """
    if value.__class__ is float and value.is_integer() and -(2.0**63) <= value < 2.0**63:
        return int(value)
    if isinstance(value, dict):
        return {name: as_stored(member) for name, member in value.items()}
    if isinstance(value, list):
        return [as_stored(element) for element in value]
    return value


_MAYBE_WHOLE: Final = (b".0", b"e16", b"e17", b"e18")
_WHOLE: Final = re.compile(rb"[:,\[]-?\d[\d.]*(?:\.0|e1[678])[,\]}]")


def may_have_whole_floats(data: bytes) -> bool:
    """Whether JSON that msgspec wrote may have floats that Go would write as integers.

    The texts in it may look as if it had. Most have nothing like that, which is found out fast.
    """
    return any(part in data for part in _MAYBE_WHOLE) and _WHOLE.search(data) is not None


def is_integral(number: float) -> bool:
    """Whether go-openapi takes a float for an integer: up to 2**53, give or take a billionth."""
    if not -_MAX_JSON_FLOAT <= number <= _MAX_JSON_FLOAT:
        return False
    whole = math.trunc(number)
    if number == whole:
        return True
    if number < 0 or whole == 0:
        return False
    return abs(number - whole) / (number + whole) < _EPSILON


def deep_equal(one: object, other: object) -> bool:
    """Go's reflect.DeepEqual on JSON values: 1, 1.0 and true are three different things."""
    if one.__class__ is not other.__class__:
        return False
    if isinstance(one, dict):
        return _same_members(one, other)
    if isinstance(one, list):
        return _same_elements(one, other)
    return one == other


def _same_members(one: dict[str, Any], other: Any) -> bool:
    if len(one) != len(other):
        return False
    return all(name in other and deep_equal(member, other[name]) for name, member in one.items())


def _same_elements(one: list[Any], other: Any) -> bool:
    return len(one) == len(other) and all(map(deep_equal, one, other))
