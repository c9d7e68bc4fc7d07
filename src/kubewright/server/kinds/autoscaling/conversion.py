"""HorizontalPodAutoscalers of autoscaling/v1 in the form of v2, and back.

v1 knows one metric, the use of CPU. What else a v2 object says stands in annotations of its v1 form, so that
a client of v1 that writes back what it read loses nothing; in the v2 form these annotations are gone. What an
annotation says that cannot be read is ignored, as upstream does.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from kubewright.server.kinds.autoscaling.horizontal_pod_autoscaler import default_metrics
from kubewright.server.kinds.autoscaling.v1_annotations import (
    ListReader,
    read_behavior,
    read_conditions,
    read_metrics,
    read_statuses,
)
from kubewright.server.kinds.autoscaling.v1_metrics import (
    metric_to_v1,
    metric_to_v2,
    status_to_v1,
    status_to_v2,
)
from kubewright.server.kinds.kind import Object

__all__ = ["drop_conversion_annotations", "to_v1", "to_v2"]

_METRICS: Final = "autoscaling.alpha.kubernetes.io/metrics"
_STATUSES: Final = "autoscaling.alpha.kubernetes.io/current-metrics"
_CONDITIONS: Final = "autoscaling.alpha.kubernetes.io/conditions"
_BEHAVIOR: Final = "autoscaling.alpha.kubernetes.io/behavior"
_ROUND_TRIP: Final = frozenset(
    {
        _METRICS,
        _STATUSES,
        _CONDITIONS,
        _BEHAVIOR,
        "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
        "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
    }
)
"""The annotations that are the conversion's own; what a client writes there is dropped on the way back."""


_SAME_STATUS: Final[tuple[str, ...]] = ("observedGeneration", "lastScaleTime")


def to_v2(obj: Object) -> Object:
    """The v2 form of a v1 object, with v1's defaults. `obj` is not changed; parts of it may be shared."""
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    metadata = obj.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    made: Object = {"scaleTargetRef": spec.get("scaleTargetRef") or {"kind": "", "name": ""}}
    made["minReplicas"] = 1 if spec.get("minReplicas") is None else spec["minReplicas"]
    made["maxReplicas"] = spec.get("maxReplicas") or 0
    made["metrics"] = _metrics_of(spec, annotations)
    behavior = read_behavior(annotations.get(_BEHAVIOR))
    if behavior:
        made["behavior"] = behavior
    return {
        **obj,
        "apiVersion": "autoscaling/v2",
        "metadata": _with_annotations(metadata, _kept(annotations)),
        "spec": made,
        "status": _status_to_v2(status, annotations),
    }


def _metrics_of(spec: Object, annotations: Object) -> list[Object]:
    metrics = _read(annotations, _METRICS, read_metrics, metric_to_v2) or []
    utilization = spec.get("targetCPUUtilizationPercentage")
    if utilization is not None:
        return metrics + default_metrics(utilization)
    return metrics or default_metrics()


def _status_to_v2(status: Object, annotations: Object) -> Object:
    made: Object = {name: status[name] for name in _SAME_STATUS if name in status}
    if status.get("currentReplicas"):
        made["currentReplicas"] = status["currentReplicas"]
    made["desiredReplicas"] = status.get("desiredReplicas") or 0
    metrics = _read(annotations, _STATUSES, read_statuses, status_to_v2)
    utilization = status.get("currentCPUUtilizationPercentage")
    if metrics is None and utilization is not None:
        current = {"averageUtilization": utilization}
        metrics = [{"type": "Resource", "resource": {"name": "cpu", "current": current}}]
    made["currentMetrics"] = metrics
    conditions = _read(annotations, _CONDITIONS, read_conditions, _condition_to_v2)
    if conditions:
        made["conditions"] = conditions
    return made


def _read(
    annotations: Object, name: str, read: ListReader, convert: Callable[[Object], Object]
) -> list[Object] | None:
    found = read(annotations.get(name))
    return None if found is None else list(map(convert, found))


def to_v1(obj: Object) -> Object:
    """The v1 form of a v2 object. `obj` is not changed; parts of it may be shared."""
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    metadata = obj.get("metadata") or {}
    annotations = _kept(metadata.get("annotations") or {})
    made: Object = {"scaleTargetRef": spec.get("scaleTargetRef") or {"kind": "", "name": ""}}
    if spec.get("minReplicas") is not None:
        made["minReplicas"] = spec["minReplicas"]
    made["maxReplicas"] = spec.get("maxReplicas") or 0
    others = []
    for metric in spec.get("metrics") or ():
        utilization = _cpu_utilization(metric)
        if utilization is None:
            others.append(metric_to_v1(metric))
        else:
            made.setdefault("targetCPUUtilizationPercentage", utilization)
    _write(annotations, _METRICS, others)
    _write(annotations, _STATUSES, list(map(status_to_v1, status.get("currentMetrics") or ())))
    if spec.get("behavior") is not None:
        annotations[_BEHAVIOR] = _json(_behavior_as_go(spec["behavior"]))
    _write(annotations, _CONDITIONS, list(map(_condition_as_go, status.get("conditions") or ())))
    return {
        **obj,
        "apiVersion": "autoscaling/v1",
        "metadata": _with_annotations(metadata, annotations),
        "spec": made,
        "status": _status_to_v1(status),
    }


def _cpu_utilization(metric: Object) -> int | None:
    source = metric.get("resource")
    if metric.get("type") != "Resource" or source is None or source.get("name") != "cpu":
        return None
    utilization: int | None = (source.get("target") or {}).get("averageUtilization")
    return utilization


def _status_to_v1(status: Object) -> Object:
    made: Object = {name: status[name] for name in _SAME_STATUS if name in status}
    made["currentReplicas"] = status.get("currentReplicas") or 0
    made["desiredReplicas"] = status.get("desiredReplicas") or 0
    for metric in status.get("currentMetrics") or ():
        source = metric.get("resource")
        if metric.get("type") == "Resource" and source is not None and source.get("name") == "cpu":
            utilization = (source.get("current") or {}).get("averageUtilization")
            if utilization is not None:
                made["currentCPUUtilizationPercentage"] = utilization
    return made


def _behavior_as_go(behavior: Object) -> Object:
    # Upstream writes its internal type here, which has no names for JSON.
    return {
        "ScaleUp": _rules_as_go(behavior.get("scaleUp")),
        "ScaleDown": _rules_as_go(behavior.get("scaleDown")),
    }


def _rules_as_go(rules: Object | None) -> Object | None:
    if rules is None:
        return None
    policies = rules.get("policies")
    return {
        "StabilizationWindowSeconds": rules.get("stabilizationWindowSeconds"),
        "SelectPolicy": rules.get("selectPolicy"),
        "Policies": None if policies is None else list(map(_policy_as_go, policies)),
        "Tolerance": rules.get("tolerance"),
    }


def _policy_as_go(policy: Object) -> Object:
    return {
        "Type": policy.get("type") or "",
        "Value": policy.get("value") or 0,
        "PeriodSeconds": policy.get("periodSeconds") or 0,
    }


def _condition_to_v2(condition: Object) -> Object:
    return {"type": "", "status": "", "lastTransitionTime": None, **condition}


def _condition_as_go(condition: Object) -> Object:
    shown = {
        "type": condition.get("type") or "",
        "status": condition.get("status") or "",
        "lastTransitionTime": condition.get("lastTransitionTime"),
    }
    return shown | {name: condition[name] for name in ("reason", "message") if condition.get(name)}


def _write(annotations: Object, name: str, values: list[Object]) -> None:
    if values:
        annotations[name] = _json(values)


def _json(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    # Go's encoder escapes these, so that its JSON may stand in HTML.
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def drop_conversion_annotations(obj: Object) -> None:
    """Take out of a v2 object what only v1 objects say in annotations, as upstream's conversion does."""
    metadata = obj.get("metadata") or {}
    annotations = metadata.get("annotations")
    if annotations and not _ROUND_TRIP.isdisjoint(annotations):
        obj["metadata"] = _with_annotations(metadata, _kept(annotations))


def _kept(annotations: Object) -> Object:
    return {name: value for name, value in annotations.items() if name not in _ROUND_TRIP}


def _with_annotations(metadata: Object, annotations: Object) -> Object:
    made = {name: value for name, value in metadata.items() if name != "annotations"}
    if annotations:
        made["annotations"] = annotations
    return made
