"""CEL's operators on values, with upstream's overflow rules and errors."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Final

from kubewright.crd.cel.functions.function import Function, ceil_tenths
from kubewright.crd.cel.values import (
    CelError,
    Duration,
    MapList,
    ObjectValue,
    SetList,
    Timestamp,
    Uint,
    compare,
    contains,
    equal,
    find_key,
    no_such_overload,
    size_of,
)

__all__ = [
    "COMPARABLE",
    "FUNCTIONS",
    "MAX_INT",
    "MAX_TIME",
    "MAX_UINT",
    "MIN_INT",
    "MIN_TIME",
    "NANOS",
    "add",
    "checked_int",
    "checked_timestamp",
    "checked_uint",
]

MIN_INT: Final = -(2**63)
MAX_INT: Final = 2**63 - 1
MAX_UINT: Final = 2**64 - 1

NANOS: Final = 10**9
MIN_TIME: Final = -62135596800 * NANOS
MAX_TIME: Final = 253402300800 * NANOS - 1
"""The first and last moment of the years 1 to 9999, which are those of a timestamp."""


def checked_int(value: int) -> int:
    """An int that did not leave its 64 bits."""
    if MIN_INT <= value <= MAX_INT:
        return value
    raise CelError("integer overflow")


def checked_uint(value: int) -> Uint:
    """An uint that did not leave its 64 bits."""
    if 0 <= value <= MAX_UINT:
        return Uint(value)
    raise CelError("unsigned integer overflow")


def checked_duration(value: int) -> Duration:
    """A duration that int64 nanoseconds can hold."""
    if MIN_INT <= value <= MAX_INT:
        return Duration(value)
    raise CelError("duration overflow")


def checked_timestamp(value: int, offset: int = 0) -> Timestamp:
    """A timestamp within the years that it may have."""
    if MIN_TIME <= value <= MAX_TIME:
        return Timestamp(value, offset)
    raise CelError("timestamp overflow")


_ADDERS: Final = frozenset({int, Uint, float, str, bytes, list, SetList, MapList, Timestamp, Duration})


def _lacks(function: str, one: object, other: object, kinds: frozenset[type]) -> CelError:
    """The error of an operator: by name if the left value cannot have it, bare if the right one misfits."""
    return CelError(f"no such overload: {function}") if type(one) not in kinds else no_such_overload()


def add(one: object, other: object) -> object:
    """`one + other`."""
    kind, theirs = type(one), type(other)
    if kind is theirs:
        if kind is int:
            return checked_int(one + other)  # type: ignore[operator] # ints
        if kind is str or kind is float or kind is bytes:
            return one + other  # type: ignore[operator] # of one type
        if kind is Uint:
            return checked_uint(int(one) + int(other))  # type: ignore[call-overload] # uints
        if kind is Duration:
            return checked_duration(int(one) + int(other))  # type: ignore[call-overload] # durations
    if isinstance(one, list) and isinstance(other, list):
        return _add_lists(one, other)
    if isinstance(one, Timestamp) and kind is Timestamp and theirs is Duration:
        return checked_timestamp(int(one) + int(other), one.offset)  # type: ignore[call-overload] # an int
    if isinstance(other, Timestamp) and kind is Duration and theirs is Timestamp:
        return checked_timestamp(int(one) + int(other), other.offset)  # type: ignore[call-overload] # an int
    raise _lacks("_+_", one, other, _ADDERS)


def _add_lists(one: list[object], other: list[object]) -> list[object]:
    if type(one) is SetList:
        union = SetList(one)
        for element in other:
            if not contains(union, element):
                union.append(element)
        return union
    if isinstance(one, MapList):
        merged = MapList(one, one.keys)
        places = {one.key_of(element): at for at, element in enumerate(one)}
        for element in other:
            at = places.get(one.key_of(element))
            if at is None:
                merged.append(element)
            else:
                merged[at] = element
        return merged
    return [*one, *other]


_SUBTRACTORS: Final = frozenset({int, Uint, float, Timestamp, Duration})


def subtract(one: object, other: object) -> object:
    """`one - other`."""
    kind, theirs = type(one), type(other)
    if kind is theirs:
        if kind is int:
            return checked_int(one - other)  # type: ignore[operator] # ints
        if kind is float:
            return one - other  # type: ignore[operator] # floats
        if kind is Uint:
            return checked_uint(int(one) - int(other))  # type: ignore[call-overload] # uints
        if kind is Duration or kind is Timestamp:
            return checked_duration(int(one) - int(other))  # type: ignore[call-overload] # ints below
    if isinstance(one, Timestamp) and theirs is Duration:
        return checked_timestamp(int(one) - int(other), one.offset)  # type: ignore[call-overload] # an int
    raise _lacks("_-_", one, other, _SUBTRACTORS)


_MULTIPLIERS: Final = frozenset({int, Uint, float})


def multiply(one: object, other: object) -> object:
    """`one * other`."""
    kind = type(one)
    if kind is type(other):
        if kind is int:
            return checked_int(one * other)  # type: ignore[operator] # ints
        if kind is float:
            return one * other  # type: ignore[operator] # floats
        if kind is Uint:
            return checked_uint(int(one) * int(other))  # type: ignore[call-overload] # uints
    raise _lacks("_*_", one, other, _MULTIPLIERS)


def divide(one: object, other: object) -> object:
    """`one / other`, which cuts towards zero."""
    kind = type(one)
    if kind is type(other) and kind in _MULTIPLIERS:
        if isinstance(one, float) and isinstance(other, float):
            return _divide_floats(one, other)
        if isinstance(one, int) and isinstance(other, int):
            if other == 0:
                raise CelError("division by zero")
            quotient = abs(one) // abs(other)
            if kind is Uint:
                return Uint(quotient)
            return checked_int(quotient if (one < 0) == (other < 0) else -quotient)
    raise _lacks("_/_", one, other, _MULTIPLIERS)


def _divide_floats(one: float, other: float) -> float:
    if other != 0:
        return one / other
    if one == 0 or one != one:  # noqa: PLR0124 - NaN is the one number that is not itself
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1, other)


_MODDERS: Final = frozenset({int, Uint})


def modulo(one: object, other: object) -> object:
    """`one % other`, with the sign of `one`."""
    kind = type(one)
    if kind is type(other) and isinstance(one, int) and isinstance(other, int) and kind in _MODDERS:
        if other == 0:
            raise CelError("modulus by zero")
        if kind is int and one == MIN_INT and other == -1:
            raise CelError("integer overflow")
        rest = abs(one) % abs(other)
        return Uint(rest) if kind is Uint else -rest if one < 0 else rest
    raise _lacks("_%_", one, other, _MODDERS)


def negate(value: object) -> object:
    """`-value`."""
    kind = type(value)
    if kind is int:
        return checked_int(-value)  # type: ignore[operator] # an int
    if kind is float:
        return -value  # type: ignore[operator] # a float
    if kind is Duration:
        return checked_duration(-int(value))  # type: ignore[call-overload] # an int below
    raise CelError("no such overload: -_")


def invert(value: object) -> bool:
    """`!value`."""
    if type(value) is bool:
        return not value
    raise CelError("no such overload: !_")


def is_in(value: object, owner: object) -> bool:
    """`value in owner`."""
    if isinstance(owner, list):
        return contains(owner, value)
    if type(owner) is dict:
        return find_key(owner, value)[0]
    if type(owner) is ObjectValue:
        if type(value) is not str:
            raise no_such_overload()
        return owner.find(value)[0]
    raise no_such_overload("@in", value, owner)


def size(value: object) -> int:
    """`size(value)`: characters, bytes, elements or keys."""
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    if type(value) is ObjectValue:
        return len(value.raw)
    raise no_such_overload("size", value)


COMPARABLE: Final = frozenset({bool, int, Uint, float, str, bytes, Timestamp, Duration})


def _ordered(function: str, one: object, other: object) -> int:
    if type(one) not in COMPARABLE:
        raise CelError(f"no such overload: {function}")
    return compare(one, other)


def less(one: object, other: object) -> bool:
    """`one < other`."""
    return _ordered("_<_", one, other) < 0


def less_equals(one: object, other: object) -> bool:
    """`one <= other`."""
    return _ordered("_<=_", one, other) <= 0


def greater(one: object, other: object) -> bool:
    """`one > other`."""
    return _ordered("_>_", one, other) > 0


def greater_equals(one: object, other: object) -> bool:
    """`one >= other`."""
    return _ordered("_>=_", one, other) >= 0


def not_equal(one: object, other: object) -> bool:
    """`one != other`."""
    return not equal(one, other)


def _shorter(args: Sequence[object], _result: object) -> int:
    one, other = args
    if isinstance(one, str | bytes) or type(one) is not type(other):
        return ceil_tenths(min(size_of(one), size_of(other)))
    return 1


def _compared(args: Sequence[object], _result: object) -> int:
    return max(ceil_tenths(min(size_of(args[0]), size_of(args[1]))), 0)


def _both(args: Sequence[object], _result: object) -> int:
    if isinstance(args[0], str | bytes):
        return ceil_tenths(size_of(args[0]) + size_of(args[1]))
    return 1


def _searched(args: Sequence[object], _result: object) -> int:
    return len(args[1]) if isinstance(args[1], list) else 1


FUNCTIONS: Final[Mapping[str, Function]] = {
    "_==_": Function(equal, _compared),
    "_!=_": Function(not_equal, _compared),
    "_<_": Function(less, _shorter, of_ints=operator.lt),
    "_<=_": Function(less_equals, _shorter, of_ints=operator.le),
    "_>_": Function(greater, _shorter, of_ints=operator.gt),
    "_>=_": Function(greater_equals, _shorter, of_ints=operator.ge),
    "_+_": Function(add, _both),
    "_-_": Function(subtract),
    "_*_": Function(multiply),
    "_/_": Function(divide),
    "_%_": Function(modulo),
    "-_": Function(negate),
    "!_": Function(invert),
    "@in": Function(is_in, _searched),
    "size": Function(size),
}
