"""Messages whose JSON form is not the object of their fields: times, durations, quantities, numbers or texts.

For each there is the message as upstream defines it, what makes its JSON form from the fields read, and what
makes the fields from the JSON form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from kubewright.machinery.errors import ParseError
from kubewright.machinery.protobuf.wire import Malformed, quote
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.time import Duration, MicroTime, parse_time

__all__ = ["FORM_DEFINITIONS", "VALUE_FORMS", "ValueForm"]

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC throughout; naive datetimes are formatted faster
_EPOCH_UTC: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ZERO_TIME: Final = datetime(1, 1, 1)  # noqa: DTZ001 - as above
"""Go's zero time, which is null in JSON."""

_INT32: Final = range(-(2**31), 2**31)


class ValueForm(NamedTuple):
    """How one message and its JSON form are made from each other."""

    message: str
    to_json: Callable[[dict[str, Any]], object]
    """From the fields that were on the wire. Raises Malformed."""
    from_json: Callable[[object], dict[str, object]]
    """The fields to write. Raises Malformed."""


def _moment(fields: Mapping[str, Any], microseconds: int) -> datetime | None:
    try:
        moment = _EPOCH + timedelta(seconds=fields.get("seconds", 0), microseconds=microseconds)
    except OverflowError:
        raise Malformed(
            f"{fields.get('seconds', 0)} seconds since 1970 are outside the years 1 to 9999"
        ) from None
    return None if moment == _ZERO_TIME else moment


def _time(fields: dict[str, Any]) -> str | None:
    # An empty message is the zero time. Nanoseconds are left aside as upstream does: JSON never had them.
    moment = _moment(fields, 0) if fields else None
    return None if moment is None else f"{moment.isoformat()}Z"


def _micro_time(fields: dict[str, Any]) -> str | None:
    nanos = fields.get("nanos", 0)
    micros = nanos // 1000 if nanos >= 0 else -(-nanos // 1000)
    moment = _moment(fields, micros) if fields else None
    return None if moment is None else f"{moment.isoformat(timespec='microseconds')}Z"


def _timestamp(parse: Callable[[str], datetime], value: object) -> dict[str, object]:
    if not isinstance(value, str):
        raise Malformed(f"{quote(value)} is no time; write it as '2006-01-02T15:04:05Z'")
    since = _parsed(parse, value) - _EPOCH_UTC
    if since == _ZERO_TIME - _EPOCH:
        return {}
    return {"seconds": since.days * 86400 + since.seconds, "nanos": since.microseconds * 1000}


def _time_fields(value: object) -> dict[str, object]:
    fields = _timestamp(parse_time, value)
    return fields | {"nanos": 0} if fields else fields


def _micro_time_fields(value: object) -> dict[str, object]:
    return _timestamp(MicroTime.parse, value)


def _duration(fields: dict[str, Any]) -> str:
    return str(Duration(nanoseconds=fields.get("duration", 0)))


def _duration_fields(value: object) -> dict[str, object]:
    if not isinstance(value, str):
        raise Malformed(f"{quote(value)} is no duration; write it as '1h30m'")
    return {"duration": _parsed(Duration.parse, value).total_nanoseconds()}


def _quantity(fields: dict[str, Any]) -> str:
    text: str | None = fields.get("string")
    # Nothing at all is zero, but an empty text is no quantity: so upstream.
    return "0" if text is None else str(_parsed(Quantity, text))


def _quantity_fields(value: object) -> dict[str, object]:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise Malformed(f"{quote(value)} is no quantity; write it as '500m' or '1Gi'")
    return {"string": str(_parsed(Quantity, value))}


def _int_or_string(fields: dict[str, Any]) -> int | str:
    kind = fields.get("type", 0)
    if kind not in (0, 1):
        raise Malformed(f"an IntOrString of type {kind}; 0 is a number and 1 a text")
    found: int | str = fields.get("strVal", "") if kind else fields.get("intVal", 0)
    return found


def _int_or_string_fields(value: object) -> dict[str, object]:
    if isinstance(value, str):
        return {"type": 1, "intVal": 0, "strVal": value}
    if isinstance(value, int) and not isinstance(value, bool) and value in _INT32:
        return {"type": 0, "intVal": value, "strVal": ""}
    raise Malformed(f"{quote(value)} is neither a text nor a number of 32 bits")


def _parsed(parse: Callable[[Any], Any], value: object) -> Any:
    try:
        return parse(value)
    except ParseError as error:
        raise Malformed(str(error)) from None


FORM_DEFINITIONS: Final = {
    "Timestamp": "1 seconds int64\n2 nanos int32",
    "Duration": "1 duration int64",
    "Quantity": "1 string string",
    "IntOrString": "1 type int64\n2 intVal int32\n3 strVal string",
}

VALUE_FORMS: Final[Mapping[str, ValueForm]] = {
    "Time": ValueForm("Timestamp", _time, _time_fields),
    "MicroTime": ValueForm("Timestamp", _micro_time, _micro_time_fields),
    "Duration": ValueForm("Duration", _duration, _duration_fields),
    "Quantity": ValueForm("Quantity", _quantity, _quantity_fields),
    "IntOrString": ValueForm("IntOrString", _int_or_string, _int_or_string_fields),
}
