"""A cluster whose pods are looked into over the wire."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from kubewright import Client
from kubewright.cluster.kubelet.script import PREFIX
from kubewright.models.core_v1 import Pod
from kubewright.testing import Cluster
from tests.cluster.clusters import eventually

__all__ = ["EXEC", "V4", "V5", "Scene", "on_cluster", "scene"]

EXEC = "/api/v1/namespaces/default/pods/p/exec"
V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"


class Scene:
    """A cluster with a kubelet and no other controllers."""

    def __init__(self, cluster: Cluster, client: Client, session: aiohttp.ClientSession) -> None:
        self.cluster = cluster
        self.client = client
        self.session = session
        self.pods = client.api(Pod, "default")

    async def run(
        self, name: str = "p", *, node: str = "node-1", running: bool = True, **script: str
    ) -> None:
        """A pod whose container pretends what a script says."""
        annotations = {PREFIX + word.replace("_", "-"): text for word, text in script.items()}
        spec = {"nodeName": node, "containers": [{"name": "main", "image": "nginx:1"}]}
        await self.pods.create(
            Pod.from_dict({"metadata": {"name": name, "annotations": annotations}, "spec": spec})
        )
        if running:
            await eventually(lambda: self.is_running(name), "the pod does not run")

    async def is_running(self, name: str) -> bool:
        statuses = (await self.pods.get(name)).status.container_statuses
        return bool(statuses and statuses[0].state.running)

    async def nothing_open(self) -> bool:
        return self.cluster.connections.count == 0

    def socket(self, *command: str, protocol: str = V5, **options: str) -> Any:
        query = [*(("command", word) for word in command), *options.items()]
        if "stdout" not in options:
            query += [("stdout", "true"), ("stderr", "true")]
        return self.session.ws_connect(EXEC, params=query, protocols=(protocol,), max_msg_size=0)


@asynccontextmanager
async def scene(**options: Any) -> AsyncIterator[Scene]:
    async with Cluster(controllers=["kubelet"], **options) as cluster:
        connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=cluster.ca_file))
        headers = {"Authorization": f"Bearer {cluster.token}"}
        async with (
            asyncio.timeout(120),
            Client(cluster.config) as client,
            aiohttp.ClientSession(cluster.url, connector=connector, headers=headers) as session,
        ):
            yield Scene(cluster, client, session)


def on_cluster(test: Callable[[Scene], Awaitable[None]], **options: Any) -> None:
    async def run() -> None:
        async with scene(**options) as made:
            await test(made)

    asyncio.run(run())
