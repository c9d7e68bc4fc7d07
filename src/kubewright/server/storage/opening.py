"""Opens the files of a store and checks them against each other, so that nothing is lost without a word."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple, Self

from kubewright.server.storage.data_dir import DataDir
from kubewright.server.storage.history import FIRST_REVISION, History
from kubewright.server.storage.journal import APPLICATION_ID, FIRST_MARKED_VERSION, Journal
from kubewright.server.storage.mark import ID_SIZE, Mark
from kubewright.server.storage.protocol import StorageDamaged, StorageUnusable
from kubewright.server.storage.recovery import recover

__all__ = ["OpenFiles", "new_store_id", "open_files"]

_log: Final = logging.getLogger("kubewright.server")


def new_store_id() -> bytes:
    """A random identity, which ties a database to its mark."""
    return secrets.token_bytes(ID_SIZE)


class OpenFiles(NamedTuple):
    """The files of a store, and what they hold."""

    directory: DataDir
    mark: Mark
    journal: Journal
    history: History

    def close(self) -> None:
        """Close the files and release the directory."""
        try:
            self.journal.close()
        finally:
            self.mark.close()
            self.directory.release()


def open_files(
    path: Path,
    *,
    accept_data_loss: bool = False,
    allow_insecure: bool = False,
    make_id: Callable[[], bytes] = new_store_id,
) -> OpenFiles:
    """Open the store in a directory, or make one.

    Raises StorageUnusable and, when acknowledged writes may be lost, StorageDamaged. With `accept_data_loss`
    the latter becomes a warning: the store goes on with what is readable, at a higher revision, and the
    damaged files are kept beside it.
    """
    directory = DataDir(path, allow_insecure=allow_insecure)
    try:
        try:
            return _open(directory, make_id)
        except StorageDamaged as error:
            if not accept_data_loss:
                raise StorageDamaged(
                    f"{error}; restore a backup with kubewright server --restore into another data dir, or "
                    f"go on with what is readable with kubewright server --data-dir {path} --accept-data-loss"
                ) from None
            _log.warning("%s; %s", error, recover(directory, make_id()))
        return _open(directory, make_id)
    except OSError as error:
        directory.release()
        raise StorageUnusable(f"cannot use the data dir {path}: {error.strerror}; name another") from error
    except BaseException:
        directory.release()
        raise


def _open(directory: DataDir, make_id: Callable[[], bytes]) -> OpenFiles:
    _sync(directory.log)
    mark = Mark.open(directory.mark)
    is_empty = not directory.database.stat().st_size
    if mark is None and not is_empty and _has_mark(directory.database):
        raise StorageDamaged(f"{directory.mark} is missing, which says how much was acknowledged")
    try:
        if mark is None:
            # Before the database, so that a database of this version always has one.
            mark = Mark.create(directory.mark, make_id(), FIRST_REVISION)
        if is_empty:
            _check_unused(directory, mark)
        with _KeptLog(directory) as log:
            journal = Journal(directory.database, mark.store_id)
            try:
                history = journal.load()
                _check(directory, mark, journal, history)
            except BaseException:
                journal.abandon()
                raise
            log.is_good = True
        # What was found in the log may never have been acknowledged; from here on it is.
        mark.reserve(history.revision)
        mark.acknowledge(history.revision)
    except BaseException:
        if mark is not None:
            mark.close()
        raise
    return OpenFiles(directory, mark, journal, history)


def _check_unused(directory: DataDir, mark: Mark) -> None:
    if mark.acknowledged > FIRST_REVISION:
        raise StorageDamaged(
            f"{directory.database} is empty, but revision {mark.acknowledged} was acknowledged"
        )


def _check(directory: DataDir, mark: Mark, journal: Journal, history: History) -> None:
    if journal.store_id != mark.store_id:
        raise StorageDamaged(f"{directory.database} and {directory.mark} are of different stores")
    if history.revision < mark.acknowledged:
        raise StorageDamaged(
            f"{directory.database} ends at revision {history.revision}, but {mark.acknowledged} was "
            f"acknowledged: it or {directory.log.name} was damaged, cut, removed or replaced by an older copy"
        )


def _has_mark(database: Path) -> bool:
    """Whether a file is a store of a version that comes with a mark: the first one did not."""
    with database.open("rb") as file:
        header = file.read(_APPLICATION.stop)
    version = int.from_bytes(header[_VERSION])
    return int.from_bytes(header[_APPLICATION]) == APPLICATION_ID and version >= FIRST_MARKED_VERSION


_VERSION: Final = slice(60, 64)
_APPLICATION: Final = slice(68, 72)
"""Where SQLite keeps the user version and the application ID in the header of a file."""


def _sync(log: Path) -> None:
    """Have what a killed process wrote on disk before it is read, and so acknowledged."""
    with suppress(FileNotFoundError):
        descriptor = os.open(log, os.O_RDWR | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class _KeptLog:
    """Keeps the write-ahead log under a second name while it is not known whether it is good.

    Before Python 3.12, SQLite removes the log when it closes the file, and with it what is behind the damage.
    """

    def __init__(self, directory: DataDir) -> None:
        self._log: Final = directory.log
        self._copy: Final = directory.damaged_log
        self.is_good = False

    def __enter__(self) -> Self:
        # Some file systems have no links; there it is only what the database holds that is kept.
        with suppress(OSError):
            if self._log.stat().st_size and not self._copy.exists():
                self._copy.hardlink_to(self._log)
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_good:
            self._copy.unlink(missing_ok=True)
