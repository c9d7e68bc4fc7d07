"""Nodes: whether they are ready, their roles, and what they run."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import UNKNOWN, age
from kubewright.server.tables.fields import NONE, items, name_of, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns, wide

__all__ = ["NODES"]

_ROLE_PREFIX: Final = "node-role.kubernetes.io/"
_ROLE: Final = "kubernetes.io/role"


def _cells(node: Object, now: datetime) -> list[Any]:
    status = part(node, "status")
    info = part(status, "nodeInfo")
    kernel = info.get("kernelVersion") or UNKNOWN
    if info.get("architecture"):
        kernel += f" ({info['architecture']})"
    return [
        name_of(node),
        _status(node),
        _roles(part(node, "metadata", "labels")),
        age(node, now),
        info.get("kubeletVersion") or "",
        _address(status, "InternalIP"),
        _address(status, "ExternalIP"),
        info.get("osImage") or UNKNOWN,
        kernel,
        info.get("containerRuntimeVersion") or UNKNOWN,
    ]


def _status(node: Object) -> str:
    told = "Unknown"
    for condition in items(part(node, "status"), "conditions"):
        if condition.get("type") == "Ready":
            told = "Ready" if condition.get("status") == "True" else "NotReady"
    return f"{told},SchedulingDisabled" if part(node, "spec").get("unschedulable") else told


def _roles(labels: Object) -> str:
    found = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)}
    found.add(labels.get(_ROLE) or "")
    return ",".join(sorted(found - {""})) or NONE


def _address(status: Object, kind: str) -> str:
    for address in items(status, "addresses"):
        if address.get("type") == kind:
            return address.get("address") or ""
    return NONE


NODES: Final = Printer(
    columns(
        NAME,
        "Status",
        "Roles",
        AGE,
        "Version",
        *wide("Internal-IP", "External-IP", "OS-Image", "Kernel-Version", "Container-Runtime"),
    ),
    _cells,
)
