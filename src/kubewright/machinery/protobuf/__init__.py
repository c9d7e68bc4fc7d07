"""The Kubernetes protobuf encoding, application/vnd.kubernetes.protobuf, read and written as plain JSON data.

Go clients send built-in kinds in it. A body is four bytes of magic and a `runtime.Unknown`, the envelope,
which holds apiVersion, kind and the bytes of the object's message. Which fields messages have is told by
tables, a `Messages`; `kubewright.models.protobuf_tables.builtin_messages` makes that of the built-in kinds.

What comes out is what upstream's JSON of the same object has, save for what is not on the wire:

- Upstream's encoders always write fields that are no pointers, zero or not. Where upstream's JSON leaves a
  zero out (`omitempty`), so does this; everything else that is on the wire is kept, so `replicas: 0`, a
  pointer, is there, and so is `restartCount: 0`, which has no omitempty.
- A list, map or bytes without omitempty that is nil in Go is null in upstream's JSON, but not on the wire, so
  it is absent here. Empty lists and maps are not on the wire either.
- Text must be UTF-8, times must lie in the years 1 to 9999, messages nest MAX_DEPTH levels at most, and a
  contentEncoding is refused; upstream does not look.

Unknown fields are passed over. Memory and time are in proportion to the body.
"""

from __future__ import annotations

from typing import Any

from kubewright.machinery.errors import DecodeError, EncodeError
from kubewright.machinery.protobuf.decode import read_envelope, read_message
from kubewright.machinery.protobuf.encode import write_envelope, write_message
from kubewright.machinery.protobuf.messages import Field, Message, Messages
from kubewright.machinery.protobuf.wire import MAGIC, MAX_DEPTH, Malformed

__all__ = [
    "CONTENT_TYPE",
    "MAGIC",
    "MAX_DEPTH",
    "Field",
    "Message",
    "Messages",
    "decode",
    "decode_message",
    "encode",
    "encode_message",
]

CONTENT_TYPE = "application/vnd.kubernetes.protobuf"
"""The media type of bodies in this encoding."""


def decode(data: bytes, messages: Messages) -> tuple[str, str, dict[str, Any]]:
    """apiVersion, kind and object of a body; the object has its apiVersion and kind, too, as in JSON.

    Raises DecodeError, one sentence that names the field, for all but a well-formed body of a known kind.
    """
    try:
        made = read_envelope(data, 0, len(data), messages, 0)
    except Malformed as error:
        raise DecodeError(f"the protobuf body is wrong at {error}") from None
    except RecursionError:
        raise DecodeError("the protobuf body nests deeper than the stack of this process allows") from None
    return made["apiVersion"], made["kind"], made


def encode(plain: dict[str, Any], messages: Messages) -> bytes:
    """The body of an object, which says its apiVersion and kind.

    Fields that are null, or that the kind does not have, are left out, as upstream leaves them out. Raises
    EncodeError, one sentence that names the field, for kinds without a message and for values of wrong types.
    """
    try:
        return write_envelope(plain, messages)
    except Malformed as error:
        raise EncodeError(f"the object has no protobuf form at {error}") from None
    except RecursionError:
        raise EncodeError("the object nests deeper than the stack of this process allows") from None


def decode_message(data: bytes, name: str, messages: Messages) -> dict[str, Any]:
    """The object of a bare message such as "core.v1.PodSpec", without an envelope.

    Raises DecodeError when the bytes are wrong, and ParseError when there is no such message.
    """
    message = messages[name]
    made: dict[str, Any] = {}
    try:
        read_message(data, 0, len(data), message, made, 0)
    except Malformed as error:
        raise DecodeError(f"the protobuf message {name} is wrong at {error}") from None
    except RecursionError:
        raise DecodeError(f"the protobuf message {name} nests deeper than the stack allows") from None
    return made


def encode_message(plain: dict[str, Any], name: str, messages: Messages) -> bytes:
    """The bytes of a bare message such as "core.v1.PodSpec", without an envelope.

    Raises EncodeError when a value is wrong, and ParseError when there is no such message.
    """
    message = messages[name]
    try:
        return write_message(plain, message, 0)
    except Malformed as error:
        raise EncodeError(f"the object has no protobuf form as {name} at {error}") from None
    except RecursionError:
        raise EncodeError(f"the object nests deeper than the stack allows, as {name}") from None
