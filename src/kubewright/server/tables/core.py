"""The core group, but for the kinds that have a module of their own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.events import EVENTS
from kubewright.server.tables.fields import (
    condition,
    container_cells,
    items,
    labels_text,
    name_of,
    or_default,
    part,
    template_containers,
)
from kubewright.server.tables.nodes import NODES
from kubewright.server.tables.pods import PODS
from kubewright.server.tables.printer import AGE, NAME, Printer, columns, integers, wide
from kubewright.server.tables.services import ENDPOINTS, SERVICES
from kubewright.server.tables.volumes import PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES

__all__ = ["PRINTERS"]


def _component_status(obj: Object, now: datetime) -> list[Any]:
    healthy = condition(obj, "Healthy")
    if healthy is None:
        return [name_of(obj), "Unknown", "", ""]
    status = "Healthy" if healthy.get("status") == "True" else "Unhealthy"
    return [name_of(obj), status, healthy.get("message") or "", healthy.get("error") or ""]


def _config_map(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), len(part(obj, "data")) + len(part(obj, "binaryData")), age(obj, now)]


def _namespace(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), part(obj, "status").get("phase") or "", age(obj, now)]


def _pod_template(obj: Object, now: datetime) -> list[Any]:
    template = part(obj, "template")
    cells = container_cells(items(part(template, "spec"), "containers"))
    return [name_of(obj), *cells, labels_text(part(template, "metadata").get("labels"))]


def _replication_controller(obj: Object, now: datetime) -> list[Any]:
    spec, status = part(obj, "spec"), part(obj, "status")
    return [
        name_of(obj),
        spec.get("replicas") or 0,
        status.get("replicas") or 0,
        status.get("readyReplicas") or 0,
        age(obj, now),
        *container_cells(template_containers(obj)),
        labels_text(spec.get("selector")),
    ]


def _resource_quota(obj: Object, now: datetime) -> list[Any]:
    hard, used = part(obj, "status", "hard"), part(obj, "status", "used")
    requests: list[str] = []
    limits: list[str] = []
    for resource in sorted(hard):
        told = f"{resource}: {or_default(used.get(resource), '0')}/{hard[resource]}"
        (limits if resource.startswith("limits.") else requests).append(told)
    return [name_of(obj), ", ".join(requests), ", ".join(limits), age(obj, now)]


def _secret(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), obj.get("type") or "", len(part(obj, "data")), age(obj, now)]


def _service_account(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), age(obj, now)]


PRINTERS: Final[Mapping[str, Printer]] = {
    "componentstatuses": Printer(columns(NAME, "Status", "Message", "Error"), _component_status),
    "configmaps": Printer(columns(NAME, "Data", AGE), _config_map),
    "endpoints": ENDPOINTS,
    "events": EVENTS,
    "namespaces": Printer(columns(NAME, "Status", AGE), _namespace),
    "nodes": NODES,
    "persistentvolumeclaims": PERSISTENT_VOLUME_CLAIMS,
    "persistentvolumes": PERSISTENT_VOLUMES,
    "pods": PODS,
    "podtemplates": Printer(columns(NAME, "Containers", "Images", "Pod Labels"), _pod_template),
    "replicationcontrollers": Printer(
        columns(
            NAME, *integers("Desired", "Current", "Ready"), AGE, *wide("Containers", "Images", "Selector")
        ),
        _replication_controller,
    ),
    "resourcequotas": Printer(columns(NAME, "Request", "Limit", AGE), _resource_quota),
    "secrets": Printer(columns(NAME, "Type", "Data", AGE), _secret),
    "serviceaccounts": Printer(columns(NAME, AGE), _service_account),
    "services": SERVICES,
}
