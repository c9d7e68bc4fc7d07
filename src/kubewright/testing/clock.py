"""A clock for tests, which moves when the test says so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush

__all__ = ["ManualClock"]


class ManualClock:
    """Stands still until `advance`: for tests of delays, retries and rates, of queues and of managers.

        clock = ManualClock()
        queue = WorkQueue[str](clock=clock)
        queue.add_after("web-0", 60)
        clock.advance(60)
        assert "web-0" in queue

    It needs no event loop. What `advance` calls runs in it; tasks that this wakes run when the test next
    awaits.
    """

    def __init__(self, start: float = 0.0, *, date: datetime | None = None) -> None:
        """`date` is what `now` gives at the start; by default the second in which the clock is made.

        The API server has its own clock: what it says of when an object was made does not stand still. Raises
        ValueError for a date without a time zone.
        """
        if date is not None and date.tzinfo is None:
            raise ValueError(f"the date {date} has no time zone; give one with tzinfo=UTC")
        self._now = start
        self._date = (datetime.now(UTC).replace(microsecond=0) if date is None else date) - timedelta(
            seconds=start
        )
        self._timers: list[tuple[float, int, _ManualTimer]] = []
        self._number = 0
        """Counts up, so that timers of equal times keep their order."""

    def time(self) -> float:
        """The start, and all that it was advanced by."""
        return self._now

    def now(self) -> datetime:
        """The date and time: that of the start, and all that it was advanced by."""
        return self._date + timedelta(seconds=self._now)

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
        self.advance_to(self._now + seconds)

    def advance_to(self, end: float) -> None:
        """Move on to a `time`, as `advance` does. Raises ValueError for one that has passed."""
        if not end >= self._now:
            raise ValueError(f"it is {self._now} already, and a clock does not go back to {end}")
        while self._timers and self._timers[0][0] <= end:
            when, _, timer = heappop(self._timers)
            if timer.callback is not None:
                self._now = max(self._now, when)
                callback, timer.callback = timer.callback, None
                callback()
        # A call may have advanced the clock itself.
        self._now = max(self._now, end)

    @property
    def next_call(self) -> float | None:
        """The `time` of the next call that is to come; None when there is none."""
        while self._timers and self._timers[0][2].callback is None:
            heappop(self._timers)
        return self._timers[0][0] if self._timers else None

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
