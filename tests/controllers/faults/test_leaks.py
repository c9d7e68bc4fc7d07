"""Managers that are started and stopped again and again, and what keys that fail without end cost."""

from __future__ import annotations

import asyncio
import gc
import os
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from kubewright.client.client import Client
from kubewright.controllers import Context, Manager, Request, Source, controller
from kubewright.machinery.errors import KubewrightError
from kubewright.models.core_v1 import ConfigMap, Secret
from kubewright.testing import Cluster
from kubewright.workqueue import FastSlow
from tests.client.peers import run
from tests.controllers.faults.operators import Operator, define
from tests.controllers.running import managed, until
from tests.controllers.servers import App


class NotYet(KubewrightError):
    """Of which no trace is logged."""


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


async def settled() -> None:
    """Let those tasks close that are about to."""
    for _ in range(20):
        await asyncio.sleep(0)


async def start_and_stop(client: Client, namespace: str, cycle: int) -> None:
    """A manager with controllers, stopped at one moment or another."""
    operator = Operator()

    async def stuck(ctx: Context, request: Request) -> None:
        ctx.events.normal(await ctx.client.api(App, request.namespace).get(request.name), "Stuck", "it hangs")
        await asyncio.Event().wait()

    async def failing(ctx: Context, request: Request) -> None:
        raise RuntimeError("it never works")

    async def mapping(secret: Secret) -> list[Request]:
        await asyncio.Event().wait()
        return []

    def controllers(manager: Manager) -> None:
        manager.controller(App, operator.reconcile, owns=[ConfigMap], workers=2, resync=0.01)
        if cycle % 3 == 0:
            manager.controller(App, stuck, name="stuck", watches=[Source(Secret, mapping)])
        if cycle % 4 == 0:
            manager.controller(App, failing, name="failing")

    election = f"cycle-{cycle % 2}" if cycle % 5 == 0 else None
    async with managed(
        client, controllers, namespaces=namespace, stop_timeout=0.001, leader_election=election
    ) as manager:
        if cycle % 2:
            await until(lambda: operator.reconciles, "it works")
        else:
            for _ in range(cycle % 50):
                await asyncio.sleep(0)
        if cycle % 7 == 0:
            manager.controller(ConfigMap, operator.reconcile, name="late")


@pytest.mark.parametrize("cycles", [20, pytest.param(120, marks=pytest.mark.slow)])
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors as Linux shows them")
def test_starting_and_stopping_leaves_nothing(
    cluster: Cluster, cycles: int, caplog: pytest.LogCaptureFixture
) -> None:
    # What is logged is kept by the test, with traces.
    caplog.set_level("CRITICAL")

    async def test() -> None:
        async with Client(cluster.config) as client:
            namespace = await define(client)
            await client.api(App, namespace).create({"metadata": {"name": "a"}, "spec": {"size": 1}})
            for cycle in range(12):
                await start_and_stop(client, namespace, cycle)
            await settled()
            gc.collect()
            tasks, files, objects = len(asyncio.all_tasks()), descriptors(), len(gc.get_objects())
            for cycle in range(cycles):
                await start_and_stop(client, namespace, cycle)
            await until(lambda: len(asyncio.all_tasks()) <= tasks, "what closes has closed")
            await until(lambda: descriptors() <= files + 5, "connections are closed")
            gc.collect()
            more = len(gc.get_objects()) - objects
            assert more < 2000 + 2 * cycles, f"{more} objects more"

    run(test)


@pytest.mark.slow
def test_keys_that_fail_without_end_cost_no_more_and_more(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Each writes and then fails, with another message each time."""
    monkeypatch.setattr(controller, "_LOOK_EVERY", 0.05)
    caplog.set_level("CRITICAL")
    keys = 100

    async def test() -> None:
        async with Client(cluster.config) as client:
            namespace = await define(client)
            tries: Counter[str] = Counter()
            maps = client.api(ConfigMap, namespace)
            for number in range(5):
                await maps.create({"metadata": {"name": f"m{number}"}})

            async def reconcile(ctx: Context, request: Request) -> None:
                tries[request.name] += 1
                if tries[request.name] % 20 == 1:
                    number = int(request.name[1:]) % 5
                    own = ctx.client.api(ConfigMap, namespace)
                    await own.patch(f"m{number}", {"data": {"n": str(tries[request.name])}})
                raise RuntimeError(f"try {tries[request.name]} failed: {'x' * 1000}")

            def controllers(manager: Manager) -> None:
                limiter = FastSlow(0.001, 0.001, 1)
                manager.controller(App, reconcile, rate_limiter=limiter, workers=4)

            async with managed(client, controllers, namespaces=namespace) as manager:
                made = manager.controller_named("app")
                await until(lambda: made.is_synced, "it runs")
                for number in range(keys):
                    made.queue.add(Request(namespace, f"k{number}"))

                async def rounds(count: int) -> int:
                    await until(lambda: min(tries.values(), default=0) >= count, f"{count} rounds")
                    gc.collect()
                    return tracemalloc.get_traced_memory()[0]

                await until(lambda: len(tries) == keys, "all have begun")
                tracemalloc.start()
                try:
                    early = await rounds(15)
                    late = await rounds(45)
                finally:
                    tracemalloc.stop()
                # 3,000 failures of a kilobyte each lie between.
                assert late - early < 500_000, f"{late - early:,} bytes more"
                assert len(made._unseen) <= keys

    run(test)


def test_keys_that_are_done_leave_nothing(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """3,000 keys that fail, are retried, write and succeed: nothing is kept of any of them."""
    monkeypatch.setattr(controller, "_LOOK_EVERY", 0.05)

    async def test() -> None:
        async with Client(cluster.config) as client:
            namespace = await define(client)
            tries: Counter[str] = Counter()
            done = 0

            async def reconcile(ctx: Context, request: Request) -> None:
                nonlocal done
                tries[request.name] += 1
                if tries[request.name] == 1:
                    raise NotYet("the first time it does not work")
                if int(request.name[1:]) % 50 == 0:
                    await ctx.client.api(ConfigMap, namespace).patch("m", {"data": {"by": request.name}})
                done += 1

            def controllers(manager: Manager) -> None:
                manager.controller(App, reconcile, rate_limiter=limiter, workers=4)

            limiter = FastSlow(0.001, 0.001, 1)
            await client.api(ConfigMap, namespace).create({"metadata": {"name": "m"}})
            async with managed(client, controllers, namespaces=namespace) as manager:
                made = manager.controller_named("app")
                await until(lambda: made.is_synced, "it runs")
                for number in range(3000):
                    made.queue.add(Request(namespace, f"k{number}"))
                await until(lambda: done == 3000 and made.queue.is_idle, "all are done")
                await until(lambda: not made._unseen, "what was written is seen")
                assert limiter._failures._counts == {}
                assert made.running == ()
                assert made._warned == set()
                assert "0 ready, 0 worked on, 0 delayed" in repr(made.queue)

    run(test)
