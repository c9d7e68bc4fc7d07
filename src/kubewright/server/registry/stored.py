"""The bytes in which objects are kept: JSON, written so that answers can be copied together from it.

`metadata` comes first, so that readers of metadata are done early. The revision of a write is known only to
the store, so an object is handed to it in two halves around the digits.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

import msgspec

from kubewright.machinery.type_meta import read_gvk
from kubewright.server.kinds.kind import Object
from kubewright.server.storage import Value

__all__ = ["StoredMeta", "decode_stored", "encode_stored", "read_meta", "read_stored_version", "split"]

# Nobody can write it into an object on purpose, and by chance it does not occur.
_PLACE: Final = secrets.token_hex(16)
_PLACE_BYTES: Final = _PLACE.encode()

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


class StoredMeta(msgspec.Struct, gc=False, rename="camel"):
    """What selectors and the registry read of an object's metadata without decoding the rest."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    deletion_timestamp: str = ""
    labels: dict[str, str] | None = None


class _OnlyMeta(msgspec.Struct, gc=False):
    metadata: StoredMeta


_decode_meta: Final = msgspec.json.Decoder(_OnlyMeta).decode


_METADATA: Final = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)
"""The members of metadata in the order in which Go writes them."""


def _ordered(metadata: Object) -> Object:
    return {name: metadata[name] for name in _METADATA if name in metadata}


def encode_stored(obj: Object, *, with_type: bool) -> bytes:
    """An object as bytes, metadata first; apiVersion and kind only when asked for."""
    rest = {name: value for name, value in obj.items() if name not in {"apiVersion", "kind", "metadata"}}
    if with_type:
        return _encode(
            {
                "apiVersion": obj["apiVersion"],
                "kind": obj["kind"],
                "metadata": _ordered(obj["metadata"]),
                **rest,
            }
        )
    return _encode({"metadata": _ordered(obj["metadata"]), **rest})


def split(obj: Object, *, with_type: bool) -> Value:
    """An object as the store takes it: the halves before and after the revision."""
    marked = {**obj, "metadata": {**obj["metadata"], "resourceVersion": _PLACE}}
    before, _, after = encode_stored(marked, with_type=with_type).partition(_PLACE_BYTES)
    return Value(before, after)


def decode_stored(value: bytes) -> Object:
    """What was encoded."""
    return _decode(value)


def read_meta(value: bytes) -> StoredMeta:
    """The metadata of a stored object, without decoding the rest."""
    return _decode_meta(value).metadata


def read_stored_version(value: bytes) -> str:
    """The apiVersion in which an object was stored with its type."""
    return read_gvk(value).api_version
