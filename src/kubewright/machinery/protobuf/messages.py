"""The tables that say what is in a protobuf message, made ready for the decoder and the encoder.

A definition is a text, one field a line: `NUMBER NAME TYPE [omitempty|inline]`, for instance

    1 metadata meta.v1.ObjectMeta
    2 data map[string]string
    5 finalizers []string
    7 phase string omitempty

NAME is the name in JSON. TYPE is a scalar of protobuf, one of `FORMS`, or another message, alone, as a list
or as a map. `omitempty` marks what Go leaves out of JSON when it is zero: a value that is no pointer in
upstream's struct and has omitempty there. All other fields are in the JSON when they are on the wire, zero or
not, so `replicas: 0` survives. `inline` marks a message whose fields stand among those of the message around
it, as those of a VolumeSource do in a Volume.

A definition whose first line is `union` has no fields in JSON but is one of its members: a list, an object or
a bool, as JSONSchemaPropsOrBool is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias, final

from kubewright.machinery.errors import ParseError

__all__ = ["FORMS", "SCALARS", "Field", "Message", "Messages", "Shape"]

Shape: TypeAlias = Literal["one", "list", "map"]

SCALARS: Final = frozenset({"string", "bytes", "bool", "int32", "int64", "uint32", "uint64", "double"})
"""The scalars of protobuf of which Kubernetes makes use, and the unsigned ones, which cost nothing."""

FORMS: Final = frozenset({"Time", "MicroTime", "Duration", "Quantity", "IntOrString", "JSON", "RawExtension"})
"""Messages that have a JSON form of their own, named without their package."""

_ANY_VERSION: Final = ""
"""Stands for every apiVersion among the kinds: upstream registers DeleteOptions and its like with each."""

_NO_KINDS: Final[Mapping[str, str]] = {}

_LINE: Final = re.compile(r"([1-9][0-9]{0,8}) (\S+) (\[\]|map\[string\])?([\w.]+)(?: (omitempty|inline))?")


class Field(NamedTuple):
    """One field of a message."""

    number: int
    name: str
    type: str
    shape: Shape = "one"
    omitempty: bool = False
    inline: bool = False


@final
class Message:
    """One message: its fields, and what decoder and encoder have prepared from them on first use."""

    __slots__ = ("_definition", "_fields", "messages", "name", "reader", "union", "writer")

    def __init__(self, name: str, definition: str, messages: Messages) -> None:
        self.name: Final = name
        self.messages: Final = messages
        self.union: Final = definition.split(maxsplit=1)[:1] == ["union"]
        """The JSON form is one of the members, not an object of them."""
        self._definition = definition
        self._fields: tuple[Field, ...] | None = None
        self.reader: object = None
        """The decoder's dispatch table; nobody else reads it."""
        self.writer: object = None
        """The encoder's list of steps; nobody else reads it."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields, in the order of their numbers. Raises ParseError when the definition is wrong."""
        if self._fields is None:
            lines = [line.strip() for line in self._definition.splitlines()]
            made = [_field(self.name, line) for line in lines if line and line != "union"]
            self._fields = tuple(sorted(made))
        return self._fields

    def __repr__(self) -> str:
        return f"Message({self.name!r})"


def _field(message: str, line: str) -> Field:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ParseError(
            f"message {message}: {line!r} is no field; write it as '1 metadata meta.v1.ObjectMeta'"
        )
    number, name, prefix, type_name, flag = match.groups()
    shape: Shape = "one" if prefix is None else "list" if prefix == "[]" else "map"
    return Field(int(number), name, type_name, shape, flag == "omitempty", flag == "inline")


@final
class Messages:
    """A set of messages that refer to each other, and the kinds that are sent as them.

    `definitions` are by name (see this module), `kinds` say by apiVersion and kind which message it is; an
    apiVersion "" stands for every one. Nothing is parsed before it is needed. Safe to share between threads:
    what is prepared twice is the same.
    """

    __slots__ = ("_definitions", "_kinds", "_messages")

    def __init__(self, definitions: Mapping[str, str], kinds: Mapping[str, Mapping[str, str]]) -> None:
        self._definitions: Final = definitions
        self._kinds: Final = kinds
        self._messages: Final[dict[str, Message]] = {}

    def __getitem__(self, name: str) -> Message:
        """The message of that name, such as "core.v1.PodSpec". Raises ParseError when there is none."""
        found = self._messages.get(name)
        if found is None:
            definition = self._definitions.get(name)
            if definition is None:
                raise ParseError(
                    f"there is no protobuf message {name[:200]!r}; its name is such as core.v1.Pod"
                )
            found = self._messages[name] = Message(name, definition, self)
        return found

    def of_kind(self, api_version: str, kind: str) -> Message | None:
        """The message as which a kind is sent; None when it has none, as custom resources have not."""
        name = self._kinds.get(api_version, _NO_KINDS).get(kind)
        if name is None:
            name = self._kinds.get(_ANY_VERSION, _NO_KINDS).get(kind)
        return None if name is None else self[name]
