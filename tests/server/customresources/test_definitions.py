"""Updates, names and conditions of CustomResourceDefinitions against a real kube-apiserver."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright.server.customresources.conditions import (
    api_approval_condition,
    established_condition,
    non_structural_schema_condition,
    set_condition,
)
from kubewright.server.customresources.naming import accept_names, needs_naming
from kubewright.server.kinds import Context, kind_of
from tests.server.customresources.cases.definitions import NEIGHBOURS, UPDATES
from tests.server.customresources.harness import Update, embedded_update, told, without_times

TOLD = told()
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("case", UPDATES, ids=[case.name for case in UPDATES])
def test_updates_as_the_real_server(case: Update) -> None:
    recorded = TOLD["updates"][case.name]
    assert embedded_update(case, recorded["old"]) == recorded["answer"]


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_names_and_conditions_as_the_real_server(name: str) -> None:
    made: list[dict[str, Any]] = []
    for given in NEIGHBOURS[name]:
        crd = copy.deepcopy(given)
        kind = kind_of("apiextensions.k8s.io", "customresourcedefinitions")
        kind.default(crd)
        kind.prepare_create(crd, Context(now=NOW))
        made.append(crd)
        _settle(crd, made)
    assert [_sorted(crd["status"]) for crd in made] == [
        _sorted(status) for status in TOLD["neighbours"][name]
    ]


def _settle(crd: dict[str, Any], others: list[dict[str, Any]]) -> None:
    assert needs_naming(crd)
    naming = accept_names(crd, others)
    assert naming.changes(crd)
    crd["status"]["acceptedNames"] = naming.accepted_names
    set_condition(crd, naming.names_accepted, NOW)
    set_condition(crd, naming.established, NOW)
    assert not accept_names(crd, others).changes(crd)
    established = established_condition(crd)
    if established is not None:
        set_condition(crd, established, NOW)
    assert non_structural_schema_condition(crd) is None
    approval = api_approval_condition(crd)
    if approval is not None:
        set_condition(crd, approval, NOW)


def _sorted(status: dict[str, Any]) -> dict[str, Any]:
    """The conditions of different controllers come in any order."""
    found = without_times(status)
    found["conditions"].sort(key=lambda one: str(one["type"]))
    return found
