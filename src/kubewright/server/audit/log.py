"""Writing the audit log: lines wait in memory for a moment and go to the file in a thread, many at once."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Final, Self

from kubewright.machinery.errors import KubewrightError
from kubewright.server.audit.log_file import LogFile

__all__ = ["AuditLog", "AuditLogUnusable"]

_INTERVAL: Final = 0.1
"""Seconds that a line waits for others: to hand work to a thread costs a busy server more than the writing. A
clean stop loses none of them; a crash may lose those that wait."""

_RETRY: Final = 1.0
"""Seconds until a file is tried again that could not be written."""

_MAX_WAITING: Final = 16 * 1024 * 1024
"""The bytes of lines that may wait. While a slow disk has more to write, new requests wait for it; while it
takes nothing at all, requests go on and their lines are lost."""

_log: Final = logging.getLogger("kubewright.server")


class AuditLogUnusable(KubewrightError):
    """The file of the audit log cannot be opened; the message says why."""


class AuditLog:
    """The lines of the audit log on their way to the file, as an async context manager.

    Lines are written once each, in their order, and always whole.
    """

    def __init__(self, path: Path, *, interval: float = _INTERVAL, retry: float = _RETRY) -> None:
        self._path: Final = path
        self._interval: Final = interval
        self._retry: Final = retry
        self._lines: list[bytes] = []
        self._size = 0
        self._lost = 0
        self._failing = False
        self._some: Final = asyncio.Event()
        self._room: Final = asyncio.Event()
        self._stopping: Final = asyncio.Event()
        self._room.set()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Open the file. Raises AuditLogUnusable."""
        try:
            file = LogFile(self._path)
        except OSError as error:
            why = error.strerror or error
            raise AuditLogUnusable(
                f"the audit log {self._path} cannot be opened: {why}; name a file that can be written"
            ) from None
        self._task = asyncio.create_task(self._run(file), name="kubewright-audit-log")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Write what waits, and close the file."""
        self._stopping.set()
        self._some.set()
        if self._task is not None:
            # Also when whoever waits for it is cancelled.
            await asyncio.shield(self._task)

    @property
    def full(self) -> bool:
        """Whether so much waits that whoever brings more should wait for `room` first."""
        return self._size > _MAX_WAITING and not self._failing

    async def room(self) -> None:
        """Wait until the disk has caught up."""
        while self.full:
            self._room.clear()
            await self._room.wait()

    def write(self, line: bytes) -> None:
        """Take a line; it is in the file a moment later."""
        if self._failing and self._size > _MAX_WAITING:
            self._lost += 1
            return
        self._lines.append(line)
        self._size += len(line)
        self._some.set()

    async def _run(self, file: LogFile) -> None:
        try:
            while not self._stopping.is_set():
                await self._some.wait()
                await self._pause(self._retry if self._failing else self._interval)
                await self._flush(file)
            await self._flush(file)
            if self._lines:
                self._lost += len(self._lines)
                _log.warning("the audit log %s lacks its last %d events", self._path, self._lost)
        finally:
            file.close()

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            pass

    async def _flush(self, file: LogFile) -> None:
        lines, size = self._lines, self._size
        if not lines:
            self._some.clear()
            return
        self._lines = []
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(None, lambda: file.append(b"".join(lines)))
        except OSError as error:
            self._lines = lines + self._lines
            self._failed(error)
        else:
            self._size -= size
            self._succeeded()
            if not self._lines:
                self._some.clear()
        self._room.set()

    def _failed(self, error: OSError) -> None:
        if not self._failing:
            self._failing = True
            _log.warning(
                "the audit log %s cannot be written: %s; requests are served nevertheless, and their events "
                "are kept in memory until it can, up to %d MiB; those that come later are lost",
                self._path,
                error.strerror or error,
                _MAX_WAITING >> 20,
            )

    def _succeeded(self) -> None:
        if self._failing:
            self._failing = False
            _log.warning("the audit log %s is written again; %d events were lost", self._path, self._lost)
            self._lost = 0
