"""Times and durations side by side with Go's time package and upstream's JSON types."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.machinery.time import Duration, MicroTime, format_micro_time, format_time, parse_time
from tests.conftest import Oracle, OracleRefusal
from tests.machinery.test_time import DURATIONS, NOT_DATETIMES, NOT_DURATIONS, NOT_TIMES, TIMES, nanoseconds

pytestmark = pytest.mark.oracle

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ZERO = datetime(1, 1, 1, tzinfo=UTC)


def two(low: int, high: int) -> st.SearchStrategy[str]:
    return st.integers(low, high).map("{:02}".format)


def digits(low: int, high: int) -> st.SearchStrategy[str]:
    return st.text("0123456789", min_size=low, max_size=high)


fractions = st.builds(
    "{}{}".format,
    st.sampled_from(".,"),
    digits(6, 6) | digits(0, 12) | st.sampled_from(["+12345", "-12345", "-00000"]),
)
zones = st.sampled_from(["Z", "z", ""]) | st.builds(
    "{}{}:{}".format, st.sampled_from("+-"), two(0, 25), two(0, 61)
)

# Right most of the time, and off by a little in every part.
written = st.builds(
    "{}-{}-{}{}{}:{}:{}{}{}".format,
    st.integers(1, 10001).map("{:04}".format),
    two(0, 13),
    two(0, 32),
    st.sampled_from("TTTTTTTTt "),
    two(0, 24) | st.integers(0, 12).map(str),
    two(0, 60),
    two(0, 60),
    st.just("") | fractions,
    st.just("Z") | zones,
)


def check_time(oracle: Oracle, text: str) -> None:
    try:
        theirs = oracle.ask("time.time", text)
    except OracleRefusal:
        with pytest.raises(ParseError):
            parse_time(text)
        return
    moment = parse_time(text)
    assert (moment - EPOCH) // timedelta(seconds=1) == theirs["unix"]
    assert moment.microsecond == theirs["nanos"] // 1000
    # The zero time is null in JSON; in Python it is None, and never comes to format_time.
    assert theirs["json"] == (None if moment == ZERO and theirs["nanos"] == 0 else format_time(moment))


def check_micro_time(oracle: Oracle, text: str) -> None:
    try:
        theirs = oracle.ask("time.micro", text)
    except OracleRefusal:
        with pytest.raises(ParseError):
            MicroTime.parse(text)
        return
    moment = MicroTime.parse(text)
    assert type(moment) is MicroTime
    assert (moment - EPOCH) // timedelta(seconds=1) == theirs["unix"]
    assert moment.microsecond * 1000 == theirs["nanos"]
    assert theirs["json"] == (None if moment == ZERO else format_micro_time(moment))


def check_duration(oracle: Oracle, text: str) -> None:
    try:
        theirs = oracle.ask("duration.parse", text)
    except OracleRefusal:
        with pytest.raises(ParseError):
            Duration(text)
        return
    duration = Duration(text)
    assert duration.total_nanoseconds() == theirs["nanos"]
    assert str(duration) == theirs["json"]


def test_handwritten(oracle: Oracle) -> None:
    for text in [*TIMES, *NOT_TIMES]:
        check_time(oracle, text)
        check_micro_time(oracle, text)
    for text in [*DURATIONS, *NOT_DURATIONS]:
        check_duration(oracle, text)
    for text in NOT_DATETIMES:
        oracle.ask("time.time", text)


@settings(max_examples=2000)
@given(text=written)
def test_times(oracle: Oracle, text: str) -> None:
    check_time(oracle, text)
    check_micro_time(oracle, text)


@settings(max_examples=500)
@given(
    moment=st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    offset=st.integers(-86399, 86399),
    below=st.integers(0, 999),
)
def test_writing_times(oracle: Oracle, moment: datetime, offset: int, below: int) -> None:
    unix = (moment - EPOCH) // timedelta(seconds=1)
    nanos = moment.microsecond * 1000 + below
    theirs = oracle.ask("time.format", {"unix": unix, "nanos": nanos, "offset": offset})
    assert theirs == {"time": format_time(moment), "micro": format_micro_time(moment)}


@settings(max_examples=500)
@given(nanos=nanoseconds)
def test_writing_durations(oracle: Oracle, nanos: int) -> None:
    assert str(Duration(nanoseconds=nanos)) == oracle.ask("duration.format", nanos)


numbers = st.builds(
    "{}{}".format, digits(0, 4) | digits(17, 21), st.just("") | digits(0, 25).map(".{}".format)
)
units = st.sampled_from(
    [*["ns", "us", "\u00b5s", "\u03bcs", "ms", "s", "m", "h"] * 3, "", "d", "S", "min", " s"]
)


@settings(max_examples=2000)
@given(
    sign=st.sampled_from(["", "", "-", "+"]),
    terms=st.lists(st.builds("{}{}".format, numbers, units), min_size=1, max_size=3),
)
def test_reading_durations(oracle: Oracle, sign: str, terms: list[str]) -> None:
    check_duration(oracle, sign + "".join(terms))
