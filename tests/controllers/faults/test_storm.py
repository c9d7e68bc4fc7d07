"""100,000 enqueues on ten keys: one worker each at most, few reconciles, and none is lost."""

from __future__ import annotations

import asyncio
import gc
import time
import tracemalloc
from collections import Counter

import pytest

from kubewright.client.client import Client
from kubewright.controllers import Context, Manager, Request, Source, Terminal
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster
from tests.client.peers import run
from tests.controllers.faults.operators import Operator, World, define
from tests.controllers.running import managed, until
from tests.controllers.servers import App

KEYS = 10
ENQUEUES = 100_000
WORKERS = 4
TAKES = 0.01
"""Seconds of a reconcile, at least."""


class Watched:
    """A reconciler that notes when it began with a key, and who else was at it."""

    def __init__(self, inner: Operator) -> None:
        self._inner = inner
        self.began: dict[Request, int] = {}
        self.wanted: dict[Request, int] = {}
        """What had been asked for when the last reconcile of a key began, and what has been by now."""
        self.count: Counter[Request] = Counter()
        self.at_once = 0
        self.most_at_once = 0

    def want(self, request: Request, number: int) -> None:
        self.wanted[request] = number

    async def reconcile(self, ctx: Context, request: Request) -> None:
        self.began[request] = self.wanted.get(request, 0)
        self.count[request] += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            # So that the storm goes on while keys are worked on: what has nothing to do awaits nothing.
            await asyncio.sleep(TAKES)
            await self._inner.reconcile(ctx, request)
        finally:
            self.at_once -= 1


@pytest.mark.parametrize("burst", [1, 100, ENQUEUES])
def test_a_storm_of_enqueues(cluster: Cluster, burst: int) -> None:
    """One by one, in bursts between which reconciles run, and all at once."""

    async def test() -> None:
        async with Client(cluster.config) as client:
            namespace, operator = await define(client), Operator()
            watched = Watched(operator)

            def controllers(manager: Manager) -> None:
                manager.controller(App, watched.reconcile, owns=[ConfigMap], workers=WORKERS)

            async with managed(client, controllers, namespaces=namespace) as manager:
                world = World(client, namespace, operator, manager)
                names = [f"a{number}" for number in range(KEYS)]
                await world.create(*names, size=1)
                await world.healed()
                watched.count.clear()
                queue = manager.controller_named("app").queue
                keys = [Request(namespace, name) for name in names]
                waited = 0
                begun = time.monotonic()
                for number in range(ENQUEUES):
                    key = keys[number * 7 % KEYS]
                    watched.want(key, number)
                    queue.add(key, priority=number % 3)
                    waited = max(waited, len(queue))
                    if number % burst == burst - 1:
                        await asyncio.sleep(0)
                await until(
                    lambda: watched.began == watched.wanted and queue.is_idle, "each is reconciled last"
                )
                took = time.monotonic() - begun
                assert operator.doubled == []
                assert watched.most_at_once <= WORKERS
                assert waited <= KEYS, "a key waits once, however often it was added"
                # As many as the workers could do in that time; all others were the same ones again.
                total = sum(watched.count.values())
                assert KEYS <= total <= WORKERS * took / TAKES + KEYS, total
                assert total < ENQUEUES / 4
                if burst == ENQUEUES:
                    assert total <= 2 * KEYS
                await world.healed()
                assert not any(queue.depths().values())

    run(test)


def test_a_storm_needs_no_memory(cluster: Cluster) -> None:
    async def test() -> None:
        async with Client(cluster.config) as client:
            namespace = await define(client)
            keys = [Request(namespace, f"a{number}") for number in range(KEYS)]

            async def reconcile(ctx: Context, request: Request) -> None:
                await asyncio.sleep(0)
                if request.name == "a1":
                    raise Terminal("it is of no use")

            def controllers(manager: Manager) -> None:
                manager.controller(App, reconcile, workers=WORKERS)

            async with managed(client, controllers, namespaces=namespace) as manager:
                queue = manager.controller_named("app").queue
                await until(lambda: manager.controller_named("app").is_synced, "it runs")

                async def storm(count: int) -> None:
                    for number in range(count):
                        queue.add(keys[number % KEYS])
                        if number % 1000 == 0:
                            await asyncio.sleep(0)
                    await until(lambda: queue.is_idle, "it is quiet")

                await storm(1000)
                gc.collect()
                tracemalloc.start()
                try:
                    size, _ = tracemalloc.get_traced_memory()
                    await storm(ENQUEUES)
                    gc.collect()
                    left, most = tracemalloc.get_traced_memory()
                finally:
                    tracemalloc.stop()
                assert most - size < 1 << 20, f"{most - size:,} bytes"
                assert left - size < 1 << 17, f"{left - size:,} bytes"

    run(test)


def test_a_storm_through_a_mapping(cluster: Cluster) -> None:
    """One object for which all others are to be looked at, each often, changed 100 times in a row."""

    async def test() -> None:
        async with Client(cluster.config) as client:
            namespace, operator = await define(client), Operator()
            names = [f"a{number}" for number in range(KEYS)]
            mapped = 0

            def everybody(config: ConfigMap) -> list[Request]:
                nonlocal mapped
                if config.metadata.name != "settings":
                    return []
                mapped += 1
                return [Request(namespace, name) for name in names] * 20

            def controllers(manager: Manager) -> None:
                manager.controller(
                    App, operator.reconcile, watches=[Source(ConfigMap, everybody)], workers=WORKERS
                )

            async with managed(client, controllers, namespaces=namespace) as manager:
                world = World(client, namespace, operator, manager)
                await world.create(*names, size=1)
                await client.api(ConfigMap, namespace).create({"metadata": {"name": "settings"}})
                await world.healed()
                before = sum(operator.reconciles.values())
                settings = client.api(ConfigMap, namespace)
                for number in range(100):
                    await settings.patch("settings", {"data": {"n": str(number)}})
                queue = manager.controller_named("app").queue
                await until(lambda: mapped > 2 and queue.is_idle, "it is quiet")
                await world.healed()
                assert sum(operator.reconciles.values()) - before <= 101 * KEYS
                assert operator.doubled == []

    run(test)
