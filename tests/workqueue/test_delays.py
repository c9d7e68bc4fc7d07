"""Keys that are added later."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

import pytest

from kubewright.testing.clock import ManualClock
from kubewright.workqueue import FastSlow, LoopClock, WorkQueue
from kubewright.workqueue.delays import Delays
from tests.workqueue.running import run


def _queue() -> tuple[WorkQueue[str], ManualClock]:
    clock = ManualClock(start=100.0)
    return WorkQueue(clock=clock), clock


async def _all(queue: WorkQueue[str]) -> list[str]:
    return [await queue.get() for _ in range(len(queue))]


def test_a_key_is_added_when_its_time_has_come() -> None:
    queue, clock = _queue()
    queue.add_after("a", 10)
    clock.advance(9.99)
    assert "a" not in queue
    clock.advance(0.01)
    assert "a" in queue
    assert clock.pending == 0


@pytest.mark.parametrize("seconds", [0, -1, -math.inf])
def test_no_delay_is_add(seconds: float) -> None:
    queue, clock = _queue()
    queue.add_after("a", seconds, priority=4)
    assert "a" in queue
    assert clock.pending == 0


@pytest.mark.parametrize("seconds", [math.inf, math.nan])
def test_a_delay_must_be_finite(seconds: float) -> None:
    queue, clock = _queue()
    with pytest.raises(ValueError, match="finite number of seconds"):
        queue.add_after("a", seconds)
    assert clock.pending == 0


@pytest.mark.parametrize("delays", [(5, 10), (10, 5)])
def test_the_earlier_of_two_delays_counts_and_only_once(delays: tuple[float, float]) -> None:
    async def main() -> None:
        queue, clock = _queue()
        for seconds in delays:
            queue.add_after("a", seconds)
        clock.advance(5)
        async with queue.take() as key:
            assert key == "a"
        clock.advance(5)
        assert len(queue) == 0

    run(main())


def test_a_delay_given_up_for_an_earlier_one_does_not_cut_a_later_one_short() -> None:
    async def main() -> None:
        queue, clock = _queue()
        queue.add_after("other", 8)
        queue.add_after("a", 10)
        queue.add_after("a", 5)
        clock.advance(5)
        async with queue.take():
            queue.add_after("a", 20)
        clock.advance(19)
        assert "other" in queue
        assert "a" not in queue
        clock.advance(1)
        assert "a" in queue

    run(main())


def test_keys_come_in_the_order_of_their_times() -> None:
    queue, clock = _queue()
    for key, seconds in [("c", 3), ("a", 1), ("b", 2), ("b2", 2), ("c2", 3)]:
        queue.add_after(key, seconds)
    assert clock.pending == 1
    clock.advance(10)
    assert run(_all(queue)) == ["a", "b", "b2", "c", "c2"]


def test_a_key_moved_to_an_earlier_time_does_not_hold_up_others() -> None:
    queue, clock = _queue()
    queue.add_after("a", 5)
    queue.add_after("b", 7)
    queue.add_after("b", 1)
    clock.advance(1)
    assert run(_all(queue)) == ["b"]
    clock.advance(4)
    assert run(_all(queue)) == ["a"]


def test_priorities_survive_delays_and_the_highest_counts() -> None:
    queue, clock = _queue()
    queue.add_after("a", 1)
    queue.add_after("b", 1, priority=1)
    queue.add_after("c", 2, priority=9)
    queue.add_after("c", 1, priority=2)
    queue.add_after("b", 3, priority=3)
    clock.advance(1)
    assert run(_all(queue)) == ["c", "b", "a"]


def test_a_delay_that_ends_raises_the_priority_of_a_waiting_key() -> None:
    queue, clock = _queue()
    queue.add("a")
    queue.add("b")
    queue.add_after("b", 1, priority=1)
    clock.advance(1)
    assert run(_all(queue)) == ["b", "a"]


def test_a_delay_goes_on_when_the_key_is_worked_on_meanwhile() -> None:
    async def main() -> None:
        queue, clock = _queue()
        queue.add_after("a", 10)
        queue.add("a")
        async with queue.take():
            clock.advance(10)
            assert "a" not in queue
        assert "a" in queue

    run(main())


def test_a_delay_wakes_a_worker() -> None:
    async def main() -> None:
        queue, clock = _queue()
        worker = asyncio.create_task(queue.get())
        await asyncio.sleep(0)
        queue.add_after("a", 1)
        clock.advance(1)
        assert await worker == "a"

    run(main())


def test_rate_limits_decide_the_delay_until_forgotten() -> None:
    clock = ManualClock()
    queue = WorkQueue[str](rate_limiter=FastSlow(1, 60, attempts=1), clock=clock)
    queue.add_rate_limited("a", priority=2)
    assert queue.retries("a") == 1
    clock.advance(1)
    assert run(_all(queue)) == ["a"]
    queue.done("a")
    queue.add_rate_limited("a")
    clock.advance(1)
    assert "a" not in queue
    queue.forget("a")
    assert queue.retries("a") == 0
    clock.advance(59)
    assert "a" in queue


def test_the_default_limiter_uses_the_queues_clock() -> None:
    async def main() -> None:
        clock = ManualClock()
        queue = WorkQueue[str](clock=clock)
        for number in range(100):
            queue.add_rate_limited(f"key-{number}")  # the burst
        clock.advance(0.005)
        assert len(queue) == 100
        queue.add_rate_limited("late")
        clock.advance(0.09)
        assert "late" not in queue
        clock.advance(0.01)
        assert "late" in queue
        clock.advance(60)
        queue.add_rate_limited("later")
        clock.advance(0.005)
        assert "later" in queue

    run(main())


def test_the_loops_clock() -> None:
    async def main() -> None:
        clock = LoopClock()
        queue = WorkQueue[str](clock=clock)
        begin = clock.time()
        queue.add_after("b", 0.004)
        queue.add_after("a", 0.002)
        cancelled = clock.call_at(begin, lambda: queue.add("never"))
        cancelled.cancel()
        async with asyncio.timeout(5):
            assert await queue.get() == "a"
            assert clock.time() >= begin + 0.002
            assert await queue.get() == "b"
            assert clock.time() >= begin + 0.004

    run(main())


class EarlyClock:
    """Leaves it to the test when a timer fires, as event loops may fire one early."""

    def __init__(self) -> None:
        self.now = 0.0
        self.set: list[tuple[float, Callable[[], object]]] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[[], object]) -> EarlyClock:
        self.set.append((when, callback))
        return self

    def cancel(self) -> None:
        self.set.pop()


def test_a_timer_that_fires_early_is_set_again() -> None:
    clock = EarlyClock()
    queue = WorkQueue[str](clock=clock)
    queue.add_after("a", 1)
    when, fire = clock.set.pop()
    clock.now = 0.999
    fire()
    assert "a" not in queue
    assert [again for again, _ in clock.set] == [when]
    clock.now = 1.0
    clock.set.pop()[1]()
    assert "a" in queue
    assert not clock.set


def test_times_that_come_ever_earlier_take_no_memory() -> None:
    delays = Delays[str]()
    for number in range(10_000):
        delays.add("a", 20_000.0 - number, 0)
        delays.add("b", 20_000.0 - number, 0)
    assert len(delays) == 2
    assert len(delays._heap) < 100
    assert delays.first() == 20_000.0 - 9_999
    assert delays.pop_due(20_000.0) == [("a", 0), ("b", 0)]
    assert len(delays) == 0


def test_any_number_of_delays_takes_one_timer() -> None:
    queue, clock = _queue()
    for number in range(10_000):
        queue.add_after(str(number), 1 + number * 7919 % 10_000)
    assert clock.pending == 1
    clock.advance(10_000)
    assert len(queue) == 10_000
    assert clock.pending == 0
