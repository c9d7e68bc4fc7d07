"""Each constraint of a type, from both sides: the server's verdict and the type's own are the same."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright.crd.verdict import errors_in
from tests.conformance.client import Client, Response
from tests.conformance.custom_types.cases import CASES, UPDATES, Update
from tests.conformance.custom_types.kinds import Sample
from tests.conformance.namespaces import Namespace, unique

pytestmark = pytest.mark.usefixtures("installed")

GOOD = [pytest.param(spec, id=f"{case.name}-{i}") for case in CASES for i, spec in enumerate(case.good)]
BAD = [pytest.param(spec, id=f"{case.name}-{i}") for case in CASES for i, spec in enumerate(case.bad)]


def sample(spec: dict[str, Any], name: str = "a") -> dict[str, Any]:
    gvk = Sample.gvk
    return {"apiVersion": gvk.api_version, "kind": gvk.kind, "metadata": {"name": name}, "spec": spec}


def causes(response: Response) -> list[dict[str, str]]:
    found: list[dict[str, str]] = response.json()["details"]["causes"]
    return found


def said_here(data: dict[str, Any], old: dict[str, Any] | None = None) -> list[dict[str, str]]:
    errors = errors_in(Sample, data, old=old)
    return [{"reason": each.reason, "message": each.message, "field": each.field} for each in errors]


@pytest.mark.parametrize("spec", GOOD)
def test_what_is_inside_is_taken_with_the_same_defaults(
    client: Client, namespace: Namespace, spec: dict[str, Any]
) -> None:
    response = client.post(namespace.path("samples", Sample.gvk.api_version), sample(spec), dryRun="All")
    assert response.status == 201, response.text
    assert said_here(sample(spec)) == []
    if not response.warnings:  # of unknown fields, which the server drops and the type keeps
        assert Sample.from_json(response.body).spec == Sample.from_dict(sample(spec)).spec


@pytest.mark.parametrize("spec", BAD)
def test_what_is_outside_is_refused_with_the_same_words(
    client: Client, namespace: Namespace, spec: dict[str, Any]
) -> None:
    response = client.post(namespace.path("samples", Sample.gvk.api_version), sample(spec), dryRun="All")
    assert response.status == 422, response.text
    assert causes(response) == said_here(sample(spec))


@pytest.mark.parametrize("update", UPDATES, ids=[each.name for each in UPDATES])
def test_updates(client: Client, namespace: Namespace, update: Update) -> None:
    path = namespace.path("samples", Sample.gvk.api_version)
    name = unique("sample")
    made = client.post(path, sample(update.before, name))
    assert made.status == 201, made.text
    stored = made.json()
    body = {**stored, "spec": update.after}
    response = client.put(f"{path}/{name}", body)
    assert response.status == (200 if update.good else 422), response.text
    expected = [] if update.good else causes(response)
    assert said_here(body, stored) == expected
