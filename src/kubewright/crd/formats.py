"""The string formats that a schema may name, as k8s.io/kube-openapi's strfmt checks them.

A format that is not known is no rule at all: upstream strips it, and warns when the definition is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final

from kubewright.crd.go_urls import is_request_uri
from kubewright.crd.go_values import MAX_INT64

__all__ = ["format_check", "is_known_format"]

_LABEL: Final = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_BYTE: Final = "[0-9a-fA-F]{2}"
_COLOR: Final = r"\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"


def _matches(pattern: str) -> Callable[[str], bool]:
    """The check of a format by an expression, which is compiled when it is first needed."""
    match: Callable[[str], object] | None = None

    def check(text: str) -> bool:
        nonlocal match
        if match is None:
            match = re.compile(pattern, re.ASCII).fullmatch
        return match(text) is not None

    return check


def _uuid(version: str, variant: str) -> Callable[[str], bool]:
    digit = "[0-9a-fA-F]"
    return _matches(
        f"{digit}{{8}}-?{digit}{{4}}-?{version}{digit}{{{4 - len(version)}}}-?{variant}-?{digit}{{12}}"
    )


_SHORT_NAME: Final = _matches(_LABEL)
_LONG_NAME: Final = _matches(rf"{_LABEL}(?:\.{_LABEL})*")
_CARD: Final = _matches(
    r"4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}"
)
_ISBN10: Final = _matches("[0-9]{9}X|[0-9]{10}")
_SSN: Final = _matches(r"\d{3}[- ]?\d{2}[- ]?\d{4}")
_TIME: Final = re.compile(
    r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})"
).fullmatch
_GO_DURATION: Final = _matches(r"[+-]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_GO_DURATION_TERM: Final = re.compile(r"([0-9.]+)([a-zµμ]+)").findall
_NANOSECONDS: Final = {
    "ns": 1e0, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9,
}  # fmt: skip
_DURATION_TERM: Final = re.compile(r"([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)").findall
_NON_DIGITS: Final = re.compile("[^0-9]+").sub
_BLANKS_AND_MINUS: Final = re.compile(r"[\t\n\f\r -]+").sub

_DURATION_UNITS: Final = (
    ("ns",), ("us", "µs"), ("ms",), ("s",), ("m",), ("h", "hr"), ("d",), ("w", "wk"),
)  # fmt: skip
_DURATION_PREFIXES: Final = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
"""A unit is one of the first row, or begins with one of the second: upstream's timeUnits."""

_HOSTNAME_MAX: Final = 255
_HOSTNAME_LABEL_MAX: Final = 63


def _is_date(text: str) -> bool:
    if len(text) != 10 or text[4] != "-" or text[7] != "-" or not text.isascii():
        return False
    year, month, day = text[:4], text[5:7], text[8:]
    if not (year.isdigit() and month.isdigit() and day.isdigit()):
        return False
    try:
        # Go has a year 0, a leap year; Python has not.
        date(int(year) or 2000, int(month), int(day))
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    parts = text.lower().split("t")
    if len(parts) < 2 or not _is_date(parts[0]):
        return False
    found = _TIME(parts[1])
    return found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def _nanoseconds(text: str) -> float:
    return sum(float(number) * _NANOSECONDS[unit] for number, unit in _GO_DURATION_TERM(text))


def _is_duration(text: str) -> bool:
    if _GO_DURATION(text) and _nanoseconds(text) <= MAX_INT64:
        return True
    for number, written in _DURATION_TERM(text):
        if len(number) > 19:
            return False
        unit = written.lower()
        if any(unit in names for names in _DURATION_UNITS) or unit.startswith(_DURATION_PREFIXES):
            return True
    return False


def _ipv4_bytes(text: str) -> bool:
    """Go's net.ParseIP before it refused leading zeros, which upstream still uses for IPv4."""
    parts = text.split(".")
    return len(parts) == 4 and all(
        part.isascii() and part.isdigit() and len(part.lstrip("0")) <= 3 and int(part) <= 255
        for part in parts
    )


def _ipv6_bytes(text: str, *, sloppy: bool = False) -> bool:
    head, colon, tail = text.rpartition(":")
    if colon and "." in tail:
        octets = tail.split(".")
        if not _ipv4_bytes(tail) or (not sloppy and any(len(o) > 1 and o[0] == "0" for o in octets)):
            return False
        text = f"{head}:0:0"
    if "%" in text:
        return False
    from ipaddress import AddressValueError, IPv6Address  # noqa: PLC0415 - few schemas have addresses

    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


def _is_ipv4(text: str) -> bool:
    return "." in text and (_ipv6_bytes(text, sloppy=True) if ":" in text else _ipv4_bytes(text))


def _is_ipv6(text: str) -> bool:
    return ":" in text and _ipv6_bytes(text)


def _is_cidr(text: str) -> bool:
    address, slash, bits = text.partition("/")
    if not slash or not (bits.isascii() and bits.isdigit()) or len(bits) > 7:
        return False
    if ":" in address:
        return _ipv6_bytes(address, sloppy=True) and int(bits) <= 128
    return _ipv4_bytes(address) and int(bits) <= 32


def _is_mac(text: str) -> bool:
    return _MAC(text)


_MAC: Final = _matches(
    "|".join(
        [f"{_BYTE}(?:{separator}{_BYTE}){{{count}}}" for separator in ":-" for count in (5, 7, 19)]
        + [rf"{_BYTE}{_BYTE}(?:\.{_BYTE}{_BYTE}){{{count}}}" for count in (2, 3, 9)]
        + [f"(?:{_BYTE}){{{count}}}" for count in (6, 8, 20)]
    )
)


def _is_hostname(text: str) -> bool:
    """Letters, digits and symbols of any script, with dashes within; a last label of letters only."""
    if len(text.encode()) > _HOSTNAME_MAX:
        return False
    labels = text.split(".")
    if any(len(label.encode()) > _HOSTNAME_LABEL_MAX for label in labels):
        return False
    if len(labels) == 1:
        # One letter, then perhaps a dash, then no more dashes.
        rest = text[1:].removeprefix("-")
        return bool(text) and _host_char(text[0]) and len(rest) <= 62 and all(map(_host_char, rest))
    top = labels[-1]
    return 2 <= len(top) <= 63 and all(map(_is_letter, top)) and all(map(_is_host_label, labels[:-1]))


def _is_host_label(label: str) -> bool:
    return (
        bool(label)
        and _host_char(label[0])
        and _host_char(label[-1])
        and all(char == "-" or _host_char(char) for char in label)
    )


def _host_char(char: str) -> bool:
    if char.isascii() and char.isalnum():
        return True
    from unicodedata import category  # noqa: PLC0415 - only for what is not plain

    return category(char)[0] in "LS"


def _is_letter(char: str) -> bool:
    return char.isalpha()


def _is_card(text: str) -> bool:
    digits = _NON_DIGITS("", text)
    if not _CARD(digits):
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number % 10 + 1 if number >= 10 else number
    return total % 10 == 0


def _is_isbn10(text: str) -> bool:
    digits = _BLANKS_AND_MINUS("", text)
    if not _ISBN10(digits):
        return False
    numbers = [10 if digit == "X" else int(digit) for digit in digits]
    return sum(place * number for place, number in enumerate(numbers, 1)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = _BLANKS_AND_MINUS("", text)
    if len(digits) != 13 or not (digits.isascii() and digits.isdigit()):
        return False
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits[:12]))
    return int(digits[12]) == (10 - total % 10) % 10


def _is_email(text: str) -> bool:
    from kubewright.crd.go_mail import is_address  # noqa: PLC0415 - few schemas have addresses

    return is_address(text)


_CHECKS: Final[Mapping[str, Callable[[str], bool]]] = {
    "bsonobjectid": _matches("[0-9a-fA-F]{24}"),
    "uri": is_request_uri,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "cidr": _is_cidr,
    "mac": _is_mac,
    "uuid": _uuid("", "[0-9a-fA-F]{4}"),
    "uuid3": _uuid("3", "[0-9a-fA-F]{4}"),
    "uuid4": _uuid("4", "[89abAB][0-9a-fA-F]{3}"),
    "uuid5": _uuid("5", "[89abAB][0-9a-fA-F]{3}"),
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "creditcard": _is_card,
    "ssn": lambda text: len(text) == 11 and _SSN(text),
    "hexcolor": _matches("#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matches(rf"rgb\({_COLOR},{_COLOR},{_COLOR}\)"),
    "byte": _matches("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"),
    "password": lambda _: True,
    "date": _is_date,
    "duration": _is_duration,
    "datetime": _is_date_time,
    "k8sshortname": lambda text: len(text) <= 63 and _SHORT_NAME(text),
    "k8slongname": lambda text: len(text) <= 253 and _LONG_NAME(text),
}
"""By normalized name, which has no dashes: `date-time` and `datetime` are the same."""


def is_known_format(name: str, schema_type: str) -> bool:
    """Whether a format is a rule for values of a type; the empty type stands for several or none."""
    if schema_type in {"", "string"}:
        return name.replace("-", "") in _CHECKS
    if schema_type == "integer":
        return name in {"int32", "int64"}
    return schema_type == "number" and name in {"float", "double"}


def format_check(name: str) -> Callable[[str], bool] | None:
    """What tells whether a text has the format; None for a format that is none of texts."""
    return _CHECKS.get(name.replace("-", ""))
