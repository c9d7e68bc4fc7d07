"""flowcontrol.apiserver.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated

from kubewright.machinery.field import EMPTY, Field, field
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time

__all__ = [
    "ExemptPriorityLevelConfiguration",
    "FlowDistinguisherMethod",
    "FlowSchema",
    "FlowSchemaCondition",
    "FlowSchemaList",
    "FlowSchemaSpec",
    "FlowSchemaStatus",
    "GroupSubject",
    "LimitResponse",
    "LimitedPriorityLevelConfiguration",
    "NonResourcePolicyRule",
    "PolicyRulesWithSubjects",
    "PriorityLevelConfiguration",
    "PriorityLevelConfigurationCondition",
    "PriorityLevelConfigurationList",
    "PriorityLevelConfigurationReference",
    "PriorityLevelConfigurationSpec",
    "PriorityLevelConfigurationStatus",
    "QueuingConfiguration",
    "ResourcePolicyRule",
    "ServiceAccountSubject",
    "Subject",
    "UserSubject",
]


class ExemptPriorityLevelConfiguration(Struct):
    lendable_percent: int | None = None
    nominal_concurrency_shares: int | None = None


class FlowDistinguisherMethod(Struct):
    type: str


class FlowSchema(
    Resource,
    api_version="flowcontrol.apiserver.k8s.io/v1",
    kind="FlowSchema",
    plural="flowschemas",
    namespaced=False,
):
    """Served cluster-wide as `flowschemas`."""

    spec: FlowSchemaSpec = EMPTY
    status: FlowSchemaStatus = EMPTY


class FlowSchemaCondition(Struct):
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class FlowSchemaList(
    ResourceList[FlowSchema], api_version="flowcontrol.apiserver.k8s.io/v1", kind="FlowSchemaList"
):
    """A list of FlowSchema."""


class FlowSchemaSpec(Struct):
    priority_level_configuration: PriorityLevelConfigurationReference
    distinguisher_method: FlowDistinguisherMethod | None = None
    matching_precedence: int = 0
    rules: list[PolicyRulesWithSubjects] = []


class FlowSchemaStatus(Struct):
    conditions: Annotated[
        list[FlowSchemaCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []


class GroupSubject(Struct):
    name: str


class LimitResponse(Struct):
    type: str
    queuing: QueuingConfiguration | None = None


class LimitedPriorityLevelConfiguration(Struct):
    borrowing_limit_percent: int | None = None
    lendable_percent: int | None = None
    limit_response: LimitResponse = EMPTY
    nominal_concurrency_shares: int | None = None


class NonResourcePolicyRule(Struct):
    non_resource_urls: Annotated[list[str], Field(list_type="set")] = field(name="nonResourceURLs")
    verbs: Annotated[list[str], Field(list_type="set")]


class PolicyRulesWithSubjects(Struct):
    subjects: list[Subject]
    non_resource_rules: list[NonResourcePolicyRule] = []
    resource_rules: list[ResourcePolicyRule] = []


class PriorityLevelConfiguration(
    Resource,
    api_version="flowcontrol.apiserver.k8s.io/v1",
    kind="PriorityLevelConfiguration",
    plural="prioritylevelconfigurations",
    namespaced=False,
):
    """Served cluster-wide as `prioritylevelconfigurations`."""

    spec: PriorityLevelConfigurationSpec = EMPTY
    status: PriorityLevelConfigurationStatus = EMPTY


class PriorityLevelConfigurationCondition(Struct):
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class PriorityLevelConfigurationList(
    ResourceList[PriorityLevelConfiguration],
    api_version="flowcontrol.apiserver.k8s.io/v1",
    kind="PriorityLevelConfigurationList",
):
    """A list of PriorityLevelConfiguration."""


class PriorityLevelConfigurationReference(Struct):
    name: str


class PriorityLevelConfigurationSpec(Struct):
    type: str
    exempt: ExemptPriorityLevelConfiguration | None = None
    limited: LimitedPriorityLevelConfiguration | None = None


class PriorityLevelConfigurationStatus(Struct):
    conditions: Annotated[
        list[PriorityLevelConfigurationCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []


class QueuingConfiguration(Struct):
    hand_size: int = 0
    queue_length_limit: int = 0
    queues: int = 0


class ResourcePolicyRule(Struct):
    api_groups: Annotated[list[str], Field(list_type="set")]
    resources: Annotated[list[str], Field(list_type="set")]
    verbs: Annotated[list[str], Field(list_type="set")]
    cluster_scope: bool | None = None
    namespaces: Annotated[list[str], Field(list_type="set")] = []


class ServiceAccountSubject(Struct):
    name: str
    namespace: str


class Subject(Struct):
    kind: str
    group: GroupSubject | None = None
    service_account: ServiceAccountSubject | None = None
    user: UserSubject | None = None


class UserSubject(Struct):
    name: str
