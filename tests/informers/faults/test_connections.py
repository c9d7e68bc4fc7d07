"""Informers over connections that break, stall and lie, over TLS to a server: nothing lost, nothing twice."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random

import pytest

from kubewright.client import watch_loop
from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.informers import Informers
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster, FaultProxy
from tests.client.peers import run
from tests.client.watch_script import eventually
from tests.informers.faults.connecting import (
    Server,
    config_of,
    fresh_namespace,
    named,
    same_as_server,
    set_up,
    short_pause,
)
from tests.informers.faults.histories import PATIENCE, History

both = pytest.mark.parametrize("streams", [False, True], ids=["pages", "streams"])


@pytest.mark.parametrize("new", [False, True])
def test_a_half_open_watch_is_replaced_in_time(server: Server, proxy: FaultProxy, new: bool) -> None:
    async def test() -> None:
        async with set_up(server, proxy, "a", idle_timeout=0.4) as made:
            before = proxy.connections
            proxy.black_hole(new=new)
            await made.maps.create(named("b"))
            if new:
                # The next connections are not answered either; then the network is mended.
                await eventually(lambda: proxy.connections >= before + 2, within=PATIENCE)
                proxy.resume()
            await made.history.until_told("ADDED", "b")
            assert made.names() == ["a", "b"]
            assert made.history.short() == [("ADDED", "b")]
            # The dead connections are closed, not only forgotten.
            await eventually(lambda: proxy.open_connections <= 2, within=PATIENCE)

    run(test)


def test_a_stalled_connection_goes_on_without_another(server: Server, proxy: FaultProxy) -> None:
    async def test() -> None:
        async with set_up(server, proxy, "a") as made:
            before = proxy.connections
            proxy.stall()
            written = await made.maps.create(named("b"))
            seen = asyncio.create_task(made.informer.seen(written))
            await asyncio.wait([seen], timeout=0.1)
            assert not seen.done()
            assert made.informer.get(f"{made.namespace}/b") is None
            proxy.resume()
            await seen
            assert made.names() == ["a", "b"]
            assert proxy.connections == before

    run(test)


@both
@pytest.mark.parametrize("compact", [False, True])
def test_what_happened_while_disconnected_is_told_once(
    server: Server, proxy: FaultProxy, compact: bool, streams: bool
) -> None:
    """With `compact` the watch that follows is answered by an ERROR event with 410.

    Not by kube-apiserver, whose caches do not notice that etcd was compacted: there it is another watch.
    """
    is_listed = compact and isinstance(server, Cluster)

    async def test() -> None:
        async with set_up(server, proxy, "changed", "deleted", "kept", "recreated", streams=streams) as made:
            maps, history = made.maps, made.history
            keys = [f"{made.namespace}/{name}" for name in ("deleted", "recreated")]
            last_known = {key: made.informer.get(key) for key in keys}
            gone: list[ConfigMap] = []
            made.informer.on_delete(gone.append)
            proxy.refuse()
            proxy.cut()
            await maps.patch("changed", {"data": {"k": "2"}})
            await maps.patch("changed", {"data": {"k": "3"}})
            await maps.delete("deleted")
            await maps.delete("recreated")
            await maps.create(named("recreated", k="2"))
            # It was never seen, and is never told of.
            await maps.create(named("passing"))
            await maps.delete("passing")
            last = await maps.create(named("new"))
            if compact:
                server.compact(int(last.metadata.resource_version))
            proxy.resume()
            await made.informer.seen(last)
            await same_as_server(made.informer, maps)
            await history.until_told("ADDED", "new")
            history.check()
            assert [each.state["k"] for each in history.of("changed")][-1] == "3"
            assert [each.type for each in history.of("deleted")] == ["DELETED"]
            assert [(each.type, each.state["k"]) for each in history.of("recreated")] == [
                ("DELETED", "1"),
                ("ADDED", "2"),
            ]
            assert not history.of("kept")
            assert bool(history.of("passing")) is not is_listed
            # Another handler, which may be told later.
            await eventually(lambda: set(keys) <= {obj.key for obj in gone}, within=PATIENCE)
            told = {obj.key: obj for obj in gone if obj.metadata.name != "passing"}
            assert set(told) == set(keys)
            for key, obj in told.items():
                known = last_known[key]
                assert known is not None
                if not is_listed:
                    # The server tells of a deletion with the revision of the deletion.
                    known.metadata.resource_version = obj.metadata.resource_version
                assert obj == known

    run(test)


async def write(maps: Api[ConfigMap], random: Random, number: int) -> None:
    """One random write among a few objects; they are of some size, so that frames are cut within."""
    name = f"m{random.randrange(8)}"
    if random.random() < 0.25:
        with suppress(NotFound):
            await maps.delete(name)
        return
    data = named(name, n=str(number), x="x" * random.randrange(600))
    await maps.apply(data, manager="writer", force=True)


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))]
)
def test_cut_at_random_bytes_it_loses_and_repeats_nothing(
    server: Server, proxy: FaultProxy, seed: int
) -> None:
    random = Random(seed)  # noqa: S311 - the same in every run

    async def test() -> None:
        async with set_up(server, proxy, streams=bool(seed % 2)) as made:
            # What really happened, by a watch that nobody disturbs.
            witness = made.maps.watch(initial=False, bookmarks=True)
            assert (await anext(witness)).ends_initial_events
            number = 0
            while number < 60 or proxy.connections < 20:
                number += 1
                # Handshakes and headers are some 3,000 bytes: many connections do not get beyond.
                proxy.cut_after(random.randrange(1, 9000), reset=random.random() < 0.5)
                if random.random() < 0.3:
                    proxy.cut(reset=random.random() < 0.5)
                await write(made.maps, random, number)
                assert number < 10_000
            proxy.resume()
            last = await made.maps.create(named("end"))
            await made.informer.seen(last)
            await same_as_server(made.informer, made.maps)
            await made.history.until_told("ADDED", "end")
            made.history.check()
            happened: list[tuple[str, str, int]] = []
            while not happened or happened[-1][1] != "end":
                event = await anext(witness)
                if event.type != "BOOKMARK":
                    happened.append((event.type, event.object.metadata.name, int(event.resource_version)))
            await witness.aclose()
            # The handler may have got two changes as one, when they came at once, but each revision once.
            told = [(each.name, each.revision) for each in made.history.told]
            assert len(set(told)) == len(told)
            assert set(told) <= {(name, revision) for _, name, revision in happened}
            deleted = [(each.type, each.name, each.revision) for each in made.history.told]
            assert sorted(each for each in deleted if each[0] == "DELETED") == sorted(
                each for each in happened if each[0] == "DELETED"
            )

    run(test)


@both
def test_cut_in_what_is_there_at_first_it_shows_all_or_nothing(
    cluster: Cluster, proxy: FaultProxy, streams: bool
) -> None:
    """Also the second time: a relist that breaks leaves what was known as it was."""
    random = Random(1)  # noqa: S311 - what does not compress

    async def test() -> None:
        async with set_up(
            cluster, proxy, *(f"m{number:03}" for number in range(40)), streams=streams
        ) as made:
            maps = made.maps
            known = made.informer.list()
            for number in range(40):
                await maps.patch(f"m{number:03}", {"data": {"k": "2", "x": random.randbytes(2000).hex()}})
            await made.history.until(lambda: len(made.history.told) >= 40)
            assert len(known) == 40
            proxy.refuse()
            proxy.cut()
            for number in range(40):
                last = await maps.patch(f"m{number:03}", {"data": {"k": "3"}})
            cluster.compact(int(last.metadata.resource_version))
            # Beyond the handshake, within the objects: a pass never gets to its end.
            proxy.resume()
            proxy.cut_after(60_000)
            before = proxy.connections
            await eventually(lambda: proxy.connections >= before + 4, within=PATIENCE)
            assert {obj.data["k"] for obj in made.informer.list()} == {"2"}
            assert not any(each.state["k"] == "3" for each in made.history.told)
            proxy.resume()
            await made.informer.seen(last)
            await same_as_server(made.informer, maps)
            await made.history.until(lambda: len(made.history.told) >= 80)
            made.history.check()
            assert len(made.history.told) == 80

    run(test)


def test_many_pages_cut_at_random_bytes(server: Server, proxy: FaultProxy) -> None:
    """Lists of several pages, the first of which break anywhere: in the end all is there, and told once."""
    count = 1100
    random = Random(2)  # noqa: S311 - the same in every run

    async def test() -> None:
        async with Client(server.config) as direct:
            maps = direct.api(ConfigMap, await fresh_namespace(direct))
            for start in range(0, count, 100):
                made = (named(f"m{start + each}", k=random.randbytes(40).hex()) for each in range(100))
                await asyncio.gather(*map(maps.create, made))
            for _ in range(4):
                async with (
                    Client(config_of(server, proxy), timeout=10) as proxied,
                    Informers(proxied, sleep=short_pause) as informers,
                ):
                    before = proxy.connections
                    # A page of 500 has more, also compressed, and a handshake 3,000: none gets through.
                    proxy.cut_after(random.randrange(2_000, 25_000), reset=random.random() < 0.5)
                    history = History()
                    informer = informers.of(ConfigMap, maps.namespace)
                    registration = informer.on_change(history)
                    await eventually(lambda: proxy.connections >= before + 3, within=PATIENCE)  # noqa: B023
                    proxy.resume()
                    await registration.synced(timeout=PATIENCE)
                    history.check()
                    assert len(history.told) == count
                    await same_as_server(informer, maps)

    run(test)


@both
@pytest.mark.parametrize("compact", [False, True])
def test_selections_that_change_while_disconnected(
    server: Server, proxy: FaultProxy, compact: bool, streams: bool
) -> None:
    async def test() -> None:
        async with set_up(server, proxy, "a", "b", labels="app=web", streams=streams) as made:
            maps, history = made.maps, made.history

            async def label(name: str, value: str) -> ConfigMap:
                return await maps.patch(name, {"metadata": {"labels": {"app": value}}})

            assert made.names() == []
            await label("a", "web")
            await history.until_told("ADDED", "a")
            await label("a", "db")
            await history.until_told("DELETED", "a")
            # The last state that was selected, not the one that is not.
            assert history.of("a")[-1].state == {"app": "web", "k": "1"}
            await label("a", "web")
            await history.until(lambda: len(history.told) == 3)
            proxy.refuse()
            proxy.cut()
            await label("a", "db")
            last = await label("b", "web")
            if compact:
                server.compact(int(last.metadata.resource_version))
            proxy.resume()
            await made.informer.seen(last)
            await same_as_server(made.informer, maps, labels="app=web")
            await history.until(lambda: len(history.told) == 5)
            history.check()
            assert sorted(history.short()[3:]) == [("ADDED", "b"), ("DELETED", "a")]
            assert [each.state for each in history.told[3:] if each.name == "a"] == [{"app": "web", "k": "1"}]

    run(test)


def test_what_the_server_ends_goes_on_without_a_list(server: Server, proxy: FaultProxy) -> None:
    """Cut by FIN, as servers and balancers end watches."""

    async def test() -> None:
        async with set_up(server, proxy, "a") as made:
            for number in range(5):
                proxy.cut(reset=False)
                last = await made.maps.create(named(f"b{number}"))
                await made.informer.seen(last)
            await made.history.until_told("ADDED", "b4")
            assert made.history.short() == [("ADDED", f"b{number}") for number in range(5)]

    run(test)


def test_silence_after_a_failure_is_asked_about(
    server: Server, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that has the revision is asked once, and nothing is listed anew."""
    monkeypatch.setattr(watch_loop, "_PROOF_AFTER", 0.05)

    async def test() -> None:
        async with set_up(server, proxy, "a") as made:
            asked = made.asked
            asked.clear()
            proxy.cut()
            await eventually(lambda: any("watch" not in each for each in asked), within=PATIENCE)
            assert [each for each in asked if "watch" not in each] == [
                {
                    "limit": "1",
                    "resourceVersion": asked[0]["resourceVersion"],
                    "resourceVersionMatch": "NotOlderThan",
                }
            ]
            await made.informer.seen(await made.maps.create(named("b")))
            await made.history.until_told("ADDED", "b")
            assert made.history.short() == [("ADDED", "b")]

    run(test)
