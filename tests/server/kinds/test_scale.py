"""The `/scale` subresource of workloads."""

from __future__ import annotations

import copy

import pytest

from kubewright.server.kinds import Object
from kubewright.server.kinds.scale import apply_scale, scale_of, scale_uid_error

METADATA = {
    "name": "web",
    "namespace": "default",
    "uid": "u",
    "resourceVersion": "7",
    "creationTimestamp": "2026-01-01T00:00:00Z",
}
SELECTOR = {
    "matchLabels": {"app": "web"},
    "matchExpressions": [
        {"key": "x", "operator": "NotIn", "values": ["c", "b"]},
        {"key": "a", "operator": "DoesNotExist"},
    ],
}


def workload(selector: Object | None, replicas: int = 3) -> Object:
    spec = {"replicas": replicas} if selector is None else {"replicas": replicas, "selector": selector}
    return {"metadata": {**METADATA, "labels": {"a": "1"}}, "spec": spec, "status": {"replicas": 2}}


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet"])
def test_what_a_scale_shows(kind: str) -> None:
    assert scale_of(kind, workload(SELECTOR)) == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": METADATA,
        "spec": {"replicas": 3},
        "status": {"replicas": 2, "selector": "!a,app=web,x notin (b,c)"},
    }


def test_a_replication_controller_selects_by_labels() -> None:
    made = scale_of("ReplicationController", workload({"b": "1", "a": "2"}))

    assert made["status"] == {"replicas": 2, "selector": "a=2,b=1"}


@pytest.mark.parametrize("selector", [None, {}, {"matchLabels": {"?": "?"}}])
def test_without_a_selector_there_is_no_text(selector: Object | None) -> None:
    made = scale_of("Deployment", workload(selector, replicas=0))

    assert made["status"] == {"replicas": 2}
    assert made["spec"] == {}


def test_applying_a_scale_changes_the_replicas_and_the_version() -> None:
    obj = workload(SELECTOR)
    kept = copy.deepcopy(obj)

    made = apply_scale(obj, {"metadata": {"resourceVersion": "9"}, "spec": {"replicas": 5}})

    assert made["spec"] == {"replicas": 5, "selector": SELECTOR}
    assert made["metadata"] == {**METADATA, "labels": {"a": "1"}, "resourceVersion": "9"}
    assert obj == kept


def test_a_scale_without_replicas_means_none() -> None:
    made = apply_scale(workload(SELECTOR), {"spec": {}})

    assert made["spec"]["replicas"] == 0
    assert "resourceVersion" not in made["metadata"]


def test_a_scale_of_another_object_is_told() -> None:
    obj = workload(SELECTOR)

    assert scale_uid_error(obj, {}) == scale_uid_error(obj, {"metadata": {"uid": "u"}}) == ""
    assert scale_uid_error(obj, {"metadata": {"uid": "x"}}) == (
        "Precondition failed: UID in precondition: x, UID in object meta: u"
    )
