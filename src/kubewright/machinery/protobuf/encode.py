"""Writes plain JSON data as protobuf messages, fields in the order of their numbers as upstream does."""

from __future__ import annotations

import struct
from base64 import b64decode
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec

from kubewright.machinery.protobuf.forms import FORM_DEFINITIONS, VALUE_FORMS, ValueForm
from kubewright.machinery.protobuf.messages import Message, Messages
from kubewright.machinery.protobuf.varint import varint
from kubewright.machinery.protobuf.wire import MAGIC, MAX_DEPTH, Malformed, quote

__all__ = ["write_envelope", "write_message"]

_Value: TypeAlias = Callable[[Any, int], bytes]
"""The bytes of one value at a depth, its length in front where its type has one."""

_Step: TypeAlias = tuple[str, str, bytes, bytes, _Value]
"""Name in JSON, shape (or "inline"), tag, tag of the value in a map's entry, and what writes a value."""

_EMPTY: Final = b"\0"
"""Zero, false, or the length of nothing: what null is in a list or a map, which must keep its place."""

_KEY: Final = b"\x0a"
"""The tag of the key in a map's entry."""

_LENGTH: Final = 2
_WIRE_TYPES: Final = {"double": 1, "bool": 0, "int32": 0, "int64": 0, "uint32": 0, "uint64": 0}
"""By type; all others have a length in front."""

_RANGES: Final = {
    "int32": range(-(2**31), 2**31),
    "int64": range(-(2**63), 2**63),
    "uint32": range(2**32),
    "uint64": range(2**64),
}

_double: Final = struct.Struct("<d").pack


def write_envelope(plain: object, messages: Messages) -> bytes:
    """An object with its apiVersion and kind as a body: the magic, then runtime.Unknown around the object.

    Raises Malformed, also when the kind is none of the messages.
    """
    if not isinstance(plain, dict):
        raise Malformed(f"{quote(plain)} is no object with an apiVersion and a kind")
    api_version, kind = plain.get("apiVersion"), plain.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        raise Malformed(
            f"the apiVersion is {quote(api_version)} and the kind {quote(kind)}; both must be texts"
        )
    message = messages.of_kind(api_version, kind)
    if message is None:
        raise Malformed(f"{quote(kind)} of {quote(api_version)} has no protobuf form here; send it as JSON")
    type_meta = b"\x0a" + _string(api_version, 0) + b"\x12" + _string(kind, 0)
    raw = write_message(plain, message, 0)
    # The last two fields are contentEncoding and contentType, which upstream writes empty.
    return MAGIC + b"\x0a" + _sized(type_meta) + b"\x12" + _sized(raw) + b"\x1a\0\x22\0"


def write_message(plain: object, message: Message, depth: int) -> bytes:
    """The bytes of an object; fields that are null, or that the message does not know, are left out.

    Raises Malformed for values that are not of the type of their field.
    """
    if depth > MAX_DEPTH:
        raise Malformed(f"objects nest deeper than {MAX_DEPTH} levels")
    if not isinstance(plain, dict):
        raise Malformed(f"{quote(plain)} is not the object that {message.name} is")
    steps: list[_Step] = message.writer or _prepare(message)  # type: ignore[assignment]
    made = bytearray()
    for name, shape, tag, value_tag, write in steps:
        if shape == "inline":
            inlined = write(plain, depth)
            if inlined != _EMPTY:
                made += tag + inlined
            continue
        value = plain.get(name)
        if value is None:
            continue
        try:
            if shape == "one":
                made += tag
                made += write(value, depth)
            elif shape == "list":
                _write_list(made, value, tag, write, depth)
            else:
                _write_map(made, value, tag, value_tag, write, depth)
        except Malformed as error:
            error.path.append(name)
            raise
    return bytes(made)


def _write_list(made: bytearray, value: object, tag: bytes, write: _Value, depth: int) -> None:
    if not isinstance(value, list):
        raise Malformed(f"{quote(value)} is no list")
    for index, item in enumerate(value):
        try:
            made += tag
            made += _EMPTY if item is None else write(item, depth)
        except Malformed as error:
            error.path.append(f"[{index}]")
            raise


def _write_map(
    made: bytearray, value: object, tag: bytes, value_tag: bytes, write: _Value, depth: int
) -> None:
    """A map is a list of entries, each the message {1: key, 2: value}; upstream sorts them."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise Malformed(f"{quote(value)} is no object whose keys are texts")
    for key, item in sorted(value.items()):
        try:
            written = _EMPTY if item is None else write(item, depth)
            made += tag
            made += _sized(_KEY + _string(key, depth) + value_tag + written)
        except Malformed as error:
            error.path.append(f"[{quote(key)}]")
            raise


def _prepare(message: Message) -> list[_Step]:
    steps: list[_Step] = []
    for field in message.fields:
        wire_type = _WIRE_TYPES.get(field.type, _LENGTH)
        tag = varint(field.number << 3 | (_LENGTH if field.shape == "map" else wire_type))
        shape = "inline" if field.inline else field.shape
        steps.append(
            (field.name, shape, tag, varint(2 << 3 | wire_type), _writer(message.messages, field.type))
        )
    message.writer = steps
    return steps


def _writer(messages: Messages, name: str) -> _Value:
    """What writes a value of a type."""
    if name in _SCALARS:
        return _SCALARS[name]
    if name in _RANGES:
        return partial(_integer, name, _RANGES[name])
    if name in {"JSON", "RawExtension"}:
        return _json
    if name in VALUE_FORMS:
        form = VALUE_FORMS[name]
        return partial(_form, _FORM_MESSAGES[form.message], form)
    message = messages[name]
    return partial(_union if message.union else _object, message)


def _sized(raw: bytes) -> bytes:
    return varint(len(raw)) + raw


def _string(value: object, _depth: int) -> bytes:
    if not isinstance(value, str):
        raise Malformed(f"{quote(value)} is no text")
    try:
        raw = value.encode()
    except UnicodeEncodeError:
        raise Malformed(f"{quote(value)} has no UTF-8 form") from None
    return varint(len(raw)) + raw


def _bytes(value: object, _depth: int) -> bytes:
    try:
        if isinstance(value, str):
            return _sized(b64decode(value, validate=True))
    except ValueError:
        pass
    raise Malformed(f"{quote(value)} is no base64")


def _bool(value: object, _depth: int) -> bytes:
    if not isinstance(value, bool):
        raise Malformed(f"{quote(value)} is neither true nor false")
    return b"\1" if value else b"\0"


def _float(value: object, _depth: int) -> bytes:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise Malformed(f"{quote(value)} is no number")
    try:
        return _double(float(value))
    except OverflowError:
        raise Malformed(f"{quote(value)} is past what a float64 can hold") from None


def _integer(name: str, possible: range, value: object, _depth: int) -> bytes:
    if not isinstance(value, int) or isinstance(value, bool) or value not in possible:
        raise Malformed(f"{quote(value)} is no {name}")
    return varint(value)


def _object(message: Message, value: object, depth: int) -> bytes:
    raw = write_message(value, message, depth + 1)
    return varint(len(raw)) + raw


def _json(value: object, _depth: int) -> bytes:
    """The one field of RawExtension, JSON and FieldsV1. Bytes, such as an envelope, are taken as they are."""
    if isinstance(value, bytes):
        return _sized(b"\x0a" + _sized(value))
    try:
        return _sized(b"\x0a" + _sized(msgspec.json.encode(value)))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Malformed(f"{quote(value)} has no JSON form: {error}") from None


def _form(message: Message, form: ValueForm, value: object, depth: int) -> bytes:
    return _object(message, form.from_json(value), depth)


def _union(message: Message, value: object, depth: int) -> bytes:
    """The members that a list, an object or a bool stands for; upstream sets the bool beside an object."""
    members: dict[str, object] = {}
    for field in message.fields:
        if field.shape == "list" and isinstance(value, list):
            members[field.name] = value
        elif field.type == "bool" and isinstance(value, bool | dict):
            members[field.name] = value is not False
        elif field.shape == "one" and field.type != "bool" and isinstance(value, dict):
            members[field.name] = value
    if not members:
        raise Malformed(f"{quote(value)} is none of what {message.name} may be")
    return _object(message, members, depth)


_SCALARS: Final[dict[str, _Value]] = {"string": _string, "bytes": _bytes, "bool": _bool, "double": _float}

_FORM_MESSAGES: Final = Messages(FORM_DEFINITIONS, {})
