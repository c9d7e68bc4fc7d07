"""policy/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated, Literal

from kubewright.machinery.field import EMPTY, Field, OpenEnum
from kubewright.machinery.intstr import IntOrString
from kubewright.machinery.meta import Condition, LabelSelector
from kubewright.machinery.options import DeleteOptions
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time

__all__ = [
    "Eviction",
    "PodDisruptionBudget",
    "PodDisruptionBudgetList",
    "PodDisruptionBudgetSpec",
    "PodDisruptionBudgetStatus",
]


class Eviction(Resource, api_version="policy/v1", kind="Eviction"):
    """Sent to or returned by subresources of others; not served by itself."""

    delete_options: DeleteOptions | None = None


class PodDisruptionBudget(
    Resource,
    api_version="policy/v1",
    kind="PodDisruptionBudget",
    plural="poddisruptionbudgets",
    namespaced=True,
):
    """Served in a namespace as `poddisruptionbudgets`."""

    spec: PodDisruptionBudgetSpec = EMPTY
    status: PodDisruptionBudgetStatus = EMPTY


class PodDisruptionBudgetList(
    ResourceList[PodDisruptionBudget], api_version="policy/v1", kind="PodDisruptionBudgetList"
):
    """A list of PodDisruptionBudget."""


class PodDisruptionBudgetSpec(Struct):
    max_unavailable: IntOrString | None = None
    min_available: IntOrString | None = None
    selector: Annotated[LabelSelector | None, Field(patch_strategy=("replace",))] = None
    unhealthy_pod_eviction_policy: OpenEnum[Literal["", "AlwaysAllow", "IfHealthyBudget"]] = ""


class PodDisruptionBudgetStatus(Struct):
    conditions: Annotated[
        list[Condition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    current_healthy: int = 0
    desired_healthy: int = 0
    disrupted_pods: dict[str, Time] = {}
    disruptions_allowed: int = 0
    expected_pods: int = 0
    observed_generation: int | None = None
