"""Backups of a store at rest and of one that is being written to, and what restoring makes of them."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.server.storage import Compacted, Entry, SQLiteStorage, StorageDamaged, StorageUnusable
from kubewright.server.storage.backup import Summary, back_up, restore
from kubewright.server.storage.recovery import REVISION_BUMP
from tests.server.storage import killed_writer
from tests.server.storage.stores import value


async def fill(folder: Path) -> tuple[list[Entry], int]:
    """A store with history, and what it holds."""
    async with await SQLiteStorage.open(folder) as storage:
        for number in range(40):
            entry = await storage.create(f"/{number}", value("x" * number * 50))
            if number % 2:
                entry = await storage.update(f"/{number}", value("y"), expected_revision=entry.revision)
            if number % 5 == 0:
                await storage.delete(f"/{number}", value(), expected_revision=entry.revision)
        return storage.list("").entries, storage.revision


def content(folder: Path) -> tuple[list[Entry], int]:
    async def read() -> tuple[list[Entry], int]:
        async with await SQLiteStorage.open(folder) as storage:
            return storage.list("").entries, storage.revision

    return asyncio.run(read())


def test_there_and_back(tmp_path: Path) -> None:
    entries, revision = asyncio.run(fill(tmp_path / "data"))
    assert back_up(tmp_path / "data", tmp_path / "file") == Summary(len(entries), revision)
    assert (tmp_path / "file").stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "file"]
    restored = restore(tmp_path / "file", tmp_path / "new")
    assert restored == Summary(len(entries), revision + REVISION_BUMP)
    assert content(tmp_path / "new") == (entries, revision + REVISION_BUMP)
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    for file in (tmp_path / "new").iterdir():
        assert file.stat().st_mode & 0o077 == 0
    assert content(tmp_path / "data") == (entries, revision)


def test_restored_clients_list_again_and_no_revision_is_used_twice(tmp_path: Path) -> None:
    _, revision = asyncio.run(fill(tmp_path / "data"))
    back_up(tmp_path / "data", tmp_path / "file")
    restore(tmp_path / "file", tmp_path / "new")

    async def check() -> None:
        async with await SQLiteStorage.open(tmp_path / "new") as storage:
            # The server went on after the backup, and clients may have seen that.
            for seen in (revision, revision + 100_000):
                with pytest.raises(Compacted):
                    storage.watch("", after_revision=seen)
            assert (await storage.create("/z", value())).revision == revision + REVISION_BUMP + 1

    asyncio.run(check())


def test_a_backup_while_a_server_writes(tmp_path: Path) -> None:
    """Each has everything that was acknowledged before it began."""
    arguments = [sys.executable, killed_writer.__file__, str(tmp_path / "data"), "0"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"opening\n"
        for number in range(3):
            acknowledged = max(int(writer.stdout.readline().split()[2]) for _ in range(300))
            summary = back_up(tmp_path / "data", tmp_path / f"file-{number}", attempts=1000)
            assert summary.revision >= acknowledged
            restore(tmp_path / f"file-{number}", tmp_path / f"new-{number}")
            entries, _ = content(tmp_path / f"new-{number}")
            assert len(entries) == summary.objects
            for entry in entries:
                wholes = [killed_writer.content(entry.key, step) for step in (0, 1)]
                assert entry.value in [
                    whole.before + str(entry.revision).encode() + whole.after for whole in wholes
                ]
        writer.kill()


def test_a_damaged_backup_is_refused(tmp_path: Path) -> None:
    entries, _ = asyncio.run(fill(tmp_path / "data"))
    back_up(tmp_path / "data", tmp_path / "file")
    whole = (tmp_path / "file").read_bytes()
    chance = random.Random(20261116)  # noqa: S311
    refused = 0
    for number in range(60):
        position = chance.randrange(len(whole))
        changed = bytearray(whole)
        changed[position] ^= chance.randrange(1, 256)
        (tmp_path / "file").write_bytes(changed)
        folder = tmp_path / f"new-{number}"
        try:
            restore(tmp_path / "file", folder)
        except StorageUnusable:
            assert sorted(path.name for path in folder.iterdir()) == ["lock", "storage.db"]
            assert (folder / "storage.db").stat().st_size == 0
            refused += 1
        else:
            assert content(folder)[0] == entries
    assert refused
    (tmp_path / "file").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StorageDamaged, match=r"; name another backup$"):
        restore(tmp_path / "file", tmp_path / "new")


def test_a_damaged_store_is_not_backed_up(tmp_path: Path) -> None:
    asyncio.run(fill(tmp_path / "data"))
    database = tmp_path / "data" / "storage.db"
    os.truncate(database, 4096)
    with pytest.raises(
        StorageDamaged, match=rf"^{database} is damaged .*; if a server runs on .*, stop it and try again$"
    ):
        back_up(tmp_path / "data", tmp_path / "file")
    assert not (tmp_path / "file").exists()


def test_nothing_is_replaced(tmp_path: Path) -> None:
    asyncio.run(fill(tmp_path / "data"))
    back_up(tmp_path / "data", tmp_path / "file")
    with pytest.raises(StorageUnusable, match=r"exists, and a backup replaces nothing; name another file$"):
        back_up(tmp_path / "data", tmp_path / "file")
    with pytest.raises(StorageUnusable, match=r"holds a store already, .*; name another data dir$"):
        restore(tmp_path / "file", tmp_path / "data")


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StorageUnusable, match=r"there is no store in .*; name the data dir of a server$"):
        back_up(tmp_path / "data", tmp_path / "file")
    with pytest.raises(StorageUnusable, match=r"there is no backup .*; name another file$"):
        restore(tmp_path / "file", tmp_path / "data")
    assert list(tmp_path.iterdir()) == []
    asyncio.run(fill(tmp_path / "data"))
    with pytest.raises(StorageUnusable, match=r"cannot write the backup .*: No such file or directory"):
        back_up(tmp_path / "data", tmp_path / "missing" / "file")


def test_a_mark_that_is_left_is_heeded(tmp_path: Path) -> None:
    """A database that was removed, so that a backup takes its place: its revisions are not used again."""
    _, revision = asyncio.run(fill(tmp_path / "data"))
    back_up(tmp_path / "data", tmp_path / "file")

    async def go_on() -> int:
        async with await SQLiteStorage.open(tmp_path / "data") as storage:
            await asyncio.gather(*(storage.create(f"/more/{n}", value()) for n in range(500)))
            return storage.revision

    last = asyncio.run(go_on())
    (tmp_path / "data" / "storage.db").unlink()
    assert restore(tmp_path / "file", tmp_path / "data").revision >= last + REVISION_BUMP
    assert revision < last
