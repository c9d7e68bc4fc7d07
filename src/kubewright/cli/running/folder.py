"""The folder of one `kubewright run`, for all that it writes to files and that nobody wants to keep.

Credentials are among it. It goes when the run ends; of runs that were killed, the next one takes it away.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

__all__ = ["RunFolder"]

_PREFIX: Final = "kubewright-run-"

_LONG_AGO: Final = 60.0
"""Seconds after which a folder that nobody has locked is not one that is being made."""


class RunFolder:
    """A folder that only its owner may read, from its making on until `remove`.

    Meanwhile all temporary files of this process are made in it, also those of an embedded cluster: so one
    call takes everything away, also where a process ends at once.
    """

    def __init__(self) -> None:
        """Make it, and take away what runs of the same user have left behind."""
        _remove_left(Path(tempfile.gettempdir()))
        self._locked: Final = ExitStack()
        before = tempfile.tempdir
        self.path: Final = Path(tempfile.mkdtemp(prefix=_PREFIX))
        # As long as this process lives. Where folders cannot be locked, nobody takes any away.
        with suppress(OSError):
            self._locked.callback(os.close, _lock(self.path))
        self._locked.callback(setattr, tempfile, "tempdir", before)
        tempfile.tempdir = str(self.path)

    def remove(self) -> None:
        """Remove it, with what is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._locked.close()


def _lock(folder: Path) -> int:
    """Lock a folder until the descriptor is closed. Raises BlockingIOError where another process has."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _remove_left(parent: Path) -> None:
    for folder in parent.glob(f"{_PREFIX}*"):
        # Whatever stands in the way: it is no reason not to run.
        with suppress(OSError):
            found = folder.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
                continue
            if time.time() - found.st_mtime < _LONG_AGO:
                continue
            descriptor = _lock(folder)
            try:
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)
