"""The parts of timestamps and durations: `getFullYear()` and its kin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final

from kubewright.crd.cel.functions.function import Function
from kubewright.crd.cel.functions.operators import NANOS
from kubewright.crd.cel.values import CelError, Duration, Timestamp, no_such_overload
from kubewright.machinery.field_errors import go_quote

__all__ = ["FUNCTIONS"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _moment(value: Timestamp, zone: object) -> datetime:
    moment = _EPOCH + timedelta(seconds=int(value) // NANOS)
    if zone is None:
        # Upstream reads parts in UTC (cel.DefaultUTCTimeZone).
        return moment
    try:
        return moment.astimezone(_zone(zone))
    except OverflowError:
        raise CelError("timestamp overflow") from None


def _zone(name: object) -> tzinfo:
    if not isinstance(name, str):
        raise no_such_overload()
    hours, colon, minutes = name.partition(":")
    if colon:
        offset = _number(hours) * 60
        offset = offset - _number(minutes) if name.startswith("-") else offset + _number(minutes)
        if abs(offset) >= 24 * 60:
            raise CelError(f"unknown time zone {name}")
        return timezone(timedelta(minutes=offset))
    if name in {"", "UTC"}:
        return UTC
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - few expressions name a zone

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise CelError(f"unknown time zone {name}") from None


def _number(text: str) -> int:
    if text.lstrip("+-").isascii() and text.lstrip("+-").isdigit() and len(text) < 6:
        return int(text)
    raise CelError(f"strconv.Atoi: parsing {go_quote(text)}: invalid syntax")


def _part(name: str, of_moment: Callable[[datetime], int], of_duration: int = 0) -> Function:
    def read(value: object, zone: object = None) -> int:
        if isinstance(value, Timestamp):
            return of_moment(_moment(value, zone))
        if isinstance(value, Duration) and of_duration and zone is None:
            whole = abs(int(value)) // of_duration
            return -whole if value < 0 else whole
        raise no_such_overload(name, value) if zone is None else no_such_overload(name, value, zone)

    return Function(read)


def _milliseconds(value: object, zone: object = None) -> int:
    if isinstance(value, Timestamp):
        _moment(value, zone)
        return int(value) % NANOS // 1_000_000
    if isinstance(value, Duration) and zone is None:
        whole = abs(int(value)) // 1_000_000
        return -whole if value < 0 else whole
    raise no_such_overload("getMilliseconds", value)


FUNCTIONS: Final[Mapping[str, Function]] = {
    "getFullYear": _part("getFullYear", lambda moment: moment.year),
    "getMonth": _part("getMonth", lambda moment: moment.month - 1),
    "getDayOfYear": _part("getDayOfYear", lambda moment: moment.timetuple().tm_yday - 1),
    "getDayOfMonth": _part("getDayOfMonth", lambda moment: moment.day - 1),
    "getDate": _part("getDate", lambda moment: moment.day),
    "getDayOfWeek": _part("getDayOfWeek", lambda moment: moment.isoweekday() % 7),
    "getHours": _part("getHours", lambda moment: moment.hour, 3600 * NANOS),
    "getMinutes": _part("getMinutes", lambda moment: moment.minute, 60 * NANOS),
    "getSeconds": _part("getSeconds", lambda moment: moment.second, NANOS),
    "getMilliseconds": Function(_milliseconds),
}
