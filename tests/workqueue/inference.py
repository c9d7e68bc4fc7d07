"""What a type checker must see of queues. Not run: `test_typing.py` gives it to mypy in strict mode."""

from __future__ import annotations

from collections.abc import Hashable
from typing import assert_type

from kubewright.testing.clock import ManualClock
from kubewright.workqueue import (
    Clock,
    ExponentialBackoff,
    FastSlow,
    LoopClock,
    MaxOf,
    QueueMetrics,
    RateLimiter,
    TokenBucket,
    WorkQueue,
    default_rate_limiter,
)


class OfNames:
    """A limiter of one's own, for keys that are strings."""

    def when(self, key: str) -> float:
        return float(len(key))

    def forget(self, key: str) -> None:
        pass

    def retries(self, key: str) -> int:
        return len(key)


async def work() -> None:
    queue: WorkQueue[str] = WorkQueue(name="pods", metrics=QueueMetrics())
    assert_type(WorkQueue[tuple[str, str]](), WorkQueue[tuple[str, str]])
    async with queue.take() as key:
        assert_type(key, str)
    assert_type(await queue.get(), str)
    assert_type(queue.retries("a"), int)
    queue.add(1)  # type: ignore[arg-type]
    queue.add("a", 1)  # type: ignore[call-arg]
    WorkQueue[list[str]]()  # type: ignore[type-var]


names: RateLimiter[str] = OfNames()
anything: RateLimiter[Hashable] = ExponentialBackoff()
of_strings: RateLimiter[str] = anything
assert_type(default_rate_limiter(), RateLimiter[Hashable])
assert_type(WorkQueue(rate_limiter=OfNames()), WorkQueue[str])
queues: list[WorkQueue[str]] = [
    WorkQueue(rate_limiter=ExponentialBackoff()),
    WorkQueue(rate_limiter=FastSlow(1, 2, attempts=3)),
    WorkQueue(rate_limiter=MaxOf(ExponentialBackoff(), TokenBucket())),
    WorkQueue(rate_limiter=MaxOf(OfNames(), TokenBucket(clock=ManualClock()))),
    WorkQueue(rate_limiter=default_rate_limiter(), clock=ManualClock()),
]
WorkQueue[int](rate_limiter=OfNames())  # type: ignore[arg-type]
clocks: list[Clock] = [LoopClock(), ManualClock()]
