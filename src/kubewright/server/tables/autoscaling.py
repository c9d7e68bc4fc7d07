"""HorizontalPodAutoscalers, of v1 and v2, and Scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import UNKNOWN, age
from kubewright.server.tables.fields import NONE, UNSET, items, name_of, or_default, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns, integers

__all__ = ["PRINTERS"]

_SHOWN_METRICS: Final = 2
"""As many as upstream shows."""

_SOURCES: Final[Mapping[str, str]] = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
"""The field of each type of metric."""

_NO_QUANTITY: Final = "<nil>"
"""How Go prints a quantity that is not there."""


def _autoscaler(obj: Object, now: datetime) -> list[Any]:
    if obj.get("apiVersion") == "autoscaling/v1":
        from kubewright.server.kinds.autoscaling.conversion import to_v2  # noqa: PLC0415 - v2 is the rule

        obj = to_v2(obj)
    spec, status = part(obj, "spec"), part(obj, "status")
    target = part(spec, "scaleTargetRef")
    return [
        name_of(obj),
        f"{target.get('kind') or ''}/{target.get('name') or ''}",
        _metrics(items(spec, "metrics"), items(status, "currentMetrics")),
        str(or_default(spec.get("minReplicas"), UNSET)),
        spec.get("maxReplicas") or 0,
        status.get("currentReplicas") or 0,
        age(obj, now),
    ]


def _metrics(specs: Sequence[Object], statuses: Sequence[Object]) -> str:
    if not specs:
        return NONE
    shown = [
        _metric(spec, statuses[index] if index < len(statuses) else {})
        for index, spec in enumerate(specs[:_SHOWN_METRICS])
    ]
    more = f" + {len(specs) - _SHOWN_METRICS} more..." if len(specs) > _SHOWN_METRICS else ""
    return ", ".join(shown) + more


def _metric(spec: Object, status: Object) -> str:
    kind = spec.get("type")
    field = _SOURCES.get(kind or "")
    if field is None:
        return "<unknown type>"
    source, found = part(spec, field), status.get(field)
    target, current = part(source, "target"), None if found is None else part(found, "current")
    if kind == "Pods":
        return f"{_quantity(current, 'averageValue')}/{_quantity(target, 'averageValue')}"
    if kind in {"External", "Object"}:
        return _value(target, current)
    return f"{source.get('name') or ''}: {_use(target, current)}"


def _value(target: Object, current: Object | None) -> str:
    average = target.get("averageValue")
    if average is not None:
        return f"{or_default((current or {}).get('averageValue'), UNKNOWN)}/{average} (avg)"
    return f"{_quantity(current, 'value')}/{_quantity(target, 'value')}"


def _use(target: Object, current: Object | None) -> str:
    """How much of a resource is used, and shall be."""
    average = target.get("averageValue")
    if average is not None:
        return f"{_quantity(current, 'averageValue')}/{average}"
    used, wanted = (current or {}).get("averageUtilization"), target.get("averageUtilization")
    return f"{UNKNOWN if used is None else f'{used}%'}/{'<auto>' if wanted is None else f'{wanted}%'}"


def _quantity(value: Object | None, name: str) -> str:
    return UNKNOWN if value is None else str(or_default(value.get(name), _NO_QUANTITY))


def _scale(obj: Object, now: datetime) -> list[Any]:
    wanted, found = part(obj, "spec").get("replicas") or 0, part(obj, "status").get("replicas") or 0
    return [name_of(obj), wanted, found, age(obj, now)]


PRINTERS: Final[Mapping[str, Printer]] = {
    "horizontalpodautoscalers": Printer(
        columns(NAME, "Reference", "Targets", "MinPods", "MaxPods", "Replicas", AGE), _autoscaler
    ),
    "scale": Printer(columns("Name", *integers("Desired", "Available"), AGE), _scale),
}
