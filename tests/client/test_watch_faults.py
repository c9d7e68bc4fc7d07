"""Watches through broken networks, over TLS to a server: nothing lost, nothing twice, nothing left behind."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.client.forms import form_of
from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.client.watch import Watch
from kubewright.client.watch_state import WatchState
from kubewright.config import Config, config_from_kubeconfig
from kubewright.machinery.errors import NotFound
from kubewright.machinery.options import ListOptions
from kubewright.machinery.unstructured import Unstructured
from kubewright.machinery.watch import WatchDecoder
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster, FaultProxy
from tests.client.peers import run
from tests.client.watch_script import eventually

PATIENCE = 60.0
"""Seconds that the next event may take on a busy machine; less than a watch is silent for by itself."""

Told = tuple[str, str, str]
"""The type, name and revision of an event."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none") as made:
        yield made


@pytest.fixture
def proxy(cluster: Cluster) -> Iterator[FaultProxy]:
    with FaultProxy(cluster.url) as made:
        yield made


def config_of(cluster: Cluster, proxy: FaultProxy | None = None) -> Config:
    config = config_from_kubeconfig(Path(cluster.kubeconfig).read_text())
    return config if proxy is None else msgspec.structs.replace(config, server=proxy.url)


@asynccontextmanager
async def two_ways(
    cluster: Cluster, proxy: FaultProxy
) -> AsyncIterator[tuple[Api[ConfigMap], Api[ConfigMap]]]:
    """The ConfigMaps of a fresh namespace: directly, and through the proxy."""
    async with Client(config_of(cluster)) as direct, Client(config_of(cluster, proxy)) as proxied:
        made = await direct.dynamic("v1", "Namespace").create({"metadata": {"generateName": "faults-"}})
        name = made.metadata.name
        yield direct.api(ConfigMap, name), proxied.api(ConfigMap, name)


def quick_watch(sender: Sender, namespace: str, random: Random) -> Watch[ConfigMap]:
    """A watch without pauses between its connections, so that many of them can break in a short time."""

    async def request(options: ListOptions) -> Request:
        path = f"/api/v1/namespaces/{namespace}/configmaps"
        return Request(method="GET", path=path, query=options.to_query())

    async def no_pause(seconds: float) -> None:
        await asyncio.sleep(0)

    state = WatchState(WatchDecoder(ConfigMap), ConfigMap.gvk, bookmarks=True, random=random)
    return Watch(sender, form_of(ConfigMap), state, request, sleep=no_pause)


def named(name: str, **data: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "data": data}


async def told(watch: Watch[Any]) -> Told:
    async with asyncio.timeout(PATIENCE):
        event = await anext(watch)
    return event.type, event.object.metadata.name, event.resource_version


async def until(watch: Watch[Any], kind: str, name: str) -> list[Told]:
    """All that is told, up to an event."""
    found = [await told(watch)]
    while found[-1][:2] != (kind, name):
        found.append(await told(watch))
    return found


async def write(maps: Api[ConfigMap], random: Random, number: int) -> None:
    """One random write among a few objects; they are of some size, so that frames are cut within."""
    name = f"m{random.randrange(8)}"
    if random.random() < 0.25:
        with suppress(NotFound):
            await maps.delete(name)
        return
    await maps.apply(
        {**named(name, n=str(number), x="x" * random.randrange(600))}, manager="writer", force=True
    )


@pytest.mark.parametrize("seed", range(4))
def test_cut_at_random_bytes_it_loses_and_repeats_nothing(
    cluster: Cluster, proxy: FaultProxy, seed: int
) -> None:
    random = Random(seed)  # noqa: S311 - the same in every run

    async def test() -> None:
        async with two_ways(cluster, proxy) as (maps, _):
            namespace = maps.namespace
            assert namespace is not None
            for number in range(20):
                await write(maps, random, number)
            # What really happened, by a watch that nobody disturbs.
            witness = maps.watch(bookmarks=True)
            known = {}
            while (event := await anext(witness)).type != "BOOKMARK":
                known[event.object.metadata.name] = event.resource_version
            sender = Sender(config_of(cluster, proxy))
            watch = quick_watch(sender, namespace, random)
            for name, revision in sorted(known.items()):
                assert await told(watch) == ("ADDED", name, revision)
            assert (await told(watch))[0] == "BOOKMARK"

            async def disturb() -> None:
                number = 0
                while number < 120 or proxy.connections <= 20:
                    number += 1
                    # Handshakes and headers are some 3,000 bytes: many connections do not get beyond.
                    proxy.cut_after(random.randrange(1, 7000), reset=random.random() < 0.5)
                    if random.random() < 0.2:
                        proxy.cut(reset=random.random() < 0.5)
                    await write(maps, random, number)
                    assert number < 10_000
                proxy.resume()
                await maps.create(named("end"))

            writing = asyncio.create_task(disturb())
            seen = await until(watch, "ADDED", "end")
            await writing
            assert seen == await until(witness, "ADDED", "end")
            await watch.aclose()
            await witness.aclose()
            await sender.close()

    run(test)


def test_cut_in_what_is_there_at_first_it_begins_again_and_repeats_nothing(
    cluster: Cluster, proxy: FaultProxy
) -> None:
    async def test() -> None:
        async with two_ways(cluster, proxy) as (maps, _):
            assert maps.namespace is not None
            for number in range(100):
                await maps.create(named(f"m{number:02}", x="x" * 1000))
            sender = Sender(config_of(cluster, proxy))
            random = Random(1)  # noqa: S311 - the same in every run
            watch = quick_watch(sender, maps.namespace, random)
            # Beyond the handshake, within the objects, which come in records of 16 kB.
            proxy.cut_after(60_000)
            seen = [(await told(watch))[1]]
            await maps.delete(seen[0])
            proxy.resume()
            await maps.create(named("end"))
            # That it is gone is known when all that is there has come; on a slow machine the cut may come
            # before the first event, and then both are told as they happen.
            rest = await until(watch, "DELETED", seen[0])
            if ("ADDED", "end") not in [event[:2] for event in rest]:
                rest += await until(watch, "ADDED", "end")
            added = seen + [name for kind, name, _ in rest if kind == "ADDED"]
            assert sorted(added) == ["end"] + [f"m{number:02}" for number in range(100)]
            await watch.aclose()
            await sender.close()

    run(test)


@pytest.mark.parametrize("new", [False, True])
def test_a_black_holed_connection_is_replaced_in_time(cluster: Cluster, proxy: FaultProxy, new: bool) -> None:
    async def test() -> None:
        async with two_ways(cluster, proxy) as (maps, proxied):
            await maps.create(named("a"))
            async with proxied.watch(idle_timeout=0.4) as watch:
                assert (await told(watch))[:2] == ("ADDED", "a")
                proxy.black_hole(new=new)
                await maps.create(named("b"))
                if new:
                    # The next connection is not answered either; then the network is mended.
                    task = asyncio.create_task(told(watch))
                    await eventually(lambda: proxy.connections >= 3, within=PATIENCE)
                    proxy.resume()
                    assert (await task)[:2] == ("ADDED", "b")
                else:
                    assert (await told(watch))[:2] == ("ADDED", "b")
                # The dead connections are closed, not only forgotten.
                await eventually(lambda: proxy.open_connections <= 1, within=PATIENCE)

    run(test)


def test_a_stalled_connection_goes_on_without_another(cluster: Cluster, proxy: FaultProxy) -> None:
    async def test() -> None:
        async with two_ways(cluster, proxy) as (maps, proxied):
            await maps.create(named("a"))
            async with proxied.watch() as watch:
                await told(watch)
                before = proxy.connections
                proxy.stall()
                await maps.create(named("b"))
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(task := asyncio.create_task(told(watch))), 0.2)
                proxy.resume()
                assert (await task)[:2] == ("ADDED", "b")
                assert proxy.connections == before

    run(test)


@pytest.mark.parametrize("compact", [False, True])
def test_what_happened_while_disconnected_is_told(cluster: Cluster, proxy: FaultProxy, compact: bool) -> None:
    async def test() -> None:
        async with two_ways(cluster, proxy) as (maps, proxied):
            for name in ("changed", "deleted", "kept", "recreated"):
                await maps.create(named(name, k="1"))
            async with proxied.watch(bookmarks=True) as watch:
                await until(watch, "BOOKMARK", "")
                proxy.refuse()
                proxy.cut()
                await maps.patch("changed", {"data": {"k": "2"}})
                await maps.patch("changed", {"data": {"k": "3"}})
                await maps.delete("deleted")
                await maps.delete("recreated")
                await maps.create(named("recreated", k="2"))
                last = await maps.create(named("new"))
                if compact:
                    cluster.compact(int(last.metadata.resource_version))
                proxy.resume()
                if compact:
                    events = await until(watch, "BOOKMARK", "")
                    assert sorted(event[:2] for event in events[:-1]) == [
                        ("ADDED", "new"),
                        ("ADDED", "recreated"),
                        ("DELETED", "deleted"),
                        ("DELETED", "recreated"),
                        ("MODIFIED", "changed"),
                    ]
                else:
                    assert [event[:2] for event in await until(watch, "ADDED", "new")] == [
                        ("MODIFIED", "changed"),
                        ("MODIFIED", "changed"),
                        ("DELETED", "deleted"),
                        ("DELETED", "recreated"),
                        ("ADDED", "recreated"),
                        ("ADDED", "new"),
                    ]
                await maps.create(named("later"))
                assert (await told(watch))[:2] == ("ADDED", "later")

    run(test)


def test_selections_that_change_while_disconnected_are_told(cluster: Cluster, proxy: FaultProxy) -> None:
    async def test() -> None:
        async with two_ways(cluster, proxy) as (maps, proxied):

            async def label(name: str, value: str) -> ConfigMap:
                return await maps.patch(name, {"metadata": {"labels": {"app": value}}})

            for name in ("goes", "comes"):
                await maps.create(named(name))
            await label("goes", "web")
            async with proxied.watch(labels="app=web", bookmarks=True) as watch:
                first = await until(watch, "BOOKMARK", "")
                assert [event[:2] for event in first[:-1]] == [("ADDED", "goes")]
                await label("comes", "web")
                assert (await told(watch))[:2] == ("ADDED", "comes")
                await label("comes", "db")
                assert (await told(watch))[:2] == ("DELETED", "comes")
                proxy.refuse()
                proxy.cut()
                await label("goes", "db")
                last = await label("comes", "web")
                cluster.compact(int(last.metadata.resource_version))
                proxy.resume()
                events = await until(watch, "BOOKMARK", "")
                assert [event[:2] for event in events[:-1]] == [("ADDED", "comes"), ("DELETED", "goes")]

    run(test)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def memory() -> int:
    """Resident bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def open_and_close(maps: Api[Any], cycle: int) -> None:
    """A watch, left in one way or another."""
    watch = maps.watch()
    if cycle % 3 == 0:
        async for _ in watch:
            break
    elif cycle % 3 == 1:
        await anext(watch)
        await watch.aclose()
    else:
        seen = asyncio.Event()
        task = asyncio.create_task(read_all(watch, seen))
        if cycle % 2:
            await seen.wait()
        else:
            # While it connects, at one moment or another.
            for _ in range(cycle % 40):
                await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])


async def read_all(watch: Watch[Any], seen: asyncio.Event) -> None:
    async for _ in watch:
        seen.set()


@pytest.mark.parametrize(
    "cycles", [200, pytest.param(2_500, marks=pytest.mark.slow)], ids=["hundreds", "thousands"]
)
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors as Linux shows them")
def test_opening_and_closing_leaves_nothing(cluster: Cluster, proxy: FaultProxy, cycles: int) -> None:
    async def test() -> None:
        async with two_ways(cluster, proxy) as (maps, _):
            await maps.create(named("a"))
            for cycle in range(30):
                await open_and_close(maps, cycle)
            await settled()
            tasks, files, size = len(asyncio.all_tasks()), descriptors(), memory()
            for cycle in range(cycles):
                await open_and_close(maps, cycle)
            await eventually(lambda: len(asyncio.all_tasks()) <= tasks, within=PATIENCE)
            await eventually(lambda: descriptors() <= files + 5, within=PATIENCE)
            # What the server in the same process keeps is in it as well.
            assert memory() - size < 16 << 20

    asyncio.run(test())


async def settled() -> None:
    """Let those tasks close that are about to."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_dynamic_kind_is_watched_as_well(cluster: Cluster, proxy: FaultProxy) -> None:
    async def test() -> None:
        async with Client(config_of(cluster, proxy)) as client:
            spaces: Api[Unstructured] = client.dynamic("v1", "Namespace")
            async with spaces.watch(name="default") as watch:
                event = await anext(watch)
                assert (event.type, event.object["status"]["phase"]) == ("ADDED", "Active")

    run(test)
