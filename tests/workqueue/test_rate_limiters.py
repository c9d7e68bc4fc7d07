"""How long keys that failed have to wait."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kubewright.testing.clock import ManualClock
from kubewright.workqueue import ExponentialBackoff, FastSlow, MaxOf, TokenBucket, default_rate_limiter


def test_exponential_delays_double_up_to_the_longest() -> None:
    limiter = ExponentialBackoff(1, 10)
    assert [limiter.when("a") for _ in range(6)] == [1, 2, 4, 8, 10, 10]
    assert limiter.when("b") == 1
    assert limiter.retries("a") == 6
    assert limiter.retries("b") == 1
    limiter.forget("a")
    assert limiter.retries("a") == 0
    assert limiter.when("a") == 1


def test_exponential_defaults_are_those_of_client_go() -> None:
    limiter = ExponentialBackoff()
    delays = [limiter.when("a") for _ in range(19)]
    assert delays[:3] == [0.005, 0.01, 0.02]
    assert delays[17:] == [pytest.approx(655.36), 1000.0]


@pytest.mark.parametrize(("first", "longest"), [(0.005, 1000.0), (5e-324, 1.7e308), (1.0, 1.0)])
def test_any_number_of_failures_overflows_nothing(first: float, longest: float) -> None:
    limiter = ExponentialBackoff(first, longest)
    delays = [limiter.when("a") for _ in range(5000)]
    assert delays[0] == first
    assert delays[-1] == longest
    assert delays == sorted(delays)


@example(11.0, 1.0000000000000002, [1.0])
@given(st.floats(1e-6, 1e3), st.floats(1, 1e9), st.integers(1, 80).map(lambda n: [2.0**i for i in range(n)]))
def test_exponential_delays_are_what_the_formula_says(
    first: float, factor: float, powers: list[float]
) -> None:
    limiter = ExponentialBackoff(first, first * factor)
    assert [limiter.when("a") for _ in powers] == [min(first * factor, first * power) for power in powers]


def test_fast_then_slow() -> None:
    limiter = FastSlow(0.5, 30, attempts=3)
    assert [limiter.when("a") for _ in range(5)] == [0.5, 0.5, 0.5, 30, 30]
    assert limiter.when("b") == 0.5
    assert limiter.retries("a") == 5
    limiter.forget("a")
    assert limiter.retries("a") == 0
    assert limiter.when("a") == 0.5


def test_a_bucket_lets_a_burst_pass_then_its_rate() -> None:
    clock = ManualClock()
    limiter = TokenBucket(10, 5, clock=clock)
    assert [limiter.when(key) for key in "abcde"] == [0, 0, 0, 0, 0]
    assert [limiter.when(key) for key in "fgh"] == pytest.approx([0.1, 0.2, 0.3])
    clock.advance(0.3)
    assert limiter.when("i") == pytest.approx(0.1)
    clock.advance(1000)  # no more than the burst is saved up
    assert [limiter.when("j") for _ in range(7)] == pytest.approx([0, 0, 0, 0, 0, 0.1, 0.2])
    limiter.forget("j")
    assert limiter.retries("j") == 0


@given(
    st.floats(0.1, 1000),
    st.integers(1, 50),
    st.lists(st.floats(0, 10), min_size=1, max_size=100),
)
def test_a_bucket_never_lets_more_pass_than_burst_and_rate(
    qps: float, burst: int, pauses: list[float]
) -> None:
    clock = ManualClock()
    limiter = TokenBucket(qps, burst, clock=clock)
    passes = []
    for pause in pauses:
        clock.advance(pause)
        passes.append(clock.time() + limiter.when("a"))
    assert passes == sorted(passes)
    for first in range(len(passes)):
        for last in range(first, len(passes)):
            seconds = passes[last] - passes[first]
            assert last - first + 1 <= burst + seconds * qps + 1e-6


def test_the_longest_of_several() -> None:
    clock = ManualClock()
    bucket = TokenBucket(1, 1, clock=clock)
    limiter = MaxOf(ExponentialBackoff(2, 100), FastSlow(5, 1, attempts=1), bucket)
    assert limiter.when("a") == 5
    assert limiter.when("a") == 4
    assert limiter.retries("a") == 2
    assert limiter.when("b") == 5
    assert limiter.when("c") == 5
    for _ in range(4):
        bucket.when("x")
    assert limiter.when("c") == 8  # each asked the bucket
    limiter.forget("a")
    assert limiter.retries("a") == 0
    assert limiter.retries("b") == 1


def test_the_default_is_client_gos() -> None:
    clock = ManualClock()
    limiter = default_rate_limiter(clock=clock)
    assert [limiter.when("a") for _ in range(4)] == [0.005, 0.01, 0.02, 0.04]
    for number in range(96):
        assert limiter.when(number) == 0.005
    assert limiter.when("late") == pytest.approx(0.1)


def test_the_default_works_without_an_event_loop() -> None:
    assert default_rate_limiter().when("a") == 0.005


@pytest.mark.parametrize("delays", [(0, 1), (-1, 1), (2, 1), (1, math.inf), (math.nan, 1), (1, math.nan)])
def test_bad_exponential_delays(delays: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="delays must be more than 0"):
        ExponentialBackoff(*delays)


@pytest.mark.parametrize("delays", [(-1, 1), (1, -1), (math.nan, 1), (1, math.inf)])
def test_bad_fast_and_slow_delays(delays: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="delays must be 0 or more seconds"):
        FastSlow(*delays, attempts=3)


@pytest.mark.parametrize(("qps", "burst"), [(0, 1), (-1, 1), (math.nan, 1), (math.inf, 1), (1, 0)])
def test_bad_rates(qps: float, burst: int) -> None:
    with pytest.raises(ValueError, match="qps must be more than 0 and burst at least 1"):
        TokenBucket(qps, burst)


def test_the_longest_of_none() -> None:
    with pytest.raises(ValueError, match="at least one"):
        MaxOf()
