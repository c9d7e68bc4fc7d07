"""Drives pods away from nodes with taints that they do not tolerate, or no longer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubewright.cluster.nodes.pods_by_node import BY_NODE
from kubewright.cluster.scheduler.fit import tolerates
from kubewright.controllers.requests import Request, Result
from kubewright.controllers.sources import Source
from kubewright.controllers.status import status_of
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import Node, ObjectReference, Pod, PodCondition, Taint, Toleration

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager
    from kubewright.informers import Change

__all__ = ["TaintEviction", "evicted_after", "setup"]


def setup(manager: Manager, parts: Parts) -> None:
    """Have pods driven away when taints or tolerations change."""
    eviction = TaintEviction()

    async def pods_of(node: Node) -> Iterable[Request]:
        pods = await manager.cached.api(Pod).by(BY_NODE, node.metadata.name)
        return [Request(each.metadata.namespace, each.metadata.name) for each in pods]

    nodes: Source[Node] = Source(Node, pods_of, predicates=[_taints_changed])
    manager.controller(
        Pod,
        eviction.reconcile,
        name="taint-eviction-controller",
        watches=[nodes],
        predicates=[_is_assigned],
    )


def _is_assigned(change: Change[Any]) -> bool:
    old, new = change.old, change.new
    if new is None or not new.spec.node_name:
        return new is None
    return (
        old is None
        or old.spec.node_name != new.spec.node_name
        or old.spec.tolerations != new.spec.tolerations
    )


def _taints_changed(change: Change[Any]) -> bool:
    old, new = change.old, change.new
    return new is not None and _drives(new) != (_drives(old) if old is not None else [])


def _drives(node: Node) -> list[Taint]:
    return [each for each in node.spec.taints if each.effect == "NoExecute"]


def evicted_after(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> float | None:
    """After how many seconds a pod is driven away by taints; None for never.

    Of each taint the first toleration counts.
    """
    shortest: float | None = None
    for taint in taints:
        found = next((each for each in tolerations if tolerates(each, taint)), None)
        if found is None:
            return 0.0
        if found.toleration_seconds is not None:
            seconds = max(float(found.toleration_seconds), 0.0)
            shortest = seconds if shortest is None else min(shortest, seconds)
    return shortest


class _Marked(NamedTuple):
    uid: str
    since: float
    seconds: float


class TaintEviction:
    """Remembers until when each pod is on borrowed time."""

    def __init__(
        self,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` is for what is written, `elapsed` for how long something lasts: dates may jump."""
        self._clock: Final = clock
        self._elapsed: Final = elapsed
        self._marked: Final[dict[Request, _Marked]] = {}

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Drive one pod away if its time has come."""
        try:
            pod = await ctx.client.api(Pod, request.namespace).get(request.name)
            node = await ctx.client.api(Node).get(pod.spec.node_name) if pod.spec.node_name else None
        except NotFound:
            node = None
        if node is None or pod.metadata.deletion_timestamp is not None:
            self._cancel(ctx, request)
            return None
        after = evicted_after(_drives(node), pod.spec.tolerations)
        if not after:
            self._cancel(ctx, request)
        if after is None:
            return None
        left = self._left(request, pod.metadata.uid, after)
        if left > 0:
            return Result(requeue_after=left)
        self._marked.pop(request, None)
        await self._evict(ctx, request, pod)
        return None

    def _left(self, request: Request, uid: str, after: float) -> float:
        """How many seconds a pod has left: what it had at first, whatever its tolerations are by now."""
        now, marked = self._elapsed(), self._marked.get(request)
        if marked is None or marked.uid != uid:
            marked = self._marked[request] = _Marked(uid, now, after)
        # Not by the date of the end: tolerations may last longer than there are dates.
        return round(marked.seconds - (now - marked.since), 6)

    async def _evict(self, ctx: Context, request: Request, pod: Pod) -> None:
        _tell(ctx, request, "Marking for deletion Pod")
        with suppress(NotFound):
            async with status_of(ctx, pod):
                others = [each for each in pod.status.conditions if each.type != "DisruptionTarget"]
                target = PodCondition(
                    type="DisruptionTarget",
                    status="True",
                    reason="DeletionByTaintManager",
                    message="Taint manager: deleting due to NoExecute taint",
                    last_transition_time=self._clock(),
                    observed_generation=pod.metadata.generation,
                )
                pod.status.conditions = [*others, target]
            await ctx.client.api(Pod, request.namespace).delete(request.name, uid=pod.metadata.uid)

    def _cancel(self, ctx: Context, request: Request) -> None:
        if self._marked.pop(request, None) is not None:
            _tell(ctx, request, "Cancelling deletion of Pod")


def _tell(ctx: Context, request: Request, what: str) -> None:
    about = ObjectReference(api_version="v1", kind="Pod", namespace=request.namespace, name=request.name)
    events = ctx.events.named("taint-eviction-controller")
    events.normal(about, "TaintManagerEviction", f"{what} {request}")
