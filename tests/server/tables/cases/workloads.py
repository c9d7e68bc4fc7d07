"""apps, batch, autoscaling and policy."""

from __future__ import annotations

from typing import Any

from tests.server.tables.harness import Case

Json = dict[str, Any]

_LABELS = {"b": "2", "app": "web"}
_TEMPLATE: Json = {
    "metadata": {"labels": _LABELS},
    "spec": {"containers": [{"name": "a", "image": "x:1"}, {"name": "b", "image": "y:2"}]},
}
_ONCE: Json = {"spec": {**_TEMPLATE["spec"], "restartPolicy": "Never"}}
_EXPRESSIONS = {
    "matchLabels": {"app": "web"},
    "matchExpressions": [
        {"key": "b", "operator": "In", "values": ["2", "1"]},
        {"key": "z", "operator": "DoesNotExist"},
        {"key": "app", "operator": "Exists"},
        {"key": "c", "operator": "NotIn", "values": ["3"]},
    ],
}


def _app(kind: str, **spec: Any) -> Json:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "spec": {"selector": {"matchLabels": _LABELS}, "template": _TEMPLATE, **spec},
    }


def _job(**spec: Any) -> Json:
    return {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": _ONCE, **spec}}


def _conditions(*kinds: str, status: str = "True") -> list[Json]:
    return [{"type": kind, "status": status} for kind in kinds]


def _cron(**spec: Any) -> Json:
    job = {"spec": {"template": _ONCE}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "spec": {"schedule": "*/5 * * * *", "jobTemplate": job, **spec},
    }


def _hpa(*metrics: Json, **spec: Any) -> Json:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "spec": {"scaleTargetRef": target, "maxReplicas": 5, "metrics": list(metrics), **spec},
    }


def _v1_hpa(**spec: Any) -> Json:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    return {
        "apiVersion": "autoscaling/v1",
        "kind": "HorizontalPodAutoscaler",
        "spec": {"scaleTargetRef": target, "maxReplicas": 3, **spec},
    }


def _resource(container: str = "", **target: Any) -> Json:
    kind = {"averageUtilization": "Utilization"}.get(next(iter(target)), "AverageValue")
    found = {"name": "cpu", "target": {"type": kind, **target}}
    if container:
        return {"type": "ContainerResource", "containerResource": {"container": container, **found}}
    return {"type": "Resource", "resource": found}


def _pods(value: str) -> Json:
    return {
        "type": "Pods",
        "pods": {"metric": {"name": "m"}, "target": {"type": "AverageValue", "averageValue": value}},
    }


def _object(**target: Any) -> Json:
    kind = {"value": "Value"}.get(next(iter(target)), "AverageValue")
    return {
        "type": "Object",
        "object": {
            "describedObject": {"kind": "Service", "name": "s"},
            "metric": {"name": "m"},
            "target": {"type": kind, **target},
        },
    }


def _external(**target: Any) -> Json:
    kind = {"value": "Value"}.get(next(iter(target)), "AverageValue")
    return {"type": "External", "external": {"metric": {"name": "m"}, "target": {"type": kind, **target}}}


def _current(metric: Json, **current: Any) -> Json:
    """The status of a metric."""
    kind = metric["type"]
    field = kind[0].lower() + kind[1:]
    source = {name: value for name, value in metric[field].items() if name != "target"}
    return {"type": kind, field: {**source, "current": current}}


def _measured(*metrics: Json, replicas: int = 2) -> Json:
    return {
        "currentReplicas": replicas,
        "desiredReplicas": 3,
        "currentMetrics": list(metrics),
        "conditions": [],
    }


def _budget(**spec: Any) -> Json:
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "spec": spec}


_USE, _VALUE = _resource(averageUtilization=80), _resource(averageValue="100m")
_BOX_USE, _BOX_VALUE = _resource("a", averageUtilization=70), _resource("a", averageValue="1Gi")
_OF_PODS = _pods("1500m")
_OF_OBJECT, _OF_OBJECT_AVERAGE = _object(value="2k"), _object(averageValue="3")
_OUTSIDE, _OUTSIDE_AVERAGE = _external(value="10"), _external(averageValue="5500m")

CASES = [
    Case("deployment new", _app("Deployment")),
    Case(
        "deployment",
        _app("Deployment", replicas=5),
        {"replicas": 4, "updatedReplicas": 3, "readyReplicas": 2, "availableReplicas": 1},
        subresource="scale",
    ),
    Case("deployment none", _app("Deployment", replicas=0)),
    Case("deployment expressions", _app("Deployment", selector=_EXPRESSIONS)),
    Case("replica set new", _app("ReplicaSet")),
    Case(
        "replica set",
        _app("ReplicaSet", replicas=4, selector=_EXPRESSIONS),
        {"replicas": 3, "readyReplicas": 2, "fullyLabeledReplicas": 1},
    ),
    Case("stateful set new", _app("StatefulSet", serviceName="s")),
    Case("stateful set", _app("StatefulSet", replicas=3), {"replicas": 3, "readyReplicas": 2}),
    Case("daemon set new", _app("DaemonSet")),
    Case(
        "daemon set",
        _app(
            "DaemonSet",
            selector=_EXPRESSIONS,
            template={
                **_TEMPLATE,
                "spec": {**_TEMPLATE["spec"], "nodeSelector": {"disk": "ssd", "arch": "arm"}},
            },
        ),
        {
            "desiredNumberScheduled": 5,
            "currentNumberScheduled": 4,
            "numberReady": 3,
            "updatedNumberScheduled": 2,
            "numberAvailable": 1,
            "numberMisscheduled": 0,
        },
    ),
    Case(
        "revision",
        {"apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": 7, "data": {"a": 1}},
    ),
    *[
        Case(
            f"revision of {kind}",
            {
                "apiVersion": "apps/v1",
                "kind": "ControllerRevision",
                "revision": 1,
                "data": {},
                "metadata": {
                    "ownerReferences": [
                        {"apiVersion": "v1", "kind": "Other", "name": "o", "uid": "1"},
                        {"apiVersion": version, "kind": kind, "name": "n", "uid": "2", "controller": True},
                    ]
                },
            },
        )
        for version, kind in (("apps/v1", "StatefulSet"), ("v1", "Pod"))
    ],
    Case("job new", _job()),
    Case("job suspended", _job(suspend=True), {"conditions": _conditions("Suspended")}),
    Case("job not suspended", _job(suspend=True), {"conditions": _conditions("Suspended", status="False")}),
    Case("job parallel", _job(parallelism=4)),
    Case(
        "job of completions",
        _job(completions=3, parallelism=2),
        {"startTime": "9m ago", "succeeded": 1, "active": 1},
    ),
    Case("job running", _job(), {"startTime": "119s ago", "active": 1}),
    Case(
        "job complete",
        _job(),
        {
            "startTime": "3h ago",
            "completionTime": "2h ago",
            "succeeded": 1,
            "conditions": _conditions("SuccessCriteriaMet", "Complete"),
        },
    ),
    Case(
        "job success criteria",
        _job(),
        {"startTime": "3m ago", "conditions": _conditions("SuccessCriteriaMet")},
    ),
    Case("job failure target", _job(), {"startTime": "4m ago", "conditions": _conditions("FailureTarget")}),
    Case(
        "job failed",
        _job(),
        {"startTime": "5d ago", "conditions": _conditions("FailureTarget", "Failed"), "failed": 3},
    ),
    Case("job deleted", _job(), deleted=True),
    Case(
        "job deleted after failure",
        _job(),
        {"startTime": "1h ago", "conditions": _conditions("FailureTarget", "Failed")},
        deleted=True,
    ),
    Case("cron job", _cron()),
    Case(
        "cron job busy",
        _cron(timeZone="Europe/Berlin", suspend=True),
        {
            "lastScheduleTime": "4m ago",
            "active": [{"kind": "Job", "name": "a"}, {"kind": "Job", "name": "b"}],
        },
    ),
    Case("hpa new", _hpa(), also_as="autoscaling/v1"),
    Case("hpa of a minimum", _hpa(_USE, minReplicas=2), also_as="autoscaling/v1"),
    Case(
        "hpa of use",
        _hpa(_USE),
        _measured(_current(_USE, averageUtilization=42, averageValue="1")),
        also_as="autoscaling/v1",
    ),
    Case("hpa of use not told", _hpa(_USE), _measured(_current(_USE, averageValue="1"))),
    Case(
        "hpa of value",
        _hpa(_VALUE),
        _measured(_current(_VALUE, averageValue="90m")),
        also_as="autoscaling/v1",
    ),
    Case("hpa of value unknown", _hpa(_VALUE), also_as="autoscaling/v1"),
    Case(
        "hpa of a container",
        _hpa(_BOX_USE),
        _measured(_current(_BOX_USE, averageUtilization=4, averageValue="1")),
        also_as="autoscaling/v1",
    ),
    Case("hpa of a container unknown", _hpa(_BOX_USE)),
    Case("hpa of a container value", _hpa(_BOX_VALUE), _measured(_current(_BOX_VALUE, averageValue="5Mi"))),
    Case("hpa of a container value unknown", _hpa(_BOX_VALUE)),
    Case("hpa of pods", _hpa(_OF_PODS), _measured(_current(_OF_PODS, averageValue="1"))),
    Case("hpa of pods unknown", _hpa(_OF_PODS)),
    Case(
        "hpa of an object",
        _hpa(_OF_OBJECT),
        _measured(_current(_OF_OBJECT, value="1k")),
        also_as="autoscaling/v1",
    ),
    Case(
        "hpa of an object average",
        _hpa(_OF_OBJECT_AVERAGE),
        _measured(_current(_OF_OBJECT_AVERAGE, value="1", averageValue="2")),
    ),
    Case(
        "hpa of an object average not told",
        _hpa(_OF_OBJECT_AVERAGE),
        _measured(_current(_OF_OBJECT_AVERAGE, value="1")),
    ),
    Case("hpa of an object unknown", _hpa(_OF_OBJECT)),
    Case(
        "hpa of an object of another value",
        _hpa(_OF_OBJECT),
        _measured(_current(_OF_OBJECT, averageValue="1")),
    ),
    Case("hpa outside", _hpa(_OUTSIDE), _measured(_current(_OUTSIDE, value="7"))),
    Case("hpa outside unknown", _hpa(_OUTSIDE)),
    Case(
        "hpa outside average",
        _hpa(_OUTSIDE_AVERAGE),
        _measured(_current(_OUTSIDE_AVERAGE, value="1", averageValue="8")),
    ),
    Case("hpa outside average unknown", _hpa(_OUTSIDE_AVERAGE)),
    Case(
        "hpa of two", _hpa(_USE, _OUTSIDE), _measured(_current(_USE, averageUtilization=1, averageValue="1"))
    ),
    Case(
        "hpa of two mixed up",
        _hpa(_USE, _OUTSIDE),
        _measured(_current(_OUTSIDE, value="1"), _current(_OUTSIDE, value="2")),
    ),
    Case("hpa of four", _hpa(_OF_PODS, _OUTSIDE, _USE, _OF_OBJECT), also_as="autoscaling/v1"),
    Case("hpa v1", _v1_hpa(), also_as="autoscaling/v2"),
    Case(
        "hpa v1 of use",
        _v1_hpa(targetCPUUtilizationPercentage=55, minReplicas=2),
        {"currentReplicas": 1, "desiredReplicas": 2, "currentCPUUtilizationPercentage": 33},
        also_as="autoscaling/v2",
    ),
    Case("budget", _budget()),
    Case(
        "budget of a minimum",
        _budget(minAvailable=2),
        {"disruptionsAllowed": 3, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1},
    ),
    Case("budget of a part", _budget(minAvailable="30%")),
    Case("budget of a maximum", _budget(maxUnavailable=0)),
    Case("budget of a part away", _budget(maxUnavailable="25%")),
]
