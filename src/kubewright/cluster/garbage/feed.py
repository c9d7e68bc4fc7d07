"""All objects of a server, of all kinds, in the one order in which they were written.

The collector could follow each kind with an informer, as upstream's has to. Then it would hear of an owner
that is deleted before it hears of a dependent of another kind that was created earlier, and leave behind or
delete what it should not. The server is in this process, and its store has one order for all.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, Protocol

import msgspec

from kubewright.cluster.garbage.node import Coordinates, Metadata
from kubewright.machinery.gvk import GroupResource
from kubewright.machinery.meta import OwnerReference
from kubewright.server.discovery.groups import served_groups
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.storage import Entry, Event, SlowWatcher, StorageClosed, Watch

__all__ = ["Feed", "Observer", "ServedKind"]

_IGNORED: Final = frozenset({GroupResource("", "events"), GroupResource("events.k8s.io", "events")})
"""Events own nothing and are owned by nobody, and come in thousands; upstream passes over them, too."""

_VERBS: Final = frozenset({"delete", "list", "watch"})

_IN_A_ROW: Final = 100
"""Objects after which others may run: about a millisecond."""

_log: Final = logging.getLogger("kubewright.cluster")


class ServedKind(NamedTuple):
    """A kind in one version."""

    api_version: str
    kind: str
    namespaced: bool
    group: str


class Observer(Protocol):
    """Who is told of objects and of kinds."""

    def observed(self, where: Coordinates, metadata: Metadata) -> None:
        """An object is there, in this state."""

    def gone(self, uid: str) -> None:
        """An object is not there any more."""

    def served(self, kinds: Iterable[ServedKind]) -> None:
        """Kinds are served that were not."""


class _StoredMetadata(msgspec.Struct, rename="camel"):
    """What is read of an object."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    deletion_timestamp: str | None = None
    owner_references: list[OwnerReference] = []
    finalizers: list[str] = []


class _Stored(msgspec.Struct):
    metadata: _StoredMetadata


_read: Final[Callable[[bytes], _Stored]] = msgspec.json.Decoder(_Stored).decode


class Feed:
    """Tells of the objects of all kinds that can be deleted, as kinds come and go."""

    def __init__(self, registry: Registry, observer: Observer) -> None:
        self._registry: Final = registry
        self._observer: Final = observer
        self._generation = -1
        self._served: Final[dict[tuple[str, str], ServedKind]] = {}
        """What is served now, by version and kind."""
        self._followed: Final[dict[str, ServedKind]] = {}
        """By what keys begin with, each kind in the version to use; also of those that were served once,
        whose objects may still go."""
        self._known: Final[dict[str, str]] = {}
        """The uids of the objects that were told of, by key."""
        self._waiting: Final[deque[Event]] = deque()
        self._watch: Watch | None = None

    def kind(self, api_version: str, kind: str) -> ServedKind | None:
        """A kind in this very version, if it is served."""
        if self._generation != self._registry.generation:
            self._look_at_kinds()
        return self._served.get((api_version, kind))

    async def run(self) -> None:
        """Tell of what is there, and of each change, until it is cancelled or the store is closed."""
        while True:
            try:
                await self._follow()
            except StorageClosed:
                return
            except SlowWatcher as error:
                _log.info("the garbage collector looks at everything anew: %s", error)

    def catch_up(self) -> None:
        """Tell of all that was written by now, at once."""
        if self._watch is None:
            return
        try:
            self._waiting.extend(self._watch.take())
        except (SlowWatcher, StorageClosed):
            # Whoever waits for events is told the same, and deals with it.
            return
        while self._waiting:
            self._tell(self._waiting.popleft())

    async def _follow(self) -> None:
        storage = self._registry.storage
        self._waiting.clear()
        with storage.watch(REGISTRY_ROOT, after_revision=storage.revision) as watch:
            self._watch = watch
            # In one step with the watch, so that nothing is between them.
            self._look_at_kinds(all_anew=True)
            async for events in watch:
                self._waiting.extend(events)
                if self._generation != self._registry.generation:
                    self._look_at_kinds()
                count = 0
                while self._waiting:
                    self._tell(self._waiting.popleft())
                    count += 1
                    if count % _IN_A_ROW == 0:
                        await asyncio.sleep(0)

    def _look_at_kinds(self, *, all_anew: bool = False) -> None:
        """Find out what is served, and tell of the objects of kinds that are new."""
        registry = self._registry
        self._generation = registry.generation
        before = set(self._served)
        self._served.clear()
        found: dict[str, ServedKind] = {}
        for group in served_groups(registry.served):
            for version in group.versions:
                for each in version.resources:
                    store = registry.find(each.group, each.version, each.resource)
                    kind = ServedKind(each.group_version.api_version, each.kind, each.namespaced, each.group)
                    self._served[kind.api_version, kind.kind] = kind
                    is_followed = set(each.verbs) >= _VERBS and store is not None
                    if is_followed and store is not None and store.type.group_resource not in _IGNORED:
                        found.setdefault(store.type.prefix, kind)
        new = [prefix for prefix in found if all_anew or prefix not in self._followed]
        self._followed.update(found)
        if self._watch is not None:
            for prefix in new:
                self._tell_of_all(prefix)
        if before:
            self._observer.served(kind for place, kind in self._served.items() if place not in before)

    def _tell_of_all(self, prefix: str) -> None:
        """Tell of all objects with a prefix as they are now; what waits to be told of them is older."""
        entries = {each.key: each for each in self._registry.storage.list(prefix).entries}
        for key in [each for each in self._known if each.startswith(prefix) and each not in entries]:
            self._observer.gone(self._known.pop(key))
        for entry in entries.values():
            self._tell_of(entry)

    def _tell(self, event: Event) -> None:
        if event.type == "DELETED":
            uid = self._known.pop(event.key, None)
            if uid is not None:
                self._observer.gone(uid)
            return
        self._tell_of(event)

    def _tell_of(self, written: Entry | Event) -> None:
        kind = self._kind_of(written.key)
        if kind is None:
            return
        metadata = _read(written.value).metadata
        known = self._known.get(written.key)
        if known is not None and known != metadata.uid:
            self._observer.gone(known)
        self._known[written.key] = metadata.uid
        where = Coordinates(kind.api_version, kind.kind, metadata.namespace, metadata.name)
        self._observer.observed(where, metadata)

    def _kind_of(self, key: str) -> ServedKind | None:
        """The kind of the objects at a key: that of a resource, or of a group and a resource."""
        end = key.find("/", len(REGISTRY_ROOT)) + 1
        kind = self._followed.get(key[:end])
        if kind is None:
            kind = self._followed.get(key[: key.find("/", end) + 1])
        return kind
