"""Operators as processes that are killed, paused and started again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from tests.controllers.leadership.small_operator import Options

__all__ = ["Operator", "operators"]

_ROOT = Path(__file__).parents[3]


class Operator:
    """One process; another one takes its place when it is started again."""

    def __init__(self, options: Options, folder: Path) -> None:
        self.options = options
        self.log = folder / f"{options.name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, in place of the one before, which has ended."""
        program = [sys.executable, "-m", "tests.controllers.leadership.small_operator"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*program, msgspec.json.encode(self.options).decode()],
                cwd=_ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )

    @property
    def pid(self) -> int:
        """Its number."""
        assert self._process is not None
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it has ended."""
        return self._process is None or self._process.poll() is not None

    def signal(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        if self._process is not None:
            self._process.send_signal(number)

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> int:
        """Ask it to stop, and wait for that. Its exit code."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(30)


@contextmanager
def operators(*options: Options, folder: Path) -> Iterator[list[Operator]]:
    """Operators that run; none is left when the block has ended."""
    made = [Operator(each, folder) for each in options]
    try:
        for each in made:
            each.start()
        yield made
    finally:
        for each in made:
            with suppress(AssertionError):
                each.kill()
