"""The kubelets of all nodes that pretend: brings the pods that are assigned to them through their lives."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from kubewright.cluster.kubelet.addresses import PodAddresses
from kubewright.cluster.kubelet.pod_life import Addresses, Life, live
from kubewright.cluster.kubelet.streams import PodStreams
from kubewright.cluster.kubelet.typed_into import Exits
from kubewright.cluster.nodes import pretended
from kubewright.cluster.nodes.acting import act_for
from kubewright.cluster.nodes.pods_by_node import BY_NODE
from kubewright.cluster.nodes.pretended import address_of, is_pretended
from kubewright.controllers.requests import Request, Result
from kubewright.controllers.sources import Source
from kubewright.machinery.errors import Conflict, NotFound
from kubewright.models.core_v1 import Node, Pod

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager
    from kubewright.informers import Change

__all__ = ["Kubelet", "setup"]

_WORKERS: Final = 8
"""How many pods are brought on at once: each waits for its own writes."""

_OVER: Final = frozenset({"Succeeded", "Failed"})

_MANAGER: Final = "kubelet"
"""Who is recorded as the manager of what it writes."""


def setup(manager: Manager, parts: Parts) -> None:
    """Have the pods of all nodes that pretend looked after."""
    pretended.setup(manager, parts)
    exits = Exits()
    parts.server.kubelets = PodStreams(exits=exits)
    Kubelet(exits=exits).watch(manager)


def _may_run_pods(change: Change[Node]) -> bool:
    """Whether a node can run pods that could not before."""
    old, new = change.old, change.new
    if new is None or not is_pretended(new) or not address_of(new):
        return False
    return old is None or not is_pretended(old) or not address_of(old)


class _Seen(NamedTuple):
    """A pod as it was last written."""

    uid: str
    revision: str


class Kubelet:
    """Looks after pods. What it knows beyond their statuses it can do without, and does after a restart."""

    def __init__(
        self, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC), exits: Exits | None = None
    ) -> None:
        """`exits` tells of shells that containers run, and that have ended."""
        self._clock: Final = clock
        self._exits: Final = exits or Exits()
        self._seen: Final[dict[Request, _Seen]] = {}
        self._times: Final[dict[str, dict[str, datetime]]] = {}
        """By the uids of pods with which something will happen: when the states of containers began."""
        self._addresses: Final[dict[str, PodAddresses]] = {}
        """By node."""

    def watch(self, manager: Manager) -> None:
        """Look after the pods of a manager's cluster; these are indexed by their nodes."""

        async def pods_of(node: Node) -> Iterable[Request]:
            pods = await manager.cached.api(Pod).by(BY_NODE, node.metadata.name)
            return [Request(each.metadata.namespace, each.metadata.name) for each in pods]

        nodes: Source[Node] = Source(Node, pods_of, predicates=[_may_run_pods])
        controller = manager.controller(
            Pod,
            self.reconcile,
            name="kubelet",
            watches=[nodes],
            predicates=[self._concerns],
            workers=_WORKERS,
        )
        self._exits.wake = controller.queue.add

    def _concerns(self, change: Change[Pod]) -> bool:
        """Whether a pod is on a node; what was written here is known already."""
        pod = change.object
        if not pod.spec.node_name:
            return False
        seen = self._seen.get(Request.of(pod)) if change.new is not None else None
        return seen is None or seen.revision != pod.metadata.resource_version

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Bring one pod to where it should be by now."""
        pods = ctx.client.api(Pod, request.namespace)
        try:
            pod = await pods.get(request.name)
        except NotFound:
            self._forget(request)
            # Also of a pod that was forgotten before: a shell may end after that.
            self._exits.forget(request)
            return None
        node = await self._node(ctx, pod)
        if node is None:
            return None
        act_for(node.metadata.name)
        seen, uid = self._seen.get(request), pod.metadata.uid
        if seen is not None and seen.uid != uid:
            self._forget(request)
        before = pod.status.to_json()
        addresses = await self._place(ctx, pod, node)
        exits = self._exits.of(request)
        times = self._times.get(uid, {})
        life = live(pod, self._clock(), times, addresses, exits, self._exits.attached)
        with suppress(NotFound):
            if life.status.to_json() != before:
                pod.status = life.status
                pod = await pods.update_status(pod, manager=_MANAGER)
            self._remember(request, pod, life)
            self._exits.forget(request, exits)
            _tell(ctx, pod, life, node.metadata.name)
            if life.gone and pod.metadata.deletion_grace_period_seconds != 0:
                with suppress(Conflict):
                    await pods.delete(request.name, grace_period=0, uid=uid)
        return Result(requeue_after=life.due) if life.due is not None else None

    def _remember(self, request: Request, pod: Pod, life: Life) -> None:
        """What is needed when the pod is looked at again; only once it has been written."""
        uid = pod.metadata.uid
        self._seen[request] = _Seen(uid, pod.metadata.resource_version)
        if life.due is None:
            self._times.pop(uid, None)
        else:
            self._times[uid] = life.times
        if life.status.phase in _OVER:
            self._release(pod.spec.node_name, uid)

    async def _node(self, ctx: Context, pod: Pod) -> Node | None:
        """The node of a pod, if it is one that pretends and is there."""
        try:
            node = await ctx.client.api(Node).get(pod.spec.node_name)
        except NotFound:
            self._addresses.pop(pod.spec.node_name, None)
            return None
        return node if is_pretended(node) and address_of(node) else None

    async def _place(self, ctx: Context, pod: Pod, node: Node) -> Addresses:
        host = address_of(node)
        if pod.spec.host_network or not node.spec.pod_cidr:
            return Addresses(host, host)
        if pod.status.pod_ip:
            return Addresses(host, pod.status.pod_ip)
        name = node.metadata.name
        found = self._addresses.get(name)
        if found is None or found.cidr != node.spec.pod_cidr:
            there = await ctx.client.api(Pod).by(BY_NODE, name)
            taken = {
                each.metadata.uid: each.status.pod_ip
                for each in there
                if each.status.pod_ip and each.status.phase not in _OVER
            }
            # Another worker may have been quicker.
            made = PodAddresses(node.spec.pod_cidr, taken)
            found = self._addresses.setdefault(name, made)
            if found.cidr != made.cidr:
                found = self._addresses[name] = made
        return Addresses(host, found.of(pod.metadata.uid))

    def _release(self, node: str, uid: str) -> None:
        addresses = self._addresses.get(node)
        if addresses is not None:
            addresses.release(uid)

    def _forget(self, request: Request) -> None:
        seen = self._seen.pop(request, None)
        if seen is not None:
            self._times.pop(seen.uid, None)
            for addresses in self._addresses.values():
                addresses.release(seen.uid)


def _tell(ctx: Context, pod: Pod, life: Life, node: str) -> None:
    events = ctx.events.named("kubelet", host=node)
    for notice in life.notices:
        path = _field_path(pod, notice.container) if notice.container else ""
        if notice.type == "Warning":
            events.warning(pod, notice.reason, notice.message, field_path=path)
        else:
            events.normal(pod, notice.reason, notice.message, field_path=path)


def _field_path(pod: Pod, container: str) -> str:
    lists = {
        "initContainers": [each.name for each in pod.spec.init_containers],
        "ephemeralContainers": [each.name for each in pod.spec.ephemeral_containers],
    }
    where = next((name for name, found in lists.items() if container in found), "containers")
    return f"spec.{where}{{{container}}}"
