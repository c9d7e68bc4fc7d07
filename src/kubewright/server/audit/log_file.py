"""The file of the audit log: whole lines at its end, and nothing else."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["LogFile"]


class LogFile:
    """Appends to a file that nobody else can read, which is made when it is not there.

    When it was moved away, as logrotate does it, what follows goes to a new one. Its methods wait for the
    disk, so they are for threads. Raises OSError.
    """

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._file = self._open()

    def append(self, lines: bytes) -> None:
        """Write whole lines, all of them or none: what a full disk has taken of them is taken back."""
        self._follow()
        file = self._file
        before = os.fstat(file)
        written = 0
        try:
            while written < len(lines):
                written += os.write(file, memoryview(lines)[written:])
        except OSError:
            if written and stat.S_ISREG(before.st_mode):
                self._take_back(before.st_size, written)
            raise

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def _take_back(self, size: int, written: int) -> None:
        with suppress(OSError):
            # Not if somebody else has written behind it.
            if os.fstat(self._file).st_size == size + written:
                os.ftruncate(self._file, size)

    def _follow(self) -> None:
        """Go on in a new file when the path leads to another one, or to none."""
        try:
            there = self._path.stat()
        except FileNotFoundError:
            there = None
        if there is not None and os.path.samestat(there, os.fstat(self._file)):
            return
        new = self._open()
        os.close(self._file)
        self._file = new

    def _open(self) -> int:
        # A pipe that nobody reads is an error, and not what the start of a server waits for.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        file = os.open(self._path, flags, 0o600)
        os.set_blocking(file, True)
        return file
