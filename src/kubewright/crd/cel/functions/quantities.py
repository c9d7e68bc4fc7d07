"""`quantity()` and the arithmetic of quantities, and the comparisons that versions share with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from kubewright.crd.cel.functions.function import Function, per_argument
from kubewright.crd.cel.functions.operators import MAX_INT, MIN_INT
from kubewright.crd.cel.functions.semver import Semver
from kubewright.crd.cel.values import CelError, no_such_overload
from kubewright.machinery.errors import ParseError
from kubewright.machinery.quantity import Quantity

__all__ = ["FUNCTIONS", "QuantityValue"]

_FORMAT_WRONG: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)


class QuantityValue:
    """The value of `quantity()`.

    Upstream asks whether a quantity is an integer not of its value but of how it is kept: as an int64 with a
    power of ten, if it was short enough, and then an integer if that power is none below one.
    """

    __slots__ = ("amount", "scale")
    cel_type = "kubernetes.Quantity"

    def __init__(self, amount: Quantity, scale: int | None) -> None:
        self.amount = amount
        self.scale = scale
        """The power of ten; None if the number is not kept as an int64."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QuantityValue) and self.amount == other.amount

    def __hash__(self) -> int:
        return hash(self.amount)


def _parse(text: str) -> Quantity:
    # Upstream trims space only where JSON is read.
    if text.strip() != text:
        raise CelError(_FORMAT_WRONG)
    try:
        return Quantity(text)
    except ParseError:
        raise CelError(_FORMAT_WRONG) from None


_PARTS: Final = re.compile(r"[+-]?(\d*)(?:\.(\d*))?([a-zA-Z]*)([+-]?\d*)", re.ASCII).fullmatch
_POWERS: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_MAX_DIGITS: Final = 18
"""How many digits upstream is sure to keep in an int64."""


def _scale(text: str, amount: Quantity) -> int | None:
    match = _PARTS(text)
    if match is None:
        return None
    whole, fraction, suffix, exponent = match[1].lstrip("0"), match[2] or "", match[3], match[4]
    if suffix in _BINARY:
        # Fractions of binary units are not kept, nor what might need more than fifteen digits.
        room = 14 - len(whole or "0") - int(_BINARY[suffix] * 0.3)
        return 0 if not fraction and room >= 0 else None
    if len(whole or "0") + len(fraction) > _MAX_DIGITS:
        return None
    power = int(exponent) if suffix in {"e", "E"} and exponent else _POWERS.get(suffix)
    if power is None or power - len(fraction) < -9:
        return None
    return power - len(fraction) if amount else 0


def _quantity(value: object) -> QuantityValue:
    if not isinstance(value, str):
        raise no_such_overload("quantity", value)
    amount = _parse(value)
    return QuantityValue(amount, _scale(value, amount))


def _is_quantity(value: object) -> bool:
    if not isinstance(value, str):
        raise no_such_overload("isQuantity", value)
    try:
        _parse(value)
    except CelError:
        return False
    return True


def _value(function: str, value: object) -> QuantityValue:
    if isinstance(value, QuantityValue):
        return value
    raise no_such_overload(function, value)


def _whole(value: QuantityValue) -> int | None:
    if value.scale is None or value.scale < 0:
        return None
    whole = int(value.amount)
    return whole if MIN_INT <= whole <= MAX_INT else None


def _as_integer(value: object) -> int:
    whole = _whole(_value("asInteger", value))
    if whole is None:
        raise CelError("cannot convert value to integer")
    return whole


def _sign(value: object) -> int:
    amount = _value("sign", value).amount
    return (amount > 0) - (amount < 0)


def _combined(function: str, combine: Callable[[Quantity, Quantity], Quantity]) -> Function:
    def call(value: object, other: object) -> QuantityValue:
        one = _value(function, value)
        two = QuantityValue(Quantity(other), 0) if type(other) is int else _value(function, other)
        try:
            amount = combine(one.amount, two.amount)
        except OverflowError as error:
            raise CelError(str(error)) from None
        return QuantityValue(amount, _combined_scale(one, two, amount))

    return Function(call)


def _combined_scale(one: QuantityValue, two: QuantityValue, amount: Quantity) -> int | None:
    if one.scale is None or two.scale is None:
        return None
    if not two.amount:
        return one.scale
    scale = two.scale if not one.amount else min(one.scale, two.scale)
    number = amount.scaled_value(scale)
    return scale if MIN_INT <= number <= MAX_INT else None


def _compared(function: str, decide: Callable[[int], object]) -> Function:
    def call(value: object, other: object) -> object:
        if isinstance(value, QuantityValue) and isinstance(other, QuantityValue):
            one, two = value.amount, other.amount
            return decide((one > two) - (one < two))
        if isinstance(value, Semver) and isinstance(other, Semver):
            return decide(value.compared_to(other))
        raise no_such_overload(function, value, other)

    return Function(call)


FUNCTIONS: Final[Mapping[str, Function]] = {
    "quantity": Function(_quantity, per_argument()),
    "isQuantity": Function(_is_quantity, per_argument()),
    "sign": Function(_sign),
    "asInteger": Function(_as_integer),
    "isInteger": Function(lambda value: _whole(_value("isInteger", value)) is not None),
    "asApproximateFloat": Function(lambda value: float(_value("asApproximateFloat", value).amount)),
    "add": _combined("add", lambda one, other: one + other),
    "sub": _combined("sub", lambda one, other: one - other),
    "isGreaterThan": _compared("isGreaterThan", lambda order: order > 0),
    "isLessThan": _compared("isLessThan", lambda order: order < 0),
    "compareTo": _compared("compareTo", lambda order: order),
}
