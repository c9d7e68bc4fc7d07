"""Events are kept for their time after they were last written, and everything else for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from kubewright import Client
from kubewright.models.core_v1 import ConfigMap, Event
from kubewright.server.event_expiry import EventExpiry
from kubewright.testing import Cluster

HOUR = 3600.0


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def event(name: str) -> dict[str, Any]:
    about = {"kind": "Pod", "name": "p", "namespace": "default"}
    return {"metadata": {"name": name}, "involvedObject": about, "reason": "Told", "type": "Normal"}


def with_server(test: Callable[[Client, EventExpiry, Clock], Awaitable[None]]) -> None:
    async def run() -> None:
        clock = Clock()
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            await test(client, EventExpiry(cluster.registry, clock=clock), clock)

    asyncio.run(run())


async def names(client: Client) -> list[str]:
    return [each.metadata.name async for each in client.api(Event, "default").list()]


def test_an_event_goes_an_hour_after_its_last_write() -> None:
    async def test(client: Client, expiry: EventExpiry, clock: Clock) -> None:
        events = client.api(Event, "default")
        await client.api(ConfigMap, "default").create({"metadata": {"name": "stays"}})
        await events.create(event("old"))
        await events.create({**event("held"), "metadata": {"name": "held", "finalizers": ["example.com/x"]}})
        await events.create(event("again"))
        await expiry.tick()
        clock.now += HOUR / 2
        await events.patch("again", {"count": 2})
        await events.create(event("young"))
        await expiry.tick()
        clock.now += HOUR / 2 - 1
        await expiry.tick()
        assert await names(client) == ["again", "held", "old", "young"]
        clock.now += 1
        async with asyncio.timeout(30):
            watch = events.watch()
            assert [(await anext(watch)).object.metadata.name for _ in range(4)] == await names(client)
            await expiry.tick()
            gone = [await anext(watch) for _ in range(2)]
        # Finalizers hold nothing that expires, and whoever watches hears of it.
        assert [(each.type, each.object.metadata.name) for each in gone] == [
            ("DELETED", "held"),
            ("DELETED", "old"),
        ]
        assert await names(client) == ["again", "young"]
        clock.now += HOUR
        await expiry.tick()
        assert await names(client) == []
        assert (await client.api(ConfigMap, "default").get("stays")).metadata.name == "stays"

    with_server(test)


def test_events_of_which_there_are_many() -> None:
    async def test(client: Client, expiry: EventExpiry, clock: Clock) -> None:
        for number in range(250):
            await client.api(Event, "default").create(event(f"e-{number}"))
        await expiry.tick()
        await client.api(Event, "default").create(event("last"))
        clock.now += HOUR
        await expiry.tick()
        assert await names(client) == ["last"]

    with_server(test)
