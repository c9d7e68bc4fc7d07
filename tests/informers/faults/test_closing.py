"""Who waits for an informer, or raises in its block, when that ends."""

from __future__ import annotations

import asyncio

import pytest

from kubewright.client.client import Client
from kubewright.informers import Informers
from kubewright.machinery.errors import NotFound, NotSynced
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster
from tests.client.peers import run
from tests.client.watch_script import Streamed, scripted
from tests.informers.faults.histories import PATIENCE


def test_whoever_waits_is_told_that_it_is_closed() -> None:
    async def test() -> None:
        async with scripted(Streamed(then="hang")) as (client, _, _):
            async with Informers(client) as informers:
                informer = informers.of(ConfigMap)
                waiting = [
                    asyncio.create_task(informer.synced()),
                    asyncio.create_task(informers.synced()),
                    asyncio.create_task(informer.seen("5", timeout=None)),
                ]
                await asyncio.sleep(0)
            for task in waiting:
                with pytest.raises(NotSynced, match="the informer of ConfigMap is closed"):
                    await task
            assert not informer.is_synced
            with pytest.raises(NotSynced, match="is closed"):
                await informer.seen("5")
            with pytest.raises(NotSynced, match="is closed"):
                await informer.synced()

    run(test)


def test_what_the_block_raises_is_raised_as_it_is(cluster: Cluster) -> None:
    async def look_for_nobody(client: Client) -> None:
        async with Informers(client) as informers:
            await informers.of(ConfigMap, "default").synced(timeout=PATIENCE)
            await client.api(ConfigMap, "default").get("nobody")

    async def wait_for_ever(client: Client) -> None:
        async with Informers(client) as informers:
            informers.of(ConfigMap, "default")
            await asyncio.Event().wait()

    async def test() -> None:
        async with Client(cluster.config) as client:
            with pytest.raises(NotFound):
                await look_for_nobody(client)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(wait_for_ever(client), 0.05)

    run(test)
