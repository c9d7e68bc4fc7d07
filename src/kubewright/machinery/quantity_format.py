"""How quantities are written: text to a count of nanos, and back to the canonical text.

Every value that a quantity can hold is a whole number of nanos (parsing rounds finer ones up), so plain
integers carry it exactly. `Quantity` is built on these functions; programs use `Quantity`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, Literal, TypeAlias, get_args

from kubewright.machinery.errors import ParseError, quoted

__all__ = [
    "NANOS",
    "Format",
    "canonical_text",
    "check_format",
    "divide_away_from_zero",
    "fits",
    "is_plain",
    "keeps_text",
    "multiply",
    "parse_text",
]

Format: TypeAlias = Literal["DecimalSI", "BinarySI", "DecimalExponent"]
"""The three ways to write a quantity: 12M, 12Mi and 12e6."""

NANOS: Final = 10**9
"""Nanos in one; nano is the finest suffix, and upstream rounds finer values up to it."""

_NANO: Final = -9

_MAX_INTEGER_DIGITS: Final = 400
"""Values below 1e400: more than a JSON number (a float64) can say, and so few digits that printing and
reading stay below 640, the lowest limit that Python lets anybody set for converting text to integers."""

_LIMIT: Final = 10**_MAX_INTEGER_DIGITS * NANOS

_MAX_TEXT: Final = 512
"""Longer than any text that a value below the limit prints to."""

_MAX_EXPONENT: Final = 2**31 - 1
"""Upstream keeps exponents as int32, and silently wraps larger ones."""

_MAX_BINARY: Final = (2**63 - 1) * NANOS
"""Upstream's cap for what is written with a binary suffix: the largest int64."""

_MAX_FAST_DIGITS: Final = 18
"""Decimal digits that always fit an int64; upstream reads only so many on the path that keeps the text."""

_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIXES: Final = {power: suffix for suffix, power in _DECIMAL.items()}
_BINARY_SUFFIXES: Final = ("", *_BINARY)
_SUFFIXES: Final = ", ".join([*filter(None, _DECIMAL), *_BINARY])

# The everyday forms, small enough that reading the number can wait until somebody wants it.
_PLAIN: Final = re.compile(
    r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[numkMGTPE]|[KMGTPE]i)?", re.ASCII
)
is_plain: Final = _PLAIN.fullmatch
"""Matches text that `parse_text` certainly accepts; other text may be right as well."""

# Matches everything, and never goes back: what is wrong ends up in the last group.
_PARTS: Final = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(.*)", re.ASCII | re.DOTALL)
_EXPONENT: Final = re.compile(r"[eE]([+-]?[0-9]+)", re.ASCII)


def parse_text(text: str) -> tuple[int, Format]:
    """The nanos and the format that a quantity's text stands for.

    Agrees with upstream's ParseQuantity: finer values than nanos round away from zero, what has a binary
    suffix is capped at the largest int64, and becomes DecimalSI when it is a fraction of one. Raises
    ParseError for anything else, and for values of 1e400 and more, which upstream takes.
    """
    if not text:
        raise ParseError("quantity '' is empty; write a number such as 2, 100m, 1.5Gi or 1e3")
    if len(text) > _MAX_TEXT:
        raise ParseError(f"quantity {quoted(text)} is longer than {_MAX_TEXT} characters")
    sign, whole, fraction, power, form = _split(text)
    digits = whole + fraction
    if not digits and not _may_lack_digits(power, form):
        raise ParseError(f"quantity {quoted(text)} has no digits; write a number such as 1Gi")
    if form == "BinarySI":
        nanos, form = _binary_nanos(digits, len(fraction), power)
    else:
        nanos = _decimal_nanos(digits, power - len(fraction) - _NANO)
    if not fits(nanos):
        raise ParseError(f"quantity {quoted(text)} is 1e{_MAX_INTEGER_DIGITS} or more, which is too large")
    return (-nanos if sign == "-" else nanos), form


def keeps_text(text: str) -> bool:
    """Whether upstream prints this valid text as it stands, although it may not be canonical.

    Upstream keeps what looks canonical on its fast path, so "+1", "1.500", "1E3" and "1.Ki" stay, while
    "1.5" becomes "1500m". What is sent back to a server is then what Go's clients would send.
    """
    if text == "0":
        return True
    _, whole, fraction, power, form = _split(text)
    whole = whole.lstrip("0") or "0"
    if form == "BinarySI":
        # Upstream's fast path takes 14 digits less those that the suffix adds, 3 for each 1024.
        return not fraction and len(whole) <= 14 - power * 3 // 10 and int(whole) % 8 != 0
    digits = whole + fraction
    scale = power - len(fraction)
    return (
        len(digits) <= _MAX_FAST_DIGITS
        and scale >= _NANO
        and scale % 3 == 0
        and digits[0] != "0"
        and not digits.endswith("000")
    )


def canonical_text(nanos: int, form: Format) -> str:
    """The canonical text: no fraction, no precision lost, the largest suffix that allows both.

    BinarySI is written as DecimalSI when the value is no whole number or is below 1024, as upstream does.
    Values past the largest suffix get more digits ("1000E"); upstream drops the suffix there.
    """
    if not nanos:
        return "0"
    if form == "BinarySI":
        if nanos % NANOS == 0 and abs(nanos) >= 1024 * NANOS:
            return _binary_text(nanos // NANOS)
        form = "DecimalSI"
    digits = str(nanos)
    significant = digits.rstrip("0")
    exponent = len(digits) - len(significant) + _NANO
    exponent -= exponent % 3
    if form == "DecimalExponent":
        suffix = f"e{exponent}" if exponent else ""
    else:
        exponent = min(exponent, 18)
        suffix = _DECIMAL_SUFFIXES[exponent]
    return digits[: len(digits) - exponent + _NANO] + suffix


def multiply(nanos: int, factor: Decimal) -> int:
    """The product with a finite factor, rounded away from zero; one that `fits` refuses when it is too large.

    A decimal's exponent can be as large as memory is not, so the size is told before any digits are made.
    """
    if not nanos or not factor:
        return 0
    negative = (nanos < 0) != factor.is_signed()
    magnitude = len(str(abs(nanos))) + factor.adjusted()
    if magnitude > _MAX_INTEGER_DIGITS - _NANO:
        return -_LIMIT if negative else _LIMIT
    if magnitude < 0:
        return -1 if negative else 1
    numerator, denominator = factor.as_integer_ratio()
    return divide_away_from_zero(nanos * numerator, denominator)


def fits(nanos: int) -> bool:
    """Whether a count of nanos is below the limit of what a quantity may hold."""
    return -_LIMIT < nanos < _LIMIT


def check_format(form: str) -> None:
    """Raises ParseError when this is not the name of a format."""
    if form not in get_args(Format):
        raise ParseError(f"quantity format {form!r} is none of {', '.join(get_args(Format))}")


def divide_away_from_zero(dividend: int, divisor: int) -> int:
    """The quotient by a positive divisor, rounded away from zero, which is what upstream calls up."""
    return -(-dividend // divisor) if dividend > 0 else dividend // divisor


def _split(text: str) -> tuple[str, str, str, int, Format]:
    """Sign, digits before and after the point, the suffix's power of ten or two, and the format."""
    sign, whole, fraction, suffix = _PARTS.findall(text)[0]
    decimal = _DECIMAL.get(suffix)
    if decimal is not None:
        return sign, whole, fraction, decimal, "DecimalSI"
    binary = _BINARY.get(suffix)
    if binary is not None:
        return sign, whole, fraction, binary, "BinarySI"
    exponent = _EXPONENT.fullmatch(suffix)
    if exponent is None:
        raise ParseError(
            f"quantity {quoted(text)} cannot be read at {quoted(suffix)}; write a number that ends there, "
            f"or in one of {_SUFFIXES}, or in an exponent such as e3"
        )
    power = int(exponent[1])
    if abs(power) > _MAX_EXPONENT:
        raise ParseError(f"quantity {quoted(text)} has an exponent beyond {_MAX_EXPONENT}")
    return sign, whole, fraction, power, "DecimalExponent"


def _may_lack_digits(power: int, form: Format) -> bool:
    """Whether upstream reads a text without any digit, such as "m", "." or "Ki", as zero.

    Its fast path does and its slow path does not; the suffix alone decides between them.
    """
    return power <= _BINARY["Ti"] if form == "BinarySI" else power >= _NANO


def _decimal_nanos(digits: str, shift: int) -> int:
    """digits * 10**shift, rounded up; the limit when it is that or more, before any large power is made."""
    significant = digits.lstrip("0")
    if not significant:
        return 0
    if shift < 0:
        return divide_away_from_zero(int(significant), 10**-shift) if -shift < len(significant) else 1
    if len(significant) + shift + _NANO > _MAX_INTEGER_DIGITS:
        return _LIMIT
    return int(significant + "0" * shift)


def _binary_nanos(digits: str, places: int, power: int) -> tuple[int, Format]:
    nanos = divide_away_from_zero((int(digits or "0") << power) * NANOS, 10**places)
    return min(nanos, _MAX_BINARY), ("DecimalSI" if 0 < nanos < NANOS else "BinarySI")


def _binary_text(amount: int) -> str:
    times = 0
    while amount % 1024 == 0 and times < len(_BINARY):
        amount //= 1024
        times += 1
    return f"{amount}{_BINARY_SUFFIXES[times]}"
