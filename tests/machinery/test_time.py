"""Times and durations; the oracle tests at the end ask upstream's own code."""

from __future__ import annotations

import copy
import pickle
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.machinery.time import Duration, MicroTime, format_micro_time, format_time, parse_time

EAST = timezone(timedelta(hours=2))
MAX_INT64 = 2**63 - 1

TIMES = {
    "2006-01-02T15:04:05Z": datetime(2006, 1, 2, 15, 4, 5, 0, UTC),
    "2006-01-02T15:04:05.5Z": datetime(2006, 1, 2, 15, 4, 5, 500000, UTC),
    "2006-01-02T15:04:05.123456789Z": datetime(2006, 1, 2, 15, 4, 5, 123456, UTC),
    "2006-01-02T15:04:05.999999999999Z": datetime(2006, 1, 2, 15, 4, 5, 999999, UTC),
    "2006-01-02T15:04:05,5Z": datetime(2006, 1, 2, 15, 4, 5, 500000, UTC),
    "2006-01-02T5:04:05Z": datetime(2006, 1, 2, 5, 4, 5, 0, UTC),
    "2006-01-02T15:04:05+02:00": datetime(2006, 1, 2, 13, 4, 5, 0, UTC),
    "2006-01-02T15:04:05-00:30": datetime(2006, 1, 2, 15, 34, 5, 0, UTC),
    "2006-01-02T15:04:05+24:60": datetime(2006, 1, 1, 14, 4, 5, 0, UTC),
    "2004-02-29T00:00:00Z": datetime(2004, 2, 29, 0, 0, 0, 0, UTC),
    "0001-01-01T00:00:00Z": datetime(1, 1, 1, 0, 0, 0, 0, UTC),
    "9999-12-31T23:59:59.999999Z": datetime(9999, 12, 31, 23, 59, 59, 999999, UTC),
}

NOT_TIMES = [
    *["", " ", "2006-01-02", "15:04:05Z", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z"],
    *["2006-01-02t15:04:05Z", "2006-01-02T15:04:05z", " 2006-01-02T15:04:05Z", "2006-01-02T15:04:05Z\n"],
    *["2006-1-02T15:04:05Z", "2006-01-2T15:04:05Z", "06-01-02T15:04:05Z", "2006-01-02T15:04:05 Z"],
    *["2006-13-02T15:04:05Z", "2006-00-02T15:04:05Z", "2006-02-29T15:04:05Z", "2006-01-00T15:04:05Z"],
    *["2006-01-02T24:04:05Z", "2006-01-02T15:60:05Z", "2006-01-02T15:04:60Z", "2006-01-02T15:4:05Z"],
    *["2006-01-02T15:04:05.Z", "2006-01-02T15:04:05.5", "2006-01-02T:04:05Z", "2006-01-02T15:04:05Zjunk"],
    *["2006-01-02T15:04:05+2:00", "2006-01-02T15:04:05+0200", "2006-01-02T15:04:05+25:00"],
    *["2006-01-02T15:04:05+00:61", "+2006-01-02T15:04:05Z", "12006-01-02T15:04:05Z", "x" * 10**6],
    *["\u0662006-01-02T15:04:05Z", "2006-01-02T15:04:05.\u0661Z"],
]

# Go holds these moments, datetime does not.
NOT_DATETIMES = ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"]

SECOND = 10**9
DURATIONS = {
    "0": 0,
    "-0": 0,
    "+0": 0,
    "0h0m0s": 0,
    "1ns": 1,
    "1us": 1000,
    "1\u00b5s": 1000,
    "1\u03bcs": 1000,
    "1ms": 10**6,
    "1s": SECOND,
    "1m": 60 * SECOND,
    "1h": 3600 * SECOND,
    "1h30m0.5s": 5400 * SECOND + SECOND // 2,
    "+5s": 5 * SECOND,
    "-5s": -5 * SECOND,
    "1.5h": 5400 * SECOND,
    ".5s": SECOND // 2,
    "5.s": 5 * SECOND,
    "-.5m": -30 * SECOND,
    "1s1s1h": 3602 * SECOND,
    "1.9ns": 1,
    "0.3333333333333333333h": 1200 * SECOND,
    "9223372036854775807ns": MAX_INT64,
    "-9223372036854775808ns": -MAX_INT64 - 1,
    "2562047h47m16.854775807s": MAX_INT64,
    "00000000000000000000000000000001s": SECOND,
    "0.100000000000000000000h": 360 * SECOND,
    "0.77190669522888884869814491962h": 2778864102824,  # Go reads only so many digits, and it shows
    "0." + "0" * 400 + "1h": 0,
}

NOT_DURATIONS = [
    *[
        "",
        "3",
        "-",
        "+",
        "s",
        ".",
        "-.",
        ".s",
        "+.s",
        "1x",
        "1d",
        "1.5.5s",
        "1 s",
        " 1s",
        "1s ",
        "1h-1m",
        "--1s",
    ],
    *[
        "1S",
        "1H",
        "1mms",
        "1sm",
        "0x1s",
        "1e3s",
        "1,5s",
        "P1D",
        "\u0661s",
        "9223372036854775808ns",
        "3000000h",
    ],
    *["-9223372036854775809ns", "2562047h47m16.854775808s", "9223372036854775808s", "99999999999999999999ns"],
    "1s" + "9" * 10**6 + "h",
]

moments = st.datetimes(
    min_value=datetime(2, 1, 1),  # noqa: DTZ001 - hypothesis wants these naive
    max_value=datetime(9998, 1, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, EAST, ZoneInfo("America/New_York")]),
)
nanoseconds = st.integers(-MAX_INT64 - 1, MAX_INT64) | st.integers(-(10**12), 10**12)
durations = nanoseconds.map(lambda n: Duration(nanoseconds=n))
short = st.integers(-(10**16), 10**16).map(lambda n: Duration(nanoseconds=n))


@pytest.mark.parametrize("text", TIMES)
def test_reads_times(text: str) -> None:
    moment = parse_time(text)
    assert moment == TIMES[text]
    assert moment.tzinfo is UTC
    assert type(moment) is datetime


def test_refuses_what_is_no_time() -> None:
    for text in NOT_TIMES:
        for parse in (parse_time, MicroTime.parse):
            with pytest.raises(ParseError) as caught:
                parse(text)
            assert repr(text)[1:20].rstrip("'") in str(caught.value)
            assert len(str(caught.value)) < 250


def test_the_sentences_say_what_is_wrong() -> None:
    with pytest.raises(ParseError, match=r"^time 'now' is not RFC 3339; write it as 2006-01-02T15:04:05Z$"):
        parse_time("now")
    with pytest.raises(ParseError, match=r"^time '2006-02-29T00:00:00Z' names no moment: day "):
        parse_time("2006-02-29T00:00:00Z")
    for text in NOT_DATETIMES[1:]:
        with pytest.raises(ParseError, match=r"is outside the years 1 to 9999 in UTC$"):
            parse_time(text)
    with pytest.raises(ParseError, match=r"'0000-01-01T00:00:00Z' names no moment: year "):
        parse_time(NOT_DATETIMES[0])
    with pytest.raises(
        ParseError, match=r"six digits of fraction; write it as 2006-01-02T15:04:05\.000000Z$"
    ):
        MicroTime.parse("2006-01-02T15:04:05Z")


def test_writes_times() -> None:
    moment = datetime(2006, 1, 2, 15, 4, 5, 999999, EAST)
    assert format_time(moment) == "2006-01-02T13:04:05Z"
    assert format_micro_time(moment) == "2006-01-02T13:04:05.999999Z"
    assert format_micro_time(datetime(2006, 1, 2, tzinfo=UTC)) == "2006-01-02T00:00:00.000000Z"
    assert format_time(datetime.max.replace(tzinfo=UTC)) == "9999-12-31T23:59:59Z"
    assert format_time(datetime(1970, 1, 1, tzinfo=UTC)) == "1970-01-01T00:00:00Z"
    assert format_time(datetime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00Z"


def test_refuses_datetimes_without_a_time_zone() -> None:
    naive = datetime(2006, 1, 2)  # noqa: DTZ001 - on purpose
    for use in (format_time, format_micro_time, MicroTime.of):
        with pytest.raises(
            ParseError, match=r"^time 2006-01-02T00:00:00 has no time zone; use datetime\.now\(UTC\)"
        ):
            use(naive)
    with pytest.raises(ParseError, match="has no time zone"):
        MicroTime.of(MicroTime(2006, 1, 2))
    for moment in (
        datetime(1, 1, 1, tzinfo=EAST),
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-2))),
    ):
        with pytest.raises(ParseError, match="is outside the years 1 to 9999 in UTC"):
            format_time(moment)


def test_micro_times_stay_micro_times() -> None:
    moment = MicroTime.parse("2006-01-02T15:04:05.000001Z")
    assert moment == datetime(2006, 1, 2, 15, 4, 5, 1, UTC)
    for derived in (
        moment + timedelta(seconds=1),
        timedelta(seconds=1) + moment,
        moment - Duration("1h"),
        moment.replace(microsecond=0),
        moment.astimezone(EAST),
        MicroTime.now(UTC),
        MicroTime.of(datetime.now(UTC)),
        copy.copy(moment),
        copy.deepcopy(moment),
        pickle.loads(pickle.dumps(moment)),  # noqa: S301 - our own bytes
    ):
        assert type(derived) is MicroTime
    assert copy.deepcopy(moment) == moment
    assert pickle.loads(pickle.dumps(moment)) == moment  # noqa: S301 - our own bytes
    assert type(moment - moment) is type(moment - datetime.now(UTC)) is timedelta
    with pytest.raises(TypeError):
        _ = moment - 1  # type: ignore[operator]
    assert MicroTime.of(moment) is moment
    fold = datetime(2026, 11, 1, 1, 30, tzinfo=ZoneInfo("America/New_York"), fold=1)
    assert format_micro_time(MicroTime.of(fold)) == "2026-11-01T06:30:00.000000Z"


def test_msgspec_hands_them_to_our_hooks() -> None:
    values = [MicroTime.now(UTC), Duration("1m"), Duration("1m") * 2]
    encoded = msgspec.json.encode(values, enc_hook=lambda value: type(value).__name__)
    assert msgspec.json.decode(encoded) == ["MicroTime", "Duration", "Duration"]


@given(moments)
def test_times_read_back(moment: datetime) -> None:
    # Compared in UTC: Python calls hours that a clock change skips or repeats unequal to all of other zones.
    utc = moment.astimezone(UTC)
    assert MicroTime.parse(format_micro_time(moment)) == utc
    assert MicroTime.of(moment).astimezone(UTC) == utc
    assert parse_time(format_micro_time(moment)) == utc
    assert parse_time(format_time(moment)) == utc.replace(microsecond=0)


@pytest.mark.parametrize("text", DURATIONS)
def test_reads_durations(text: str) -> None:
    assert Duration(text).total_nanoseconds() == DURATIONS[text]
    assert Duration.parse(text) == Duration(nanoseconds=DURATIONS[text])


def test_refuses_what_is_no_duration() -> None:
    start = time.process_time()
    for text in NOT_DURATIONS:
        with pytest.raises(ParseError) as caught:
            Duration(text)
        assert repr(text)[1:20].rstrip("'") in str(caught.value)
        assert len(str(caught.value)) < 250
    assert time.process_time() - start < 2
    with pytest.raises(
        ParseError, match=r"^duration '1d' is not Go's; write numbers with ns, us, .*, such as 1h30m$"
    ):
        Duration("1d")
    with pytest.raises(ParseError, match=r"^duration '3000000h' is past 292 years"):
        Duration("3000000h")
    # Here alone Go's check of the sum wraps, and Go says zero.
    with pytest.raises(ParseError, match="past 292 years"):
        Duration("9223372036854775808ns9223372036854775808ns")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("0", "0s"),
        ("1ns", "1ns"),
        ("-1ns", "-1ns"),
        ("1100ns", "1.1\u00b5s"),
        ("2.2ms", "2.2ms"),
        ("100ms", "100ms"),
        ("1.5s", "1.5s"),
        ("60s", "1m0s"),
        ("1h", "1h0m0s"),
        ("25h", "25h0m0s"),
        ("90m0.5s", "1h30m0.5s"),
        ("-1h1ns", "-1h0m0.000000001s"),
        ("-9223372036854775808ns", "-2562047h47m16.854775808s"),
    ],
)
def test_prints_durations_as_go_does(text: str, printed: str) -> None:
    assert str(Duration(text)) == printed
    assert f"{Duration(text)}" == printed
    assert repr(Duration(text)) == f"Duration('{printed}')"


def test_made_from_timedeltas_and_keywords() -> None:
    assert Duration() == timedelta()
    assert str(Duration(timedelta(hours=1, microseconds=1))) == "1h0m0.000001s"
    assert (
        str(Duration(hours=1, minutes=2, seconds=3, milliseconds=4, microseconds=5, nanoseconds=6))
        == "1h2m3.004005006s"
    )
    assert str(Duration(seconds=0.1)) == "100ms"
    assert str(Duration("1h", minutes=-1)) == "59m0s"
    assert Duration(Duration("1ns")).total_nanoseconds() == 1
    with pytest.raises(TypeError, match=r"not from a int$"):
        Duration(5)  # type: ignore[arg-type]
    for too_long in (timedelta.max, timedelta.min):
        with pytest.raises(OverflowError, match="past 292 years"):
            Duration(too_long)


def test_durations_compare_to_the_nanosecond() -> None:
    one, two = Duration("1ns"), Duration("2ns")
    assert one < two
    assert two > one
    assert one <= two
    assert two >= one
    assert one != two
    assert one != timedelta()
    assert timedelta() != one
    assert timedelta() < one < timedelta(microseconds=1)
    assert Duration("1us") == timedelta(microseconds=1)
    assert timedelta(microseconds=1) == Duration("1us")
    assert one
    assert not Duration("0")
    assert one != "1ns"
    with pytest.raises(TypeError):
        _ = one < 5  # type: ignore[operator]


def test_arithmetic_gives_durations() -> None:
    minute, nano = Duration("1m"), Duration("1ns")
    for result, printed in (
        (minute + nano, "1m0.000000001s"),
        (minute + timedelta(seconds=1), "1m1s"),
        (timedelta(seconds=1) + nano, "1.000000001s"),
        (timedelta(seconds=1) - nano, "999.999999ms"),
        (minute - timedelta(seconds=61), "-1s"),
        (-minute, "-1m0s"),
        (+minute, "1m0s"),
        (abs(-nano), "1ns"),
        (nano * 3, "3ns"),
        (3 * nano, "3ns"),
        (minute * 0.5, "30s"),
        (minute / 2, "30s"),
        (minute / 0.5, "2m0s"),
        (nano / 3, "0s"),
        (minute // 7, "8.571428571s"),
        (minute % Duration("7s"), "4s"),
        (divmod(minute, timedelta(seconds=7))[1], "4s"),
        (sum([nano, nano], Duration()), "2ns"),
    ):
        assert type(result) is Duration
        assert str(result) == printed
    assert minute / Duration("30s") == 2.0
    assert minute // Duration("7s") == 8
    assert divmod(minute, Duration("7s"))[0] == 8
    assert minute.total_seconds() == 60.0
    assert Duration("1ns").total_seconds() == 1e-9
    assert datetime(2006, 1, 2, tzinfo=UTC) + Duration("1.5s") == datetime(2006, 1, 2, 0, 0, 1, 500000, UTC)
    assert minute + datetime(2006, 1, 2, tzinfo=UTC) == datetime(2006, 1, 2, 0, 1, tzinfo=UTC)
    overflows: list[Callable[[], object]] = [
        lambda: -Duration("-9223372036854775808ns"),
        lambda: minute * 10**18,
        lambda: minute + timedelta.max,
    ]
    for compute in overflows:
        with pytest.raises(OverflowError):
            compute()
    untyped: Any = minute
    wrongs: list[Callable[[], object]] = [
        lambda: untyped + 1,
        lambda: untyped - 1,
        lambda: untyped * "2",
        lambda: untyped // 0.5,
        lambda: untyped % 7,
        lambda: untyped / "2",
        lambda: divmod(untyped, 7),
    ]
    for compute in wrongs:
        with pytest.raises(TypeError):
            compute()
    with pytest.raises(ZeroDivisionError):
        _ = minute / 0


@given(durations)
def test_durations_read_back(duration: Duration) -> None:
    again = Duration(str(duration))
    assert again == duration
    assert again.total_nanoseconds() == duration.total_nanoseconds()
    assert hash(again) == hash(duration)
    assert pickle.loads(pickle.dumps(duration)) == duration  # noqa: S301 - our own bytes
    assert copy.deepcopy(duration) == copy.copy(duration) == duration


@given(short, short, short)
def test_sums_and_order_of_durations(a: Duration, b: Duration, c: Duration) -> None:
    assert (a + b) + c == a + (b + c)
    assert a - b == a + -b
    assert (a < b) == (a.total_nanoseconds() < b.total_nanoseconds()) == (b > a)
    assert a // b * b + a % b == a if b else True


@given(st.timedeltas(min_value=timedelta(days=-(10**5)), max_value=timedelta(days=10**5)))
def test_a_duration_equals_the_timedelta_that_it_was_made_from(delta: timedelta) -> None:
    duration = Duration(delta)
    assert duration == delta == duration
    assert hash(duration) == hash(delta)
    assert duration.total_seconds() == delta.total_seconds()
    assert (duration.days, duration.seconds, duration.microseconds) == (
        delta.days,
        delta.seconds,
        delta.microseconds,
    )
