"""The command of `--exec`: run when the alarm is raised or cleared, and never in the way."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from examples.pvcwatch.display import RED, Display

LONGEST: Final = 30
"""Seconds after which a command is killed, so that the next one has its turn."""


class Action:
    """Runs a command for each event, one after the other, while `run` runs."""

    def __init__(self, command: Sequence[str], display: Display) -> None:
        self._command: Final = command
        self._display: Final = display
        self._events: Final[asyncio.Queue[Mapping[str, str]]] = asyncio.Queue()

    def add(self, environment: Mapping[str, str]) -> None:
        """Run the command when it is its turn, with these variables in its environment."""
        self._events.put_nowait(environment)

    async def run(self) -> None:
        """Run the commands. One that fails or hangs is told of, and the next one follows."""
        while True:
            environment = await self._events.get()
            if not self._command:
                continue
            try:
                code = await self._run(environment)
                problem = f"failed with exit code {code}" if code else ""
            except TimeoutError:
                problem = f"did not end within {LONGEST} seconds and was killed"
            except OSError as error:
                problem = f"cannot be run: {error.strerror}"
            if problem:
                self._display.line(f"the command {self._command[0]} {problem}", RED)

    async def _run(self, environment: Mapping[str, str]) -> int:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            env={**os.environ, **environment},
            stdin=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # so that all that it started can be killed with it
        )
        try:
            async with asyncio.timeout(LONGEST):
                return await process.wait()
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
            self._display.draw()
