"""Writing the protobuf form of OpenAPI documents, that of github.com/google/gnostic-models.

Messages are described by tables: JSON name → field number and how it is written. Fields are written in the
order of their numbers, zero values are left out, and keys that begin with `x-` become extensions. Values of
any type are YAML there; JSON is YAML too.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from kubewright.machinery.protobuf.varint import varint

__all__ = [
    "Fields",
    "any_value",
    "any_values",
    "double",
    "flag",
    "integer",
    "message",
    "messages",
    "named",
    "named_messages",
    "sized",
    "text",
    "texts",
    "write_message",
]

Write: TypeAlias = Callable[[Any], bytes]
"""The bytes of a message's fields, without tag and length."""

Fields: TypeAlias = Mapping[str, tuple[int, Callable[[int, Any], bytes]]]
"""JSON name → number, and what writes the field given number and value."""

_VARINT: Final = 0
_DOUBLE: Final = 1
_SIZED: Final = 2
"""The wire types of protobuf."""


def sized(number: int, data: bytes) -> bytes:
    """A field that is a run of bytes: texts and messages."""
    return varint(number << 3 | _SIZED) + varint(len(data)) + data


def text(number: int, value: str) -> bytes:
    """A text; an empty one is left out."""
    return sized(number, value.encode()) if value else b""


def texts(number: int, values: Iterable[str]) -> bytes:
    """A list of texts."""
    return b"".join(sized(number, value.encode()) for value in values)


def flag(number: int, value: bool) -> bytes:
    """True or, left out, false."""
    return varint(number << 3 | _VARINT) + b"\x01" if value else b""


def integer(number: int, value: float) -> bytes:
    """A whole number."""
    return varint(number << 3 | _VARINT) + varint(int(value)) if value else b""


def double(number: int, value: float) -> bytes:
    """A number with fraction."""
    return varint(number << 3 | _DOUBLE) + struct.pack("<d", value) if value else b""


def message(write: Write) -> Callable[[int, Any], bytes]:
    """A field that is a message, there even when it is empty."""
    return lambda number, value: sized(number, write(value))


def messages(write: Write) -> Callable[[int, Any], bytes]:
    """A list of messages."""
    return lambda number, values: b"".join(sized(number, write(value)) for value in values)


def named(number: int, name: str, value: bytes) -> bytes:
    """One of gnostic's pairs of a name and a message, of which its mappings are lists."""
    return sized(number, text(1, name) + sized(2, value))


def named_messages(write: Write, number: int = 1) -> Write:
    """A mapping, as the message whose only field is the list of its pairs."""
    return lambda value: b"".join(named(number, name, write(member)) for name, member in value.items())


def _any(value: object) -> bytes:
    return sized(2, msgspec.json.encode(value) + b"\n")


any_value = message(_any)
"""A value of any type."""

any_values = messages(_any)
"""A list of them."""


def write_message(fields: Fields, extension: int, value: Mapping[str, Any]) -> bytes:
    """The bytes of a message; `extension` is the number of the list that keys beginning with `x-` go to.

    Keys that the message does not have are left out.
    """
    parts = []
    for key, member in value.items():
        field = fields.get(key)
        if field is not None:
            parts.append((field[0], field[1](field[0], member)))
        elif key.startswith("x-"):
            parts.append((extension, named(extension, key, _any(member))))
    parts.sort(key=lambda part: part[0])
    return b"".join(part for _, part in parts)
