"""The columns that `kubectl get` prints for a custom resource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kubewright.crd.schema_paths import is_simple, schema_at
from kubewright.machinery.errors import DeclarationError

__all__ = ["PrinterColumn", "column_entry"]

_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
"""What the server takes as the format of a column."""
_SHOWS: Final[Mapping[str, tuple[str, ...]]] = {
    "integer": ("integer",),
    "number": ("number", "integer"),
    "boolean": ("boolean",),
    "date": ("string",),
    "string": (),
}
"""The types of columns, and the types of fields that they can show; none for a column that shows any."""


class PrinterColumn(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """A column: its heading and the JSON path of what it shows.

    The type (string, integer, number, boolean or date) is that of the field when it is not given. Columns of
    a priority above 0 are shown in wide output alone.
    """

    name: str
    json_path: str
    type: str = ""
    format: str = ""
    priority: int = 0
    description: str = ""


def column_entry(cls_name: str, column: PrinterColumn, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """A column as the definition has it.

    Raises DeclarationError for one that could show nothing; without a schema its path may lead anywhere.
    """
    if not isinstance(column, PrinterColumn):
        raise DeclarationError(f"{cls_name}: columns has {column!r}; write PrinterColumn(name, path)")
    where = f"{cls_name}: the column {column.name!r}"
    if not column.name:
        raise DeclarationError(f"{where} has no name; kubectl prints it as the heading")
    if not column.json_path.startswith("."):
        raise DeclarationError(
            f"{where} has the path {column.json_path!r}; paths begin with a dot: .spec.replicas"
        )
    if column.type and column.type not in _SHOWS:
        raise DeclarationError(f"{where} has the type {column.type!r}; there are {', '.join(_SHOWS)}")
    if column.format and column.format not in _FORMATS:
        raise DeclarationError(f"{where} has the format {column.format!r}; there are {', '.join(_FORMATS)}")
    written = {
        "name": column.name,
        "type": _type(where, column, schema),
        "format": column.format,
        "jsonPath": column.json_path,
        "priority": column.priority,
        "description": column.description,
    }
    return {name: value for name, value in written.items() if value}


def _type(where: str, column: PrinterColumn, schema: Mapping[str, Any] | None) -> str:
    if schema is None or not is_simple(column.json_path):
        return column.type or "string"
    try:
        shown = schema_at(column.json_path, schema)
    except LookupError as error:
        raise DeclarationError(f"{where} has the path {column.json_path!r}: {error.args[0]}") from None
    of_field = shown.get("type", "")
    if not column.type:
        if shown.get("format") == "date-time":
            return "date"
        return of_field if of_field in _SHOWS else "string"
    wanted = _SHOWS[column.type]
    if wanted and of_field and of_field not in wanted:
        raise DeclarationError(
            f"{where} is of type {column.type}, and {column.json_path} is {of_field}: it would stay empty; "
            "leave the type away"
        )
    return column.type
