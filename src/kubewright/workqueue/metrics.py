"""What a queue counts and measures, for an exporter to read."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from kubewright.workqueue.clock import Clock

__all__ = ["Histogram", "MetricsSnapshot", "QueueMetrics"]


def _exponential(start: float, factor: float, count: int) -> tuple[float, ...]:
    return tuple(accumulate(range(1, count), lambda bound, _: bound * factor, initial=start))


BUCKETS: Final = _exponential(10e-9, 10, 12)
"""Seconds, 10 ns to 1000 s: controller-runtime's, multiplied up one by one as there, so that the floats are
the same and series of Go and Python programs add up."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Observed durations, as Prometheus counts them."""

    buckets: tuple[tuple[float, int], ...]
    """Upper bounds in seconds with how many were not above; the last bound is infinite."""
    sum: float
    count: int


@dataclass(frozen=True, slots=True)
class MetricsSnapshot:
    """The metrics of one queue at one moment. The names in Prometheus are client-go's."""

    name: str
    """The label `name`."""
    depth: int
    """workqueue_depth: keys that wait to be handed out, those that were added while worked on included."""
    adds: int
    """workqueue_adds_total: adds that were no duplicates."""
    retries: int
    """workqueue_retries_total: calls of add_after and add_rate_limited."""
    queue_duration: Histogram
    """workqueue_queue_duration_seconds: from the first add until the key is handed out."""
    work_duration: Histogram
    """workqueue_work_duration_seconds: from there until done."""
    unfinished_work: float
    """workqueue_unfinished_work_seconds: the time since the keys in work were handed out, added up."""
    longest_running: float
    """workqueue_longest_running_processor_seconds: the longest of these times."""


class _Durations:
    __slots__ = ("counts", "sum")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.sum = 0.0

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.sum += seconds

    def snapshot(self) -> Histogram:
        cumulative = tuple(accumulate(self.counts))
        bounds = (*BUCKETS, math.inf)
        return Histogram(tuple(zip(bounds, cumulative, strict=True)), self.sum, cumulative[-1])


class QueueMetrics:
    """Counts what happens in one queue: `WorkQueue(metrics=QueueMetrics())`, then `snapshot()` at any time.

    The queue calls the other methods. A queue without metrics takes no timestamps.
    """

    __slots__ = ("_added_at", "_adds", "_clock", "_latency", "_name", "_retries", "_taken_at", "_work")

    def __init__(self) -> None:
        self._name = ""
        self._clock: Clock | None = None
        self._adds = 0
        self._retries = 0
        self._added_at: Final[dict[Hashable, float]] = {}
        self._taken_at: Final[dict[Hashable, float]] = {}
        self._latency: Final = _Durations()
        self._work: Final = _Durations()

    def attach(self, name: str, clock: Clock) -> None:
        """Say whose metrics these are. Raises ValueError when they are another queue's already."""
        if self._clock is not None:
            raise ValueError(f"these metrics belong to the queue {self._name!r}; give each queue its own")
        self._name, self._clock = name, clock

    def added(self, key: Hashable) -> None:
        """The key was not waiting, and now does."""
        self._adds += 1
        self._added_at[key] = self._now()

    def taken(self, key: Hashable) -> None:
        """The key was handed out."""
        now = self._taken_at[key] = self._now()
        self._latency.observe(now - self._added_at.pop(key))
        if not self._added_at:
            self._added_at.clear()  # gives back the memory of the largest size

    def done(self, key: Hashable) -> None:
        """The work on the key ended."""
        self._work.observe(self._now() - self._taken_at.pop(key))

    def retried(self) -> None:
        """A key was added with a delay or a rate limit."""
        self._retries += 1

    def snapshot(self) -> MetricsSnapshot:
        """All of it as it is now."""
        now = self._now() if self._taken_at else 0.0
        ages = [now - taken for taken in self._taken_at.values()]
        return MetricsSnapshot(
            name=self._name,
            depth=len(self._added_at),
            adds=self._adds,
            retries=self._retries,
            queue_duration=self._latency.snapshot(),
            work_duration=self._work.snapshot(),
            unfinished_work=math.fsum(ages),
            longest_running=max(ages, default=0.0),
        )

    def _now(self) -> float:
        if self._clock is None:
            raise ValueError("these metrics belong to no queue yet; pass them as WorkQueue(metrics=...)")
        return self._clock.time()
