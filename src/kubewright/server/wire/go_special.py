"""Go's types that read and write JSON by themselves: times, quantities, raw JSON, unions.

What they refuse ends the whole reading (`Fatal`), as an error of Go's UnmarshalJSON does. null reaches them
only where they are no pointers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.server.wire.go_forms import canonical_micro_time, canonical_quantity, canonical_time
from kubewright.server.wire.go_json import Number, Tree
from kubewright.server.wire.go_types import GoInt, GoSlice, GoType, GoValue, pairs_of, whole_number
from kubewright.server.wire.reading import Fatal, Reading, go_number_text

__all__ = [
    "GoForm",
    "GoIntOrString",
    "GoQuantity",
    "GoRaw",
    "GoTime",
    "GoUnion",
    "plain_tree",
    "special_type",
]


class GoForm(GoType):
    """A struct in Go, so omitempty never leaves it out."""

    __slots__ = ()

    def is_empty(self, value: GoValue) -> bool:
        return False


class GoTime(GoForm):
    """metav1.Time or MicroTime; the value is its text, "" for the zero time."""

    __slots__ = ("canonical",)
    zero = ""

    def __init__(self, name: str, canonical: Callable[[str], str]) -> None:
        super().__init__(name)
        self.canonical: Final = canonical

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        if tree is None:
            return ""
        if type(tree) is not str:
            raise Fatal(reading.type_error_text(tree, "string"))
        try:
            return self.canonical(tree)
        except ParseError as error:
            raise Fatal(str(error)) from None

    def write(self, value: GoValue) -> object:
        return value or None


class GoQuantity(GoForm):
    """resource.Quantity, from text or from a number; the value is its text."""

    __slots__ = ()
    zero = "0"

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        if tree is None:
            return "0"
        number = isinstance(tree, Number | int | float) and not isinstance(tree, bool)
        # What is neither text nor number is no quantity in any case; Go reads the bytes.
        text = go_number_text(tree) if number else tree if isinstance(tree, str) else "{"
        try:
            return canonical_quantity(text)
        except ParseError as error:
            raise Fatal(str(error)) from None


class GoIntOrString(GoForm):
    """intstr.IntOrString; the value is the text or the number, and the number that was there before."""

    __slots__ = ()
    zero = (0, 0)
    _INT32: Final = GoInt("int32", -(2**31), 2**31 - 1)

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        if type(tree) is str:
            return tree, old[1]
        if tree is None:
            return old[1], old[1]
        found = whole_number(tree)
        if found is None or not self._INT32.low <= found <= self._INT32.high:
            raise Fatal(reading.type_error_text(tree, "int32", number=True))
        return found, found

    def write(self, value: GoValue) -> object:
        return value[0]


class GoRaw(GoForm):
    """RawExtension, FieldsV1 or JSON: any JSON, kept as it is; null is what nothing was set to."""

    __slots__ = ()

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        return old if tree is None else plain_tree(tree)


def plain_tree(tree: Tree) -> object:
    """JSON as plain values; of keys that come twice the last counts.

    Raises Fatal for a number that Python cannot hold.
    """
    if isinstance(tree, Number):
        try:
            return int(tree) if tree.lstrip("-").isdigit() and len(tree) < 400 else _finite(tree)
        except ValueError:
            raise Fatal(f"json: cannot unmarshal number {tree} into Go value of type float64") from None
    if isinstance(tree, list):
        return [plain_tree(item) for item in tree]
    pairs = pairs_of(tree)
    return tree if pairs is None else {key: plain_tree(item) for key, item in pairs}


def _finite(number: Number) -> float:
    found = float(number)
    if abs(found) == float("inf"):
        raise ValueError
    return found


_NEITHER: Final = object()
"""A union that is there but has neither member, and is null in JSON; None would be a nil pointer."""


class GoUnion(GoForm):
    """JSONSchemaPropsOrArray and its like: a schema, or something else; the value is its JSON.

    Parts are read on their own and leniently: what is unknown there is no problem.
    """

    __slots__ = ("others", "schema")

    def __init__(self, name: str, schema: GoType, others: GoSlice | None) -> None:
        super().__init__(name)
        self.schema: Final = schema
        self.others: Final = others
        """What a list is; None where a bool stands in its place."""

    def new(self) -> GoValue:
        return False if self.others is None else _NEITHER

    def write(self, value: GoValue) -> object:
        return None if value is _NEITHER else value

    def read(self, reading: Reading, tree: Tree, old: GoValue) -> GoValue:
        if pairs_of(tree) is not None:
            return _apart(reading, self.schema, tree)
        if self.others is None:
            if isinstance(tree, bool):
                return tree
            raise Fatal("boolean or JSON schema expected")
        # Go forgets an empty list, and whatever else it finds.
        return (isinstance(tree, list) and _apart(reading, self.others, tree)) or _NEITHER


def _apart(reading: Reading, part: GoType, tree: Tree) -> object:
    inner = Reading(strict=False, within=reading)
    value = part.read(inner, tree, part.new())
    if inner.first_error:
        raise Fatal(inner.first_error)
    return part.write(value)


_FORMS: Final[dict[str, Callable[[str], GoType]]] = {
    "meta.v1.Time": lambda name: GoTime(name, canonical_time),
    "meta.v1.MicroTime": lambda name: GoTime(name, canonical_micro_time),
    "resource.Quantity": GoQuantity,
    "intstr.IntOrString": GoIntOrString,
    "runtime.RawExtension": GoRaw,
    "meta.v1.FieldsV1": GoRaw,
    "apiextensions.v1.JSON": GoRaw,
}

_SCHEMA: Final = "apiextensions.v1.JSONSchemaProps"


def special_type(name: str, type_of: Callable[[str], GoType]) -> GoType | None:
    """The type of that name, if it is one of these; `type_of` makes the types that it is made of."""
    short = ".".join(name.split(".")[-2:])
    if name in _FORMS:
        return _FORMS[name](short)
    if not name.startswith(f"{_SCHEMA}Or"):
        return None
    schema = type_of(_SCHEMA)
    if name == f"{_SCHEMA}OrBool":
        return GoUnion(short, schema, None)
    others = schema if name == f"{_SCHEMA}OrArray" else type_of("string")
    return GoUnion(short, schema, GoSlice(f"[]{others.name}", others))
