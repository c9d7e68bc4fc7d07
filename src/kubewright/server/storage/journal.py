"""The rows of a store in an SQLite file: appended to while it runs, read once when it is opened.

Every function here blocks. What SQLite guarantees is the ground of it: with a write-ahead log and
synchronous=FULL, a statement that has returned is on disk, and one that was cut off never happened.

What SQLite does not notice is noticed here. Each row has a checksum; revisions after the last compaction have
no gaps; and of the rows up to it the number and the sum of the checksums are kept. Whether the newest rows
are there is what the mark tells (see `mark`).
"""

from __future__ import annotations

import os
import sqlite3
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from kubewright.server.storage.history import FIRST_REVISION, History, Tombstone
from kubewright.server.storage.mark import ID_SIZE
from kubewright.server.storage.protocol import Entry, StorageDamaged, StorageUnusable

__all__ = [
    "APPLICATION_ID",
    "FIRST_MARKED_VERSION",
    "MAX_BATCH",
    "ROW_COLUMNS",
    "ROW_COLUMNS_1",
    "Journal",
    "Row",
    "is_valid",
    "make_row",
    "write_database",
]

MAX_BATCH: Final = 256
"""The most rows of one transaction. Measured: 256 rows of 2 kB take 2.5 ms, one row 0.5 ms; more would make
the first of them wait for nothing."""

APPLICATION_ID: Final = 0x6B777374
"""What marks the file as ours in its header: "kwst" in ASCII."""

SCHEMA_VERSION: Final = 2
"""Version 1 had no checksums, and a table named compaction with its revision alone."""

FIRST_MARKED_VERSION: Final = 2
"""The first version that comes with a mark."""

WAL_PAGES: Final = 4000
"""The size of the write-ahead log, in pages, at which it is written back, while the writers wait: about 10 ms
for SQLite's default of 1,000. This makes it rarer, and 16 MB are still read in no time after a crash."""

PAGE: Final = 4096
"""The bytes of a page, SQLite's default; set all the same, since a build of SQLite may have another."""

_REVISIONS_TABLE: Final = """
CREATE TABLE revisions (
    revision        INTEGER PRIMARY KEY,
    key             TEXT    NOT NULL,
    create_revision INTEGER NOT NULL,
    prev_revision   INTEGER NOT NULL,  -- the row that this one supersedes; 0 for a new key
    deleted         INTEGER NOT NULL,
    checksum        INTEGER NOT NULL,  -- CRC-32 of the other columns
    value           BLOB    NOT NULL
)
"""

_STORE_TABLE: Final = """
CREATE TABLE store (
    id        BLOB    NOT NULL,  -- the same as in the mark
    compacted INTEGER NOT NULL,  -- the revision of the last compaction
    live_rows INTEGER NOT NULL,  -- how many rows there are up to that revision
    live_sum  INTEGER NOT NULL,  -- the sum of their checksums
    checksum  INTEGER NOT NULL   -- CRC-32 of the other columns
)
"""

ROW_COLUMNS_1: Final = ("revision", "key", "create_revision", "prev_revision", "deleted", "value")
"""Those of version 1, in the order in which a checksum takes them."""

_UPGRADE_FROM_1: Final = (
    "ALTER TABLE revisions ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0",
    f"UPDATE revisions SET checksum = row_checksum({', '.join(ROW_COLUMNS_1)})",  # noqa: S608 - of constants
    "DROP TABLE compaction",
)

_IDENTITY: Final = (f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA_VERSION}")

# What writes after one compaction and up to the next made superfluous: what they superseded, and tombstones.
_SUPERFLUOUS: Final = """
FROM revisions WHERE revision IN (
    SELECT prev_revision FROM revisions WHERE revision > :since AND revision <= :until AND prev_revision > 0
    UNION ALL
    SELECT revision FROM revisions WHERE revision > :since AND revision <= :until AND deleted
)
"""
_BETWEEN: Final = "FROM revisions WHERE revision > :since AND revision <= :until"


class Row(NamedTuple):
    """One write, in the order of the columns."""

    revision: int
    key: str
    create_revision: int
    prev_revision: int
    deleted: int
    checksum: int
    value: bytes


_TYPES: Final = (int, str, int, int, int, int, bytes)

ROW_COLUMNS: Final = Row._fields

_READ: Final = f"SELECT {', '.join(ROW_COLUMNS)} FROM revisions ORDER BY revision"  # noqa: S608 - of constants


def make_row(
    revision: int, key: str, create_revision: int, prev_revision: int, deleted: int, value: bytes
) -> Row:
    """The row of a write, with its checksum."""
    checksum = _row_checksum(revision, key, create_revision, prev_revision, deleted, value)
    return Row(revision, key, create_revision, prev_revision, deleted, checksum, value)


def is_valid(row: Row) -> bool:
    """Whether a row that was read is as it was written."""
    if tuple(map(type, row)) != _TYPES or row.revision <= FIRST_REVISION:
        return False
    return row.checksum == _row_checksum(*row[:5], row.value)


def _row_checksum(
    revision: int, key: str, create_revision: int, prev_revision: int, deleted: int, value: bytes
) -> int:
    head = b"%d %d %d %d %b\0" % (revision, create_revision, prev_revision, deleted, key.encode())
    return zlib.crc32(value, zlib.crc32(head))


def _checksum_or_zero(*columns: Any) -> int:
    """The same for SQLite, which cannot say what is wrong with a damaged row: the check of all rows does."""
    try:
        return _row_checksum(*columns)
    except (AttributeError, TypeError):
        return 0


class Journal:
    """The open file.

    Raises StorageUnusable when it is foreign, StorageDamaged, and sqlite3.Error when a write fails.
    """

    def __init__(self, path: Path, store_id: bytes) -> None:
        """`store_id` is for a new file, or one of an older version; others have theirs."""
        self._path = path
        self.store_id = store_id
        self._compacted = self._live_rows = self._live_sum = 0
        self._check_size()
        try:
            self._connection = sqlite3.connect(
                path,
                timeout=0,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=32,
            )
        except sqlite3.Error as error:
            raise StorageUnusable(f"cannot open {path}: {error}") from error
        try:
            self._prepare()
        except BaseException:
            self.abandon()
            raise

    def _prepare(self) -> None:
        try:
            # Nobody else may touch the file while it is open here; it also spares the shared-memory file.
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            # Rows that a flipped bit put in disorder are an error then, and not missing.
            self._connection.execute("PRAGMA cell_size_check = ON")
            version = self._check_identity()
            self._connection.execute(f"PRAGMA page_size = {PAGE}")  # of a new file; others keep theirs
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
            if not version:
                self._make_tables(_REVISIONS_TABLE)
            elif version == 1:
                self._upgrade()
        except sqlite3.OperationalError as error:
            raise StorageUnusable(f"cannot open {self._path}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise self._damaged(str(error)) from error

    def _check_size(self) -> None:
        """Refuse what SQLite would fill up with zeros or, if it is short, overwrite."""
        size = self._path.stat().st_size
        log = self._path.with_name(self._path.name + "-wal")
        logged = log.exists() and log.stat().st_size > 0
        # With a log, a power failure may have cut off a page that the log still has.
        if size % PAGE and not logged:
            raise self._damaged(f"its {size:,} bytes are no whole number of pages")
        if size < PAGE and logged:
            raise self._damaged(f"its {size:,} bytes are too few for what {log.name} was written for")

    def _check_identity(self) -> int:
        """The version of the file; 0 for a new one."""
        application = self._number("PRAGMA application_id")
        version = self._number("PRAGMA user_version")
        if application == 0 and version == 0 and not self._number("SELECT count(*) FROM sqlite_master"):
            return 0  # new, or made by a process that was killed before it came to the schema
        if application != APPLICATION_ID:
            raise StorageUnusable(f"{self._path} is an SQLite file of another program; use another data dir")
        if version not in (1, SCHEMA_VERSION):
            raise StorageUnusable(
                f"{self._path} has format {version}, but this kubewright knows those up to {SCHEMA_VERSION} "
                "only; use the version that wrote it, or another data dir"
            )
        return version

    def _upgrade(self) -> None:
        """Give each row its checksum. What version 1 lost without noticing stays unnoticed."""
        if not self._number("SELECT count(*) FROM sqlite_master WHERE name = 'compaction'"):
            raise self._damaged("its header says version 1, and its tables do not")
        self._compacted = self._number("SELECT revision FROM compaction")
        self._connection.create_function("row_checksum", 6, _checksum_or_zero, deterministic=True)
        try:
            self._make_tables(*_UPGRADE_FROM_1)
        finally:
            self._connection.create_function("row_checksum", 6, None)

    def _make_tables(self, *statements: str) -> None:
        """Make the tables of this version in one transaction, with the totals of the rows that are there."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in (*statements, _STORE_TABLE, *_IDENTITY):
                self._connection.execute(statement)
            span = {"since": 0, "until": self._compacted}
            self._live_rows, self._live_sum = self._totals(_BETWEEN, span)
            self._connection.execute("INSERT INTO store VALUES (?, ?, ?, ?, ?)", self._state())
            self._connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    def _state(self) -> tuple[bytes, int, int, int, int]:
        """The one row of the table store."""
        numbers = (self._compacted, self._live_rows, self._live_sum)
        return (self.store_id, *numbers, zlib.crc32(b"%b %d %d %d" % (self.store_id, *numbers)))

    def _read_state(self) -> None:
        rows = self._connection.execute("SELECT * FROM store LIMIT 2").fetchall()
        if len(rows) != 1 or tuple(map(type, rows[0])) != (bytes, int, int, int, int):
            raise self._damaged("the table store has not one row as it should")
        self.store_id, self._compacted, self._live_rows, self._live_sum, _ = rows[0]
        if rows[0] != self._state() or len(self.store_id) != ID_SIZE:
            raise self._damaged("the checksum of the table store is wrong")

    def _totals(self, what: str, span: dict[str, int]) -> tuple[int, int]:
        """The number of some rows, and the sum of their checksums."""
        count, total = self._connection.execute(
            f"SELECT count(*), coalesce(sum(checksum), 0) {what}",
            span,
        ).fetchone()
        return count, total

    def _number(self, sql: str) -> int:
        found = self._connection.execute(sql).fetchone()
        if found is None or not isinstance(found[0], int):
            raise self._damaged(f"{sql!r} gives no number")
        return found[0]

    def load(self) -> History:
        """What the rows say. Raises StorageDamaged when they are not a history."""
        history = History()
        try:
            self._check_pages()
            self._read_state()
            compacted = self._compacted
            with closing(self._connection.execute(_READ)) as cursor:
                rows = map(Row._make, cursor)
                live = []
                total = 0
                first = None
                for row in rows:
                    if row.revision > compacted:
                        first = row
                        break
                    live.append(self._entry(row))
                    total += row.checksum
                if (len(live), total) != (self._live_rows, self._live_sum):
                    raise self._damaged(f"rows up to the compaction at {compacted} are missing or replaced")
                if len({entry.key for entry in live if type(entry) is Entry}) < len(live):
                    raise self._damaged(f"there is history before the compaction at {compacted}")
                history.restore(live, compacted)
                if first is not None:
                    self._replay(history, first, rows)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._damaged(str(error)) from error
        return history

    def _check_pages(self) -> None:
        """Have SQLite look at the structure of the file: pages that are lost, or used twice."""
        (verdict,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise self._damaged(" ".join(str(verdict).split()))

    def _replay(self, history: History, first: Row, rest: Iterator[Row]) -> None:
        row: Row | None = first
        while row is not None:
            previous = history.current(row.key)
            if row.revision != history.revision + 1:
                raise self._damaged(f"revision {row.revision} follows {history.revision}")
            if row.prev_revision != (previous.revision if previous is not None else 0):
                raise self._damaged(
                    f"revision {row.revision} supersedes {row.prev_revision}, which is not there"
                )
            if row.deleted and previous is None:
                raise self._damaged(f"revision {row.revision} deletes {row.key!r}, which is not there")
            created = previous.create_revision if previous is not None else row.revision
            if row.create_revision != created:
                raise self._damaged(f"revision {row.revision} says that {row.create_revision} made its key")
            history.apply(self._entry(row))
            row = next(rest, None)

    def _entry(self, row: Row) -> Entry:
        if not is_valid(row):
            raise self._damaged(f"the row of revision {row.revision} does not fit its checksum")
        kind = Tombstone if row.deleted else Entry
        return kind(row.key, row.value, row.revision, row.create_revision)

    def append(self, rows: Sequence[Row]) -> None:
        """Write up to MAX_BATCH rows, all or none; when this returns they are on disk.

        It is one statement, with room for the next power of two of rows so that few are ever prepared:
        SQLite lets go of the interpreter's lock for the whole of it, fsync included, and a loop of one
        statement a row would have to get it back, from a busy event loop, for each.
        """
        room = 1 << (len(rows) - 1).bit_length()
        parameters: list[object] = []
        for row in rows:
            parameters += row
        parameters += (None,) * (len(Row._fields) * (room - len(rows)))
        self._connection.execute(_insertion(room), parameters)

    def compact(self, since: int, until: int) -> None:
        """Delete what a compaction up to `until` makes superfluous, given that `since` was the last one."""
        span = {"since": since, "until": until}
        before = self._compacted, self._live_rows, self._live_sum
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            added, sum_added = self._totals(_BETWEEN, span)
            removed, sum_removed = self._totals(_SUPERFLUOUS, span)
            self._connection.execute(f"DELETE {_SUPERFLUOUS}", span)
            self._compacted = max(until, self._compacted)
            self._live_rows += added - removed
            self._live_sum += sum_added - sum_removed
            self._connection.execute(
                "UPDATE store SET id = ?, compacted = ?, live_rows = ?, live_sum = ?, checksum = ?",
                self._state(),
            )
            self._connection.execute("COMMIT")
        except BaseException:
            self._compacted, self._live_rows, self._live_sum = before
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the file; SQLite then folds the write-ahead log into it."""
        self._connection.close()

    def abandon(self) -> None:
        """Close a damaged file, and leave it as it is where Python can tell SQLite so."""
        if sys.version_info >= (3, 12):
            self._connection.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)
        self._connection.close()

    def _damaged(self, why: str) -> StorageDamaged:
        return StorageDamaged(f"{self._path} is damaged or no store of kubewright: {why}")


def _insertion(room: int) -> str:
    columns = ", ".join(Row._fields)
    places = ", ".join(["(" + ", ".join("?" * len(Row._fields)) + ")"] * room)
    return f"INSERT INTO revisions ({columns}) SELECT * FROM (VALUES {places}) WHERE column1 IS NOT NULL"  # noqa: S608


def write_database(path: Path, store_id: bytes, entries: Sequence[Entry], revision: int) -> None:
    """Write a new database that holds some entries and was compacted at a revision; durable when it returns.

    Raises OSError, sqlite3.Error.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    journal = Journal(path, store_id)
    try:
        for start in range(0, len(entries), MAX_BATCH):
            batch = entries[start : start + MAX_BATCH]
            # What an entry superseded is not asked of rows that are older than the compaction.
            journal.append(
                [make_row(each.revision, each.key, each.create_revision, 0, 0, each.value) for each in batch]
            )
        journal.compact(0, revision)
    finally:
        journal.close()
