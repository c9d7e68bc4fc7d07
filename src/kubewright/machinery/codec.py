"""JSON in and out of typed objects.

Decoding is strict first: msgspec refuses fields that the type lacks, and nulls where the type has none. That
pass runs in C and is all that data from a server of the model's own version needs. What it refuses goes
through `tolerant`, which keeps unknown fields, treats null as absent the way the API does, and fails only on
what is really wrong, naming the place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

from kubewright.machinery import tolerant
from kubewright.machinery.errors import DecodeError
from kubewright.machinery.omit import may_hold_empties, without_empties
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.time import Duration, MicroTime, format_micro_time

__all__ = ["decode", "decode_plain", "decoder_of", "encode", "to_plain"]

T = TypeVar("T")

# The caches below make equal texts share one immutable value. A cluster's pods use few distinct quantities
# and durations ("100m", "128Mi", "30s"), and one miss costs no more than having no cache.
_VALUES_CACHED: Final = 4096

_PARSERS: Final[dict[type, Callable[[str], object]]] = {
    Quantity: lru_cache(_VALUES_CACHED)(Quantity),
    Duration: lru_cache(_VALUES_CACHED)(Duration.parse),
    MicroTime: MicroTime.parse,
}


def _dec_hook(wanted: type, value: object) -> object:
    # Called for each quantity of each pod, so the commonest case comes first and does the least.
    if type(value) is str:
        parse = _PARSERS.get(wanted)
        if parse is not None:
            return parse(value)
    elif wanted is Quantity and isinstance(value, int | float):
        return Quantity(value)
    from_plain = getattr(wanted, "from_plain", None)
    if from_plain is not None:
        return from_plain(value)
    raise TypeError(f"expected {wanted.__name__}, got {type(value).__name__}")


class _UnknownFieldsFound(Exception):
    """Stops the fast encoder: an object carries fields that its type lacks."""


def _enc_hook(value: object) -> object:
    if isinstance(value, Quantity):
        return value.text
    if isinstance(value, MicroTime):
        return format_micro_time(value)
    if isinstance(value, Duration):
        return str(value)
    if isinstance(value, tolerant.Unknown):
        raise _UnknownFieldsFound
    to_wire = getattr(value, "to_wire", None)
    if to_wire is not None:
        return to_wire()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _plain_hook(value: object) -> object:
    if isinstance(value, msgspec.Raw):
        return msgspec.json.decode(value)
    if isinstance(value, tolerant.Unknown):
        return value.fields
    wire = _enc_hook(value)
    return msgspec.json.decode(wire) if isinstance(wire, msgspec.Raw) else wire


_encoder: Final = msgspec.json.Encoder(enc_hook=_enc_hook)
_plain_decoder: Final = msgspec.json.Decoder()


@lru_cache(None)
def decoder_of(wanted: Any) -> msgspec.json.Decoder[Any]:
    """The strict decoder of a type, made once."""
    return msgspec.json.Decoder(wanted, dec_hook=_dec_hook)


def decode(data: bytes | bytearray | memoryview | msgspec.Raw, wanted: type[T], *, place: str = "") -> T:
    """Decode JSON into a type; unknown fields are kept, null counts as absent.

    `place` says where `data` stands in the whole, for the error message. Raises DecodeError.
    """
    annotation: Any = wanted
    strict: msgspec.json.Decoder[T] = decoder_of(annotation)
    try:
        return strict.decode(data)
    except msgspec.ValidationError:
        pass
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise explained(error, wanted, place) from None
    try:
        return tolerant.decode(data, wanted, strict)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise explained(error, wanted, place) from None


def encode(value: object) -> bytes:
    """The JSON of a typed object or of plain data; unknown fields included, optional empties left out."""
    try:
        encoded = _encoder.encode(value)
    except _UnknownFieldsFound:
        return _encoder.encode(to_plain(value))
    if not may_hold_empties(encoded):
        return encoded
    with without_empties(value) as any_hidden:
        return _encoder.encode(value) if any_hidden else encoded


def to_plain(value: object) -> Any:
    """The plain data (dict, list, str, int, float, bool, None) that a typed object stands for."""
    with without_empties(value):
        plain = msgspec.to_builtins(value, enc_hook=_plain_hook)
    return tolerant.merge_unknown(plain)


def decode_plain(data: bytes | bytearray | memoryview | msgspec.Raw, *, what: str = "JSON") -> Any:
    """Decode JSON into plain data. Raises DecodeError."""
    try:
        return _plain_decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DecodeError(f"{what} does not decode: {_sentence(error)}") from None


_PLACE: Final = re.compile(r"^(?P<what>.*?) - at `(?:key in )?\$(?P<path>.*)`$", re.DOTALL)


def explained(error: Exception, wanted: object, place: str) -> DecodeError:
    """The DecodeError that says in one sentence what is wrong and where."""
    name = wanted.__name__ if isinstance(wanted, type) else str(wanted)
    found = _PLACE.match(str(error))
    if found is None:
        where = place or name
        return DecodeError(f"{where}: {_sentence(error)}")
    path = found["path"].removeprefix(".")
    where = f"{place}.{path}" if place and not path.startswith("[") else f"{place or name}{path}"
    if not place:
        where = f"{name} {path}" if path else name
    return DecodeError(f"{where}: {_readable(found['what'])}")


def _sentence(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "the JSON is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "the JSON is not valid UTF-8"
    return _readable(str(error))


def _readable(message: str) -> str:
    """msgspec's message in Python's and Kubernetes' words."""
    message = message.replace("`", "")
    message = re.sub(r"^Expected (.*), got null$", r"expected \1, got null", message)
    return message[:1].lower() + message[1:] if not message.startswith("JSON") else message
