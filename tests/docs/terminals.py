"""The terminals of somebody who does what a page says."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.docs.walkthrough import Command, Interrupt, Shown, follows, matches

__all__ = ["Terminals"]

WITHIN = 180.0
"""Seconds that anything may take: a busy machine is no failure."""
AGAIN = 0.3
"""Seconds after which somebody looks again whose first look was too early."""
FAILURE = re.compile(r"Error|The .* is invalid|no$")
"""How lines begin by which kubectl says that something is refused, or is not so."""


class Terminals:
    """One terminal for what ends, and one for each program that stays.

    Raises AssertionError where a page is wrong. What still runs when the block is left is killed.
    """

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        """`home` is where it begins, and what the page calls /home/me."""
        self._home = home
        self._folder = home
        self._environment = {**environment, "PYTHONUNBUFFERED": "1"}
        self._staying: list[_Staying] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        left = [each.command for each in self._staying]
        for each in self._staying:
            each.kill()
        assert kind is not None or not left, f"nobody stops {left}"

    def type(self, command: Command) -> None:
        """Type a command, and compare what it prints with what the page says."""
        name, _, rest = command.text.partition(" ")
        if name == "cd":
            self._folder = self._folder / rest
        elif name == "export":
            variable, _, value = rest.partition("=")
            self._environment[variable] = value
        elif command.stays:
            self._staying.append(_Staying(command.text, self._folder, self._environment))
            self.shows(Shown(command.printed))
        else:
            self._run(command)

    def shows(self, shown: Shown) -> None:
        """Wait until the program that was started last has printed what the page shows."""
        last = self._staying[-1]
        last.until(lambda: follows(shown.printed, last.printed, self._home), shown.printed)

    def interrupt(self, step: Interrupt) -> None:
        """Ctrl-C, for the program that was started last."""
        last = self._staying[-1]
        last.interrupt()
        self._staying.pop()
        assert follows(step.printed, last.printed, self._home), f"{last.command} ended with:\n{last.printed}"
        assert "Traceback" not in last.printed, last.printed

    def _run(self, command: Command) -> None:
        deadline = time.monotonic() + WITHIN
        while True:
            done = subprocess.run(
                ["bash", "-c", command.text],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=WITHIN,
            )
            is_refused = any(map(FAILURE.match, command.printed))
            if (done.returncode != 0) == is_refused and matches(command.printed, done.stdout, self._home):
                return
            # What is looked at comes about in its own time.
            is_look = command.text.startswith("kubectl get ")
            assert is_look and time.monotonic() < deadline, f"$ {command.text}\n{done.stdout}"  # noqa: PT018 - one sentence
            time.sleep(AGAIN)


class _Staying:
    """A program that runs until Ctrl-C."""

    def __init__(self, command: str, folder: Path, environment: Mapping[str, str]) -> None:
        self.command = command
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._process = subprocess.Popen(
            ["bash", "-c", f"exec {command}"],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A terminal sends Ctrl-C to all that was started in it.
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no other thread matters here
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def printed(self) -> str:
        """All that it has printed so far."""
        with self._changed:
            return "".join(self._lines)

    def until(self, is_so: Callable[[], bool], what: list[str]) -> None:
        """Wait for something in what it prints."""
        deadline = time.monotonic() + WITHIN
        while not is_so():
            with self._changed:
                is_over = not self._reader.is_alive()
                assert not is_over and time.monotonic() < deadline, (  # noqa: PT018 - one sentence
                    f"$ {self.command}\n{''.join(self._lines)}\ndid not print {what}"
                )
                self._changed.wait(AGAIN)

    def interrupt(self) -> None:
        """Ctrl-C, and wait for the end."""
        os.killpg(self._process.pid, signal.SIGINT)
        self._process.wait(WITHIN)
        self._reader.join(WITHIN)

    def kill(self) -> None:
        """End it whatever it does."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(WITHIN)
        self._reader.join(WITHIN)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                with self._changed:
                    self._lines.append(line)
                    self._changed.notify_all()
