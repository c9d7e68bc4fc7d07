"""Whether a queue has anything to do now, and having what is delayed done now."""

from __future__ import annotations

import asyncio

from kubewright.testing import ManualClock
from kubewright.workqueue import WorkQueue


def test_a_queue_is_idle_when_nothing_is_ready_worked_on_or_due() -> None:
    async def run() -> None:
        clock = ManualClock()
        queue = WorkQueue[str](clock=clock)
        assert queue.is_idle
        queue.add_after("a", 5)
        assert queue.is_idle
        clock.advance(5)
        assert not queue.is_idle
        async with queue.take() as key:
            assert key == "a"
            assert not queue.is_idle
            queue.add("a")
        assert not queue.is_idle
        async with queue.take():
            pass
        assert queue.is_idle

    asyncio.run(run())


def test_what_is_delayed_can_be_had_at_once_and_then_does_not_come_again() -> None:
    async def run() -> None:
        clock = ManualClock()
        queue = WorkQueue[str](clock=clock)
        assert not queue.expedite("a")
        assert queue.is_idle
        queue.add_after("a", 5, priority=3)
        queue.add_after("b", 6)
        assert queue.expedite("a")
        assert queue.depths()[3] == 1
        async with queue.take() as key:
            assert key == "a"
            # Its delay is over; one that is asked for while it is worked on is another.
            assert not queue.expedite("a")
            queue.add_after("a", 1)
            assert queue.expedite("a")
        async with queue.take() as key:
            assert key == "a"
        clock.advance(5)
        assert queue.is_idle
        clock.advance(1)
        assert "b" in queue

    asyncio.run(run())
