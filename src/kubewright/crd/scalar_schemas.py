"""The schemas of types without members: texts, numbers, times, quantities, enums."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Any, Final, Literal, get_args, get_origin

from kubewright.crd.field_types import shown_type
from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.time import Duration, MicroTime

__all__ = ["scalar_schema"]

_INT_OR_STRING: Final = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": True,
}
_QUANTITY: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
"""What controller-gen writes for resource.Quantity, so that schemas made by either say the same."""
_DURATION: Final = r"^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"
"""What Go's time.ParseDuration reads."""
_DATE_TIME: Final = {"type": "string", "format": "date-time"}

_SCALARS: Final[dict[Any, dict[str, Any]]] = {
    str: {"type": "string"},
    int: {"type": "integer", "format": "int64"},
    float: {"type": "number", "format": "double"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "format": "byte"},
    datetime: _DATE_TIME,
    MicroTime: _DATE_TIME,
    Duration: {"type": "string", "pattern": _DURATION},
    Quantity: {**_INT_OR_STRING, "pattern": _QUANTITY},
}
_ENUM_TYPES: Final = {str: "string", int: "integer"}


def scalar_schema(members: tuple[Any, ...], where: str) -> dict[str, Any] | None:
    """The schema of a scalar type, or of int | str; None for other types. Raises DeclarationError."""
    if len(members) > 1:
        return dict(_INT_OR_STRING) if set(members) == {int, str} else None
    (kind,) = members
    if get_origin(kind) is Literal:
        return _enum(get_args(kind), kind, where)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _enum([member.value for member in kind], kind, where)
    try:
        found = _SCALARS.get(kind)
    except TypeError:  # a type that cannot be hashed is none of these
        return None
    return None if found is None else dict(found)


def _enum(values: Sequence[Any], kind: Any, where: str) -> dict[str, Any]:
    types = {type(value) for value in values}
    if len(types) == 1 and types <= _ENUM_TYPES.keys():
        return {"type": _ENUM_TYPES[types.pop()], "enum": list(dict.fromkeys(values))}
    raise DeclarationError(
        f"{where}: the values of {shown_type(kind)} must all be str or all be int, and at least one; "
        "use X | None for one that may be absent"
    )
