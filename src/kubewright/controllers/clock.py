"""The time that a manager goes by, so that tests can stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Final, Protocol

from kubewright.workqueue.clock import Clock, LoopClock

__all__ = ["RECONCILE_CLOCK", "SystemClock", "WallClock", "current_time", "nanoseconds", "sleep"]


class WallClock(Clock, Protocol):
    """What a manager needs of time: what its queues need, and the date.

    `SystemClock` is the real one; `kubewright.testing.ManualClock` moves when a test says so.
    """

    def now(self) -> datetime:
        """The date and time, in UTC."""


class SystemClock(LoopClock):
    """The real time."""

    __slots__ = ()

    def now(self) -> datetime:
        """As the system has it."""
        return datetime.now(UTC)


RECONCILE_CLOCK: Final[ContextVar[WallClock | None]] = ContextVar("kubewright_reconcile_clock", default=None)
"""The clock of the manager around the running code, if that has another than the real one."""


def current_time() -> datetime:
    """The date and time, in UTC: in a reconcile that of its manager's clock."""
    clock = RECONCILE_CLOCK.get()
    return datetime.now(UTC) if clock is None else clock.now()


async def sleep(clock: Clock, seconds: float) -> None:
    """Wait until a clock has moved on by so many seconds."""
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    timer = clock.call_at(clock.time() + seconds, partial(_end, over))
    try:
        await over
    finally:
        timer.cancel()


def _end(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)


def nanoseconds(clock: WallClock) -> Callable[[], int]:
    """A function for the nanoseconds since 1970, each time others: events are named by them."""
    later = count()

    def ticks() -> int:
        # From any thread: `next` of a count is one step.
        return int(clock.now().timestamp()) * 10**9 + next(later)

    return ticks
