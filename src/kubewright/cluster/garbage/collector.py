"""Deletes what has lost its owners, as kube-controller-manager's garbage collector does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from kubewright.cluster.garbage.feed import Feed, ServedKind
from kubewright.cluster.garbage.graph import Concerned, Graph, Stranger
from kubewright.cluster.garbage.node import FOREGROUND, ORPHAN, Coordinates, Metadata, Node, meant
from kubewright.cluster.garbage.operations import (
    Failed,
    GarbageError,
    NotOwnable,
    Operations,
    Seen,
)
from kubewright.controllers.reconciling import RECONCILING, Reconciling
from kubewright.machinery.errors import KubewrightError
from kubewright.models.core_v1 import ObjectReference
from kubewright.workqueue import ShutDown, WorkQueue

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.events import EventRecorder
    from kubewright.controllers.manager import Manager
    from kubewright.machinery.meta import OwnerReference
    from kubewright.server.registry.registry import Registry

__all__ = ["GarbageCollector", "setup"]

_NAME: Final = "garbage-collector-controller"

_WORKERS: Final = 4
"""Of each queue. They wait for the server alone, which is in the same process; upstream has 20."""

_log: Final = logging.getLogger("kubewright.cluster")


def setup(manager: Manager, parts: Parts) -> None:
    """Run the collector beside the controllers: what it follows is no single kind."""
    recorder = manager.clusters[0].recorder.named(_NAME)
    manager.add(GarbageCollector(manager.client, parts.server.registry, recorder).run)


class _Owners(NamedTuple):
    """The owners of an object, by what they are good for."""

    solid: list[OwnerReference]
    """Those that are there to stay."""
    dangling: list[OwnerReference]
    """Those that are not there."""
    waiting: list[OwnerReference]
    """Those that are deleted and wait for their dependents."""


class GarbageCollector:
    """Keeps the graph of owners, and acts on whom a change concerns. Its keys are uids.

    What an object is deleted for is decided by the graph, where that knows the owners, and by the server,
    where it does not. A deletion is of the revision that was judged, so that an object that has got another
    owner meanwhile stays.
    """

    def __init__(self, client: Client, registry: Registry, recorder: EventRecorder) -> None:
        self._recorder: Final = recorder
        self._graph: Final = Graph()
        self._feed: Final = Feed(registry, self)
        self._operations: Final = Operations(client, self._feed.kind)
        self._to_delete: Final[WorkQueue[str]] = WorkQueue(name="garbage_collector_attempt_to_delete")
        self._to_orphan: Final[WorkQueue[str]] = WorkQueue(name="garbage_collector_attempt_to_orphan")

    async def run(self) -> None:
        """Collect until it is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._feed.run(), name="garbage collector: feed")
            # In whose name the rest is done.
            RECONCILING.set(Reconciling(_NAME, "", "", "", "", ""))
            for number in range(_WORKERS):
                work = self._work(self._to_delete, self._attempt_to_delete)
                tasks.create_task(work, name=f"garbage collector: delete {number}")
                work = self._work(self._to_orphan, self._orphan)
                tasks.create_task(work, name=f"garbage collector: orphan {number}")

    def observed(self, where: Coordinates, metadata: Metadata) -> None:
        """An object is there, in this state."""
        self._concern(self._graph.observe(where, metadata))

    def gone(self, uid: str) -> None:
        """An object is not there any more."""
        self._concern(self._graph.gone(uid))

    def served(self, kinds: Iterable[ServedKind]) -> None:
        """Look at those at once that name owners of kinds that were not served."""
        for kind in {(each.group, each.kind) for each in kinds}:
            for node in self._graph.of_unseen(*kind):
                self._to_delete.add(node.uid)

    def _concern(self, concerned: Concerned) -> None:
        for node in concerned.to_delete:
            self._to_delete.add(node.uid)
        for node in concerned.to_orphan:
            self._to_orphan.add(node.uid)
        for stranger in concerned.strangers:
            self._tell(stranger)

    def _tell(self, stranger: Stranger) -> None:
        """Record that an object names an owner in another namespace, in upstream's words."""
        where, owner = stranger.dependent.coordinates, stranger.reference
        about = ObjectReference(
            api_version=where.api_version,
            kind=where.kind,
            namespace=where.namespace,
            name=where.name,
            uid=stranger.dependent.uid,
        )
        named = (
            f"[{owner.api_version}/{owner.kind}, namespace: {where.namespace}, name: {owner.name}, "
            f"uid: {owner.uid}]"
        )
        message = f'ownerRef {named} does not exist in namespace "{where.namespace}"'
        self._recorder.warning(about, "OwnerRefInvalidNamespace", message)

    async def _work(self, queue: WorkQueue[str], attend: Callable[[Node], Awaitable[bool]]) -> None:
        with suppress(ShutDown):
            while True:
                async with queue.take() as uid:
                    self._feed.catch_up()
                    node = self._graph.node(uid)
                    if node is not None and node.seen and not await self._attended(node, attend):
                        queue.add_rate_limited(uid)
                    else:
                        queue.forget(uid)
                # Requests to a server in the same process need not wait for anything.
                await asyncio.sleep(0)

    async def _attended(self, node: Node, attend: Callable[[Node], Awaitable[bool]]) -> bool:
        """Attend to an object; whether that is all there is to do."""
        try:
            return await attend(node)
        except NotOwnable as error:
            _log.debug("garbage collector: %s: %s", node.coordinates, error)
            return True
        except (GarbageError, KubewrightError) as error:
            # It is tried again, ever more rarely, and may come to be right: no reason for alarm.
            _log.debug("garbage collector: %s is tried again: %s", node.coordinates, error)
        except Exception:
            _log.exception("garbage collector: %s is tried again", node.coordinates)
        # Whatever else happens, nothing else would have it looked at again.
        return False

    async def _attempt_to_delete(self, node: Node) -> bool:
        """Delete an object if all its owners are gone, and let one go that has waited for its dependents."""
        if node.foreground:
            if not node.blocked():
                await self._operations.remove_finalizer(node, FOREGROUND)
            return True
        if node.deleting or not node.owners:
            return True
        seen = Seen(node.revision, node.owners)
        owners, is_sure = await self._classified(node, seen.owners)
        if owners.solid:
            gone = {each.uid for each in (*owners.dangling, *owners.waiting)}
            if gone:
                await self._operations.remove_owners(node, gone)
            return is_sure
        if owners.waiting and node.dependents:
            if any(each.foreground for each in node.dependents):
                # A circle, in which everybody would wait for everybody.
                seen = await self._operations.unblock(node, seen)
            is_there = await self._operations.delete(node, seen, "Foreground")
        else:
            is_there = await self._operations.delete(node, seen, node.policy)
        if not is_there:
            self.gone(node.uid)
        return True

    async def _classified(self, node: Node, references: Iterable[OwnerReference]) -> tuple[_Owners, bool]:
        """The owners, and whether changes of them will be told."""
        owners = _Owners([], [], [])
        is_sure = True
        for reference in references:
            owner = self._graph.node(reference.uid)
            where = meant(reference, node.coordinates.namespace)
            if owner is not None and owner.seen and owner.is_meant_by(node, reference):
                kept = owners.waiting if owner.foreground else owners.solid
            elif owner is not None and owner.is_missing_at(where):
                kept = owners.dangling
            else:
                found = await self._operations.owner(where, reference.uid)
                kept = owners.dangling
                if found is not None:
                    is_going = found.deletion_timestamp is not None and FOREGROUND in found.finalizers
                    kept = owners.waiting if is_going else owners.solid
                # Things may have happened meanwhile.
                owner = self._graph.node(reference.uid)
                is_sure = is_sure and (found is None or (owner is not None and owner.seen))
                if found is None and owner is not None and not owner.seen:
                    owner.missing |= {where}
            kept.append(reference)
        return owners, is_sure

    async def _orphan(self, node: Node) -> bool:
        """Have dependents forget an owner that is deleted and leaves them behind; then it may go.

        One that cannot be made to keeps no other from it, but keeps the owner.
        """
        failures = []
        for dependent in list(node.dependents):
            try:
                await self._operations.remove_owners(dependent, {node.uid})
            except (GarbageError, KubewrightError) as error:
                failures.append(f"{dependent.coordinates}: {error}")
        if failures:
            raise Failed(f"{len(failures)} dependents still name it: {'; '.join(sorted(failures)[:10])}")
        await self._operations.remove_finalizer(node, ORPHAN)
        return True
