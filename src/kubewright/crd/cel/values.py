"""The values of CEL in Python, and when two of them are equal or in order.

CEL's bool, int, double, string, bytes, null, list and map are Python's `bool`, `int`, `float`, `str`,
`bytes`, `None`, `list` and `dict`; the other types have a class here. Values are never changed once they are
made, so JSON values of an object are used as they are wherever CEL sees them alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Self, TypeAlias

from kubewright.crd.cel.escaping import resolve_spelling

__all__ = [
    "NONE",
    "CelError",
    "Computed",
    "CostExceededError",
    "Duration",
    "MapList",
    "ObjectValue",
    "Optional",
    "SetList",
    "Timestamp",
    "TypeValue",
    "Uint",
    "compare",
    "equal",
    "no_such_overload",
    "size_of",
    "type_name",
]


class CelError(Exception):
    """What goes wrong in an expression; `&&`, `||` and the macros may absorb it, as CEL says."""


class CostExceededError(Exception):
    """The expression did more work than it may; nothing absorbs it."""


class Uint(int):
    """CEL's uint."""

    __slots__ = ()


class Duration(int):
    """CEL's duration, in nanoseconds."""

    __slots__ = ()


class Timestamp(int):
    """CEL's timestamp: nanoseconds since 1970, and the offset from UTC that it was written with."""

    offset: int

    def __new__(cls, nanoseconds: int, offset: int = 0) -> Self:
        made = super().__new__(cls, nanoseconds)
        made.offset = offset
        return made


class TypeValue(NamedTuple):
    """What `type(x)` and the names of types give."""

    name: str


class Optional(NamedTuple):
    """CEL's optional."""

    has_value: bool
    value: object


NONE: Final = Optional(False, None)

Convert: TypeAlias = Callable[[object], object]
"""From a JSON value to the value CEL sees."""

FieldTable: TypeAlias = Mapping[str, tuple[str, Convert | None]]
"""By a field's name in CEL: its name in JSON, and how its value becomes CEL's, if it is not the same."""


class ObjectValue:
    """An object with declared fields; its fields are looked up in the JSON object when they are asked for."""

    __slots__ = ("fields", "raw")

    def __init__(self, raw: Mapping[str, object], fields: FieldTable) -> None:
        self.raw = raw
        self.fields = fields

    def find(self, field: str) -> tuple[bool, object]:
        """Whether a field is set, and its value. A null is as good as absent."""
        entry = self.fields.get(field)
        if entry is None:
            resolved = resolve_spelling(field)
            entry = None if resolved is None else self.fields.get(resolved)
            if entry is None:
                return False, None
        value = self.raw.get(entry[0])
        if value is None:
            return False, None
        convert = entry[1]
        return True, value if convert is None else convert(value)

    def names(self) -> Iterator[str]:
        """The names, as CEL writes them, of the declared fields that stand in the object."""
        return (name for name, (in_json, _) in self.fields.items() if in_json in self.raw)


class Computed:
    """A value whose fields are made when they are asked for."""

    __slots__ = ()
    cel_type = "map"

    def select(self, field: str) -> object:
        """The value of a field. Raises CelError."""
        raise CelError(f"no such key: {field}")

    def has(self, field: str) -> bool:
        """Whether there is such a field."""
        return False


class SetList(list[object]):
    """A list of `x-kubernetes-list-type: set`: order does not matter, and `+` is a union."""

    __slots__ = ()


class MapList(list[object]):
    """A list of `x-kubernetes-list-type: map`: elements are told apart by their keys, and `+` merges."""

    __slots__ = ("keys",)

    def __init__(self, elements: Sequence[object], keys: tuple[str, ...]) -> None:
        super().__init__(elements)
        self.keys = keys

    def key_of(self, element: object) -> object:
        """What tells the element from others."""
        if isinstance(element, ObjectValue):
            # Upstream looks for the escaped name in the JSON object, so that a key whose name must be escaped
            # tells no elements apart.
            return tuple(_hashable(element.raw.get(key)) for key in self.keys)
        if isinstance(element, dict):
            return tuple(_hashable(element.get(key)) for key in self.keys)
        raise CelError("unexpected data format for element of array with x-kubernetes-list-type=map")


def _hashable(value: object) -> object:
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


_TYPE_NAMES: Final[dict[type, str]] = {
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    SetList: "list",
    MapList: "list",
    dict: "map",
    ObjectValue: "map",
    Timestamp: "google.protobuf.Timestamp",
    Duration: "google.protobuf.Duration",
    TypeValue: "type",
    Optional: "optional_type",
}


def type_name(value: object) -> str:
    """The name of a value's type."""
    found = _TYPE_NAMES.get(type(value))
    if found is None:
        found = getattr(value, "cel_type", "dyn")
    return found


def no_such_overload(function: str = "", *args: object) -> CelError:
    """A function was given what it does not take, which only unchecked (`dyn`) values can bring about."""
    if not function:
        return CelError("no such overload")
    return CelError(f"no such overload: {function}({', '.join(map(type_name, args))})")


def size_of(value: object) -> int:
    """The size that a value's cost is reckoned by: of texts, lists and maps theirs, of all else one."""
    kind = type(value)
    if kind is str or kind is list or kind is dict or kind is bytes or kind is SetList or kind is MapList:
        return len(value)  # type: ignore[arg-type] # of one of these types
    if kind is ObjectValue:
        return len(value.raw)  # type: ignore[attr-defined] # of this type
    if kind is Optional and value.has_value:  # type: ignore[attr-defined] # of this type
        return size_of(value.value)  # type: ignore[attr-defined] # of this type
    size = getattr(value, "cel_size", None)
    return size if isinstance(size, int) else 1


_NUMBERS: Final = frozenset({int, Uint, float})
_SCALARS: Final = frozenset({bool, str, bytes, type(None), Timestamp, Duration})


def equal(one: object, other: object) -> bool:
    """CEL's `==`: numbers of all types compare by value, values of different types are not equal."""
    kind = type(one)
    if kind in _NUMBERS:
        return type(other) in _NUMBERS and one == other
    if one is other:
        return True
    if kind in _SCALARS:
        return type(other) is kind and one == other
    if isinstance(one, list):
        return _lists_equal(one, other)
    if kind is dict:
        return _maps_equal(one, other)  # type: ignore[arg-type] # it is a dict
    if kind is ObjectValue:
        return _objects_equal(one, other)  # type: ignore[arg-type] # it is an ObjectValue
    if kind is Optional:
        return _optionals_equal(one, other)  # type: ignore[arg-type] # it is an Optional
    return type(other) is kind and one == other


def _lists_equal(one: list[object], other: object) -> bool:
    if not isinstance(other, list):
        return False
    if len(one) != len(other):
        return False
    if type(one) is SetList:
        return all(contains(one, element) for element in other)
    if type(one) is MapList:
        by_key = {one.key_of(element): element for element in one}
        return all(
            (key := one.key_of(element)) in by_key and equal(by_key[key], element) for element in other
        )
    return all(map(equal, one, other))


def contains(elements: Sequence[object], value: object) -> bool:
    """Whether a list has an element that is equal to the value."""
    if type(value) is str:
        return value in elements
    return any(equal(element, value) for element in elements)


def _maps_equal(one: dict[object, object], other: object) -> bool:
    if not isinstance(other, dict) or len(one) != len(other):
        return False
    for key, value in one.items():
        found, theirs = find_key(other, key)
        if not found or not equal(value, theirs):
            return False
    return True


def find_key(entries: Mapping[object, object], key: object) -> tuple[bool, object]:
    """Look a key up; numbers are found whatever their type."""
    try:
        value = entries[key]
    except KeyError:
        return False, None
    except TypeError:
        raise no_such_overload() from None
    return True, value


def _objects_equal(one: ObjectValue, other: object) -> bool:
    if not isinstance(other, ObjectValue):
        return isinstance(other, dict) and _object_equals_map(one, other)
    if one.raw is other.raw:
        return True
    if len(one.raw) != len(other.raw):
        return False
    declared = set()
    for field, (name, _) in one.fields.items():
        declared.add(name)
        if name in one.raw and not _fields_equal(one.find(field), other.find(field)):
            return False
    return all(
        value == other.raw[name]
        for name, value in one.raw.items()
        if name not in declared and name in other.raw
    )


def _fields_equal(one: tuple[bool, object], other: tuple[bool, object]) -> bool:
    return one[0] == other[0] and (not one[0] or equal(one[1], other[1]))


def _object_equals_map(one: ObjectValue, other: dict[object, object]) -> bool:
    fields = list(one.names())
    return len(fields) == len(other) and all(
        field in other and equal(one.find(field)[1], other[field]) for field in fields
    )


def _optionals_equal(one: Optional, other: object) -> bool:
    if not isinstance(other, Optional) or one.has_value != other.has_value:
        return False
    return not one.has_value or equal(one.value, other.value)


_ORDERED: Final = frozenset({bool, str, bytes, Timestamp, Duration})


def compare(one: object, other: object) -> int:
    """-1, 0 or 1 for values that are in order. Raises CelError for those that are not."""
    kind, theirs = type(one), type(other)
    if kind in _NUMBERS and theirs in _NUMBERS:
        if one != one or other != other:  # noqa: PLR0124 - NaN is the one number that is not itself
            raise CelError("NaN values cannot be ordered")
    elif kind is not theirs or kind not in _ORDERED:
        raise no_such_overload()
    return (one > other) - (one < other)  # type: ignore[operator, no-any-return] # of ordered types
