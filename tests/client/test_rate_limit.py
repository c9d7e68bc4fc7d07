"""The token bucket, on a clock of its own."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.rate_limit import RateLimiter


class Time:
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def passed(qps: float, burst: int, gaps: list[float]) -> list[float]:
    """When requests pass that come one after the other, each so long after the one before has passed."""

    async def run() -> list[float]:
        time = Time()
        limiter = RateLimiter(qps, burst, clock=time, sleep=time.sleep)
        found = []
        for gap in gaps:
            time.now += gap
            await limiter.acquire()
            found.append(time.now - 100)
        return found

    return asyncio.run(run())


def test_a_burst_passes_at_once_and_then_each_waits_its_turn() -> None:
    assert passed(10, 3, [0] * 6) == pytest.approx([0, 0, 0, 0.1, 0.2, 0.3])


def test_what_is_not_used_is_saved_up_to_the_burst() -> None:
    assert passed(10, 2, [0, 0, 0, 100, 0, 0]) == pytest.approx([0, 0, 0.1, 100.1, 100.1, 100.2])


@given(
    qps=st.floats(0.5, 1000),
    burst=st.integers(1, 20),
    gaps=st.lists(st.floats(0, 2), min_size=1, max_size=60),
)
def test_no_time_sees_more_than_its_share(qps: float, burst: int, gaps: list[float]) -> None:
    times = passed(qps, burst, gaps)
    for first in range(len(times)):
        for last in range(first, len(times)):
            allowed = burst + (times[last] - times[first]) * qps
            assert last - first + 1 <= allowed + 1e-6 * qps + 1e-6


@pytest.mark.parametrize(("qps", "burst"), [(0, 1), (-1, 1), (1, 0)])
def test_limits_that_are_none(qps: float, burst: int) -> None:
    with pytest.raises(ValueError, match="qps must be more than 0"):
        RateLimiter(qps, burst)
