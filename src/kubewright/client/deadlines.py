"""The time limit that all requests of a client have, with one timer for all of them.

`asyncio.timeout` makes a timer for each request, which costs more than the request's way through the client.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

__all__ = ["Deadline", "Deadlines"]


class Deadline:
    """The limit of one task, from `Deadlines.begin` until `end`."""

    __slots__ = ("_all", "_cancelling", "_task", "has_expired", "when")

    def __init__(self, task: asyncio.Task[Any], when: float, all_: dict[Deadline, None]) -> None:
        self._task: Final = task
        self._cancelling: Final = task.cancelling()
        self._all: Final = all_
        self.when: Final = when
        self.has_expired = False

    def expire(self) -> None:
        """Cancel the task."""
        self.has_expired = True
        self._task.cancel()

    def end(self) -> None:
        """Forget the limit; the task is not cancelled any more."""
        self._all.pop(self, None)

    def absorbs(self) -> bool:
        """Whether a CancelledError that was caught is this limit's alone; if so, the task goes on."""
        return self.has_expired and self._task.uncancel() <= self._cancelling


class Deadlines:
    """Limits of equal length, so that they expire in the order in which they begin; of one event loop."""

    def __init__(self, seconds: float) -> None:
        self._seconds: Final = seconds
        self._running: Final[dict[Deadline, None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> Deadline:
        """Have the current task cancelled after the seconds, unless the limit is ended before."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - coroutines run in tasks
        loop = task.get_loop()
        deadline = Deadline(task, loop.time() + self._seconds, self._running)
        self._running[deadline] = None
        if self._timer is None:
            self._timer = loop.call_at(deadline.when, self._expire)
        return deadline

    def close(self) -> None:
        """Stop the timer; limits that are running expire no more."""
        self._running.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = None
        for deadline in list(self._running):
            if deadline.when > loop.time():
                self._timer = loop.call_at(deadline.when, self._expire)
                return
            deadline.end()
            deadline.expire()
