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
from math import isfinite
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Raw

from kubewright.machinery import settle, tolerant, twins
from kubewright.machinery.depth import JsonDecoder, decode_json, make_decoder
from kubewright.machinery.errors import DecodeError, EncodeError, NestedTooDeeply
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.shapes import slots_of
from kubewright.machinery.time import Duration, MicroTime
from kubewright.machinery.type_lock import TYPE_LOCK
from kubewright.machinery.wire_values import NeedsSettling, ReadDefault, plain_hook

__all__ = ["as_bytes", "decode", "decode_plain", "decoder_of", "encode", "to_plain"]

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


@lru_cache(None)
def decoder_of(wanted: Any) -> JsonDecoder[Any]:
    """The strict decoder of a type, made once. Raises TypeError for a type that cannot be decoded."""
    try:
        with TYPE_LOCK:
            return make_decoder(wanted, dec_hook=_dec_hook)
    except NameError as error:
        name = getattr(wanted, "__qualname__", wanted)
        raise TypeError(
            f"{name} has a field of an unknown type: {error}; define types at the top of a module"
        ) from None


def decode(data: bytes | bytearray | memoryview | Raw, wanted: type[T], *, place: str = "") -> T:
    """Decode JSON into a type; unknown fields are kept, null counts as absent.

    `place` says where `data` stands in the whole, for the error message. Raises DecodeError.
    """
    annotation: Any = wanted
    strict: JsonDecoder[T] = decoder_of(annotation)
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


def as_bytes(data: bytes | str) -> bytes:
    """What is to be decoded, as bytes that nobody can change. Raises DecodeError for a lone surrogate."""
    try:
        return data.encode() if isinstance(data, str) else bytes(data)
    except UnicodeEncodeError:
        raise DecodeError("the text holds a lone surrogate, which is not a character") from None


def encode(value: object) -> bytes:
    """The JSON of a typed object or of plain data; what was set and unknown fields, and nothing else.

    Raises EncodeError.
    """
    try:
        encoded = settle.encode(value)
        if b"null" in encoded and _is_not_finite(value):
            raise EncodeError("a number that is not finite has no JSON form")
    except (TypeError, UnicodeEncodeError, RecursionError) as error:
        raise _unencodable(error) from None
    return encoded


def to_plain(value: object) -> Any:
    """The plain data (dict, list, str, int, float, bool, None) of a typed object. Raises EncodeError."""
    try:
        try:
            return msgspec.to_builtins(value, enc_hook=plain_hook)
        except NeedsSettling:
            return msgspec.to_builtins(settle.settled(value), enc_hook=plain_hook)
    except (TypeError, UnicodeEncodeError, RecursionError) as error:
        raise _unencodable(error) from None


def _unencodable(error: Exception) -> EncodeError:
    if isinstance(error, RecursionError):
        return EncodeError("the object is nested too deeply, or refers to itself")
    if isinstance(error, UnicodeEncodeError):
        return EncodeError(f"the text {error.object!r:.60} holds a lone surrogate, which is not a character")
    return EncodeError(str(error))


def _is_not_finite(root: object) -> bool:
    """Whether there is a NaN or an infinity somewhere, which the encoder would write as null."""
    stack = [root]
    while stack:
        value = stack.pop()
        if isinstance(value, float):
            if not isfinite(value):
                return True
        elif isinstance(value, msgspec.Struct):
            stack.extend(slot.__get__(value) for slot in slots_of(type(value)).values())
        elif isinstance(value, dict):
            stack.extend(value.values())
        elif isinstance(value, list | tuple):
            stack.extend(value)
        elif isinstance(value, twins.Unknown):
            stack.append(value.fields)
        elif isinstance(value, ReadDefault):
            stack.append(value.value)
    return False


def decode_plain(data: bytes | bytearray | memoryview | Raw, *, what: str = "JSON") -> Any:
    """Decode JSON into plain data. Raises DecodeError."""
    try:
        return decode_json(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DecodeError(f"{what} does not decode: {_sentence(error)}") from None


_PLACE: Final = re.compile(r"^(?P<what>.*?) - at `(?:key in )?\$(?P<path>.*)`$", re.DOTALL)


def explained(error: Exception, wanted: object, place: str) -> DecodeError:
    """The DecodeError that says in one sentence what is wrong and where."""
    name = wanted.__name__ if isinstance(wanted, type) else str(wanted)
    found = _PLACE.match(str(error))
    if found is None:
        where = place or name
        kind = NestedTooDeeply if isinstance(error, RecursionError) else DecodeError
        return kind(f"{where}: {_sentence(error)}")
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
    message = re.sub(r"^Invalid enum value (.*)$", r"\1 is none of the values that may stand here", message)
    return message[:1].lower() + message[1:] if not message.startswith("JSON") else message
