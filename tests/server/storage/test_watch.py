from __future__ import annotations

import asyncio
import weakref
from pathlib import Path

import pytest

from kubewright.server.storage import (
    Event,
    FutureRevision,
    MemoryStorage,
    SlowWatcher,
    StorageClosed,
    Watch,
    broadcast,
)
from tests.server.storage.stores import KINDS, is_silent, opened, stored, take, value


@pytest.mark.parametrize("kind", KINDS)
def test_history_first_then_what_comes(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await opened(kind, tmp_path) as storage:
            await storage.create("/p/a", value(1))
            await storage.create("/q/a", value(2))
            await storage.update("/p/a", value(3), expected_revision=2)
            watch = storage.watch("/p/", after_revision=2)
            await storage.delete("/p/a", value(4), expected_revision=4)
            await storage.create("/p/a", value(5))
            assert await take(watch, 3) == [
                Event("MODIFIED", "/p/a", stored(3, 4), stored(1, 2), 4),
                Event("DELETED", "/p/a", stored(4, 5), stored(3, 4), 5),
                Event("ADDED", "/p/a", stored(5, 6), None, 6),
            ]
            with pytest.raises(FutureRevision):
                storage.watch("/p/", after_revision=7)

    asyncio.run(scenario())


def test_prefixes_need_not_end_in_a_slash() -> None:
    async def scenario() -> None:
        storage = MemoryStorage()
        prefixes = ("", "/", "/p", "/p/", "/p/a", "/p/ab", "/q/", "p", "/p/a/b/")
        watches = {prefix: storage.watch(prefix, after_revision=1) for prefix in prefixes}
        keys = ("/p", "/p/", "/p/a", "/p/ab", "/pq", "p/a", "/p/a/b/c", "//p")
        for key in keys:
            await storage.create(key, value())
        for prefix, watch in watches.items():
            expected = [key for key in keys if key.startswith(prefix)]
            assert [event.key for event in await take(watch, len(expected))] == expected, prefix
            assert await is_silent(watch)

    asyncio.run(scenario())


def test_large_events_are_bounded_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A watcher that does not read must not keep thousands of large objects alive."""
    monkeypatch.setattr(broadcast, "MAX_WAITING_BYTES", 50_000)

    async def scenario() -> None:
        storage = MemoryStorage()
        slow = storage.watch("/p/", after_revision=1)
        reading = storage.watch("/p/", after_revision=1)
        for number in range(10):
            await storage.create(f"/p/{number}", value("x" * 10_000))
            assert len(await take(reading, 1)) == 1
        with pytest.raises(SlowWatcher, match="of large ones"):
            await anext(slow)
        small = storage.watch("/p/", after_revision=storage.revision)
        for number in range(100):
            await storage.create(f"/p/small-{number}", value("x" * 1_000))
        assert len(await take(small, 100)) == 100

    asyncio.run(scenario())


def test_a_hundred_watchers_share_the_events() -> None:
    async def scenario() -> None:
        storage = MemoryStorage()
        await storage.create("/p/0", value())
        watches = [storage.watch("/p/", after_revision=1) for _ in range(100)]
        for number in range(1, 1000):
            await storage.create(f"/p/{number}", value())
        first, *others = [await take(watch, 1000) for watch in watches]
        assert [event.revision for event in first] == list(range(2, 1002))
        for events in others:
            assert all(mine is shared for mine, shared in zip(events, first, strict=True))

    asyncio.run(scenario())


def test_progress_is_what_was_handed_out() -> None:
    async def scenario() -> None:
        storage = MemoryStorage()
        watch = storage.watch("/p/", after_revision=1)
        assert watch.progress == 1
        await storage.create("/q/a", value())
        assert watch.progress == 2, "nothing of it is for this watch"
        await storage.create("/p/a", value())
        await storage.create("/q/b", value())
        assert watch.progress == 2, "an event waits"
        await take(watch, 1)
        assert watch.progress == 4
        watch.close()
        await storage.create("/p/b", value())
        assert watch.progress == 4

    asyncio.run(scenario())


def test_a_slow_watcher_is_ended_and_harms_nobody() -> None:
    async def scenario() -> None:
        storage = MemoryStorage(max_waiting=10)
        slow, quick = (storage.watch("/p/", after_revision=1) for _ in range(2))
        for number in range(10):
            await storage.create(f"/p/{number}", value())
        await take(quick, 10)
        assert storage.watchers == 2
        await storage.create("/p/10", value())
        assert storage.watchers == 1
        with pytest.raises(SlowWatcher, match="watch of '/p/' was ended: more than 10 events waited"):
            await anext(slow)
        assert (await take(quick, 1))[0].key == "/p/10"
        resumed = storage.watch("/p/", after_revision=slow.progress)
        assert len(await take(resumed, 11)) == 11

    asyncio.run(scenario())


def test_a_slow_watcher_that_waits_for_its_turn_is_woken_by_its_end() -> None:
    async def scenario() -> None:
        storage = MemoryStorage(max_waiting=1)
        watch = storage.watch("", after_revision=1)
        waiting = asyncio.ensure_future(take(watch, 1))
        await asyncio.sleep(0)
        await storage.create("/a", value())
        await storage.create("/b", value())
        with pytest.raises(SlowWatcher):
            await waiting

    asyncio.run(scenario())


def test_the_backlog_is_not_held_against_a_watcher() -> None:
    async def scenario() -> None:
        storage = MemoryStorage(max_waiting=5)
        for number in range(50):
            await storage.create(f"/p/{number}", value())
        watch = storage.watch("/p/", after_revision=1)
        for number in range(5):
            await storage.create(f"/p/x{number}", value())
        await take(watch, 55)
        for number in range(6):
            await storage.create(f"/p/y{number}", value())
        with pytest.raises(SlowWatcher):
            await anext(watch)

    asyncio.run(scenario())


def test_a_wait_that_times_out_loses_nothing() -> None:
    async def scenario() -> None:
        storage = MemoryStorage()
        watch = storage.watch("", after_revision=1)
        for number in range(20):
            waiting = asyncio.ensure_future(anext(watch))
            await asyncio.sleep(0)
            if number % 2:  # cancelled after it was woken, before it could run
                await storage.create(f"/{number}", value())
                waiting.cancel()
            else:
                waiting.cancel()
                await storage.create(f"/{number}", value())
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert [event.key for event in await take(watch, 1)] == [f"/{number}"]

    asyncio.run(scenario())


def test_two_tasks_may_not_wait_for_one_watch() -> None:
    async def scenario() -> None:
        storage = MemoryStorage()
        watch = storage.watch("", after_revision=1)
        waiting = asyncio.ensure_future(take(watch, 1))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="let each have its own"):
            await anext(watch)
        await storage.create("/a", value())
        assert len(await waiting) == 1

    asyncio.run(scenario())


def test_closing_ends_the_iteration_also_of_one_who_waits() -> None:
    async def scenario() -> None:
        storage = MemoryStorage()
        seen = []

        async def follow(watch: Watch) -> None:
            async for events in watch:
                seen.extend(events)

        with storage.watch("", after_revision=1) as watch:
            task = asyncio.ensure_future(follow(watch))
            await asyncio.sleep(0)
            assert storage.watchers == 1
        await task
        watch.close()
        await storage.create("/a", value())
        with pytest.raises(StopAsyncIteration):
            await anext(watch)
        assert seen == []
        assert storage.watchers == 0

    asyncio.run(scenario())


@pytest.mark.parametrize("kind", KINDS)
def test_cancelled_tasks_leave_nothing_behind(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await opened(kind, tmp_path) as storage:
            before = asyncio.all_tasks()
            gone: list[weakref.ref[object]] = []

            async def follow(*, in_the_body: bool) -> None:
                watch = storage.watch("/p/", after_revision=1)
                gone.append(weakref.ref(watch))
                async for _ in watch:
                    if in_the_body:
                        await asyncio.get_running_loop().create_future()

            tasks = [asyncio.ensure_future(follow(in_the_body=bool(n % 2))) for n in range(20)]
            await asyncio.sleep(0)
            await storage.create("/p/a", value())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert storage.watchers == 20
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            del task
            tasks.clear()
            await asyncio.sleep(0)  # the loop itself refers to what it runs: to gather, and thus to the tasks
            assert storage.watchers == 0
            assert [reference for reference in gone if reference() is not None] == []
            assert asyncio.all_tasks() == before
            await storage.create("/p/b", value())

    asyncio.run(scenario())


@pytest.mark.parametrize("kind", KINDS)
def test_taking_what_waits(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await opened(kind, tmp_path, max_waiting=2) as storage:
            await storage.create("/p/a", value(1))
            watch = storage.watch("/p/", after_revision=1)
            assert [event.key for event in watch.take()] == ["/p/a"]
            assert watch.take() == []
            await storage.create("/q/a", value(2))
            assert watch.take() == []
            await storage.create("/p/b", value(3))
            # A write that is acknowledged can be taken, with no turn of the event loop between.
            assert [event.key for event in watch.take()] == ["/p/b"]
            assert watch.progress == storage.revision
            for key in ("/p/c", "/p/d"):
                await storage.create(key, value(4))
            assert [event.key for event in watch.take()] == ["/p/c", "/p/d"]
            await storage.create("/p/e", value(5))
            assert [event.key for event in await take(watch, 1)] == ["/p/e"]
            watch.close()
            assert watch.take() == []
            slow = storage.watch("/p/", after_revision=storage.revision)
            closed = storage.watch("/r/", after_revision=storage.revision)
            for key in ("/p/f", "/p/g", "/p/h"):
                await storage.create(key, value(6))
            with pytest.raises(SlowWatcher):
                slow.take()
        with pytest.raises(StorageClosed):
            closed.take()

    asyncio.run(scenario())
