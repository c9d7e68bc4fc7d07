"""A store on disk: what is acknowledged is in an SQLite file, and all of it is in memory too.

Writers queue; one batch at a time is checked in order against the state that the batches before it made, goes
to disk as one transaction with one fsync, and only then becomes visible and is acknowledged. While the disk
works the next batch gathers, so the more writers there are, the fewer fsyncs each of them costs. Reads never
touch the file.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from errno import EDQUOT, ENOSPC
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Self

from msgspec import Struct

from kubewright.server.storage.broadcast import MAX_WAITING
from kubewright.server.storage.history import Tombstone, planned
from kubewright.server.storage.journal import MAX_BATCH, Row, make_row
from kubewright.server.storage.memory import MemoryStorage
from kubewright.server.storage.opening import OpenFiles, open_files
from kubewright.server.storage.protocol import Entry, EventType, StorageClosed, Value, WriteFailed

__all__ = ["SQLiteStorage"]


class _Write(Struct, frozen=True):
    kind: EventType
    key: str
    value: Value
    expected: int
    answer: asyncio.Future[Entry]


class _Batch(Struct, frozen=True):
    """Writes with what becomes of each, and the rows of those that happen."""

    outcomes: list[tuple[_Write, Entry | Exception]]
    rows: list[Row]


class SQLiteStorage(MemoryStorage):
    """A store in a data dir; see `Storage` for what it promises. Made by `open`.

    When the disk is full, writes raise WriteFailed and can be tried again. After any other failure of the
    disk nobody can know what is on it, so every write raises WriteFailed from then on, until the store is
    opened anew; reads still work.
    """

    def __init__(
        self,
        files: OpenFiles,
        thread: ThreadPoolExecutor,
        *,
        max_waiting: int = MAX_WAITING,
    ) -> None:
        super().__init__(history=files.history, max_waiting=max_waiting)
        self._files = files
        self._mark = files.mark
        self._journal = files.journal
        self._thread = thread
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Write] = []
        self._working = False
        self._idle: asyncio.Future[None] | None = None
        self._released: Future[None] | None = None
        self._failure: str | None = None

    @classmethod
    async def open(
        cls,
        data_dir: str | PathLike[str],
        *,
        accept_data_loss: bool = False,
        allow_insecure: bool = False,
        max_waiting: int = MAX_WAITING,
    ) -> Self:
        """Open the store in a directory, or make one. Raises StorageUnusable, in one sentence.

        A store that has lost acknowledged writes is refused with StorageDamaged, unless `accept_data_loss`; a
        directory that everyone may write to is refused, unless `allow_insecure`.
        """
        thread = ThreadPoolExecutor(1, thread_name_prefix="kubewright-storage")
        opening = thread.submit(
            open_files, Path(data_dir), accept_data_loss=accept_data_loss, allow_insecure=allow_insecure
        )
        try:
            files = await asyncio.wrap_future(opening)
        except BaseException:
            opening.add_done_callback(_discard)
            thread.shutdown(wait=False)
            raise
        return cls(files, thread, max_waiting=max_waiting)

    async def close(self) -> None:
        """End all watches, wait for the writes under way, close the file. May be called again."""
        await super().close()
        if self._working:
            self._idle = self._idle or self._loop.create_future()
            await asyncio.shield(self._idle)
        if self._released is None:
            self._released = self._thread.submit(self._files.close)
            self._thread.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(self._released))

    async def _write(self, kind: EventType, key: str, value: Value, expected: int) -> Entry:
        if self._closed:
            raise StorageClosed
        answer: asyncio.Future[Entry] = self._loop.create_future()
        self._waiting.append(_Write(kind, key, value, expected, answer))
        if not self._working:
            # Not at once: the other writers that run in this turn of the loop join the batch.
            self._working = True
            self._loop.call_soon(self._start_batch)
        return await answer

    async def _compact_step(self, since: int, until: int) -> None:
        if self._failure is not None:
            raise WriteFailed(self._failure)
        finished: asyncio.Future[None] = self._loop.create_future()

        def finish(done: Future[None]) -> None:
            # Also when nobody waits for it any more: memory must follow the disk.
            error = done.exception()
            failure = self._failed(error) if error is not None else None
            if failure is None:
                self._history.compact(until)
            if finished.done():
                return
            if failure is None:
                finished.set_result(None)
            else:
                finished.set_exception(failure)

        self._on_disk(finish, self._thread.submit(self._journal.compact, since, until))
        await finished

    def _on_disk(self, then: Callable[[Future[None]], None], work: Future[None]) -> None:
        """Call `then` in the loop when the thread has done its work; no cancellation comes between."""

        def report(done: Future[None]) -> None:
            with suppress(
                RuntimeError
            ):  # the loop was closed, and the store was not: nobody is there to know
                self._loop.call_soon_threadsafe(then, done)

        work.add_done_callback(report)

    def _start_batch(self) -> None:
        batch = self._planned(self._waiting[:MAX_BATCH])
        del self._waiting[:MAX_BATCH]
        if not batch.rows:
            self._settle(batch)
        elif self._failure is not None:
            self._refuse(batch, WriteFailed(self._failure))
        else:
            work = self._thread.submit(self._append, batch.rows)
            self._on_disk(partial(self._finish_batch, batch), work)
            return
        self._go_on()

    def _append(self, rows: list[Row]) -> None:
        """Have rows on disk; runs in the thread."""
        self._mark.reserve(rows[-1].revision)
        self._journal.append(rows)

    def _planned(self, writes: list[_Write]) -> _Batch:
        """Decide what becomes of each write, given the ones before it."""
        ahead: dict[str, Entry | None] = {}
        batch = _Batch([], [])
        revision = self.revision
        for write in writes:
            try:
                current = ahead[write.key] if write.key in ahead else self._history.current(write.key)
                entry = planned(write.kind, write.key, write.value, write.expected, current, revision + 1)
            except Exception as error:
                # Whatever it is, it is the matter of this writer and not of its neighbours.
                batch.outcomes.append((write, error))
                continue
            revision += 1
            deleted = type(entry) is Tombstone
            ahead[write.key] = None if deleted else entry
            superseded = current.revision if current is not None else 0
            batch.outcomes.append((write, entry))
            batch.rows.append(
                make_row(revision, entry.key, entry.create_revision, superseded, deleted, entry.value)
            )
        return batch

    def _finish_batch(self, batch: _Batch, done: Future[None]) -> None:
        error = done.exception()
        failure = self._failed(error) if error is not None else self._acknowledged(batch)
        if failure is None:
            self._settle(batch)
        else:
            self._refuse(batch, failure)
        self._go_on()

    def _acknowledged(self, batch: _Batch) -> WriteFailed | None:
        """Mark a batch that is on disk; the failure if that does not work.

        Not in the thread, which would have to wait for the interpreter's lock once more.
        """
        try:
            self._mark.acknowledge(batch.rows[-1].revision)
        except OSError as error:
            # Also when the disk is full: the rows are written, and cannot be written again.
            return self._failed_for_good(error)
        return None

    def _settle(self, batch: _Batch) -> None:
        """Make a batch that is on disk visible, and only then acknowledge it."""
        for _, outcome in batch.outcomes:
            if isinstance(outcome, Entry):
                self._broadcast.publish(self._history.apply(outcome))
        for write, outcome in batch.outcomes:
            if write.answer.done():
                continue  # its task was cancelled
            if isinstance(outcome, Entry):
                write.answer.set_result(outcome)
            else:
                write.answer.set_exception(outcome)

    def _refuse(self, batch: _Batch, error: WriteFailed) -> None:
        # Also those that failed by themselves: what they were checked against never came to be.
        for write, _ in batch.outcomes:
            if not write.answer.done():
                write.answer.set_exception(error)

    def _failed(self, error: BaseException) -> WriteFailed:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL or (
            isinstance(error, OSError) and error.errno in (ENOSPC, EDQUOT)
        ):
            return WriteFailed(f"the disk of {self._files.directory.path} is full: nothing was written")
        return self._failed_for_good(error)

    def _failed_for_good(self, error: BaseException) -> WriteFailed:
        path = self._files.directory.path
        self._failure = f"writing to {path} failed ({error}): open it anew to write more"
        return WriteFailed(self._failure)

    def _go_on(self) -> None:
        if self._waiting:
            self._loop.call_soon(self._start_batch)
            return
        self._working = False
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)


def _discard(opening: Future[OpenFiles]) -> None:
    """Close what was opened for a caller that was cancelled meanwhile."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
