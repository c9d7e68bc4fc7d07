"""A reconcile sees what the last one of its key has written, also when the caches are behind.

The caches here hear of everything late. Without that they would mostly know of a write before
its answer has come, and these tests would hold for any controller.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import msgspec
import pytest

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.controllers.context import Context
from kubewright.controllers.controller import Controller, Reconcile, Runtime
from kubewright.controllers.managed_cluster import Clusters, ManagedCluster
from kubewright.controllers.requests import Request, Result
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster, FaultProxy
from tests.controllers.running import config_map, until

A = Request("default", "a")
LAG = 0.03
"""Seconds: several times what a request takes here."""

Behind = Callable[..., AbstractAsyncContextManager[None]]
"""Runs a controller of config maps, with a reconciler and so many workers, for the length of a block."""


class Behindhand(ManagedCluster):
    """A cluster that is written to at once, and whose caches hear of it through another client."""

    def __init__(self, client: Client, slow: Client) -> None:
        super().__init__(slow)
        self.client = client  # type: ignore[misc]


def on_a_lagging_cache(test: Callable[[Client, Behind], Awaitable[None]]) -> None:
    """Run a test with a client, and with controllers whose caches are behind."""

    async def run() -> None:
        async with (
            Cluster(controllers="none") as cluster,
            FaultProxy(cluster.url) as proxy,
            asyncio.timeout(60),
        ):
            proxy.delay(LAG)
            late = msgspec.structs.replace(cluster.config, server=proxy.url)
            async with Client(cluster.config) as client, Client(late) as slow:

                @asynccontextmanager
                async def behind(reconcile: Reconcile, workers: int = 1) -> AsyncIterator[None]:
                    managed = Behindhand(client, slow)
                    controller = Controller("test", ConfigMap, reconcile, workers=workers, cluster=managed)
                    async with Clusters(managed) as clusters:
                        running = asyncio.create_task(controller.run(Runtime(clusters, None)))
                        try:
                            yield
                        finally:
                            controller.stop()
                            await running

                await test(client, behind)

    asyncio.run(run())


async def by_patch(maps: Api[ConfigMap], name: str, count: int) -> None:
    await maps.patch(name, {"data": {"count": str(count)}})


async def by_retry(maps: Api[ConfigMap], name: str, count: int) -> None:
    def change(found: ConfigMap) -> None:
        found.data["count"] = str(count)

    await maps.retry_on_conflict(name, change)


@pytest.mark.parametrize("write", [by_patch, by_retry])
def test_a_reconcile_sees_what_the_last_one_wrote(
    write: Callable[[Api[ConfigMap], str, int], Awaitable[None]],
) -> None:
    async def test(client: Client, behind: Behind) -> None:
        stale: list[str] = []
        written: dict[str, int] = {}

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            if not request.name.startswith("n"):
                return None
            maps = ctx.client.api(ConfigMap, request.namespace)
            found = await maps.get(request.name)
            count = int(found.data.get("count", "0"))
            if count != written.get(request.name, 0):
                stale.append(f"{request.name}: {count}, and {written[request.name]} was written")
            if count >= 20:
                return None
            await write(maps, request.name, count + 1)
            written[request.name] = count + 1
            return Result(requeue_after=0.0001)

        maps = client.api(ConfigMap, "default")
        for number in range(10):
            await maps.create(config_map(f"n{number}"))
        async with behind(reconcile, workers=4):
            await until(lambda: list(written.values()) == [20] * 10, f"{written}")
        assert not stale

    on_a_lagging_cache(test)


def test_a_reconcile_does_not_see_what_the_last_one_deleted() -> None:
    async def test(client: Client, behind: Behind) -> None:
        log: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            if request != A or len(log) >= 40:
                return None
            maps = ctx.client.api(ConfigMap, "default")
            children = [each.metadata.name async for each in maps.list(labels="child")]
            log.append(f"{len(children)}")
            if children:
                await maps.delete(children[0])
            else:
                await maps.create({"metadata": {"name": f"c{len(log)}", "labels": {"child": ""}}})
            return Result(requeue_after=0.0001)

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with behind(reconcile):
            await until(lambda: len(log) >= 40, "enough")
        assert "".join(log) == "01" * 20

    on_a_lagging_cache(test)


def test_a_reconcile_does_not_see_an_object_whose_last_finalizer_it_took_away() -> None:
    async def test(client: Client, behind: Behind) -> None:
        cleaned: Counter[str] = Counter()
        gone: set[str] = set()

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            maps = ctx.client.api(ConfigMap, "default")
            try:
                found = await maps.get(request.name)
            except NotFound:
                gone.add(request.name)
                return None
            if found.metadata.deletion_timestamp is None:
                return None
            cleaned[request.name] += 1
            await maps.patch(request.name, {"metadata": {"finalizers": None}})
            return Result(requeue_after=0.0001)

        maps = client.api(ConfigMap, "default")
        names = [f"n{number}" for number in range(20)]
        for name in names:
            await maps.create({"metadata": {"name": name, "finalizers": ["example.com/hold"]}})
        async with behind(reconcile, workers=4):
            await asyncio.gather(*(maps.delete(name) for name in names))
            await until(lambda: set(names) <= gone, "all are gone")
        assert cleaned == dict.fromkeys(names, 1)

    on_a_lagging_cache(test)


def test_writes_that_are_forgotten_while_a_reconcile_waits_for_them_fail_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # The watchdog looks at every turn of the event loop, and so also between a write's being seen and the
    # next turn of the worker that has waited for it.
    monkeypatch.setattr("kubewright.controllers.controller._LOOK_EVERY", 0.0)

    async def test(client: Client, behind: Behind) -> None:
        count = 0

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            nonlocal count
            if request != A or count == 20:
                return None
            count += 1
            await by_patch(ctx.client.api(ConfigMap, "default"), "a", count)
            return Result(requeue_after=0.0001)

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with behind(reconcile):
            await until(lambda: count == 20, "enough")

    on_a_lagging_cache(test)
    assert not caplog.messages
