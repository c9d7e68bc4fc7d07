"""What a queue counts and measures."""

from __future__ import annotations

import math

import pytest

from kubewright.testing.clock import ManualClock
from kubewright.workqueue import QueueMetrics, WorkQueue
from kubewright.workqueue.metrics import BUCKETS
from tests.workqueue.running import run


def _queue() -> tuple[WorkQueue[str], QueueMetrics, ManualClock]:
    metrics, clock = QueueMetrics(), ManualClock(start=7)
    return WorkQueue(name="pods", clock=clock, metrics=metrics), metrics, clock


def test_a_key_from_add_to_done() -> None:
    async def main() -> None:
        queue, metrics, clock = _queue()
        queue.add("a")
        queue.add("a")
        clock.advance(0.5)
        assert (metrics.snapshot().depth, metrics.snapshot().adds) == (1, 1)
        async with queue.take():
            clock.advance(20)
            now = metrics.snapshot()
            assert (now.name, now.depth, now.unfinished_work, now.longest_running) == ("pods", 0, 20, 20)
            assert (now.queue_duration.count, now.queue_duration.sum) == (1, 0.5)
            assert now.work_duration.count == 0
        now = metrics.snapshot()
        assert (now.work_duration.count, now.work_duration.sum) == (1, 20)
        assert (now.unfinished_work, now.longest_running) == (0, 0)

    run(main())


def test_a_key_added_while_worked_on_waits_from_then() -> None:
    async def main() -> None:
        queue, metrics, clock = _queue()
        queue.add("a")
        async with queue.take():
            queue.add("a")
            clock.advance(1)
            queue.add("a", priority=3)
            assert (metrics.snapshot().depth, metrics.snapshot().adds) == (1, 2)
            clock.advance(1)
        clock.advance(1)
        async with queue.take():
            assert metrics.snapshot().queue_duration.sum == 3
            assert metrics.snapshot().depth == 0

    run(main())


def test_unfinished_work_is_a_sum_and_a_longest() -> None:
    async def main() -> None:
        queue, metrics, clock = _queue()
        for key in "abc":
            queue.add(key)
            await queue.get()
            clock.advance(1)
        assert metrics.snapshot().unfinished_work == 3 + 2 + 1
        assert metrics.snapshot().longest_running == 3
        queue.done("a")
        assert metrics.snapshot().longest_running == 2

    run(main())


def test_delayed_keys_count_as_retries_and_later_as_adds() -> None:
    queue, metrics, clock = _queue()
    queue.add_after("a", 5)
    queue.add_rate_limited("b")
    queue.add_after("c", 0)
    assert (metrics.snapshot().retries, metrics.snapshot().adds, metrics.snapshot().depth) == (3, 1, 1)
    clock.advance(10)
    assert (metrics.snapshot().retries, metrics.snapshot().adds, metrics.snapshot().depth) == (3, 3, 3)
    queue.shut_down()
    queue.add_after("d", 1)
    queue.add("d")
    assert (metrics.snapshot().retries, metrics.snapshot().adds) == (3, 3)


def test_buckets_are_controller_runtimes() -> None:
    assert len(BUCKETS) == 12
    # The floats of Go's ExponentialBuckets(10e-9, 10, 12), rounding and all: they are label values.
    assert [repr(bound) for bound in BUCKETS[:5]] == [
        "1e-08",
        "1e-07",
        "1e-06",
        "9.999999999999999e-06",
        "9.999999999999999e-05",
    ]
    assert BUCKETS[-1] == pytest.approx(1000)


def test_histograms_are_cumulative_and_bounds_inclusive() -> None:
    async def main() -> None:
        queue, metrics, clock = _queue()
        for seconds in (0.0, 0.05, 50.0, 5000.0):
            queue.add("a")
            clock.advance(seconds)
            async with queue.take():
                pass
        histogram = metrics.snapshot().queue_duration
        counts = [count for _, count in histogram.buckets]
        assert counts == [1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4]
        assert histogram.buckets[-1] == (math.inf, 4)
        assert histogram.sum == 5050.05
        work = metrics.snapshot().work_duration
        assert work.buckets[0] == (1e-08, 4)

    run(main())


def test_each_queue_has_its_own() -> None:
    metrics = QueueMetrics()
    WorkQueue[str](name="pods", metrics=metrics)
    with pytest.raises(ValueError, match="belong to the queue 'pods'"):
        WorkQueue[str](name="nodes", metrics=metrics)


def test_metrics_of_no_queue_are_zero() -> None:
    snapshot = QueueMetrics().snapshot()
    assert (snapshot.depth, snapshot.adds, snapshot.unfinished_work) == (0, 0, 0)


def test_without_metrics_no_time_is_asked_for() -> None:
    class Asked(ManualClock):
        def time(self) -> float:
            raise AssertionError("asked for the time")

    async def main() -> None:
        from kubewright.workqueue import ExponentialBackoff

        queue = WorkQueue[str](clock=Asked(), rate_limiter=ExponentialBackoff())
        queue.add("a")
        async with queue.take():
            queue.add("a", priority=1)

    run(main())
