"""The events and answers of every way to delete an object of every kind, as the real server gives them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.custom_resources import Widgets
from tests.conformance.deletions import CUSTOM, DELETED_KINDS, observed, recorded
from tests.conformance.kinds import Kind
from tests.conformance.namespaces import Namespace, new_namespace

RECORD = recorded()


@pytest.fixture(scope="module")
def place(client: Client) -> Namespace:
    """One namespace for all kinds."""
    return new_namespace(client)


def _kinds() -> list[Any]:
    """All kinds; those that behave like another one before them are slow in sum."""
    seen: set[str] = set()
    parameters = []
    for kind in DELETED_KINDS:
        behaviour = json.dumps(RECORD[str(kind)], sort_keys=True)
        marks = [pytest.mark.slow] if behaviour in seen else []
        seen.add(behaviour)
        parameters.append(pytest.param(kind, id=str(kind), marks=marks))
    return parameters


@pytest.mark.parametrize("kind", _kinds())
def test_a_builtin_kind(client: Client, place: Namespace, kind: Kind) -> None:
    assert_same(observed(client, place, kind), RECORD[str(kind)])


def test_a_custom_resource(client: Client, place: Namespace, widgets: Widgets) -> None:
    assert_same(observed(client, place, widgets), RECORD[CUSTOM])


def assert_same(seen: dict[str, Any], expected: dict[str, Any]) -> None:
    """Way by way, so that a failure shows the one that differs."""
    for way, record in expected.items():
        assert (way, seen[way]) == (way, record)
    assert set(seen) == set(expected)
