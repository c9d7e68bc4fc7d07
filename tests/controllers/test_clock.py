"""The time that managers go by."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from kubewright.controllers.clock import RECONCILE_CLOCK, SystemClock, current_time, nanoseconds, sleep
from kubewright.testing import ManualClock


def test_sleeping_by_a_clock() -> None:
    async def run() -> None:
        clock = ManualClock()
        task = asyncio.create_task(sleep(clock, 5))
        await asyncio.sleep(0)
        clock.advance(4.9)
        await asyncio.sleep(0)
        assert not task.done()
        clock.advance(0.1)
        await task
        cancelled = asyncio.create_task(sleep(clock, 5))
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.wait({cancelled})
        assert clock.pending == 0
        await sleep(SystemClock(), 0)

    asyncio.run(run())


def test_the_time_is_that_of_the_reconcile() -> None:
    clock = ManualClock(date=datetime(2030, 1, 1, tzinfo=UTC))
    assert abs(current_time() - SystemClock().now()) < timedelta(seconds=5)
    token = RECONCILE_CLOCK.set(clock)
    clock.advance(60)
    assert current_time() == datetime(2030, 1, 1, 0, 1, tzinfo=UTC)
    RECONCILE_CLOCK.reset(token)


def test_no_two_moments_are_equal() -> None:
    clock = ManualClock(date=datetime(2030, 1, 1, tzinfo=UTC))
    ticks = nanoseconds(clock)
    first = [ticks() for _ in range(1000)]
    clock.advance(1)
    assert first == sorted(set(first))
    assert first[-1] < ticks()
    assert datetime.fromtimestamp(first[0] // 10**9, UTC) == datetime(2030, 1, 1, tzinfo=UTC)
