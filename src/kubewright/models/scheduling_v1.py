"""scheduling.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Literal

from kubewright.machinery.field import OpenEnum
from kubewright.machinery.resource import Resource, ResourceList

__all__ = [
    "PriorityClass",
    "PriorityClassList",
]


class PriorityClass(
    Resource,
    api_version="scheduling.k8s.io/v1",
    kind="PriorityClass",
    plural="priorityclasses",
    namespaced=False,
):
    """Served cluster-wide as `priorityclasses`."""

    description: str = ""
    global_default: bool | None = None
    preemption_policy: OpenEnum[Literal["", "Never", "PreemptLowerPriority"]] = ""
    value: int = 0


class PriorityClassList(
    ResourceList[PriorityClass], api_version="scheduling.k8s.io/v1", kind="PriorityClassList"
):
    """A list of PriorityClass."""
