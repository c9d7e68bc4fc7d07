"""node.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated

from kubewright.machinery.field import Field
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.models.core_v1 import Toleration

__all__ = [
    "Overhead",
    "RuntimeClass",
    "RuntimeClassList",
    "Scheduling",
]


class Overhead(Struct):
    pod_fixed: dict[str, Quantity] = {}


class RuntimeClass(
    Resource, api_version="node.k8s.io/v1", kind="RuntimeClass", plural="runtimeclasses", namespaced=False
):
    """Served cluster-wide as `runtimeclasses`."""

    handler: str
    overhead: Overhead | None = None
    scheduling: Scheduling | None = None


class RuntimeClassList(ResourceList[RuntimeClass], api_version="node.k8s.io/v1", kind="RuntimeClassList"):
    """A list of RuntimeClass."""


class Scheduling(Struct):
    node_selector: Annotated[dict[str, str], Field(map_type="atomic")] = {}
    tolerations: list[Toleration] = []
