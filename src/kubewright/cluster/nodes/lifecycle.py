"""Looks after nodes: taints them by their conditions, and tells when their kubelets have gone silent."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple

from kubewright.cluster.nodes.pods_by_node import BY_NODE
from kubewright.cluster.nodes.taints import is_ready, may_evict, missing_labels, taints_of
from kubewright.controllers.requests import Request, Result
from kubewright.controllers.status import status_of
from kubewright.machinery.errors import Conflict, NotFound
from kubewright.models.coordination_v1 import Lease
from kubewright.models.core_v1 import Node, NodeCondition, ObjectReference, Pod

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager

__all__ = ["NodeLifecycle", "setup"]

_NAME: Final = "node-lifecycle-controller"

_COMPONENT: Final = "node-controller"
"""Who events are from."""

_LEASES: Final = "kube-node-lease"

_GRACE: Final = 50.0
"""Seconds of silence after which a node is not trusted; upstream's --node-monitor-grace-period."""

_STARTUP_GRACE: Final = 60.0
"""The same for a node that has never said anything; upstream's --node-startup-grace-period."""

_LOOK_EVERY: Final = 5.0
"""Upstream looks at all nodes in rounds of so many seconds, its --node-monitor-period, and drives pods away
by what a round has found. So nodes that go down within such a time go down together."""

_REPORTED: Final = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")
"""The conditions that a kubelet posts, and that nobody knows when it does not."""


def setup(manager: Manager, parts: Parts) -> None:
    """Have all nodes looked after."""
    NodeLifecycle().watch(manager)


class _Heard(NamedTuple):
    """What was last heard of a node, and when."""

    uid: str
    posted: datetime | None
    """The heartbeat that its status tells."""
    renewed: datetime | None
    """The heartbeat that its lease tells."""
    at: float
    """When that was, by `elapsed`."""


class NodeLifecycle:
    """What it knows is when it has heard of each node, by its own clock, as upstream does."""

    def __init__(
        self,
        *,
        grace: float = _GRACE,
        startup_grace: float = _STARTUP_GRACE,
        look_every: float = _LOOK_EVERY,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        """`grace` is how many seconds a node may be silent, `startup_grace` one that has said nothing yet.

        `look_every` is for how many it has to be down before pods are driven away from it. `clock` is for
        what is written, `elapsed` for how long something lasts: dates may jump.
        """
        self._grace: Final = grace
        self._startup_grace: Final = startup_grace
        self._look_every: Final = look_every
        self._clock: Final = clock
        self._elapsed: Final = elapsed
        self._heard: Final[dict[str, _Heard]] = {}
        self._ready: Final[dict[str, bool]] = {}
        """Which nodes there are, and whether they were ready when they were last looked at."""
        self._down_since: Final[dict[str, float]] = {}
        """Of those that are not ready."""
        self._wake: Callable[[Request], object] = lambda _: None

    def watch(self, manager: Manager) -> None:
        """Look after the nodes of a manager's cluster; its pods are indexed by their nodes."""
        self._wake = manager.controller(Node, self.reconcile, name=_NAME).queue.add

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Look at one node."""
        try:
            node = await ctx.client.api(Node).get(request.name)
        except NotFound:
            self._gone(ctx, request.name)
            return None
        silence, grace = await self._silence(ctx, node), self._grace_of(node)
        if request.name not in self._ready:
            _tell(
                ctx,
                node.metadata.name,
                node.metadata.uid,
                "RegisteredNode",
                "Registered Node {} in Controller",
            )
        if silence >= grace:
            await self._not_heard_of(ctx, node)
        self._note(request.name, ready=is_ready(node))
        undecided = await self._put_right(ctx, node)
        # A node that is known to be silent is heard of when its status changes.
        due = min(each for each in (grace - silence, undecided, inf) if each > 0)
        return Result(requeue_after=due) if due != inf else None

    def _gone(self, ctx: Context, name: str) -> None:
        heard = self._heard.pop(name, None)
        self._down_since.pop(name, None)
        if self._ready.pop(name, None) is not None:
            _tell(ctx, name, heard.uid if heard else "", "RemovingNode", "Removing Node {} from Controller")
            self._wake_unready()

    def _grace_of(self, node: Node) -> float:
        return self._grace if _condition(node, "Ready") is not None else self._startup_grace

    async def _silence(self, ctx: Context, node: Node) -> float:
        """For how many seconds nothing was heard of a node."""
        ready, name, uid = _condition(node, "Ready"), node.metadata.name, node.metadata.uid
        # What this controller writes itself, that nobody knows how a node is, is no sign of life.
        posted = ready.last_heartbeat_time if ready is not None and ready.status != "Unknown" else None
        renewed = await _renewed(ctx, name)
        now, last = self._elapsed(), self._heard.get(name)
        if last is None or last.uid != uid:
            created = node.metadata.creation_timestamp
            silent = 0.0
            if ready is None and renewed is None and created is not None:
                silent = max(0.0, (self._clock() - created).total_seconds())
            last = _Heard(uid, posted, renewed, now - silent)
        elif (posted is not None and posted != last.posted) or (
            renewed is not None and renewed != last.renewed
        ):
            last = _Heard(uid, posted or last.posted, renewed or last.renewed, now)
        self._heard[name] = last
        return now - last.at

    async def _not_heard_of(self, ctx: Context, node: Node) -> None:
        name, now, was_ready = node.metadata.name, self._clock(), is_ready(node)
        async with status_of(ctx, node):
            for kind in _REPORTED:
                _make_unknown(node, kind, now)
        if was_ready:
            reference = ObjectReference(api_version="v1", kind="Node", name=name, uid=node.metadata.uid)
            message = f"Node {name} status is now: NodeNotReady"
            ctx.events.named(_COMPONENT).normal(reference, "NodeNotReady", message)
        await _pods_not_ready(ctx, name, now)

    def _note(self, name: str, *, ready: bool) -> None:
        """Remember whether a node is ready; whether others may be evicted from depends on it."""
        if ready:
            self._down_since.pop(name, None)
        else:
            self._down_since.setdefault(name, self._elapsed())
        if self._ready.get(name) != ready:
            self._ready[name] = ready
            self._wake_unready()

    def _is_ready(self, node: Node) -> bool:
        """As was last decided here, which the cache may not have yet."""
        return self._ready.get(node.metadata.name, is_ready(node))

    def _wake_unready(self) -> None:
        for name, ready in self._ready.items():
            if not ready:
                self._wake(Request("", name))

    async def _put_right(self, ctx: Context, node: Node) -> float:
        """Give a node the taints that go with its conditions, and labels that follow others.

        Returns after how many seconds it is known whether pods are driven away; 0 when that is known.
        """
        evict, undecided = None, 0.0
        if not is_ready(node):
            nodes = [each async for each in ctx.client.api(Node).list()]
            others = [each for each in nodes if each.metadata.name != node.metadata.name]
            evict = may_evict(node, others, is_ready=self._is_ready)
            down = self._elapsed() - self._down_since[node.metadata.name]
            undecided = max(self._look_every - down, 0.0)
            if evict and undecided:
                evict = False
        taints, labels = taints_of(node, self._clock(), evict=evict), missing_labels(node)
        if taints == node.spec.taints and not labels:
            return undecided
        body = {
            "metadata": {"resourceVersion": node.metadata.resource_version, "labels": labels},
            "spec": {"taints": [each.to_dict() for each in taints] or None},
        }
        with suppress(NotFound):
            await ctx.client.api(Node).patch(node.metadata.name, body)
        return undecided


async def _renewed(ctx: Context, node: str) -> datetime | None:
    try:
        return (await ctx.client.api(Lease, _LEASES).get(node)).spec.renew_time
    except NotFound:
        return None


def _make_unknown(node: Node, kind: str, now: datetime) -> None:
    found = _condition(node, kind)
    if found is None:
        node.status.conditions.append(
            NodeCondition(
                type=kind,
                status="Unknown",
                reason="NodeStatusNeverUpdated",
                message="Kubelet never posted node status.",
                last_heartbeat_time=node.metadata.creation_timestamp,
                last_transition_time=now,
            )
        )
    elif found.status != "Unknown":
        found.status = "Unknown"
        found.reason = "NodeStatusUnknown"
        found.message = "Kubelet stopped posting node status."
        found.last_transition_time = now


async def _pods_not_ready(ctx: Context, node: str, now: datetime) -> None:
    """Nobody knows whether the pods of a silent node work, so that none counts as ready."""
    for pod in await ctx.client.api(Pod).by(BY_NODE, node):
        ready = next((each for each in pod.status.conditions if each.type == "Ready"), None)
        if ready is None or ready.status != "True":
            continue
        with suppress(NotFound, Conflict):
            async with status_of(ctx, pod):
                ready.status = "False"
                ready.last_transition_time = now
            ctx.events.named(_COMPONENT).warning(pod, "NodeNotReady", "Node is not ready")


def _tell(ctx: Context, node: str, uid: str, reason: str, message: str) -> None:
    about = ObjectReference(api_version="v1", kind="Node", name=node, uid=uid)
    ctx.events.named(_COMPONENT).normal(about, reason, f"Node {node} event: {message.format(node)}")


def _condition(node: Node, kind: str) -> NodeCondition | None:
    return next((each for each in node.status.conditions if each.type == kind), None)
