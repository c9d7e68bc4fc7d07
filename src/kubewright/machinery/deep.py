"""Objects that are nested deeper than a decoder goes, read nevertheless but for what is so deep in them.

API servers take ten thousand levels, and Python's decoders about one thousand, also where they only skip. One
such object, which anybody may write who may write objects of a kind without a schema, must not keep a program
from reading all others. So its deep fields are cut out before it is decoded, and put back as the bytes that
they are: whoever reads such a field gets a DecodeError, and whoever does not never learns of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from msgspec import Raw

from kubewright.machinery.kept import lazy_slots
from kubewright.machinery.resource import Resource
from kubewright.machinery.twins import unknown_fields
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Cut", "cut_fields", "cut_items", "cut_object", "cut_objects", "cut_request"]

K = TypeVar("K", bound=Resource | Unstructured)

_DEEP: Final = 100
"""Levels from which on a field is cut out: any number, since what can be decoded when it is read, is."""

_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]]', re.DOTALL)
"""Texts, so that brackets in them do not count, and brackets."""


class Cut:
    """A document without what is deep in its objects, and what that was."""

    def __init__(self) -> None:
        self.data = b""
        self._fields: Final[dict[bytes, bytes]] = {}
        # No text of a server can be mistaken for one of these.
        self._mark: Final = os.urandom(16).hex()

    def mark(self, field: bytes) -> bytes:
        """What stands in the place of a field."""
        made = f'"{self._mark}-{len(self._fields)}"'.encode()
        self._fields[made] = field
        return made

    def whole(self, data: bytes) -> bytes:
        """A part of the document with what was cut out of it."""
        for mark, field in self._fields.items():
            data = data.replace(mark, field)
        return data

    def restore(self, objects: Iterable[Resource | Unstructured]) -> None:
        """Give decoded objects back what was cut out of them, as bytes."""
        for obj in objects:
            if isinstance(obj, Unstructured):
                members = obj._members
                for name, value in members.items():
                    members[name] = self.restored(value)
                continue
            for slot in lazy_slots(type(obj)):
                if isinstance(value := slot.__get__(obj), Raw):
                    slot.__set__(obj, self.restored(value))
            unknown = unknown_fields(obj)
            for name, value in unknown.items():
                if isinstance(value, str) and (found := self._fields.get(f'"{value}"'.encode())):
                    unknown[name] = Raw(found)

    @property
    def has_fields(self) -> bool:
        """Whether fields were cut out, and not only managed fields left out."""
        return bool(self._fields)

    def restored(self, value: Any) -> Any:
        """What was cut out, for what stands in its place; else the same."""
        found = self._fields.get(bytes(value)) if isinstance(value, Raw) else None
        return value if found is None else Raw(found)


def cut_object(data: bytes) -> Cut:
    """The frame of a watch without what is deep in its object."""
    return _cut(data, [b'"object"'])


def cut_fields(data: bytes) -> Cut:
    """An object without what is deep in it."""
    return _cut(data, [])


def cut_request(data: bytes) -> Cut:
    """A review without what is deep in its request, which are objects as a whole."""
    return _cut(data, [b'"request"'])


def cut_objects(data: bytes) -> Cut:
    """A review without what is deep in the objects of its request."""
    return _cut(data, [b'"request"', b'"objects"', None])


def cut_items(data: bytes) -> Cut:
    """A list without what is deep in its items."""
    return _cut(data, [b'"items"', None])


def _cut(data: bytes, way: list[bytes | None]) -> Cut:
    """Cut fields out of the objects to which a way leads: keys of objects, and None for places in a list.

    What is deep in their metadata is left out, not marked: that can be managed fields alone, which nobody
    has to send back.
    """
    made = Cut()
    parts: list[bytes] = []
    last = 0
    keys: list[bytes | None] = []
    """The way to where the scan is: the key before each bracket that is open."""
    key: bytes | None = None
    began = deepest = 0
    inside = len(way) + 1
    for token in _TOKEN.finditer(data):
        text = token[0]
        if text[:1] == b'"':
            key = text
        elif text in b"{[":
            keys.append(key)
            key = None
            # A field begins in an object, or in its metadata.
            depth = len(keys) - inside
            if depth == 1 or (depth == 2 and _leads(keys, way, b'"metadata"')):
                began, deepest = token.start(), depth
            deepest = max(deepest, depth)
        elif not keys:
            break  # It is no JSON, which the decoder will tell.
        else:
            depth = len(keys) - inside
            in_metadata = depth == 2 and _leads(keys, way, b'"metadata"')
            is_field = depth == 1 and keys[inside] != b'"metadata"'
            if (in_metadata or is_field) and deepest - depth > _DEEP and _leads(keys, way):
                parts += [data[last:began], b"null" if in_metadata else made.mark(data[began : token.end()])]
                last = token.end()
            if in_metadata or is_field:
                deepest = 0
            keys.pop()
            key = None
    made.data = b"".join([*parts, data[last:]])
    return made


def _leads(keys: list[bytes | None], way: list[bytes | None], *more: bytes) -> bool:
    """Whether the brackets that are open are on a way."""
    return keys[1 : 1 + len(way) + len(more)] == [*way, *more]
