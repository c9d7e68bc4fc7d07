"""Go's types as the JSON decoder and encoder see them: the exact, slow way to read a body.

A type reads a JSON value on top of an old Go value (a key that comes twice is read on top of the first), and
writes a Go value as JSON. Go values are kept as Python's: a struct is a dict of the fields that were set, a
nil pointer, slice or map is None, a slice is `Items`; the forms keep what they need.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from kubewright.machinery.errors import ParseError
from kubewright.server.wire.go_forms import decode_base64
from kubewright.server.wire.go_json import Number, Pairs, Tree, int64_or_float
from kubewright.server.wire.reading import Reading

__all__ = [
    "GoBool",
    "GoBytes",
    "GoField",
    "GoFloat",
    "GoInt",
    "GoKeptSlice",
    "GoMap",
    "GoPointer",
    "GoSlice",
    "GoString",
    "GoStruct",
    "GoType",
    "GoValue",
    "Items",
    "pairs_of",
    "whole_number",
]

GoValue: TypeAlias = Any
"""A Go value, as the top of this module says."""


class GoType:
    """One type; `name` is what Go calls it in errors."""

    __slots__ = ("name",)

    zero: GoValue = None
    """The zero value, where it is immutable; see `new`."""

    def __init__(self, name: str) -> None:
        self.name: Final = name

    def new(self) -> GoValue:
        """The zero value."""
        return self.zero

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        """The value after reading JSON on top of an old one; what is wrong goes to `reading`."""
        raise NotImplementedError

    def is_empty(self, value: GoValue) -> bool:
        """Whether omitempty leaves the value out."""
        return not value

    def write(self, value: GoValue) -> object:
        """The value as JSON."""
        return value


class GoString(GoType):
    """A string, or a type that is one."""

    __slots__ = ()
    zero = ""

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        if type(tree) is str:
            return tree
        if tree is not None:
            reading.type_error(tree, self.name)
        return old


class GoBool(GoType):
    """A bool."""

    __slots__ = ()
    zero = False

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        if isinstance(tree, bool):
            return tree
        if tree is not None:
            reading.type_error(tree, self.name)
        return old


class GoInt(GoType):
    """An integer between two bounds."""

    __slots__ = ("high", "low")
    zero = 0

    def __init__(self, name: str, low: int, high: int) -> None:
        super().__init__(name)
        self.low: Final = low
        self.high: Final = high

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        found = whole_number(tree)
        if found is not None and self.low <= found <= self.high:
            return found
        if tree is not None:
            reading.type_error(tree, self.name, number=True)
        return old


def whole_number(tree: Tree) -> int | None:
    """The number that digits alone say; a whole float is one, since Go writes it so."""
    if type(tree) is int:
        return tree
    if isinstance(tree, float) and tree.is_integer():
        return int(tree)
    # Twenty characters hold every integer of 64 bits; Python would take its time with very many.
    if isinstance(tree, Number) and len(tree) <= 20 and tree.removeprefix("-").isdigit():
        return int(tree)
    return None


class GoFloat(GoType):
    """A float64, written as Go does: 1.0 is 1."""

    __slots__ = ()
    zero = 0

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        if isinstance(tree, Number) or type(tree) in (int, float):
            number = float(tree)  # type: ignore[arg-type]
            if abs(number) != float("inf"):
                return number
        if tree is not None:
            reading.type_error(tree, self.name, number=True)
        return old

    def write(self, value: GoValue) -> object:
        return int64_or_float(value)


class GoBytes(GoType):
    """A []byte, base64 in JSON; Go reads lists of numbers as well."""

    __slots__ = ()
    _BYTE: Final = GoInt("uint8", 0, 255)

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        if tree is None:
            return None
        if type(tree) is str:
            try:
                return decode_base64(tree)
            except ParseError as error:
                reading.error(str(error))
                return old
        if type(tree) is list:
            return bytes([self._BYTE.read(reading, item, 0) for item in tree])
        reading.type_error(tree, self.name)
        return old

    def write(self, value: GoValue) -> object:
        if value is None:
            return None
        return b64encode(value).decode()


class GoPointer(GoType):
    """A pointer: null is nil, everything else goes to what it points to."""

    __slots__ = ("to",)

    def __init__(self, to: GoType) -> None:
        super().__init__(f"*{to.name}")
        self.to: Final = to

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        if tree is None:
            return None
        return self.to.read(reading, tree, self.to.new() if old is None else old)

    def is_empty(self, value: GoValue) -> bool:
        return value is None

    def write(self, value: GoValue) -> object:
        return None if value is None else self.to.write(value)


class Items(NamedTuple):
    """The elements of a slice: those that count, and what lies behind them from an earlier, longer list."""

    backing: list[GoValue]
    length: int


class GoSlice(GoType):
    """A list."""

    __slots__ = ("of",)

    def __init__(self, name: str, of: GoType) -> None:
        super().__init__(name)
        self.of: Final = of

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        if tree is None:
            return None
        if type(tree) is not list:
            reading.type_error(tree, self.name)
            return old
        # Go reads on top of the elements that an earlier list has left.
        backing: list[GoValue] = old.backing if old is not None and tree else []
        path = reading.path
        read, new = self.of.read, self.of.new
        for index, item in enumerate(tree):
            path.append(f"[{index}]")
            if index < len(backing):
                backing[index] = read(reading, item, backing[index])
            else:
                backing.append(read(reading, item, new()))
            path.pop()
        return Items(backing, len(tree))

    def is_empty(self, value: GoValue) -> bool:
        return value is None or value.length == 0

    def write(self, value: GoValue) -> object:
        write = self.of.write
        return None if value is None else [write(item) for item in value.backing[: value.length]]


class GoKeptSlice(GoSlice):
    """A list that is left out only when it is nil: to a field manager an empty one is something else."""

    __slots__ = ()

    def is_empty(self, value: GoValue) -> bool:
        return value is None


class GoMap(GoType):
    """A map with strings as keys."""

    __slots__ = ("of",)

    def __init__(self, name: str, of: GoType) -> None:
        super().__init__(name)
        self.of: Final = of

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        if tree is None:
            return None
        pairs = pairs_of(tree)
        if pairs is None:
            reading.type_error(tree, self.name)
            return old
        made: dict[str, GoValue] = {} if old is None else old
        path, seen = reading.path, set()
        for key, item in pairs:
            if key in seen:
                reading.problem("duplicate", key)
            seen.add(key)
            path.append(f".{key}")
            made[key] = self.of.read(reading, item, self.of.new())
            path.pop()
        return made

    def write(self, value: GoValue) -> object:
        write = self.of.write
        return None if value is None else {key: write(item) for key, item in value.items()}


class GoField(NamedTuple):
    """One field of a struct."""

    name: str
    type: GoType
    omitted: bool
    """Left out of JSON when it is empty: omitempty or omitzero."""
    omitzero: bool = False
    """Left out of JSON also when it is a struct, and zero."""
    embedded: tuple[str, ...] = ()
    """The embedded structs that the field lies in, as Go calls them; errors name them."""


class GoStruct(GoType):
    """A struct; its fields are set later, because structs may refer to themselves."""

    __slots__ = ("by_name", "fields", "struct_name")

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.struct_name: Final = name.rpartition(".")[2]
        self.fields: tuple[GoField, ...] = ()
        self.by_name: Mapping[str, GoField] = {}

    def set_fields(self, fields: Iterable[GoField]) -> None:
        """Once, before the first use."""
        self.fields = tuple(fields)
        self.by_name = {field.name: field for field in self.fields}

    def new(self) -> GoValue:
        return {}

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        pairs = pairs_of(tree)
        if pairs is None:
            if tree is not None:
                reading.type_error(tree, self.name)
            return old
        made: dict[str, GoValue] = old
        by_name, path, seen = self.by_name, reading.path, set()
        outer_struct, names = reading.struct, reading.names
        outer = len(names)
        for key, item in pairs:
            field = by_name.get(key)
            if field is None:
                reading.problem("unknown", key)
                continue
            if key in seen:
                reading.problem("duplicate", key)
            seen.add(key)
            path.append(f".{key}")
            reading.struct = self.struct_name
            names += (*field.embedded, key)
            made[key] = field.type.read(reading, item, made[key] if key in made else field.type.new())
            reading.struct = outer_struct
            del names[outer:]
            path.pop()
        return made

    def is_empty(self, value: GoValue) -> bool:
        return False

    def write(self, value: GoValue) -> object:
        made = {}
        for field in self.fields:
            found = value[field.name] if field.name in value else field.type.new()
            if field.omitted and (not found if field.omitzero else field.type.is_empty(found)):
                continue
            made[field.name] = field.type.write(found)
        return made


def pairs_of(tree: Tree) -> Iterable[tuple[str, Tree]] | None:
    """The members of an object; None of what is none."""
    if isinstance(tree, Pairs):
        return tree
    return tree.items() if isinstance(tree, dict) else None
