"""storage.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated, Literal

from kubewright.machinery.field import EMPTY, Field, OpenEnum, field
from kubewright.machinery.meta import LabelSelector
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time
from kubewright.models.core_v1 import PersistentVolumeSpec, TopologySelectorTerm

__all__ = [
    "CSIDriver",
    "CSIDriverList",
    "CSIDriverSpec",
    "CSINode",
    "CSINodeDriver",
    "CSINodeList",
    "CSINodeSpec",
    "CSIStorageCapacity",
    "CSIStorageCapacityList",
    "StorageClass",
    "StorageClassList",
    "TokenRequest",
    "VolumeAttachment",
    "VolumeAttachmentList",
    "VolumeAttachmentSource",
    "VolumeAttachmentSpec",
    "VolumeAttachmentStatus",
    "VolumeAttributesClass",
    "VolumeAttributesClassList",
    "VolumeError",
    "VolumeNodeResources",
]


class CSIDriver(
    Resource, api_version="storage.k8s.io/v1", kind="CSIDriver", plural="csidrivers", namespaced=False
):
    """Served cluster-wide as `csidrivers`."""

    spec: CSIDriverSpec


class CSIDriverList(ResourceList[CSIDriver], api_version="storage.k8s.io/v1", kind="CSIDriverList"):
    """A list of CSIDriver."""


class CSIDriverSpec(Struct):
    attach_required: bool | None = None
    fs_group_policy: str = ""
    node_allocatable_update_period_seconds: int | None = None
    pod_info_on_mount: bool | None = None
    prevent_pod_scheduling_if_missing: bool | None = None
    requires_republish: bool | None = None
    se_linux_mount: bool | None = None
    service_account_token_in_secrets: bool | None = None
    storage_capacity: bool | None = None
    token_requests: list[TokenRequest] = []
    volume_lifecycle_modes: Annotated[list[str], Field(list_type="set")] = []


class CSINode(Resource, api_version="storage.k8s.io/v1", kind="CSINode", plural="csinodes", namespaced=False):
    """Served cluster-wide as `csinodes`."""

    spec: CSINodeSpec


class CSINodeDriver(Struct):
    name: str
    node_id: str = field(name="nodeID")
    allocatable: VolumeNodeResources | None = None
    topology_keys: list[str] = []


class CSINodeList(ResourceList[CSINode], api_version="storage.k8s.io/v1", kind="CSINodeList"):
    """A list of CSINode."""


class CSINodeSpec(Struct):
    drivers: Annotated[
        list[CSINodeDriver],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ]


class CSIStorageCapacity(
    Resource,
    api_version="storage.k8s.io/v1",
    kind="CSIStorageCapacity",
    plural="csistoragecapacities",
    namespaced=True,
):
    """Served in a namespace as `csistoragecapacities`."""

    storage_class_name: str
    capacity: Quantity | None = None
    maximum_volume_size: Quantity | None = None
    node_topology: LabelSelector | None = None


class CSIStorageCapacityList(
    ResourceList[CSIStorageCapacity], api_version="storage.k8s.io/v1", kind="CSIStorageCapacityList"
):
    """A list of CSIStorageCapacity."""


class StorageClass(
    Resource, api_version="storage.k8s.io/v1", kind="StorageClass", plural="storageclasses", namespaced=False
):
    """Served cluster-wide as `storageclasses`."""

    provisioner: str
    allow_volume_expansion: bool | None = None
    allowed_topologies: list[TopologySelectorTerm] = []
    mount_options: list[str] = []
    parameters: dict[str, str] = {}
    reclaim_policy: OpenEnum[Literal["", "Delete", "Recycle", "Retain"]] = ""
    volume_binding_mode: OpenEnum[Literal["", "Immediate", "WaitForFirstConsumer"]] = ""


class StorageClassList(ResourceList[StorageClass], api_version="storage.k8s.io/v1", kind="StorageClassList"):
    """A list of StorageClass."""


class TokenRequest(Struct):
    audience: str
    expiration_seconds: int | None = None


class VolumeAttachment(
    Resource,
    api_version="storage.k8s.io/v1",
    kind="VolumeAttachment",
    plural="volumeattachments",
    namespaced=False,
):
    """Served cluster-wide as `volumeattachments`."""

    spec: VolumeAttachmentSpec
    status: VolumeAttachmentStatus = EMPTY


class VolumeAttachmentList(
    ResourceList[VolumeAttachment], api_version="storage.k8s.io/v1", kind="VolumeAttachmentList"
):
    """A list of VolumeAttachment."""


class VolumeAttachmentSource(Struct):
    inline_volume_spec: PersistentVolumeSpec | None = None
    persistent_volume_name: str = ""


class VolumeAttachmentSpec(Struct):
    attacher: str
    node_name: str
    source: VolumeAttachmentSource


class VolumeAttachmentStatus(Struct):
    attached: bool
    attach_error: VolumeError | None = None
    attachment_metadata: dict[str, str] = {}
    detach_error: VolumeError | None = None


class VolumeAttributesClass(
    Resource,
    api_version="storage.k8s.io/v1",
    kind="VolumeAttributesClass",
    plural="volumeattributesclasses",
    namespaced=False,
):
    """Served cluster-wide as `volumeattributesclasses`."""

    driver_name: str
    parameters: dict[str, str] = {}


class VolumeAttributesClassList(
    ResourceList[VolumeAttributesClass], api_version="storage.k8s.io/v1", kind="VolumeAttributesClassList"
):
    """A list of VolumeAttributesClass."""


class VolumeError(Struct):
    error_code: int | None = None
    message: str = ""
    time: Time | None = None


class VolumeNodeResources(Struct):
    count: int | None = None
