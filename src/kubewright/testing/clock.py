"""A clock for tests, which moves when the test says so."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

__all__ = ["ManualClock"]


class ManualClock:
    """Stands still until `advance`: a `kubewright.workqueue.Clock` for tests of delays, retries and rates.

        clock = ManualClock()
        queue = WorkQueue[str](clock=clock)
        queue.add_after("web-0", 60)
        clock.advance(60)
        assert "web-0" in queue

    It needs no event loop. What `advance` calls runs in it; tasks that this wakes run when the test next
    awaits.
    """

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self._timers: list[tuple[float, int, _ManualTimer]] = []
        self._number = 0
        """Counts up, so that timers of equal times keep their order."""

    def time(self) -> float:
        """The start, and all that it was advanced by."""
        return self._now

    def call_at(self, when: float, callback: Callable[[], object]) -> _ManualTimer:
        """Have `advance` call back when it comes to `when`.

        When that has passed already, the next `advance` does, also one by 0.
        """
        timer = _ManualTimer(callback)
        self._number += 1
        heappush(self._timers, (when, self._number, timer))
        return timer

    def advance(self, seconds: float) -> None:
        """Move on, and make the calls that are due on the way, in the order of their times, each at its time.

        Calls that these ask for are made as well when they are due. What a call raises is raised here; the
        time is then that of the call. Raises ValueError for negative seconds: time does not run back.
        """
        if not seconds >= 0:
            raise ValueError(f"a clock advances by 0 or more seconds, not by {seconds}")
        end = self._now + seconds
        while self._timers and self._timers[0][0] <= end:
            when, _, timer = heappop(self._timers)
            if timer.callback is not None:
                self._now = max(self._now, when)
                callback, timer.callback = timer.callback, None
                callback()
        # A call may have advanced the clock itself.
        self._now = max(self._now, end)

    @property
    def pending(self) -> int:
        """How many calls are to come."""
        return sum(timer.callback is not None for _, _, timer in self._timers)


class _ManualTimer:
    __slots__ = ("callback",)

    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        """Take the call back."""
        self.callback = None
