"""Deployments, and what else keeps pods running."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import (
    NONE,
    container_cells,
    items,
    labels_text,
    name_of,
    part,
    selector_text,
    template_containers,
)
from kubewright.server.tables.printer import AGE, NAME, Printer, columns, integers, wide

__all__ = ["PRINTERS"]


def _controller_revision(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), _controller(obj), obj.get("revision") or 0, age(obj, now)]


def _controller(obj: Object) -> str:
    for owner in items(part(obj, "metadata"), "ownerReferences"):
        if owner.get("controller"):
            group, slash, _ = (owner.get("apiVersion") or "").partition("/")
            kind = (owner.get("kind") or "") + (f".{group}" if slash and group else "")
            return f"{kind.lower()}/{owner.get('name') or ''}"
    return NONE


def _daemon_set(obj: Object, now: datetime) -> list[Any]:
    spec, status = part(obj, "spec"), part(obj, "status")
    return [
        name_of(obj),
        status.get("desiredNumberScheduled") or 0,
        status.get("currentNumberScheduled") or 0,
        status.get("numberReady") or 0,
        status.get("updatedNumberScheduled") or 0,
        status.get("numberAvailable") or 0,
        labels_text(part(spec, "template", "spec").get("nodeSelector")),
        age(obj, now),
        *container_cells(template_containers(obj)),
        selector_text(spec.get("selector")),
    ]


def _deployment(obj: Object, now: datetime) -> list[Any]:
    spec, status = part(obj, "spec"), part(obj, "status")
    return [
        name_of(obj),
        f"{status.get('readyReplicas') or 0}/{spec.get('replicas') or 0}",
        status.get("updatedReplicas") or 0,
        status.get("availableReplicas") or 0,
        age(obj, now),
        *container_cells(template_containers(obj)),
        selector_text(spec.get("selector"), empty="", wrong="<invalid>"),
    ]


def _replica_set(obj: Object, now: datetime) -> list[Any]:
    spec, status = part(obj, "spec"), part(obj, "status")
    return [
        name_of(obj),
        spec.get("replicas") or 0,
        status.get("replicas") or 0,
        status.get("readyReplicas") or 0,
        age(obj, now),
        *container_cells(template_containers(obj)),
        selector_text(spec.get("selector")),
    ]


def _stateful_set(obj: Object, now: datetime) -> list[Any]:
    ready, wanted = part(obj, "status").get("readyReplicas") or 0, part(obj, "spec").get("replicas") or 0
    return [name_of(obj), f"{ready}/{wanted}", age(obj, now), *container_cells(template_containers(obj))]


_CONTAINERS: Final = wide("Containers", "Images")
_SELECTED: Final = wide("Containers", "Images", "Selector")

PRINTERS: Final[Mapping[str, Printer]] = {
    "controllerrevisions": Printer(columns(NAME, "Controller", "Revision", AGE), _controller_revision),
    "daemonsets": Printer(
        columns(
            NAME,
            *integers("Desired", "Current", "Ready", "Up-to-date", "Available"),
            "Node Selector",
            AGE,
            *_SELECTED,
        ),
        _daemon_set,
    ),
    "deployments": Printer(columns(NAME, "Ready", "Up-to-date", "Available", AGE, *_SELECTED), _deployment),
    "replicasets": Printer(
        columns(NAME, *integers("Desired", "Current", "Ready"), AGE, *_SELECTED), _replica_set
    ),
    "statefulsets": Printer(columns(NAME, "Ready", AGE, *_CONTAINERS), _stateful_set),
}
