"""The feed of the collector: all objects in the order of their writes, whatever becomes of the watch."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from kubewright.cluster.garbage.feed import Feed, ServedKind
from kubewright.cluster.garbage.node import Coordinates, Metadata
from kubewright.server.registry.registry import Registry
from kubewright.server.storage import MemoryStorage, Value


class Known:
    """What was told, and what follows from it."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.objects: dict[str, Coordinates] = {}

    def observed(self, where: Coordinates, metadata: Metadata) -> None:
        self.told.append(f"{where.name} {metadata.resource_version}")
        self.objects[metadata.uid] = where

    def gone(self, uid: str) -> None:
        self.told.append(f"{uid} gone")
        del self.objects[uid]

    def served(self, kinds: Iterable[ServedKind]) -> None:
        self.told.extend(each.kind for each in kinds)


def value(name: str, uid: str = "") -> Value:
    before = f'{{"metadata":{{"name":"{name}","namespace":"team","uid":"{uid or name}","resourceVersion":"'
    return Value(before.encode(), b'"}}')


def key(name: str, resource: str = "configmaps") -> str:
    return f"/registry/{resource}/team/{name}"


def with_feed(
    test: Callable[[MemoryStorage, Feed, Known], Awaitable[None]], *, max_waiting: int = 100
) -> None:
    async def run() -> None:
        async with MemoryStorage(max_waiting=max_waiting) as storage:
            await storage.create(key("first"), value("first"))
            known = Known()
            feed = Feed(Registry(storage), known)
            following = asyncio.create_task(feed.run())
            try:
                await asyncio.sleep(0)
                await test(storage, feed, known)
            finally:
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)

    asyncio.run(run())


def test_what_is_there_and_each_change_in_one_order() -> None:
    async def test(storage: MemoryStorage, feed: Feed, known: Known) -> None:
        assert known.told == ["first 2"]
        made = await storage.create(key("second", "secrets"), value("second"))
        await storage.create(key("event", "events"), value("event"))
        await storage.create(key("unknown", "somethings"), value("unknown"))
        await storage.update(key("first"), value("first"), expected_revision=2)
        await storage.delete(made.key, value("second"), expected_revision=made.revision)
        feed.catch_up()
        assert known.told[1:] == ["second 3", "first 6", "second gone"]
        assert known.objects == {"first": Coordinates("v1", "ConfigMap", "team", "first")}

    with_feed(test)


def test_a_watch_that_could_not_keep_up_loses_nothing() -> None:
    async def test(storage: MemoryStorage, feed: Feed, known: Known) -> None:
        await storage.delete(key("first"), value("first"), expected_revision=2)
        for number in range(20):
            await storage.create(key(f"c{number}"), value(f"c{number}"))
        again = await storage.create(key("first"), value("first", "another"))
        # It was ended; who waits for events begins anew.
        feed.catch_up()
        for _ in range(100):
            await asyncio.sleep(0)
        assert set(known.objects) == {"another", *(f"c{number}" for number in range(20))}
        await storage.delete(again.key, value("first", "another"), expected_revision=again.revision)
        feed.catch_up()
        assert "another" not in known.objects

    with_feed(test, max_waiting=5)


def test_kinds_in_the_version_to_use_and_in_others() -> None:
    async def test(storage: MemoryStorage, feed: Feed, known: Known) -> None:
        made = '{"metadata":{"name":"h","namespace":"team","uid":"h","resourceVersion":"'
        await storage.create("/registry/horizontalpodautoscalers/team/h", Value(made.encode(), b'"}}'))
        feed.catch_up()
        assert known.objects["h"] == Coordinates("autoscaling/v2", "HorizontalPodAutoscaler", "team", "h")
        assert feed.kind("autoscaling/v1", "HorizontalPodAutoscaler") is not None
        assert feed.kind("autoscaling/v7", "HorizontalPodAutoscaler") is None
        node = feed.kind("v1", "Node")
        assert node is not None
        assert not node.namespaced

    with_feed(test)
