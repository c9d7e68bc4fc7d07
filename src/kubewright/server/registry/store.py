"""The objects of one resource in the store: where they are, and reading them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakSet

from kubewright.server.errors import not_found
from kubewright.server.kinds.kind import Object
from kubewright.server.large_requests import LARGE, LargeRequests, run_in_worker
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.registry.write import Write
from kubewright.server.storage import Entry, Storage

if TYPE_CHECKING:
    from kubewright.server.admission import Admission
    from kubewright.server.registry.watching import Watching

__all__ = ["Reservations", "Reserved", "Store"]


class Reserved(Protocol):
    """What was taken for one write; exactly one of the two is called when it is known how that ended."""

    def written(self) -> None:
        """The write has happened: what the object had before and has no more is free."""
        ...

    def failed(self) -> None:
        """It has not: what was taken for it is free again."""
        ...


class Reservations(Protocol):
    """Keeps what must be unique in the cluster: addresses and ports of services."""

    def reserve(self, obj: Object, old: Object | None, *, dry_run: bool) -> Reserved:
        """Take what a new or changed object needs and write it into the object. Raises ApiError."""
        ...

    def release(self, obj: Object) -> None:
        """Let go of all that a deleted object had."""
        ...


class Store:
    """The objects of one resource. Writes are functions of their own: `create`, `update`, `delete`."""

    def __init__(
        self,
        storage: Storage,
        type: ResourceType,  # noqa: A002 - what it is called everywhere
        *,
        admission: Sequence[Admission] = (),
        random: Random,
        reservations: Reservations | None = None,
        large_requests: LargeRequests | None = None,
    ) -> None:
        self.storage: Final = storage
        self.type: Final = type
        self.admission: Final = admission
        self.random: Final = random
        """For the names that the server makes."""
        self.reservations: Final = reservations
        self.large_requests: Final = large_requests or LargeRequests()
        self.watches: WeakSet[Watching] = WeakSet()
        """The watches under way, which end when the resource is served no more."""

    def key(self, namespace: str, name: str) -> str:
        """Where an object is."""
        if self.type.served.namespaced:
            return f"{self.type.prefix}{namespace}/{name}"
        return f"{self.type.prefix}{name}"

    def root(self, namespace: str) -> str:
        """What the keys of a namespace's objects start with; of all of them without a namespace."""
        return f"{self.type.prefix}{namespace}/" if namespace else self.type.prefix

    def get(self, namespace: str, name: str) -> Entry:
        """The object as it is stored. Raises NotFound."""
        entry = self.storage.get(self.key(namespace, name))
        if entry is None:
            raise not_found(self.type.group_resource, name)
        return entry

    def reserve(self, obj: Object, old: Object | None, write: Write) -> Reserved | None:
        """Take what a write of the object itself needs; None when it needs nothing."""
        if self.reservations is None or write.subresource:
            return None
        return self.reservations.reserve(obj, old, dry_run=write.dry_run)

    async def load(self, value: bytes) -> Object:
        """A stored value as an object of this version, a private copy."""
        if self.type.converts:
            (value,) = await self.type.convert((value,))
        if len(value) >= LARGE:
            return await run_in_worker(lambda: self.type.decode(value))
        return self.type.decode(value)
