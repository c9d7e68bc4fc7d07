"""The rows of a store in an SQLite file: appended to while it runs, read once when it is opened.

Every function here blocks. What SQLite guarantees is the ground of it: with a write-ahead log and
synchronous=FULL, a statement that has returned is on disk, and one that was cut off never happened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

from kubewright.server.storage.history import FIRST_REVISION, History, Tombstone
from kubewright.server.storage.protocol import Entry, StorageUnusable

__all__ = ["MAX_BATCH", "Journal", "Row"]

MAX_BATCH: Final = 256
"""The most rows of one transaction. Measured: 256 rows of 2 kB take 2.5 ms, one row 0.5 ms; more would make
the first of them wait for nothing."""

APPLICATION_ID: Final = 0x6B777374
"""What marks the file as ours in its header: "kwst" in ASCII."""

SCHEMA_VERSION: Final = 1

WAL_PAGES: Final = 4000
"""The size of the write-ahead log, in pages, at which it is written back, while the writers wait: about 10 ms
for SQLite's default of 1,000. This makes it rarer, and 16 MB are still read in no time after a crash."""

PAGE: Final = 4096
"""The bytes of a page, SQLite's default; set all the same, since a build of SQLite may have another."""

_SCHEMA: Final = """
BEGIN IMMEDIATE;
CREATE TABLE revisions (
    revision        INTEGER PRIMARY KEY,
    key             TEXT    NOT NULL,
    create_revision INTEGER NOT NULL,
    prev_revision   INTEGER NOT NULL,  -- the row that this one supersedes; 0 for a new key
    deleted         INTEGER NOT NULL,
    value           BLOB    NOT NULL
);
CREATE TABLE compaction (revision INTEGER NOT NULL);
INSERT INTO compaction VALUES (0);
PRAGMA application_id = %d;
PRAGMA user_version = %d;
COMMIT;
""" % (APPLICATION_ID, SCHEMA_VERSION)  # noqa: UP031 - pragmas take no parameters

_READ: Final = """
SELECT revision, key, create_revision, prev_revision, deleted, value FROM revisions ORDER BY revision
"""

# What writes after one compaction and up to the next made superfluous: what they superseded, and tombstones.
_COMPACT: Final = """
DELETE FROM revisions WHERE revision IN (
    SELECT prev_revision FROM revisions WHERE revision > :since AND revision <= :until AND prev_revision > 0
    UNION ALL
    SELECT revision FROM revisions WHERE revision > :since AND revision <= :until AND deleted
)
"""


class Row(NamedTuple):
    """One write, in the order of the columns."""

    revision: int
    key: str
    create_revision: int
    prev_revision: int
    deleted: int
    value: bytes


_TYPES: Final = (int, str, int, int, int, bytes)


class Journal:
    """The open file. Raises StorageUnusable when it is foreign or damaged, sqlite3.Error if a write fails."""

    def __init__(self, path: Path) -> None:
        self._path = path
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
            self._connection.close()
            raise

    def _prepare(self) -> None:
        try:
            # Nobody else may touch the file while it is open here; it also spares the shared-memory file.
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._check_identity()
            self._connection.execute(f"PRAGMA page_size = {PAGE}")  # of a new file; others keep theirs
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
            if not self._number("PRAGMA user_version"):
                self._connection.executescript(_SCHEMA)
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

    def _check_identity(self) -> None:
        application = self._number("PRAGMA application_id")
        version = self._number("PRAGMA user_version")
        if application == 0 and version == 0 and not self._number("SELECT count(*) FROM sqlite_master"):
            return  # new, or made by a process that was killed before it came to the schema
        if application != APPLICATION_ID:
            raise StorageUnusable(f"{self._path} is an SQLite file of another program; use another data dir")
        if version != SCHEMA_VERSION:
            raise StorageUnusable(
                f"{self._path} has format {version}, but this kubewright knows {SCHEMA_VERSION} only"
            )

    def _number(self, sql: str) -> int:
        found = self._connection.execute(sql).fetchone()
        if found is None or not isinstance(found[0], int):
            raise self._damaged(f"{sql!r} gives no number")
        return found[0]

    def load(self) -> History:
        """What the rows say. Raises StorageUnusable when they are not a history."""
        history = History()
        try:
            compacted = self._number("SELECT revision FROM compaction")
            with closing(self._connection.execute(_READ)) as cursor:
                rows = map(Row._make, cursor)
                live = []
                first = None
                for row in rows:
                    if row.revision > compacted:
                        first = row
                        break
                    live.append(self._entry(row))
                if len({entry.key for entry in live if type(entry) is Entry}) < len(live):
                    raise self._damaged(f"there is history before the compaction at {compacted}")
                history.restore(live, compacted)
                if first is not None:
                    self._replay(history, first, rows)
        except sqlite3.Error as error:
            raise self._damaged(str(error)) from error
        return history

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
        if tuple(map(type, row)) != _TYPES or row.revision <= FIRST_REVISION:
            raise self._damaged(f"revision {row.revision} is no row of a store")
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
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._connection.execute(_COMPACT, {"since": since, "until": until})
            self._connection.execute("UPDATE compaction SET revision = max(revision, ?)", (until,))
            self._connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the file; SQLite then folds the write-ahead log into it."""
        self._connection.close()

    def _damaged(self, why: str) -> StorageUnusable:
        return StorageUnusable(
            f"{self._path} is damaged or no store of kubewright: {why}; put a copy in its place, or remove it"
        )


def _insertion(room: int) -> str:
    columns = ", ".join(Row._fields)
    places = ", ".join(["(?, ?, ?, ?, ?, ?)"] * room)
    return f"INSERT INTO revisions ({columns}) SELECT * FROM (VALUES {places}) WHERE column1 IS NOT NULL"  # noqa: S608
