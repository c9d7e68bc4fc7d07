"""Objects that are kept for many readers: bytes of their own, and a private object for each reader.

A kept object is as it was decoded: its metadata is read, and all else is bytes. Who keeps it hands out
`private` objects, which are new structs over the same bytes: each reader may change what it got, and nobody
sees it. That costs a third of a microsecond, where a copy costs seventeen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Raw

from kubewright.machinery import codec
from kubewright.machinery.errors import DecodeError
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.resource import Resource
from kubewright.machinery.shapes import slots_of
from kubewright.machinery.twins import known_type
from kubewright.machinery.unstructured import Unstructured

__all__ = [
    "SharedValues",
    "decode_labels",
    "keep",
    "labels_of",
    "lazy_slots",
    "private",
    "revision_of",
    "share_values",
    "uid_of",
]

K = TypeVar("K", bound=Resource | Unstructured)

_META_SLOTS: Final = slots_of(ObjectMeta)
_LABELS: Final = _META_SLOTS["labels"]
_COMMON: Final = tuple(_META_SLOTS[name] for name in ("namespace", "generate_name", "creation_timestamp"))
_LAZY_META: Final = tuple(_META_SLOTS[name] for name in ("labels", "annotations", "owner_references"))
_FINALIZERS: Final = _META_SLOTS["finalizers"]
_MANAGED_FIELDS: Final = _META_SLOTS["managed_fields"]

_shallow: Final = getattr(msgspec.Struct, "__copy__")  # noqa: B009 - its stubs do not have it
"""What `Struct.__copy__` hides: new structs with the same values."""

_EAGER: Final = frozenset({"api_version", "kind", "metadata"})

_labels_decoder: Final = msgspec.json.Decoder(dict[str, str])

_SHORT: Final = 256
"""Bytes up to which a field is looked for among those of other objects: labels, owners, many a status. Specs
of pods are longer, and each is another one."""

_MOST_SHARED: Final = 4096
"""How many values are remembered; then it begins anew. Those in use are few, or it is for nothing."""


class SharedValues:
    """What objects of one cache have in common, so that it is there once."""

    __slots__ = ("fields", "values")

    def __init__(self) -> None:
        self.fields: Final[dict[bytes, Raw]] = {}
        self.values: Final[dict[object, Any]] = {}

    def trim(self) -> None:
        """Forget all when there is too much; what is shared stays shared."""
        for each in (self.fields, self.values):
            if len(each) > _MOST_SHARED:
                each.clear()

    def field(self, value: Raw) -> Raw:
        """A field with bytes of its own, or with those of another object that has the same."""
        data = bytes(value)
        if len(data) > _SHORT:
            return Raw(data)
        known = self.fields.get(data)
        if known is None:
            known = self.fields[data] = Raw(data)
        return known


def keep(obj: K, *, managed_fields: bool, shared: SharedValues | None = None) -> K:
    """Make an object that was just decoded one that can be kept: let go of the buffer that it came in.

    What was read of it already stays read, and is shared by all that `private` hands out: give a `copy()`
    of an object that anybody has touched. Without `managed_fields` it loses them. `shared` has what it may
    have in common with others.
    """
    own = Raw.copy if shared is None else shared.field
    if isinstance(obj, Unstructured):
        return _kept_unstructured(obj, managed_fields)  # type: ignore[no-any-return]
    for slot in lazy_slots(obj.__class__):
        value = slot.__get__(obj)
        if value.__class__ is Raw:
            slot.__set__(obj, own(value))
    _keep_metadata(obj.metadata, managed_fields, own)
    return obj


def private(kept: K) -> K:
    """An object for one reader, out of one that is kept."""
    if not _is_plain(kept.__class__):
        return _private_unstructured(kept) if isinstance(kept, Unstructured) else kept.copy()
    own = _shallow(kept)
    own.metadata = _private_metadata(kept.metadata)
    return own  # type: ignore[no-any-return]


def share_values(objects: Iterable[Resource | Unstructured], shared: SharedValues | None = None) -> None:
    """Have objects that were just decoded share what many have in common and nobody can change.

    That is the text of a namespace and of what replicas are named after, and when they were made. `shared`
    has what those of earlier calls have, and gets what is new.
    """
    known = ({} if shared is None else shared.values).setdefault
    for obj in objects:
        meta = _metadata_of(obj)
        for slot in _COMMON:
            value = slot.__get__(meta)
            slot.__set__(meta, known(value, value))


def labels_of(kept: Resource | Unstructured) -> bytes:
    """The labels of a kept object as JSON; of equal bytes the labels are equal."""
    labels = _LABELS.__get__(_metadata_of(kept))
    return bytes(labels) if labels.__class__ is Raw else b"{}"


def uid_of(kept: Resource | Unstructured) -> str:
    """The uid of a kept object."""
    return _metadata_of(kept).uid


def revision_of(kept: Resource | Unstructured) -> str:
    """The resourceVersion of a kept object."""
    return _metadata_of(kept).resource_version


def decode_labels(labels: bytes) -> dict[str, str]:
    """What `labels_of` gave, as a dict; bytes that are no labels are none, since they must stop no cache."""
    try:
        return _labels_decoder.decode(labels)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass
    try:
        return codec.decode(labels, dict[str, str])
    except DecodeError:
        return {}


@lru_cache(None)
def lazy_slots(cls: Any) -> tuple[Any, ...]:
    """The slots of a type whose values may be bytes."""
    return tuple(slot for name, slot in slots_of(cls).items() if name not in _EAGER)


@lru_cache(None)
def _is_plain(cls: Any) -> bool:
    """Whether a type holds nothing but its own fields, lazily."""
    return issubclass(cls, Resource) and known_type(cls) is cls


def _keep_metadata(meta: ObjectMeta, managed_fields: bool, own: Callable[[Raw], Raw]) -> None:
    for slot in _LAZY_META:
        value = slot.__get__(meta)
        if value.__class__ is Raw:
            slot.__set__(meta, own(value))
    managed = _MANAGED_FIELDS.__get__(meta)
    if not managed_fields:
        _MANAGED_FIELDS.__set__(meta, UNSET)
    elif managed.__class__ is Raw:
        _MANAGED_FIELDS.__set__(meta, managed.copy())


def _private_metadata(meta: ObjectMeta) -> ObjectMeta:
    if meta.__class__ is not ObjectMeta:
        return meta.copy()
    own: ObjectMeta = _shallow(meta)
    finalizers = _FINALIZERS.__get__(meta)
    if finalizers.__class__ is list:
        _FINALIZERS.__set__(own, finalizers.copy())
    elif finalizers is not UNSET:
        _FINALIZERS.__set__(own, UNSET)  # a default that was read, which is not to be shared
    return own


# The slots of `Unstructured` are used below because its attributes count what was read.


def _metadata_of(kept: Any) -> ObjectMeta:
    found: ObjectMeta = kept._metadata if isinstance(kept, Unstructured) else kept.metadata
    return found


def _kept_unstructured(obj: Any, managed_fields: bool) -> Any:
    members = obj._members
    for name, value in members.items():
        if value.__class__ is Raw:
            members[name] = value.copy()
    raw = obj._unread_metadata
    # Bytes of the whole metadata would keep the managed fields.
    obj._unread_metadata = raw.copy() if raw is not None and managed_fields else None
    _keep_metadata(obj._metadata, managed_fields, Raw.copy)
    return obj


def _private_unstructured(kept: Any) -> Any:
    own = kept.__class__(
        api_version=kept.api_version,
        kind=kept.kind,
        metadata=_private_metadata(kept._metadata),
        members=kept._members,
    )
    own._unread_metadata = kept._unread_metadata
    return own
