"""autoscaling/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from kubewright.machinery.field import EMPTY, field
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time

__all__ = [
    "CrossVersionObjectReference",
    "HorizontalPodAutoscaler",
    "HorizontalPodAutoscalerList",
    "HorizontalPodAutoscalerSpec",
    "HorizontalPodAutoscalerStatus",
    "Scale",
    "ScaleSpec",
    "ScaleStatus",
]


class CrossVersionObjectReference(Struct, map_type="atomic"):
    kind: str
    name: str
    api_version: str = ""


class HorizontalPodAutoscaler(
    Resource,
    api_version="autoscaling/v1",
    kind="HorizontalPodAutoscaler",
    plural="horizontalpodautoscalers",
    namespaced=True,
):
    """Served in a namespace as `horizontalpodautoscalers`."""

    spec: HorizontalPodAutoscalerSpec
    status: HorizontalPodAutoscalerStatus = EMPTY


class HorizontalPodAutoscalerList(
    ResourceList[HorizontalPodAutoscaler], api_version="autoscaling/v1", kind="HorizontalPodAutoscalerList"
):
    """A list of HorizontalPodAutoscaler."""


class HorizontalPodAutoscalerSpec(Struct):
    max_replicas: int
    scale_target_ref: CrossVersionObjectReference
    min_replicas: int | None = None
    target_cpu_utilization_percentage: int | None = field(default=None, name="targetCPUUtilizationPercentage")


class HorizontalPodAutoscalerStatus(Struct):
    current_replicas: int
    desired_replicas: int
    current_cpu_utilization_percentage: int | None = field(
        default=None, name="currentCPUUtilizationPercentage"
    )
    last_scale_time: Time | None = None
    observed_generation: int | None = None


class Scale(Resource, api_version="autoscaling/v1", kind="Scale"):
    """Sent to or returned by subresources of others; not served by itself."""

    spec: ScaleSpec = EMPTY
    status: ScaleStatus = EMPTY


class ScaleSpec(Struct):
    replicas: int = 0


class ScaleStatus(Struct):
    replicas: int
    selector: str = ""
