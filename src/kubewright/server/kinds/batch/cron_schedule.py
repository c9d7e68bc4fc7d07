"""Whether a text is a cron schedule, and a name that of a time zone, with the words upstream has for it.

The grammar is that of github.com/robfig/cron/v3's standard parser: five fields, or a descriptor such as
`@daily` and `@every 1h30m`, after an optional `TZ=` or `CRON_TZ=`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.label_selectors import parse_int64

__all__ = ["schedule_error", "time_zone_error"]


class _Bounds(NamedTuple):
    low: int
    high: int
    names: Mapping[str, int] = {}


def _numbered(names: str, first: int) -> Mapping[str, int]:
    return {name: number for number, name in enumerate(names.split(), first)}


_FIELDS: Final = (
    _Bounds(0, 59),
    _Bounds(0, 23),
    _Bounds(1, 31),
    _Bounds(1, 12, _numbered("jan feb mar apr may jun jul aug sep oct nov dec", 1)),
    _Bounds(0, 6, _numbered("sun mon tue wed thu fri sat", 0)),
)
_DESCRIPTORS: Final = frozenset(
    {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
)
_EVERY: Final = "@every "
# The characters that Go's unicode.IsSpace knows; Python's str.split() knows a few more.
_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WORD: Final = re.compile(f"[^{_SPACE}]+")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")

_INT64_MAX: Final = 2**63 - 1
_DURATION_PART: Final = re.compile(r"(?P<whole>[0-9]*)(?P<point>\.?)(?P<part>[0-9]*)(?P<unit>[^0-9.]*)")
_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
"""The units of Go's durations in nanoseconds; the micro sign and the Greek letter mean the same."""


class _ScheduleError(Exception):
    """What is wrong with a schedule, for use in this module."""


def schedule_error(schedule: str) -> str:
    """What is wrong with a schedule, in upstream's words; "" for a good one. Never raises."""
    try:
        _check_schedule(schedule)
    except _ScheduleError as error:
        return str(error)
    return ""


def _check_schedule(schedule: str) -> None:
    if not schedule:
        raise _ScheduleError("empty spec string")
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        zone, space, rest = schedule.partition(" ")
        if not space:
            # Go's parser runs into a panic here, which upstream catches and tells.
            raise _ScheduleError("invalid schedule format: runtime error: slice bounds out of range [:-1]")
        name = zone.partition("=")[2]
        if wrong := time_zone_error(name):
            raise _ScheduleError(f"provided bad location {name}: {wrong}")
        words = _WORD.search(rest)
        schedule = rest[words.start() :] if words else ""
        if schedule.startswith("@"):
            schedule = re.sub(f"[{_SPACE}]+\\Z", "", schedule)
    if schedule.startswith("@"):
        _check_descriptor(schedule)
        return
    fields = _WORD.findall(schedule)
    if len(fields) != len(_FIELDS):
        raise _ScheduleError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
    for field, bounds in zip(fields, _FIELDS, strict=True):
        for part in field.split(","):
            if part and part != "*":
                _check_range(part, bounds)


def _check_range(text: str, bounds: _Bounds) -> None:
    limits, *steps = text.split("/")
    low, *highs = limits.split("-")
    if low in {"*", "?"}:
        start, end = bounds.low, bounds.high
    else:
        start = end = _number(low, bounds.names)
        if len(highs) == 1:
            end = _number(highs[0], bounds.names)
        elif highs:
            raise _ScheduleError(f"too many hyphens: {text}")
    step = 1
    if len(steps) == 1:
        step = _number(steps[0], {})
        if not highs:
            end = bounds.high
    elif steps:
        raise _ScheduleError(f"too many slashes: {text}")
    if start < bounds.low:
        raise _ScheduleError(f"beginning of range ({start}) below minimum ({bounds.low}): {text}")
    if end > bounds.high:
        raise _ScheduleError(f"end of range ({end}) above maximum ({bounds.high}): {text}")
    if start > end:
        raise _ScheduleError(f"beginning of range ({start}) beyond end of range ({end}): {text}")
    if step == 0:
        raise _ScheduleError(f"step of range should be a positive number: {text}")


def _number(text: str, names: Mapping[str, int]) -> int:
    named = names.get(text.lower())
    if named is not None:
        return named
    number = parse_int64(text)
    if number is None:
        wrong = "value out of range" if _INTEGER.fullmatch(text) else "invalid syntax"
        raise _ScheduleError(
            f"failed to parse int from {text}: strconv.Atoi: parsing {go_quote(text)}: {wrong}"
        )
    if number < 0:
        raise _ScheduleError(f"negative number ({number}) not allowed: {text}")
    return number


def _check_descriptor(descriptor: str) -> None:
    if descriptor in _DESCRIPTORS:
        return
    if not descriptor.startswith(_EVERY):
        raise _ScheduleError(f"unrecognized descriptor: {descriptor}")
    if wrong := _duration_error(descriptor[len(_EVERY) :]):
        raise _ScheduleError(f"failed to parse duration {descriptor}: {wrong}")


def _duration_error(text: str) -> str:
    """What Go's time.ParseDuration says; "" if it reads the text."""
    rest = text[1:] if text[:1] in {"+", "-"} else text
    if rest == "0":
        return ""
    bad = f"time: invalid duration {_time_quote(text)}"
    if not rest:
        return bad
    total = 0
    while rest:
        match = _DURATION_PART.match(rest)
        if match is None or not (match["whole"] or match["part"]):
            return bad
        unit = match["unit"]
        whole = parse_int64(match["whole"] or "0")
        if whole is None:
            return bad
        if not unit:
            return f"time: missing unit in duration {_time_quote(text)}"
        if unit not in _UNITS:
            return f"time: unknown unit {_time_quote(unit)} in duration {_time_quote(text)}"
        total += whole * _UNITS[unit]
        if match["part"]:
            # Digits beyond these are less than a nanosecond, of whatever unit.
            digits = match["part"][:18]
            total += int(digits) * _UNITS[unit] // 10 ** len(digits)
        if total > _INT64_MAX + (text[0] == "-"):
            return bad
        rest = rest[match.end() :]
    return ""


def _time_quote(text: str) -> str:
    """Texts in quotes as Go's package time writes them: whatever is not ASCII byte by byte."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    quoted = ""
    for byte in text.encode(errors="surrogatepass"):
        char = chr(byte)
        if char in '"\\':
            quoted += f"\\{char}"
        else:
            quoted += char if 0x20 <= byte < 0x80 else f"\\x{byte:02x}"
    return f'"{quoted}"'


def time_zone_error(name: str) -> str:
    """What is wrong with the name of a time zone; "" if there is one of that name, as Go sees it.

    Where there is no database of time zones at all, neither the system's nor the package tzdata, every name
    that could be one is taken, so that a program without it is not kept from making CronJobs.
    """
    if name in {"", "UTC", "Local"}:
        return ""
    if ".." in name or name[0] in "/\\":
        return "time: invalid location name"
    if _is_time_zone(name) or not _has_time_zones():
        return ""
    return f"unknown time zone {name}"


def _is_time_zone(name: str) -> bool:
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - few programs need it

    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


@cache
def _has_time_zones() -> bool:
    return _is_time_zone("Europe/London")
