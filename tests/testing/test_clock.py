"""The clock that moves when a test says so."""

from __future__ import annotations

import pytest

from kubewright.testing.clock import ManualClock


def test_it_stands_still_until_advanced() -> None:
    clock = ManualClock(start=5)
    assert clock.time() == 5
    clock.advance(1.5)
    clock.advance(0)
    assert clock.time() == 6.5


def test_calls_are_made_in_the_order_of_their_times_each_at_its_time() -> None:
    clock = ManualClock()
    made: list[tuple[str, float]] = []
    for name, when in [("c", 3), ("a", 1), ("b", 2), ("b2", 2), ("late", 11)]:
        clock.call_at(when, lambda name=name: made.append((name, clock.time())))
    assert clock.pending == 5
    clock.advance(10)
    assert made == [("a", 1), ("b", 2), ("b2", 2), ("c", 3)]
    assert clock.time() == 10
    assert clock.pending == 1


def test_calls_asked_for_by_calls_are_made_when_due() -> None:
    clock = ManualClock()
    made: list[float] = []

    def again() -> None:
        made.append(clock.time())
        clock.call_at(clock.time() + 4, again)

    clock.call_at(1, again)
    clock.advance(10)
    assert made == [1, 5, 9]


def test_a_call_taken_back_is_not_made() -> None:
    clock = ManualClock()
    made: list[str] = []
    second = clock.call_at(2, lambda: made.append("second"))
    clock.call_at(1, second.cancel)
    first = clock.call_at(1, lambda: made.append("first"))
    assert clock.pending == 3
    clock.advance(5)
    assert made == ["first"]
    first.cancel()
    second.cancel()
    assert clock.pending == 0


def test_a_time_that_has_passed_comes_with_the_next_advance() -> None:
    clock = ManualClock(start=10)
    made: list[float] = []
    clock.call_at(3, lambda: made.append(clock.time()))
    assert made == []
    clock.advance(0)
    assert made == [10]


def test_a_call_that_advances_the_clock_does_not_turn_it_back() -> None:
    clock = ManualClock()
    clock.call_at(1, lambda: clock.advance(100))
    clock.advance(2)
    assert clock.time() == 101


def test_what_a_call_raises_is_raised() -> None:
    clock = ManualClock()
    clock.call_at(1, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        clock.advance(2)
    assert clock.time() == 1


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_time_does_not_run_back(seconds: float) -> None:
    with pytest.raises(ValueError, match="0 or more seconds"):
        ManualClock().advance(seconds)
