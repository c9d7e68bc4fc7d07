"""Makes Go's types from the table of structs.

Its notation is a field a line, `NAME TYPE [omitempty|omitzero]`, with the name in JSON, or `>NAME` for an
embedded struct, whose fields stand among those around it. Types are written as in Go, with longer names of
packages: `map[core.v1.ResourceName]resource.Quantity`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, final

from kubewright.machinery.errors import ParseError
from kubewright.server.wire.go_special import special_type
from kubewright.server.wire.go_types import (
    GoBool,
    GoBytes,
    GoField,
    GoFloat,
    GoInt,
    GoMap,
    GoPointer,
    GoSlice,
    GoString,
    GoStruct,
    GoType,
)

__all__ = ["GoTypes"]

_INTEGERS: Final = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}


@final
class GoTypes:
    """The types of a table, each made when it is first asked for."""

    __slots__ = ("_made", "_named", "_structs")

    def __init__(self, structs: Mapping[str, str], named: Mapping[str, str]) -> None:
        self._structs: Final = structs
        self._named: Final = named
        self._made: Final[dict[str, GoType]] = {}

    def struct(self, name: str) -> GoStruct:
        """The struct of that name, such as core.v1.Pod. Raises ParseError when there is none."""
        found = self.type(name)
        if not isinstance(found, GoStruct):
            raise ParseError(f"{name} is no struct of Go")
        return found

    def type(self, text: str) -> GoType:
        """The type that Go's notation says. Raises ParseError for one that the table does not have."""
        found = self._made.get(text)
        if found is None:
            found = self._made[text] = self._make(text)
            if isinstance(found, GoStruct) and not found.fields:
                found.set_fields(self._fields(text))
        return found

    def _make(self, text: str) -> GoType:
        special = special_type(text, self.type)
        if special is not None:
            return special
        if text in self._named:
            return self._basic(_go_name(text), self._named[text])
        if text in self._structs:
            return GoStruct(_go_name(text))
        return self._basic(None, text)

    def _basic(self, name: str | None, text: str) -> GoType:
        """A type that is written out; `name` is its own, if it has one."""
        if text.startswith("*"):
            return GoPointer(self.type(text[1:]))
        if text == "[]uint8":
            return GoBytes(name or text)
        if text.startswith("[]"):
            element = self.type(text[2:])
            return GoSlice(name or f"[]{element.name}", element)
        if text.startswith("map["):
            key, _, value = text[4:].partition("]")
            element = self.type(value)
            return GoMap(name or f"map[{self.type(key).name}]{element.name}", element)
        if text in _INTEGERS:
            return GoInt(name or text, *_INTEGERS[text])
        made = {"string": GoString, "bool": GoBool, "float64": GoFloat}.get(text)
        if made is None:
            raise ParseError(f"the table of Go's structs has no type {text}")
        return made(name or text)

    def _fields(self, name: str) -> Iterator[GoField]:
        found = list(self._flat(name, ()))
        # Of fields with one name, the one that lies least deep counts in Go.
        best = {field.name: field for field in sorted(found, key=lambda field: -len(field.embedded))}
        return (field for field in found if best[field.name] is field)

    def _flat(self, name: str, embedded: tuple[str, ...]) -> Iterator[GoField]:
        for line in self._structs[name].split("\n"):
            if not line:
                continue
            field, text, *flags = line.split(" ")
            if field.startswith(">"):
                yield from self._flat(text, (*embedded, field[1:]))
            else:
                made = self.type(text)
                yield GoField(field, made, bool(flags), flags == ["omitzero"], embedded)


def _go_name(name: str) -> str:
    """What Go calls a type: the last part of its package, and its name."""
    return ".".join(name.split(".")[-2:])
