"""Goes on after damage: what is readable becomes a new database, at a revision that was never used."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

from kubewright.server.storage.data_dir import DataDir
from kubewright.server.storage.history import FIRST_REVISION
from kubewright.server.storage.journal import (
    ROW_COLUMNS,
    ROW_COLUMNS_1,
    Row,
    is_valid,
    make_row,
    write_database,
)
from kubewright.server.storage.mark import Mark, sync_directory
from kubewright.server.storage.protocol import Entry, StorageDamaged

__all__ = ["REVISION_BUMP", "install", "recover"]

REVISION_BUMP: Final = 1_000_000_000
"""How far revisions jump where it is not known which were used; etcd's documentation advises as much when a
snapshot is restored."""

_MAX_PROBES: Final = 1_000_000
"""How many revisions between damaged pages are looked for one by one: some seconds."""


class _Salvage(NamedTuple):
    """What is readable of a database."""

    entries: list[Entry]
    """The last readable state of each key that was not deleted, by revision."""
    rows: int
    damaged_rows: int
    revision: int
    """The highest that was seen."""


def recover(directory: DataDir, store_id: bytes) -> str:
    """Replace the damaged files of a directory; the answer says what was lost.

    The damaged files are kept. Raises OSError, and StorageDamaged when the new ones cannot be written.
    """
    try:
        mark = Mark.open(directory.mark)
    except StorageDamaged:
        mark = None
    salvage = _salvage(directory)
    if mark is not None:
        mark.close()
    # A mark at the first revision was made for a database of version 1, of which it knows nothing.
    if mark is not None and mark.acknowledged > FIRST_REVISION:
        # No revision above what was reserved was ever handed out.
        revision = max(mark.reserved, salvage.revision) + 1
        known = f"revision {mark.acknowledged} was acknowledged"
    else:
        revision = salvage.revision + REVISION_BUMP
        known = "how many were acknowledged is not known"
    kept = _keep_damaged(directory)
    install(directory, store_id, salvage.entries, revision)
    return (
        f"going on with the {len(salvage.entries)} objects that are readable: {salvage.rows} rows up to "
        f"revision {salvage.revision} were read, {salvage.damaged_rows} were damaged, and {known}; revisions "
        f"continue after {revision}, and the damaged files are in {kept}"
    )


def install(directory: DataDir, store_id: bytes, entries: list[Entry], revision: int) -> None:
    """Make a database with some entries the one of a directory, compacted at a revision.

    Whenever it is cut off, the directory is refused as damaged until this is done again: the mark is replaced
    first, and does not fit the old database. Raises OSError, StorageDamaged.
    """
    new = directory.database.with_name(directory.database.name + ".new")
    for leftover in (new, new.with_name(new.name + "-wal")):
        leftover.unlink(missing_ok=True)
    try:
        write_database(new, store_id, entries, revision)
    except sqlite3.Error as error:
        raise StorageDamaged(f"{new} cannot be written: {error}") from error
    Mark.create(directory.mark, store_id, revision).close()
    # SQLite would apply it to the new database.
    directory.log.unlink(missing_ok=True)
    sync_directory(directory.path)
    new.rename(directory.database)
    sync_directory(directory.path)


def _keep_damaged(directory: DataDir) -> Path:
    """Give the damaged files names in a new folder."""
    number = 1
    while (folder := directory.path / f"damaged-{number}").exists():
        number += 1
    folder.mkdir(mode=0o700)
    for file in (directory.database, directory.log, directory.mark, directory.damaged_log):
        if not file.exists():
            continue
        try:
            (folder / file.name).hardlink_to(file)
        except OSError:
            shutil.copy2(file, folder / file.name)
    directory.damaged_log.unlink(missing_ok=True)
    sync_directory(folder)
    return folder


def _salvage(directory: DataDir) -> _Salvage:
    """Read what can be read, of a copy: SQLite changes what it opens."""
    rows: dict[int, Row] = {}
    damaged = 0
    with tempfile.TemporaryDirectory(dir=directory.path, prefix="recovery-") as scratch:
        copy = Path(scratch) / directory.database.name
        shutil.copyfile(directory.database, copy)
        if directory.log.exists():
            shutil.copyfile(directory.log, copy.with_name(directory.log.name))
        for row in _readable(copy):
            if is_valid(row):
                rows[row.revision] = row
            else:
                damaged += 1
    newest: dict[str, Row] = {}
    for _, row in sorted(rows.items()):
        newest[row.key] = row
    entries = [
        Entry(row.key, row.value, row.revision, row.create_revision)
        for row in sorted(newest.values())
        if not row.deleted
    ]
    return _Salvage(entries, len(rows), damaged, max(rows, default=FIRST_REVISION))


def _readable(database: Path) -> Iterator[Row]:
    """The rows of a database that SQLite can read, each once; those of version 1 get their checksums here."""
    try:
        connection = sqlite3.connect(database, isolation_level=None)
    except sqlite3.Error:
        return
    with closing(connection):
        is_version_1 = _has_no_checksums(connection)
        first, last = 0, 0
        for row in _read(connection, is_version_1, "ORDER BY revision"):
            first = row.revision
            yield row
        for row in _read(connection, is_version_1, "WHERE revision > ? ORDER BY revision DESC", first):
            last = row.revision
            yield row
        # Between two damaged pages, one by one.
        for revision in range(first + 1, min(last, first + _MAX_PROBES)):
            yield from _read(connection, is_version_1, "WHERE revision = ?", revision)


def _has_no_checksums(connection: sqlite3.Connection) -> bool:
    with suppress(sqlite3.Error):
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return bool(version == 1)
    return False


def _read(
    connection: sqlite3.Connection, is_version_1: bool, condition: str, *parameters: int
) -> Iterator[Row]:
    """The rows that fulfil a condition, up to the first that cannot be read."""
    columns = ROW_COLUMNS_1 if is_version_1 else ROW_COLUMNS
    query = f"SELECT {', '.join(columns)} FROM revisions {condition}"  # noqa: S608 - of constants
    # Of version 1 a value of the wrong type is found when its checksum is made.
    with suppress(sqlite3.Error, UnicodeDecodeError, AttributeError, TypeError):
        for values in connection.execute(query, parameters):
            yield make_row(*values) if is_version_1 else Row._make(values)
