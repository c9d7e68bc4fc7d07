"""When the statuses of workloads tell of what there is."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.differential import State
from tests.cluster.workloads.consistent import is_consistent

LABELS = {"app": "web", "pod-template-hash": "h"}
COUNTS = {"replicas": 2, "readyReplicas": 1, "availableReplicas": 1, "observedGeneration": 3}


def pod(name: str, *, ready: bool, **metadata: Any) -> dict[str, Any]:
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    return {
        "kind": "Pod",
        "metadata": {"name": name, "labels": LABELS, **metadata},
        "status": {"phase": "Running", "conditions": [condition]},
    }


def rolled_out() -> State:
    """A Deployment with two pods, of which one is ready."""
    owners = [{"uid": "of-the-deployment"}]
    return {
        "Deployment": [
            {
                "kind": "Deployment",
                "metadata": {"uid": "of-the-deployment", "generation": 3},
                "status": dict(COUNTS),
            }
        ],
        "ReplicaSet": [
            {
                "kind": "ReplicaSet",
                "metadata": {"uid": "of-the-set", "generation": 3, "ownerReferences": owners},
                "spec": {"replicas": 2, "selector": {"matchLabels": LABELS}},
                "status": dict(COUNTS),
            }
        ],
        "ReplicationController": [
            {
                "kind": "ReplicationController",
                "metadata": {"uid": "of-the-controller", "generation": 1},
                "spec": {"replicas": 0, "selector": {"app": "other"}},
                "status": {"replicas": 0, "observedGeneration": 1},
            }
        ],
        "Pod": [pod("a", ready=True), pod("b", ready=False)],
    }


def changed(kind: str, part: str, **values: Any) -> Callable[[State], None]:
    def change(state: State) -> None:
        state[kind][0][part].update(values)

    return change


def test_all_is_told() -> None:
    assert is_consistent(rolled_out())
    assert is_consistent({kind: [] for kind in rolled_out()})


@pytest.mark.parametrize(
    "change",
    [
        changed("Deployment", "metadata", generation=4),
        changed("Deployment", "status", replicas=3),
        changed("Deployment", "status", readyReplicas=2),
        changed("Deployment", "status", availableReplicas=2),
        changed("ReplicaSet", "metadata", generation=4),
        changed("ReplicaSet", "metadata", ownerReferences=[]),
        changed("ReplicaSet", "spec", replicas=3),
        changed("ReplicaSet", "status", readyReplicas=2),
        changed("ReplicationController", "spec", replicas=1),
        changed("ReplicationController", "spec", selector={"app": "web"}),
        changed("Pod", "metadata", labels={"app": "gone"}),
        changed("Pod", "metadata", deletionTimestamp="2026-01-01T00:00:00Z"),
        changed("Pod", "status", phase="Failed"),
        changed("Pod", "status", conditions=[]),
    ],
)
def test_somebody_has_yet_to_come(change: Callable[[State], None]) -> None:
    state = rolled_out()
    change(state)
    assert not is_consistent(state)


def test_pods_that_cannot_be_created_are_not_waited_for() -> None:
    state = rolled_out()
    failing = [{"type": "ReplicaFailure", "status": "True"}]
    state["ReplicaSet"][0]["spec"]["replicas"] = 5
    assert not is_consistent(state)
    state["ReplicaSet"][0]["status"]["conditions"] = failing
    assert is_consistent(state)


def test_what_is_on_its_way_out_says_nothing() -> None:
    state = rolled_out()
    ending = copy.deepcopy(state["ReplicaSet"][0])
    ending["metadata"] = {"uid": "ending", "generation": 9, "deletionTimestamp": "2026-01-01T00:00:00Z"}
    state["ReplicaSet"].append(ending)
    assert is_consistent(state)
