"""PodDisruptionBudgets."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.apps import changed
from tests.server.kinds.harness import Case, Json

SPEC: Json = {"selector": {"matchLabels": {"app": "web"}}}
NO_STATUS: Json = {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}


def budget(**fields: Any) -> Json:
    status = fields.pop("status", None)
    obj = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "case-budget"},
        "spec": changed(SPEC, **fields),
    }
    return obj if status is None else {**obj, "status": {**NO_STATUS, **status}}


def create(title: str, /, **fields: Any) -> Case:
    return Case(title, budget(**fields))


def update(title: str, /, **fields: Any) -> Case:
    return Case(title, budget(**fields), budget())


def status(title: str, /, **fields: Any) -> Case:
    return Case(f"status: {title}", budget(status=fields), budget(), "status")


def condition(**fields: Any) -> Json:
    made = {"type": "DisruptionAllowed", "status": "True", "reason": "SufficientPods", "message": ""}
    return {**made, "lastTransitionTime": "2026-01-01T00:00:00Z", **fields}


OLD_KEY = {"key": "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match", "operator": "Exists"}
TIER = {"key": "tier", "operator": "In", "values": ["a", "b"]}

CASES = [
    create("minimal"),
    create("no selector", selector=None),
    create("empty selector", selector={}),
    create("full", minAvailable="50%", unhealthyPodEvictionPolicy="AlwaysAllow"),
    create("max unavailable", maxUnavailable=1, unhealthyPodEvictionPolicy="IfHealthyBudget"),
    create("status is dropped", status={"disruptionsAllowed": 3}),
    create("both", minAvailable=1, maxUnavailable="10%"),
    create(
        "both with expressions",
        minAvailable=1,
        maxUnavailable=2,
        selector__matchExpressions=[TIER],
        unhealthyPodEvictionPolicy="AlwaysAllow",
    ),
    create("both without selector", minAvailable=1, maxUnavailable=2, selector=None),
    create("negative available", minAvailable=-1),
    create("negative unavailable", maxUnavailable=-1),
    create("much available", minAvailable="101%"),
    create("much unavailable", maxUnavailable="101%"),
    create("available is no percentage", minAvailable="some"),
    create("unavailable is no percentage", maxUnavailable="10"),
    create("all available", minAvailable="100%"),
    create("invalid label", selector__matchLabels={"app": "?"}),
    create("invalid expression", selector__matchExpressions=[{"key": "a", "operator": "Near"}]),
    create("unknown policy", unhealthyPodEvictionPolicy="Never"),
    create("match none", selector={"matchExpressions": [OLD_KEY]}),
    create("old key with another", selector={"matchExpressions": [OLD_KEY, TIER]}),
    create("old key with labels", selector__matchExpressions=[OLD_KEY]),
    create("old key with operator", selector={"matchExpressions": [{**OLD_KEY, "operator": "DoesNotExist"}]}),
    update("nothing"),
    update("available", minAvailable=2),
    update("selector", selector__matchLabels={"app": "other"}),
    update("both later", minAvailable=1, maxUnavailable=2),
    update("invalid label later", selector__matchLabels={"app": "?"}),
    update("status of an update", status={"disruptionsAllowed": 3}),
    status(
        "full",
        disruptionsAllowed=1,
        currentHealthy=3,
        desiredHealthy=2,
        expectedPods=3,
        observedGeneration=1,
        disruptedPods={"web-1": "2026-01-01T00:00:00Z"},
        conditions=[condition(observedGeneration=1)],
    ),
    *[status(f"negative {field}", **{field: -1}) for field in NO_STATUS],
    status("all negative", **dict.fromkeys(NO_STATUS, -1)),
    status("conditions twice", conditions=[condition(), condition()]),
    status("condition without reason", conditions=[condition(reason="")]),
    status("condition with bad reason", conditions=[condition(reason="a b")]),
    status("condition with unknown status", conditions=[condition(status="?")]),
    status("condition with bad type", conditions=[condition(type="a b")]),
    status("condition with negative generation", conditions=[condition(observedGeneration=-1)]),
    Case(
        "status: spec is kept", budget(minAvailable=4, status={"disruptionsAllowed": 1}), budget(), "status"
    ),
]
