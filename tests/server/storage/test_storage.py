"""What both stores do."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kubewright.server.storage import (
    Compacted,
    Entry,
    Event,
    FutureRevision,
    KeyExists,
    KeyMissing,
    RevisionMismatch,
    Storage,
    StorageClosed,
    Value,
)
from tests.server.storage.stores import KINDS, opened, stored, take, value

pytestmark = pytest.mark.parametrize("kind", KINDS)


def test_is_a_storage(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        storage: Storage = await opened(kind, tmp_path)
        assert storage.revision == 1, "0 would mean any revision to clients"
        assert storage.compact_revision == 0
        await storage.close()

    asyncio.run(scenario())


def test_each_write_gets_the_next_revision_and_has_it_in_its_value(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await opened(kind, tmp_path) as storage:
            made = await storage.create("/a", value("one"))
            assert made == Entry("/a", stored("one", 2), 2, 2)
            assert storage.get("/a") == made
            changed = await storage.update("/a", value("two"), expected_revision=2)
            assert changed == Entry("/a", stored("two", 3), 3, 2)
            gone = await storage.delete("/a", value("three"), expected_revision=3)
            assert (gone.value, gone.revision, gone.create_revision) == (stored("three", 4), 4, 2)
            assert storage.get("/a") is None
            again = await storage.create("/a", value())
            assert (again.revision, again.create_revision) == (5, 5)
            assert storage.revision == 5

    asyncio.run(scenario())


def test_values_are_kept_byte_by_byte(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await opened(kind, tmp_path) as storage:
            odd = Value(bytes(range(256)), b"\0%d%s" + bytes(100_000))
            await storage.create("/ключ/\0/%d", odd)
            found = storage.get("/ключ/\0/%d")
            assert found is not None
            assert found.value == odd.before + b"2" + odd.after

    asyncio.run(scenario())


def test_refusals_say_what_is_there_and_use_no_revision(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await opened(kind, tmp_path) as storage:
            there = await storage.create("/a", value())
            with pytest.raises(KeyExists, match="'/a' exists, since revision 2") as exists:
                await storage.create("/a", value())
            assert exists.value.current is there
            for write in (storage.update, storage.delete):
                with pytest.raises(KeyMissing, match="'/b'"):
                    await write("/b", value(), expected_revision=0)
                with pytest.raises(RevisionMismatch, match="at revision 9, but it is at 2") as mismatch:
                    await write("/a", value(), expected_revision=9)
                assert mismatch.value.current is there
            with pytest.raises(ValueError, match="'/\\\\ud800'"):
                await storage.create("/\ud800", value())
            assert storage.revision == 2
            assert storage.list("").entries == [there]

    asyncio.run(scenario())


def test_reads_at_a_revision(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await opened(kind, tmp_path) as storage:
            one = await storage.create("/p/a", value(1))
            two = await storage.update("/p/a", value(2), expected_revision=2)
            other = await storage.create("/p/b", value(3))
            await storage.delete("/p/a", value(4), expected_revision=3)
            three = await storage.create("/p/a", value(5))
            await storage.create("/q", value(6))
            assert [storage.get("/p/a", revision=n) for n in range(1, 8)] == [
                None, one, two, two, None, three, three,
            ]  # fmt: skip
            assert [storage.list("/p/", revision=n).entries for n in range(1, 8)] == [
                [], [one], [two], [two, other], [other], [three, other], [three, other],
            ]  # fmt: skip
            assert storage.list("/p/", revision=3).revision == 3
            for read in (storage.get, storage.list):
                with pytest.raises(FutureRevision, match="8 is in the future: the store is at 7"):
                    read("/p/", revision=8)

    asyncio.run(scenario())


def test_pages_are_consistent_while_others_write(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await opened(kind, tmp_path) as storage:
            await asyncio.gather(*(storage.create(f"/p/{n:02}", value(n)) for n in range(25)))
            whole = storage.list("/p/")
            assert (len(whole.entries), whole.next, whole.remaining) == (25, None, 0)
            page = storage.list("/p/", limit=10)
            seen = page.entries
            assert page.remaining == 15
            for number in range(12, 20):
                entry = storage.get(f"/p/{number}")
                assert entry is not None
                await storage.delete(entry.key, value(), expected_revision=entry.revision)
                await storage.create(f"/p/{number}x", value())
            page = storage.list("/p/", revision=page.revision, limit=10, start=page.next)
            assert (len(page.entries), page.remaining) == (10, 5)
            seen = seen + page.entries
            page = storage.list("/p/", revision=page.revision, limit=10, start=page.next)
            assert (len(page.entries), page.remaining, page.next) == (5, 0, None)
            assert seen + page.entries == whole.entries

    asyncio.run(scenario())


def test_list_bounds(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await opened(kind, tmp_path) as storage:
            for key in ("/p", "/p/a", "/p/b", "/pq", "/q"):
                await storage.create(key, value())
            keys = [entry.key for entry in storage.list("/p/").entries]
            assert keys == ["/p/a", "/p/b"]
            assert len(storage.list("").entries) == 5
            assert [entry.key for entry in storage.list("/p/", start="/p/a\0").entries] == ["/p/b"]
            assert len(storage.list("/p/", start="/a").entries) == 2
            assert storage.list("/p/", start="/q").entries == []
            with pytest.raises(ValueError, match="positive, not 0"):
                storage.list("/p/", limit=0)

    asyncio.run(scenario())


def test_compaction_forgets_history_and_nothing_live(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await opened(kind, tmp_path) as storage:
            for key in ("/a", "/b", "/c"):
                await storage.create(key, value("x" * 100))
            await storage.update("/a", value("y" * 100), expected_revision=2)
            await storage.delete("/b", value("z" * 100), expected_revision=3)
            await storage.update("/a", value(), expected_revision=5)
            await storage.update("/c", value(), expected_revision=4)
            before = storage.list("", revision=6)
            await storage.compact(6)
            assert storage.compact_revision == 6
            assert storage.list("", revision=6) == before
            for read in (storage.get, storage.list):
                with pytest.raises(Compacted, match="revision 5 is compacted: the oldest left is 6") as error:
                    read("/a", revision=5)
                assert error.value.compact_revision == 6
            with pytest.raises(Compacted):
                storage.watch("", after_revision=5)
            events = await take(storage.watch("", after_revision=6), 2)
            assert events[0] == Event("MODIFIED", "/a", stored("", 7), stored("y" * 100, 5), 7)
            with pytest.raises(FutureRevision):
                await storage.compact(9)
            await storage.compact(3)
            assert storage.compact_revision == 6
            await storage.compact(8)
            assert storage.history_bytes == 0
            assert [entry.revision for entry in storage.list("").entries] == [7, 8]

    asyncio.run(scenario())


def test_closed(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        storage = await opened(kind, tmp_path)
        watch = storage.watch("", after_revision=1)
        waiting = asyncio.ensure_future(take(watch, 1))
        await asyncio.sleep(0)
        await storage.close()
        await storage.close()
        for attempt in (
            waiting,
            anext(watch),
            storage.create("/a", value()),
            storage.compact(1),
        ):
            with pytest.raises(StorageClosed, match="the store is closed"):
                await attempt
        with pytest.raises(StorageClosed):
            storage.watch("", after_revision=1)
        assert storage.watchers == 0

    asyncio.run(scenario())
