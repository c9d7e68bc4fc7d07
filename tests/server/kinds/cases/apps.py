"""Deployments, ReplicaSets and ControllerRevisions."""

from __future__ import annotations

import copy
from typing import Any

from tests.server.kinds.harness import Case, Json

LABELS = {"app": "web"}
CONTAINER: Json = {"name": "web", "image": "nginx:1.27", "resources": {}}
TEMPLATE: Json = {"metadata": {"labels": LABELS}, "spec": {"containers": [CONTAINER]}}
SPEC: Json = {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}


def changed(base: Json, /, **fields: Any) -> Json:
    """A copy with fields set by path, `__` between the names; None takes a field away."""
    made = copy.deepcopy(base)
    for path, value in fields.items():
        *parents, name = path.split("__")
        at: Any = made
        for parent in parents:
            at = at[int(parent)] if isinstance(at, list) else at.setdefault(parent, {})
        if value is None:
            at.pop(name, None)
        else:
            at[name] = value
    return made


def workload(kind: str, /, name: str = "", **fields: Any) -> Json:
    """An object of the group, with fields of its spec changed; `status` is the whole status."""
    status = fields.pop("status", None)
    obj: Json = {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name or f"case-{kind.lower()}"},
        "spec": changed(SPEC, **fields),
    }
    if kind == "Deployment":
        obj["spec"].setdefault("strategy", {})
    if kind == "StatefulSet":
        obj["spec"].setdefault("serviceName", "")
    return obj if status is None else {**obj, "status": status}


def common(kind: str) -> list[Case]:
    """What all kinds with a selector and a template have to say."""

    def create(name: str, /, **fields: Any) -> Case:
        return Case(f"{kind}: {name}", workload(kind, **fields))

    def update(name: str, /, **fields: Any) -> Case:
        return Case(f"{kind}: {name}", workload(kind, **fields), workload(kind))

    expressions = "selector__matchExpressions"
    many = [
        {"key": "app", "operator": "In", "values": ["web", "db"]},
        {"key": "tier", "operator": "DoesNotExist"},
        {"key": "app", "operator": "NotIn", "values": ["cache"]},
        {"key": "app", "operator": "Exists"},
    ]
    return [
        create("minimal"),
        create("name with dots", name=f"case.{kind.lower()}") if kind != "StatefulSet" else create("again"),
        create("no selector", selector=None),
        create("empty selector", selector={}),
        create("no labels", template__metadata__labels=None),
        create("no selector and no labels", selector=None, template__metadata__labels=None),
        create("other labels", template__metadata__labels={"b": "2", "a": "1"}),
        create("invalid selector value", selector__matchLabels={"app": "-"}),
        create("invalid selector key", selector__matchLabels={"app/": "web"}),
        create("expressions", selector={"matchExpressions": many}),
        create("labels and expressions", **{expressions: many}),
        create("unknown operator", **{expressions: [{"key": "app", "operator": "Near", "values": ["a"]}]}),
        create("in without values", **{expressions: [{"key": "app", "operator": "In"}]}),
        create(
            "exists with values", **{expressions: [{"key": "app", "operator": "Exists", "values": ["a"]}]}
        ),
        create("in does not match", **{expressions: [{"key": "app", "operator": "In", "values": ["db"]}]}),
        create(
            "not in does not match", **{expressions: [{"key": "app", "operator": "NotIn", "values": ["web"]}]}
        ),
        create("exists does not match", **{expressions: [{"key": "tier", "operator": "Exists"}]}),
        create("absent does not match", **{expressions: [{"key": "app", "operator": "DoesNotExist"}]}),
        create("restart policy", template__spec__restartPolicy="Never"),
        create("deadline of pods", template__spec__activeDeadlineSeconds=5),
        create("negative minReadySeconds", minReadySeconds=-1),
        create("no containers", template__spec={}),
        create("invalid template labels", template__metadata__labels={"app": "web", "b": "?"}),
        create("invalid template annotations", template__metadata__annotations={"?": "1"}),
        create("status is dropped", status={"observedGeneration": 4}),
        update("nothing"),
        update("image", template__spec__containers__0__image="nginx:1.28"),
        update("selector", selector__matchLabels={"app": "other"}),
        update("selector and labels", **_both({"app": "other", "more": "1"})),
        update("selector expressions", **{expressions: many}),
        update("without selector", selector=None),
        update("labels that do not match", template__metadata__labels={"app": "other"}),
        update("negative minReadySeconds again", minReadySeconds=-1),
        update("status of an update", status={"observedGeneration": 4}),
    ]


def _both(labels: Json) -> Json:
    return {"selector__matchLabels": labels, "template__metadata__labels": labels}


def status(kind: str, name: str, **fields: Any) -> Case:
    """An update of the status alone."""
    return Case(f"{kind} status: {name}", workload(kind, status=fields), workload(kind), "status")


def counts(kind: str, *fields: str, also: Json | None = None) -> list[Case]:
    """One case for each number that may not be negative."""
    cases = [status(kind, f"negative {field}", **{**(also or {}), field: -1}) for field in fields]
    return [*cases, status(kind, "all negative", **{**(also or {}), **dict.fromkeys(fields, -2)})]


def deployment(name: str, **fields: Any) -> Case:
    return Case(f"Deployment: {name}", workload("Deployment", **fields))


def rolling(name: str, **fields: Any) -> Case:
    return deployment(name, strategy={"type": "RollingUpdate", "rollingUpdate": fields})


DEPLOYMENTS = [
    *common("Deployment"),
    deployment(
        "full",
        replicas=3,
        minReadySeconds=5,
        revisionHistoryLimit=2,
        progressDeadlineSeconds=30,
        paused=True,
        strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": "10%"}},
    ),
    deployment("no replicas", replicas=0),
    deployment("negative replicas", replicas=-3),
    deployment("recreate", strategy={"type": "Recreate"}),
    deployment(
        "recreate with rolling update", strategy={"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}
    ),
    deployment("unknown strategy", strategy={"type": "Never"}),
    deployment(
        "unknown strategy with rolling update", strategy={"type": "Never", "rollingUpdate": {"maxSurge": 1}}
    ),
    rolling("only surge", maxSurge=3),
    rolling("only unavailable", maxUnavailable="3%"),
    rolling("zero and zero", maxSurge=0, maxUnavailable=0),
    rolling("zero and zero percent", maxSurge="0%", maxUnavailable=0),
    rolling("zero as text", maxSurge="0%", maxUnavailable="0%"),
    rolling("negative surge", maxSurge=-1),
    rolling("negative unavailable", maxUnavailable=-1),
    rolling("surge is no percentage", maxSurge="5"),
    rolling("both are no percentages", maxSurge="many", maxUnavailable="some"),
    rolling("much surge", maxSurge="500%"),
    rolling("much unavailable", maxUnavailable="101%"),
    rolling("very much unavailable", maxUnavailable="99999999999999999999999%"),
    deployment("negative history", revisionHistoryLimit=-1),
    deployment("no history", revisionHistoryLimit=0),
    deployment("negative deadline", progressDeadlineSeconds=-1),
    deployment("deadline before ready", progressDeadlineSeconds=10, minReadySeconds=10),
    deployment(
        "everything wrong",
        replicas=-1,
        minReadySeconds=-1,
        revisionHistoryLimit=-1,
        progressDeadlineSeconds=-1,
        selector={},
        strategy={"type": "Never"},
    ),
    Case("Deployment: scaled", workload("Deployment", replicas=5), workload("Deployment")),
    Case(
        "Deployment: recreate instead",
        workload("Deployment", strategy={"type": "Recreate"}),
        workload("Deployment"),
    ),
    *counts(
        "Deployment",
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
    ),
    status(
        "Deployment",
        "full",
        observedGeneration=1,
        replicas=3,
        updatedReplicas=3,
        readyReplicas=2,
        availableReplicas=1,
        unavailableReplicas=2,
        terminatingReplicas=1,
        collisionCount=1,
        conditions=[
            {
                "type": "Available",
                "status": "True",
                "reason": "Because",
                "lastUpdateTime": "2026-01-01T00:00:00Z",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
        ],
    ),
    status("Deployment", "more updated", replicas=1, updatedReplicas=2),
    status("Deployment", "more ready", replicas=1, readyReplicas=2),
    status("Deployment", "more available", replicas=1, availableReplicas=2),
    status("Deployment", "available but not ready", replicas=2, availableReplicas=2, readyReplicas=1),
    Case(
        "Deployment status: spec is kept",
        workload("Deployment", replicas=9, status={"replicas": 1}),
        workload("Deployment"),
        "status",
    ),
]


def replica_set(name: str, **fields: Any) -> Case:
    return Case(f"ReplicaSet: {name}", workload("ReplicaSet", **fields))


REPLICA_SETS = [
    *common("ReplicaSet"),
    replica_set("full", replicas=3, minReadySeconds=5),
    replica_set("no replicas", replicas=0),
    replica_set("negative replicas", replicas=-3),
    Case("ReplicaSet: scaled", workload("ReplicaSet", replicas=5), workload("ReplicaSet")),
    *counts(
        "ReplicaSet",
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "observedGeneration",
        "terminatingReplicas",
    ),
    status(
        "ReplicaSet",
        "full",
        observedGeneration=1,
        replicas=3,
        fullyLabeledReplicas=3,
        readyReplicas=2,
        availableReplicas=1,
        terminatingReplicas=2,
    ),
    status("ReplicaSet", "more labeled", replicas=1, fullyLabeledReplicas=2),
    status("ReplicaSet", "more ready", replicas=1, readyReplicas=2),
    status("ReplicaSet", "more available", replicas=1, availableReplicas=2),
    status("ReplicaSet", "available but not ready", replicas=2, availableReplicas=2, readyReplicas=1),
]


def revision(**fields: Any) -> Json:
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": "case-revision"},
        "revision": 0,
        **fields,
    }


DATA = {"spec": {"b": [1, "x"], "a": None}}
REVISIONS = [
    Case("ControllerRevision: minimal", revision(data={})),
    Case("ControllerRevision: full", revision(data={"spec": {"b": [1, "x"]}}, revision=7)),
    Case("ControllerRevision: no data", revision()),
    Case("ControllerRevision: data is a list", revision(data=[1])),
    Case("ControllerRevision: data is a text", revision(data="x")),
    Case("ControllerRevision: negative", revision(data={}, revision=-1)),
    Case("ControllerRevision: renumbered", revision(data={"a": 1}, revision=2), revision(data={"a": 1})),
    Case("ControllerRevision: negative later", revision(data={"a": 1}, revision=-2), revision(data={"a": 1})),
    Case("ControllerRevision: other data", revision(data={"a": 2}), revision(data={"a": 1})),
    Case("ControllerRevision: data gone", revision(), revision(data={"a": 1})),
]

CASES = [*DEPLOYMENTS, *REPLICA_SETS, *REVISIONS]
