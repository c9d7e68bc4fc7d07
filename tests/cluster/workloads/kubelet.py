"""Pods that run because a test says so: on our cluster and on a real one, without kubelets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import TypeVar

from kubewright import Client
from kubewright.client.api import Api
from kubewright.machinery.errors import NotFound
from kubewright.machinery.resource import Resource
from kubewright.models.core_v1 import Pod

__all__ = ["becomes", "make_ready", "ready_pods"]

K = TypeVar("K", bound=Resource)


async def becomes(api: Api[K], name: str, is_so: Callable[[K], bool]) -> K:
    """Wait until there is an object that is as it should be."""
    found = await api.wait_for(name, is_so, timeout=60)
    assert found is not None
    return found


async def make_ready(pods: Api[Pod], name: str, *, ready: bool = True) -> None:
    """Have a pod run, and say whether it is ready; one that is gone stays so."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    condition = {"type": "Ready", "status": "True" if ready else "False", "lastTransitionTime": now}
    patch = {"status": {"phase": "Running", "conditions": [condition]}}
    with suppress(NotFound):
        await pods.patch(name, patch, type="strategic", subresource="status")


def _all(_: Pod) -> bool:
    return True


@asynccontextmanager
async def ready_pods(
    client: Client, namespace: str, *, which: Callable[[Pod], bool] = _all
) -> AsyncIterator[None]:
    """Have all pods of a namespace that come in the block become ready, or some of them."""
    pods = client.api(Pod, namespace)
    seen: set[str] = set()

    async def run() -> None:
        async with asyncio.TaskGroup() as tasks:
            async for event in pods.watch():
                name = event.object.metadata.name
                if event.type != "DELETED" and name not in seen and which(event.object):
                    seen.add(name)
                    tasks.create_task(make_ready(pods, name))

    running = asyncio.create_task(run())
    try:
        yield
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
