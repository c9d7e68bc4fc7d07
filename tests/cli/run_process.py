"""`kubewright run` in a process of its own, with what it prints as it comes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.server.processes import COMMAND, PATIENCE

__all__ = ["RunProcess", "left_in", "processes_in"]


def processes_in(folder: Path) -> dict[int, str]:
    """The command lines of processes that work in a folder, as the supervisor and all its children do."""
    found: dict[int, str] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and int(place.name) != os.getpid():
            try:
                if (place / "cwd").readlink() == folder.resolve():
                    found[int(place.name)] = (place / "cmdline").read_text().replace("\0", " ").strip()
            except OSError:
                continue  # it has ended, or is somebody else's
    return found


def left_in(folder: Path) -> dict[int, str]:
    """Those that stay there: what was killed a moment ago takes a while to go, and then is none of them."""
    deadline = time.monotonic() + PATIENCE
    while (found := processes_in(folder)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


class RunProcess:
    """The command for the length of a block; nothing of it is there afterwards, or the block fails."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.folder = folder
        self._process = subprocess.Popen(
            [COMMAND, "run", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "", **environment},
        )
        self._news = threading.Condition()
        self._mark = 0
        self._is_read = False
        self.printed = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._process.poll() is None:
                self.stop()
            if error is None:
                assert left_in(self.folder) == {}
        finally:
            self._process.kill()
            self._process.wait()
            for process in processes_in(self.folder):
                os.kill(process, signal.SIGKILL)
            self._reader.join(PATIENCE)
            if self._process.stdout is not None:
                self._process.stdout.close()
            if error is not None:
                error.add_note(f"what it printed:\n{self.printed or '(nothing)'}")

    def until(self, *patterns: str) -> list[str]:
        """Wait until something was printed for each pattern since the last call; returns what was found.

        Their order does not count. Fails when the command ends without.
        """
        deadline = time.monotonic() + PATIENCE
        with self._news:
            while True:
                found = [re.compile(each, re.MULTILINE).search(self.printed, self._mark) for each in patterns]
                seen = [each for each in found if each is not None]
                if len(seen) == len(patterns):
                    self._mark = max(each.end() for each in seen)
                    return [each.group() for each in seen]
                missing = [each for each, match in zip(patterns, found, strict=True) if match is None]
                assert not self._is_read, f"it has ended without printing {missing}"
                assert self._news.wait(deadline - time.monotonic()), f"it did not print {missing}"

    @property
    def kubeconfig(self) -> str:
        """Of the embedded cluster, once it was printed."""
        return str(self.folder / ".kubewright" / "cluster" / "kubeconfig")

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Ask it to stop, and wait until it has; returns its exit code."""
        self.send(number)
        return self.ended()

    def ended(self) -> int:
        """Wait until it has ended; returns its exit code."""
        code = self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._news:
                self.printed += line
                self._news.notify_all()
        with self._news:
            self._is_read = True
            self._news.notify_all()
