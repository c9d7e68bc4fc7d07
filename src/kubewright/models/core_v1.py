"""v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated, Literal

from kubewright.machinery.field import EMPTY, Field, OpenEnum, field
from kubewright.machinery.intstr import IntOrString
from kubewright.machinery.meta import Condition, LabelSelector, ObjectMeta
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import MicroTime, Time

__all__ = [
    "AWSElasticBlockStoreVolumeSource",
    "Affinity",
    "AppArmorProfile",
    "AttachedVolume",
    "AzureDiskVolumeSource",
    "AzureFilePersistentVolumeSource",
    "AzureFileVolumeSource",
    "Binding",
    "CSIPersistentVolumeSource",
    "CSIVolumeSource",
    "Capabilities",
    "CephFSPersistentVolumeSource",
    "CephFSVolumeSource",
    "CinderPersistentVolumeSource",
    "CinderVolumeSource",
    "ClientIPConfig",
    "ClusterTrustBundleProjection",
    "ComponentCondition",
    "ComponentStatus",
    "ComponentStatusList",
    "ConfigMap",
    "ConfigMapEnvSource",
    "ConfigMapKeySelector",
    "ConfigMapList",
    "ConfigMapNodeConfigSource",
    "ConfigMapProjection",
    "ConfigMapVolumeSource",
    "Container",
    "ContainerExtendedResourceRequest",
    "ContainerImage",
    "ContainerPort",
    "ContainerResizePolicy",
    "ContainerRestartRule",
    "ContainerRestartRuleOnExitCodes",
    "ContainerState",
    "ContainerStateRunning",
    "ContainerStateTerminated",
    "ContainerStateWaiting",
    "ContainerStatus",
    "ContainerUser",
    "DaemonEndpoint",
    "DownwardAPIProjection",
    "DownwardAPIVolumeFile",
    "DownwardAPIVolumeSource",
    "EmptyDirVolumeSource",
    "EndpointAddress",
    "EndpointPort",
    "EndpointSubset",
    "Endpoints",
    "EndpointsList",
    "EnvFromSource",
    "EnvVar",
    "EnvVarSource",
    "EphemeralContainer",
    "EphemeralVolumeSource",
    "Event",
    "EventList",
    "EventSeries",
    "EventSource",
    "ExecAction",
    "FCVolumeSource",
    "FileKeySelector",
    "FlexPersistentVolumeSource",
    "FlexVolumeSource",
    "FlockerVolumeSource",
    "GCEPersistentDiskVolumeSource",
    "GRPCAction",
    "GitRepoVolumeSource",
    "GlusterfsPersistentVolumeSource",
    "GlusterfsVolumeSource",
    "HTTPGetAction",
    "HTTPHeader",
    "HostAlias",
    "HostIP",
    "HostPathVolumeSource",
    "ISCSIPersistentVolumeSource",
    "ISCSIVolumeSource",
    "ImageVolumeSource",
    "ImageVolumeStatus",
    "KeyToPath",
    "Lifecycle",
    "LifecycleHandler",
    "LimitRange",
    "LimitRangeItem",
    "LimitRangeList",
    "LimitRangeSpec",
    "LinuxContainerUser",
    "LoadBalancerIngress",
    "LoadBalancerStatus",
    "LocalObjectReference",
    "LocalVolumeSource",
    "ModifyVolumeStatus",
    "NFSVolumeSource",
    "Namespace",
    "NamespaceCondition",
    "NamespaceList",
    "NamespaceSpec",
    "NamespaceStatus",
    "Node",
    "NodeAddress",
    "NodeAffinity",
    "NodeAllocatableResourceClaimStatus",
    "NodeCondition",
    "NodeConfigSource",
    "NodeConfigStatus",
    "NodeDaemonEndpoints",
    "NodeFeatures",
    "NodeList",
    "NodeRuntimeHandler",
    "NodeRuntimeHandlerFeatures",
    "NodeSelector",
    "NodeSelectorRequirement",
    "NodeSelectorTerm",
    "NodeSpec",
    "NodeStatus",
    "NodeSwapStatus",
    "NodeSystemInfo",
    "ObjectFieldSelector",
    "ObjectReference",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "PersistentVolumeClaimCondition",
    "PersistentVolumeClaimList",
    "PersistentVolumeClaimSpec",
    "PersistentVolumeClaimStatus",
    "PersistentVolumeClaimTemplate",
    "PersistentVolumeClaimVolumeSource",
    "PersistentVolumeList",
    "PersistentVolumeSpec",
    "PersistentVolumeStatus",
    "PhotonPersistentDiskVolumeSource",
    "Pod",
    "PodAffinity",
    "PodAffinityTerm",
    "PodAntiAffinity",
    "PodCertificateProjection",
    "PodCondition",
    "PodDNSConfig",
    "PodDNSConfigOption",
    "PodExtendedResourceClaimStatus",
    "PodIP",
    "PodList",
    "PodOS",
    "PodReadinessGate",
    "PodResourceClaim",
    "PodResourceClaimStatus",
    "PodSchedulingGate",
    "PodSchedulingGroup",
    "PodSecurityContext",
    "PodSpec",
    "PodStatus",
    "PodTemplate",
    "PodTemplateList",
    "PodTemplateSpec",
    "PortStatus",
    "PortworxVolumeSource",
    "PreferredSchedulingTerm",
    "Probe",
    "ProjectedVolumeSource",
    "QuobyteVolumeSource",
    "RBDPersistentVolumeSource",
    "RBDVolumeSource",
    "ReplicationController",
    "ReplicationControllerCondition",
    "ReplicationControllerList",
    "ReplicationControllerSpec",
    "ReplicationControllerStatus",
    "ResourceClaim",
    "ResourceFieldSelector",
    "ResourceHealth",
    "ResourceQuota",
    "ResourceQuotaList",
    "ResourceQuotaSpec",
    "ResourceQuotaStatus",
    "ResourceRequirements",
    "ResourceStatus",
    "SELinuxOptions",
    "ScaleIOPersistentVolumeSource",
    "ScaleIOVolumeSource",
    "ScopeSelector",
    "ScopedResourceSelectorRequirement",
    "SeccompProfile",
    "Secret",
    "SecretEnvSource",
    "SecretKeySelector",
    "SecretList",
    "SecretProjection",
    "SecretReference",
    "SecretVolumeSource",
    "SecurityContext",
    "Service",
    "ServiceAccount",
    "ServiceAccountList",
    "ServiceAccountTokenProjection",
    "ServiceList",
    "ServicePort",
    "ServiceSpec",
    "ServiceStatus",
    "SessionAffinityConfig",
    "SleepAction",
    "StorageOSPersistentVolumeSource",
    "StorageOSVolumeSource",
    "Sysctl",
    "TCPSocketAction",
    "Taint",
    "Toleration",
    "TopologySelectorLabelRequirement",
    "TopologySelectorTerm",
    "TopologySpreadConstraint",
    "TypedLocalObjectReference",
    "TypedObjectReference",
    "Volume",
    "VolumeDevice",
    "VolumeMount",
    "VolumeMountStatus",
    "VolumeNodeAffinity",
    "VolumeProjection",
    "VolumeResourceRequirements",
    "VolumeStatus",
    "VsphereVirtualDiskVolumeSource",
    "WeightedPodAffinityTerm",
    "WindowsSecurityContextOptions",
]


class AWSElasticBlockStoreVolumeSource(Struct):
    volume_id: str = field(name="volumeID")
    fs_type: str = ""
    partition: int | None = None
    read_only: bool | None = None


class Affinity(Struct):
    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAntiAffinity | None = None


class AppArmorProfile(Struct):
    type: OpenEnum[Literal["Localhost", "RuntimeDefault", "Unconfined"]]
    localhost_profile: str = ""


class AttachedVolume(Struct):
    device_path: str
    name: str


class AzureDiskVolumeSource(Struct):
    disk_name: str
    disk_uri: str = field(name="diskURI")
    caching_mode: OpenEnum[Literal["None", "ReadOnly", "ReadWrite"]] = "ReadWrite"
    fs_type: str = "ext4"
    kind: OpenEnum[Literal["Dedicated", "Managed", "Shared"]] = "Shared"
    read_only: bool = False


class AzureFilePersistentVolumeSource(Struct):
    secret_name: str
    share_name: str
    read_only: bool | None = None
    secret_namespace: str = ""


class AzureFileVolumeSource(Struct):
    secret_name: str
    share_name: str
    read_only: bool | None = None


class Binding(Resource, api_version="v1", kind="Binding", plural="bindings", namespaced=True):
    """Served in a namespace as `bindings`."""

    target: ObjectReference


class CSIPersistentVolumeSource(Struct):
    driver: str
    volume_handle: str
    controller_expand_secret_ref: SecretReference | None = None
    controller_publish_secret_ref: SecretReference | None = None
    fs_type: str = ""
    node_expand_secret_ref: SecretReference | None = None
    node_publish_secret_ref: SecretReference | None = None
    node_stage_secret_ref: SecretReference | None = None
    read_only: bool | None = None
    volume_attributes: dict[str, str] = {}


class CSIVolumeSource(Struct):
    driver: str
    fs_type: str = ""
    node_publish_secret_ref: LocalObjectReference | None = None
    read_only: bool | None = None
    volume_attributes: dict[str, str] = {}


class Capabilities(Struct):
    add: list[str] = []
    drop: list[str] = []


class CephFSPersistentVolumeSource(Struct):
    monitors: list[str]
    path: str = ""
    read_only: bool | None = None
    secret_file: str = ""
    secret_ref: SecretReference | None = None
    user: str = ""


class CephFSVolumeSource(Struct):
    monitors: list[str]
    path: str = ""
    read_only: bool | None = None
    secret_file: str = ""
    secret_ref: LocalObjectReference | None = None
    user: str = ""


class CinderPersistentVolumeSource(Struct):
    volume_id: str = field(name="volumeID")
    fs_type: str = ""
    read_only: bool | None = None
    secret_ref: SecretReference | None = None


class CinderVolumeSource(Struct):
    volume_id: str = field(name="volumeID")
    fs_type: str = ""
    read_only: bool | None = None
    secret_ref: LocalObjectReference | None = None


class ClientIPConfig(Struct):
    timeout_seconds: int | None = None


class ClusterTrustBundleProjection(Struct):
    path: str
    label_selector: LabelSelector | None = None
    name: str = ""
    optional: bool | None = None
    signer_name: str = ""


class ComponentCondition(Struct):
    status: str
    type: str
    error: str = ""
    message: str = ""


class ComponentStatus(
    Resource, api_version="v1", kind="ComponentStatus", plural="componentstatuses", namespaced=False
):
    """Served cluster-wide as `componentstatuses`."""

    conditions: Annotated[
        list[ComponentCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []


class ComponentStatusList(ResourceList[ComponentStatus], api_version="v1", kind="ComponentStatusList"):
    """A list of ComponentStatus."""


class ConfigMap(Resource, api_version="v1", kind="ConfigMap", plural="configmaps", namespaced=True):
    """Served in a namespace as `configmaps`."""

    binary_data: dict[str, bytes] = {}
    data: dict[str, str] = {}
    immutable: bool | None = None


class ConfigMapEnvSource(Struct):
    name: str = ""
    optional: bool | None = None


class ConfigMapKeySelector(Struct, map_type="atomic"):
    key: str
    name: str = ""
    optional: bool | None = None


class ConfigMapList(ResourceList[ConfigMap], api_version="v1", kind="ConfigMapList"):
    """A list of ConfigMap."""


class ConfigMapNodeConfigSource(Struct):
    kubelet_config_key: str
    name: str
    namespace: str
    resource_version: str = ""
    uid: str = ""


class ConfigMapProjection(Struct):
    items: list[KeyToPath] = []
    name: str = ""
    optional: bool | None = None


class ConfigMapVolumeSource(Struct):
    default_mode: int | None = None
    items: list[KeyToPath] = []
    name: str = ""
    optional: bool | None = None


class Container(Struct):
    name: str
    args: list[str] = []
    command: list[str] = []
    env: Annotated[
        list[EnvVar],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []
    env_from: list[EnvFromSource] = []
    image: str = ""
    image_pull_policy: OpenEnum[Literal["", "Always", "IfNotPresent", "Never"]] = ""
    lifecycle: Lifecycle | None = None
    liveness_probe: Probe | None = None
    ports: Annotated[
        list[ContainerPort],
        Field(
            list_type="map",
            map_keys=("containerPort", "protocol"),
            patch_strategy=("merge",),
            patch_merge_key="containerPort",
        ),
    ] = []
    readiness_probe: Probe | None = None
    resize_policy: list[ContainerResizePolicy] = []
    resources: ResourceRequirements = EMPTY
    restart_policy: str = ""
    restart_policy_rules: list[ContainerRestartRule] = []
    security_context: SecurityContext | None = None
    startup_probe: Probe | None = None
    stdin: bool | None = None
    stdin_once: bool | None = None
    termination_message_path: str = ""
    termination_message_policy: OpenEnum[Literal["", "FallbackToLogsOnError", "File"]] = ""
    tty: bool | None = None
    volume_devices: Annotated[
        list[VolumeDevice],
        Field(
            list_type="map", map_keys=("devicePath",), patch_strategy=("merge",), patch_merge_key="devicePath"
        ),
    ] = []
    volume_mounts: Annotated[
        list[VolumeMount],
        Field(
            list_type="map", map_keys=("mountPath",), patch_strategy=("merge",), patch_merge_key="mountPath"
        ),
    ] = []
    working_dir: str = ""


class ContainerExtendedResourceRequest(Struct):
    container_name: str
    request_name: str
    resource_name: str


class ContainerImage(Struct):
    names: list[str] = []
    size_bytes: int | None = None


class ContainerPort(Struct):
    container_port: int
    host_ip: str = field(default="", name="hostIP")
    host_port: int | None = None
    name: str = ""
    protocol: OpenEnum[Literal["SCTP", "TCP", "UDP"]] = "TCP"


class ContainerResizePolicy(Struct):
    resource_name: str
    restart_policy: str


class ContainerRestartRule(Struct):
    action: str
    exit_codes: ContainerRestartRuleOnExitCodes | None = None


class ContainerRestartRuleOnExitCodes(Struct):
    operator: str
    values: Annotated[list[int], Field(list_type="set")] = []


class ContainerState(Struct):
    running: ContainerStateRunning | None = None
    terminated: ContainerStateTerminated | None = None
    waiting: ContainerStateWaiting | None = None


class ContainerStateRunning(Struct):
    started_at: Time | None = None


class ContainerStateTerminated(Struct):
    exit_code: int
    container_id: str = field(default="", name="containerID")
    finished_at: Time | None = None
    message: str = ""
    reason: str = ""
    signal: int | None = None
    started_at: Time | None = None


class ContainerStateWaiting(Struct):
    message: str = ""
    reason: str = ""


class ContainerStatus(Struct):
    image: str
    image_id: str = field(name="imageID")
    name: str
    ready: bool
    restart_count: int
    allocated_resources: dict[str, Quantity] = {}
    allocated_resources_status: Annotated[
        list[ResourceStatus],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []
    container_id: str = field(default="", name="containerID")
    last_state: ContainerState = EMPTY
    resources: ResourceRequirements | None = None
    started: bool | None = None
    state: ContainerState = EMPTY
    stop_signal: OpenEnum[
        Literal[
            "",
            "SIGABRT",
            "SIGALRM",
            "SIGBUS",
            "SIGCHLD",
            "SIGCLD",
            "SIGCONT",
            "SIGFPE",
            "SIGHUP",
            "SIGILL",
            "SIGINT",
            "SIGIO",
            "SIGIOT",
            "SIGKILL",
            "SIGPIPE",
            "SIGPOLL",
            "SIGPROF",
            "SIGPWR",
            "SIGQUIT",
            "SIGRTMAX",
            "SIGRTMAX-1",
            "SIGRTMAX-10",
            "SIGRTMAX-11",
            "SIGRTMAX-12",
            "SIGRTMAX-13",
            "SIGRTMAX-14",
            "SIGRTMAX-2",
            "SIGRTMAX-3",
            "SIGRTMAX-4",
            "SIGRTMAX-5",
            "SIGRTMAX-6",
            "SIGRTMAX-7",
            "SIGRTMAX-8",
            "SIGRTMAX-9",
            "SIGRTMIN",
            "SIGRTMIN+1",
            "SIGRTMIN+10",
            "SIGRTMIN+11",
            "SIGRTMIN+12",
            "SIGRTMIN+13",
            "SIGRTMIN+14",
            "SIGRTMIN+15",
            "SIGRTMIN+2",
            "SIGRTMIN+3",
            "SIGRTMIN+4",
            "SIGRTMIN+5",
            "SIGRTMIN+6",
            "SIGRTMIN+7",
            "SIGRTMIN+8",
            "SIGRTMIN+9",
            "SIGSEGV",
            "SIGSTKFLT",
            "SIGSTOP",
            "SIGSYS",
            "SIGTERM",
            "SIGTRAP",
            "SIGTSTP",
            "SIGTTIN",
            "SIGTTOU",
            "SIGURG",
            "SIGUSR1",
            "SIGUSR2",
            "SIGVTALRM",
            "SIGWINCH",
            "SIGXCPU",
            "SIGXFSZ",
        ]
    ] = ""
    user: ContainerUser | None = None
    volume_mounts: Annotated[
        list[VolumeMountStatus],
        Field(
            list_type="map", map_keys=("mountPath",), patch_strategy=("merge",), patch_merge_key="mountPath"
        ),
    ] = []


class ContainerUser(Struct):
    linux: LinuxContainerUser | None = None


class DaemonEndpoint(Struct):
    port: int = field(name="Port")


class DownwardAPIProjection(Struct):
    items: list[DownwardAPIVolumeFile] = []


class DownwardAPIVolumeFile(Struct):
    path: str
    field_ref: ObjectFieldSelector | None = None
    mode: int | None = None
    resource_field_ref: ResourceFieldSelector | None = None


class DownwardAPIVolumeSource(Struct):
    default_mode: int | None = None
    items: list[DownwardAPIVolumeFile] = []


class EmptyDirVolumeSource(Struct):
    medium: str = ""
    size_limit: Quantity | None = None


class EndpointAddress(Struct, map_type="atomic"):
    ip: str
    hostname: str = ""
    node_name: str = ""
    target_ref: ObjectReference | None = None


class EndpointPort(Struct, map_type="atomic"):
    port: int
    app_protocol: str = ""
    name: str = ""
    protocol: OpenEnum[Literal["", "SCTP", "TCP", "UDP"]] = ""


class EndpointSubset(Struct):
    addresses: list[EndpointAddress] = []
    not_ready_addresses: list[EndpointAddress] = []
    ports: list[EndpointPort] = []


class Endpoints(Resource, api_version="v1", kind="Endpoints", plural="endpoints", namespaced=True):
    """Served in a namespace as `endpoints`."""

    subsets: list[EndpointSubset] = []


class EndpointsList(ResourceList[Endpoints], api_version="v1", kind="EndpointsList"):
    """A list of Endpoints."""


class EnvFromSource(Struct):
    config_map_ref: ConfigMapEnvSource | None = None
    prefix: str = ""
    secret_ref: SecretEnvSource | None = None


class EnvVar(Struct):
    name: str
    value: str = ""
    value_from: EnvVarSource | None = None


class EnvVarSource(Struct):
    config_map_key_ref: ConfigMapKeySelector | None = None
    field_ref: ObjectFieldSelector | None = None
    file_key_ref: FileKeySelector | None = None
    resource_field_ref: ResourceFieldSelector | None = None
    secret_key_ref: SecretKeySelector | None = None


class EphemeralContainer(Struct):
    name: str
    args: list[str] = []
    command: list[str] = []
    env: Annotated[
        list[EnvVar],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []
    env_from: list[EnvFromSource] = []
    image: str = ""
    image_pull_policy: OpenEnum[Literal["", "Always", "IfNotPresent", "Never"]] = ""
    lifecycle: Lifecycle | None = None
    liveness_probe: Probe | None = None
    ports: Annotated[
        list[ContainerPort],
        Field(
            list_type="map",
            map_keys=("containerPort", "protocol"),
            patch_strategy=("merge",),
            patch_merge_key="containerPort",
        ),
    ] = []
    readiness_probe: Probe | None = None
    resize_policy: list[ContainerResizePolicy] = []
    resources: ResourceRequirements = EMPTY
    restart_policy: str = ""
    restart_policy_rules: list[ContainerRestartRule] = []
    security_context: SecurityContext | None = None
    startup_probe: Probe | None = None
    stdin: bool | None = None
    stdin_once: bool | None = None
    target_container_name: str = ""
    termination_message_path: str = ""
    termination_message_policy: OpenEnum[Literal["", "FallbackToLogsOnError", "File"]] = ""
    tty: bool | None = None
    volume_devices: Annotated[
        list[VolumeDevice],
        Field(
            list_type="map", map_keys=("devicePath",), patch_strategy=("merge",), patch_merge_key="devicePath"
        ),
    ] = []
    volume_mounts: Annotated[
        list[VolumeMount],
        Field(
            list_type="map", map_keys=("mountPath",), patch_strategy=("merge",), patch_merge_key="mountPath"
        ),
    ] = []
    working_dir: str = ""


class EphemeralVolumeSource(Struct):
    volume_claim_template: PersistentVolumeClaimTemplate | None = None


class Event(Resource, api_version="v1", kind="Event", plural="events", namespaced=True):
    """Served in a namespace as `events`."""

    involved_object: ObjectReference
    action: str = ""
    count: int | None = None
    event_time: MicroTime | None = None
    first_timestamp: Time | None = None
    last_timestamp: Time | None = None
    message: str = ""
    reason: str = ""
    related: ObjectReference | None = None
    reporting_component: str = ""
    reporting_instance: str = ""
    series: EventSeries | None = None
    source: EventSource = EMPTY
    type: str = ""


class EventList(ResourceList[Event], api_version="v1", kind="EventList"):
    """A list of Event."""


class EventSeries(Struct):
    count: int | None = None
    last_observed_time: MicroTime | None = None


class EventSource(Struct):
    component: str = ""
    host: str = ""


class ExecAction(Struct):
    command: list[str] = []


class FCVolumeSource(Struct):
    fs_type: str = ""
    lun: int | None = None
    read_only: bool | None = None
    target_wwns: list[str] = field(default_factory=list, name="targetWWNs")
    wwids: list[str] = []


class FileKeySelector(Struct, map_type="atomic"):
    key: str
    path: str
    volume_name: str
    optional: bool = False


class FlexPersistentVolumeSource(Struct):
    driver: str
    fs_type: str = ""
    options: dict[str, str] = {}
    read_only: bool | None = None
    secret_ref: SecretReference | None = None


class FlexVolumeSource(Struct):
    driver: str
    fs_type: str = ""
    options: dict[str, str] = {}
    read_only: bool | None = None
    secret_ref: LocalObjectReference | None = None


class FlockerVolumeSource(Struct):
    dataset_name: str = ""
    dataset_uuid: str = field(default="", name="datasetUUID")


class GCEPersistentDiskVolumeSource(Struct):
    pd_name: str
    fs_type: str = ""
    partition: int | None = None
    read_only: bool | None = None


class GRPCAction(Struct):
    port: int
    service: str = ""


class GitRepoVolumeSource(Struct):
    repository: str
    directory: str = ""
    revision: str = ""


class GlusterfsPersistentVolumeSource(Struct):
    endpoints: str
    path: str
    endpoints_namespace: str = ""
    read_only: bool | None = None


class GlusterfsVolumeSource(Struct):
    endpoints: str
    path: str
    read_only: bool | None = None


class HTTPGetAction(Struct):
    port: IntOrString
    host: str = ""
    http_headers: list[HTTPHeader] = []
    path: str = ""
    scheme: OpenEnum[Literal["", "HTTP", "HTTPS"]] = ""


class HTTPHeader(Struct):
    name: str
    value: str


class HostAlias(Struct):
    ip: str
    hostnames: list[str] = []


class HostIP(Struct):
    ip: str


class HostPathVolumeSource(Struct):
    path: str
    type: OpenEnum[
        Literal[
            "",
            "BlockDevice",
            "CharDevice",
            "Directory",
            "DirectoryOrCreate",
            "File",
            "FileOrCreate",
            "Socket",
        ]
    ] = ""


class ISCSIPersistentVolumeSource(Struct):
    iqn: str
    lun: int
    target_portal: str
    chap_auth_discovery: bool | None = None
    chap_auth_session: bool | None = None
    fs_type: str = ""
    initiator_name: str = ""
    iscsi_interface: str = "default"
    portals: list[str] = []
    read_only: bool | None = None
    secret_ref: SecretReference | None = None


class ISCSIVolumeSource(Struct):
    iqn: str
    lun: int
    target_portal: str
    chap_auth_discovery: bool | None = None
    chap_auth_session: bool | None = None
    fs_type: str = ""
    initiator_name: str = ""
    iscsi_interface: str = "default"
    portals: list[str] = []
    read_only: bool | None = None
    secret_ref: LocalObjectReference | None = None


class ImageVolumeSource(Struct):
    pull_policy: OpenEnum[Literal["", "Always", "IfNotPresent", "Never"]] = ""
    reference: str = ""


class ImageVolumeStatus(Struct):
    image_ref: str


class KeyToPath(Struct):
    key: str
    path: str
    mode: int | None = None


class Lifecycle(Struct):
    post_start: LifecycleHandler | None = None
    pre_stop: LifecycleHandler | None = None
    stop_signal: OpenEnum[
        Literal[
            "",
            "SIGABRT",
            "SIGALRM",
            "SIGBUS",
            "SIGCHLD",
            "SIGCLD",
            "SIGCONT",
            "SIGFPE",
            "SIGHUP",
            "SIGILL",
            "SIGINT",
            "SIGIO",
            "SIGIOT",
            "SIGKILL",
            "SIGPIPE",
            "SIGPOLL",
            "SIGPROF",
            "SIGPWR",
            "SIGQUIT",
            "SIGRTMAX",
            "SIGRTMAX-1",
            "SIGRTMAX-10",
            "SIGRTMAX-11",
            "SIGRTMAX-12",
            "SIGRTMAX-13",
            "SIGRTMAX-14",
            "SIGRTMAX-2",
            "SIGRTMAX-3",
            "SIGRTMAX-4",
            "SIGRTMAX-5",
            "SIGRTMAX-6",
            "SIGRTMAX-7",
            "SIGRTMAX-8",
            "SIGRTMAX-9",
            "SIGRTMIN",
            "SIGRTMIN+1",
            "SIGRTMIN+10",
            "SIGRTMIN+11",
            "SIGRTMIN+12",
            "SIGRTMIN+13",
            "SIGRTMIN+14",
            "SIGRTMIN+15",
            "SIGRTMIN+2",
            "SIGRTMIN+3",
            "SIGRTMIN+4",
            "SIGRTMIN+5",
            "SIGRTMIN+6",
            "SIGRTMIN+7",
            "SIGRTMIN+8",
            "SIGRTMIN+9",
            "SIGSEGV",
            "SIGSTKFLT",
            "SIGSTOP",
            "SIGSYS",
            "SIGTERM",
            "SIGTRAP",
            "SIGTSTP",
            "SIGTTIN",
            "SIGTTOU",
            "SIGURG",
            "SIGUSR1",
            "SIGUSR2",
            "SIGVTALRM",
            "SIGWINCH",
            "SIGXCPU",
            "SIGXFSZ",
        ]
    ] = ""


class LifecycleHandler(Struct):
    exec: ExecAction | None = None
    http_get: HTTPGetAction | None = None
    sleep: SleepAction | None = None
    tcp_socket: TCPSocketAction | None = None


class LimitRange(Resource, api_version="v1", kind="LimitRange", plural="limitranges", namespaced=True):
    """Served in a namespace as `limitranges`."""

    spec: LimitRangeSpec = EMPTY


class LimitRangeItem(Struct):
    type: str
    default: dict[str, Quantity] = {}
    default_request: dict[str, Quantity] = {}
    max: dict[str, Quantity] = {}
    max_limit_request_ratio: dict[str, Quantity] = {}
    min: dict[str, Quantity] = {}


class LimitRangeList(ResourceList[LimitRange], api_version="v1", kind="LimitRangeList"):
    """A list of LimitRange."""


class LimitRangeSpec(Struct):
    limits: list[LimitRangeItem]


class LinuxContainerUser(Struct):
    gid: int
    uid: int
    supplemental_groups: list[int] = []


class LoadBalancerIngress(Struct):
    hostname: str = ""
    ip: str = ""
    ip_mode: str = ""
    ports: list[PortStatus] = []


class LoadBalancerStatus(Struct):
    ingress: list[LoadBalancerIngress] = []


class LocalObjectReference(Struct, map_type="atomic"):
    name: str = ""


class LocalVolumeSource(Struct):
    path: str
    fs_type: str = ""


class ModifyVolumeStatus(Struct):
    status: OpenEnum[Literal["InProgress", "Infeasible", "Pending"]]
    target_volume_attributes_class_name: str = ""


class NFSVolumeSource(Struct):
    path: str
    server: str
    read_only: bool | None = None


class Namespace(Resource, api_version="v1", kind="Namespace", plural="namespaces", namespaced=False):
    """Served cluster-wide as `namespaces`."""

    spec: NamespaceSpec = EMPTY
    status: NamespaceStatus = EMPTY


class NamespaceCondition(Struct):
    status: str
    type: str
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""


class NamespaceList(ResourceList[Namespace], api_version="v1", kind="NamespaceList"):
    """A list of Namespace."""


class NamespaceSpec(Struct):
    finalizers: list[str] = []


class NamespaceStatus(Struct):
    conditions: Annotated[
        list[NamespaceCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    phase: OpenEnum[Literal["", "Active", "Terminating"]] = ""


class Node(Resource, api_version="v1", kind="Node", plural="nodes", namespaced=False):
    """Served cluster-wide as `nodes`."""

    spec: NodeSpec = EMPTY
    status: NodeStatus = EMPTY


class NodeAddress(Struct):
    address: str
    type: str


class NodeAffinity(Struct):
    preferred_during_scheduling_ignored_during_execution: list[PreferredSchedulingTerm] = []
    required_during_scheduling_ignored_during_execution: NodeSelector | None = None


class NodeAllocatableResourceClaimStatus(Struct):
    resource_claim_name: str
    resources: dict[str, Quantity]
    containers: Annotated[list[str], Field(list_type="set")] = []


class NodeCondition(Struct):
    status: str
    type: str
    last_heartbeat_time: Time | None = None
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""


class NodeConfigSource(Struct):
    config_map: ConfigMapNodeConfigSource | None = None


class NodeConfigStatus(Struct):
    active: NodeConfigSource | None = None
    assigned: NodeConfigSource | None = None
    error: str = ""
    last_known_good: NodeConfigSource | None = None


class NodeDaemonEndpoints(Struct):
    kubelet_endpoint: DaemonEndpoint = EMPTY


class NodeFeatures(Struct):
    supplemental_groups_policy: bool | None = None


class NodeList(ResourceList[Node], api_version="v1", kind="NodeList"):
    """A list of Node."""


class NodeRuntimeHandler(Struct):
    features: NodeRuntimeHandlerFeatures | None = None
    name: str = ""


class NodeRuntimeHandlerFeatures(Struct):
    recursive_read_only_mounts: bool | None = None
    user_namespaces: bool | None = None


class NodeSelector(Struct, map_type="atomic"):
    node_selector_terms: list[NodeSelectorTerm]


class NodeSelectorRequirement(Struct):
    key: str
    operator: OpenEnum[Literal["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"]]
    values: list[str] = []


class NodeSelectorTerm(Struct, map_type="atomic"):
    match_expressions: list[NodeSelectorRequirement] = []
    match_fields: list[NodeSelectorRequirement] = []


class NodeSpec(Struct):
    config_source: NodeConfigSource | None = None
    external_id: str = field(default="", name="externalID")
    pod_cidr: str = field(default="", name="podCIDR")
    pod_cidrs: Annotated[list[str], Field(list_type="set", patch_strategy=("merge",))] = field(
        default_factory=list, name="podCIDRs"
    )
    provider_id: str = field(default="", name="providerID")
    taints: list[Taint] = []
    unschedulable: bool | None = None


class NodeStatus(Struct, lazy=("conditions", "images")):
    addresses: Annotated[
        list[NodeAddress],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    allocatable: dict[str, Quantity] = {}
    capacity: dict[str, Quantity] = {}
    conditions: Annotated[
        list[NodeCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    config: NodeConfigStatus | None = None
    daemon_endpoints: NodeDaemonEndpoints = EMPTY
    declared_features: list[str] = []
    features: NodeFeatures | None = None
    images: list[ContainerImage] = []
    node_info: NodeSystemInfo = EMPTY
    phase: OpenEnum[Literal["", "Pending", "Running", "Terminated"]] = ""
    runtime_handlers: list[NodeRuntimeHandler] = []
    volumes_attached: list[AttachedVolume] = []
    volumes_in_use: list[str] = []


class NodeSwapStatus(Struct):
    capacity: int | None = None


class NodeSystemInfo(Struct):
    architecture: str
    boot_id: str = field(name="bootID")
    container_runtime_version: str
    kernel_version: str
    kube_proxy_version: str
    kubelet_version: str
    machine_id: str = field(name="machineID")
    operating_system: str
    os_image: str
    system_uuid: str = field(name="systemUUID")
    swap: NodeSwapStatus | None = None


class ObjectFieldSelector(Struct, map_type="atomic"):
    field_path: str
    api_version: str = ""


class ObjectReference(Struct, map_type="atomic"):
    api_version: str = ""
    field_path: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    resource_version: str = ""
    uid: str = ""


class PersistentVolume(
    Resource, api_version="v1", kind="PersistentVolume", plural="persistentvolumes", namespaced=False
):
    """Served cluster-wide as `persistentvolumes`."""

    spec: PersistentVolumeSpec = EMPTY
    status: PersistentVolumeStatus = EMPTY


class PersistentVolumeClaim(
    Resource, api_version="v1", kind="PersistentVolumeClaim", plural="persistentvolumeclaims", namespaced=True
):
    """Served in a namespace as `persistentvolumeclaims`."""

    spec: PersistentVolumeClaimSpec = EMPTY
    status: PersistentVolumeClaimStatus = EMPTY


class PersistentVolumeClaimCondition(Struct):
    status: str
    type: str
    last_probe_time: Time | None = None
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""


class PersistentVolumeClaimList(
    ResourceList[PersistentVolumeClaim], api_version="v1", kind="PersistentVolumeClaimList"
):
    """A list of PersistentVolumeClaim."""


class PersistentVolumeClaimSpec(Struct):
    access_modes: list[
        OpenEnum[Literal["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]]
    ] = []
    data_source: TypedLocalObjectReference | None = None
    data_source_ref: TypedObjectReference | None = None
    resources: VolumeResourceRequirements = EMPTY
    selector: LabelSelector | None = None
    storage_class_name: str = ""
    volume_attributes_class_name: str = ""
    volume_mode: OpenEnum[Literal["", "Block", "Filesystem"]] = ""
    volume_name: str = ""


class PersistentVolumeClaimStatus(Struct):
    access_modes: list[
        OpenEnum[Literal["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]]
    ] = []
    allocated_resource_statuses: Annotated[
        dict[
            str,
            OpenEnum[
                Literal[
                    "ControllerResizeInProgress",
                    "ControllerResizeInfeasible",
                    "NodeResizeInProgress",
                    "NodeResizeInfeasible",
                    "NodeResizePending",
                ]
            ],
        ],
        Field(map_type="granular"),
    ] = {}
    allocated_resources: dict[str, Quantity] = {}
    capacity: dict[str, Quantity] = {}
    conditions: Annotated[
        list[PersistentVolumeClaimCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    current_volume_attributes_class_name: str = ""
    modify_volume_status: ModifyVolumeStatus | None = None
    phase: OpenEnum[Literal["", "Bound", "Lost", "Pending"]] = ""


class PersistentVolumeClaimTemplate(Struct):
    spec: PersistentVolumeClaimSpec
    metadata: ObjectMeta = EMPTY


class PersistentVolumeClaimVolumeSource(Struct):
    claim_name: str
    read_only: bool | None = None


class PersistentVolumeList(ResourceList[PersistentVolume], api_version="v1", kind="PersistentVolumeList"):
    """A list of PersistentVolume."""


class PersistentVolumeSpec(Struct):
    access_modes: list[
        OpenEnum[Literal["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]]
    ] = []
    aws_elastic_block_store: AWSElasticBlockStoreVolumeSource | None = None
    azure_disk: AzureDiskVolumeSource | None = None
    azure_file: AzureFilePersistentVolumeSource | None = None
    capacity: dict[str, Quantity] = {}
    cephfs: CephFSPersistentVolumeSource | None = None
    cinder: CinderPersistentVolumeSource | None = None
    claim_ref: Annotated[ObjectReference | None, Field(map_type="granular")] = None
    csi: CSIPersistentVolumeSource | None = None
    fc: FCVolumeSource | None = None
    flex_volume: FlexPersistentVolumeSource | None = None
    flocker: FlockerVolumeSource | None = None
    gce_persistent_disk: GCEPersistentDiskVolumeSource | None = None
    glusterfs: GlusterfsPersistentVolumeSource | None = None
    host_path: HostPathVolumeSource | None = None
    iscsi: ISCSIPersistentVolumeSource | None = None
    local: LocalVolumeSource | None = None
    mount_options: list[str] = []
    nfs: NFSVolumeSource | None = None
    node_affinity: VolumeNodeAffinity | None = None
    persistent_volume_reclaim_policy: OpenEnum[Literal["", "Delete", "Recycle", "Retain"]] = ""
    photon_persistent_disk: PhotonPersistentDiskVolumeSource | None = None
    portworx_volume: PortworxVolumeSource | None = None
    quobyte: QuobyteVolumeSource | None = None
    rbd: RBDPersistentVolumeSource | None = None
    scale_io: ScaleIOPersistentVolumeSource | None = field(default=None, name="scaleIO")
    storage_class_name: str = ""
    storageos: StorageOSPersistentVolumeSource | None = None
    volume_attributes_class_name: str = ""
    volume_mode: OpenEnum[Literal["", "Block", "Filesystem"]] = ""
    vsphere_volume: VsphereVirtualDiskVolumeSource | None = None


class PersistentVolumeStatus(Struct):
    last_phase_transition_time: Time | None = None
    message: str = ""
    phase: OpenEnum[Literal["", "Available", "Bound", "Failed", "Pending", "Released"]] = ""
    reason: str = ""


class PhotonPersistentDiskVolumeSource(Struct):
    pd_id: str = field(name="pdID")
    fs_type: str = ""


class Pod(Resource, api_version="v1", kind="Pod", plural="pods", namespaced=True):
    """Served in a namespace as `pods`."""

    spec: PodSpec = EMPTY
    status: PodStatus = EMPTY


class PodAffinity(Struct):
    preferred_during_scheduling_ignored_during_execution: list[WeightedPodAffinityTerm] = []
    required_during_scheduling_ignored_during_execution: list[PodAffinityTerm] = []


class PodAffinityTerm(Struct):
    topology_key: str
    label_selector: LabelSelector | None = None
    match_label_keys: list[str] = []
    mismatch_label_keys: list[str] = []
    namespace_selector: LabelSelector | None = None
    namespaces: list[str] = []


class PodAntiAffinity(Struct):
    preferred_during_scheduling_ignored_during_execution: list[WeightedPodAffinityTerm] = []
    required_during_scheduling_ignored_during_execution: list[PodAffinityTerm] = []


class PodCertificateProjection(Struct):
    key_type: str
    signer_name: str
    certificate_chain_path: str = ""
    credential_bundle_path: str = ""
    key_path: str = ""
    max_expiration_seconds: int | None = None
    user_annotations: dict[str, str] = {}


class PodCondition(Struct):
    status: str
    type: str
    last_probe_time: Time | None = None
    last_transition_time: Time | None = None
    message: str = ""
    observed_generation: int | None = None
    reason: str = ""


class PodDNSConfig(Struct):
    nameservers: list[str] = []
    options: list[PodDNSConfigOption] = []
    searches: list[str] = []


class PodDNSConfigOption(Struct):
    name: str = ""
    value: str = ""


class PodExtendedResourceClaimStatus(Struct):
    request_mappings: list[ContainerExtendedResourceRequest]
    resource_claim_name: str


class PodIP(Struct):
    ip: str


class PodList(ResourceList[Pod], api_version="v1", kind="PodList"):
    """A list of Pod."""


class PodOS(Struct):
    name: str


class PodReadinessGate(Struct):
    condition_type: str


class PodResourceClaim(Struct):
    name: str
    resource_claim_name: str = ""
    resource_claim_template_name: str = ""


class PodResourceClaimStatus(Struct):
    name: str
    resource_claim_name: str = ""


class PodSchedulingGate(Struct):
    name: str


class PodSchedulingGroup(Struct):
    pod_group_name: str = ""


class PodSecurityContext(Struct):
    app_armor_profile: AppArmorProfile | None = None
    fs_group: int | None = None
    fs_group_change_policy: OpenEnum[Literal["", "Always", "OnRootMismatch"]] = ""
    run_as_group: int | None = None
    run_as_non_root: bool | None = None
    run_as_user: int | None = None
    se_linux_change_policy: str = ""
    se_linux_options: SELinuxOptions | None = None
    seccomp_profile: SeccompProfile | None = None
    supplemental_groups: list[int] = []
    supplemental_groups_policy: OpenEnum[Literal["", "Merge", "Strict"]] = ""
    sysctls: list[Sysctl] = []
    windows_options: WindowsSecurityContextOptions | None = None


class PodSpec(
    Struct,
    lazy=(
        "affinity",
        "containers",
        "ephemeral_containers",
        "init_containers",
        "security_context",
        "tolerations",
        "topology_spread_constraints",
        "volumes",
    ),
):
    containers: Annotated[
        list[Container],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ]
    active_deadline_seconds: int | None = None
    affinity: Affinity | None = None
    automount_service_account_token: bool | None = None
    dns_config: PodDNSConfig | None = None
    dns_policy: OpenEnum[Literal["", "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]] = ""
    enable_service_links: bool | None = None
    ephemeral_containers: Annotated[
        list[EphemeralContainer],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []
    host_aliases: Annotated[
        list[HostAlias],
        Field(list_type="map", map_keys=("ip",), patch_strategy=("merge",), patch_merge_key="ip"),
    ] = []
    host_ipc: bool | None = field(default=None, name="hostIPC")
    host_network: bool | None = None
    host_pid: bool | None = field(default=None, name="hostPID")
    host_users: bool | None = None
    hostname: str = ""
    hostname_override: str = ""
    image_pull_secrets: Annotated[
        list[LocalObjectReference],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []
    init_containers: Annotated[
        list[Container],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []
    node_name: str = ""
    node_selector: Annotated[dict[str, str], Field(map_type="atomic")] = {}
    os: PodOS | None = None
    overhead: dict[str, Quantity] = {}
    preemption_policy: OpenEnum[Literal["", "Never", "PreemptLowerPriority"]] = ""
    priority: int | None = None
    priority_class_name: str = ""
    readiness_gates: list[PodReadinessGate] = []
    resource_claims: Annotated[
        list[PodResourceClaim],
        Field(
            list_type="map",
            map_keys=("name",),
            patch_strategy=("merge", "retainKeys"),
            patch_merge_key="name",
        ),
    ] = []
    resources: ResourceRequirements | None = None
    restart_policy: OpenEnum[Literal["", "Always", "Never", "OnFailure"]] = ""
    runtime_class_name: str = ""
    scheduler_name: str = ""
    scheduling_gates: Annotated[
        list[PodSchedulingGate],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []
    scheduling_group: PodSchedulingGroup | None = None
    security_context: PodSecurityContext | None = None
    service_account: str = ""
    service_account_name: str = ""
    set_hostname_as_fqdn: bool | None = field(default=None, name="setHostnameAsFQDN")
    share_process_namespace: bool | None = None
    subdomain: str = ""
    termination_grace_period_seconds: int | None = None
    tolerations: list[Toleration] = []
    topology_spread_constraints: Annotated[
        list[TopologySpreadConstraint],
        Field(
            list_type="map",
            map_keys=("topologyKey", "whenUnsatisfiable"),
            patch_strategy=("merge",),
            patch_merge_key="topologyKey",
        ),
    ] = []
    volumes: Annotated[
        list[Volume],
        Field(
            list_type="map",
            map_keys=("name",),
            patch_strategy=("merge", "retainKeys"),
            patch_merge_key="name",
        ),
    ] = []


class PodStatus(
    Struct,
    lazy=("conditions", "container_statuses", "ephemeral_container_statuses", "init_container_statuses"),
):
    allocated_resources: dict[str, Quantity] = {}
    conditions: Annotated[
        list[PodCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    container_statuses: list[ContainerStatus] = []
    ephemeral_container_statuses: list[ContainerStatus] = []
    extended_resource_claim_status: PodExtendedResourceClaimStatus | None = None
    host_ip: str = field(default="", name="hostIP")
    host_ips: Annotated[list[HostIP], Field(patch_strategy=("merge",), patch_merge_key="ip")] = field(
        default_factory=list, name="hostIPs"
    )
    init_container_statuses: list[ContainerStatus] = []
    message: str = ""
    node_allocatable_resource_claim_statuses: list[NodeAllocatableResourceClaimStatus] = []
    nominated_node_name: str = ""
    observed_generation: int | None = None
    phase: OpenEnum[Literal["", "Failed", "Pending", "Running", "Succeeded", "Unknown"]] = ""
    pod_ip: str = field(default="", name="podIP")
    pod_ips: Annotated[
        list[PodIP], Field(list_type="map", map_keys=("ip",), patch_strategy=("merge",), patch_merge_key="ip")
    ] = field(default_factory=list, name="podIPs")
    qos_class: OpenEnum[Literal["", "BestEffort", "Burstable", "Guaranteed"]] = ""
    reason: str = ""
    resize: str = ""
    resource_claim_statuses: Annotated[
        list[PodResourceClaimStatus],
        Field(
            list_type="map",
            map_keys=("name",),
            patch_strategy=("merge", "retainKeys"),
            patch_merge_key="name",
        ),
    ] = []
    resources: ResourceRequirements | None = None
    start_time: Time | None = None


class PodTemplate(Resource, api_version="v1", kind="PodTemplate", plural="podtemplates", namespaced=True):
    """Served in a namespace as `podtemplates`."""

    template: PodTemplateSpec = EMPTY


class PodTemplateList(ResourceList[PodTemplate], api_version="v1", kind="PodTemplateList"):
    """A list of PodTemplate."""


class PodTemplateSpec(Struct):
    metadata: ObjectMeta = EMPTY
    spec: PodSpec = EMPTY


class PortStatus(Struct):
    port: int
    protocol: OpenEnum[Literal["SCTP", "TCP", "UDP"]]
    error: str = ""


class PortworxVolumeSource(Struct):
    volume_id: str = field(name="volumeID")
    fs_type: str = ""
    read_only: bool | None = None


class PreferredSchedulingTerm(Struct):
    preference: NodeSelectorTerm
    weight: int


class Probe(Struct):
    exec: ExecAction | None = None
    failure_threshold: int | None = None
    grpc: GRPCAction | None = None
    http_get: HTTPGetAction | None = None
    initial_delay_seconds: int | None = None
    period_seconds: int | None = None
    success_threshold: int | None = None
    tcp_socket: TCPSocketAction | None = None
    termination_grace_period_seconds: int | None = None
    timeout_seconds: int | None = None


class ProjectedVolumeSource(Struct):
    default_mode: int | None = None
    sources: list[VolumeProjection] = []


class QuobyteVolumeSource(Struct):
    registry: str
    volume: str
    group: str = ""
    read_only: bool | None = None
    tenant: str = ""
    user: str = ""


class RBDPersistentVolumeSource(Struct):
    image: str
    monitors: list[str]
    fs_type: str = ""
    keyring: str = "/etc/ceph/keyring"
    pool: str = "rbd"
    read_only: bool | None = None
    secret_ref: SecretReference | None = None
    user: str = "admin"


class RBDVolumeSource(Struct):
    image: str
    monitors: list[str]
    fs_type: str = ""
    keyring: str = "/etc/ceph/keyring"
    pool: str = "rbd"
    read_only: bool | None = None
    secret_ref: LocalObjectReference | None = None
    user: str = "admin"


class ReplicationController(
    Resource, api_version="v1", kind="ReplicationController", plural="replicationcontrollers", namespaced=True
):
    """Served in a namespace as `replicationcontrollers`."""

    spec: ReplicationControllerSpec = EMPTY
    status: ReplicationControllerStatus = EMPTY


class ReplicationControllerCondition(Struct):
    status: str
    type: str
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""


class ReplicationControllerList(
    ResourceList[ReplicationController], api_version="v1", kind="ReplicationControllerList"
):
    """A list of ReplicationController."""


class ReplicationControllerSpec(Struct):
    min_ready_seconds: int = 0
    replicas: int = 1
    selector: Annotated[dict[str, str], Field(map_type="atomic")] = {}
    template: PodTemplateSpec | None = None


class ReplicationControllerStatus(Struct):
    replicas: int
    available_replicas: int | None = None
    conditions: Annotated[
        list[ReplicationControllerCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    fully_labeled_replicas: int | None = None
    observed_generation: int | None = None
    ready_replicas: int | None = None


class ResourceClaim(Struct):
    name: str
    request: str = ""


class ResourceFieldSelector(Struct, map_type="atomic"):
    resource: str
    container_name: str = ""
    divisor: Quantity | None = None


class ResourceHealth(Struct):
    resource_id: str = field(name="resourceID")
    health: str = ""
    message: str = ""


class ResourceQuota(
    Resource, api_version="v1", kind="ResourceQuota", plural="resourcequotas", namespaced=True
):
    """Served in a namespace as `resourcequotas`."""

    spec: ResourceQuotaSpec = EMPTY
    status: ResourceQuotaStatus = EMPTY


class ResourceQuotaList(ResourceList[ResourceQuota], api_version="v1", kind="ResourceQuotaList"):
    """A list of ResourceQuota."""


class ResourceQuotaSpec(Struct):
    hard: dict[str, Quantity] = {}
    scope_selector: ScopeSelector | None = None
    scopes: list[
        OpenEnum[
            Literal[
                "BestEffort",
                "CrossNamespacePodAffinity",
                "NotBestEffort",
                "NotTerminating",
                "PriorityClass",
                "Terminating",
                "VolumeAttributesClass",
            ]
        ]
    ] = []


class ResourceQuotaStatus(Struct):
    hard: dict[str, Quantity] = {}
    used: dict[str, Quantity] = {}


class ResourceRequirements(Struct):
    claims: Annotated[list[ResourceClaim], Field(list_type="map", map_keys=("name",))] = []
    limits: dict[str, Quantity] = {}
    requests: dict[str, Quantity] = {}


class ResourceStatus(Struct):
    name: str
    resources: Annotated[list[ResourceHealth], Field(list_type="map", map_keys=("resourceID",))] = []


class SELinuxOptions(Struct):
    level: str = ""
    role: str = ""
    type: str = ""
    user: str = ""


class ScaleIOPersistentVolumeSource(Struct):
    gateway: str
    secret_ref: SecretReference
    system: str
    fs_type: str = "xfs"
    protection_domain: str = ""
    read_only: bool | None = None
    ssl_enabled: bool | None = None
    storage_mode: str = "ThinProvisioned"
    storage_pool: str = ""
    volume_name: str = ""


class ScaleIOVolumeSource(Struct):
    gateway: str
    secret_ref: LocalObjectReference
    system: str
    fs_type: str = "xfs"
    protection_domain: str = ""
    read_only: bool | None = None
    ssl_enabled: bool | None = None
    storage_mode: str = "ThinProvisioned"
    storage_pool: str = ""
    volume_name: str = ""


class ScopeSelector(Struct, map_type="atomic"):
    match_expressions: list[ScopedResourceSelectorRequirement] = []


class ScopedResourceSelectorRequirement(Struct):
    operator: OpenEnum[Literal["DoesNotExist", "Exists", "In", "NotIn"]]
    scope_name: OpenEnum[
        Literal[
            "BestEffort",
            "CrossNamespacePodAffinity",
            "NotBestEffort",
            "NotTerminating",
            "PriorityClass",
            "Terminating",
            "VolumeAttributesClass",
        ]
    ]
    values: list[str] = []


class SeccompProfile(Struct):
    type: OpenEnum[Literal["Localhost", "RuntimeDefault", "Unconfined"]]
    localhost_profile: str = ""


class Secret(Resource, api_version="v1", kind="Secret", plural="secrets", namespaced=True):
    """Served in a namespace as `secrets`."""

    data: dict[str, bytes] = {}
    immutable: bool | None = None
    string_data: dict[str, str] = {}
    type: str = ""


class SecretEnvSource(Struct):
    name: str = ""
    optional: bool | None = None


class SecretKeySelector(Struct, map_type="atomic"):
    key: str
    name: str = ""
    optional: bool | None = None


class SecretList(ResourceList[Secret], api_version="v1", kind="SecretList"):
    """A list of Secret."""


class SecretProjection(Struct):
    items: list[KeyToPath] = []
    name: str = ""
    optional: bool | None = None


class SecretReference(Struct, map_type="atomic"):
    name: str = ""
    namespace: str = ""


class SecretVolumeSource(Struct):
    default_mode: int | None = None
    items: list[KeyToPath] = []
    optional: bool | None = None
    secret_name: str = ""


class SecurityContext(Struct):
    allow_privilege_escalation: bool | None = None
    app_armor_profile: AppArmorProfile | None = None
    capabilities: Capabilities | None = None
    privileged: bool | None = None
    proc_mount: OpenEnum[Literal["", "Default", "Unmasked"]] = ""
    read_only_root_filesystem: bool | None = None
    run_as_group: int | None = None
    run_as_non_root: bool | None = None
    run_as_user: int | None = None
    se_linux_options: SELinuxOptions | None = None
    seccomp_profile: SeccompProfile | None = None
    windows_options: WindowsSecurityContextOptions | None = None


class Service(Resource, api_version="v1", kind="Service", plural="services", namespaced=True):
    """Served in a namespace as `services`."""

    spec: ServiceSpec = EMPTY
    status: ServiceStatus = EMPTY


class ServiceAccount(
    Resource, api_version="v1", kind="ServiceAccount", plural="serviceaccounts", namespaced=True
):
    """Served in a namespace as `serviceaccounts`."""

    automount_service_account_token: bool | None = None
    image_pull_secrets: list[LocalObjectReference] = []
    secrets: Annotated[
        list[ObjectReference],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []


class ServiceAccountList(ResourceList[ServiceAccount], api_version="v1", kind="ServiceAccountList"):
    """A list of ServiceAccount."""


class ServiceAccountTokenProjection(Struct):
    path: str
    audience: str = ""
    expiration_seconds: int | None = None


class ServiceList(ResourceList[Service], api_version="v1", kind="ServiceList"):
    """A list of Service."""


class ServicePort(Struct):
    port: int
    app_protocol: str = ""
    name: str = ""
    node_port: int | None = None
    protocol: OpenEnum[Literal["SCTP", "TCP", "UDP"]] = "TCP"
    target_port: IntOrString | None = None


class ServiceSpec(Struct):
    allocate_load_balancer_node_ports: bool | None = None
    cluster_ip: str = field(default="", name="clusterIP")
    cluster_ips: list[str] = field(default_factory=list, name="clusterIPs")
    external_ips: list[str] = field(default_factory=list, name="externalIPs")
    external_name: str = ""
    external_traffic_policy: OpenEnum[Literal["", "Cluster", "Local"]] = ""
    health_check_node_port: int | None = None
    internal_traffic_policy: OpenEnum[Literal["", "Cluster", "Local"]] = ""
    ip_families: list[OpenEnum[Literal["IPv4", "IPv6"]]] = []
    ip_family_policy: OpenEnum[Literal["", "PreferDualStack", "RequireDualStack", "SingleStack"]] = ""
    load_balancer_class: str = ""
    load_balancer_ip: str = field(default="", name="loadBalancerIP")
    load_balancer_source_ranges: list[str] = []
    ports: Annotated[
        list[ServicePort],
        Field(
            list_type="map", map_keys=("port", "protocol"), patch_strategy=("merge",), patch_merge_key="port"
        ),
    ] = []
    publish_not_ready_addresses: bool | None = None
    selector: Annotated[dict[str, str], Field(map_type="atomic")] = {}
    session_affinity: OpenEnum[Literal["", "ClientIP", "None"]] = ""
    session_affinity_config: SessionAffinityConfig | None = None
    traffic_distribution: str = ""
    type: OpenEnum[Literal["", "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]] = ""


class ServiceStatus(Struct):
    conditions: Annotated[
        list[Condition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
    load_balancer: LoadBalancerStatus = EMPTY


class SessionAffinityConfig(Struct):
    client_ip: ClientIPConfig | None = field(default=None, name="clientIP")


class SleepAction(Struct):
    seconds: int


class StorageOSPersistentVolumeSource(Struct):
    fs_type: str = ""
    read_only: bool | None = None
    secret_ref: ObjectReference | None = None
    volume_name: str = ""
    volume_namespace: str = ""


class StorageOSVolumeSource(Struct):
    fs_type: str = ""
    read_only: bool | None = None
    secret_ref: LocalObjectReference | None = None
    volume_name: str = ""
    volume_namespace: str = ""


class Sysctl(Struct):
    name: str
    value: str


class TCPSocketAction(Struct):
    port: IntOrString
    host: str = ""


class Taint(Struct):
    effect: OpenEnum[Literal["NoExecute", "NoSchedule", "PreferNoSchedule"]]
    key: str
    time_added: Time | None = None
    value: str = ""


class Toleration(Struct):
    effect: OpenEnum[Literal["", "NoExecute", "NoSchedule", "PreferNoSchedule"]] = ""
    key: str = ""
    operator: OpenEnum[Literal["", "Equal", "Exists", "Gt", "Lt"]] = ""
    toleration_seconds: int | None = None
    value: str = ""


class TopologySelectorLabelRequirement(Struct):
    key: str
    values: list[str]


class TopologySelectorTerm(Struct, map_type="atomic"):
    match_label_expressions: list[TopologySelectorLabelRequirement] = []


class TopologySpreadConstraint(Struct):
    max_skew: int
    topology_key: str
    when_unsatisfiable: OpenEnum[Literal["DoNotSchedule", "ScheduleAnyway"]]
    label_selector: LabelSelector | None = None
    match_label_keys: list[str] = []
    min_domains: int | None = None
    node_affinity_policy: OpenEnum[Literal["", "Honor", "Ignore"]] = ""
    node_taints_policy: OpenEnum[Literal["", "Honor", "Ignore"]] = ""


class TypedLocalObjectReference(Struct, map_type="atomic"):
    kind: str
    name: str
    api_group: str = ""


class TypedObjectReference(Struct):
    kind: str
    name: str
    api_group: str = ""
    namespace: str = ""


class Volume(Struct):
    name: str
    aws_elastic_block_store: AWSElasticBlockStoreVolumeSource | None = None
    azure_disk: AzureDiskVolumeSource | None = None
    azure_file: AzureFileVolumeSource | None = None
    cephfs: CephFSVolumeSource | None = None
    cinder: CinderVolumeSource | None = None
    config_map: ConfigMapVolumeSource | None = None
    csi: CSIVolumeSource | None = None
    downward_api: DownwardAPIVolumeSource | None = field(default=None, name="downwardAPI")
    empty_dir: EmptyDirVolumeSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    fc: FCVolumeSource | None = None
    flex_volume: FlexVolumeSource | None = None
    flocker: FlockerVolumeSource | None = None
    gce_persistent_disk: GCEPersistentDiskVolumeSource | None = None
    git_repo: GitRepoVolumeSource | None = None
    glusterfs: GlusterfsVolumeSource | None = None
    host_path: HostPathVolumeSource | None = None
    image: ImageVolumeSource | None = None
    iscsi: ISCSIVolumeSource | None = None
    nfs: NFSVolumeSource | None = None
    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    photon_persistent_disk: PhotonPersistentDiskVolumeSource | None = None
    portworx_volume: PortworxVolumeSource | None = None
    projected: ProjectedVolumeSource | None = None
    quobyte: QuobyteVolumeSource | None = None
    rbd: RBDVolumeSource | None = None
    scale_io: ScaleIOVolumeSource | None = field(default=None, name="scaleIO")
    secret: SecretVolumeSource | None = None
    storageos: StorageOSVolumeSource | None = None
    vsphere_volume: VsphereVirtualDiskVolumeSource | None = None


class VolumeDevice(Struct):
    device_path: str
    name: str


class VolumeMount(Struct):
    mount_path: str
    name: str
    mount_propagation: OpenEnum[Literal["", "Bidirectional", "HostToContainer", "None"]] = ""
    read_only: bool | None = None
    recursive_read_only: str = ""
    sub_path: str = ""
    sub_path_expr: str = ""


class VolumeMountStatus(Struct):
    mount_path: str
    name: str
    read_only: bool | None = None
    recursive_read_only: str = ""
    volume_status: VolumeStatus | None = None


class VolumeNodeAffinity(Struct):
    required: NodeSelector | None = None


class VolumeProjection(Struct):
    cluster_trust_bundle: ClusterTrustBundleProjection | None = None
    config_map: ConfigMapProjection | None = None
    downward_api: DownwardAPIProjection | None = field(default=None, name="downwardAPI")
    pod_certificate: PodCertificateProjection | None = None
    secret: SecretProjection | None = None
    service_account_token: ServiceAccountTokenProjection | None = None


class VolumeResourceRequirements(Struct):
    limits: dict[str, Quantity] = {}
    requests: dict[str, Quantity] = {}


class VolumeStatus(Struct):
    image: ImageVolumeStatus | None = None


class VsphereVirtualDiskVolumeSource(Struct):
    volume_path: str
    fs_type: str = ""
    storage_policy_id: str = field(default="", name="storagePolicyID")
    storage_policy_name: str = ""


class WeightedPodAffinityTerm(Struct):
    pod_affinity_term: PodAffinityTerm
    weight: int


class WindowsSecurityContextOptions(Struct):
    gmsa_credential_spec: str = ""
    gmsa_credential_spec_name: str = ""
    host_process: bool | None = None
    run_as_user_name: str = ""
