"""Where a queue takes its time from, so that tests of delays and rates need not wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

__all__ = ["Clock", "LoopClock", "Timer"]


class Timer(Protocol):
    """A call that is to come, and can be taken back."""

    def cancel(self) -> object:
        """Take the call back. Nothing happens when it was made or taken back already."""


class Clock(Protocol):
    """What a queue and its rate limiters need of time.

    `LoopClock` is the real one; `kubewright.testing.clock.ManualClock` moves when a test says so.
    """

    def time(self) -> float:
        """Seconds from some fixed moment on; never less than before."""

    def call_at(self, when: float, callback: Callable[[], object]) -> Timer:
        """Call back when `time()` has reached `when`, or at once when it has; never before this returns."""


class LoopClock:
    """Monotonic time, and timers of the running event loop.

    Timers may fire some microseconds early, as those of event loops do. `call_at` raises RuntimeError where
    no event loop runs.
    """

    __slots__ = ()

    def time(self) -> float:
        """`time.monotonic()`, in a loop or not."""
        # Not the loop's time: uvloop's stands still during an iteration, and counts in milliseconds.
        return time.monotonic()

    def call_at(self, when: float, callback: Callable[[], object]) -> Timer:
        """Have the running event loop call back."""
        return asyncio.get_running_loop().call_later(max(0.0, when - time.monotonic()), callback)
