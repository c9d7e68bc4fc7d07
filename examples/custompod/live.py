"""What is seen of the demo: a table that is drawn anew on a terminal, or a line for each change."""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Final, NamedTuple, Protocol, TextIO

__all__ = ["Lines", "Live", "PodRow", "Told", "View", "age", "table", "view_on"]

_COLORS: Final = {"Running": 32, "Pending": 33, "Terminating": 31}
"""Green, yellow and red, by the phase of a pod."""
_PHASES: Final = re.compile(rf"\b({'|'.join(_COLORS)})\b")
_BOLD: Final = 1
_PLAIN_TERMINALS: Final = frozenset({"", "dumb"})
"""Values of $TERM of terminals that cannot move the cursor."""
_HEADER: Final = ("NAME", "PHASE", "READY", "NODE", "AGE")


class PodRow(NamedTuple):
    """A pod, as `kubectl get pods -o wide` tells of it."""

    name: str
    phase: str
    ready: str
    node: str
    created: datetime


class View(Protocol):
    """Where the demo is told, as it happens."""

    @property
    def pause(self) -> float:
        """Seconds that the result of a step stands before the next one."""

    def step(self, title: str) -> None:
        """Begin a step: what was shown before stays as it is."""

    def say(self, text: str) -> None:
        """A line, above what changes."""

    def note(self, name: str, text: str | None) -> None:
        """An object that is no pod, in words; None when it is gone."""

    def pod(self, name: str, row: PodRow | None) -> None:
        """A pod as it is now; None when it is gone."""

    def tick(self) -> None:
        """A second has passed: ages have grown."""

    def end(self, text: str) -> None:
        """What is said at the end; what was shown before stays as it is."""


class Lines:
    """A line for each change, with the seconds since the beginning: for pipes and files."""

    pause: Final = 0.0
    """Nobody watches."""

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream: Final = stream
        self._clock: Final = clock
        self._begun: Final = clock()
        self._told: Final[dict[str, tuple[str, ...]]] = {}

    def step(self, title: str) -> None:
        """Begin a step."""
        _write(self._stream, f"\n{title}\n")

    def say(self, text: str) -> None:
        """A line."""
        _write(self._stream, f"{text}\n")

    def note(self, name: str, text: str | None) -> None:
        """An object that is no pod."""
        self._tell(name, None if text is None else (text,))

    def pod(self, name: str, row: PodRow | None) -> None:
        """A pod; its age is none of what changes."""
        self._tell(f"pod/{name}", None if row is None else (row.phase, row.ready, row.node))

    def tick(self) -> None:
        """Nothing changes."""

    def end(self, text: str) -> None:
        """The last lines."""
        self.say(text)

    def _tell(self, name: str, facts: tuple[str, ...] | None) -> None:
        if self._told.get(name) == facts:
            return
        if facts is None:
            del self._told[name]
        else:
            self._told[name] = facts
        since = self._clock() - self._begun
        _write(self._stream, f"{since:5.1f}s   {name}   {'   '.join(facts or ('gone',))}\n")


class Live:
    """A table that is drawn again in place, below the lines that stay: for terminals."""

    pause: Final = 1.0
    """Seconds that a step's result stands before the next one: as long as it takes to read the table."""

    def __init__(
        self,
        stream: TextIO,
        *,
        colors: bool,
        size: Callable[[], os.terminal_size] = shutil.get_terminal_size,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._stream: Final = stream
        self._colors: Final = colors
        self._size: Final = size
        self._now: Final = now
        self._notes: Final[dict[str, str]] = {}
        self._pods: Final[dict[str, PodRow]] = {}
        self._height = 0
        """How many lines of the table stand above the cursor."""
        self._begun = False

    def step(self, title: str) -> None:
        """Begin a step; the table of the last one stays above it."""
        self._begun = True
        _write(self._stream, f"\n{self._painted(title, _BOLD)}\n{self._frame()}")

    def say(self, text: str) -> None:
        """A line above the table."""
        _write(self._stream, f"{self._up()}\x1b[J{text}\n{self._frame()}")

    def note(self, name: str, text: str | None) -> None:
        """An object that is no pod, above the pods."""
        if text is None:
            self._notes.pop(name, None)
        else:
            self._notes[name] = text
        self._draw()

    def pod(self, name: str, row: PodRow | None) -> None:
        """A line of the table."""
        if row is None:
            self._pods.pop(name, None)
        else:
            self._pods[name] = row
        self._draw()

    def tick(self) -> None:
        """Show the ages as they are by now."""
        self._draw()

    def end(self, text: str) -> None:
        """The last lines, below the table."""
        self._begun = False
        _write(self._stream, f"{text}\n")

    def _draw(self) -> None:
        if self._begun:
            # In one write, so that no terminal shows a half of it.
            _write(self._stream, self._up() + self._frame())

    def _up(self) -> str:
        return f"\x1b[{self._height}F" if self._height else ""

    def _frame(self) -> str:
        columns, rows = self._size()
        lines = table(self._notes, self._pods.values(), self._now()) if self._begun else []
        # What has scrolled away cannot be drawn again.
        if len(lines) > rows - 1:
            lines = [*lines[: rows - 2], f"… and {len(lines) - rows + 2} more"]
        self._height = len(lines)
        painted = (_PHASES.sub(self._phase, line[: columns - 1]) for line in lines)
        return "".join(f"{line}\x1b[K\n" for line in painted) + "\x1b[J"

    def _phase(self, found: re.Match[str]) -> str:
        return self._painted(found[1], _COLORS[found[1]])

    def _painted(self, text: str, color: int) -> str:
        return f"\x1b[{color}m{text}\x1b[0m" if self._colors else text


class Told(logging.Handler):
    """What is logged, such as that a connection is tried again, as lines of a view."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self._view: Final = view

    def emit(self, record: logging.LogRecord) -> None:
        """A line."""
        self._view.say(self.format(record))


def view_on(stream: TextIO) -> Live | Lines:
    """The view that suits a stream: colors and redraws are for terminals, and $NO_COLOR is heard."""
    if stream.isatty() and os.environ.get("TERM", "") not in _PLAIN_TERMINALS:
        return Live(stream, colors=not os.environ.get("NO_COLOR"))
    return Lines(stream)


def table(notes: dict[str, str], pods: Iterable[PodRow], now: datetime) -> list[str]:
    """Objects in words, and pods by name below a header."""
    widest = max(map(len, notes), default=0)
    lines = [f"  {name:<{widest}}   {text}" for name, text in sorted(notes.items(), reverse=True)]
    rows = [(*row[:4], age(row.created, now)) for row in sorted(pods)]
    if not rows:
        return [*lines, "  no pods"]
    widths = [max(map(len, column)) for column in zip(_HEADER, *rows, strict=True)]
    cells = ("   ".join(map(str.ljust, row, widths)).rstrip() for row in (_HEADER, *rows))
    return [*lines, *(f"  {line}" for line in cells)]


def age(created: datetime, now: datetime) -> str:
    """How old something is, as kubectl says it."""
    seconds = max(0, int((now - created).total_seconds()))
    return f"{seconds}s" if seconds < 120 else f"{seconds // 60}m"


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # Nobody reads any more, as after `| head`: stop, and write to nowhere until then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        signal.raise_signal(signal.SIGTERM)
