"""The functions of optionals, and those that the macros over maps are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.crd.cel.functions.function import Function
from kubewright.crd.cel.values import (
    NONE,
    CelError,
    Duration,
    ObjectValue,
    Optional,
    Timestamp,
    no_such_overload,
)

__all__ = ["FUNCTIONS"]

_ZERO_TIME: Final = -62135596800 * 10**9
"""Go's zero time, the first of January of the year one."""


def _of(value: object) -> Optional:
    return Optional(True, value)


def _is_zero(value: object) -> bool:
    if isinstance(value, ObjectValue):
        return not value.raw
    if isinstance(value, Timestamp):
        return value == _ZERO_TIME
    if isinstance(value, Optional):
        return not value.has_value
    if isinstance(value, bool | int | float | str | bytes | list | dict | Duration | None):
        return not value
    return False


def _of_non_zero(value: object) -> Optional:
    return NONE if _is_zero(value) else _of(value)


def _optional(function: str, value: object) -> Optional:
    if isinstance(value, Optional):
        return value
    raise no_such_overload(function, value)


def _value(value: object) -> object:
    optional = _optional("value", value)
    if not optional.has_value:
        raise CelError("optional.none() dereference")
    return optional.value


def _or(value: object, other: object) -> object:
    return value if _optional("or", value).has_value else other


def _or_value(value: object, other: object) -> object:
    optional = _optional("orValue", value)
    return optional.value if optional.has_value else other


def _unwrap(value: object) -> list[object]:
    if not isinstance(value, list):
        raise no_such_overload("optional.unwrap", value)
    unwrapped: list[object] = []
    for element in value:
        if not isinstance(element, Optional):
            raise CelError(f"value {element} is not optional")
        if element.has_value:
            unwrapped.append(element.value)
    return unwrapped


def _first(value: object) -> Optional:
    if not isinstance(value, list):
        raise no_such_overload("first", value)
    return _of(value[0]) if value else NONE


def _last(value: object) -> Optional:
    if not isinstance(value, list):
        raise no_such_overload("last", value)
    return _of(value[-1]) if value else NONE


def _insert(entries: object, key: object, value: object = None) -> dict[object, object]:
    if not isinstance(entries, dict):
        raise no_such_overload("cel.@mapInsert", entries, key, value)
    # transformMapEntry inserts a map of one or more entries, transformMap a key with its value.
    added = key if isinstance(key, dict) else {key: value}
    for name in added:
        if name in entries:
            raise CelError(f"insert failed: key {name} already exists")
    return {**entries, **added}


FUNCTIONS: Final[Mapping[str, Function]] = {
    "optional.of": Function(_of),
    "optional.ofNonZeroValue": Function(_of_non_zero),
    "optional.none": Function(lambda: NONE),
    "hasValue": Function(lambda value: _optional("hasValue", value).has_value),
    "value": Function(_value),
    "or": Function(_or),
    "orValue": Function(_or_value),
    "optional.unwrap": Function(_unwrap),
    "unwrapOpt": Function(_unwrap),
    "first": Function(_first),
    "last": Function(_last),
    "cel.@mapInsert": Function(_insert),
}
