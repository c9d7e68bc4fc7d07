"""Nodes that pretend to be machines: what is told of them, and their heartbeats."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from kubewright.cluster.nodes.acting import NODE_STATUS, act_for
from kubewright.machinery.errors import AlreadyExists, Conflict, KubewrightError, NotFound
from kubewright.machinery.meta import ObjectMeta, OwnerReference
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.time import MicroTime, format_micro_time
from kubewright.models.coordination_v1 import Lease, LeaseSpec
from kubewright.models.core_v1 import (
    DaemonEndpoint,
    Node,
    NodeAddress,
    NodeCondition,
    NodeDaemonEndpoints,
    NodeSpec,
    NodeStatus,
    NodeSystemInfo,
)

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager
    from kubewright.controllers.requests import Request
    from kubewright.informers import Change

__all__ = ["PRETENDED", "address_of", "is_pretended", "keep_alive", "setup"]

PRETENDED: Final = "kubelet.kubewright.dev/pretended"
"""The annotation of nodes whose pods are looked after here; anybody may give it to a node of their own."""

_VERSION: Final = "v1.36.4"
"""The release whose behaviour is pretended."""

_NOT_READY: Final = "node.kubernetes.io/not-ready"
_LEASES: Final = "kube-node-lease"

_RENEW_EVERY: Final = 10.0
_LEASE_SECONDS: Final = 40
"""Kubelets renew their leases every quarter of their duration, which is 40 seconds by default."""

_CAPACITY: Final = {
    "cpu": Quantity("32"),
    "memory": Quantity("256Gi"),
    "ephemeral-storage": Quantity("1Ti"),
    "hugepages-1Gi": Quantity("0"),
    "hugepages-2Mi": Quantity("0"),
    "pods": Quantity("110"),
}
"""Enough that what is tried on a laptop fits, but for the number of pods, which is the kubelets' default."""

_CONDITIONS: Final = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)
_MANAGER: Final = "kubelet"

_log: Final = logging.getLogger("kubewright.cluster")


def setup(manager: Manager, parts: Parts) -> None:
    """Have the nodes of a cluster made and kept alive."""
    keep_alive(manager, nodes=parts.nodes, untaint=not parts.runs("node-lifecycle-controller"))


def keep_alive(
    manager: Manager, *, nodes: int = 0, untaint: bool = False, renew_every: float = _RENEW_EVERY
) -> None:
    """Have so many nodes made as are missing, and the heart of every one that pretends beat.

    With `untaint` the taint of new nodes is taken away as well, where no other controller does.
    """

    async def run() -> None:
        missing, refusals = list(range(1, nodes + 1)), _Refusals()
        while True:
            for number in list(missing):
                with refusals.told(f"node-{number} cannot be registered"):
                    act_for(f"node-{number}")
                    await _register(manager.client, number)
                    missing.remove(number)
            # Somebody may have changed what a node says of itself; kubelets say it again at times.
            async for node in manager.cached.api(Node).list():
                if is_pretended(node):
                    act_for(node.metadata.name)
                    with refusals.told(f"{node.metadata.name} has no heartbeat"):
                        await _renew(manager.client, node)
                        await _report(manager.client, node)
            await asyncio.sleep(renew_every)

    async def reconcile(ctx: Context, request: Request) -> None:
        """A node that is new to pretending has a heartbeat, and is ready, at once."""
        with suppress(NotFound):
            node = await ctx.client.api(Node).get(request.name)
            if not is_pretended(node):
                return
            act_for(request.name)
            with suppress(AlreadyExists):
                # The first heartbeat of all may have been quicker; the rest is to be done nevertheless.
                await _renew(ctx.client, node)
            await _report(ctx.client, node)
            if untaint:
                await _untaint(ctx.client, node)

    manager.add(run)
    manager.controller(Node, reconcile, name=NODE_STATUS, predicates=[_begins_to_pretend])


class _Refusals:
    """What the server refuses nodes, by a webhook that does not answer for one: told once, and tried again.

    The kubelets of other nodes have nothing to do with it, and the controllers of the cluster even less.
    """

    def __init__(self) -> None:
        self._last: Final[dict[str, str]] = {}

    @contextmanager
    def told(self, what: str) -> Iterator[None]:
        """Log what the server refuses within the block, if it did not just the same before."""
        try:
            yield
        except (NotFound, Conflict, AlreadyExists):
            pass  # Others were quicker, and what they did is looked at the next time.
        except KubewrightError as error:
            if self._last.get(what) != str(error):
                _log.warning("%s, which is tried again: %s", what, error)
            self._last[what] = str(error)
        else:
            self._last.pop(what, None)


def _begins_to_pretend(change: Change[Node]) -> bool:
    old, new = change.old, change.new
    if new is None or not is_pretended(new):
        return False
    return old is None or not is_pretended(old) or old.metadata.uid != new.metadata.uid


def is_pretended(node: Node) -> bool:
    """Whether the pods of a node are looked after here."""
    return node.metadata.annotations.get(PRETENDED) == "true"


def address_of(node: Node) -> str:
    """The address by which a node is known in the cluster."""
    return next((each.address for each in node.status.addresses if each.type == "InternalIP"), "")


async def _register(client: Client, number: int) -> None:
    name = f"node-{number}"
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": "amd64",
    }
    cidr = f"10.{244 + number // 256}.{number % 256}.0/24"
    node = Node(
        metadata=ObjectMeta(name=name, labels=labels, annotations={PRETENDED: "true"}),
        spec=NodeSpec(pod_cidr=cidr, pod_cidrs=[cidr]),
    )
    _make_well(node)
    with suppress(AlreadyExists):
        await client.api(Node).create(node, manager=_MANAGER)


async def _renew(client: Client, node: Node) -> None:
    leases = client.api(Lease, _LEASES)
    name, now = node.metadata.name, MicroTime.now(UTC)
    try:
        await leases.patch(name, {"spec": {"renewTime": format_micro_time(now)}}, manager=_MANAGER)
    except NotFound:
        owner = OwnerReference(api_version="v1", kind="Node", name=name, uid=node.metadata.uid)
        spec = LeaseSpec(holder_identity=name, lease_duration_seconds=_LEASE_SECONDS, renew_time=now)
        metadata = ObjectMeta(name=name, owner_references=[owner])
        await leases.create(Lease(metadata=metadata, spec=spec), manager=_MANAGER)


async def _report(client: Client, node: Node) -> bool:
    """Tell that a node is well, when its status does not; whether it was told.

    Raises Conflict when the node has changed meanwhile.
    """
    if _is_well(node):
        return False
    _make_well(node)
    told = await client.api(Node).update_status(node, manager=_MANAGER)
    node.metadata.resource_version = told.metadata.resource_version
    return True


def _is_well(node: Node) -> bool:
    known = {each.type: (each.status, each.reason) for each in node.status.conditions}
    return bool(node.status.capacity and node.status.addresses) and all(
        known.get(kind) == (status, reason) for kind, status, reason, _ in _CONDITIONS
    )


def _make_well(node: Node) -> None:
    now, known = datetime.now(UTC), {each.type: each for each in node.status.conditions}
    status = node.status
    status.capacity = {**_CAPACITY, **status.capacity}
    status.allocatable = {**_CAPACITY, **status.allocatable}
    others = [each for each in status.conditions if each.type not in {kind for kind, *_ in _CONDITIONS}]
    status.conditions = [*others, *(_condition(known, *each, now) for each in _CONDITIONS)]
    _describe(status, node.metadata.name)


async def _untaint(client: Client, node: Node) -> None:
    taints = [each.to_dict() for each in node.spec.taints if each.key != _NOT_READY]
    if len(taints) != len(node.spec.taints):
        await client.api(Node).patch(node.metadata.name, {"spec": {"taints": taints or None}})


def _condition(
    known: dict[str, NodeCondition], kind: str, status: str, reason: str, message: str, now: datetime
) -> NodeCondition:
    old = known.get(kind)
    since = old.last_transition_time if old is not None and old.status == status else now
    return NodeCondition(
        type=kind,
        status=status,
        reason=reason,
        message=message,
        last_heartbeat_time=now,
        last_transition_time=since,
    )


def _describe(status: NodeStatus, name: str) -> None:
    if not status.addresses:
        number = sum(name.encode()) % 250 + 2
        digits = name.rpartition("-")[2]
        if digits.isascii() and digits.isdigit() and int(digits) < 60_000:
            number = int(digits) + 1
        address = f"172.18.{number // 256}.{number % 256}"
        status.addresses = [
            NodeAddress(type="InternalIP", address=address),
            NodeAddress(type="Hostname", address=name),
        ]
    status.daemon_endpoints = NodeDaemonEndpoints(kubelet_endpoint=DaemonEndpoint(port=10250))
    status.node_info = NodeSystemInfo(
        architecture="amd64",
        boot_id="",
        container_runtime_version="kubewright://1.36",
        kernel_version="6.0.0-kubewright",
        kube_proxy_version="",
        kubelet_version=_VERSION,
        machine_id="",
        operating_system="linux",
        os_image="kubewright",
        system_uuid="",
    )
