"""Lengths of time, as upstream's duration.HumanDuration tells them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kubewright.server.tables.durations import age, human_duration, moment, since

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_YEAR = 365 * _DAY


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (-10 * _YEAR, "<invalid>"),
        (-2, "<invalid>"),
        (-1.999, "0s"),
        (-0.001, "0s"),
        (0, "0s"),
        (0.999, "0s"),
        (1, "1s"),
        (119.999, "119s"),
        (120, "2m"),
        (121, "2m1s"),
        (10 * _MINUTE - 1, "9m59s"),
        (10 * _MINUTE, "10m"),
        (10 * _MINUTE + 59, "10m"),
        (3 * _HOUR - 1, "179m"),
        (3 * _HOUR, "3h"),
        (3 * _HOUR + _MINUTE, "3h1m"),
        (8 * _HOUR - 1, "7h59m"),
        (8 * _HOUR + 59 * _MINUTE, "8h"),
        (2 * _DAY - 1, "47h"),
        (2 * _DAY, "2d"),
        (2 * _DAY + _HOUR, "2d1h"),
        (8 * _DAY - 1, "7d23h"),
        (8 * _DAY + _HOUR, "8d"),
        (2 * _YEAR - 1, "729d"),
        (2 * _YEAR, "2y"),
        (2 * _YEAR + _DAY, "2y1d"),
        (8 * _YEAR - 1, "7y364d"),
        (8 * _YEAR + _DAY, "8y"),
        (292 * _YEAR, "292y"),
        (5000 * _YEAR, "292y"),
    ],
)
def test_two_or_three_digits_are_told(seconds: float, told: str) -> None:
    assert human_duration(timedelta(seconds=seconds)) == told


def test_a_time_that_is_not_set_is_unknown() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    for text in (None, "", "nonsense", 5):
        assert since(text, now) == "<unknown>"
        assert moment(text) is None
    for obj in ({}, {"metadata": None}, {"metadata": {}}, {"metadata": {"creationTimestamp": None}}):
        assert age(obj, now) == "<unknown>"
    assert since("2025-12-31T23:59:00.250000Z", now) == "59s"
    assert since("2025-12-31T23:59:00", now) == "60s"
