"""Cases in one test are all checked, and all that are wrong are told of."""

from __future__ import annotations

import pytest

from tests.cases import check_each


def test_all_are_checked() -> None:
    seen: list[int] = []
    check_each({"one": 1, "two": 2}, seen.append)
    assert seen == [1, 2]


def test_every_wrong_one_is_told_of_with_what_is_wrong() -> None:
    def check(number: int) -> None:
        if number == 3:
            raise KeyError("three")
        assert number % 2, f"{number} is even"

    with pytest.raises(pytest.fail.Exception) as raised:
        check_each({f"number {number}": number for number in range(6)}, check)
    told = str(raised.value)
    assert told.startswith("4 of 6 cases are wrong:\n\n--- number 0\nAssertionError: 0 is even\nassert")
    assert "--- number 3\nKeyError: 'three'" in told
    assert "number 1" not in told


def test_of_many_some_are_shown_and_all_are_named() -> None:
    def check(number: int) -> None:
        raise ValueError(number)

    with pytest.raises(pytest.fail.Exception) as raised:
        check_each({f"number {number}": number for number in range(30)}, check)
    told = str(raised.value)
    assert told.count("ValueError") == 20
    assert all(f"number {number}" in told for number in range(30))


def test_no_cases_are_a_mistake() -> None:
    with pytest.raises(AssertionError, match="there are no cases"):
        check_each({}, print)
