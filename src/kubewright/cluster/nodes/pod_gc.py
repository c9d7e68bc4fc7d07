"""Deletes pods that nobody will delete: those of nodes that are gone, and terminating ones without a node."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Any, Final

from kubewright.cluster.nodes.pods_by_node import BY_NODE
from kubewright.cluster.nodes.taints import OUT_OF_SERVICE, is_ready
from kubewright.controllers.requests import Request, Result
from kubewright.controllers.sources import Source
from kubewright.controllers.status import status_of
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import Node, Pod, PodCondition

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager
    from kubewright.informers import Change

__all__ = ["PodGarbage", "setup"]

_NAME: Final = "pod-garbage-collector-controller"

_OVER: Final = frozenset({"Succeeded", "Failed"})


_QUARANTINE: Final = 40.0
"""Seconds that a node may be missing that nobody has seen go; upstream's quarantineTime."""

_LONG_AGO: Final = -inf


def setup(manager: Manager, parts: Parts) -> None:
    """Have pods looked at when they are assigned or deleted, and those of a node when it goes."""
    PodGarbage().watch(manager)


def _matters(change: Change[Any]) -> bool:
    old, new = change.old, change.new
    if new is None:
        return False
    if old is None or old.spec.node_name != new.spec.node_name:
        return True
    return bool(new.metadata.deletion_timestamp) and not old.metadata.deletion_timestamp


def _has_gone(change: Change[Node]) -> bool:
    """Whether a node is not there any more, or never will be again."""
    new = change.new
    return new is None or (
        _is_out_of_service(new) and (change.old is None or not _is_out_of_service(change.old))
    )


def _is_out_of_service(node: Node) -> bool:
    return not is_ready(node) and any(each.key == OUT_OF_SERVICE for each in node.spec.taints)


class PodGarbage:
    """Remembers since when nodes are missing that pods are assigned to."""

    def __init__(
        self,
        *,
        quarantine: float = _QUARANTINE,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        """`quarantine` is for how many seconds a node may be missing that was not seen to be deleted.

        `clock` is for what is written, `elapsed` for how long something lasts: dates may jump.
        """
        self._quarantine: Final = quarantine
        self._clock: Final = clock
        self._elapsed: Final = elapsed
        self._missing: Final[dict[str, float]] = {}

    def watch(self, manager: Manager) -> None:
        """Look after the pods of a manager's cluster; these are indexed by their nodes."""

        async def pods_of(node: Node) -> Iterable[Request]:
            pods = await manager.cached.api(Pod).by(BY_NODE, node.metadata.name)
            if pods:
                # Seen to be deleted: there is no doubt. A node that is there is looked for before all else.
                self._missing[node.metadata.name] = _LONG_AGO
            return [Request(each.metadata.namespace, each.metadata.name) for each in pods]

        nodes: Source[Node] = Source(Node, pods_of, predicates=[_has_gone])
        manager.controller(Pod, self.reconcile, name=_NAME, watches=[nodes], predicates=[_matters])

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Delete one pod if nobody else will."""
        try:
            pod = await ctx.client.api(Pod, request.namespace).get(request.name)
        except NotFound:
            return None
        name, ending = pod.spec.node_name, pod.metadata.deletion_timestamp is not None
        if not name:
            if ending:
                await _delete(ctx, pod, None)
            return None
        node = await _find(ctx, name)
        if node is not None:
            self._missing.pop(name, None)
            if ending and _is_out_of_service(node):
                await _delete(ctx, pod, None)
            return None
        now = self._elapsed()
        left = self._missing.setdefault(name, now) + self._quarantine - now
        if left > 0:
            return Result(requeue_after=left)
        await _delete(ctx, pod, _orphaned(pod, self._clock()))
        if not await ctx.client.api(Pod).by(BY_NODE, name):
            self._missing.pop(name, None)
        return None


def _orphaned(pod: Pod, now: datetime) -> PodCondition:
    return PodCondition(
        type="DisruptionTarget",
        status="True",
        reason="DeletionByPodGC",
        message="PodGC: node no longer exists",
        last_transition_time=now,
        observed_generation=pod.metadata.generation,
    )


async def _find(ctx: Context, node: str) -> Node | None:
    """A node: by the cache, and if that does not have it, by the server."""
    for client in (ctx.client, ctx.client.uncached):
        with suppress(NotFound):
            return await client.api(Node).get(node)
    return None


async def _delete(ctx: Context, pod: Pod, target: PodCondition | None) -> None:
    """Let a pod fail, since nobody will say how it ended, and delete it at once."""
    with suppress(NotFound):
        if pod.status.phase not in _OVER:
            async with status_of(ctx, pod):
                pod.status.phase = "Failed"
                pod.status.observed_generation = pod.metadata.generation
                if target is not None:
                    others = [each for each in pod.status.conditions if each.type != target.type]
                    pod.status.conditions = [*others, target]
        await ctx.client.api(Pod, pod.metadata.namespace).delete(
            pod.metadata.name, grace_period=0, uid=pod.metadata.uid
        )
