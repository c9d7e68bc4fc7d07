"""Assigns pods to nodes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from socket import gethostname
from typing import TYPE_CHECKING, Any, Final

from kubewright.cluster.scheduler.claims import NeededClaims, claims_of
from kubewright.cluster.scheduler.fit import Misfit, misfit, preference, unavailable
from kubewright.cluster.scheduler.requests import host_ports, requests_of
from kubewright.cluster.scheduler.usage import Usage
from kubewright.controllers.requests import Request
from kubewright.controllers.sources import LOW_PRIORITY, Source
from kubewright.controllers.status import status_of
from kubewright.machinery.errors import ApiError, Conflict, NotFound, TransportError
from kubewright.models.core_v1 import Node, PersistentVolume, PersistentVolumeClaim, Pod, PodCondition
from kubewright.models.storage_v1 import StorageClass

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.events import EventRecorder
    from kubewright.controllers.manager import Manager
    from kubewright.informers import Change

__all__ = ["Scheduler", "setup"]

_NAME: Final = "default-scheduler"
"""The `schedulerName` of pods that are assigned here; also who events are from."""

_OVER: Final = frozenset({"Succeeded", "Failed"})


def setup(manager: Manager, parts: Parts) -> None:
    """Have pods assigned; those that fit nowhere are tried again when what they wait for may be there."""
    scheduler = Scheduler()
    nodes: Source[Node] = Source(Node, scheduler.waiting, predicates=[_matters])
    claims: Source[PersistentVolumeClaim] = Source(PersistentVolumeClaim, scheduler.waiting_in)
    volumes: Source[PersistentVolume] = Source(PersistentVolume, scheduler.waiting, predicates=[_is_free])
    classes: Source[StorageClass] = Source(StorageClass, scheduler.waiting)
    controller = manager.controller(
        Pod,
        scheduler.reconcile,
        name="kube-scheduler",
        watches=[nodes, claims, volumes, classes],
        predicates=[_concerns],
        priority=_priority,
    )
    scheduler.wake = controller.queue.add


def _matters(change: Change[Node]) -> bool:
    """Whether a change of a node may let a pod in."""
    old, new = change.old, change.new
    if old is None or new is None:
        return new is not None
    return (
        old.spec != new.spec
        or old.status.allocatable != new.status.allocatable
        or old.metadata.labels != new.metadata.labels
    )


def _is_free(change: Change[PersistentVolume]) -> bool:
    """Whether a claim may have a volume that it could not have before."""
    new = change.new
    return new is not None and new.spec.claim_ref is None and new.status.phase == "Available"


def _concerns(change: Change[Pod]) -> bool:
    """Whether a change of a pod moves what nodes have left, or makes it wait for one."""
    old, new = change.old, change.new
    if old is None or new is None:
        return True
    if not new.spec.node_name:
        # Not what is told here of a pod that fits nowhere.
        return (
            old.metadata.generation != new.metadata.generation
            or old.metadata.deletion_timestamp != new.metadata.deletion_timestamp
        )
    return (
        not old.spec.node_name
        or old.metadata.generation != new.metadata.generation
        or (new.status.phase in _OVER and old.status.phase not in _OVER)
    )


def _priority(change: Change[Any]) -> int:
    """Pods that have a node first: what they take is to be known before others are assigned."""
    obj = change.object
    waits = isinstance(obj, Pod) and not obj.spec.node_name
    return LOW_PRIORITY if waits and change.initial else 0


class Scheduler:
    """One worker: each pod is assigned knowing of all that were assigned before."""

    def __init__(self) -> None:
        self._usage: Final[Usage[Request]] = Usage()
        self._waiting: Final[set[Request]] = set()
        """Pods that fit nowhere, or whose claims are being bound."""
        self._reserved: Final[dict[Request, str]] = {}
        """The nodes of pods whose claims are being bound for them."""
        self._nodes: dict[str, Node] = {}
        """As they were last seen: what was read of one is not read again for the next pod."""
        self.wake: Callable[[Request], object] = _nobody
        """Has a pod looked at again."""

    def waiting(self, _: object) -> list[Request]:
        """All pods that wait."""
        return list(self._waiting)

    def waiting_in(self, claim: PersistentVolumeClaim) -> list[Request]:
        """Those of the namespace of a claim."""
        return [each for each in self._waiting if each.namespace == claim.metadata.namespace]

    async def reconcile(self, ctx: Context, request: Request) -> None:
        """Assign a pod, or learn of what it takes."""
        try:
            pod = await ctx.client.api(Pod, request.namespace).get(request.name)
        except NotFound:
            self._gone(request)
            return
        if pod.status.phase in _OVER:
            self._gone(request)
        elif pod.spec.node_name:
            self._waiting.discard(request)
            self._reserved.pop(request, None)
            if self._usage.place(request, pod.spec.node_name, pod.spec):
                self._wake_all()
        elif _is_ours(pod):
            with suppress(NotFound):
                await self._schedule(ctx, request, pod)
        else:
            self._gone(request)

    def _gone(self, request: Request) -> None:
        self._waiting.discard(request)
        self._reserved.pop(request, None)
        if self._usage.remove(request):
            self._wake_all()

    def _wake_all(self) -> None:
        for each in self._waiting:
            self.wake(each)

    async def _schedule(self, ctx: Context, request: Request, pod: Pod) -> None:
        claims = await claims_of(ctx, pod)
        reserved = self._reserved.pop(request, "")
        if reserved:
            # What it takes of its node is not to be in its own way.
            self._usage.remove(request)
        found = await self._choose(ctx, pod, claims, reserved)
        if isinstance(found, str):
            self._waiting.add(request)
            await _refuse(ctx, pod, found)
            return
        node = found.metadata.name
        if claims.unbound:
            # They are bound for this node first, and the pod is looked at again when they are.
            self._waiting.add(request)
            self._reserved[request] = node
            self._usage.place(request, node, pod.spec)
            await claims.reserve(ctx, found)
            return
        self._waiting.discard(request)
        # Before the pod is bound, since the next one may be looked at meanwhile.
        self._usage.place(request, node, pod.spec)
        try:
            await ctx.client.api(Pod, request.namespace).bind(request.name, node)
        except (ApiError, TransportError) as error:
            self._usage.remove(request)
            if isinstance(error, (NotFound, Conflict)):
                # It is gone, or somebody else was quicker; the next change tells.
                return
            raise
        _events(ctx).normal(pod, "Scheduled", f"Successfully assigned {request} to {node}", action="Binding")

    async def _choose(self, ctx: Context, pod: Pod, claims: NeededClaims, reserved: str) -> Node | str:
        """The node that a pod likes best, and of several the one with the most left, or why there is none.

        One that is reserved for it comes before all others.
        """
        await self._look_at_nodes(ctx)
        if claims.problem and self._nodes:
            # What kube-scheduler says after the sentence is of a plugin that did not get so far.
            return f"0/{len(self._nodes)} nodes are available: {claims.problem}. not found"
        needed, ports = requests_of(pod.spec), host_ports(pod.spec)
        best: tuple[tuple[bool, int, float, int], Node] | None = None
        misfits: list[Misfit] = []
        for name, node in self._nodes.items():
            room = self._usage.room(node, ports)
            why = misfit(pod.spec, node, needed, room) or claims.misfit(node)
            if why is not None:
                misfits.append(why)
                continue
            taken = max(needed.get(each, 0) / max(room.free.get(each, 0), 1) for each in ("cpu", "memory"))
            score = (
                name != reserved,
                -preference(pod.spec, node),
                taken,
                self._usage.pods_on(name),
            )
            if best is None or score < best[0]:
                best = (score, node)
        return unavailable(pod.spec, misfits) if best is None else best[1]

    async def _look_at_nodes(self, ctx: Context) -> None:
        before, self._nodes = self._nodes, {}
        async for node in ctx.client.api(Node).list():
            known = before.pop(node.metadata.name, None)
            same = known is not None and known.metadata.resource_version == node.metadata.resource_version
            self._nodes[node.metadata.name] = known if same and known is not None else node
        for name in before:
            self._usage.forget(name)


async def _refuse(ctx: Context, pod: Pod, why: str) -> None:
    known = next((each for each in pod.status.conditions if each.type == "PodScheduled"), None)
    if known is not None and (known.status, known.message) == ("False", why):
        return
    async with status_of(ctx, pod):
        others = [each for each in pod.status.conditions if each.type != "PodScheduled"]
        pod.status.conditions = [*others, _unschedulable(why, known, pod.metadata.generation)]
    _events(ctx).warning(pod, "FailedScheduling", why, action="Scheduling")


def _events(ctx: Context) -> EventRecorder:
    return ctx.events.named(_NAME, host=f"{_NAME}-{gethostname()}", api="events.k8s.io")


def _unschedulable(why: str, known: PodCondition | None, generation: int | None) -> PodCondition:
    since = known.last_transition_time if known is not None and known.status == "False" else datetime.now(UTC)
    return PodCondition(
        type="PodScheduled",
        status="False",
        reason="Unschedulable",
        message=why,
        last_transition_time=since,
        observed_generation=generation,
    )


def _is_ours(pod: Pod) -> bool:
    return (
        pod.spec.scheduler_name in {"", _NAME}
        and not pod.spec.scheduling_gates
        and pod.metadata.deletion_timestamp is None
    )


def _nobody(_: Request) -> None:
    """Nobody has to be told yet."""
