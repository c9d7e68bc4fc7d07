"""Damaged files: a store refuses in one sentence, or everything that was acknowledged is there."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from kubewright.server.storage import (
    Compacted,
    Entry,
    FutureRevision,
    SQLiteStorage,
    StorageDamaged,
    StorageUnusable,
)
from kubewright.server.storage.mark import RESERVED_AT_ONCE, Mark
from kubewright.server.storage.recovery import REVISION_BUMP
from tests.server.storage.stores import value

SEED = 20261116
FILES = ("storage.db", "storage.db-wal", "storage.mark")


async def fill(storage: SQLiteStorage, start: int, count: int) -> None:
    """Write objects of several sizes, change some, delete some."""
    for number in range(start, start + count):
        entry = await storage.create(f"/{number}", value("x" * (number * 37 % 3000)))
        if number % 3 == 0:
            entry = await storage.update(f"/{number}", value("y" * 200), expected_revision=entry.revision)
        if number % 5 == 0:
            await storage.delete(f"/{number}", value(), expected_revision=entry.revision)


class Killed:
    """The files of a store whose process was killed, and what it had acknowledged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entries: list[Entry] = []
        self.revision = 0

    async def prepare(self, source: Path, *, checkpointed: int = 60, logged: int = 40) -> None:
        async with await SQLiteStorage.open(source) as storage:
            await fill(storage, 0, checkpointed)
            await storage.compact(storage.revision - 20)
        shutil.copytree(source, self.folder / "old")
        async with await SQLiteStorage.open(source) as storage:
            await fill(storage, checkpointed, logged)
            # SQLite folds the log into the file when it is closed; a process that is killed leaves it.
            self.folder.mkdir(exist_ok=True)
            shutil.copytree(source, self.folder / "killed")
            self.entries = storage.list("").entries
            self.revision = storage.revision

    def copy(self, to: Path) -> Path:
        shutil.rmtree(to, ignore_errors=True)
        return shutil.copytree(self.folder / "killed", to)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    files = Killed(tmp_path_factory.mktemp("killed"))
    asyncio.run(files.prepare(tmp_path_factory.mktemp("source") / "data"))
    return files


def opened(folder: Path, *, accept_data_loss: bool = False) -> tuple[list[Entry], int]:
    """What a store holds after it was opened, and that it takes a write and opens again."""

    async def run() -> tuple[list[Entry], int]:
        async with await SQLiteStorage.open(folder, accept_data_loss=accept_data_loss) as storage:
            entries, revision = storage.list("").entries, storage.revision
            written = await storage.create("/new", value("z" * 5000))
            assert written.revision == revision + 1
        async with await SQLiteStorage.open(folder) as storage:
            assert storage.list("").entries == sorted([*entries, written], key=lambda entry: entry.key)
        return entries, revision

    return asyncio.run(run())


def refusal(folder: Path) -> str:
    with pytest.raises(StorageDamaged) as raised:
        opened(folder)
    message = str(raised.value)
    assert "\n" not in message
    assert message.endswith(
        "; restore a backup with kubewright server --restore into another data dir, or go on with what is "
        f"readable with kubewright server --data-dir {folder} --accept-data-loss"
    )
    return message


def flip(path: Path, position: int, chance: random.Random) -> None:
    with path.open("r+b") as file:
        file.seek(position)
        (byte,) = file.read(1)
        file.seek(position)
        file.write(bytes([byte ^ chance.randrange(1, 256)]))


def test_an_undamaged_copy_opens(killed: Killed, tmp_path: Path) -> None:
    assert opened(killed.copy(tmp_path / "data")) == (killed.entries, killed.revision)


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_byte_anywhere_is_refused_or_harmless(killed: Killed, tmp_path: Path, name: str) -> None:
    chance = random.Random(SEED)  # noqa: S311
    size = (killed.folder / "killed" / name).stat().st_size
    # The headers hold what matters most, and are small.
    positions = [chance.randrange(100) for _ in range(15)] + [chance.randrange(size) for _ in range(60)]
    refused = 0
    for position in positions:
        folder = killed.copy(tmp_path / "data")
        flip(folder / name, position, chance)
        try:
            assert opened(folder) == (killed.entries, killed.revision), position
        except StorageUnusable:
            refused += 1
    assert refused or name == "storage.mark", "no flip was noticed"


@pytest.mark.parametrize("name", ["storage.db", "storage.db-wal"])
def test_a_file_that_was_cut_is_refused_or_has_lost_nothing(
    killed: Killed, tmp_path: Path, name: str
) -> None:
    chance = random.Random(SEED)  # noqa: S311
    size = (killed.folder / "killed" / name).stat().st_size
    for length in (0, 1, 31, 4096, size // 2, size - 1, *(chance.randrange(size) for _ in range(20))):
        folder = killed.copy(tmp_path / "data")
        os.truncate(folder / name, length)
        try:
            assert opened(folder) == (killed.entries, killed.revision), length
        except StorageDamaged:
            continue
        assert length > size - 8192, "writes were lost without a word"


def damage_log(folder: Path, _killed: Killed) -> None:
    log = folder / "storage.db-wal"
    flip(log, log.stat().st_size // 2, random.Random(SEED))  # noqa: S311


def remove_log(folder: Path, _killed: Killed) -> None:
    (folder / "storage.db-wal").unlink()


def empty_database(folder: Path, _killed: Killed) -> None:
    (folder / "storage.db").write_bytes(b"")
    (folder / "storage.db-wal").unlink()


def remove_database(folder: Path, _killed: Killed) -> None:
    (folder / "storage.db").unlink()
    (folder / "storage.db-wal").unlink()


def use_older_copy(folder: Path, killed: Killed) -> None:
    shutil.copy(killed.folder / "old" / "storage.db", folder)
    (folder / "storage.db-wal").unlink()


def use_other_store(folder: Path, _killed: Killed) -> None:
    async def make() -> None:
        async with await SQLiteStorage.open(folder / "other") as storage:
            await fill(storage, 0, 200)

    asyncio.run(make())
    shutil.move(folder / "other" / "storage.db", folder / "storage.db")
    shutil.rmtree(folder / "other")
    (folder / "storage.db-wal").unlink()


def flip_value(folder: Path, _killed: Killed) -> None:
    """A byte in the middle of a value, which SQLite does not notice."""
    content = (folder / "storage.db").read_bytes()
    position = content.index(b"x" * 500) + 250
    (folder / "storage.db").write_bytes(content[:position] + b"X" + content[position + 1 :])


def remove_row(folder: Path, _killed: Killed) -> None:
    """A row from before the compaction, where revisions have gaps."""
    with closing(sqlite3.connect(folder / "storage.db")) as connection:
        connection.execute("DELETE FROM revisions WHERE revision = (SELECT min(revision) FROM revisions)")
        connection.commit()


def tear_page(folder: Path, _killed: Killed) -> None:
    """A page of rows that was overwritten, as by a disk that lost a write to another file."""
    content = bytearray((folder / "storage.db").read_bytes())
    start = content.index(b"x" * 500) // 4096 * 4096
    content[start : start + 4096] = b"another file's " * 273 + b"!"
    (folder / "storage.db").write_bytes(content)


def remove_mark(folder: Path, _killed: Killed) -> None:
    (folder / "storage.mark").unlink()


def damage_mark(folder: Path, _killed: Killed) -> None:
    (folder / "storage.mark").write_bytes(bytes(8192))


Damage = Callable[[Path, Killed], None]
SENTENCES: dict[Damage, str] = {
    damage_log: "but {} was acknowledged: it or storage.db-wal was damaged, cut, removed or replaced",
    remove_log: "but {} was acknowledged: it or storage.db-wal was damaged, cut, removed or replaced",
    empty_database: "storage.db is empty, but revision {} was acknowledged",
    remove_database: "storage.db is empty, but revision {} was acknowledged",
    use_older_copy: "but {} was acknowledged: it or storage.db-wal was damaged, cut, removed or replaced",
    use_other_store: "are of different stores",
    flip_value: "does not fit its checksum",
    remove_row: "rows up to the compaction at ",
    tear_page: "storage.db is damaged or no store of kubewright: ",
    remove_mark: "storage.mark is missing, which says how much was acknowledged",
    damage_mark: "storage.mark is damaged: neither of its copies is whole",
}
NOTHING_LOST = (remove_mark, damage_mark)
ALL_LOST = (empty_database, remove_database)


@pytest.mark.parametrize("damage", SENTENCES)
def test_damage_is_refused_each_time_and_can_be_accepted(
    killed: Killed, tmp_path: Path, damage: Damage, caplog: pytest.LogCaptureFixture
) -> None:
    folder = killed.copy(tmp_path / "data")
    damage(folder, killed)
    for _ in range(2):
        assert SENTENCES[damage].format(killed.revision) in refusal(folder)
    caplog.clear()
    entries, revision = opened(folder, accept_data_loss=True)
    # No revision is used twice: not what was acknowledged, nor what may have been.
    assert revision > killed.revision
    assert revision <= killed.revision + (REVISION_BUMP if damage in NOTHING_LOST else RESERVED_AT_ONCE) + 1
    (message,) = caplog.messages
    assert f"going on with the {len(entries)} objects that are readable" in message
    assert f"revisions continue after {revision}" in message
    assert (folder / "damaged-1").stat().st_mode & 0o077 == 0
    if damage in NOTHING_LOST:
        assert entries == killed.entries
    if damage in ALL_LOST:
        assert entries == []
    elif damage is not use_other_store:
        # Whatever is there is as it was written at some time, bit by bit.
        assert len(entries) > len(killed.entries) // 3
        for entry in entries:
            text = entry.value.split(b'"')[-2]
            assert text in (b"x" * len(text), b"y" * 200)


def test_watches_from_before_a_loss_are_told_to_list_again(killed: Killed, tmp_path: Path) -> None:
    folder = killed.copy(tmp_path / "data")
    damage_log(folder, killed)

    async def run() -> None:
        async with await SQLiteStorage.open(folder, accept_data_loss=True) as storage:
            for revision in (2, killed.revision, killed.revision + 1):
                with pytest.raises(Compacted):
                    storage.watch("", after_revision=revision)
            with pytest.raises(FutureRevision):
                storage.watch("", after_revision=storage.revision + 1)

    asyncio.run(run())


def test_the_damaged_files_are_kept_as_they_were(killed: Killed, tmp_path: Path) -> None:
    folder = killed.copy(tmp_path / "data")
    damage_log(folder, killed)
    log = (folder / "storage.db-wal").read_bytes()
    refusal(folder)
    refusal(folder)
    opened(folder, accept_data_loss=True)
    assert (folder / "damaged-1" / "storage.db-wal.damaged").read_bytes() == log
    assert not (folder / "storage.db-wal.damaged").exists()


def test_a_log_that_is_good_is_not_kept(killed: Killed, tmp_path: Path) -> None:
    folder = killed.copy(tmp_path / "data")
    opened(folder)
    assert sorted(file.name for file in folder.iterdir()) == ["lock", "storage.db", "storage.mark"]


@pytest.mark.parametrize("step", range(5))
def test_accepting_that_is_cut_off_is_never_taken_for_a_good_store(
    killed: Killed, tmp_path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power failure between two steps leaves files that are refused, and accepting again works."""

    class PowerFailure(Exception):
        pass

    folder = killed.copy(tmp_path / "data")
    damage_log(folder, killed)
    done = 0
    real_unlink, real_rename = Path.unlink, Path.rename

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(self: Path, *arguments: object, **options: object) -> object:
            nonlocal done
            done += self.parent == folder
            if done > step:
                raise PowerFailure
            return real(self, *arguments, **options)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", counted(real_unlink))
        patch.setattr(Path, "rename", counted(real_rename))
        with pytest.raises(PowerFailure):
            opened(folder, accept_data_loss=True)
    refusal(folder)
    _, revision = opened(folder, accept_data_loss=True)
    assert revision > killed.revision


def test_a_mark_that_is_behind_is_no_damage(killed: Killed, tmp_path: Path) -> None:
    """As after a power failure: the mark is not synced with each write."""
    folder = killed.copy(tmp_path / "data")
    shutil.copy(killed.folder / "old" / "storage.mark", folder)
    assert opened(folder) == (killed.entries, killed.revision)


def test_a_write_that_was_cut_off_is_no_damage(killed: Killed, tmp_path: Path) -> None:
    """As after a power failure amid a commit: a torn frame behind the last acknowledged write."""
    folder = killed.copy(tmp_path / "data")
    with (folder / "storage.db-wal").open("ab") as log:
        log.write(os.urandom(3000))
    assert opened(folder) == (killed.entries, killed.revision)


def test_revisions_are_reserved_before_they_are_used(tmp_path: Path) -> None:
    async def run() -> None:
        async with await SQLiteStorage.open(tmp_path) as storage:
            for count in (1, 300, 2 * RESERVED_AT_ONCE):
                await asyncio.gather(*(storage.create(f"/{count}/{n}", value()) for n in range(count)))
                mark = Mark.open(tmp_path / "storage.mark")
                assert mark is not None
                mark.close()
                assert mark.acknowledged == storage.revision <= mark.reserved
                assert mark.reserved <= storage.revision + RESERVED_AT_ONCE

    asyncio.run(run())


def test_a_store_of_the_first_version_is_upgraded(tmp_path: Path) -> None:
    make_version_1(tmp_path, rows=50)
    entries, revision = opened(tmp_path)
    assert revision == 51
    assert [entry.revision for entry in entries] == sorted(range(2, 52), key=lambda revision: f"/{revision}")
    flip_value_of_version_2 = (tmp_path / "storage.db").read_bytes().replace(b"v1-30 ", b"v1-3O ")
    (tmp_path / "storage.db").write_bytes(flip_value_of_version_2)
    assert "does not fit its checksum" in refusal(tmp_path)


def test_a_damaged_store_of_the_first_version(tmp_path: Path) -> None:
    make_version_1(tmp_path, rows=50)
    with closing(sqlite3.connect(tmp_path / "storage.db")) as connection:
        connection.execute("DELETE FROM revisions WHERE revision = 20")
        connection.commit()
    assert "revision 21 follows 19" in refusal(tmp_path)
    entries, revision = opened(tmp_path, accept_data_loss=True)
    assert len(entries) == 49
    # Nothing says how far it had come.
    assert revision == 51 + REVISION_BUMP


def test_a_row_of_the_first_version_with_a_wrong_type(tmp_path: Path) -> None:
    make_version_1(tmp_path, rows=50)
    with closing(sqlite3.connect(tmp_path / "storage.db")) as connection:
        connection.execute("UPDATE revisions SET value = 7 WHERE revision = 20")
        connection.commit()
    assert "the row of revision 20 does not fit its checksum" in refusal(tmp_path)
    assert len(opened(tmp_path, accept_data_loss=True)[0]) == 49


def test_a_header_that_says_the_first_version(killed: Killed, tmp_path: Path) -> None:
    folder = killed.copy(tmp_path / "data")
    with closing(sqlite3.connect(folder / "storage.db")) as connection:
        connection.execute("PRAGMA user_version = 1")
    assert "its header says version 1, and its tables do not" in refusal(folder)


def make_version_1(folder: Path, *, rows: int) -> None:
    """A database as the version before checksums wrote it."""
    with closing(sqlite3.connect(folder / "storage.db")) as connection:
        connection.executescript(
            """
            CREATE TABLE revisions (
                revision INTEGER PRIMARY KEY, key TEXT NOT NULL, create_revision INTEGER NOT NULL,
                prev_revision INTEGER NOT NULL, deleted INTEGER NOT NULL, value BLOB NOT NULL
            );
            CREATE TABLE compaction (revision INTEGER NOT NULL);
            INSERT INTO compaction VALUES (10);
            PRAGMA application_id = 0x6B777374;
            PRAGMA user_version = 1;
            """
        )
        connection.executemany(
            "INSERT INTO revisions VALUES (?, ?, ?, 0, 0, ?)",
            [(n, f"/{n}", n, b"v1-%d " % n * 20) for n in range(2, rows + 2)],
        )
        connection.commit()
    (folder / "storage.db").chmod(0o600)
