"""Tables of custom resources: those of a real kube-apiserver, and ours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kubewright.server.tables.custom import SCALE_COLUMNS, crd_printer
from tests.server.tables.harness import answers

Json = dict[str, Any]

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("answer", [pytest.param(one, id=one["name"]) for one in answers("custom")])
def test_tables_are_those_of_the_real_server(answer: Json) -> None:
    found = crd_printer(SCALE_COLUMNS if answer["name"] == "scale" else answer["definition"])
    columns = [{key: value for key, value in one.items() if key != "description"} for one in found.columns]
    assert columns == answer["columns"]
    now = datetime.fromisoformat(answer["now"])
    for obj, row in zip(answer["objects"], answer["rows"], strict=True):
        cells = found.cells(obj, now)
        for column, ours, theirs in zip(columns, cells, row["cells"], strict=True):
            # JSON may have many digits for a float, where Python has an exponent.
            wanted = float(theirs) if isinstance(ours, float) else theirs
            assert (column["name"], ours) == (column["name"], wanted)
            assert isinstance(ours, bool) == isinstance(theirs, bool)


def test_columns_say_what_they_show() -> None:
    told = {"name": "A", "type": "string", "jsonPath": ".a", "description": "What it is."}
    untold = {"name": "B", "type": "integer", "jsonPath": ".b", "format": "int32", "priority": 2}
    assert crd_printer([told, untold]).columns[1:] == (
        {"name": "A", "type": "string", "format": "", "description": "What it is.", "priority": 0},
        {
            "name": "B",
            "type": "integer",
            "format": "int32",
            "description": "Custom resource definition column (in JSONPath format): .b",
            "priority": 2,
        },
    )


def test_without_columns_there_is_the_age() -> None:
    obj = {"metadata": {"name": "x", "creationTimestamp": (NOW - timedelta(hours=5)).isoformat()}}
    for nothing in (None, []):
        found = crd_printer(nothing)
        assert [one["name"] for one in found.columns] == ["Name", "Age"]
        assert found.cells(obj, NOW) == ["x", "5h"]


@pytest.mark.parametrize("kind", ["string", "integer", "number", "boolean", "date", "other"])
@pytest.mark.parametrize(
    "value", [None, True, 1, 2**70, 10**400, -1e300, 1.5, "", "x", [], {}, [None], {"a": 1}]
)
def test_any_value_makes_a_cell(kind: str, value: object) -> None:
    found = crd_printer([{"name": "A", "type": kind, "jsonPath": ".spec.a"}])
    for obj in (
        {"metadata": {"name": "x"}, "spec": {"a": value}},
        {"spec": value},
        {"metadata": value or None},
    ):
        if isinstance(obj.get("metadata"), dict | None):
            (cell,) = found.cells(obj, NOW)[1:]
            assert cell is None or isinstance(cell, str | int | float | bool)
