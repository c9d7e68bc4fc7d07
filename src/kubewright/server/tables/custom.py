"""Custom resources: the columns that their definitions name, by JSONPath."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias

from kubewright.crd.go_values import go_float, go_json
from kubewright.machinery.errors import ParseError
from kubewright.machinery.time import parse_time
from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import UNKNOWN, human_duration
from kubewright.server.tables.fields import name_of
from kubewright.server.tables.json_path import EvaluationError, JSONPath, compile_json_path
from kubewright.server.tables.json_path_nodes import Literal, go_kind
from kubewright.server.tables.printer import NAME, Printer, column

__all__ = ["DEFAULT_COLUMNS", "SCALE_COLUMNS", "crd_printer"]

_Cell: TypeAlias = Callable[[Any, datetime], Any]

DEFAULT_COLUMNS: Final[Sequence[Object]] = (
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
)
"""The columns of definitions that name none."""

SCALE_COLUMNS: Final[Sequence[Object]] = (
    {
        "name": "Desired",
        "type": "integer",
        "description": "Number of desired replicas",
        "jsonPath": ".spec.replicas",
    },
    {
        "name": "Available",
        "type": "integer",
        "description": "Number of actual replicas",
        "jsonPath": ".status.replicas",
    },
    *DEFAULT_COLUMNS,
)
"""The columns of the Scale of a custom resource, for `crd_printer`."""

_ZERO: Final = parse_time("0001-01-01T00:00:00Z")
"""Go's time that was never set."""

_LONGEST_WHOLE: Final = 2.0**63
"""From here on a float is written as one, since it is no int64."""


def crd_printer(columns: Sequence[Object] | None) -> Printer:
    """The printer of a custom resource, from the additionalPrinterColumns of its version.

    The first column is the name; without columns, the age follows. Never raises: as upstream does, it ends
    before the first column whose JSONPath is none. Cells whose values are not there, or are not of the type
    of their column, are null.
    """
    definitions: list[Object] = [NAME]
    found: list[tuple[JSONPath, _Cell]] = []
    for one in columns or DEFAULT_COLUMNS:
        text, kind = one.get("jsonPath") or "", one.get("type") or ""
        try:
            path = compile_json_path(text)
        except ParseError:
            break
        told = one.get("description") or f"Custom resource definition column (in JSONPath format): {text}"
        definitions.append(
            column(
                one.get("name") or "",
                kind,
                form=one.get("format") or "",
                description=told,
                priority=one.get("priority") or 0,
            )
        )
        found.append((path, _CELLS.get(kind, _nothing)))

    def cells(obj: Object, now: datetime) -> list[Any]:
        return [name_of(obj), *[_cell(path, obj, make, now) for path, make in found]]

    return Printer(tuple(definitions), cells)


def _cell(path: JSONPath, obj: Object, make: _Cell, now: datetime) -> Any:
    try:
        values = path.find(obj)
    except EvaluationError:
        return None
    # Columns are for single values: of several, upstream shows the first.
    return make(values[0], now) if values else None


def _nothing(value: Any, now: datetime) -> Any:
    return None


def _text(value: Any, now: datetime) -> Any:
    if isinstance(value, str):
        return value
    if value is None:
        return "<no value>"
    if isinstance(value, dict | list):
        return go_json(value)
    kind = go_kind(value)
    if kind == "bool":
        return "true" if value else "false"
    return go_float(_float(value)) if kind == "float" else str(int(value))


def _integer(value: Any, now: datetime) -> Any:
    kind = go_kind(value)
    if kind == "int":
        return None if isinstance(value, Literal) else value
    # What Go makes of a float beyond int64 depends on the machine; on most it is the least of them.
    if kind == "float":
        return int(value) if -_LONGEST_WHOLE <= value < _LONGEST_WHOLE else -(2**63)
    return None


def _number(value: Any, now: datetime) -> Any:
    kind = go_kind(value)
    if kind not in {"int", "float"} or isinstance(value, Literal):
        return None
    number = _float(value)
    # Go writes 3 for 3.0.
    return int(number) if number.is_integer() and abs(number) < _LONGEST_WHOLE else number


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _boolean(value: Any, now: datetime) -> Any:
    return value if isinstance(value, bool) else None


def _date(value: Any, now: datetime) -> Any:
    if not isinstance(value, str):
        return None
    if value in {"", "null"}:
        return UNKNOWN
    try:
        moment = parse_time(value)
    except ParseError:
        return "<invalid>"
    return UNKNOWN if moment == _ZERO else human_duration(now - moment)


_CELLS: Final[dict[str, _Cell]] = {
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
}
