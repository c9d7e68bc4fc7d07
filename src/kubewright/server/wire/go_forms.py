"""Values that are more than JSON says, as Go's types read and write them: times, quantities, base64.

Every function takes text and gives the text that Go writes for it. Raises ParseError with Go's own words.
"""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.time import MicroTime, format_micro_time, format_time, parse_time

__all__ = ["canonical_micro_time", "canonical_quantity", "canonical_time", "decode_base64"]

_RFC3339: Final = "2006-01-02T15:04:05Z07:00"
_RFC3339_MICRO: Final = "2006-01-02T15:04:05.000000Z07:00"

_SUFFIX: Final = re.compile(r"[+-]?[0-9]*(?:\.[0-9]*)?([eEinumkKMGTP]*[+-]?[0-9]*)", re.ASCII)

_FORMAT_WRONG: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_SUFFIXES: Final = frozenset(
    {"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
)
_EXPONENT: Final = re.compile(r"[eE][+-]?[0-9]{1,18}", re.ASCII)
_BAD_BASE64: Final = re.compile(rb"[^A-Za-z0-9+/=\r\n]")


def canonical_quantity(text: str) -> str:
    """What Go writes for a quantity: "1000m" is "1"."""
    try:
        return str(Quantity(text))
    except ParseError as error:
        raise ParseError(_quantity_error(text.strip(" \t\n\v\f\r\x85\xa0")) or str(error)) from None


def _quantity_error(text: str) -> str:
    match = _SUFFIX.fullmatch(text)
    if not text or match is None:
        return _FORMAT_WRONG
    suffix = match[1]
    if suffix not in _SUFFIXES and not _EXPONENT.fullmatch(suffix):
        return "unable to parse quantity's suffix"
    has_digits = any(char.isdigit() for char in text[: match.start(1)])
    return "" if has_digits else "unable to parse numeric part of quantity"


def canonical_time(text: str) -> str:
    """What Go writes for a metav1.Time; "" for the zero time, which is null in JSON."""
    try:
        written = format_time(moment := parse_time(text))
    except ParseError as error:
        raise ParseError(_time_error(text, _RFC3339) or str(error)) from None
    return "" if written == "0001-01-01T00:00:00Z" and not moment.microsecond else written


def canonical_micro_time(text: str) -> str:
    """What Go writes for a metav1.MicroTime; "" for the zero time."""
    try:
        written = format_micro_time(MicroTime.parse(text))
    except ParseError as error:
        raise ParseError(_time_error(text, _RFC3339_MICRO) or str(error)) from None
    return "" if written == "0001-01-01T00:00:00.000000Z" else written


class _Bad(Exception):
    """What is left of a time's text does not fit the element of the layout."""


def _time_error(text: str, layout: str) -> str:
    """What Go's time.Parse says, or nothing when it has no objection."""
    rest, elements = text, ["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05"]
    if layout == _RFC3339_MICRO:
        elements.append(".000000")
    numbers: dict[str, int] = {}
    problem = ""
    for element in [*elements, "Z07:00"]:
        try:
            after, problem = _take(element, rest, numbers, layout)
        except _Bad:
            cannot = f"cannot parse {_quote(rest)} as {_quote(element)}"
            return f"parsing time {_quote(text)} as {_quote(layout)}: {cannot}"
        if problem:
            return f"parsing time {_quote(text)}: {problem} out of range"
        rest = after
    if rest:
        return f"parsing time {_quote(text)}: extra text: {_quote(rest)}"
    year, month = numbers["2006"], numbers["01"]
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = 28 + leap if month == 2 else 30 + (month in {1, 3, 5, 7, 8, 10, 12})
    return f"parsing time {_quote(text)}: day out of range" if not 1 <= numbers["02"] <= days else ""


_RANGES: Final = {
    "01": ("month", 1, 12),
    "15": ("hour", 0, 23),
    "04": ("minute", 0, 59),
    "05": ("second", 0, 59),
}


def _take(element: str, rest: str, numbers: dict[str, int], layout: str) -> tuple[str, str]:
    """What is left after an element of the layout, and what is out of range. Raises _Bad."""
    if element in {"-", "T", ":"}:
        if not rest.startswith(element):
            raise _Bad
        return rest[1:], ""
    if element == "Z07:00":
        return _take_zone(rest)
    if element == ".000000":
        if len(rest.encode()) < 7 or rest[0] not in ".,":
            raise _Bad
        digits = rest[1:7]
        if not re.fullmatch(r"[+-]?[0-9]*", digits, re.ASCII):
            raise _Bad
        return rest[7:], "fractional second" if digits[0] == "-" and int(digits[1:] or "0") else ""
    if element == "2006":
        if not re.match(r"[0-9]{4}", rest, re.ASCII):
            raise _Bad
        numbers[element] = int(rest[:4])
        return rest[4:], ""
    match = re.match(r"[0-9]{2}" if element != "15" else r"[0-9]{1,2}", rest, re.ASCII)
    if match is None:
        raise _Bad
    number = numbers[element] = int(match[0])
    rest = rest[match.end() :]
    name, low, high = _RANGES.get(element, ("", 0, 99))
    if not low <= number <= high:
        return rest, name
    if element == "05" and layout == _RFC3339:
        fraction = re.match(r"[.,][0-9]+", rest, re.ASCII)
        rest = rest[fraction.end() :] if fraction else rest
    return rest, ""


def _take_zone(rest: str) -> tuple[str, str]:
    if rest.startswith("Z"):
        return rest[1:], ""
    if len(rest.encode()) < 6 or rest[3:4] != ":":
        raise _Bad
    hours, minutes = rest[1:3], rest[4:6]
    known = re.fullmatch(r"[0-9]{2}", hours, re.ASCII)
    # Go tells what is out of range before what is no number, so the minutes' digits come after the hours.
    if known and int(hours) > 24:
        return rest[6:], "time zone offset hour"
    if known and re.fullmatch(r"[0-9]{2}", minutes, re.ASCII):
        if int(minutes) > 60:
            return rest[6:], "time zone offset minute"
        if rest[0] in "+-":
            return rest[6:], ""
    raise _Bad


def _quote(text: str) -> str:
    """Text as Go's time package quotes it: every byte that is not ASCII on its own."""
    shown = []
    for char in text:
        if " " <= char <= "\x7f":
            shown.append("\\" + char if char in '"\\' else char)
        else:
            shown += [f"\\x{byte:02x}" for byte in char.encode()]
    return f'"{"".join(shown)}"'


def decode_base64(text: str) -> bytes:
    """The bytes that text stands for; line ends in it do not count, as in Go."""
    data = text.encode()
    clean = data.replace(b"\r", b"").replace(b"\n", b"") if b"\r" in data or b"\n" in data else data
    try:
        if not _BAD_BASE64.search(clean) and _padded(clean):
            return b64decode(clean)
    except ValueError:
        pass
    raise ParseError(f"illegal base64 data at input byte {_corrupt(data)}")


def _padded(data: bytes) -> bool:
    body = data.rstrip(b"=")
    return b"=" not in body and len(data) % 4 == 0 and len(data) - len(body) <= 2


def _corrupt(data: bytes) -> int:
    """The place that Go names in base64 that is wrong."""
    pos, size = 0, len(data)
    while True:
        have = 0
        while have < 4:
            if pos == size:
                return pos - have
            byte = data[pos]
            pos += 1
            if byte in b"\r\n":
                continue
            if byte != 0x3D:
                if _BAD_BASE64.match(bytes((byte,))):
                    return pos - 1
                have += 1
                continue
            if have < 2:
                return pos - 1
            pos = _skip_line_ends(data, pos)
            if have == 2:
                if pos == size:
                    return size
                if data[pos] != 0x3D:
                    return pos - 1
                pos = _skip_line_ends(data, pos + 1)
            return pos


def _skip_line_ends(data: bytes, pos: int) -> int:
    while pos < len(data) and data[pos] in b"\r\n":
        pos += 1
    return pos
