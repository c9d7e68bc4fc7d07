"""Children of the supervisor, of which none is left behind, however it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

__all__ = ["Child"]

_LAUNCH: Final = str(Path(__file__).with_name("launch.py"))

_PATIENCE: Final = 5.0
"""Seconds until a child that was asked to stop is asked again, which a Manager takes as: at once; and until
one that was asked twice is killed. Who has saved a file, or pressed Ctrl-C, waits for it.
"""


_MOST_KEPT: Final = 64 * 1024
"""Bytes of standard error that are kept: more than anybody reads, and little memory."""


class Child:
    """A Python program in a process for the length of a block: `async with Child([...], ...) as child`.

    At the end of the block it is asked to stop (SIGTERM), asked again, and killed when nothing helps, or as
    soon as `hurry` is set. When this process dies, it is killed as well (see `launch`). It has a process
    group of its own, so that Ctrl-C in a terminal comes to the supervisor alone, and that what it has started
    and left behind is killed with it. It reads nothing, since the terminal is not its own.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        hurry: asyncio.Event,
        tell: Callable[[str], None],
        captured: bool = False,
    ) -> None:
        """`arguments` are those of Python; with `captured`, what it prints is kept for the caller, not shown.

        `tell` is called with a sentence about one that does not stop.
        """
        self._arguments: Final = tuple(arguments)
        self._folder: Final = folder
        self._environment: Final = environment
        self._hurry: Final = hurry
        self._tell: Final = tell
        self._captured: Final = captured
        self._files: Final = ExitStack()
        self._printed: IO[bytes] | None = None
        self._complained: IO[bytes] | None = None
        self.complaints = b""
        """The end of what it has printed to standard error, once the block is over, however it ended."""
        self.left_out = 0
        """How many bytes of standard error came before that."""
        self._lifeline: Final = ExitStack()
        """Closed, it has the child killed."""
        self._process: asyncio.subprocess.Process
        self._over: asyncio.Task[int]
        """Lasts until the process has ended, and with it all that it has left behind."""

    async def __aenter__(self) -> Self:
        starting = asyncio.create_task(self._start(), name="start of a child")
        if await _undisturbed(starting):
            # It may be there by now, and must not stay.
            if starting.exception() is None:
                await self._end()
            raise asyncio.CancelledError
        starting.result()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._end()

    async def ended(self) -> int:
        """Wait until it has ended by itself; returns its exit code, or 128 and the number of a signal."""
        return await asyncio.shield(self._over)

    async def output(self) -> bytes:
        """What it has printed to standard output, once it has ended; for one that is `captured`."""
        await self.ended()
        assert self._printed is not None  # noqa: S101 - it is captured
        self._printed.seek(0)
        return self._printed.read()

    def _keep_complaints(self) -> None:
        if self._complained is not None:
            size = self._complained.seek(0, os.SEEK_END)
            self.left_out = max(size - _MOST_KEPT, 0)
            self._complained.seek(self.left_out)
            self.complaints = self._complained.read(_MOST_KEPT)

    async def _start(self) -> None:
        python = sys.executable
        with ExitStack() as opened:
            if self._captured:
                # No pipe, on which asyncio would wait for all that have it open.
                self._printed = opened.enter_context(tempfile.TemporaryFile())
                self._complained = opened.enter_context(tempfile.TemporaryFile())
            reader, writer = os.pipe()
            self._lifeline.callback(os.close, writer)
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *(python, "-I", "-S", _LAUNCH, str(reader), python, *self._arguments),
                    cwd=self._folder,
                    env=self._environment,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=self._printed,
                    stderr=self._complained,
                    start_new_session=True,
                    pass_fds=[reader],
                )
            except BaseException:
                self._lifeline.close()
                raise
            finally:
                os.close(reader)
            self._files.push(opened.pop_all())
        self._over = asyncio.create_task(self._until_over(), name="end of a child")

    async def _until_over(self) -> int:
        try:
            code = await self._process.wait()
        finally:
            # To all of its group, which has the id of the process: also to what it has left behind, and at
            # once, since others may have that id later.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        return 128 - code if code < 0 else code

    async def _end(self) -> None:
        """Stop it, also when the caller is cancelled meanwhile: that is what it happens for."""
        stopping = asyncio.create_task(self._stop(), name="stop of a child")
        cancelled = await _undisturbed(stopping)
        stopping.result()
        if cancelled:
            raise asyncio.CancelledError

    async def _stop(self) -> None:
        hurrying = asyncio.create_task(self._hurry.wait(), name="haste")
        try:
            for count, number in enumerate((signal.SIGTERM, signal.SIGTERM, signal.SIGKILL)):
                if self._over.done():
                    return
                if count == 1 and not self._hurry.is_set():
                    self._tell(
                        "the program has not stopped, perhaps since its code works or waits without `await`; "
                        f"it is killed in {_PATIENCE:g} s"
                    )
                if self._hurry.is_set() or number is signal.SIGKILL:
                    self._lifeline.close()
                else:
                    with suppress(ProcessLookupError):
                        self._process.send_signal(number)
                await asyncio.wait(
                    {self._over} if self._hurry.is_set() else {self._over, hurrying},
                    timeout=_PATIENCE,
                    return_when=asyncio.FIRST_COMPLETED,
                )
        finally:
            hurrying.cancel()
            self._over.cancel()
            await asyncio.wait({self._over})
            self._lifeline.close()
            self._keep_complaints()
            self._files.close()


async def _undisturbed(task: asyncio.Task[None]) -> bool:
    """Wait until a task has ended, however often the caller is cancelled meanwhile; whether it was."""
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    return cancelled
