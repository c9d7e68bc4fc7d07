"""Informers that are started and stopped again and again, and what is left of one that is closed."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import tracemalloc
import weakref
from pathlib import Path
from typing import Any

import pytest

from kubewright.client.client import Client
from kubewright.informers import Change, Informers
from kubewright.machinery.errors import NotSynced
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster
from tests.client.peers import run
from tests.client.watch_script import eventually
from tests.informers.faults.connecting import fresh_namespace, named
from tests.informers.faults.histories import PATIENCE, History


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def memory() -> int:
    """Resident bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def settled() -> None:
    """Let those tasks close that are about to."""
    for _ in range(20):
        await asyncio.sleep(0)


async def start_and_stop(client: Client, namespace: str, cycle: int) -> None:
    """An informer with handlers, left in one way or another."""

    async def stuck(change: Change[Any]) -> None:
        await asyncio.Event().wait()

    async with Informers(client, streams=cycle % 5 == 4) as informers:
        informer = informers.of(ConfigMap, namespace, index={"name": lambda each: [each.metadata.name]})
        registration = informer.on_change(stuck if cycle % 4 == 0 else History(), resync=10)
        if cycle % 3 == 0:
            await informer.synced(timeout=PATIENCE)
            assert len(informer) == 1
        elif cycle % 3 == 1:
            # While it connects, at one moment or another.
            for _ in range(cycle % 40):
                await asyncio.sleep(0)
        else:
            waiting = asyncio.create_task(informer.seen("1", timeout=PATIENCE))
            await asyncio.wait([waiting, asyncio.create_task(asyncio.sleep(0))])
            waiting.cancel()
            registration.remove()
        if cycle % 7 == 0:
            await informer.close()


@pytest.mark.parametrize(
    "cycles", [200, pytest.param(10_000, marks=pytest.mark.slow)], ids=["hundreds", "ten thousand"]
)
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors as Linux shows them")
def test_starting_and_stopping_leaves_nothing(cluster: Cluster, cycles: int) -> None:
    async def test() -> None:
        async with Client(cluster.config) as client:
            namespace = await fresh_namespace(client)
            await client.api(ConfigMap, namespace).create(named("a"))
            for cycle in range(100):
                await start_and_stop(client, namespace, cycle)
            await settled()
            gc.collect()
            tasks, files, size = len(asyncio.all_tasks()), descriptors(), memory()
            objects = len(gc.get_objects())
            for cycle in range(cycles):
                await start_and_stop(client, namespace, cycle)
            await eventually(lambda: len(asyncio.all_tasks()) <= tasks, within=PATIENCE)
            await eventually(lambda: descriptors() <= files + 5, within=PATIENCE)
            gc.collect()
            assert len(gc.get_objects()) - objects < 2000
            # What the server in the same process keeps is in it as well.
            assert memory() - size < 32 << 20

    run(test, within=3600)


def test_what_a_closed_informer_knew_is_released(cluster: Cluster) -> None:
    """Also while somebody still has the informer, a handler that is stuck and what it was told."""
    count, size = 300, 20_000

    async def test() -> None:
        async with Client(cluster.config) as client:
            namespace = await fresh_namespace(client)
            maps = client.api(ConfigMap, namespace)
            for number in range(count):
                await maps.create(named(f"m{number}", x=os.urandom(size // 2).hex()))
            reached = asyncio.Event()

            async def stuck(change: Change[ConfigMap]) -> None:
                reached.set()
                await asyncio.Event().wait()

            tracemalloc.start()
            try:
                gc.collect()
                before = tracemalloc.get_traced_memory()[0]
                async with Client(cluster.config) as own, Informers(own) as informers:
                    informer = informers.of(ConfigMap, namespace, index={"x": lambda each: [each.data["x"]]})
                    registration = informer.on_change(stuck)
                    await informer.synced(timeout=PATIENCE)
                    await reached.wait()
                    assert len(informer.list(labels="a!=b")) == count
                    kept: Any = informer._store.get(f"{namespace}/m0")
                    gc.collect()
                    assert tracemalloc.get_traced_memory()[0] - before > count * size
                    await informer.close()
                gc.collect()
                # The server, in this process too, has the last answer of a connection until that is closed.
                await eventually(
                    lambda: tracemalloc.get_traced_memory()[0] - before < count * size / 10, within=PATIENCE
                )
            finally:
                tracemalloc.stop()
            # This variable and the argument of the call are all that refer to it.
            assert sys.getrefcount(kept) == 2
            assert len(registration) == 0
            with pytest.raises(NotSynced, match="is closed"):
                informer.list()

    run(test)


def test_an_informer_itself_is_released(cluster: Cluster) -> None:
    async def test() -> None:
        async with Client(cluster.config) as client:
            refs: list[weakref.ref[Any]] = []

            async def use() -> None:
                async with Informers(client) as informers:
                    informer = informers.of(ConfigMap, "default")
                    history = History()
                    await informer.on_change(history, resync=5).synced(timeout=PATIENCE)
                    refs.extend(weakref.ref(each) for each in (informers, informer, informer._store, history))

            def is_released() -> bool:
                gc.collect()
                return [ref() for ref in refs] == [None] * 4

            await use()
            await eventually(is_released, within=PATIENCE)

    run(test)
