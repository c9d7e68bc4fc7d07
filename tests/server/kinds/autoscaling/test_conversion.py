"""Autoscalers of v1 and v2: what one version cannot say stands in annotations of the other."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kubewright.server.kinds import Object, kind_of
from kubewright.server.kinds.autoscaling.conversion import to_v1, to_v2
from kubewright.server.kinds.autoscaling.scale import validate_scale
from tests.server.kinds.cases.autoscaling import CASES, autoscaler

ALPHA = "autoscaling.alpha.kubernetes.io"
CPU = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
}
CURRENT: list[Object] = [
    {"type": "Resource", "resource": {
        "name": "cpu", "current": {"averageUtilization": 4, "averageValue": "3"}}},
    {"type": "ContainerResource", "containerResource": {
        "name": "cpu", "container": "a", "current": {"averageUtilization": 4, "averageValue": "3"}}},
    {"type": "Object", "object": {
        "metric": {"name": "m", "selector": {"matchLabels": {"b": "<1>"}}},
        "describedObject": {"kind": "A", "name": "b", "apiVersion": "v1"},
        "current": {"value": "3", "averageValue": "2"}}},
    {"type": "Pods", "pods": {"metric": {"name": "m"}, "current": {"averageValue": "2"}}},
    {"type": "External", "external": {
        "metric": {"name": "m", "selector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}},
        "current": {"value": "3"}}},
]  # fmt: skip
STATUS: Object = {
    "observedGeneration": 1,
    "lastScaleTime": "2026-01-01T00:00:00Z",
    "currentReplicas": 1,
    "desiredReplicas": 2,
    "currentMetrics": CURRENT,
    "conditions": [{
        "type": "AbleToScale", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z", "reason": "A",
        "message": "b & c"}],
}  # fmt: skip


def valid() -> list[Any]:
    rules = kind_of("autoscaling", "horizontalpodautoscalers")
    found = []
    for case in CASES:
        obj = copy.deepcopy(case.obj)
        rules.default(obj)
        # v1 knows no type of a target, so that one with both values comes back as another.
        if case.old is None and not rules.validate(obj) and case.name != "Object: both":
            obj["status"] = copy.deepcopy(STATUS)
            found.append(pytest.param(obj, id=case.name))
    return found


def v1(annotations: dict[str, str] | None = None, **spec: Any) -> Object:
    return {
        "apiVersion": "autoscaling/v1",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a", "annotations": annotations or {}},
        "spec": {"scaleTargetRef": {"kind": "A", "name": "b"}, "maxReplicas": 3, **spec},
    }


@pytest.mark.parametrize("obj", valid())
def test_there_and_back(obj: Object) -> None:
    kept = copy.deepcopy(obj)

    there = to_v1(obj)
    back = to_v2(there)

    # v1 has the use of CPU last, wherever it stood.
    for each in (back, kept):
        each["spec"]["metrics"].sort(key=str)
    assert back == kept
    assert to_v1(to_v2(there)) == there


def test_what_v1_says_itself() -> None:
    made = to_v1(autoscaler(minReplicas=2, metrics=[CPU], status=STATUS))

    assert made["apiVersion"] == "autoscaling/v1"
    assert made["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "minReplicas": 2,
        "maxReplicas": 5,
        "targetCPUUtilizationPercentage": 80,
    }
    assert made["status"] == {
        "observedGeneration": 1,
        "lastScaleTime": "2026-01-01T00:00:00Z",
        "currentReplicas": 1,
        "desiredReplicas": 2,
        "currentCPUUtilizationPercentage": 4,
    }


def test_what_stands_in_annotations_is_written_as_go_writes_it() -> None:
    rules = {"selectPolicy": "Min", "policies": [{"type": "Pods", "value": 1, "periodSeconds": 2}]}
    pods = {
        "type": "Pods",
        "pods": {"metric": {"name": "x"}, "target": {"type": "AverageValue", "averageValue": "1"}},
    }
    obj = autoscaler(
        metrics=[CPU, pods], behavior={"scaleUp": rules}, status={**STATUS, "currentMetrics": None}
    )
    obj["metadata"]["annotations"] = {"mine": "1", f"{ALPHA}/metrics": "of a client"}

    assert to_v1(obj)["metadata"]["annotations"] == {
        "mine": "1",
        f"{ALPHA}/metrics": '[{"type":"Pods","pods":{"metricName":"x","targetAverageValue":"1"}}]',
        f"{ALPHA}/behavior": '{"ScaleUp":{"StabilizationWindowSeconds":null,"SelectPolicy":"Min",'
        '"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":2}],"Tolerance":null},"ScaleDown":null}',
        f"{ALPHA}/conditions": '[{"type":"AbleToScale","status":"True",'
        '"lastTransitionTime":"2026-01-01T00:00:00Z","reason":"A","message":"b \\u0026 c"}]',
    }


def test_the_defaults_of_v1() -> None:
    made = to_v2(v1())

    assert made["spec"] == {
        "scaleTargetRef": {"kind": "A", "name": "b"},
        "minReplicas": 1,
        "maxReplicas": 3,
        "metrics": [CPU],
    }
    assert made["status"] == {"desiredReplicas": 0, "currentMetrics": None}
    assert "annotations" not in made["metadata"]


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "{}",
        "null",
        "[]",
        '["x"]',
        '[{"type":3}]',
        '[{"type":"Pods","pods":{"targetAverageValue":"many"}}]',
        '[{"type":"Pods","pods":{"targetAverageValue":true}}]',
        '[{"type":"Resource","resource":{"targetAverageUtilization":3000000000}}]',
        '[{"type":"Pods","pods":{"selector":{"matchLabels":{"a":1}}}}]',
        "[" * 100_000,
    ],
)
def test_what_cannot_be_read_is_ignored(text: str) -> None:
    made = to_v2(v1({f"{ALPHA}/metrics": text}))

    assert made["spec"]["metrics"] == [CPU]
    assert "annotations" not in made["metadata"]


@pytest.mark.parametrize(
    "text", ["nonsense", "3", "null", '[{"type":3}]', '{"ScaleUp":[]}', '[{"x":1}', "[" * 100_000]
)
def test_the_other_annotations_are_ignored_as_well(text: str) -> None:
    annotations = {f"{ALPHA}/{name}": text for name in ("current-metrics", "conditions", "behavior")}

    made = to_v2(v1(annotations))

    assert "behavior" not in made["spec"]
    assert made["status"] == {"desiredReplicas": 0, "currentMetrics": None}


def test_a_condition_has_a_type_and_a_status() -> None:
    made = to_v2(v1({f"{ALPHA}/conditions": '[{"reason":"A"},null]'}))

    assert made["status"]["conditions"] == [
        {"type": "", "status": "", "lastTransitionTime": None, "reason": "A"},
        {"type": "", "status": "", "lastTransitionTime": None},
    ]


def test_names_in_annotations_match_in_any_case() -> None:
    text = '[{"Type":"Pods","PODS":{"MetricName":"x","targetaveragevalue":"1000m"}, "unknown": 1}]'
    behavior = '{"scaleup":{"policies":[{"type":"Pods","value":1,"periodSeconds":2}]}}'

    made = to_v2(
        v1({f"{ALPHA}/metrics": text, f"{ALPHA}/behavior": behavior}, targetCPUUtilizationPercentage=80)
    )

    target = {"type": "AverageValue", "averageValue": "1"}
    assert made["spec"]["metrics"] == [
        {"type": "Pods", "pods": {"metric": {"name": "x"}, "target": target}},
        CPU,
    ]
    policies = [{"type": "Pods", "value": 1, "periodSeconds": 2}]
    assert made["spec"]["behavior"] == {"scaleUp": {"policies": policies}}


def test_a_zero_beside_an_average_is_no_value() -> None:
    text = (
        '[{"type":"Object","object":{"target":{"kind":"A","name":"b"},"metricName":"x","targetValue":"0"%s}}]'
    )

    without = to_v2(v1({f"{ALPHA}/metrics": text % ""}))["spec"]["metrics"][0]["object"]["target"]
    beside = to_v2(v1({f"{ALPHA}/metrics": text % ',"averageValue":2'}))["spec"]["metrics"][0]["object"][
        "target"
    ]

    assert without == {"type": "Value", "value": "0"}
    assert beside == {"type": "AverageValue", "averageValue": "2"}


def test_a_scale_may_not_be_negative() -> None:
    assert validate_scale({"spec": {"replicas": 0}}) == validate_scale({}) == []
    assert [str(error) for error in validate_scale({"spec": {"replicas": -2}})] == [
        "spec.replicas: Invalid value: -2: must be greater than or equal to 0"
    ]
