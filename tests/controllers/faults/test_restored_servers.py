"""A server that comes back with less than it had: what was written since is done again."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from kubewright.client import watch_loop
from kubewright.client.client import Client
from kubewright.config import Config
from kubewright.controllers import Context, Manager, Request
from kubewright.machinery.errors import WaitTimeout
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster, FaultProxy
from tests.client.peers import run, status
from tests.controllers.faults.gateway import Gateway
from tests.controllers.faults.operators import (
    Operator,
    World,
    check_log,
    define,
    healed,
    operating,
    quick,
    reported,
)
from tests.controllers.running import PATIENCE, managed, until
from tests.controllers.servers import App
from tests.informers.faults.connecting import set_up as informed_of


@contextmanager
def serving(folder: Path, port: int) -> Iterator[Cluster]:
    with Cluster.in_thread(port=port, data_dir=folder, controllers="none") as cluster:
        yield cluster


async def prepare(data: Path) -> tuple[int, str]:
    """What the backup is to have: Apps, one of which has a wrong child, and one none; the port, and where."""
    with serving(data, 0) as cluster:
        async with Client(cluster.config) as client:
            namespace, operator = await define(client), Operator(finalizer=True)
            async with operating(client, operator, namespace) as manager:
                world = World(client, namespace, operator, manager)
                await world.create("kept", "changed", "deleted", "adrift", size=1)
                await world.healed()
            await world.children.patch("adrift", {"data": {"size": "wrong"}})
            await world.create("late", size=7)
        return int(cluster.url.rpartition(":")[2]), namespace


@pytest.mark.slow
def test_a_server_at_a_lower_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What was changed and deleted since is as it was, what was created is gone, and all is made to fit."""
    monkeypatch.setattr(watch_loop, "_PROOF_AFTER", 0.2)
    data, backup = tmp_path / "data", tmp_path / "backup"

    async def test() -> None:
        port, namespace = await prepare(data)
        shutil.copytree(data, backup)
        with FaultProxy(f"https://127.0.0.1:{port}") as proxy, quick():
            first = serving(data, port)
            cluster = first.__enter__()
            through: Config = msgspec.structs.replace(cluster.config, server=proxy.url)
            operator = Operator(finalizer=True)
            async with (
                Client(through, timeout=2) as client,
                operating(client, operator, namespace) as manager,
            ):
                async with Client(cluster.config) as direct:
                    world = World(direct, namespace, operator, manager)
                    await world.healed()
                    await world.change("changed", size=2)
                    await world.apps.delete("deleted")
                    await world.create(*(f"lost{number}" for number in range(20)), size=1)
                    await world.healed()
                    highest = int((await world.apps.get("lost19")).metadata.resource_version)
                    # What is written last is not seen by the watches, which hear of nothing any more.
                    proxy.stall()
                    await world.change("changed", size=3)
                    proxy.cut()
                    proxy.refuse()
                first.__exit__(None, None, None)
                with serving(backup, port) as restored:
                    proxy.resume()
                    async with Client(restored.config) as direct:
                        await healed(direct, namespace)
                        world = World(direct, namespace, operator, manager)
                        await until(lambda: "lost0" not in informed(world), "the lost ones are gone")
                        names = {each.metadata.name async for each in world.apps.list()}
                        assert names == {"kept", "changed", "deleted", "adrift", "late"}
                        # It goes on from there, below the revision that it was at.
                        await world.change("changed", size=9)
                        await world.create("new", size=1)
                        await world.apps.delete("kept")
                        await world.healed()
                        new = await world.apps.get("new")
                        assert int(new.metadata.resource_version) < highest
            assert reported(caplog, "asyncio") == []

    with caplog.at_level(logging.INFO):
        run(test)
    check_log(caplog)


def informed(world: World) -> set[str]:
    """What the operator's cache has, by name."""
    [informer] = world.manager._clusters.own.cache.running(App.gvk)
    return {each.metadata.name for each in informer.list()}


@pytest.mark.slow
@pytest.mark.parametrize("deletes", [False, True], ids=["written", "deleted"])
def test_writes_that_are_lost_with_a_backup_hold_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deletes: bool
) -> None:
    """The caches were behind when the server went: what was written last never comes, nor a last deletion."""
    monkeypatch.setattr(watch_loop, "_PROOF_AFTER", 0.2)
    data, backup = tmp_path / "data", tmp_path / "backup"
    begun: list[str] = []

    async def reconcile(ctx: Context, request: Request) -> None:
        maps = ctx.client.api(ConfigMap, request.namespace)
        assert [each async for each in maps.list()], "there is a cache"
        begun.append(request.name)
        if len(begun) == 2 and deletes:
            await maps.delete("child")
        else:
            await maps.patch("child", {"data": {"turn": str(len(begun))}})

    async def test() -> None:
        with serving(data, 0) as cluster:
            port = int(cluster.url.rpartition(":")[2])
            async with Client(cluster.config) as client:
                namespace = await define(client)
                await client.api(App, namespace).create({"metadata": {"name": "a"}, "spec": {"size": 1}})
                await client.api(ConfigMap, namespace).create({"metadata": {"name": "child"}})
        shutil.copytree(data, backup)
        first = serving(data, port)
        cluster = first.__enter__()
        gateway = Gateway(cluster)

        def controllers(manager: Manager) -> None:
            manager.controller(App, reconcile)

        with quick():
            async with (
                gateway.serving() as config,
                Client(config, timeout=2) as client,
                managed(client, controllers, namespaces=namespace) as manager,
            ):
                controller = manager.controller_named("app")
                await until(lambda: begun, "it has begun")
                [informer] = manager._clusters.own.cache.running(ConfigMap.gvk)
                async with Client(cluster.config) as direct:
                    # So that the restored server does not get as far by itself.
                    for number in range(50):
                        metadata = {"name": f"m{number}"}
                        last = await direct.api(ConfigMap, namespace).create({"metadata": metadata})
                await informer.seen(last)
                gateway.lag = 1000.0
                controller.queue.add(Request(namespace, "a"))
                await until(lambda: len(begun) == 2 and not controller.running, "it has written again")
                gateway.answer = lambda asked: status(503)
                gateway.end_watches()
                first.__exit__(None, None, None)
                with serving(backup, port):
                    gateway.lag, gateway.answer = 0.0, lambda asked: None
                    controller.queue.add(Request(namespace, "a"))
                    await until(lambda: len(begun) == 3 and not controller.running, "nothing holds it up")
                    found = informer.get(f"{namespace}/child")
                    assert found is not None
                    assert not controller.queue.retries(Request(namespace, "a"))

    run(test)


def test_what_was_written_before_a_list_is_not_waited_for(cluster: Cluster) -> None:
    """Whether the server still has it or not; and what is written after the list began, is."""

    async def test() -> None:
        with FaultProxy(cluster.url) as proxy:
            async with informed_of(cluster, proxy, "a") as made:
                informer, key = made.informer, f"{made.namespace}/a"
                kept = informer.get(key)
                assert kept is not None
                uid, lost = kept.metadata.uid, str(10**9)
                at = time.monotonic()
                assert not informer.has_seen(lost, at=at)
                assert not informer.has_gone(key, uid, at=at)
                waiting = [
                    asyncio.create_task(informer.seen(lost, namespace=made.namespace, at=at)),
                    asyncio.create_task(informer.gone(key, uid, at=at)),
                ]
                proxy.refuse()
                proxy.cut()
                last = await made.maps.create({"metadata": {"name": "b"}})
                cluster.compact(int(last.metadata.resource_version))
                proxy.resume()
                await asyncio.wait_for(asyncio.gather(*waiting), PATIENCE)
                assert informer.get(key) is not None
                later = time.monotonic()
                assert not informer.has_seen(lost, at=later)
                assert not informer.has_gone(key, uid, at=later)
                with pytest.raises(WaitTimeout, match="was not seen"):
                    await informer.seen(lost, at=later, timeout=0.05)
                with pytest.raises(WaitTimeout, match="was not seen"):
                    await informer.gone(key, uid, at=later, timeout=0.05)

    run(test)
