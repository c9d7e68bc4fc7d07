"""Objects with very many errors: validation ends early, and the answer lists the first of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from kubewright.testing import Cluster
from tests.server.hardening.loop_holds import measure_holds
from tests.server.raw_http import DEADLINE, Answer, ask

THINGS = "/apis/example.com/v1/namespaces/default/things"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PODS = "/api/v1/namespaces/default/pods"

LONGEST = 0.3
"""Seconds of CPU time for which no callback may hold the loop here; see test_large_requests."""


def post(cluster: Cluster, path: str, obj: object) -> Answer:
    answer = ask(cluster, "POST", path, json.dumps(obj).encode())
    assert answer is not None
    return answer


def definition() -> dict[str, object]:
    items = {
        "few": {"type": "array", "items": {"type": "string", "enum": [f"value-{i}" for i in range(50)]}},
        "many": {"type": "array", "items": {"type": "string", "enum": [f"value-{i}" for i in range(50_000)]}},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "ruled": {
            "type": "array",
            "maxItems": 100_000,
            "items": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]},
        },
    }
    spec = {"type": "object", "properties": items}
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [version],
        },
    }


def thing(**spec: object) -> dict[str, object]:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "bad"}, "spec": spec}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none") as running:
        answer = post(running, DEFINITIONS, definition())
        assert answer.status == 201, answer.body[:500]
        end = time.monotonic() + DEADLINE
        while post(running, THINGS, thing()).status == 404:
            assert time.monotonic() < end
        yield running


def refused(cluster: Cluster, path: str, obj: object) -> dict[str, object]:
    """The Status of an object that is invalid; neither does its validation hold the loop, nor is it long."""
    with measure_holds() as holds:
        answer = post(cluster, path, obj)
        ready = ask(cluster, "GET", "/readyz")
    assert ready is not None
    assert ready.status == 200
    assert answer.status == 422
    assert len(answer.body) < 3 * 1024 * 1024
    assert holds.longest < LONGEST, holds.name
    status: dict[str, object] = answer.json()
    return status


@pytest.mark.parametrize(
    ("spec", "causes"),
    [
        pytest.param({"few": ["x"] * 100_000}, 100, id="enum"),
        pytest.param({"many": ["x"] * 20_000}, 1, id="enum of very many"),
        pytest.param({"set": [f"v{i // 2}" for i in range(100_000)]}, 100, id="set"),
        pytest.param({"map": {f"k{i}": "x" for i in range(100_000)}}, 100, id="map"),
        pytest.param({"ruled": [1] * 5_000}, 100, id="rules"),
    ],
)
def test_custom_resources(cluster: Cluster, spec: dict[str, object], causes: int) -> None:
    status = refused(cluster, THINGS, thing(**spec))
    details, message = status["details"], status["message"]
    assert isinstance(details, dict)
    assert len(details["causes"]) == causes
    assert isinstance(message, str)
    assert message.endswith(", and further errors]")


def test_few_errors_are_all_listed(cluster: Cluster) -> None:
    status = refused(cluster, THINGS, thing(few=["x"] * 99))
    details, message = status["details"], status["message"]
    assert isinstance(details, dict)
    assert len(details["causes"]) == 100
    assert isinstance(message, str)
    assert "further" not in message


@pytest.mark.parametrize(("count", "more"), [(300, "and 500 further errors"), (60_000, "and further errors")])
def test_built_in_kinds(cluster: Cluster, count: int, more: str) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "bad"},
        "spec": {"containers": [{"name": "a", "image": "b"}], "tolerations": [{"operator": "Bad"}] * count},
    }
    status = refused(cluster, PODS, pod)
    details, message = status["details"], status["message"]
    assert isinstance(details, dict)
    assert len(details["causes"]) == 100
    assert isinstance(message, str)
    assert message.endswith(f", {more}]")


def test_a_field_manager_with_very_many_bad_characters(cluster: Cluster) -> None:
    # Each error shows the whole name.
    answer = ask(cluster, "POST", f"{PODS}?fieldManager={'%01' * 5_000}", b"{}")
    assert answer is not None
    assert answer.status == 422
    assert len(answer.body) < 3 * 1024 * 1024
