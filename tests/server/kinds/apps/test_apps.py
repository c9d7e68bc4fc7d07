"""What the recorded cases cannot show of the group `apps`: metadata, generations, and stored objects."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright.server.kinds import Context, Object, kind_of
from tests.server.kinds.cases.apps import workload

CONTEXT = Context(now=datetime(2026, 1, 1, tzinfo=UTC))
TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
ROLLBACK = "deprecated.deployment.rollback.to"
RESOURCES = {
    "Deployment": "deployments",
    "ReplicaSet": "replicasets",
    "StatefulSet": "statefulsets",
    "DaemonSet": "daemonsets",
}


def made(kind: str, annotations: dict[str, str] | None = None, **fields: Any) -> Object:
    obj = workload(kind, **fields)
    if annotations:
        obj["metadata"]["annotations"] = dict(annotations)
    rules = kind_of("apps", RESOURCES[kind])
    rules.default(obj)
    rules.prepare_create(obj, CONTEXT)
    return obj


def updated(kind: str, old: Object, annotations: dict[str, str] | None = None, **fields: Any) -> Object:
    obj = workload(kind, **fields)
    obj["metadata"]["annotations"] = dict(annotations or {})
    rules = kind_of("apps", RESOURCES[kind])
    rules.default(obj)
    rules.prepare_update(obj, old, CONTEXT)
    return obj


@pytest.mark.parametrize(("given", "stored"), [(None, "1"), ("7", "7"), ("-7", "1"), ("seven", "1")])
def test_a_daemon_set_starts_with_a_template_generation(given: str | None, stored: str) -> None:
    obj = made("DaemonSet", {} if given is None else {TEMPLATE_GENERATION: given})

    assert obj["metadata"]["annotations"] == {TEMPLATE_GENERATION: stored}


def test_the_template_generation_counts_changes_of_the_template_alone() -> None:
    old = made("DaemonSet", {TEMPLATE_GENERATION: "4"})

    other = updated("DaemonSet", old, {"a": "1", TEMPLATE_GENERATION: "99"}, minReadySeconds=3)
    newer = updated("DaemonSet", old, template__spec__containers__0__image="nginx:2")

    assert other["metadata"]["annotations"] == {"a": "1", TEMPLATE_GENERATION: "4"}
    assert newer["metadata"]["annotations"] == {TEMPLATE_GENERATION: "5"}


def test_a_status_update_keeps_the_template_generation() -> None:
    old, obj = made("DaemonSet", {TEMPLATE_GENERATION: "4"}), workload("DaemonSet", status={"numberReady": 1})

    kind_of("apps", "daemonsets").subresources["status"].prepare(obj, old, CONTEXT)

    assert obj["metadata"]["annotations"] == {TEMPLATE_GENERATION: "4"}
    assert obj["spec"] is old["spec"]


@pytest.mark.parametrize("kind", RESOURCES)
def test_a_changed_spec_is_a_new_generation(kind: str) -> None:
    rules, old = kind_of("apps", RESOURCES[kind]), made(kind)
    assert rules.generation is not None

    assert not rules.generation(updated(kind, old), old)
    assert rules.generation(updated(kind, old, minReadySeconds=1), old)
    assert rules.generation(updated(kind, old, {"a": "1"}), old) == (kind == "Deployment")


def test_the_annotation_that_rolls_back_is_a_number() -> None:
    rules = kind_of("apps", "deployments")

    assert made("Deployment", {ROLLBACK: "007", "a": "1"})["metadata"]["annotations"] == {
        ROLLBACK: "7",
        "a": "1",
    }
    assert made("Deployment", {ROLLBACK: "", "a": "1"})["metadata"]["annotations"] == {"a": "1"}
    assert "annotations" not in made("Deployment", {ROLLBACK: ""})["metadata"]
    assert [error.field for error in rules.validate(made("Deployment", {ROLLBACK: "-1"}))] == [
        "spec.rollback.version"
    ]


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet"])
@pytest.mark.parametrize(("count", "shown"), [(2, "2"), (None, "0")])
def test_the_count_of_collisions_only_grows(kind: str, count: int | None, shown: str) -> None:
    rules, old = kind_of("apps", RESOURCES[kind]).subresources["status"], made(kind)
    old["status"] = {**old["status"], "collisionCount": 3}
    obj = copy.deepcopy(old)
    assert rules.validate(obj, old) == []

    obj["status"]["collisionCount"] = count
    if count is None:
        del obj["status"]["collisionCount"]

    assert [tuple(error) for error in rules.validate(obj, old)] == [
        ("FieldValueInvalid", "status.collisionCount", f"Invalid value: {shown}: cannot be decremented")
    ]


def test_a_stateful_set_that_has_max_unavailable_keeps_it() -> None:
    rules, old = kind_of("apps", "statefulsets"), made("StatefulSet")
    assert "maxUnavailable" not in old["spec"]["updateStrategy"]["rollingUpdate"]
    old["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"] = 1

    obj = updated("StatefulSet", old, updateStrategy={"rollingUpdate": {"maxUnavailable": "0%"}})

    assert [tuple(error) for error in rules.validate_update(obj, old)] == [
        (
            "FieldValueInvalid",
            "spec.updateStrategy.rollingUpdate.maxUnavailable",
            'Invalid value: "0%": cannot be 0',
        )
    ]


def test_a_stateful_set_with_a_template_that_was_always_wrong_can_be_scaled() -> None:
    rules, old = kind_of("apps", "statefulsets"), made("StatefulSet")
    wrong: Any = {"template__spec__containers__0__name": "Not_A_Label"}
    assert rules.validate_update(updated("StatefulSet", old, replicas=2, **wrong), old)

    stored = made("StatefulSet", **wrong)

    assert rules.validate_update(updated("StatefulSet", stored, replicas=2, **wrong), stored) == []


@pytest.mark.parametrize("resource", RESOURCES.values())
def test_only_names_select_by_field(resource: str) -> None:
    # Upstream knows `status.replicas` of ReplicaSets, but no served version of the group lets it pass.
    assert kind_of("apps", resource).fields is None


def test_the_status_of_a_deployment_does_not_write_its_labels() -> None:
    old, obj = made("Deployment"), made("Deployment")
    old["metadata"]["labels"] = {"a": "1"}
    obj["metadata"]["labels"] = {"b": "1"}

    kind_of("apps", "deployments").subresources["status"].prepare(obj, old, CONTEXT)

    assert obj["metadata"]["labels"] == {"a": "1"}
