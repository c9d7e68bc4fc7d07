"""`format()` of the strings extension: the clauses %s %d %f %e %b %x %X %o, and its check of literals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from kubewright.crd.cel.functions.conversions import double_text, duration_text, timestamp_text, to_string
from kubewright.crd.cel.values import (
    CelError,
    Duration,
    ObjectValue,
    Timestamp,
    TypeValue,
    Uint,
    no_such_overload,
    type_name,
)
from kubewright.machinery.field_errors import go_quote

__all__ = ["Clause", "clauses", "format_string", "wrong_type"]

_PRECISION: Final = 6
_MAX_PRECISION: Final = 1000
"""More digits than a double ever has, even the smallest."""


class Clause(NamedTuple):
    """One `%` of a format: the text before it, its letter, and the digits that it asks for."""

    before: str
    letter: str
    precision: int | None


def clauses(form: str, count: int) -> tuple[list[Clause], str]:
    """The clauses of a format that is given `count` arguments, and the text after the last one.

    Raises CelError with upstream's text for what is no clause, and for one that lacks its argument.
    """
    found: list[Clause] = []
    before: list[str] = []
    at, end = 0, len(form)
    while at < end:
        percent = form.find("%", at)
        if percent < 0:
            break
        before.append(form[at:percent])
        at = percent + 1
        if form.startswith("%", at):
            before.append("%")
            at += 1
            continue
        if len(found) >= count:
            raise CelError(f"index {len(found)} out of range")
        if at >= end:
            raise CelError("unexpected end of string")
        letter, precision, at = _clause(form, at)
        found.append(Clause("".join(before), letter, precision))
        before = []
    return found, "".join(before) + form[at:]


def _clause(form: str, at: int) -> tuple[str, int | None, int]:
    precision: int | None = None
    wrong = "could not parse formatting clause: "
    if form[at] == ".":
        start = at = at + 1
        while at < len(form) and form[at] in "0123456789":
            at += 1
        if at >= len(form):
            raise CelError(f"{wrong}error while parsing precision: could not find end of precision specifier")
        digits = form[start:at]
        if not digits:
            raise CelError(
                f"{wrong}error while parsing precision: error while converting precision to integer: "
                'strconv.Atoi: parsing "": invalid syntax'
            )
        precision = int(digits) if len(digits) < 10 else _MAX_PRECISION
    letter = form[at]
    if letter not in _LETTERS:
        raise CelError(f'{wrong}unrecognized formatting clause "{letter}"')
    return letter, precision, at + 1


def format_string(form: object, args: object) -> str:
    """`form.format(args)`."""
    if not isinstance(form, str) or not isinstance(args, list):
        raise no_such_overload("format", form, args)
    found, rest = clauses(form, len(args))
    parts: list[str] = []
    for clause, arg in zip(found, args, strict=False):
        parts.append(clause.before)
        try:
            parts.append(_LETTERS[clause.letter](arg, clause))
        except CelError as error:
            raise CelError(f"error during formatting: {error}") from None
    parts.append(rest)
    return "".join(parts)


_WRONG: Final = {
    "s": "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
    "durations, and timestamps, was given {}",
    "d": "decimal clause can only be used on integers, was given {}",
    "f": "fixed-point clause can only be used on doubles, was given {}",
    "e": "scientific clause can only be used on doubles, was given {}",
    "b": "only integers and bools can be formatted as binary, was given {}",
    "x": "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    "o": "octal clause can only be used on integers, was given {}",
}


def wrong_type(letter: str, kind: str) -> str:
    """What upstream says of a value whose type a clause does not take."""
    return _WRONG[letter.lower()].format(kind)


def _refused(clause: Clause, value: object) -> CelError:
    return CelError(wrong_type(clause.letter, type_name(value)))


def _is_integer(value: object) -> bool:
    return type(value) is int or type(value) is Uint


def _as_text(value: object, clause: Clause) -> str:
    if isinstance(value, list):
        return _list_text(value)
    if isinstance(value, dict | ObjectValue):
        return _map_text(value)
    if value is None:
        return "null"
    if isinstance(value, TypeValue):
        return value.name
    if isinstance(value, str | bool | int | float | bytes):
        return to_string(value)
    raise _refused(clause, value)


def _list_text(elements: Sequence[object]) -> str:
    return f"[{', '.join(map(_element_text, elements))}]"


def _map_text(entries: dict[object, object] | ObjectValue) -> str:
    if isinstance(entries, ObjectValue):
        entries = {name: entries.find(name)[1] for name in entries.names()}
    pairs = sorted((_element_text(key), _element_text(value)) for key, value in entries.items())
    return "{" + ", ".join(f"{key}:{value}" for key, value in pairs) + "}"


def _element_text(value: object) -> str:
    """A value within a list or map, as CEL would write it."""
    if isinstance(value, str):
        return go_quote(value)
    if isinstance(value, bytes):
        return f"b{go_quote(value.decode(errors='replace'))}"
    if isinstance(value, float):
        if math.isfinite(value):
            return f"{value:.{_PRECISION}f}"
        return go_quote(double_text(value))
    if isinstance(value, Timestamp):
        return f"timestamp({go_quote(timestamp_text(value))})"
    if isinstance(value, Duration):
        return f"duration({go_quote(duration_text(value))})"
    if isinstance(value, list | dict | ObjectValue | bool | int | None | TypeValue):
        return _as_text(value, Clause("", "s", None))
    raise CelError(f"no formatting function for {type_name(value)}")


def _as_decimal(value: object, clause: Clause) -> str:
    if _is_integer(value):
        return str(int(value))  # type: ignore[call-overload] # an int
    raise _refused(clause, value)


def _double(value: object, clause: Clause) -> float:
    if isinstance(value, float):
        return value
    if value in {"NaN", "Infinity", "-Infinity"}:
        return float(value)
    raise _refused(clause, value)


def _as_fixed(value: object, clause: Clause) -> str:
    number = _double(value, clause)
    if not math.isfinite(number):
        return _special(number)
    digits = _PRECISION if clause.precision is None else min(clause.precision, _MAX_PRECISION)
    return f"{number:,.{digits}f}"


def _as_scientific(value: object, clause: Clause) -> str:
    number = _double(value, clause)
    if not math.isfinite(number):
        return _special(number)
    # Upstream takes the precision for a width, so that there are always six digits; and its printer for
    # English writes an exponent as a power of ten.
    width = _PRECISION if clause.precision is None else min(clause.precision, _MAX_PRECISION)
    mantissa, _, exponent = f"{number:.6e}".partition("e")
    return f"{mantissa}\u00d710{_superscript(int(exponent))}".rjust(width)


def _superscript(power: int) -> str:
    digits = "⁰¹²³⁴⁵⁶⁷⁸⁹"
    text = f"{abs(power):02d}"
    return ("⁻" if power < 0 else "") + "".join(digits[int(digit)] for digit in text)


def _special(number: float) -> str:
    return "NaN" if math.isnan(number) else "∞" if number > 0 else "-∞"


def _as_binary(value: object, clause: Clause) -> str:
    if type(value) is bool or _is_integer(value):
        return f"{int(value):b}"  # type: ignore[call-overload] # an int
    raise _refused(clause, value)


def _as_octal(value: object, clause: Clause) -> str:
    if _is_integer(value):
        return f"{int(value):o}"  # type: ignore[call-overload] # an int
    raise _refused(clause, value)


def _as_hex(value: object, clause: Clause) -> str:
    if _is_integer(value):
        text = f"{int(value):x}"  # type: ignore[call-overload] # an int
    elif isinstance(value, str):
        text = value.encode(errors="surrogatepass").hex()
    elif isinstance(value, bytes):
        text = value.hex()
    else:
        raise _refused(clause, value)
    return text.upper() if clause.letter == "X" else text


_LETTERS: Final[dict[str, Callable[[object, Clause], str]]] = {
    "s": _as_text,
    "d": _as_decimal,
    "f": _as_fixed,
    "e": _as_scientific,
    "b": _as_binary,
    "x": _as_hex,
    "X": _as_hex,
    "o": _as_octal,
}
