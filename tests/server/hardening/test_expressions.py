"""Rules and policies in CEL that use all that they may cost do not hold the event loop."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from kubewright.testing import Cluster
from tests.server.hardening.loop_holds import measure_holds
from tests.server.raw_http import DEADLINE, Answer, ask

RULED = "/apis/example.com/v1/namespaces/default/ruled"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

LONGEST = 0.4
"""Seconds of CPU time for which no callback may hold the loop here; these requests held it for one second."""

ELEMENTS = 400
"""With so many elements, a loop in a loop costs some 900,000: just less than one expression may."""


def send(cluster: Cluster, path: str, obj: object) -> Answer:
    answer = ask(cluster, "POST", path, json.dumps(obj).encode())
    assert answer is not None
    return answer


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none") as running:
        yield running


def measured(cluster: Cluster, path: str, obj: object) -> tuple[Answer, float]:
    with measure_holds() as holds:
        answer = send(cluster, path, obj)
        ready = ask(cluster, "GET", "/readyz")
    assert ready is not None
    assert ready.status == 200
    return answer, holds.longest


def test_rules_of_a_custom_resource(cluster: Cluster) -> None:
    rule = "self.a.all(x, self.a.all(y, x >= 0))"
    spec = {
        "type": "object",
        "properties": {"a": {"type": "array", "maxItems": ELEMENTS, "items": {"type": "integer"}}},
        "x-kubernetes-validations": [{"rule": f"{rule} && {n} >= 0"} for n in range(10)],
    }
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ruled.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "ruled", "kind": "Ruled"},
            "versions": [version],
        },
    }
    answer = send(cluster, DEFINITIONS, definition)
    assert answer.status == 201, answer.body[:500]

    def ruled(name: str, elements: int) -> dict[str, object]:
        metadata, values = {"name": name}, {"a": list(range(elements))}
        return {"apiVersion": "example.com/v1", "kind": "Ruled", "metadata": metadata, "spec": values}

    end = time.monotonic() + DEADLINE
    while (answer := send(cluster, RULED, ruled("small", 1))).status == 404:
        assert time.monotonic() < end
    assert answer.status == 201
    answer, longest = measured(cluster, RULED, ruled("costly", ELEMENTS))
    assert answer.status == 201, answer.body[:500]
    assert longest < LONGEST


@pytest.mark.parametrize("uses_authorizer", [False, True])
def test_policies(cluster: Cluster, uses_authorizer: bool) -> None:
    name = f"costly-{uses_authorizer}".lower()
    rule = "object.data.all(x, object.data.all(y, x != ''))"
    if uses_authorizer:
        rule += " && authorizer.group('').resource('pods').check('get').allowed()"
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": ["configmaps"],
                    }
                ],
                "objectSelector": {"matchLabels": {"policy": name}},
            },
            "validations": [{"expression": f"{rule} && {n} >= 0"} for n in range(10)]
            + [{"expression": "object.metadata.name != 'refused'"}],
        },
    }
    binding = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": ["Deny"]},
    }
    assert send(cluster, POLICIES, policy).status == 201
    assert send(cluster, BINDINGS, binding).status == 201

    def config_map(name_: str, keys: int) -> dict[str, object]:
        return {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name_, "labels": {"policy": name}},
            "data": {f"k{i}": "v" for i in range(keys)},
        }

    end = time.monotonic() + DEADLINE
    while send(cluster, f"{CONFIG_MAPS}?dryRun=All", config_map("refused", 1)).status != 422:
        assert time.monotonic() < end
    answer, longest = measured(cluster, CONFIG_MAPS, config_map(name, ELEMENTS - 50))
    assert answer.status == 201, answer.body[:500]
    assert longest < LONGEST
