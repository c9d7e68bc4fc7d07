"""apps/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from kubewright.machinery.field import EMPTY, Field, OpenEnum
from kubewright.machinery.intstr import IntOrString
from kubewright.machinery.meta import LabelSelector
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time
from kubewright.models.core_v1 import PersistentVolumeClaim, PodTemplateSpec

__all__ = [
    "ControllerRevision",
    "ControllerRevisionList",
    "DaemonSet",
    "DaemonSetCondition",
    "DaemonSetList",
    "DaemonSetSpec",
    "DaemonSetStatus",
    "DaemonSetUpdateStrategy",
    "Deployment",
    "DeploymentCondition",
    "DeploymentList",
    "DeploymentSpec",
    "DeploymentStatus",
    "DeploymentStrategy",
    "ReplicaSet",
    "ReplicaSetCondition",
    "ReplicaSetList",
    "ReplicaSetSpec",
    "ReplicaSetStatus",
    "RollingUpdateDaemonSet",
    "RollingUpdateDeployment",
    "RollingUpdateStatefulSetStrategy",
    "StatefulSet",
    "StatefulSetCondition",
    "StatefulSetList",
    "StatefulSetOrdinals",
    "StatefulSetPersistentVolumeClaimRetentionPolicy",
    "StatefulSetSpec",
    "StatefulSetStatus",
    "StatefulSetUpdateStrategy",
]


class ControllerRevision(
    Resource, api_version="apps/v1", kind="ControllerRevision", plural="controllerrevisions", namespaced=True
):
    """Served in a namespace as `controllerrevisions`."""

    revision: int
    data: Annotated[dict[str, Any] | None, Field(map_type="atomic")] = None


class ControllerRevisionList(
    ResourceList[ControllerRevision], api_version="apps/v1", kind="ControllerRevisionList"
):
    """A list of ControllerRevision."""


class DaemonSet(Resource, api_version="apps/v1", kind="DaemonSet", plural="daemonsets", namespaced=True):
    """Served in a namespace as `daemonsets`."""

    spec: DaemonSetSpec = EMPTY
    status: DaemonSetStatus = EMPTY


class DaemonSetCondition(Struct):
    status: str
    type: str
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""


class DaemonSetList(ResourceList[DaemonSet], api_version="apps/v1", kind="DaemonSetList"):
    """A list of DaemonSet."""


class DaemonSetSpec(Struct):
    selector: LabelSelector
    template: PodTemplateSpec
    min_ready_seconds: int | None = None
    revision_history_limit: int | None = None
    update_strategy: DaemonSetUpdateStrategy = EMPTY


class DaemonSetStatus(Struct):
    current_number_scheduled: int
    desired_number_scheduled: int
    number_misscheduled: int
    number_ready: int
    collision_count: int | None = None
    conditions: Annotated[
        list[DaemonSetCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    number_available: int | None = None
    number_unavailable: int | None = None
    observed_generation: int | None = None
    updated_number_scheduled: int | None = None


class DaemonSetUpdateStrategy(Struct):
    rolling_update: RollingUpdateDaemonSet | None = None
    type: OpenEnum[Literal["", "OnDelete", "RollingUpdate"]] = ""


class Deployment(Resource, api_version="apps/v1", kind="Deployment", plural="deployments", namespaced=True):
    """Served in a namespace as `deployments`."""

    spec: DeploymentSpec = EMPTY
    status: DeploymentStatus = EMPTY


class DeploymentCondition(Struct):
    status: str
    type: str
    last_transition_time: Time | None = None
    last_update_time: Time | None = None
    message: str = ""
    reason: str = ""


class DeploymentList(ResourceList[Deployment], api_version="apps/v1", kind="DeploymentList"):
    """A list of Deployment."""


class DeploymentSpec(Struct):
    selector: LabelSelector
    template: PodTemplateSpec
    min_ready_seconds: int | None = None
    paused: bool | None = None
    progress_deadline_seconds: int | None = None
    replicas: int | None = None
    revision_history_limit: int | None = None
    strategy: Annotated[DeploymentStrategy, Field(patch_strategy=("retainKeys",))] = EMPTY


class DeploymentStatus(Struct):
    available_replicas: int | None = None
    collision_count: int | None = None
    conditions: Annotated[
        list[DeploymentCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    observed_generation: int | None = None
    ready_replicas: int | None = None
    replicas: int | None = None
    terminating_replicas: int | None = None
    unavailable_replicas: int | None = None
    updated_replicas: int | None = None


class DeploymentStrategy(Struct):
    rolling_update: RollingUpdateDeployment | None = None
    type: OpenEnum[Literal["", "Recreate", "RollingUpdate"]] = ""


class ReplicaSet(Resource, api_version="apps/v1", kind="ReplicaSet", plural="replicasets", namespaced=True):
    """Served in a namespace as `replicasets`."""

    spec: ReplicaSetSpec = EMPTY
    status: ReplicaSetStatus = EMPTY


class ReplicaSetCondition(Struct):
    status: str
    type: str
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""


class ReplicaSetList(ResourceList[ReplicaSet], api_version="apps/v1", kind="ReplicaSetList"):
    """A list of ReplicaSet."""


class ReplicaSetSpec(Struct):
    selector: LabelSelector
    min_ready_seconds: int | None = None
    replicas: int | None = None
    template: PodTemplateSpec = EMPTY


class ReplicaSetStatus(Struct):
    replicas: int
    available_replicas: int | None = None
    conditions: Annotated[
        list[ReplicaSetCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    fully_labeled_replicas: int | None = None
    observed_generation: int | None = None
    ready_replicas: int | None = None
    terminating_replicas: int | None = None


class RollingUpdateDaemonSet(Struct):
    max_surge: IntOrString | None = None
    max_unavailable: IntOrString | None = None


class RollingUpdateDeployment(Struct):
    max_surge: IntOrString | None = None
    max_unavailable: IntOrString | None = None


class RollingUpdateStatefulSetStrategy(Struct):
    max_unavailable: IntOrString | None = None
    partition: int | None = None


class StatefulSet(
    Resource, api_version="apps/v1", kind="StatefulSet", plural="statefulsets", namespaced=True
):
    """Served in a namespace as `statefulsets`."""

    spec: StatefulSetSpec = EMPTY
    status: StatefulSetStatus = EMPTY


class StatefulSetCondition(Struct):
    status: str
    type: str
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""


class StatefulSetList(ResourceList[StatefulSet], api_version="apps/v1", kind="StatefulSetList"):
    """A list of StatefulSet."""


class StatefulSetOrdinals(Struct):
    start: int = 0


class StatefulSetPersistentVolumeClaimRetentionPolicy(Struct):
    when_deleted: str = ""
    when_scaled: str = ""


class StatefulSetSpec(Struct):
    selector: LabelSelector
    template: PodTemplateSpec
    min_ready_seconds: int | None = None
    ordinals: StatefulSetOrdinals | None = None
    persistent_volume_claim_retention_policy: StatefulSetPersistentVolumeClaimRetentionPolicy | None = None
    pod_management_policy: OpenEnum[Literal["", "OrderedReady", "Parallel"]] = ""
    replicas: int | None = None
    revision_history_limit: int | None = None
    service_name: str = ""
    update_strategy: StatefulSetUpdateStrategy = EMPTY
    volume_claim_templates: list[PersistentVolumeClaim] = []


class StatefulSetStatus(Struct):
    replicas: int
    available_replicas: int = 0
    collision_count: int | None = None
    conditions: Annotated[
        list[StatefulSetCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    current_replicas: int | None = None
    current_revision: str = ""
    observed_generation: int | None = None
    ready_replicas: int | None = None
    update_revision: str = ""
    updated_replicas: int | None = None


class StatefulSetUpdateStrategy(Struct):
    rolling_update: RollingUpdateStatefulSetStrategy | None = None
    type: OpenEnum[Literal["", "OnDelete", "RollingUpdate"]] = ""
