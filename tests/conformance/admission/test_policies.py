"""What policies make of the create of an object, and which policies cannot be written: one case per feature.

The cases are in policy_cases.json, with what kube-apiserver 1.36 answers. All are written at once, each for a
namespace of its own, since a real server takes a second to follow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.admission.policies import (
    MUTATING,
    PATHS,
    Policies,
    await_policies,
    new_policies,
)
from tests.conformance.client import Client
from tests.conformance.objects import config_map, deployment
from tests.conformance.waiting import eventually

CASES: Mapping[str, Mapping[str, Any]] = json.loads(Path(__file__).with_name("policy_cases.json").read_text())
VALIDATING_CASES, MUTATING_CASES, EXPRESSIONS = (
    CASES[group] for group in ("validating", "mutating", "expressions")
)


@pytest.fixture(scope="module")
def validating(client: Client) -> Iterator[Mapping[str, Policies]]:
    """The policies of all cases, in force."""
    policies = {}
    for name, case in VALIDATING_CASES.items():
        made = policies[name] = new_policies(client)
        _add_param(made, name)
        made.validating(**case["spec"])
    await_policies(client)
    _await_params(client, policies)
    yield policies
    for made in policies.values():
        made.remove()


@pytest.fixture(scope="module")
def mutating(client: Client) -> Iterator[Mapping[str, Policies]]:
    """The policies of all cases, in force."""
    policies = {}
    for name, case in MUTATING_CASES.items():
        made = policies[name] = new_policies(client)
        _add_param(made, name)
        made.mutating(**case["spec"])
    await_policies(client)
    _await_params(client, policies)
    # A real server learns the types of resources later than that there are policies for them.
    known = policies["d_replicas"]
    eventually(
        lambda: client.post(known.namespace.deployments, deployment("x", 1), dryRun="All").status == 201,
        "the types of deployments should be known",
    )
    yield policies
    for made in policies.values():
        made.remove()


def _add_param(policies: Policies, name: str) -> None:
    if name.startswith("param"):
        param = config_map("param", {"want": "w"}, labels={"p": "one"})
        policies.namespace.create(policies.namespace.config_maps, param)


def _await_params(client: Client, policies: Mapping[str, Policies]) -> None:
    """A real server begins to look for parameters when there is a policy that wants some."""

    def are_known(place: str) -> bool:
        answer = client.post(place, config_map("x", {"k": "v", "n": "3"}), dryRun="All")
        return "not yet synced" not in answer.text

    for name, each in policies.items():
        if name.startswith("param"):
            place = each.namespace.config_maps
            eventually(lambda place=place: are_known(place), f"the parameters of {name} are known")  # type: ignore[misc]


@pytest.mark.parametrize("name", VALIDATING_CASES)
def test_validating(validating: Mapping[str, Policies], client: Client, name: str) -> None:
    policies, expected = validating[name], VALIDATING_CASES[name]["verdict"]
    options: Any = {"dryRun": "All"} if name == "request" else {}
    response = client.post(policies.namespace.config_maps, config_map("a", {"k": "v", "n": "3"}), **options)
    assert response.status == expected["status"], response.text
    verdict = policies.verdict(response)
    assert verdict.message == expected.get("message", "")
    assert verdict.reason == expected.get("reason", "")
    assert list(verdict.warnings) == expected.get("warnings", [])


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(client: Client, name: str) -> None:
    """Policies whose expressions do not compile are refused, with the places of what is wrong."""
    policies, case = new_policies(client), EXPRESSIONS[name]
    spec = {"reinvocationPolicy": "Never"} if case["kind"] == MUTATING else {}
    body = policies.body(case["kind"], "policy", {**spec, **case["spec"]})
    response = client.post(PATHS[case["kind"]], body, dryRun="All")
    assert policies.verdict(response).message == case["verdict"].get("message", "")
    assert response.status == case["verdict"]["status"]


@pytest.mark.parametrize("name", MUTATING_CASES)
def test_mutating(mutating: Mapping[str, Policies], client: Client, name: str) -> None:
    policies, case = mutating[name], MUTATING_CASES[name]
    is_deployment = case["resource"] == "deployments"
    obj = deployment("a", 3) if is_deployment else config_map("a", {"k": "v"})
    path = policies.namespace.deployments if is_deployment else policies.namespace.config_maps
    response = client.post(path, obj)
    expected = case["verdict"]
    assert response.status == expected["status"], response.text
    if response.status == 201:
        made = response.json()
        assert (made["spec"] if is_deployment else _told(made)) == expected["made"]
        return
    verdict = policies.verdict(response)
    assert verdict.reason == expected["reason"]
    if expected.get("own_words"):
        assert verdict.message.startswith(expected["message"])
    else:
        assert verdict.message == expected["message"]


def _told(obj: dict[str, Any]) -> dict[str, Any]:
    """What differs between two servers is left out."""
    made = {"uid", "resourceVersion", "creationTimestamp", "managedFields", "namespace"}
    metadata = {name: value for name, value in obj["metadata"].items() if name not in made}
    return {**obj, "metadata": metadata}


def test_denial_is_a_status(validating: Mapping[str, Policies], client: Client) -> None:
    """With the message among its causes, as it is without the name of the object."""
    policies = validating["forbidden"]
    status = client.post(policies.namespace.config_maps, config_map("b")).json()
    (cause,) = status["details"]["causes"]
    assert status["details"] == {"name": "b", "kind": "configmaps", "causes": [cause]}
    assert status["message"] == f'configmaps "b" is forbidden: {cause["message"]}'
    assert cause.keys() == {"message"}


def test_failure_is_a_status(mutating: Mapping[str, Policies], client: Client) -> None:
    """With one cause for each policy that fails, and a code that is not that of its reason."""
    policies = mutating["runtime"]
    status = client.post(policies.namespace.config_maps, config_map("b")).json()
    assert (status["code"], status["reason"]) == (403, "Invalid")
    causes = [{"message": status["message"]}]
    assert status["details"] == {"name": "b", "kind": "configmaps", "causes": causes}
