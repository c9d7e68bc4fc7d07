"""Objects of a schema declared as protobuf messages, in which form alone the checker takes types with fields.

A message's field cannot be a list of lists, a list of maps or a map of either. Where a schema has such a
field, the message says `dyn` for what the inner container holds; and the path to the field, as in
`self.spec.matrix`, is declared as a variable of its own with the exact type: the checker looks for the
longest name first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from kubewright.crd.cel.ast import Type
from kubewright.crd.cel.engine import DESCRIPTOR_FILE
from kubewright.crd.cel.escaping import keyword_spelling, resolve_spelling
from kubewright.crd.cel.go_errors import DESCRIPTOR_PACKAGE
from kubewright.crd.cel.schema_types import SchemaType

__all__ = ["Messages"]

_SCALARS: Final = {"string": 9, "int": 3, "uint": 4, "double": 1, "bool": 8, "bytes": 12}
"""The numbers of FieldDescriptorProto.Type."""

_WELL_KNOWN: Final = {
    "timestamp": ".google.protobuf.Timestamp",
    "duration": ".google.protobuf.Duration",
    "dyn": ".google.protobuf.Value",
}
_MESSAGE: Final = 11
_OPTIONAL: Final = 1
_REPEATED: Final = 3

_TESTED: Final = re.compile(r"\bhas\(\s*((?:self|oldSelf)(?:\.\w+)+)\s*\)").findall
"""The paths of which an expression asks whether they are there."""

_LOOSE_JSON_NAMES: Final = b"\x3a\x02\x58\x01"
"""The options of a message, of which one is set: deprecated_legacy_json_field_conflicts. Without it protobuf
warns on standard error of fields such as fooBar and foo_bar, which have one name in its own form of JSON."""

_RESERVED: Final = range(19000, 20000)
"""The field numbers that protobuf keeps for itself."""


class Messages:
    """The messages for the objects of a schema; with `words`, with the fields alone that are among them."""

    def __init__(self, words: frozenset[str] | None = None) -> None:
        self._words = words
        self.shown: dict[str, str] = {}
        """By a message's name, how upstream calls its type: by the way to it, `selfType.spec.list.@idx`."""
        self._names: dict[int, str] = {}
        self._bodies: list[bytes] = []

    def type_of(self, node: SchemaType, shown: str = "selfType") -> Type:
        """The exact type of a node, which errors shall call by the name `shown`."""
        if node.kind == "object":
            return Type(f"{DESCRIPTOR_PACKAGE}.{self._message(node, shown)}")
        if node.element is None:
            return Type(node.kind)
        if node.kind == "list":
            return Type("list", (self.type_of(node.element, f"{shown}.@idx"),))
        return Type("map", (Type("string"), self.type_of(node.element, f"{shown}.@elem")))

    def add(self, name: str, members: Mapping[str, SchemaType]) -> None:
        """Declare a message that expressions can make, by the name that they have for it."""
        parts = [_bytes(1, name.encode()), _LOOSE_JSON_NAMES]
        for number, (field, member) in enumerate(members.items(), 1):
            parts.append(_bytes(2, self._declared(field, number, member, field, label=_OPTIONAL)))
        self._bodies.append(b"".join(parts))

    def nested_containers(self, root: str, node: SchemaType) -> Iterator[tuple[str, Type]]:
        """The paths from a variable to fields that messages cannot type exactly, and their exact types."""
        for field, spelling, member in self._fields(node):
            path = f"{root}.{spelling}"
            if member.element is not None and not self._is_exact(node, field, member):
                yield path, self.type_of(member, f"selfType.{path.partition('.')[2]}")
            yield from self.nested_containers(path, member)

    def tested_containers(self, text: str, node: SchemaType) -> frozenset[str]:
        """Those of `nested_containers` of which an expression asks with `has()` whether they are there."""
        return frozenset(path for path in _TESTED(text) if self._is_nested(path.split(".")[1:], node))

    def _is_nested(self, steps: list[str], node: SchemaType) -> bool:
        for at, step in enumerate(steps, 1):
            field = step if step in node.fields else resolve_spelling(step)
            if field is None or field not in node.fields:
                return False
            owner, (_, node) = node, node.fields[field]
            if at == len(steps):
                return node.element is not None and not self._is_exact(owner, field, node)
        return False

    @staticmethod
    def _is_exact(owner: SchemaType, field: str, member: SchemaType) -> bool:
        """Whether a field that is a list or a map can have its exact type in a message."""
        if member.element is not None and member.element.element is not None:
            return False
        # The entry of a map is a message that must have a name made of the field's, which may be taken.
        entry = _entry_name(field)
        return member.kind == "list" or (
            entry not in owner.fields and [_entry_name(other) for other in owner.fields].count(entry) == 1
        )

    def descriptors(self) -> bytes:
        """The FileDescriptorProto with all messages that were asked for."""
        imports = (b"google/protobuf/duration.proto", b"google/protobuf/struct.proto")
        return b"".join(
            [
                _bytes(1, DESCRIPTOR_FILE.encode()),
                _bytes(2, DESCRIPTOR_PACKAGE.encode()),
                *(_bytes(3, name) for name in (*imports, b"google/protobuf/timestamp.proto")),
                *(_bytes(4, body) for body in self._bodies),
            ]
        )

    def _fields(self, node: SchemaType) -> Iterator[tuple[str, str, SchemaType]]:
        """The fields to declare, each with a name that selects it and its type."""
        for field, (_, member) in node.fields.items():
            for spelling in (field, keyword_spelling(field)):
                if spelling is not None and (self._words is None or spelling in self._words):
                    yield field, spelling, member

    def _message(self, node: SchemaType, shown: str) -> str:
        name = self._names.get(id(node))
        if name is not None:
            return name
        name = f"Object{len(self._names)}"
        self._names[id(node)] = name
        self.shown[f"{DESCRIPTOR_PACKAGE}.{name}"] = shown
        parts = [_bytes(1, name.encode()), _LOOSE_JSON_NAMES]
        number = 0
        entries: set[str] = set()
        for field, spelling, member in self._fields(node):
            number += 1
            if number in _RESERVED:
                number = _RESERVED.stop
            exact = member.element is None or self._is_exact(node, field, member)
            parts.extend(
                self._field(name, spelling, number, member, f"{shown}.{field}", entries, exact=exact)
            )
        self._bodies.append(b"".join(parts))
        return name

    def _field(
        self,
        owner: str,
        field: str,
        number: int,
        node: SchemaType,
        shown: str,
        entries: set[str],
        *,
        exact: bool,
    ) -> Iterator[bytes]:
        """The declaration of a field; `entries` has the names of the owner's messages for entries of maps."""
        if node.kind == "list" and node.element is not None:
            yield _bytes(2, self._declared(field, number, node.element, f"{shown}.@idx", label=_REPEATED))
        elif node.kind == "map" and node.element is not None and exact:
            entry = _entry_name(field)
            # Both spellings of a keyword have the same name for the message.
            if entry not in entries:
                entries.add(entry)
                key = _field_body("key", 1, 9, "", _OPTIONAL)
                value = self._declared("value", 2, node.element, f"{shown}.@elem", label=_OPTIONAL)
                options = _bytes(7, _varint(7 << 3) + b"\x01")
                yield _bytes(3, _bytes(1, entry.encode()) + _bytes(2, key) + _bytes(2, value) + options)
            typed = f".{DESCRIPTOR_PACKAGE}.{owner}.{entry}"
            yield _bytes(2, _field_body(field, number, _MESSAGE, typed, _REPEATED))
        else:
            yield _bytes(2, self._declared(field, number, node, shown, label=_OPTIONAL))

    def _declared(self, field: str, number: int, node: SchemaType, shown: str, *, label: int) -> bytes:
        if node.kind == "object":
            typed = f".{DESCRIPTOR_PACKAGE}.{self._message(node, shown)}"
            return _field_body(field, number, _MESSAGE, typed, label)
        if node.kind in _SCALARS:
            return _field_body(field, number, _SCALARS[node.kind], "", label)
        if node.kind == "list":
            return _field_body(field, number, _MESSAGE, ".google.protobuf.ListValue", label)
        if node.kind == "map":
            return _field_body(field, number, _MESSAGE, ".google.protobuf.Struct", label)
        return _field_body(field, number, _MESSAGE, _WELL_KNOWN[node.kind], label)


def _entry_name(field: str) -> str:
    """The name that protobuf gives to the message of a map's entries."""
    return "".join(part[:1].upper() + part[1:] for part in field.split("_")) + "Entry"


def _field_body(name: str, number: int, kind: int, type_name: str, label: int) -> bytes:
    body = _bytes(1, name.encode()) + _number(3, number) + _number(4, label) + _number(5, kind)
    if type_name:
        body += _bytes(6, type_name.encode())
    # Without a name of one's own, fields such as fooBar and foo_bar would be taken for the same in JSON.
    return body + _bytes(10, f"f{number}".encode())


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)
