"""autoscaling/v2 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated

from kubewright.machinery.field import EMPTY, Field
from kubewright.machinery.meta import LabelSelector
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time

__all__ = [
    "ContainerResourceMetricSource",
    "ContainerResourceMetricStatus",
    "CrossVersionObjectReference",
    "ExternalMetricSource",
    "ExternalMetricStatus",
    "HPAScalingPolicy",
    "HPAScalingRules",
    "HorizontalPodAutoscaler",
    "HorizontalPodAutoscalerBehavior",
    "HorizontalPodAutoscalerCondition",
    "HorizontalPodAutoscalerList",
    "HorizontalPodAutoscalerSpec",
    "HorizontalPodAutoscalerStatus",
    "MetricIdentifier",
    "MetricSpec",
    "MetricStatus",
    "MetricTarget",
    "MetricValueStatus",
    "ObjectMetricSource",
    "ObjectMetricStatus",
    "PodsMetricSource",
    "PodsMetricStatus",
    "ResourceMetricSource",
    "ResourceMetricStatus",
]


class ContainerResourceMetricSource(Struct):
    container: str
    name: str
    target: MetricTarget


class ContainerResourceMetricStatus(Struct):
    container: str
    current: MetricValueStatus
    name: str


class CrossVersionObjectReference(Struct):
    kind: str
    name: str
    api_version: str = ""


class ExternalMetricSource(Struct):
    metric: MetricIdentifier
    target: MetricTarget


class ExternalMetricStatus(Struct):
    current: MetricValueStatus
    metric: MetricIdentifier


class HPAScalingPolicy(Struct):
    period_seconds: int
    type: str
    value: int


class HPAScalingRules(Struct):
    policies: list[HPAScalingPolicy] = []
    select_policy: str = ""
    stabilization_window_seconds: int | None = None
    tolerance: Quantity | None = None


class HorizontalPodAutoscaler(
    Resource,
    api_version="autoscaling/v2",
    kind="HorizontalPodAutoscaler",
    plural="horizontalpodautoscalers",
    namespaced=True,
):
    """Served in a namespace as `horizontalpodautoscalers`."""

    spec: HorizontalPodAutoscalerSpec
    status: HorizontalPodAutoscalerStatus = EMPTY


class HorizontalPodAutoscalerBehavior(Struct):
    scale_down: HPAScalingRules | None = None
    scale_up: HPAScalingRules | None = None


class HorizontalPodAutoscalerCondition(Struct):
    status: str
    type: str
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""


class HorizontalPodAutoscalerList(
    ResourceList[HorizontalPodAutoscaler], api_version="autoscaling/v2", kind="HorizontalPodAutoscalerList"
):
    """A list of HorizontalPodAutoscaler."""


class HorizontalPodAutoscalerSpec(Struct):
    max_replicas: int
    scale_target_ref: CrossVersionObjectReference
    behavior: HorizontalPodAutoscalerBehavior | None = None
    metrics: list[MetricSpec] = []
    min_replicas: int | None = None


class HorizontalPodAutoscalerStatus(Struct):
    desired_replicas: int
    conditions: Annotated[
        list[HorizontalPodAutoscalerCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    current_metrics: list[MetricStatus] = []
    current_replicas: int | None = None
    last_scale_time: Time | None = None
    observed_generation: int | None = None


class MetricIdentifier(Struct):
    name: str
    selector: LabelSelector | None = None


class MetricSpec(Struct):
    type: str
    container_resource: ContainerResourceMetricSource | None = None
    external: ExternalMetricSource | None = None
    object: ObjectMetricSource | None = None
    pods: PodsMetricSource | None = None
    resource: ResourceMetricSource | None = None


class MetricStatus(Struct):
    type: str
    container_resource: ContainerResourceMetricStatus | None = None
    external: ExternalMetricStatus | None = None
    object: ObjectMetricStatus | None = None
    pods: PodsMetricStatus | None = None
    resource: ResourceMetricStatus | None = None


class MetricTarget(Struct):
    type: str
    average_utilization: int | None = None
    average_value: Quantity | None = None
    value: Quantity | None = None


class MetricValueStatus(Struct):
    average_utilization: int | None = None
    average_value: Quantity | None = None
    value: Quantity | None = None


class ObjectMetricSource(Struct):
    described_object: CrossVersionObjectReference
    metric: MetricIdentifier
    target: MetricTarget


class ObjectMetricStatus(Struct):
    current: MetricValueStatus
    described_object: CrossVersionObjectReference
    metric: MetricIdentifier


class PodsMetricSource(Struct):
    metric: MetricIdentifier
    target: MetricTarget


class PodsMetricStatus(Struct):
    current: MetricValueStatus
    metric: MetricIdentifier


class ResourceMetricSource(Struct):
    name: str
    target: MetricTarget


class ResourceMetricStatus(Struct):
    current: MetricValueStatus
    name: str
