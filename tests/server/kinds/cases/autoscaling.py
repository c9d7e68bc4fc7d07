"""HorizontalPodAutoscalers in the form of autoscaling/v2."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.apps import changed
from tests.server.kinds.harness import Case, Json

SPEC: Json = {
    "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
    "maxReplicas": 5,
}


def autoscaler(**fields: Any) -> Json:
    status = fields.pop("status", None)
    obj = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "case-autoscaler"},
        "spec": changed(SPEC, **fields),
    }
    return obj if status is None else {**obj, "status": status}


def create(title: str, /, **fields: Any) -> Case:
    return Case(title, autoscaler(**fields))


def update(title: str, old: Json | None = None, /, **fields: Any) -> Case:
    return Case(title, autoscaler(**fields), old or autoscaler())


def metric(title: str, kind: str, /, **source: Any) -> Case:
    field = kind[:1].lower() + kind[1:]
    return create(f"{kind}: {title}", metrics=[{"type": kind, field: source}])


def target(kind: str, **values: Any) -> Json:
    return {"type": kind, **values}


def behavior(title: str, /, **rules: Any) -> Case:
    return create(f"behavior: {title}", behavior=rules)


def policy(title: str, /, **fields: Any) -> Case:
    made = {"type": "Pods", "value": 1, "periodSeconds": 10, **fields}
    return behavior(f"policy {title}", scaleUp={"policies": [made]})


DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
NAMED = {"name": "requests"}
VALUE = target("Value", value="10")
AVERAGE = target("AverageValue", averageValue="10")
USED = target("Utilization", averageUtilization=50)
OBJECT: Json = {"describedObject": DEPLOYMENT, "metric": NAMED, "target": VALUE}
EXTERNAL: Json = {"metric": NAMED, "target": AVERAGE}
NO_GROUP = autoscaler(
    metrics=[
        {
            "type": "Object",
            "object": {**OBJECT, "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "web"}},
        }
    ]
)

CASES = [
    create("minimal"),
    create(
        "full",
        minReplicas=2,
        metrics=[
            {
                "type": "Resource",
                "resource": {"name": "memory", "target": target("AverageValue", averageValue="1Gi")},
            },
            {
                "type": "ContainerResource",
                "containerResource": {"name": "cpu", "container": "web", "target": USED},
            },
            {
                "type": "Pods",
                "pods": {"metric": {"name": "x", "selector": {"matchLabels": {"a": "1"}}}, "target": AVERAGE},
            },
            {"type": "Object", "object": OBJECT},
            {"type": "External", "external": EXTERNAL},
        ],
        behavior={
            "scaleUp": {
                "stabilizationWindowSeconds": 3,
                "selectPolicy": "Min",
                "tolerance": "50m",
                "policies": [{"type": "Percent", "value": 10, "periodSeconds": 60}],
            },
            "scaleDown": {"selectPolicy": "Disabled"},
        },
    ),
    create("status is dropped", status={"desiredReplicas": 4, "currentMetrics": None}),
    create("no minimum", minReplicas=0),
    create("no minimum with external", minReplicas=0, metrics=[{"type": "External", "external": EXTERNAL}]),
    create("negative minimum", minReplicas=-1),
    create("no maximum", maxReplicas=0),
    create("negative maximum", maxReplicas=-1),
    create("minimum above maximum", minReplicas=7),
    create("no target kind", scaleTargetRef__kind=""),
    create("no target name", scaleTargetRef__name=""),
    create("no target version", scaleTargetRef__apiVersion=None),
    create("no target at all", scaleTargetRef={"kind": "", "name": ""}),
    create("target kind with slash", scaleTargetRef__kind="a/b"),
    create("target name with percent", scaleTargetRef__name="a%b"),
    create("target name of dots", scaleTargetRef__name=".."),
    create("target version with slashes", scaleTargetRef__apiVersion="a/b/c"),
    create("target version of core", scaleTargetRef__apiVersion="v1"),
    create("target version of a slash", scaleTargetRef__apiVersion="/"),
    create("replication controller", scaleTargetRef={"kind": "ReplicationController", "name": "web"}),
    create(
        "replication controller of v1",
        scaleTargetRef={"kind": "ReplicationController", "name": "web", "apiVersion": "v1"},
    ),
    create(
        "replication controller of nothing",
        scaleTargetRef={"kind": "ReplicationController", "name": "web", "apiVersion": "a/b/c"},
    ),
    create("metric without type", metrics=[{"type": ""}]),
    create("metric with unknown type", metrics=[{"type": "Feeling"}]),
    create("metric without source", metrics=[{"type": "Pods"}]),
    create("metric with other source", metrics=[{"type": "Pods", "external": EXTERNAL}]),
    create("metric with two sources", metrics=[{"type": "External", "external": EXTERNAL, "object": OBJECT}]),
    create("unknown metric with a source", metrics=[{"type": "?", "external": EXTERNAL}]),
    metric("fine", "Object", **OBJECT),
    metric(
        "core group",
        "Object",
        **{**OBJECT, "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "a"}},
    ),
    metric("no group", "Object", **{**OBJECT, "describedObject": {"kind": "Service", "name": "a"}}),
    metric(
        "bad group",
        "Object",
        **{**OBJECT, "describedObject": {"apiVersion": "a/b/c", "kind": "A/B", "name": ""}},
    ),
    metric("no target", "Object", **{**OBJECT, "target": {"type": ""}}),
    metric("unknown target", "Object", **{**OBJECT, "target": {"type": "Feeling"}}),
    metric("no values", "Object", **{**OBJECT, "target": {"type": "Value"}}),
    metric("zero", "Object", **{**OBJECT, "target": target("Value", value="0")}),
    metric("negative", "Object", **{**OBJECT, "target": target("Value", value="-1", averageValue="-500m")}),
    metric("both", "Object", **{**OBJECT, "target": target("Value", value="1", averageValue="1")}),
    metric("no name", "Object", **{**OBJECT, "metric": {"name": ""}}),
    metric("bad name", "Object", **{**OBJECT, "metric": {"name": "a/b%"}}),
    metric("fine", "External", **EXTERNAL),
    metric("no values", "External", **{**EXTERNAL, "target": {"type": "Value"}}),
    metric("both", "External", **{**EXTERNAL, "target": target("Value", value="1", averageValue="1")}),
    metric("no name", "External", **{**EXTERNAL, "metric": {"name": ""}}),
    metric("fine", "Pods", metric=NAMED, target=AVERAGE),
    metric("value", "Pods", metric=NAMED, target=VALUE),
    metric("no name", "Pods", metric={"name": ""}, target=AVERAGE),
    metric("fine", "Resource", name="cpu", target=USED),
    metric("no name", "Resource", name="", target=USED),
    metric("no values", "Resource", name="cpu", target={"type": "Utilization"}),
    metric(
        "both", "Resource", name="cpu", target=target("Utilization", averageUtilization=1, averageValue="1")
    ),
    metric("no use", "Resource", name="cpu", target=target("Utilization", averageUtilization=0)),
    metric("negative use", "Resource", name="cpu", target=target("Utilization", averageUtilization=-1)),
    metric("fine", "ContainerResource", name="cpu", container="web", target=USED),
    metric("no names", "ContainerResource", name="", container="", target=USED),
    metric("bad container", "ContainerResource", name="cpu", container="A_b", target=USED),
    metric("bad resource", "ContainerResource", name="time", container="web", target=USED),
    metric("worse resource", "ContainerResource", name="a b", container="web", target=USED),
    metric("extended resource", "ContainerResource", name="example.com/gpu", container="web", target=USED),
    metric(
        "both",
        "ContainerResource",
        name="cpu",
        container="web",
        target=target("Utilization", averageUtilization=1, averageValue="1"),
    ),
    metric("no values", "ContainerResource", name="cpu", container="web", target={"type": "Utilization"}),
    behavior("empty"),
    behavior("up", scaleUp={"selectPolicy": "Min"}),
    behavior("down", scaleDown={"stabilizationWindowSeconds": 10}),
    behavior("negative window", scaleUp={"stabilizationWindowSeconds": -1}),
    behavior("long window", scaleDown={"stabilizationWindowSeconds": 3601}),
    behavior("longest window", scaleDown={"stabilizationWindowSeconds": 3600}),
    behavior("unknown select", scaleDown={"selectPolicy": "Best"}),
    behavior("tolerance", scaleUp={"tolerance": "0"}, scaleDown={"tolerance": "1500m"}),
    behavior("negative tolerance", scaleUp={"tolerance": "-100m"}),
    policy("fine"),
    policy("unknown", type="Nodes"),
    policy("of nothing", value=0),
    policy("negative", value=-1, periodSeconds=-1),
    policy("of no time", periodSeconds=0),
    policy("of much time", periodSeconds=1801),
    update("nothing"),
    update("more", minReplicas=3, maxReplicas=9),
    update("no maximum later", maxReplicas=0),
    update("no minimum later", minReplicas=0),
    update("other target", scaleTargetRef__kind="ReplicaSet", scaleTargetRef__apiVersion="v1"),
    update("other name", scaleTargetRef__name="other"),
    update("core object stays", NO_GROUP, metrics=NO_GROUP["spec"]["metrics"]),
    update(
        "bad object later",
        metrics=[
            {
                "type": "Object",
                "object": {
                    **OBJECT,
                    "describedObject": {"apiVersion": "a/b/c", "kind": "Service", "name": "web"},
                },
            }
        ],
    ),
    update("status of an update", status={"desiredReplicas": 4, "currentMetrics": None}),
    Case(
        "status: full",
        autoscaler(
            status={
                "observedGeneration": 1,
                "lastScaleTime": "2026-01-01T00:00:00Z",
                "currentReplicas": 1,
                "desiredReplicas": 2,
                "currentMetrics": [
                    {
                        "type": "Resource",
                        "resource": {
                            "name": "cpu",
                            "current": {"averageUtilization": 4, "averageValue": "3"},
                        },
                    }
                ],
                "conditions": [
                    {"type": "AbleToScale", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
                ],
            }
        ),
        autoscaler(),
        "status",
    ),
    Case(
        "status: negative",
        autoscaler(status={"currentReplicas": -1, "desiredReplicas": -2}),
        autoscaler(),
        "status",
    ),
    Case(
        "status: spec is kept",
        autoscaler(maxReplicas=0, status={"desiredReplicas": 1, "currentMetrics": None}),
        autoscaler(),
        "status",
    ),
]
