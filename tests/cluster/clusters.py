"""Clusters with the controllers that a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from kubewright import Client
from kubewright.testing import Cluster

__all__ = ["PATIENCE", "eventually", "with_cluster"]

PATIENCE = 60.0
"""Seconds that anything may take on a busy machine."""


def with_cluster(test: Callable[[Client], Awaitable[None]], *controllers: str, **options: Any) -> None:
    """Run a test with a client of a fresh cluster that has some controllers, or all."""

    async def run() -> None:
        async with (
            Cluster(controllers=controllers or "*", **options) as cluster,
            Client(cluster.config) as client,
            asyncio.timeout(240),
        ):
            await test(client)

    asyncio.run(run())


async def eventually(is_so: Callable[[], Awaitable[object]], what: str) -> None:
    """Wait for something that controllers bring about."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not await is_so():  # noqa: ASYNC110 - whatever it is, it has no event
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(what) from None
