"""The words of upstream's converter, which makes Go values of what a strategic merge patch has left.

Other bodies are read by Go's JSON decoder, whose words `go_types` has. The converter goes through a struct in
the order of its fields, and ends with the first value that does not fit.
"""

from __future__ import annotations

from typing import Any, Final

from kubewright.machinery.errors import ParseError
from kubewright.server.wire.go_forms import decode_base64
from kubewright.server.wire.go_special import GoForm
from kubewright.server.wire.go_types import (
    GoBool,
    GoBytes,
    GoFloat,
    GoInt,
    GoMap,
    GoPointer,
    GoSlice,
    GoString,
    GoStruct,
    GoType,
)
from kubewright.server.wire.reading import Fatal, Reading

__all__ = ["conversion_error"]

_KINDS: Final[dict[type, str]] = {
    dict: "map",
    list: "slice",
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
}
"""What Go calls the kinds of decoded JSON."""

_INT_KINDS: Final = {(-(1 << 31), (1 << 31) - 1): "int32", (-(1 << 63), (1 << 63) - 1): "int64"}


def conversion_error(of: GoType, value: Any) -> str:
    """The converter's error for a value that is to be of a type; empty when it fits."""
    if value is None:
        return ""
    if isinstance(of, GoPointer):
        return conversion_error(of.to, value)
    if isinstance(of, GoForm):
        return _form_error(of, value)
    if isinstance(of, GoStruct):
        return _struct_error(of, value)
    if isinstance(of, GoMap):
        if not isinstance(value, dict):
            return f"cannot restore map from {_kind(value)}"
        return _first(conversion_error(of.of, each) for each in value.values())
    if isinstance(of, GoBytes):
        return _bytes_error(value)
    if isinstance(of, GoSlice):
        if not isinstance(value, list):
            return f"cannot restore slice from {_kind(value)}"
        return _first(conversion_error(of.of, each) for each in value)
    return _scalar_error(of, value)


def _first(errors: Any) -> str:
    return next((error for error in errors if error), "")


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), type(value).__name__)


def _form_error(of: GoForm, value: Any) -> str:
    """The error of a type that reads JSON by itself."""
    reading = Reading(strict=False)
    try:
        of.read(reading, value, of.new())
    except Fatal as fatal:
        return str(fatal)
    return reading.first_error


def _struct_error(of: GoStruct, value: Any) -> str:
    if not isinstance(value, dict):
        return f"cannot restore struct from: {_kind(value)}"
    return _first(conversion_error(field.type, value.get(field.name)) for field in of.fields)


def _bytes_error(value: Any) -> str:
    if isinstance(value, str):
        try:
            decode_base64(value)
        except ParseError as error:
            return f"error decoding from json: {error}"
        return ""
    return "" if isinstance(value, list) else f"cannot restore slice from {_kind(value)}"


def _scalar_error(of: GoType, value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(of, GoString):
        if isinstance(value, str):
            return ""
        # Go converts integers to strings, as characters; the converter does not want that.
        is_integer = is_number and isinstance(value, int)
        return f"cannot convert int64 to {of.name}" if is_integer else "unrecognized type: string"
    if isinstance(of, GoBool):
        return "" if isinstance(value, bool) else "unrecognized type: bool"
    if isinstance(of, GoInt):
        if not is_number:
            return f"unrecognized type: {_INT_KINDS.get((of.low, of.high), of.name)}"
        return "" if value == int(value) else f"cannot convert float64 to {of.name}"
    if isinstance(of, GoFloat):
        return "" if is_number else "unrecognized type: float64"
    return ""
