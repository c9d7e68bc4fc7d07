"""What kube-openapi's validator says of numbers: bounds, multiples, and the ranges of their formats."""

from __future__ import annotations

from typing import Final

from kubewright.crd.go_values import MAX_INT64, MIN_INT64, go_float, go_json, is_integral
from kubewright.crd.report_errors import Reported, composite, plain, with_value
from kubewright.crd.structural import StructuralSchema

__all__ = ["number_errors"]

_FLOAT32_END: Final = 2.0**128 - 2.0**103
"""From here on a number is rounded to infinity as a float32."""


def number_errors(
    value: float, schema: StructuralSchema, number_type: str, number_format: str, path: str
) -> list[Reported]:
    """All errors of a number. `number_type` is "" where the schema allows several types."""
    found: list[Reported] = []

    def in_range(number: float, what: str) -> bool:
        if _fits(number, number_type, number_format):
            return True
        form = f"with format {number_format}" if number_format else "(default format)"
        found.append(composite(f"{what} value must be of type {number_type} {form} in {path}"))
        return False

    # Only a format that goes with the type is looked at.
    number_format = number_format if number_type else ""
    in_range(value, "Checked")
    if schema.multiple_of is not None:
        native = in_range(schema.multiple_of, "MultipleOf")
        _multiple_of(value, schema.multiple_of, path, native=native, found=found)
    if schema.minimum is not None:
        native = in_range(schema.minimum, "Minimum boundary")
        _bound(value, schema.minimum, path, "greater", schema.exclusive_minimum, native=native, found=found)
    if schema.maximum is not None:
        native = in_range(schema.maximum, "Maximum boundary")
        _bound(value, schema.maximum, path, "less", schema.exclusive_maximum, native=native, found=found)
    return found


def _fits(number: float, number_type: str, number_format: str) -> bool:
    if number_type == "integer":
        low, high = (-(2**31), 2**31 - 1) if number_format == "int32" else (MIN_INT64, MAX_INT64)
        # Go compares the digits that it would print, which beyond 2**53 are not those of the number itself.
        whole = number if isinstance(number, int) else _whole(number)
        return whole is not None and low <= whole <= high
    return number_format != "float" or abs(number) < _FLOAT32_END


def _whole(number: float) -> int | None:
    text = go_json(number)
    return None if "." in text or "e" in text or not text.lstrip("-").isdigit() else int(text)


def _as_int64(number: float) -> int:
    # What Go's conversion gives on amd64 where the number does not fit.
    return int(number) if -(2.0**63) <= number < 2.0**63 else MIN_INT64


def _printed(number: float) -> str:
    return str(number) if isinstance(number, int) else go_float(number)


def _bound(
    value: float,
    bound: float,
    path: str,
    side: str,
    exclusive: bool,
    *,
    native: bool,
    found: list[Reported],
) -> None:
    limit: float = _as_int64(bound) if native and isinstance(value, int) else bound
    compared: float = value if native else float(value)
    beyond = compared > limit if side == "less" else compared < limit
    if beyond or (exclusive and compared == limit):
        told = f"{side} than {_printed(limit)}" if exclusive else f"{side} than or equal to {_printed(limit)}"
        found.append(with_value(path, compared, f"should be {told}"))


def _multiple_of(value: float, factor: float, path: str, *, native: bool, found: list[Reported]) -> None:
    if native and isinstance(value, int):
        whole = _as_int64(factor)
        if whole <= 0:
            found.append(_not_positive(whole, path))
        elif value % whole:
            found.append(with_value(path, value, f"should be a multiple of {whole}"))
    elif factor <= 0:
        found.append(_not_positive(factor, path))
    elif not is_integral(1 / factor * value if factor < 1 else value / factor):
        found.append(with_value(path, float(value), f"should be a multiple of {go_float(factor)}"))


def _not_positive(factor: float, path: str) -> Reported:
    text = f"factor MultipleOf declared for {path} must be positive: {_printed(factor)}"
    return plain(path, f"Invalid value: {_printed(factor)}: {text}", text)
