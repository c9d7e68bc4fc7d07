"""One version of a resource: how its objects are read, kept and shown, and which rules they obey.

Everything that handlers and registry need to know of a resource stands behind `ResourceType`, so that
built-in and custom resources go the same way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from kubewright.machinery.apply import FieldManager, FieldSet, MissingVersion, make_path
from kubewright.machinery.gvk import GroupKind, GroupResource
from kubewright.machinery.schema import Schema
from kubewright.machinery.watch import encode_event
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import validate_kube_finalizers
from kubewright.server.kinds.scale import apply_scale, scale_of
from kubewright.server.large_requests import LARGE, run_in_worker
from kubewright.server.registry.resource import ServedResource
from kubewright.server.registry.stored import decode_stored, encode_stored, split
from kubewright.server.storage import Value
from kubewright.server.tables import Printer
from kubewright.server.wire import Read

if TYPE_CHECKING:
    from kubewright.server.registry.watching import Change

__all__ = ["REGISTRY_ROOT", "ResourceType", "field_set"]

REGISTRY_ROOT: Final = "/registry/"
"""What all keys of objects start with, as upstream's do."""

_KEPT_FRAMES: Final = 64
"""How many frames are kept per resource: watchers that keep up read the same few at the same time."""

_T = TypeVar("_T")

_encode: Final = msgspec.json.Encoder().encode


class FrameCache:
    """The frames of the latest events, which all plain watchers of a resource share."""

    __slots__ = ("_frames", "_resource")

    def __init__(self, resource: ResourceType) -> None:
        self._resource = resource
        self._frames: dict[int, bytes] = {}

    def frame(self, change: Change) -> bytes:
        """The frame of one event, in JSON."""
        event = change.event
        if event is None:
            return encode_event(change.type, self._resource.present(change.value))
        frames = self._frames
        found = frames.get(event.revision)
        if found is None:
            found = encode_event(change.type, self._resource.present(change.value))
            if len(frames) >= _KEPT_FRAMES:
                del frames[next(iter(frames))]
            frames[event.revision] = found
        return found


class ResourceType(ABC):
    """One version of a resource.

    Stored values of a type are shown by `present`, or as the items of a list by `item`. When `converts` is
    true, stored values may be in another version, and `convert` must be asked first.
    """

    stores_type: bool = False
    """Whether stored objects carry apiVersion and kind; built-in ones do not, as items of lists do not."""
    converts: bool = False
    """Whether what is stored may have to be converted, which can take a webhook."""
    returns_deleted: bool = False
    """Whether a delete answers with the object rather than with a Status."""
    pins_uid: bool = False
    """Whether a delete is of one certain object even if it does not say so; plugins see it in its options."""
    collects_garbage: bool = True
    """Whether deletes take propagation policies; those of events do not, and drop their finalizers."""
    deprecation: str = ""
    """What every answer warns of; empty for what is not deprecated."""
    orphans_by_default: bool = False
    """Whether a delete that says nothing of dependents leaves them alone."""
    orphan_warning: str = ""
    """The warning in the answer to such a delete; empty for kinds that have none."""
    shares_storage: bool = False
    """Whether managers may have written the objects as another kind or version; see `FieldManager`."""
    strategic: bool = True
    """Whether strategic merge patches are taken; custom resources do not."""
    typed: bool = False
    """Whether every object was read by the kind's types, so that its structure is known to be right."""

    def __init__(self, served: ServedResource, prefix: str) -> None:
        self.served: Final = served
        self.prefix: Final = prefix
        """What the keys of its objects start with."""
        self.api_version: Final = served.group_version.api_version
        self.group_resource: Final = GroupResource(served.group, served.resource)
        self.group_kind = GroupKind(served.group, served.kind)
        self.type_bytes: Final = (
            b'{"kind":' + _encode(served.kind) + b',"apiVersion":' + _encode(self.api_version) + b","
        )
        self.list_start: Final = (
            b'{"kind":' + _encode(served.list_kind) + b',"apiVersion":' + _encode(self.api_version) + b","
        )
        self.frames: Final = FrameCache(self)
        self._managers: dict[str, FieldManager] = {}

    @property
    @abstractmethod
    def rules(self) -> Kind:
        """The rules of the kind."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """The shape of the kind, for patches and apply."""

    @property
    @abstractmethod
    def printer(self) -> Printer:
        """Makes the rows of tables."""

    @abstractmethod
    def read(self, data: bytes, *, strict: bool) -> Read:
        """An object out of a JSON body, with defaults. Raises WireError."""

    @abstractmethod
    def read_object(self, obj: Object, *, strict: bool) -> Read:
        """The same of JSON that is decoded already. Raises WireError."""

    def conversion_error(self, obj: Object) -> str:
        """What upstream's converter says of an object that `read_object` refuses; empty for no words."""
        return ""

    def read_applied(self, obj: Object, *, strict: bool) -> Read:
        """The same of what an apply has made of an object. Raises WireError."""
        return self.read_object(obj, strict=strict)

    def read_admitted(self, obj: Object) -> Object:
        """An object that a plugin has changed, as the kind has it, with defaults; unknown fields are dropped.

        Raises ParseError for what is no object of the kind.
        """
        named = {
            **obj,
            "apiVersion": obj.get("apiVersion") or self.api_version,
            "kind": obj.get("kind") or self.served.kind,
        }
        made = self.read_object(named, strict=False).obj
        made["apiVersion"], made["kind"] = self.api_version, self.served.kind
        if not isinstance(made.get("metadata"), dict):
            made["metadata"] = {}
        return made

    async def as_version(self, obj: Object, other: ResourceType) -> Object:
        """An object of this version in another version of the same resource; a copy. Raises ApiError."""
        return other.decode(self.encode_unstored(obj))

    def decode(self, value: bytes) -> Object:
        """A stored object, a private copy."""
        decoded = decode_stored(value)
        if self.stores_type:
            return decoded
        return {"kind": self.served.kind, "apiVersion": self.api_version, **decoded}

    def complete(self, obj: Object) -> Object:
        """An object with all that its stored form has."""
        return obj

    def encode(self, obj: Object) -> Value:
        """An object as the store takes it."""
        return split(obj, with_type=self.stores_type)

    def encode_unstored(self, obj: Object) -> bytes:
        """An object in the form of stored ones, that will not be stored: the answer to a dry run."""
        return encode_stored(obj, with_type=self.stores_type)

    def present(self, value: bytes) -> bytes:
        """A stored value as the JSON of its object."""
        return value if self.stores_type else self.type_bytes + value[1:]

    def present_pieces(self, value: bytes) -> tuple[bytes | memoryview, ...]:
        """As `present`, in pieces that share the stored value where that can be."""
        if self.stores_type or type(self).present is not ResourceType.present:
            return (self.present(value),)
        return (self.type_bytes, memoryview(value)[1:])

    def item(self, value: bytes) -> bytes:
        """A stored value as the JSON of an item of a list."""
        return value

    def may_be_outdated(self, value: bytes) -> bool:
        """Whether a stored value may not be what would be written of the same object now.

        An update that changes nothing writes such an object anew; storage migrations count on that.
        """
        return False

    async def convert(self, values: Sequence[bytes]) -> Sequence[bytes]:
        """Stored values in this version; only called when `converts` is true."""
        return values

    async def convert_to_storage(self, obj: Object) -> Object:
        """An object of this version as it is stored; only called when `converts` is true."""
        return obj

    def scale_of(self, obj: Object) -> Object:
        """The Scale of an object; only asked where there is the subresource."""
        return scale_of(self.served.kind, obj)

    def scaled(self, obj: Object, scale: Object) -> Object:
        """The object with the number of replicas that a Scale wants."""
        return apply_scale(obj, scale)

    def with_replicas(self, obj: Object, replicas: object) -> Object:
        """The object with a number of replicas."""
        return {**obj, "spec": {**(obj.get("spec") or {}), "replicas": replicas}}

    def finalizer_errors(self, metadata: Object) -> Errors:
        """What is wrong with finalizers, beyond what all kinds have in common; custom resources are only
        warned."""
        finalizers = metadata.get("finalizers")
        return validate_kube_finalizers(finalizers) if finalizers else []

    def grace_period(self, obj: Object, requested: int | None) -> int | None:
        """How many seconds a deleted object may live on; None for kinds that are gone at once."""
        return None

    def begin_delete(
        self, obj: Object, now: datetime, propagation_policy: str, orphan_dependents: bool | None
    ) -> bool:
        """Mark an object as being deleted, in the kind's own way; False when it has none."""
        return False

    def holds(self, obj: Object) -> bool:
        """Whether the kind itself holds an object that is being deleted, whatever its finalizers say."""
        return False

    def fields(self, obj: Object) -> Mapping[str, str]:
        """The values of the fields that selectors may name."""
        metadata = obj["metadata"]
        known = {"metadata.name": metadata.get("name", "")}
        if self.served.namespaced:
            known["metadata.namespace"] = metadata.get("namespace", "")
        selectable = self.rules.fields
        return {**known, **selectable(obj)} if selectable is not None else known

    def selectable_fields(self) -> Collection[str]:
        """The names of those fields."""
        return self.fields({"metadata": {}}).keys()

    def internal(self, obj: Object) -> Object:
        """An object as upstream has it in memory, where that shows: in what tables tell of its metadata."""
        return obj

    def unknown_field(self, field: str) -> str:
        """What is said of a selector by any other field."""
        if self.rules.fields is None:
            return f'"{field}" is not a known field selector: only "metadata.name", "metadata.namespace"'
        return f"field label not supported: {field}"

    async def managed(self, work: Callable[[], _T], *objects: Object | None, size: int = 0) -> _T:
        """Run what a manager of fields does with objects; in a thread where it needs other versions of them,
        or where `size`, in bytes, is large."""
        return work() if size < LARGE else await run_in_worker(work)

    async def judge(self, work: Callable[[], None]) -> None:
        """Run what validates an object and changes nothing; in a thread where the kind's rules take long."""
        work()

    def manager(self, subresource: str) -> FieldManager:
        """The keeper of managedFields for writes to the object or one of its subresources."""
        found = self._managers.get(subresource)
        if found is None:
            found = self._managers[subresource] = self._make_manager(subresource)
        return found

    @property
    def always(self) -> Mapping[str, object]:
        """What objects of the kind hold when nothing is written yet; see `FieldManager`."""
        return {}

    def _make_manager(self, subresource: str) -> FieldManager:
        rules = self.rules
        resets = rules.subresources[subresource].resets if subresource in rules.subresources else rules.resets
        return FieldManager(
            self.schema,
            api_version=self.api_version,
            kind=self.served.kind,
            subresource=subresource,
            convert=None if self.shares_storage else _missing_version,
            ignore={self.api_version: field_set(resets)} if resets else {},
            empty=self.always,
            typed=self.typed,
        )


def _missing_version(obj: Object, api_version: str) -> Object:
    raise MissingVersion(f"there is no version {api_version} of {obj.get('kind', '')}")


def field_set(paths: Sequence[str]) -> FieldSet:
    """Dotted paths as a set of fields."""
    return FieldSet(make_path(*path.split(".")) for path in paths)
