"""The rows that a real kube-apiserver made of objects, and ours."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from facts import KUBERNETES
from kubewright.server.tables import printer
from tests.cases import check_each
from tests.server.tables.harness import ANSWERS, answers, group_and_resource

Json = dict[str, Any]

FILES = sorted(file.stem for file in ANSWERS.glob("*.json") if not file.stem.startswith("custom"))


def recorded(file: str) -> dict[str, Json]:
    """The answers of a file by what was asked."""
    told = answers(file)
    found = {f"{answer['path'].removeprefix('/api')}:{answer['name']}": answer for answer in told}
    assert len(found) == len(told)
    return found


@pytest.mark.parametrize("file", FILES)
def test_rows_are_those_of_the_real_server(file: str) -> None:
    check_each(recorded(file), _check_rows)


def _check_rows(answer: Json) -> None:
    found = printer(*group_and_resource(answer["path"]))
    now = datetime.fromisoformat(answer["now"])
    objects = answer["objects"]
    if found.order is not None:
        objects = sorted(objects, key=found.order)
    rows = [found.row(obj, now) for obj in objects]
    assert rows == answer["rows"]
    # 1 == True == 1.0 in Python, but not in JSON.
    assert repr([row["cells"] for row in rows]) == repr([row["cells"] for row in answer["rows"]])


@pytest.mark.parametrize("file", FILES)
def test_columns_are_those_of_the_real_server(file: str) -> None:
    check_each(recorded(file), _check_columns)


def _check_columns(answer: Json) -> None:
    found = printer(*group_and_resource(answer["path"]))
    assert [{k: v for k, v in one.items() if k != "description"} for one in found.columns] == answer[
        "columns"
    ]


def test_every_resource_that_can_be_listed_has_the_columns_of_the_real_server() -> None:
    by_path = json.loads((KUBERNETES / "table-columns.json").read_text())
    check_each(
        {path: {"path": path, "columns": columns} for path, columns in by_path.items()}, _check_columns
    )
