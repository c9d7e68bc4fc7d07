"""Programs of `examples`, as processes whose output is waited for."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
WITHIN = 60.0
"""Seconds that anything may take: a busy machine is no failure."""


class Program:
    """A running program, and all that it has printed."""

    def __init__(self, process: subprocess.Popen[bytes], output: int) -> None:
        self.process = process
        self._output = output
        self._printed = bytearray()
        self._changed = threading.Condition()
        self._is_over = False
        self._read_to = 0
        self._starved = 0.0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def until(self, pattern: str) -> str:
        """Wait for a match in what was printed since the last one; returns what came until its end."""
        deadline = time.monotonic() + WITHIN
        with self._changed:
            while True:
                rest = self._printed[self._read_to :].decode(errors="replace")
                found = re.search(pattern, rest, re.MULTILINE)
                if found:
                    text = rest[: found.end()]
                    self._read_to += len(text.encode())
                    return text
                left = deadline - time.monotonic()
                if self._is_over or left <= 0:
                    raise AssertionError(f"{pattern!r} did not come; what came is:\n{self.printed}")
                self._changed.wait(left)

    @property
    def printed(self) -> str:
        """All that it has printed so far."""
        with self._changed:
            return self._printed.decode(errors="replace")

    @property
    def starved(self) -> float:
        """For how many seconds it could have worked and had no core, until it last printed something."""
        with self._changed:
            return self._starved

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Send a signal, and wait for the end; returns the exit code."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait for the end; returns the exit code."""
        code = self.process.wait(WITHIN)
        self._thread.join(WITHIN)
        return code

    def _read(self) -> None:
        # The end of a pseudo-terminal is an error (EIO).
        with suppress(OSError):
            while chunk := os.read(self._output, 65536):
                with self._changed:
                    self._printed += chunk
                    self._starved = max(self._starved, _starved(self.process.pid))
                    self._changed.notify_all()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()


def _starved(pid: int) -> float:
    """For how many seconds the first thread of a process has waited for a core, where the system tells it."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0  # it is over, or nobody counts


@contextmanager
def running(
    module: str,
    *arguments: str,
    terminal: tuple[int, int] | None = None,
    in_background: bool = False,
    **environment: str,
) -> Iterator[Program]:
    """A program for the length of a block; on a terminal of so many rows and columns, or on a pipe.

    In the background of a shell it does not hear Ctrl-C.
    """
    reader, writer = pty.openpty() if terminal is not None else os.pipe()
    if terminal is not None:
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", *terminal, 0, 0))
    clean = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLUMNS", "TERM"}}
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdout=writer,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
        env={**clean, **environment},
        # Shells start what runs in the background with SIGINT ignored, these tests perhaps among it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN if in_background else signal.SIG_DFL),  # noqa: PLW1509 - no other thread matters here
    )
    os.close(writer)
    program = Program(process, reader)
    try:
        yield program
    finally:
        if process.poll() is None:
            process.kill()
        program.wait()
        os.close(reader)
