"""Rows of objects that lack parts: none may fail, and none may lose a cell."""

from __future__ import annotations

import copy
import random
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from kubewright.models.served import RESOURCES
from kubewright.server.tables import DEFAULT, printer
from tests.server.tables.harness import ANSWERS, answers, group_and_resource

Json = dict[str, Any]

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LISTED = [
    (row.api_version.rpartition("/")[0], row.plural) for row in RESOURCES if "list" in row.verbs.split()
]
BY_RESOURCE: dict[tuple[str, str], list[Json]] = {}
for _file in sorted(ANSWERS.glob("*.json")):
    if not _file.stem.startswith("custom"):
        for _answer in answers(_file.stem):
            BY_RESOURCE.setdefault(group_and_resource(_answer["path"]), []).extend(_answer["objects"])

# IPAddresses have a cell for which upstream has no column.
EXTRA_CELLS = {("networking.k8s.io", "ipaddresses"): 1}


def _without(value: Any, chance: random.Random) -> Any:
    """With members left out, null or empty, and lists cut short."""
    if isinstance(value, dict):
        kept = {name: _without(member, chance) for name, member in value.items() if chance.random() > 0.15}
        return {name: None if chance.random() < 0.05 else member for name, member in kept.items()}
    if isinstance(value, list):
        return [_without(element, chance) for element in value if chance.random() > 0.15]
    return type(value)() if value is not None and chance.random() < 0.1 else value


def test_every_listed_resource_was_recorded() -> None:
    assert set(LISTED) <= set(BY_RESOURCE)


@pytest.mark.parametrize("resource", sorted(BY_RESOURCE), ids="/".join)
def test_rows_survive_whatever_is_missing(resource: tuple[str, str]) -> None:
    found = printer(*resource)
    count = len(found.columns) + EXTRA_CELLS.get(resource, 0)
    chance = random.Random(7)  # noqa: S311 - the same every time
    cases: list[Json] = [{}, {"metadata": None}, {"metadata": {}, "spec": None, "status": None}]
    for obj in BY_RESOURCE[resource]:
        for _ in range(40):
            cases.append(_without(obj, chance))
            cases[-1].setdefault("apiVersion", obj["apiVersion"])
    for case in cases:
        before = copy.deepcopy(case)
        row = found.row(case, NOW)
        assert case == before, "the printer changed the object"
        assert len(row["cells"]) == count
        assert all(cell is not None for cell in row["cells"])
        msgspec.json.encode(row)
        if found.order is not None:
            found.order(case)


def test_other_resources_have_the_default_columns() -> None:
    for group, resource in (("", "nothing"), ("apps", "nothing"), ("example.com", "things")):
        assert printer(group, resource) is DEFAULT
    assert DEFAULT.row({"metadata": {"name": "x", "creationTimestamp": "2026-01-01T00:00:00Z"}}, NOW) == {
        "cells": ["x", "2026-01-01T00:00:00Z"]
    }
    assert DEFAULT.cells({}, NOW) == ["", "0001-01-01T00:00:00Z"]
