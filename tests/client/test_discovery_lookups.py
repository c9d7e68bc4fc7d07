"""Lookups in discovery over real sockets: how often the server is asked, and who waits for whom."""

from __future__ import annotations

import asyncio

import pytest

from kubewright.client.discovery import Discovery
from kubewright.client.mapper import Mapper
from kubewright.machinery.errors import (
    ApiError,
    Forbidden,
    NotFound,
)
from kubewright.machinery.gvk import GroupVersionKind
from tests.client.discovery_server import (
    DiscoveryServer,
    aggregated_documents,
    resource,
    using,
)
from tests.client.peers import status


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_a_hundred_lookups_at_once_take_one_fetch() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        names = ["pods", "po", "Pod", "widgets", "widget.example.com"] * 20
        async with asyncio.TaskGroup() as tasks:
            found = [tasks.create_task(mapper.resource(name)) for name in names]
        assert {task.result().gvr.resource for task in found} == {"pods", "widgets"}
        assert sorted(server.asked) == ["/api", "/apis"]

    using(server, test)


def test_an_error_goes_to_all_who_wait_with_one_fetch() -> None:
    server = DiscoveryServer({"/api": status(403, "Forbidden"), "/apis": status(403, "Forbidden")})

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        results = await asyncio.gather(*[mapper.resource("pods") for _ in range(50)], return_exceptions=True)
        assert {type(result) for result in results} == {Forbidden}
        # Both documents are asked for at once, and the first refusal ends the other request, sent or not.
        assert 1 <= len(server.asked) == len(set(server.asked))

    using(server, test)


def test_what_is_known_is_not_asked_for_again() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        for _ in range(5):
            await mapper.endpoint(GroupVersionKind("example.com", "v1", "Widget"))
        assert server.count() == 1
        await discovery.refresh()
        assert server.count() == 2

    using(server, test)


def test_a_miss_asks_again_so_that_what_was_just_defined_is_found() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        await discovery.served()
        server.documents = aggregated_documents(v1=[resource("gadgets", "Gadget")])
        assert (await mapper.resource("gadgets")).gvk.kind == "Gadget"
        assert server.count() == 2
        # What has gone is known until then; the request itself gets the server's 404.
        with pytest.raises(NotFound):
            await mapper.resource("widgets")

    using(server, test)


def test_the_first_fetch_is_fresh_enough_for_a_miss() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        with pytest.raises(NotFound):
            await Mapper(discovery).resource("gadgets")
        assert server.count() == 1

    using(server, test)


def test_a_name_that_is_not_there_asks_at_most_once_a_second() -> None:
    clock = Clock()
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        for _ in range(10):
            with pytest.raises(NotFound):
                await mapper.resource("gadgets")
        assert server.count() == 10
        assert clock.slept == [pytest.approx(1.0)] * 9
        # Another name does not wait for that one.
        with pytest.raises(NotFound):
            await mapper.resource("gizmos")
        assert len(clock.slept) == 9
        clock.now += 0.75
        with pytest.raises(NotFound):
            await mapper.resource("gizmos")
        assert clock.slept[9:] == [pytest.approx(0.25)]
        clock.now += 1.5
        with pytest.raises(NotFound):
            await mapper.resource("gizmos")
        assert len(clock.slept) == 10

    using(server, test, clock=clock, sleep=clock.sleep)


def test_the_wait_after_a_miss_ends_with_what_was_defined_meanwhile() -> None:
    clock = Clock()
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        with pytest.raises(NotFound):
            await mapper.resource("gadgets")
        server.documents = aggregated_documents(v1=[resource("gadgets", "Gadget")])
        assert (await mapper.resource("gadgets")).gvk.kind == "Gadget"

    using(server, test, clock=clock, sleep=clock.sleep)


def test_many_misses_of_one_name_share_their_fetches() -> None:
    clock = Clock()
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        await discovery.served()
        results = await asyncio.gather(*[mapper.resource("no") for _ in range(100)], return_exceptions=True)
        assert {type(result) for result in results} == {NotFound}
        assert server.count() == 2
        assert clock.slept == []

    using(server, test, clock=clock, sleep=clock.sleep)


def test_who_misses_while_another_asks_waits_before_asking_again() -> None:
    clock = Clock()
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        await discovery.served()
        server.held = held = asyncio.Event()
        arrived = asyncio.Event()
        server.on_request = lambda path: arrived.set() if path == "/apis" else None
        first = asyncio.create_task(mapper.resource("no"))
        await arrived.wait()
        second = asyncio.create_task(mapper.resource("no"))
        await asyncio.sleep(0)
        assert clock.slept == [pytest.approx(1.0)]
        held.set()
        results = await asyncio.gather(first, second, return_exceptions=True)
        assert [type(result) for result in results] == [NotFound, NotFound]
        assert server.count() == 3

    using(server, test, clock=clock, sleep=clock.sleep)


def test_names_that_are_not_there_take_no_memory_without_end() -> None:
    async def test(discovery: Discovery) -> None:
        await asyncio.gather(*[discovery.find(lambda _: None, key=number) for number in range(2500)])
        assert 0 < len(discovery._missed) <= 1000

    using(DiscoveryServer(aggregated_documents()), test)


def test_a_fetch_that_began_before_the_lookup_does_not_count() -> None:
    """Something is defined while a fetch is under way that does not see it; who looks for it finds it."""
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        await discovery.served()
        server.held = held = asyncio.Event()
        arrived = asyncio.Event()
        server.on_request = lambda path: arrived.set() if path == "/apis" else None
        async with asyncio.TaskGroup() as tasks:
            early = tasks.create_task(discovery.refresh())
            await arrived.wait()
            server.documents = aggregated_documents(v1=[resource("gadgets", "Gadget")])
            server.held = None
            late = tasks.create_task(mapper.resource("gadgets"))
            later = tasks.create_task(discovery.refresh())
            await asyncio.sleep(0)
            held.set()
        assert [each.gvk.kind for each in early.result().resources()] == ["Pod", "Widget"]
        assert late.result().gvk.kind == "Gadget"
        assert [each.gvk.kind for each in later.result().resources()] == ["Pod", "Gadget"]
        assert server.count() == 3

    using(server, test)


def test_one_who_gives_up_does_not_take_the_fetch_from_the_others() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        server.held = held = asyncio.Event()
        arrived = asyncio.Event()
        server.on_request = lambda path: arrived.set() if path == "/apis" else None
        first = asyncio.create_task(discovery.groups())
        second = asyncio.create_task(discovery.groups())
        await arrived.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        held.set()
        assert len(await second) == 2
        assert server.count() == 1

    using(server, test)


def test_when_all_give_up_the_next_one_asks_anew() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        server.held = held = asyncio.Event()
        arrived = asyncio.Event()
        server.on_request = lambda path: arrived.set() if path == "/apis" else None
        only = asyncio.create_task(discovery.groups())
        await arrived.wait()
        only.cancel()
        with pytest.raises(asyncio.CancelledError):
            await only
        held.set()
        assert len(await discovery.groups()) == 2

    using(server, test)


def test_a_broken_connection_keeps_what_is_known() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        await discovery.served()
        server.documents = {"/api": status(500, "InternalError"), "/apis": status(500, "InternalError")}
        with pytest.raises(ApiError):
            await discovery.refresh()
        assert len(await discovery.resources()) == 2

    using(server, test)
