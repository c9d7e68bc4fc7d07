"""Nodes that are nothing but objects, and hearts that beat for them until a test stops them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from kubewright import Client, NotFound
from kubewright.machinery.time import format_micro_time, format_time
from kubewright.models.coordination_v1 import Lease
from kubewright.models.core_v1 import Node

__all__ = ["Hearts", "hearts", "node"]

_EVERY = 0.5
"""Seconds between two beats; see GRACE of test_differential for when the real cluster gives up."""


def node(name: str, *, cpu: str = "4", pods: str = "110", ready: str = "True", **more: Any) -> dict[str, Any]:
    """A node as its kubelet would post it; `more` is its metadata's labels and its spec."""
    now = format_time(datetime.now(UTC))
    condition = {"lastHeartbeatTime": now, "lastTransitionTime": now}
    well = [
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", ready, "KubeletReady", "kubelet is posting ready status"),
    ]
    amounts = {"cpu": cpu, "memory": "4Gi", "ephemeral-storage": "10Gi", "pods": pods}
    return {
        "metadata": {"name": name, "labels": more.pop("labels", {})},
        "spec": more,
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": [
                {"type": kind, "status": status, "reason": reason, "message": message, **condition}
                for kind, status, reason, message in well
            ],
        },
    }


class Hearts:
    """Renews the leases of nodes, and says that they are well."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._beating: set[str] = set()

    async def start(self, *nodes: dict[str, Any]) -> None:
        """Create nodes that are not there, tell their statuses, and let their hearts beat."""
        api = self._client.api(Node)
        for each in nodes:
            name = each["metadata"]["name"]
            try:
                await api.get(name)
            except NotFound:
                await api.create(each)
            await api.patch(name, {"status": each["status"]}, subresource="status")
            await self._beat(name)
            self._beating.add(name)

    def stop(self, *names: str) -> None:
        """Let some go silent."""
        self._beating.difference_update(names)

    async def run(self) -> None:
        """Beat until it is cancelled, all at once: a look at all nodes hardly ever falls in between."""
        while True:
            await asyncio.gather(*map(self._beat, self._beating))
            await asyncio.sleep(_EVERY)

    async def _beat(self, name: str) -> None:
        leases = self._client.api(Lease, "kube-node-lease")
        spec = {"holderIdentity": name, "renewTime": format_micro_time(datetime.now(UTC))}
        try:
            await leases.patch(name, {"spec": spec})
        except NotFound:
            await leases.create({"metadata": {"name": name}, "spec": {**spec, "leaseDurationSeconds": 40}})


@asynccontextmanager
async def hearts(client: Client, nodes: Sequence[dict[str, Any]]) -> AsyncIterator[Hearts]:
    """Nodes for the length of a block; afterwards there are none."""
    made = Hearts(client)
    await made.start(*nodes)
    beating = asyncio.create_task(made.run())
    try:
        yield made
    finally:
        beating.cancel()
        for kind, namespace in ((Node, None), (Lease, "kube-node-lease")):
            api = client.api(kind, namespace)
            for each in [found async for found in api.list()]:
                with suppress(NotFound):
                    await api.delete(each.metadata.name)
