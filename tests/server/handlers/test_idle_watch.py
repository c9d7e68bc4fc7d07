"""A watch of a server on which nothing happens."""

from __future__ import annotations

import asyncio

import pytest

from kubewright.client.client import Client
from kubewright.models.core_v1 import Secret
from kubewright.server.registry.watching import BOOKMARK_INTERVAL
from kubewright.testing import Cluster


@pytest.mark.slow
def test_it_has_a_bookmark_each_minute() -> None:
    """Or clients would take the connection for dead."""

    async def run() -> list[str]:
        heard = []
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            secrets = client.api(Secret, "default")
            await secrets.create({"metadata": {"name": "a"}})
            async with asyncio.timeout(2 * BOOKMARK_INTERVAL + 30):
                async for event in secrets.watch(bookmarks=True):
                    heard.append(event.type)
                    if heard.count("BOOKMARK") == 3:
                        break
        return heard

    # The first ends what was there, and the other two come of themselves.
    assert asyncio.run(run()) == ["ADDED", "BOOKMARK", "BOOKMARK", "BOOKMARK"]
