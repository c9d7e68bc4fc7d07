"""CEL's conversions between types, and the texts of times, durations and numbers, as Go writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from kubewright.crd.cel.functions.function import Function, ceil_tenths
from kubewright.crd.cel.functions.operators import (
    MAX_INT,
    MAX_TIME,
    MAX_UINT,
    MIN_INT,
    MIN_TIME,
    NANOS,
    checked_int,
    checked_timestamp,
    checked_uint,
)
from kubewright.crd.cel.values import (
    CelError,
    Duration,
    Timestamp,
    TypeValue,
    Uint,
    no_such_overload,
    size_of,
    type_name,
)
from kubewright.machinery.errors import ParseError
from kubewright.machinery.time import Duration as GoDuration

__all__ = ["FUNCTIONS", "double_text", "duration_text", "parse_timestamp", "timestamp_text"]

_TIMESTAMP: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)", re.ASCII
).fullmatch
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def parse_timestamp(text: str) -> Timestamp | None:
    """The moment that a text of RFC 3339 names, or None if it is none."""
    match = _TIMESTAMP(text)
    if match is None:
        return None
    *numbers, fraction, zone = match.groups()
    year, month, day, hour, minute, second = map(int, numbers)
    offset = 0
    if zone != "Z":
        hours, minutes = int(zone[1:3]), int(zone[4:6])
        if hours > 24 or minutes > 60:
            return None
        offset = (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)
    if year == 0:
        return None
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    seconds = (moment - _EPOCH) // timedelta(seconds=1) - offset
    return Timestamp(seconds * NANOS + int((fraction or "")[:9].ljust(9, "0")), offset)


def timestamp_text(value: Timestamp) -> str:
    """RFC 3339 with the digits of the second that are needed, in the zone that the time was written in."""
    seconds, nanos = divmod(int(value), NANOS)
    moment = _EPOCH + timedelta(seconds=seconds + value.offset)
    fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
    if value.offset:
        minutes = abs(value.offset) // 60
        zone = f"{'-' if value.offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
    else:
        zone = "Z"
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}{fraction}{zone}"


def duration_text(value: Duration) -> str:
    """The seconds, without an exponent: 5400s, 0.5s."""
    seconds, nanos = divmod(abs(int(value)), NANOS)
    number = float(seconds) + float(nanos) / 1e9
    return f"{format(Decimal(repr(math.copysign(number, int(value)))).normalize(), 'f')}s" if value else "0s"


def double_text(value: float) -> str:
    """A double as Go's %g prints it: 1.5, 1e+06, +Inf."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    power = len(digits) + int(exponent) - 1
    if -4 <= power < 6:
        return format(Decimal(repr(value)).normalize(), "f")
    mantissa = str(digits[0]) + ("." + "".join(map(str, digits[1:])) if len(digits) > 1 else "")
    return f"{'-' if sign else ''}{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _cannot(value: object, to: str) -> CelError:
    return CelError(f"type conversion error from '{type_name(value)}' to '{to}'")


_INT: Final = re.compile(r"[+-]?\d{1,30}", re.ASCII).fullmatch
_UINT: Final = re.compile(r"\d{1,30}", re.ASCII).fullmatch


def to_int(value: object) -> int:
    """`int(value)`."""
    kind = type(value)
    if kind is int:
        return value  # type: ignore[return-value] # an int
    if isinstance(value, Uint):
        return checked_int(int(value))
    if isinstance(value, float):
        # Go's conversion of the largest float below 2**63 is exact, of the next one is not.
        if math.isnan(value) or not MIN_INT < value < MAX_INT:
            raise CelError("integer overflow")
        return int(value)
    if isinstance(value, str):
        if _INT(value) and MIN_INT <= int(value) <= MAX_INT:
            return int(value)
        raise _cannot(value, "int")
    if isinstance(value, Timestamp):
        return int(value) // NANOS
    if isinstance(value, Duration):
        return int(value)
    raise no_such_overload("int", value)


def to_uint(value: object) -> Uint:
    """`uint(value)`."""
    if isinstance(value, Uint):
        return value
    if type(value) is int:
        return checked_uint(value)
    if isinstance(value, float):
        if math.isnan(value) or not 0 <= value < MAX_UINT:
            raise CelError("unsigned integer overflow")
        return Uint(int(value))
    if isinstance(value, str):
        if _UINT(value) and int(value) <= MAX_UINT:
            return Uint(int(value))
        raise _cannot(value, "uint")
    raise no_such_overload("uint", value)


_DOUBLE: Final = re.compile(
    r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN])",
    re.ASCII,
).fullmatch


def to_double(value: object) -> float:
    """`double(value)`."""
    if isinstance(value, float):
        return value
    if type(value) is int or isinstance(value, Uint):
        return float(value)
    if isinstance(value, str):
        if _DOUBLE(value):
            number = float(value)
            if not math.isinf(number) or "n" in value.lower():
                return number
        raise _cannot(value, "double")
    raise no_such_overload("double", value)


def to_string(value: object) -> str:
    """`string(value)`."""
    if isinstance(value, str):
        return value
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int or isinstance(value, Uint):
        return str(int(value))
    if isinstance(value, float):
        return double_text(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None
    if isinstance(value, Timestamp):
        return timestamp_text(value)
    if isinstance(value, Duration):
        return duration_text(value)
    text = getattr(value, "cel_text", None)
    if isinstance(text, str):
        return text
    raise no_such_overload("string", value)


def to_bytes(value: object) -> bytes:
    """`bytes(value)`."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode(errors="surrogatepass")
    raise no_such_overload("bytes", value)


_BOOLS: Final = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}


def to_bool(value: object) -> bool:
    """`bool(value)`."""
    if type(value) is bool:
        return value
    if isinstance(value, str):
        if value in _BOOLS:
            return _BOOLS[value]
        raise _cannot(value, "bool")
    raise no_such_overload("bool", value)


def to_timestamp(value: object) -> Timestamp:
    """`timestamp(value)`."""
    if isinstance(value, Timestamp):
        return value
    if type(value) is int:
        return checked_timestamp(value * NANOS)
    if isinstance(value, str):
        moment = parse_timestamp(value)
        if moment is None:
            raise _cannot(value, "google.protobuf.Timestamp")
        if not MIN_TIME <= moment <= MAX_TIME:
            raise CelError("timestamp overflow")
        return moment
    raise no_such_overload("timestamp", value)


def to_duration(value: object) -> Duration:
    """`duration(value)`."""
    if isinstance(value, Duration):
        return value
    if type(value) is int:
        raise _cannot(value, "google.protobuf.Duration")
    if isinstance(value, str):
        try:
            return Duration(GoDuration.parse(value).total_nanoseconds())
        except (ParseError, OverflowError):
            raise _cannot(value, "google.protobuf.Duration") from None
    raise no_such_overload("duration", value)


def _to_bytes_cost(args: Sequence[object], _result: object) -> int:
    first = args[0]
    return ceil_tenths(size_of(first)) if isinstance(first, str | bytes) else 1


def _to_string_cost(args: Sequence[object], _result: object) -> int:
    first = args[0]
    return ceil_tenths(size_of(first)) if isinstance(first, bytes) else 1


FUNCTIONS: Final[Mapping[str, Function]] = {
    "int": Function(to_int),
    "uint": Function(to_uint),
    "double": Function(to_double),
    "string": Function(to_string, _to_string_cost),
    "bytes": Function(to_bytes, _to_bytes_cost),
    "bool": Function(to_bool),
    "timestamp": Function(to_timestamp),
    "duration": Function(to_duration),
    "dyn": Function(lambda value: value),
    "type": Function(lambda value: TypeValue(type_name(value))),
}
