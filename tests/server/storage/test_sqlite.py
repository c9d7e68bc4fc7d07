"""What only the store on disk does: files, locks, batches, failures."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import itertools
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kubewright.server.storage import (
    Entry,
    KeyExists,
    RevisionMismatch,
    SQLiteStorage,
    StorageClosed,
    StorageUnusable,
    WriteFailed,
)
from kubewright.server.storage import mark as mark_module
from kubewright.server.storage.memory import COMPACTION_STEP
from tests.server.storage.stores import PATIENCE, take, value


async def fill(directory: Path, *, keys: int = 200) -> None:
    async with await SQLiteStorage.open(directory) as storage:
        await asyncio.gather(*(storage.create(f"/{n}", value("x" * 500)) for n in range(keys)))


def refusal(directory: Path) -> str:
    async def attempt() -> None:
        async with await SQLiteStorage.open(directory):
            pass

    with pytest.raises(StorageUnusable) as error:
        asyncio.run(attempt())
    message = str(error.value)
    assert "\n" not in message
    return message


def test_reopening_restores_everything(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await SQLiteStorage.open(tmp_path) as storage:
            for key in ("/a", "/b", "/c"):
                await storage.create(key, value())
            await storage.update("/a", value("new"), expected_revision=2)
            await storage.delete("/b", value("gone"), expected_revision=3)
            events = await take(storage.watch("", after_revision=1), 5)
            before, old = storage.list(""), storage.list("", revision=4)
        async with await SQLiteStorage.open(tmp_path) as storage:
            assert storage.list("") == before
            assert storage.list("", revision=4) == old
            assert await take(storage.watch("", after_revision=1), 5) == events
            await storage.compact(6)  # the last row is a tombstone, which goes
        async with await SQLiteStorage.open(tmp_path) as storage:
            assert (storage.revision, storage.compact_revision, storage.history_bytes) == (6, 6, 0)
            assert storage.list("") == before
            assert (await storage.create("/b", value())).revision == 7

    asyncio.run(scenario())


def test_64_writers_share_transactions_and_are_as_if_one_after_the_other(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await SQLiteStorage.open(tmp_path) as storage:
            statements: list[str] = []
            storage._journal._connection.set_trace_callback(statements.append)
            watch = storage.watch("", after_revision=1)
            acknowledged: list[int] = []
            conflicts = 0

            async def write(writer: int) -> None:
                nonlocal conflicts
                for step in range(10):
                    acknowledged.append((await storage.create(f"/own/{writer}/{step}", value())).revision)
                    while True:
                        shared = storage.get("/shared")
                        try:
                            if shared is None:
                                entry = await storage.create("/shared", value(writer))
                            else:
                                entry = await storage.update(
                                    "/shared", value(writer), expected_revision=shared.revision
                                )
                        except (KeyExists, RevisionMismatch):
                            conflicts += 1
                        else:
                            assert storage.revision >= entry.revision
                            acknowledged.append(entry.revision)
                            break

            await asyncio.gather(*map(write, range(64)))
            assert sorted(acknowledged) == list(range(2, 2 + 64 * 20))
            assert conflicts > 0
            events = await take(watch, 64 * 20)
            assert [event.revision for event in events] == list(range(2, 2 + 64 * 20))
            shared = [event for event in events if event.key == "/shared"]
            for one, next_one in itertools.pairwise(shared):
                assert next_one.previous == one.value
            inserts = [statement for statement in statements if statement.startswith("INSERT")]
            assert len(inserts) < len(events) * 0.75, "writers did not share transactions"
            storage._journal._connection.set_trace_callback(None)

    asyncio.run(scenario())


def test_a_batch_of_any_size(tmp_path: Path) -> None:
    async def scenario() -> None:
        made = []
        async with await SQLiteStorage.open(tmp_path) as storage:
            for size in (1, 2, 3, 5, 64, 255, 256, 257, 600):
                start = storage.revision
                made += await asyncio.gather(*(storage.create(f"/{size}/{n}", value(n)) for n in range(size)))
                assert storage.revision == start + size
        async with await SQLiteStorage.open(tmp_path) as storage:
            assert storage.list("").entries == sorted(made, key=lambda entry: entry.key)

    asyncio.run(scenario())


def test_one_batch_may_make_change_and_delete_a_key(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await SQLiteStorage.open(tmp_path) as storage:
            results = await asyncio.gather(
                storage.create("/a", value(1)),
                storage.create("/a", value(2)),
                storage.update("/a", value(3), expected_revision=2),
                storage.update("/a", value(4), expected_revision=2),
                storage.create("/\ud800", value()),
                storage.delete("/a", value(5), expected_revision=3),
                storage.create("/a", value(6)),
                return_exceptions=True,
            )
            revisions = [result.revision if isinstance(result, Entry) else type(result) for result in results]
            assert revisions == [2, KeyExists, 3, RevisionMismatch, ValueError, 4, 5]
            kinds = [event.type for event in await take(storage.watch("", after_revision=1), 4)]
            assert kinds == ["ADDED", "MODIFIED", "DELETED", "ADDED"]
        async with await SQLiteStorage.open(tmp_path) as storage:
            assert storage.get("/a") == results[-1]

    asyncio.run(scenario())


def test_closing_waits_for_the_writes_under_way(tmp_path: Path) -> None:
    async def scenario() -> None:
        storage = await SQLiteStorage.open(tmp_path)
        writes = [asyncio.ensure_future(storage.create(f"/{n}", value())) for n in range(600)]
        await asyncio.sleep(0)
        await asyncio.gather(storage.close(), storage.close())
        assert all(write.done() for write in writes)
        async with await SQLiteStorage.open(tmp_path) as storage:
            assert len(storage.list("").entries) == 600
        await asyncio.gather(*writes)

    asyncio.run(scenario())


def test_cancelled_writers_do_not_disturb_the_others(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await SQLiteStorage.open(tmp_path) as storage:
            writes = [asyncio.ensure_future(storage.create(f"/{n}", value())) for n in range(100)]
            await asyncio.sleep(0)
            for write in writes[::2]:
                write.cancel()
            results = await asyncio.gather(*writes, return_exceptions=True)
            assert all(isinstance(result, Entry) for result in results[1::2])
            assert storage.revision == 1 + len(storage.list("").entries)

    asyncio.run(scenario())


def test_a_cancelled_compaction_leaves_memory_and_disk_agreed(tmp_path: Path) -> None:
    async def scenario() -> None:
        for attempt in range(5):
            async with await SQLiteStorage.open(tmp_path) as storage:
                entry = storage.get("/a") or await storage.create("/a", value())
                for _ in range(20):
                    entry = await storage.update("/a", value(), expected_revision=entry.revision)
                high = asyncio.ensure_future(storage.compact(storage.revision - 2))
                for _ in range(attempt):
                    await asyncio.sleep(0)
                high.cancel()
                await storage.compact(max(storage.revision - 10, 0))
                with contextlib.suppress(asyncio.CancelledError):
                    await high
                await storage.update("/a", value(), expected_revision=entry.revision)
                told = storage.compact_revision
            async with await SQLiteStorage.open(tmp_path) as storage:
                assert storage.compact_revision >= told
                assert len(storage.list("").entries) == 1

    asyncio.run(scenario())


def test_closing_ends_a_compaction_between_two_steps(tmp_path: Path) -> None:
    async def scenario() -> None:
        storage = await SQLiteStorage.open(tmp_path)
        await asyncio.gather(*(storage.create(f"/{n}", value()) for n in range(COMPACTION_STEP + 100)))
        compaction = asyncio.ensure_future(storage.compact(storage.revision))
        await asyncio.sleep(0)
        await storage.close()
        with pytest.raises(StorageClosed):
            await compaction
        async with await SQLiteStorage.open(tmp_path) as storage:
            assert storage.compact_revision == COMPACTION_STEP
            assert len(storage.list("").entries) == COMPACTION_STEP + 100

    asyncio.run(scenario())


def test_a_full_disk_refuses_writes_until_there_is_room(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await SQLiteStorage.open(tmp_path) as storage:
            await storage.create("/a", value())
            connection = storage._journal._connection
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages}")
            results = await asyncio.gather(
                *(storage.create(f"/b/{n}", value("x" * 10_000)) for n in range(10)), return_exceptions=True
            )
            assert all(isinstance(result, WriteFailed) for result in results)
            assert "is full: nothing was written" in str(results[0])
            assert (storage.revision, len(storage.list("").entries)) == (2, 1)
            connection.execute("PRAGMA max_page_count = 1000000")
            assert (await storage.create("/c", value())).revision == 3
        async with await SQLiteStorage.open(tmp_path) as storage:
            assert [entry.key for entry in storage.list("").entries] == ["/a", "/c"]

    asyncio.run(scenario())


def test_a_mark_that_finds_the_disk_full_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on file systems that need space to overwrite."""

    async def scenario() -> None:
        async with await SQLiteStorage.open(tmp_path) as storage:
            reserved = storage._mark.reserved
            with monkeypatch.context() as patch:
                patch.setattr(mark_module.os, "pwrite", fail(errno.ENOSPC))
                with pytest.raises(WriteFailed, match="is full: nothing was written"):
                    await storage.create("/a", value())
            assert storage._mark.reserved == reserved
            assert (await storage.create("/b", value())).revision == 2
        async with await SQLiteStorage.open(tmp_path) as storage:
            assert [entry.key for entry in storage.list("").entries] == ["/b"]

    asyncio.run(scenario())


def test_a_batch_that_is_written_but_cannot_be_marked_is_not_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with await SQLiteStorage.open(tmp_path) as storage:
            await storage.create("/a", value())
            with monkeypatch.context() as patch:
                patch.setattr(mark_module.os, "pwrite", fail(errno.ENOSPC))
                with pytest.raises(WriteFailed, match="open it anew"):
                    await storage.create("/b", value())
            # Its revision must not be written twice.
            with pytest.raises(WriteFailed, match="open it anew"):
                await storage.create("/c", value())
            assert [entry.key for entry in storage.list("").entries] == ["/a"]
        async with await SQLiteStorage.open(tmp_path) as storage:
            assert [entry.key for entry in storage.list("").entries] == ["/a", "/b"]

    asyncio.run(scenario())


def fail(number: int) -> Callable[..., int]:
    def call(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    return call


def test_after_another_failure_nothing_is_written_any_more_but_reads_work(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await SQLiteStorage.open(tmp_path) as storage:
            await storage.create("/a", value())
            storage._journal._connection.close()
            with pytest.raises(WriteFailed, match=r"failed \(.*closed.*\): open it anew"):
                await storage.create("/b", value())
            for write in (storage.create("/b", value()), storage.compact(2)):
                with pytest.raises(WriteFailed, match="open it anew"):
                    await write
            assert [entry.key for entry in storage.list("").entries] == ["/a"]

    asyncio.run(scenario())


def test_a_data_dir_has_one_owner(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys; from kubewright.server.storage import SQLiteStorage\n"
        "async def main():\n"
        "    async with await SQLiteStorage.open(sys.argv[1]) as storage:\n"
        "        print('open', flush=True); sys.stdin.read()\n"
        "asyncio.run(main())"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        assert refusal(tmp_path) == (
            f"the data dir {tmp_path} is in use by process {holder.pid}; stop that, or name another data dir"
        )
        holder.kill()
        holder.wait()
    asyncio.run(fill(tmp_path))  # a lock dies with its process


def test_the_same_process_may_not_open_it_twice_either(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await SQLiteStorage.open(tmp_path):
            with pytest.raises(StorageUnusable, match=f"in use by process {os.getpid()}"):
                await SQLiteStorage.open(tmp_path)
        async with await SQLiteStorage.open(tmp_path):
            pass

    asyncio.run(scenario())


def test_an_opening_that_is_cancelled_lets_go_of_the_directory(tmp_path: Path) -> None:
    async def scenario() -> None:
        await fill(tmp_path)
        for turns in range(4):
            opening = asyncio.ensure_future(SQLiteStorage.open(tmp_path))
            for _ in range(turns):
                await asyncio.sleep(0)
            opening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await (await opening).close()
            while True:  # the thread that opens it is not cancelled with us
                try:
                    storage = await SQLiteStorage.open(tmp_path)
                except StorageUnusable:
                    continue
                await storage.close()
                break

    asyncio.run(asyncio.wait_for(scenario(), PATIENCE))


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "data"
    asyncio.run(fill(directory))
    assert directory.stat().st_mode & 0o077 == 0
    assert (directory / "storage.db").stat().st_mode & 0o077 == 0


def test_foreign_files_are_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert refusal(tmp_path / "file").endswith("file: it is no directory; name another")
    database = tmp_path / "storage.db"
    database.write_text("not a database at all, " * 50)
    assert "is damaged or no store of kubewright: its 1,150 bytes are no whole number" in refusal(tmp_path)
    database.write_text("not a database, " * 256)
    assert "is damaged or no store of kubewright: file is not a database" in refusal(tmp_path)
    database.unlink()
    with contextlib.closing(sqlite3.connect(database)) as foreign:
        foreign.execute("CREATE TABLE revisions (a, b)")
        foreign.commit()
    assert refusal(tmp_path) == f"{database} is an SQLite file of another program; use another data dir"
    database.unlink()
    asyncio.run(fill(tmp_path))
    with contextlib.closing(sqlite3.connect(database)) as newer:
        newer.execute("PRAGMA user_version = 7")
    assert "has format 7, but this kubewright knows those up to 2 only" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DELETE FROM revisions WHERE revision = 9", "revision 10 follows 8"),
        ("DELETE FROM store", "the table store has not one row"),
        ("UPDATE store SET compacted = 9", "the checksum of the table store is wrong"),
        ("UPDATE revisions SET value = 1 WHERE revision = 9", "revision 9 does not fit its checksum"),
        ("UPDATE revisions SET key = '/x' WHERE revision = 9", "revision 9 does not fit its checksum"),
        ("UPDATE revisions SET prev_revision = 5 WHERE revision = 9", "revision 9 supersedes 5"),
        ("UPDATE revisions SET create_revision = 5 WHERE revision = 9", "says that 5 made its key"),
        ("UPDATE revisions SET deleted = 1 WHERE revision = 9", "revision 9 deletes '/7'"),
        ("DROP TABLE revisions", "no such table"),
    ],
)
def test_rows_that_are_no_history_are_refused(tmp_path: Path, damage: str, told: str) -> None:
    asyncio.run(fill(tmp_path, keys=20))
    with contextlib.closing(sqlite3.connect(tmp_path / "storage.db")) as connection:
        connection.executescript(damage)
    assert told in refusal(tmp_path)


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    asyncio.run(fill(tmp_path))
    database = tmp_path / "storage.db"
    whole = database.read_bytes()
    for size in (1, 100, 600, 4095, 4096, 5000, len(whole) // 2, len(whole) - 4096, len(whole) - 1):
        database.write_bytes(whole[:size])
        assert "is damaged or no store of kubewright" in refusal(tmp_path), size
    database.write_bytes(whole[:8192] + bytes(4096) + whole[12288:])
    assert "is damaged" in refusal(tmp_path)
    database.write_bytes(b"")
    (tmp_path / "storage.db-wal").write_bytes(whole)
    assert "storage.db is empty, but revision 201 was acknowledged" in refusal(tmp_path)
    (tmp_path / "storage.mark").unlink()
    assert "its 0 bytes are too few for what storage.db-wal" in refusal(tmp_path)
