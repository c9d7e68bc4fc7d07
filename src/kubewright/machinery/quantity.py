"""Amounts of resources: the numbers with suffixes such as 100m, 1.5Gi and 12e6."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import TypeAlias, final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.quantity_format import (
    NANOS,
    Format,
    canonical_text,
    check_format,
    divide_away_from_zero,
    fits,
    is_plain,
    keeps_text,
    multiply,
    parse_text,
)

__all__ = ["Format", "Quantity"]

Number: TypeAlias = int | Decimal

# What Go's strings.TrimSpace removes, which is what upstream does to a quantity in JSON.
_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

# Scales past these would only make huge integers: no value is larger than 1e400 or finer than a nano.
_MAX_SCALE = 400


@final
class Quantity:
    """An exact amount, as upstream's resource.Quantity: `Quantity("100m")`, `Quantity("2Gi")`, `Quantity(2)`.

    Immutable and hashable. Values are exact: whole nanos, below 1e400; finer ones round away from zero, and
    what is written with a binary suffix is capped at 2**63-1, both as upstream does when it reads text.

    A text may have space around it, as upstream allows in JSON. An int or a Decimal counts as written. A
    float counts as the shortest text that reads back as it (`Quantity(0.1)` is 100m), because that is what
    JSON numbers become; the result of float arithmetic is better rounded first: 0.1 + 0.2 is 300000001n.
    `format` replaces the format that the value came with.

    Quantities compare with quantities, ints and Decimals by value (1 equals 1000m, and the hashes agree),
    never with texts. Sums and differences keep the format of the first operand, or of the second when the
    first is zero; ints and Decimals may take part, and `sum()` works. Products are with ints and Decimals.

    Unlike upstream: `value()` and its kin are Python ints that never wrap and always round away from zero;
    values past the largest suffix keep it ("1000E", where upstream prints "1"); 1e400 and more is refused.

    Raises ParseError for what is no quantity, TypeError for other types, OverflowError when arithmetic
    reaches 1e400.
    """

    __slots__ = ("_format", "_nanos", "_string", "_text")

    # Text is read lazily: _nanos and _format are None until somebody asks. _text is None if there was none.
    _text: str | None
    _nanos: int | None
    _format: Format | None
    _string: str | None

    def __init__(
        self,
        value: str | float | Decimal | Quantity = 0,
        *,
        format: Format | None = None,  # noqa: A002 - upstream's word for it
    ) -> None:
        self._string = None
        self._nanos = None
        self._format = None
        # Decoding lists of pods comes here once for each quantity, nearly always with a plain text.
        if isinstance(value, str) and is_plain(value):
            self._text = value
        else:
            self._read(value)
        if format is not None:
            check_format(format)
            self._nanos = self._amount()
            self._format = format
            self._text = None

    def _read(self, value: object) -> None:
        """Takes what is not plain text, and reads it at once, so that what is wrong is told here."""
        if isinstance(value, float):
            value = repr(value) if isfinite(value) else Decimal(value)
        if isinstance(value, str):
            self._text = value.strip(_SPACE)
            self._nanos, self._format = parse_text(self._text)
        elif isinstance(value, Quantity):
            self._text, self._nanos, self._format = value._text, value._nanos, value._format
        elif isinstance(value, int | Decimal) and not isinstance(value, bool):
            self._text = None
            self._nanos, self._format = _nanos_of(value), "DecimalSI"
        else:
            kind = type(value).__name__
            raise TypeError(f"a quantity is made from a str, int, float or Decimal, not from a {kind}")

    @classmethod
    def _of(cls, nanos: int, form: Format) -> Quantity:
        """The result of arithmetic."""
        if not fits(nanos):
            raise OverflowError("the result is 1e400 or more, which is too large for a quantity")
        made = cls.__new__(cls)
        made._text = made._string = None
        made._nanos = nanos
        made._format = form
        return made

    def _amount(self) -> int:
        """The value in nanos, read from the text on first use."""
        nanos = self._nanos
        if nanos is None:
            nanos, self._format = parse_text(self._text or "")
            self._nanos = nanos
        return nanos

    @property
    def format(self) -> Format:
        """How the quantity was written, and so how it prints: 12M, 12Mi or 12e6."""
        if self._format is None:
            self._amount()
        return self._format or "DecimalSI"

    @property
    def text(self) -> str:
        """The text that the quantity was made from, without space around it; else what it prints to."""
        return self._text if self._text is not None else str(self)

    def value(self) -> int:
        """The value as a whole number, rounded away from zero."""
        return self.scaled_value(0)

    def milli_value(self) -> int:
        """The value in thousandths, rounded away from zero: 100 for 100m."""
        return self.scaled_value(-3)

    def scaled_value(self, scale: int) -> int:
        """The value in units of 10**scale, rounded away from zero; the scale of nano is -9, of mega 6.

        Raises ValueError for scales beyond 400 either way.
        """
        unit = _check_scale(scale) + 9
        if unit < 0:
            return int(self._amount() * 10**-unit)
        return divide_away_from_zero(self._amount(), 10**unit)

    def round_up(self, scale: int) -> Quantity:
        """The quantity rounded away from zero to a multiple of 10**scale; itself when it is one.

        Raises ValueError for scales beyond 400 either way.
        """
        unit = _check_scale(scale) + 9
        if unit <= 0:
            return self
        step = 10**unit
        nanos = divide_away_from_zero(self._amount(), step) * step
        return self if nanos == self._amount() else self._of(nanos, self.format)

    def to_decimal(self) -> Decimal:
        """The exact value."""
        nanos = self._amount()
        if nanos % NANOS == 0:
            return Decimal(nanos // NANOS)
        digits = str(nanos)
        significant = digits.rstrip("0")
        # From text, because arithmetic on decimals would round to the precision of the context.
        return Decimal(f"{significant}E{len(digits) - len(significant) - 9}")

    def canonical(self, format: Format | None = None) -> str:  # noqa: A002 - upstream's word for it
        """The canonical text, in the given format or the quantity's own.

        `str()` differs from it as upstream's String() does: it keeps texts such as "1.500" and "+1".
        Raises ParseError for an unknown format.
        """
        if format is None:
            return canonical_text(self._amount(), self.format)
        check_format(format)
        return canonical_text(self._amount(), format)

    def __str__(self) -> str:
        string = self._string
        if string is None:
            text = self._text
            string = text if text is not None and keeps_text(text) else self.canonical()
            self._string = string
        return string

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __int__(self) -> int:
        return self.scaled_value(0)

    def __float__(self) -> float:
        return float(self.to_decimal())

    def __bool__(self) -> bool:
        return self._amount() != 0

    def __hash__(self) -> int:
        nanos = self._amount()
        return hash(nanos // NANOS) if nanos % NANOS == 0 else hash(self.to_decimal())

    def __copy__(self) -> Quantity:
        return self

    def __deepcopy__(self, memo: object) -> Quantity:
        return self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Quantity):
            return self._amount() == other._amount()
        if isinstance(other, int):
            return self._amount() == other * NANOS
        if isinstance(other, Decimal):
            return self.to_decimal() == other
        return NotImplemented

    def __lt__(self, other: Quantity | Number) -> bool:
        if isinstance(other, Decimal):
            return self.to_decimal() < other
        nanos = _whole_nanos(other)
        return NotImplemented if nanos is None else self._amount() < nanos

    def __le__(self, other: Quantity | Number) -> bool:
        if isinstance(other, Decimal):
            return self.to_decimal() <= other
        nanos = _whole_nanos(other)
        return NotImplemented if nanos is None else self._amount() <= nanos

    def __gt__(self, other: Quantity | Number) -> bool:
        if isinstance(other, Decimal):
            return self.to_decimal() > other
        nanos = _whole_nanos(other)
        return NotImplemented if nanos is None else self._amount() > nanos

    def __ge__(self, other: Quantity | Number) -> bool:
        if isinstance(other, Decimal):
            return self.to_decimal() >= other
        nanos = _whole_nanos(other)
        return NotImplemented if nanos is None else self._amount() >= nanos

    def __add__(self, other: Quantity | Number) -> Quantity:
        if not isinstance(other, Quantity | int | Decimal):
            return NotImplemented
        added = other if isinstance(other, Quantity) else Quantity(other)
        nanos = self._amount()
        return self._of(nanos + added._amount(), self.format if nanos else added.format)

    def __radd__(self, other: Number) -> Quantity:
        if not isinstance(other, int | Decimal):
            return NotImplemented
        return Quantity(other) + self

    def __sub__(self, other: Quantity | Number) -> Quantity:
        if not isinstance(other, Quantity | int | Decimal):
            return NotImplemented
        taken = other if isinstance(other, Quantity) else Quantity(other)
        nanos = self._amount()
        return self._of(nanos - taken._amount(), self.format if nanos else taken.format)

    def __rsub__(self, other: Number) -> Quantity:
        if not isinstance(other, int | Decimal):
            return NotImplemented
        return Quantity(other) - self

    def __mul__(self, other: Number) -> Quantity:
        if isinstance(other, int):
            return self._of(self._amount() * other, self.format)
        if isinstance(other, Decimal):
            if not other.is_finite():
                raise OverflowError(f"a quantity cannot be multiplied by {other}, which is not finite")
            return self._of(multiply(self._amount(), other), self.format)
        return NotImplemented

    __rmul__ = __mul__

    def __neg__(self) -> Quantity:
        return self._of(-self._amount(), self.format)

    def __pos__(self) -> Quantity:
        return self

    def __abs__(self) -> Quantity:
        return -self if self._amount() < 0 else self


def _whole_nanos(other: object) -> int | None:
    if isinstance(other, Quantity):
        return other._amount()
    return other * NANOS if isinstance(other, int) else None


def _nanos_of(value: Number) -> int:
    if isinstance(value, int):
        nanos = value * NANOS
    elif value.is_finite():
        nanos = multiply(NANOS, value)
    else:
        raise ParseError(f"quantity {value} is not a finite number")
    if not fits(nanos):
        raise ParseError("quantity is a number of 1e400 or more, which is too large")
    return nanos


def _check_scale(scale: int) -> int:
    if not -_MAX_SCALE <= scale <= _MAX_SCALE:
        raise ValueError(
            f"scale {scale} is beyond {_MAX_SCALE}; use the power of ten of the unit, such as -3 for milli"
        )
    return scale
