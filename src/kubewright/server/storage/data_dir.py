"""The directory of a store, held by one process at a time."""

from __future__ import annotations

import fcntl
import logging
import os
import stat
from pathlib import Path
from typing import Final

from kubewright.server.modes import chmod_helps, mode_of
from kubewright.server.storage.protocol import StorageUnusable

__all__ = ["DataDir"]

LOCK: Final = "lock"
DATABASE: Final = "storage.db"
MARK: Final = "storage.mark"

_log: Final = logging.getLogger("kubewright.server")


class DataDir:
    """A directory, made if need be and locked until it is released or the process ends, however it ends.

    Raises StorageUnusable when another store has it, in this process or another, when it cannot be made, and
    when everyone may write to it, unless `allow_insecure`.
    """

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: Path, *, allow_insecure: bool = False) -> None:
        self.path = path
        try:
            _make(path)
            _check_exposed(path, allow_insecure=allow_insecure)
            descriptor = os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            raise StorageUnusable(
                f"cannot use the data dir {path}: it is no directory; name another"
            ) from None
        except OSError as error:
            raise StorageUnusable(
                f"cannot use the data dir {path}: {error.strerror}; name another"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
            # SQLite would make it readable for all; its other files take the mode of this one.
            os.close(os.open(self.database, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(descriptor)
            raise StorageUnusable(
                f"the data dir {path} is in use by process {holder}; stop that, or name another data dir"
            ) from None
        except OSError as error:
            os.close(descriptor)
            raise StorageUnusable(
                f"cannot lock the data dir {path}: {error.strerror}; name another"
            ) from error
        self._descriptor = descriptor

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.path / DATABASE

    @property
    def log(self) -> Path:
        """SQLite's write-ahead log, which is there while the file is open, and after a crash."""
        return self.path / f"{DATABASE}-wal"

    @property
    def damaged_log(self) -> Path:
        """Where a log is kept that may be damaged."""
        return self.path / f"{DATABASE}-wal.damaged"

    @property
    def mark(self) -> Path:
        """The high-water mark; see `mark`."""
        return self.path / MARK

    def release(self) -> None:
        """Let others have the directory. May be called again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _check_exposed(path: Path, *, allow_insecure: bool) -> None:
    """Refuse a directory in which everyone may write, and so replace the keys and what is stored."""
    if not mode_of(path) & stat.S_IWOTH:
        return
    remedy = f"run chmod o-w {path}"
    if not chmod_helps(path, stat.S_IWOTH):
        remedy = "use another file system, as this one keeps no permissions"
    problem = f"everyone on this machine may write to the data dir {path}, which holds keys and Secrets"
    if not allow_insecure:
        raise StorageUnusable(
            f"{problem}; {remedy}, or allow it with --insecure-data-dir if nobody else uses the machine"
        )
    _log.warning("%s; if others use the machine, %s", problem, remedy)


def _make(path: Path) -> None:
    if path.is_dir():
        return
    # Secrets are stored in clear text, so nobody else may look.
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The directory itself must survive a power failure, or the files in it do not.
    parent = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(parent)
    finally:
        os.close(parent)
