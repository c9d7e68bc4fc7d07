"""A manager on a cluster of its own, for the length of a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from kubewright.client.client import Client
from kubewright.controllers.manager import Manager
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster

__all__ = ["PATIENCE", "config_map", "managed", "on_a_cluster", "until"]

PATIENCE = 60.0
"""Seconds that anything may take on a busy machine."""


def on_a_cluster(test: Callable[[Client], Awaitable[None]]) -> None:
    """Run a test with a client of a fresh cluster."""

    async def run() -> None:
        async with (
            Cluster(controllers="none") as cluster,
            Client(cluster.config) as client,
            asyncio.timeout(3 * PATIENCE),
        ):
            await test(client)

    asyncio.run(run())


@asynccontextmanager
async def managed(
    client: Client, set_up: Callable[[Manager], object], **options: Any
) -> AsyncIterator[Manager]:
    """A manager that runs in the block, and is stopped after it; what it raises is raised."""
    async with Manager(client, signals=False, **options) as manager:
        set_up(manager)
        running = asyncio.create_task(manager.run())
        try:
            yield manager
        finally:
            manager.stop()
            await asyncio.wait_for(running, PATIENCE)


async def until(is_so: Callable[[], object], what: str) -> None:
    """Wait for something that other tasks bring about."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not is_so():  # noqa: ASYNC110 - whatever it is, it has no event
                await asyncio.sleep(0.005)
    except TimeoutError:
        raise AssertionError(what) from None


def config_map(name: str, **data: str) -> ConfigMap:
    """In the namespace default."""
    return ConfigMap.from_dict({"metadata": {"name": name, "namespace": "default"}, "data": data})
