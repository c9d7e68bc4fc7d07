"""resource.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from kubewright.machinery.field import EMPTY, Field, OpenEnum, field
from kubewright.machinery.meta import Condition, ObjectMeta
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time
from kubewright.models.core_v1 import NodeSelector

__all__ = [
    "AllocatedDeviceStatus",
    "AllocationResult",
    "CELDeviceSelector",
    "CapacityRequestPolicy",
    "CapacityRequestPolicyRange",
    "CapacityRequirements",
    "Counter",
    "CounterSet",
    "Device",
    "DeviceAllocationConfiguration",
    "DeviceAllocationResult",
    "DeviceAttribute",
    "DeviceCapacity",
    "DeviceClaim",
    "DeviceClaimConfiguration",
    "DeviceClass",
    "DeviceClassConfiguration",
    "DeviceClassList",
    "DeviceClassSpec",
    "DeviceConstraint",
    "DeviceCounterConsumption",
    "DeviceRequest",
    "DeviceRequestAllocationResult",
    "DeviceSelector",
    "DeviceSubRequest",
    "DeviceTaint",
    "DeviceToleration",
    "ExactDeviceRequest",
    "NetworkDeviceData",
    "NodeAllocatableResourceMapping",
    "OpaqueDeviceConfiguration",
    "ResourceClaim",
    "ResourceClaimConsumerReference",
    "ResourceClaimList",
    "ResourceClaimSpec",
    "ResourceClaimStatus",
    "ResourceClaimTemplate",
    "ResourceClaimTemplateList",
    "ResourceClaimTemplateSpec",
    "ResourcePool",
    "ResourceSlice",
    "ResourceSliceList",
    "ResourceSliceSpec",
]


class AllocatedDeviceStatus(Struct):
    device: str
    driver: str
    pool: str
    conditions: Annotated[list[Condition], Field(list_type="map", map_keys=("type",))] = []
    data: Annotated[dict[str, Any] | None, Field(map_type="atomic")] = None
    network_data: NetworkDeviceData | None = None
    share_id: str = field(default="", name="shareID")


class AllocationResult(Struct):
    allocation_timestamp: Time | None = None
    devices: DeviceAllocationResult = EMPTY
    node_selector: NodeSelector | None = None


class CELDeviceSelector(Struct):
    expression: str


class CapacityRequestPolicy(Struct):
    default: Quantity | None = None
    valid_range: CapacityRequestPolicyRange | None = None
    valid_values: list[Quantity] = []


class CapacityRequestPolicyRange(Struct):
    min: Quantity
    max: Quantity | None = None
    step: Quantity | None = None


class CapacityRequirements(Struct):
    requests: dict[str, Quantity] = {}


class Counter(Struct):
    value: Quantity


class CounterSet(Struct):
    counters: dict[str, Counter]
    name: str


class Device(Struct):
    name: str
    all_nodes: bool | None = None
    allow_multiple_allocations: bool | None = None
    attributes: dict[str, DeviceAttribute] = {}
    binding_conditions: list[str] = []
    binding_failure_conditions: list[str] = []
    binds_to_node: bool | None = None
    capacity: dict[str, DeviceCapacity] = {}
    consumes_counters: list[DeviceCounterConsumption] = []
    node_allocatable_resource_mappings: dict[str, NodeAllocatableResourceMapping] = {}
    node_name: str = ""
    node_selector: NodeSelector | None = None
    taints: list[DeviceTaint] = []


class DeviceAllocationConfiguration(Struct):
    source: OpenEnum[Literal["FromClaim", "FromClass"]]
    opaque: OpaqueDeviceConfiguration | None = None
    requests: list[str] = []


class DeviceAllocationResult(Struct):
    config: list[DeviceAllocationConfiguration] = []
    results: list[DeviceRequestAllocationResult] = []


class DeviceAttribute(Struct):
    bool_: bool | None = None
    bools: list[bool] = []
    int_: int | None = None
    ints: list[int] = []
    string: str = ""
    strings: list[str] = []
    version: str = ""
    versions: list[str] = []


class DeviceCapacity(Struct):
    value: Quantity
    request_policy: CapacityRequestPolicy | None = None


class DeviceClaim(Struct):
    config: list[DeviceClaimConfiguration] = []
    constraints: list[DeviceConstraint] = []
    requests: list[DeviceRequest] = []


class DeviceClaimConfiguration(Struct):
    opaque: OpaqueDeviceConfiguration | None = None
    requests: list[str] = []


class DeviceClass(
    Resource, api_version="resource.k8s.io/v1", kind="DeviceClass", plural="deviceclasses", namespaced=False
):
    """Served cluster-wide as `deviceclasses`."""

    spec: DeviceClassSpec


class DeviceClassConfiguration(Struct):
    opaque: OpaqueDeviceConfiguration | None = None


class DeviceClassList(ResourceList[DeviceClass], api_version="resource.k8s.io/v1", kind="DeviceClassList"):
    """A list of DeviceClass."""


class DeviceClassSpec(Struct):
    config: list[DeviceClassConfiguration] = []
    extended_resource_name: str = ""
    selectors: list[DeviceSelector] = []


class DeviceConstraint(Struct):
    distinct_attribute: str = ""
    match_attribute: str = ""
    requests: list[str] = []


class DeviceCounterConsumption(Struct):
    counter_set: str
    counters: dict[str, Counter]


class DeviceRequest(Struct):
    name: str
    exactly: ExactDeviceRequest | None = None
    first_available: list[DeviceSubRequest] = []


class DeviceRequestAllocationResult(Struct):
    device: str
    driver: str
    pool: str
    request: str
    admin_access: bool | None = None
    binding_conditions: list[str] = []
    binding_failure_conditions: list[str] = []
    consumed_capacity: dict[str, Quantity] = {}
    share_id: str = field(default="", name="shareID")
    tolerations: list[DeviceToleration] = []


class DeviceSelector(Struct):
    cel: CELDeviceSelector | None = None


class DeviceSubRequest(Struct):
    device_class_name: str
    name: str
    allocation_mode: OpenEnum[Literal["", "All", "ExactCount"]] = ""
    capacity: CapacityRequirements | None = None
    count: int | None = None
    selectors: list[DeviceSelector] = []
    tolerations: list[DeviceToleration] = []


class DeviceTaint(Struct):
    effect: OpenEnum[Literal["NoExecute", "NoSchedule", "None"]]
    key: str
    time_added: Time | None = None
    value: str = ""


class DeviceToleration(Struct):
    effect: OpenEnum[Literal["", "NoExecute", "NoSchedule", "None"]] = ""
    key: str = ""
    operator: OpenEnum[Literal["Equal", "Exists"]] = "Equal"
    toleration_seconds: int | None = None
    value: str = ""


class ExactDeviceRequest(Struct):
    device_class_name: str
    admin_access: bool | None = None
    allocation_mode: OpenEnum[Literal["", "All", "ExactCount"]] = ""
    capacity: CapacityRequirements | None = None
    count: int | None = None
    selectors: list[DeviceSelector] = []
    tolerations: list[DeviceToleration] = []


class NetworkDeviceData(Struct):
    hardware_address: str = ""
    interface_name: str = ""
    ips: list[str] = []


class NodeAllocatableResourceMapping(Struct):
    allocation_multiplier: Quantity | None = None
    capacity_key: str = ""


class OpaqueDeviceConfiguration(Struct):
    driver: str
    parameters: Annotated[dict[str, Any], Field(map_type="atomic")]


class ResourceClaim(
    Resource, api_version="resource.k8s.io/v1", kind="ResourceClaim", plural="resourceclaims", namespaced=True
):
    """Served in a namespace as `resourceclaims`."""

    spec: ResourceClaimSpec
    status: ResourceClaimStatus = EMPTY


class ResourceClaimConsumerReference(Struct):
    name: str
    resource: str
    uid: str
    api_group: str = ""


class ResourceClaimList(
    ResourceList[ResourceClaim], api_version="resource.k8s.io/v1", kind="ResourceClaimList"
):
    """A list of ResourceClaim."""


class ResourceClaimSpec(Struct):
    devices: DeviceClaim = EMPTY


class ResourceClaimStatus(Struct):
    allocation: AllocationResult | None = None
    devices: Annotated[
        list[AllocatedDeviceStatus], Field(list_type="map", map_keys=("driver", "device", "pool", "shareID"))
    ] = []
    reserved_for: Annotated[
        list[ResourceClaimConsumerReference],
        Field(list_type="map", map_keys=("uid",), patch_strategy=("merge",), patch_merge_key="uid"),
    ] = []


class ResourceClaimTemplate(
    Resource,
    api_version="resource.k8s.io/v1",
    kind="ResourceClaimTemplate",
    plural="resourceclaimtemplates",
    namespaced=True,
):
    """Served in a namespace as `resourceclaimtemplates`."""

    spec: ResourceClaimTemplateSpec


class ResourceClaimTemplateList(
    ResourceList[ResourceClaimTemplate], api_version="resource.k8s.io/v1", kind="ResourceClaimTemplateList"
):
    """A list of ResourceClaimTemplate."""


class ResourceClaimTemplateSpec(Struct):
    spec: ResourceClaimSpec
    metadata: ObjectMeta = EMPTY


class ResourcePool(Struct):
    generation: int
    name: str
    resource_slice_count: int


class ResourceSlice(
    Resource,
    api_version="resource.k8s.io/v1",
    kind="ResourceSlice",
    plural="resourceslices",
    namespaced=False,
):
    """Served cluster-wide as `resourceslices`."""

    spec: ResourceSliceSpec


class ResourceSliceList(
    ResourceList[ResourceSlice], api_version="resource.k8s.io/v1", kind="ResourceSliceList"
):
    """A list of ResourceSlice."""


class ResourceSliceSpec(Struct):
    driver: str
    pool: ResourcePool
    all_nodes: bool | None = None
    devices: list[Device] = []
    node_name: str = ""
    node_selector: NodeSelector | None = None
    per_device_node_selection: bool | None = None
    shared_counters: list[CounterSet] = []
