"""Metrics of autoscaling/v1, which exist only in annotations, in the form of v2 and back."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.autoscaling.metrics import sign_of
from kubewright.server.kinds.kind import Object

__all__ = ["metric_to_v1", "metric_to_v2", "status_to_v1", "status_to_v2"]

_SOURCES: Final = ("object", "pods", "resource", "containerResource", "external")


def metric_to_v1(metric: Object) -> Object:
    """A metric of a v2 spec as v1 writes it, with its fields in Go's order."""
    made: Object = {"type": metric.get("type") or ""}
    for kind in _SOURCES:
        source = metric.get(kind)
        if source is not None:
            made[kind] = _source_to_v1(kind, source)
    return made


def _source_to_v1(kind: str, source: Object) -> Object:
    target, metric = source.get("target") or {}, source.get("metric") or {}
    name, selector = metric.get("name") or "", metric.get("selector")
    value, average = target.get("value"), target.get("averageValue")
    if kind == "object":
        made: Object = {"target": _reference(source.get("describedObject")), "metricName": name}
        made["targetValue"] = value or "0"
        return _with(made, selector=selector, averageValue=average)
    if kind == "pods":
        return _with({"metricName": name, "targetAverageValue": average or "0"}, selector=selector)
    if kind == "external":
        return _with(
            {"metricName": name}, metricSelector=selector, targetValue=value, targetAverageValue=average
        )
    made = _with(
        {"name": source.get("name") or ""},
        targetAverageUtilization=target.get("averageUtilization"),
        targetAverageValue=average,
    )
    if kind == "containerResource":
        made["container"] = source.get("container") or ""
    return made


def metric_to_v2(metric: Object) -> Object:
    """A metric of a v1 annotation as v2 has it."""
    made: Object = {"type": metric.get("type") or ""}
    for kind in _SOURCES:
        source = metric.get(kind)
        if source is not None:
            made[kind] = _source_to_v2(kind, source)
    return made


def _source_to_v2(kind: str, source: Object) -> Object:
    name = source.get("metricName") or ""
    if kind == "object":
        value, average = source.get("targetValue") or "0", source.get("averageValue")
        # v1 cannot leave the value out, so that zero beside an average means that there is none.
        kept = value if average is None or sign_of(value) != 0 else None
        kind_of_target = "Value" if average is None else "AverageValue"
        return {
            "describedObject": _reference(source.get("target")),
            "target": _with({"type": kind_of_target}, value=kept, averageValue=average),
            "metric": _with({"name": name}, selector=source.get("selector")),
        }
    if kind == "pods":
        target = {"type": "AverageValue", "averageValue": source.get("targetAverageValue") or "0"}
        return {"metric": _with({"name": name}, selector=source.get("selector")), "target": target}
    average = source.get("targetAverageValue")
    if kind == "external":
        value = source.get("targetValue")
        kind_of_target = "AverageValue" if value is None else "Value"
        return {
            "metric": _with({"name": name}, selector=source.get("metricSelector")),
            "target": _with({"type": kind_of_target}, value=value, averageValue=average),
        }
    utilization = source.get("targetAverageUtilization")
    kind_of_target = "AverageValue" if utilization is None else "Utilization"
    made: Object = {"name": source.get("name") or ""}
    made["target"] = _with({"type": kind_of_target}, averageValue=average, averageUtilization=utilization)
    if kind == "containerResource":
        made["container"] = source.get("container") or ""
    return made


def status_to_v1(status: Object) -> Object:
    """A metric of a v2 status as v1 writes it, with its fields in Go's order."""
    made: Object = {"type": status.get("type") or ""}
    for kind in _SOURCES:
        source = status.get(kind)
        if source is not None:
            made[kind] = _current_to_v1(kind, source)
    return made


def _current_to_v1(kind: str, source: Object) -> Object:
    current, metric = source.get("current") or {}, source.get("metric") or {}
    name, selector = metric.get("name") or "", metric.get("selector")
    value, average = current.get("value"), current.get("averageValue")
    if kind == "object":
        made: Object = {"target": _reference(source.get("describedObject")), "metricName": name}
        made["currentValue"] = value or "0"
        return _with(made, selector=selector, averageValue=average)
    if kind == "pods":
        return _with({"metricName": name, "currentAverageValue": average or "0"}, selector=selector)
    if kind == "external":
        made = _with({"metricName": name}, metricSelector=selector)
        made["currentValue"] = value or "0"
        return _with(made, currentAverageValue=average)
    made = _with(
        {"name": source.get("name") or ""}, currentAverageUtilization=current.get("averageUtilization")
    )
    made["currentAverageValue"] = average or "0"
    if kind == "containerResource":
        made["container"] = source.get("container") or ""
    return made


def status_to_v2(status: Object) -> Object:
    """A metric of a v1 annotation about the status as v2 has it."""
    made: Object = {"type": status.get("type") or ""}
    for kind in _SOURCES:
        source = status.get(kind)
        if source is not None:
            made[kind] = _current_to_v2(kind, source)
    return made


def _current_to_v2(kind: str, source: Object) -> Object:
    name = source.get("metricName") or ""
    if kind == "object":
        current = {"value": source.get("currentValue") or "0"}
        return {
            "metric": _with({"name": name}, selector=source.get("selector")),
            "current": _with(current, averageValue=source.get("averageValue")),
            "describedObject": _reference(source.get("target")),
        }
    if kind == "pods":
        return {
            "metric": _with({"name": name}, selector=source.get("selector")),
            "current": {"averageValue": source.get("currentAverageValue") or "0"},
        }
    if kind == "external":
        current = {"value": source.get("currentValue") or "0"}
        return {
            "metric": _with({"name": name}, selector=source.get("metricSelector")),
            "current": _with(current, averageValue=source.get("currentAverageValue")),
        }
    current = {"averageValue": source.get("currentAverageValue") or "0"}
    made: Object = {"name": source.get("name") or ""}
    made["current"] = _with(current, averageUtilization=source.get("currentAverageUtilization"))
    if kind == "containerResource":
        made["container"] = source.get("container") or ""
    return made


def _reference(reference: Object | None) -> Object:
    reference = reference or {}
    made = {"kind": reference.get("kind") or "", "name": reference.get("name") or ""}
    return _with(made, apiVersion=reference.get("apiVersion") or None)


def _with(made: Object, **optional: object) -> Object:
    for name, value in optional.items():
        if value is not None:
            made[name] = value
    return made
