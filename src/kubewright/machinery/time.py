"""Times and durations as the API writes them.

A time is a `datetime.datetime` that knows its time zone. Most fields hold whole seconds (metav1.Time); a
few, such as the lease's renewTime, hold microseconds (metav1.MicroTime), and those are `MicroTime`, a
datetime that is written with them. A `Duration` (metav1.Duration) is a timedelta written as Go writes it.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Final, Self, TypeAlias, TypeVar, final, overload

import msgspec

from kubewright.machinery.errors import ParseError, quoted

__all__ = ["Duration", "MicroTime", "Time", "check_aware", "format_micro_time", "format_time", "parse_time"]

Time: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]
"""A moment of whole seconds (metav1.Time), always with a time zone: a datetime, for type checkers."""

_DatetimeT = TypeVar("_DatetimeT", bound=datetime)

_DATE: Final = r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})"
_ZONE: Final = r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"

# What Go's time.Parse takes for RFC 3339: also hours of one digit, and a comma before the fraction.
_TIME: Final = re.compile(rf"{_DATE}(?:[.,]([0-9]+))?{_ZONE}", re.ASCII)

# Go wants the six digits of the layout, and reads them as a number that may have a sign.
_MICRO_TIME: Final = re.compile(rf"{_DATE}[.,]([0-9]{{6}}|\+[0-9]{{5}}|-00000){_ZONE}", re.ASCII)

_EPOCH_YEAR: Final = 1970

_MICROSECOND: Final = 1_000
_MILLISECOND: Final = 1_000_000
_SECOND: Final = 1_000_000_000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE

_UNITS: Final = {
    "ns": 1,
    "us": _MICROSECOND,
    "\u00b5s": _MICROSECOND,  # the micro sign, which Go prints
    "\u03bcs": _MICROSECOND,  # the Greek letter, which looks the same
    "ms": _MILLISECOND,
    "s": _SECOND,
    "m": _MINUTE,
    "h": _HOUR,
}
"""Nanoseconds in each unit that Go's time.ParseDuration knows."""

_UNIT: Final = rf"({'|'.join(_UNITS)})"
_DURATION: Final = re.compile(rf"[+-]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+){_UNIT})+)", re.ASCII)
_TERM: Final = re.compile(rf"([0-9]*)(?:\.([0-9]*))?{_UNIT}", re.ASCII)

_MAX_NANOSECONDS: Final = 2**63 - 1
"""Go keeps durations as int64 nanoseconds, some 292 years."""

_NO_TIME: Final = timedelta()


def parse_time(text: str) -> datetime:
    """The moment that an RFC 3339 text names, in UTC.

    Takes what Go's time.Parse takes; a fraction is cut to microseconds. Raises ParseError for other texts,
    and for moments that a datetime cannot hold in UTC: those before the year 1 or after 9999.
    """
    match = _TIME.fullmatch(text)
    if match is None:
        raise ParseError(f"time {quoted(text)} is not RFC 3339; write it as 2006-01-02T15:04:05Z")
    fraction = match[7]
    return _moment(datetime, text, match, int(f"{fraction[:6]:0<6}") if fraction else 0)


def format_time(moment: datetime) -> str:
    """The text of a metav1.Time: UTC, whole seconds, such as 2006-01-02T15:04:05Z; fractions are cut off.

    Raises ParseError for a datetime without a time zone.
    """
    if moment.tzinfo is UTC and moment.year > _EPOCH_YEAR:
        # Without the fraction, which a float rounds at the end of time.
        return _text_of(int(moment.replace(microsecond=0).timestamp()))
    return _in_utc(moment).isoformat(timespec="seconds")[:19] + "Z"


@lru_cache(64)
def _text_of(second: int) -> str:
    # A server writes the present second into each object, and spelling it takes as long as encoding it.
    return datetime.fromtimestamp(second, UTC).isoformat()[:19] + "Z"


def format_micro_time(moment: datetime) -> str:
    """The text of a metav1.MicroTime: UTC, always six digits, such as 2006-01-02T15:04:05.000000Z.

    Raises ParseError for a datetime without a time zone.
    """
    return _in_utc(moment).isoformat(timespec="microseconds")[:26] + "Z"


class MicroTime(datetime):
    """A datetime that the API writes with microseconds (metav1.MicroTime), such as a lease's renewTime.

    Made with `MicroTime.now(UTC)`, `MicroTime.of(moment)` or `MicroTime.parse(text)`. Sums with timedeltas,
    `replace` and `astimezone` give a MicroTime again; differences give a timedelta.
    """

    __slots__ = ()

    # The stubs of datetime let a subclass be subtracted from nothing but itself; the code takes any datetime.
    @overload  # type: ignore[override]
    def __sub__(self, other: datetime, /) -> timedelta: ...
    @overload
    def __sub__(self, other: timedelta, /) -> Self: ...
    def __sub__(self, other: datetime | timedelta, /) -> timedelta | Self:
        difference: timedelta | Self = super().__sub__(other)  # type: ignore[operator]
        return difference

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """The same moment as a MicroTime. Raises ParseError for a datetime without a time zone."""
        check_aware(moment)
        if isinstance(moment, cls):
            return moment
        # Not cls.combine(), which forgets the fold of subclasses: the hour that comes twice in autumn.
        return cls(
            moment.year,
            moment.month,
            moment.day,
            moment.hour,
            moment.minute,
            moment.second,
            moment.microsecond,
            moment.tzinfo,
            fold=moment.fold,
        )

    @classmethod
    def parse(cls, text: str) -> Self:
        """The moment that an RFC 3339 text with exactly six digits of fraction names, in UTC.

        Takes what upstream takes for a MicroTime. Raises ParseError for other texts.
        """
        match = _MICRO_TIME.fullmatch(text)
        if match is None:
            raise ParseError(
                f"time {quoted(text)} is not RFC 3339 with six digits of fraction; "
                "write it as 2006-01-02T15:04:05.000000Z"
            )
        return _moment(cls, text, match, int(match[7]))


def _moment(kind: type[_DatetimeT], text: str, match: re.Match[str], microsecond: int) -> _DatetimeT:
    year, month, day, hour, minute, second, _, sign, zone_hours, zone_minutes = match.groups("0")
    hours, minutes = int(zone_hours), int(zone_minutes)
    # Go allows offsets of 24 hours and 60 minutes, because people write them.
    if hours > 24 or minutes > 60:
        raise ParseError(
            f"time {quoted(text)} has no possible time zone; write an offset such as +02:00 or Z"
        )
    try:
        moment = kind(int(year), int(month), int(day), int(hour), int(minute), int(second), microsecond, UTC)
        offset = timedelta(hours=hours, minutes=minutes)
        return moment + offset if sign == "-" else moment - offset
    except OverflowError:
        raise ParseError(f"time {quoted(text)} is outside the years 1 to 9999 in UTC") from None
    except ValueError as error:
        raise ParseError(f"time {quoted(text)} names no moment: {error}") from None


def check_aware(moment: datetime) -> None:
    if moment.utcoffset() is None:
        raise ParseError(
            f"time {moment.isoformat()} has no time zone; use datetime.now(UTC) or give it tzinfo=UTC"
        )


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is UTC:
        return moment
    check_aware(moment)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ParseError(f"time {moment.isoformat()} is outside the years 1 to 9999 in UTC") from None


@final
class Duration(timedelta):
    """A length of time, as upstream's metav1.Duration: `Duration("1h30m")`, `Duration(seconds=5)`.

    `str()` is Go's text for it: "1h30m0s", "1.5s", "100ms", "0s". Immutable and hashable.

    It is exact to the nanosecond, where a timedelta ends at the microsecond: comparing, hashing and
    arithmetic with timedeltas and numbers count nanoseconds and give a Duration again, and
    `total_nanoseconds()` is all of it. What sees only the timedelta (its `microseconds`, or adding it to a
    datetime) gets it rounded down to microseconds. Products and quotients round to the nearest nanosecond.

    Raises ParseError for texts that Go's time.ParseDuration does not take, and OverflowError when the result
    is past the 292 years that Go's int64 of nanoseconds can hold.
    """

    __slots__ = ("_nanoseconds",)
    _nanoseconds: int

    def __new__(
        cls,
        value: str | timedelta = _NO_TIME,
        *,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
        milliseconds: float = 0,
        microseconds: float = 0,
        nanoseconds: int = 0,
    ) -> Duration:
        nanos = _read(value)
        given = (hours, minutes, seconds, milliseconds, microseconds, nanoseconds)
        if any(given):
            units = (_HOUR, _MINUTE, _SECOND, _MILLISECOND, _MICROSECOND, 1)
            nanos += sum(round(Fraction(amount) * unit) for amount, unit in zip(given, units, strict=True))
        return cls._of(nanos)

    @classmethod
    def parse(cls, text: str) -> Duration:
        """The duration that Go's text for it names. Raises ParseError."""
        return cls._of(_parse_duration(text))

    @classmethod
    def _of(cls, nanoseconds: int) -> Duration:
        if not -_MAX_NANOSECONDS - 1 <= nanoseconds <= _MAX_NANOSECONDS:
            raise OverflowError("the duration is past 292 years, the most that int64 nanoseconds can hold")
        made = super().__new__(cls, microseconds=nanoseconds // _MICROSECOND)
        made._nanoseconds = nanoseconds
        return made

    def total_nanoseconds(self) -> int:
        """The whole duration in nanoseconds, exactly."""
        return self._nanoseconds

    def total_seconds(self) -> float:
        """The whole duration in seconds."""
        return self._nanoseconds / _SECOND

    def __str__(self) -> str:
        return _duration_text(self._nanoseconds)

    def __repr__(self) -> str:
        return f"Duration({str(self)!r})"

    def __reduce__(self) -> tuple[type[Duration], tuple[str]]:
        return Duration, (str(self),)

    def __bool__(self) -> bool:
        return self._nanoseconds != 0

    def __hash__(self) -> int:
        return hash(self._nanoseconds) if self._nanoseconds % _MICROSECOND else super().__hash__()

    def __eq__(self, other: object) -> bool:
        return self._nanoseconds == _nanoseconds_of(other) if isinstance(other, timedelta) else NotImplemented

    def __ne__(self, other: object) -> bool:
        # A timedelta has its own, which would not come to __eq__.
        return self._nanoseconds != _nanoseconds_of(other) if isinstance(other, timedelta) else NotImplemented

    def __lt__(self, other: timedelta) -> bool:
        if not isinstance(other, timedelta):
            return NotImplemented
        return self._nanoseconds < _nanoseconds_of(other)

    def __le__(self, other: timedelta) -> bool:
        if not isinstance(other, timedelta):
            return NotImplemented
        return self._nanoseconds <= _nanoseconds_of(other)

    def __gt__(self, other: timedelta) -> bool:
        if not isinstance(other, timedelta):
            return NotImplemented
        return self._nanoseconds > _nanoseconds_of(other)

    def __ge__(self, other: timedelta) -> bool:
        if not isinstance(other, timedelta):
            return NotImplemented
        return self._nanoseconds >= _nanoseconds_of(other)

    def __add__(self, other: timedelta) -> Duration:
        if not isinstance(other, timedelta):
            return NotImplemented
        return self._of(self._nanoseconds + _nanoseconds_of(other))

    __radd__ = __add__

    def __sub__(self, other: timedelta) -> Duration:
        if not isinstance(other, timedelta):
            return NotImplemented
        return self._of(self._nanoseconds - _nanoseconds_of(other))

    def __rsub__(self, other: timedelta) -> Duration:
        if not isinstance(other, timedelta):
            return NotImplemented
        return self._of(_nanoseconds_of(other) - self._nanoseconds)

    def __neg__(self) -> Duration:
        return self._of(-self._nanoseconds)

    def __pos__(self) -> Duration:
        return self

    def __abs__(self) -> Duration:
        return self._of(abs(self._nanoseconds))

    def __mul__(self, factor: float) -> Duration:
        if not isinstance(factor, int | float):
            return NotImplemented
        return self._of(round(self._nanoseconds * Fraction(factor)))

    __rmul__ = __mul__

    @overload
    def __truediv__(self, divisor: timedelta) -> float: ...
    @overload
    def __truediv__(self, divisor: float) -> Duration: ...
    def __truediv__(self, divisor: timedelta | float) -> float | Duration:
        if isinstance(divisor, timedelta):
            return self._nanoseconds / _nanoseconds_of(divisor)
        if not isinstance(divisor, int | float):
            return NotImplemented
        return self._of(round(self._nanoseconds / Fraction(divisor)))

    @overload
    def __floordiv__(self, divisor: timedelta) -> int: ...
    @overload
    def __floordiv__(self, divisor: int) -> Duration: ...
    def __floordiv__(self, divisor: timedelta | int) -> int | Duration:
        if isinstance(divisor, timedelta):
            return self._nanoseconds // _nanoseconds_of(divisor)
        if not isinstance(divisor, int):
            return NotImplemented
        return self._of(self._nanoseconds // divisor)

    def __mod__(self, divisor: timedelta) -> Duration:
        if not isinstance(divisor, timedelta):
            return NotImplemented
        return self._of(self._nanoseconds % _nanoseconds_of(divisor))

    def __divmod__(self, divisor: timedelta) -> tuple[int, Duration]:
        if not isinstance(divisor, timedelta):
            return NotImplemented
        return self // divisor, self % divisor


def _read(value: object) -> int:
    if isinstance(value, str):
        return _parse_duration(value)
    if isinstance(value, timedelta):
        return _nanoseconds_of(value)
    kind = type(value).__name__
    raise TypeError(f"a duration is made from a str, a timedelta or keywords, not from a {kind}")


def _nanoseconds_of(value: timedelta) -> int:
    if isinstance(value, Duration):
        return value._nanoseconds
    return (value.days * 86400 + value.seconds) * _SECOND + value.microseconds * _MICROSECOND


def _parse_duration(text: str) -> int:
    if _DURATION.fullmatch(text) is None:
        units = ", ".join(_UNITS)
        raise ParseError(f"duration {quoted(text)} is not Go's; write numbers with {units}, such as 1h30m")
    total = sum(_term(whole, fraction, _UNITS[unit]) for whole, fraction, unit in _TERM.findall(text))
    negative = text.startswith("-")
    if total > _MAX_NANOSECONDS + negative:
        raise ParseError(
            f"duration {quoted(text)} is past 292 years, the most that int64 nanoseconds can hold"
        )
    return -total if negative else total


def _term(whole: str, fraction: str, unit: int) -> int:
    """The nanoseconds of one number with its unit, to the bit as Go has them: fractions go through floats."""
    digits = whole.lstrip("0")
    # Twenty digits are past int64 in any unit; a million would keep int() busy.
    nanos = int(digits or "0") * unit if len(digits) < 20 else _MAX_NANOSECONDS + 2
    numerator, scale = 0, 1.0
    for digit in fraction:
        longer = numerator * 10 + int(digit)
        if longer > _MAX_NANOSECONDS + 1:
            break
        numerator = longer
        scale *= 10
    return nanos + int(numerator * (unit / scale))


def _duration_text(nanos: int) -> str:
    sign, size = ("-", -nanos) if nanos < 0 else ("", nanos)
    if size < _MICROSECOND:
        return f"{sign}{size}ns" if size else "0s"
    if size < _MILLISECOND:
        return f"{sign}{_decimal(size, 3)}\u00b5s"
    if size < _SECOND:
        return f"{sign}{_decimal(size, 6)}ms"
    minutes, rest = divmod(size, _MINUTE)
    seconds = f"{_decimal(rest, 9)}s"
    if not minutes:
        return f"{sign}{seconds}"
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}h{minutes}m{seconds}" if hours else f"{sign}{minutes}m{seconds}"


def _decimal(value: int, places: int) -> str:
    """value / 10**places without zeros at its end, nor a point when nothing follows it."""
    whole, fraction = divmod(value, 10**places)
    return f"{whole}.{fraction:0{places}}".rstrip("0") if fraction else str(whole)
