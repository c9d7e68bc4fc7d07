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

_log: Final = logging.getLogger("kubewright.server")


class DataDir:
    """A directory, made if need be and locked until it is released or the process ends, however it ends.

    Raises StorageUnusable when another store has it, in this process or another, or when it cannot be made.
    Warns of one that everybody may write to.
    """

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            _make(path)
            _warn_of_exposed(path)
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

    def release(self) -> None:
        """Let others have the directory. May be called again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _warn_of_exposed(path: Path) -> None:
    """Warn where everybody may write, and so replace the keys and what is stored.

    It is not refused: the empty volumes of pods are made so, and there nobody else is.
    """
    if mode_of(path) & stat.S_IWOTH:
        remedy = f"run chmod o-w {path}"
        if not chmod_helps(path, stat.S_IWOTH):
            remedy = "have it on another file system, as this one keeps no permissions"
        _log.warning(
            "everybody on this machine may write to the data dir %s, which holds keys and Secrets; "
            "if others use the machine, %s",
            path,
            remedy,
        )


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
