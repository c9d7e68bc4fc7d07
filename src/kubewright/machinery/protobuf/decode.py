"""Reads protobuf messages into plain JSON data, each byte once.

Each message has a dispatch table from tag (number and wire type) to what is to be done, made on first use.
"""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from math import isfinite
from typing import Any, Final, NoReturn, TypeAlias

import msgspec

from kubewright.machinery.depth import decode_json
from kubewright.machinery.protobuf.forms import FORM_DEFINITIONS, VALUE_FORMS
from kubewright.machinery.protobuf.messages import Field, Message, Messages
from kubewright.machinery.protobuf.varint import read_varint, signed_32, signed_64, skip_field
from kubewright.machinery.protobuf.wire import MAGIC, MAX_DEPTH, Malformed, quote

__all__ = ["read_envelope", "read_message"]

Plain: TypeAlias = dict[str, Any]

_Value: TypeAlias = Callable[[bytes, int, int, int], Any]
"""Reads the value that lies between two places of the data, at a depth."""

_Number: TypeAlias = Callable[[int], int]
"""The number that 64 bits stand for."""

_Entry: TypeAlias = tuple[Message, _Value]
"""The message of a map's entries, and what gives the value where it is missing."""

_Step: TypeAlias = tuple[Callable[..., Any], str, Any]
"""What reads a field into an object, the field's name in JSON, and what its reader needs to know."""

_HAS_LENGTH: Final = 2
"""The wire type of fields with a length in front."""

_double: Final = struct.Struct("<d").unpack_from


def read_message(data: bytes, pos: int, end: int, message: Message, into: Plain, depth: int) -> None:
    """Read the message between two places into an object, merging with what is there as protobuf does.

    Raises Malformed; `into` is then half filled. Takes time and memory in proportion to the bytes.
    """
    if depth > MAX_DEPTH:
        raise Malformed(f"messages nest deeper than {MAX_DEPTH} levels")
    steps: dict[int, _Step] = message.reader or _prepare(message)  # type: ignore[assignment]
    step: _Step | None = None
    try:
        while pos < end:
            step = None
            tag = data[pos]
            pos += 1
            if tag >= 0x80:
                tag, pos = read_varint(data, pos - 1)
            step = steps.get(tag)
            if step is None:
                pos = skip_field(data, pos, tag)
                continue
            read, name, argument = step
            if tag & 7 != _HAS_LENGTH:
                pos = read(data, pos, name, argument, into)
                continue
            size = data[pos]
            pos += 1
            if size >= 0x80:
                size, pos = read_varint(data, pos - 1)
            stop = pos + size
            if stop > end:
                _past_end(size, end - pos)
            read(data, pos, stop, name, argument, into, depth)
            pos = stop
    except (Malformed, UnicodeDecodeError, IndexError) as error:
        raise _located(error, step, into) from None
    if pos > end:
        raise Malformed("its last field is longer than the message")


def _past_end(size: int, left: int) -> NoReturn:
    raise Malformed(f"it says that it has {size} bytes, but {left} are left")


def _located(error: Exception, step: _Step | None, into: Plain) -> Malformed:
    """The error with the name of the field that was being read, if one was."""
    if isinstance(error, Malformed):
        located = error
    elif isinstance(error, UnicodeDecodeError):
        located = Malformed(f"the text {quote(error.object)} is no UTF-8")
    else:
        located = Malformed("the body ends in the middle of it")
    if step is not None:
        read, name, _ = step
        located.path.append(f"{name}[{len(into.get(name, ()))}]" if read in _LISTS else name)
    return located


# Readers of fields with a length in front: the value lies between pos and stop.


def _string(data: bytes, pos: int, stop: int, name: str, _: None, into: Plain, _depth: int) -> None:
    into[name] = data[pos:stop].decode()


def _non_empty_string(data: bytes, pos: int, stop: int, name: str, _: None, into: Plain, _depth: int) -> None:
    if pos < stop:
        into[name] = data[pos:stop].decode()
    else:
        into.pop(name, None)


def _strings(data: bytes, pos: int, stop: int, name: str, _: None, into: Plain, _depth: int) -> None:
    text = data[pos:stop].decode()
    into.setdefault(name, []).append(text)


def _message(data: bytes, pos: int, stop: int, name: str, message: Message, into: Plain, depth: int) -> None:
    child = into.get(name)
    if child is None:
        child = into[name] = {}
    read_message(data, pos, stop, message, child, depth + 1)


def _messages(data: bytes, pos: int, stop: int, name: str, message: Message, into: Plain, depth: int) -> None:
    child: Plain = {}
    read_message(data, pos, stop, message, child, depth + 1)
    into.setdefault(name, []).append(child)


def _inline(data: bytes, pos: int, stop: int, _: str, message: Message, into: Plain, depth: int) -> None:
    read_message(data, pos, stop, message, into, depth + 1)


def _value(data: bytes, pos: int, stop: int, name: str, value: _Value, into: Plain, depth: int) -> None:
    into[name] = value(data, pos, stop, depth)


def _non_zero_value(
    data: bytes, pos: int, stop: int, name: str, value: _Value, into: Plain, depth: int
) -> None:
    found = value(data, pos, stop, depth)
    if found:
        into[name] = found
    else:
        into.pop(name, None)


def _values(data: bytes, pos: int, stop: int, name: str, value: _Value, into: Plain, depth: int) -> None:
    found = value(data, pos, stop, depth)
    into.setdefault(name, []).append(found)


def _entry(data: bytes, pos: int, stop: int, name: str, entry: _Entry, into: Plain, depth: int) -> None:
    """One entry of a map: key and value, either of which may be missing, which means zero."""
    message, zero = entry
    made: Plain = {}
    read_message(data, pos, stop, message, made, depth + 1)
    value = made["value"] if "value" in made else zero(b"", 0, 0, depth)
    into.setdefault(name, {})[made.get("key", "")] = value


def _packed(data: bytes, pos: int, stop: int, name: str, convert: _Number, into: Plain, _depth: int) -> None:
    """Numbers behind one length, which upstream never writes but reads."""
    while pos < stop:
        pos = _numbers(data, pos, name, convert, into)
    if pos > stop:
        raise Malformed("its last number is longer than the list")


# Readers of fields without a length; they return the place after the value.


def _number(data: bytes, pos: int, name: str, convert: _Number, into: Plain) -> int:
    found, pos = read_varint(data, pos)
    into[name] = convert(found)
    return pos


def _non_zero_number(data: bytes, pos: int, name: str, convert: _Number, into: Plain) -> int:
    found, pos = read_varint(data, pos)
    number = convert(found)
    if number:
        into[name] = number
    else:
        into.pop(name, None)
    return pos


def _numbers(data: bytes, pos: int, name: str, convert: _Number | None, into: Plain) -> int:
    number: float
    if convert is None:
        number, pos = _read_double(data, pos)
    else:
        found, pos = read_varint(data, pos)
        number = convert(found)
    into.setdefault(name, []).append(number)
    return pos


def _float(data: bytes, pos: int, name: str, _: None, into: Plain) -> int:
    into[name], pos = _read_double(data, pos)
    return pos


def _read_double(data: bytes, pos: int) -> tuple[int | float, int]:
    """A float64; whole ones are ints, because upstream writes 1.0 as 1 in JSON."""
    if pos + 8 > len(data):
        raise IndexError
    (number,) = _double(data, pos)
    if not isfinite(number):
        raise Malformed(f"{number} is a number that JSON does not have")
    whole = abs(number) < 2**63 and number == int(number) and str(number) != "-0.0"
    return int(number) if whole else number, pos + 8


def read_envelope(data: bytes, pos: int, end: int, messages: Messages, depth: int) -> Plain:
    """The object in an envelope between two places, magic and all, with its apiVersion and kind.

    Raises Malformed, also when the kind is none of the messages.
    """
    if data[pos : min(pos + len(MAGIC), end)] != MAGIC:
        raise Malformed(
            f"it starts with {quote(data[pos : min(pos + 4, end)])}, not with the four bytes {MAGIC!r} of "
            "the Kubernetes protobuf encoding"
        )
    envelope: Plain = {}
    read_message(data, pos + len(MAGIC), end, _UNKNOWN, envelope, depth)
    type_meta = envelope.get("typeMeta", {})
    api_version, kind = type_meta.get("apiVersion", ""), type_meta.get("kind", "")
    if not api_version or not kind:
        raise Malformed(
            f"the envelope says apiVersion {quote(api_version)} and kind {quote(kind)}; it needs both"
        )
    if envelope.get("contentEncoding"):
        raise Malformed(f"the contentEncoding {quote(envelope['contentEncoding'])} is not known; send none")
    message = messages.of_kind(api_version, kind)
    if message is None:
        raise Malformed(f"{quote(kind)} of {quote(api_version)} has no protobuf form here; send it as JSON")
    start, stop = envelope.get("raw", (0, 0))
    made: Plain = {"kind": kind, "apiVersion": api_version}
    read_message(data, start, stop, message, made, depth + 1)
    return made


def _prepare(message: Message) -> dict[int, _Step]:
    steps: dict[int, _Step] = {}
    for field in message.fields:
        read, argument = _step(message.messages, field)
        wire_type = 1 if field.type == "double" else 0 if field.type in _NUMERIC else _HAS_LENGTH
        if field.shape == "map":
            wire_type = _HAS_LENGTH
        for other in range(8):
            problem = f"field {field.number} has the wire type {other}, but a {field.type} has {wire_type}"
            steps[field.number << 3 | other] = (partial(_wrong_wire_type, problem), field.name, None)
        steps[field.number << 3 | wire_type] = (read, field.name, argument)
        if read is _numbers:
            steps[field.number << 3 | _HAS_LENGTH] = (_packed, field.name, argument)
    message.reader = steps
    return steps


def _wrong_wire_type(problem: str, *_: object) -> NoReturn:
    raise Malformed(problem)


def _step(messages: Messages, field: Field) -> tuple[Callable[..., Any], Any]:
    """What reads a field, and what that needs to know."""
    name, several, omitempty = field.type, field.shape == "list", field.omitempty
    if field.shape == "map":
        entry = Message(f"{field.name} entry", f"1 key string\n2 value {name}", messages)
        return _entry, (entry, _zero(messages, name))
    if name == "string":
        return (_strings if several else _non_empty_string if omitempty else _string), None
    if name == "double":
        return (_numbers if several else _float), None
    if name in _NUMERIC:
        return (_numbers if several else _non_zero_number if omitempty else _number), _NUMERIC[name]
    value = _reader(messages, name)
    if value is not None:
        return (_values if several else _non_zero_value if omitempty else _value), value
    return (_inline if field.inline else _messages if several else _message), messages[name]


def _reader(messages: Messages, name: str) -> _Value | None:
    """What reads a value that is neither text nor number nor an object of its fields."""
    if name == "bytes":
        return lambda data, pos, stop, depth: b64encode(data[pos:stop]).decode()
    if name == "span":
        return _span
    if name == "RawExtension":
        return partial(_read_raw_extension, messages)
    if name == "JSON":
        return _read_raw_json
    if name in VALUE_FORMS:
        form = VALUE_FORMS[name]
        return partial(_read_form, _FORM_MESSAGES[form.message], form.to_json)
    message = messages[name]
    return partial(_read_union, message) if message.union else None


def _zero(messages: Messages, name: str) -> _Value:
    """What reads the missing value of a map's entry from nothing."""
    if name in _NUMERIC:
        return lambda data, pos, stop, depth: _NUMERIC[name](0)
    if name in {"string", "double"}:
        return lambda data, pos, stop, depth: "" if name == "string" else 0
    return _reader(messages, name) or partial(_read_object, messages[name])


_NUMERIC: Final[dict[str, _Number]] = {
    "bool": bool,
    "int32": signed_32,
    "int64": signed_64,
    "uint32": 0xFFFFFFFF.__and__,
    "uint64": int,
}

_LISTS: Final = frozenset({_strings, _messages, _values, _packed, _numbers})


def _read_object(message: Message, data: bytes, pos: int, stop: int, depth: int) -> Plain:
    made: Plain = {}
    read_message(data, pos, stop, message, made, depth + 1)
    return made


def _read_union(message: Message, data: bytes, pos: int, stop: int, depth: int) -> object:
    """The member that counts, in upstream's order: a list with something in it, an object, a bool, null."""
    members = _read_object(message, data, pos, stop, depth)
    for kind in (list, dict):
        for member in members.values():
            if isinstance(member, kind) and (member or kind is dict):
                return member
    for field in message.fields:
        if field.type == "bool":
            return members.get(field.name, False)
    # What can only be a list is a list in Go, too, and an empty one when it is on the wire.
    return [] if all(field.shape == "list" for field in message.fields) else None


def _read_raw_extension(messages: Messages, data: bytes, pos: int, stop: int, depth: int) -> object:
    """JSON, or an envelope, as the objects of watch events are."""
    start, end = _raw(data, pos, stop, depth)
    if data.startswith(MAGIC, start, end):
        return read_envelope(data, start, end, messages, depth + 1)
    return _json(data[start:end])


def _read_raw_json(data: bytes, pos: int, stop: int, depth: int) -> object:
    start, end = _raw(data, pos, stop, depth)
    return _json(data[start:end])


def _raw(data: bytes, pos: int, stop: int, depth: int) -> tuple[int, int]:
    """Where the bytes of a message lie that has nothing else."""
    fields: Plain = {}
    read_message(data, pos, stop, _RAW, fields, depth + 1)
    found: tuple[int, int] = fields.get("raw", (0, 0))
    return found


def _json(raw: bytes) -> object:
    try:
        return decode_json(raw) if raw else None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(f"{quote(raw)} is no JSON: {error}") from None
    except RecursionError:
        raise Malformed(f"the JSON {quote(raw)} nests too deep") from None


def _read_form(
    message: Message,
    to_json: Callable[[Plain], object],
    data: bytes,
    pos: int,
    stop: int,
    depth: int,
) -> object:
    return to_json(_read_object(message, data, pos, stop, depth))


def _span(_data: bytes, pos: int, stop: int, _depth: int) -> tuple[int, int]:
    """Where bytes lie; they stay there, for copies of copies of nested ones would add up."""
    return pos, stop


_FORM_MESSAGES: Final = Messages(FORM_DEFINITIONS, {})

_WRAPPERS: Final = Messages(
    {
        "TypeMeta": "1 apiVersion string\n2 kind string",
        "Unknown": "1 typeMeta TypeMeta\n2 raw span\n3 contentEncoding string\n4 contentType string",
        "Raw": "1 raw span",
    },
    {},
)
"""runtime.Unknown, as which every body comes, and what RawExtension, JSON and FieldsV1 alike are."""

_UNKNOWN: Final = _WRAPPERS["Unknown"]
_RAW: Final = _WRAPPERS["Raw"]
