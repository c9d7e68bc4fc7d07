from __future__ import annotations

import asyncio

from kubewright.server.storage import Compactor, MemoryStorage, Value
from tests.server.storage.stores import value


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_history_is_kept_for_its_time_and_little_longer() -> None:
    async def scenario() -> None:
        clock, storage = Clock(), MemoryStorage()
        compactor = Compactor(storage, interval=60, keep_for=300, clock=clock)
        revisions: dict[float, int] = {}
        for minute in range(20):
            clock.now = 1000.0 + 60 * minute
            revisions[clock.now] = storage.revision
            await compactor.tick()
            await compactor.tick()
            assert storage.compact_revision == revisions.get(clock.now - 300, 0)
            await storage.create(f"/{minute}", value())

    asyncio.run(scenario())


def test_ticks_between_intervals_are_harmless() -> None:
    async def scenario() -> None:
        clock, storage = Clock(), MemoryStorage()
        compactor = Compactor(storage, interval=60, keep_for=300, clock=clock)
        for second in range(700):
            clock.now = 1000.0 + second
            await compactor.tick()
            await storage.create(f"/{second}", value())
        # At 1000 + 660 the mark of 1000 + 360 was due, when 360 keys were there.
        assert storage.compact_revision == 361

    asyncio.run(scenario())


def test_history_that_grows_too_big_is_cut_short() -> None:
    async def scenario() -> None:
        clock, storage = Clock(), MemoryStorage()
        compactor = Compactor(storage, interval=60, keep_for=300, max_history_bytes=10_000, clock=clock)
        big = Value(b"x" * 1000, b"")
        entry = await storage.create("/a", big)
        for _ in range(18):  # 270 seconds, in which nothing is due by the clock
            clock.now += 15
            await compactor.tick()
            assert storage.history_bytes <= 10_000
            entry = await storage.update("/a", big, expected_revision=entry.revision)
        assert storage.history_bytes > 3_000, "it forgot more than it had to"
        assert storage.get("/a") == entry

    asyncio.run(scenario())
