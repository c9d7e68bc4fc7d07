"""Backups of a data dir, also while a server runs on it, and restoring them.

A backup is a database of the same form as that of a store, with the current objects and no history.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from kubewright.server.storage.data_dir import DATABASE, MARK, DataDir
from kubewright.server.storage.history import History
from kubewright.server.storage.journal import Journal, write_database
from kubewright.server.storage.mark import Mark, sync_directory
from kubewright.server.storage.opening import new_store_id, open_files
from kubewright.server.storage.protocol import StorageDamaged, StorageUnusable
from kubewright.server.storage.recovery import REVISION_BUMP, install

__all__ = ["Summary", "back_up", "restore"]

_ATTEMPTS: Final = 10
"""How often the files of a running server are copied before giving up. A copy fails if the server writes its
log back at the same time, which it does every 16 MB."""


class Summary(NamedTuple):
    """What a backup or a restored store holds."""

    objects: int
    revision: int


def back_up(
    data_dir: Path,
    file: Path,
    *,
    attempts: int = _ATTEMPTS,
    make_id: Callable[[], bytes] = new_store_id,
) -> Summary:
    """Write the objects of a data dir to a new file; everything acknowledged before the call is in it.

    The files are copied and the copy is checked as when a store is opened, so that a server may write to them
    meanwhile. Raises StorageUnusable.
    """
    if not (data_dir / DATABASE).is_file():
        raise StorageUnusable(f"there is no store in {data_dir}; name the data dir of a server")
    if file.exists():
        raise StorageUnusable(f"{file} exists, and a backup replaces nothing; name another file")
    try:
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.") as scratch:
            history = _copy_consistently(data_dir, Path(scratch), attempts)
            made = Path(scratch) / "backup"
            write_database(made, make_id(), history.entries(), history.revision)
            # A link and not a rename, which would replace a file that came meanwhile.
            file.hardlink_to(made)
            sync_directory(file.parent)
    except FileExistsError:
        raise StorageUnusable(f"{file} exists, and a backup replaces nothing; name another file") from None
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StorageUnusable(f"cannot write the backup {file}: {reason}") from error
    return Summary(len(history.entries()), history.revision)


def _copy_consistently(data_dir: Path, scratch: Path, attempts: int) -> History:
    for attempt in range(1, attempts + 1):
        copy = scratch / f"copy-{attempt}"
        copy.mkdir(mode=0o700)
        # In this order: a mark that is older than the database is no damage.
        for name in (MARK, DATABASE, f"{DATABASE}-wal"):
            try:
                shutil.copyfile(data_dir / name, copy / name)
            except FileNotFoundError:
                continue
        try:
            files = open_files(copy)
        except StorageDamaged as error:
            if attempt == attempts:
                problem = str(error).partition(";")[0].replace(str(copy), str(data_dir))
                raise StorageDamaged(
                    f"{problem}; if a server runs on {data_dir}, stop it and try again"
                ) from None
        else:
            files.close()
            return files.history
        shutil.rmtree(copy)
    raise ValueError(f"a backup needs an attempt, not {attempts}")


def restore(
    file: Path,
    data_dir: Path,
    *,
    allow_insecure: bool = False,
    make_id: Callable[[], bytes] = new_store_id,
) -> Summary:
    """Make a store of a backup, in a data dir without one.

    Its revisions continue far above those of the backup, since the server went on after the backup: clients
    that have seen later revisions find theirs compacted and list again. Raises StorageUnusable.
    """
    if not file.is_file():
        raise StorageUnusable(f"there is no backup {file}; name another file")
    directory = DataDir(data_dir, allow_insecure=allow_insecure)
    try:
        if directory.database.stat().st_size or directory.log.exists():
            raise StorageUnusable(
                f"{data_dir} holds a store already, which a backup does not replace; name another data dir"
            )
        history = _read_backup(file, directory.path)
        revision = max(history.revision, _reserved(directory.mark)) + REVISION_BUMP
        install(directory, make_id(), history.entries(), revision)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StorageUnusable(f"cannot restore {file} to {data_dir}: {reason}") from error
    finally:
        directory.release()
    return Summary(len(history.entries()), revision)


def _reserved(mark_file: Path) -> int:
    """The last revision that may have been used in a directory whose database is gone."""
    try:
        mark = Mark.open(mark_file)
    except StorageDamaged:
        return 0
    if mark is None:
        return 0
    mark.close()
    return mark.reserved


def _read_backup(file: Path, scratch_parent: Path) -> History:
    """What a backup holds, checked; of a copy, since SQLite changes what it opens."""
    with tempfile.TemporaryDirectory(dir=scratch_parent, prefix="restore-") as scratch:
        copy = Path(scratch) / DATABASE
        os.close(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        shutil.copyfile(file, copy)
        try:
            journal = Journal(copy, b"")
            try:
                return journal.load()
            finally:
                journal.close()
        except StorageUnusable as error:
            raise type(error)(f"{str(error).replace(str(copy), str(file))}; name another backup") from None
