"""An operator over connections that break, stall and lie: in the end all is as it should be."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from kubewright.machinery.errors import AlreadyExists, NotFound
from kubewright.testing import Cluster, FaultProxy
from tests.client.peers import run
from tests.controllers.faults.operators import World, check_log, set_up
from tests.controllers.running import until
from tests.controllers.servers import Server

both_ways = pytest.mark.parametrize("finalizer", [False, True], ids=["afterwards", "finalizer"])


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Every test here looks at what was logged."""
    with caplog.at_level(logging.INFO):
        yield
    check_log(caplog)


@pytest.mark.parametrize(
    ("finalizer", "new"), [(False, False), (True, True)], ids=["open ones", "new ones too"]
)
def test_a_half_open_watch(server: Server, proxy: FaultProxy, finalizer: bool, new: bool) -> None:
    """Neither what it watches by nor what it writes by is answered any more, and nobody says so."""

    async def test() -> None:
        async with set_up(server, proxy, "a", "b", "c", finalizer=finalizer, idle_timeout=0.5) as world:
            before = proxy.connections
            proxy.black_hole(new=new)
            await world.create("d", size=2)
            await world.change("a", size=3)
            await world.apps.delete("b")
            await world.children.delete("c")
            if new:
                await until(lambda: proxy.connections >= before + 2, "it tries others")
                proxy.resume()
            await world.healed()

    run(test)


@both_ways
@pytest.mark.parametrize("compact", [False, True], ids=["watched", "listed"])
def test_what_happened_while_disconnected(
    server: Server, proxy: FaultProxy, finalizer: bool, compact: bool
) -> None:
    """Deletions that nobody told of, and other objects of the same name, which have other uids."""

    async def test() -> None:
        async with set_up(server, proxy, *"abcdef", finalizer=finalizer) as world:
            proxy.refuse()
            proxy.cut()
            for name in "ab":
                # With a finalizer it waits for the operator, who is not there.
                await world.apps.delete(name)
            if not finalizer:
                # Another one of the name, whose child is that of the first.
                await world.create("b", size=2)
                await world.create("passing", size=2)
                await world.apps.delete("passing")
            await world.change("c", size=3)
            await world.change("c", size=4)
            await world.children.delete("d")
            await world.children.patch("e", {"data": {"size": "wrong", "more": "wrong"}})
            await world.create("new", size=5)
            # It tries again and again meanwhile.
            before = proxy.connections
            await until(lambda: proxy.connections >= before + 8, "it tries to connect")
            if compact:
                server.compact(int((await world.apps.get("new")).metadata.resource_version))
            proxy.resume()
            await world.healed()
            assert len([each async for each in world.apps.list()]) == (5 if finalizer else 6)
            left_alone = [each for each in world.operator.reconciles if each.name == "passing"]
            assert not (compact and isinstance(server, Cluster) and left_alone)

    run(test)


def test_a_relist_that_changes_nothing_reconciles_nothing(cluster: Cluster) -> None:
    """A hundred objects are not all looked at again because history was forgotten."""

    async def test() -> None:
        with FaultProxy(cluster.url) as proxy:
            async with set_up(cluster, proxy, *(f"a{number}" for number in range(30))) as world:
                await world.caught_up()
                world.operator.reconciles.clear()
                proxy.refuse()
                proxy.cut()
                await world.change("a7", size=2)
                cluster.compact(int((await world.apps.get("a7")).metadata.resource_version))
                proxy.resume()
                await world.healed()
                assert {request.name for request in world.operator.reconciles} == {"a7"}

    run(test)


async def disturb(world: World, random: Random, number: int) -> None:
    """One random change by somebody who is not the operator."""
    name = f"a{random.randrange(8)}"
    with suppress(NotFound, AlreadyExists):
        match random.randrange(6):
            case 0 | 1:
                await world.create(name, size=number, color="x" * random.randrange(600))
            case 2:
                await world.apps.delete(name)
            case 3 | 4:
                await world.change(name, size=number)
            case _:
                await world.children.delete(name)


@both_ways
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_frames_and_answers_that_are_truncated(
    server: Server, proxy: FaultProxy, finalizer: bool, seed: int
) -> None:
    """Cut at random bytes, also in the answers to its own writes, of which it then cannot know."""
    random = Random(seed)  # noqa: S311 - the same in every run

    async def test() -> None:
        async with set_up(server, proxy, "a0", "a1", finalizer=finalizer) as world:
            number = 0
            while number < 80 or proxy.connections < 20:
                number += 1
                # Handshakes and headers are some 3,000 bytes: many connections do not get beyond.
                proxy.cut_after(random.randrange(1, 9000), reset=random.random() < 0.5)
                if random.random() < 0.3:
                    proxy.cut(reset=random.random() < 0.5)
                await disturb(world, random, number)
                assert number < 10_000
            proxy.resume()
            await world.healed()

    run(test)


def test_a_connection_that_stalls_and_goes_on(server: Server, proxy: FaultProxy) -> None:
    async def test() -> None:
        async with set_up(server, proxy, *"abc") as world:
            for turn in range(3):
                proxy.stall()
                await world.change("a", size=10 + turn)
                await world.apps.delete("b")
                await world.children.delete("c")
                proxy.resume()
                await world.healed()
                await world.create("b", size=turn)

    run(test)
