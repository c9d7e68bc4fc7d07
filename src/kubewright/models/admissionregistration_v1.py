"""admissionregistration.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated, Literal

from kubewright.machinery.field import EMPTY, Field, OpenEnum
from kubewright.machinery.meta import Condition, LabelSelector
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct

__all__ = [
    "ApplyConfiguration",
    "AuditAnnotation",
    "ExpressionWarning",
    "JSONPatch",
    "MatchCondition",
    "MatchResources",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicyBindingList",
    "MutatingAdmissionPolicyBindingSpec",
    "MutatingAdmissionPolicyList",
    "MutatingAdmissionPolicySpec",
    "MutatingWebhook",
    "MutatingWebhookConfiguration",
    "MutatingWebhookConfigurationList",
    "Mutation",
    "NamedRuleWithOperations",
    "ParamKind",
    "ParamRef",
    "RuleWithOperations",
    "ServiceReference",
    "TypeChecking",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingAdmissionPolicyBindingList",
    "ValidatingAdmissionPolicyBindingSpec",
    "ValidatingAdmissionPolicyList",
    "ValidatingAdmissionPolicySpec",
    "ValidatingAdmissionPolicyStatus",
    "ValidatingWebhook",
    "ValidatingWebhookConfiguration",
    "ValidatingWebhookConfigurationList",
    "Validation",
    "Variable",
    "WebhookClientConfig",
]


class ApplyConfiguration(Struct):
    expression: str = ""


class AuditAnnotation(Struct):
    key: str
    value_expression: str


class ExpressionWarning(Struct):
    field_ref: str
    warning: str


class JSONPatch(Struct):
    expression: str = ""


class MatchCondition(Struct):
    expression: str
    name: str


class MatchResources(Struct, map_type="atomic"):
    exclude_resource_rules: list[NamedRuleWithOperations] = []
    match_policy: OpenEnum[Literal["", "Equivalent", "Exact"]] = ""
    namespace_selector: LabelSelector | None = None
    object_selector: LabelSelector | None = None
    resource_rules: list[NamedRuleWithOperations] = []


class MutatingAdmissionPolicy(
    Resource,
    api_version="admissionregistration.k8s.io/v1",
    kind="MutatingAdmissionPolicy",
    plural="mutatingadmissionpolicies",
    namespaced=False,
):
    """Served cluster-wide as `mutatingadmissionpolicies`."""

    spec: MutatingAdmissionPolicySpec = EMPTY


class MutatingAdmissionPolicyBinding(
    Resource,
    api_version="admissionregistration.k8s.io/v1",
    kind="MutatingAdmissionPolicyBinding",
    plural="mutatingadmissionpolicybindings",
    namespaced=False,
):
    """Served cluster-wide as `mutatingadmissionpolicybindings`."""

    spec: MutatingAdmissionPolicyBindingSpec = EMPTY


class MutatingAdmissionPolicyBindingList(
    ResourceList[MutatingAdmissionPolicyBinding],
    api_version="admissionregistration.k8s.io/v1",
    kind="MutatingAdmissionPolicyBindingList",
):
    """A list of MutatingAdmissionPolicyBinding."""


class MutatingAdmissionPolicyBindingSpec(Struct):
    match_resources: MatchResources | None = None
    param_ref: ParamRef | None = None
    policy_name: str = ""


class MutatingAdmissionPolicyList(
    ResourceList[MutatingAdmissionPolicy],
    api_version="admissionregistration.k8s.io/v1",
    kind="MutatingAdmissionPolicyList",
):
    """A list of MutatingAdmissionPolicy."""


class MutatingAdmissionPolicySpec(Struct):
    failure_policy: OpenEnum[Literal["", "Fail", "Ignore"]] = ""
    match_conditions: Annotated[
        list[MatchCondition],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []
    match_constraints: MatchResources | None = None
    mutations: list[Mutation] = []
    param_kind: ParamKind | None = None
    reinvocation_policy: OpenEnum[Literal["", "IfNeeded", "Never"]] = ""
    variables: list[Variable] = []


class MutatingWebhook(Struct):
    admission_review_versions: list[str]
    client_config: WebhookClientConfig
    name: str
    side_effects: OpenEnum[Literal["None", "NoneOnDryRun", "Some", "Unknown"]]
    failure_policy: OpenEnum[Literal["", "Fail", "Ignore"]] = ""
    match_conditions: Annotated[
        list[MatchCondition],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []
    match_policy: OpenEnum[Literal["", "Equivalent", "Exact"]] = ""
    namespace_selector: LabelSelector | None = None
    object_selector: LabelSelector | None = None
    reinvocation_policy: OpenEnum[Literal["", "IfNeeded", "Never"]] = ""
    rules: list[RuleWithOperations] = []
    timeout_seconds: int | None = None


class MutatingWebhookConfiguration(
    Resource,
    api_version="admissionregistration.k8s.io/v1",
    kind="MutatingWebhookConfiguration",
    plural="mutatingwebhookconfigurations",
    namespaced=False,
):
    """Served cluster-wide as `mutatingwebhookconfigurations`."""

    webhooks: Annotated[
        list[MutatingWebhook],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []


class MutatingWebhookConfigurationList(
    ResourceList[MutatingWebhookConfiguration],
    api_version="admissionregistration.k8s.io/v1",
    kind="MutatingWebhookConfigurationList",
):
    """A list of MutatingWebhookConfiguration."""


class Mutation(Struct):
    patch_type: OpenEnum[Literal["ApplyConfiguration", "JSONPatch"]]
    apply_configuration: ApplyConfiguration | None = None
    json_patch: JSONPatch | None = None


class NamedRuleWithOperations(Struct, map_type="atomic"):
    api_groups: list[str] = []
    api_versions: list[str] = []
    operations: list[OpenEnum[Literal["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]]] = []
    resource_names: list[str] = []
    resources: list[str] = []
    scope: OpenEnum[Literal["", "*", "Cluster", "Namespaced"]] = ""


class ParamKind(Struct, map_type="atomic"):
    api_version: str = ""
    kind: str = ""


class ParamRef(Struct, map_type="atomic"):
    name: str = ""
    namespace: str = ""
    parameter_not_found_action: str = ""
    selector: LabelSelector | None = None


class RuleWithOperations(Struct):
    api_groups: list[str] = []
    api_versions: list[str] = []
    operations: list[OpenEnum[Literal["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]]] = []
    resources: list[str] = []
    scope: OpenEnum[Literal["", "*", "Cluster", "Namespaced"]] = ""


class ServiceReference(Struct):
    name: str
    namespace: str
    path: str = ""
    port: int | None = None


class TypeChecking(Struct):
    expression_warnings: list[ExpressionWarning] = []


class ValidatingAdmissionPolicy(
    Resource,
    api_version="admissionregistration.k8s.io/v1",
    kind="ValidatingAdmissionPolicy",
    plural="validatingadmissionpolicies",
    namespaced=False,
):
    """Served cluster-wide as `validatingadmissionpolicies`."""

    spec: ValidatingAdmissionPolicySpec = EMPTY
    status: ValidatingAdmissionPolicyStatus = EMPTY


class ValidatingAdmissionPolicyBinding(
    Resource,
    api_version="admissionregistration.k8s.io/v1",
    kind="ValidatingAdmissionPolicyBinding",
    plural="validatingadmissionpolicybindings",
    namespaced=False,
):
    """Served cluster-wide as `validatingadmissionpolicybindings`."""

    spec: ValidatingAdmissionPolicyBindingSpec


class ValidatingAdmissionPolicyBindingList(
    ResourceList[ValidatingAdmissionPolicyBinding],
    api_version="admissionregistration.k8s.io/v1",
    kind="ValidatingAdmissionPolicyBindingList",
):
    """A list of ValidatingAdmissionPolicyBinding."""


class ValidatingAdmissionPolicyBindingSpec(Struct):
    policy_name: str
    validation_actions: Annotated[list[OpenEnum[Literal["Audit", "Deny", "Warn"]]], Field(list_type="set")]
    match_resources: MatchResources | None = None
    param_ref: ParamRef | None = None


class ValidatingAdmissionPolicyList(
    ResourceList[ValidatingAdmissionPolicy],
    api_version="admissionregistration.k8s.io/v1",
    kind="ValidatingAdmissionPolicyList",
):
    """A list of ValidatingAdmissionPolicy."""


class ValidatingAdmissionPolicySpec(Struct):
    audit_annotations: list[AuditAnnotation] = []
    failure_policy: OpenEnum[Literal["", "Fail", "Ignore"]] = ""
    match_conditions: Annotated[
        list[MatchCondition],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []
    match_constraints: MatchResources | None = None
    param_kind: ParamKind | None = None
    validations: list[Validation] = []
    variables: Annotated[
        list[Variable],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []


class ValidatingAdmissionPolicyStatus(Struct):
    conditions: Annotated[list[Condition], Field(list_type="map", map_keys=("type",))] = []
    observed_generation: int | None = None
    type_checking: TypeChecking | None = None


class ValidatingWebhook(Struct):
    admission_review_versions: list[str]
    client_config: WebhookClientConfig
    name: str
    side_effects: OpenEnum[Literal["None", "NoneOnDryRun", "Some", "Unknown"]]
    failure_policy: OpenEnum[Literal["", "Fail", "Ignore"]] = ""
    match_conditions: Annotated[
        list[MatchCondition],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []
    match_policy: OpenEnum[Literal["", "Equivalent", "Exact"]] = ""
    namespace_selector: LabelSelector | None = None
    object_selector: LabelSelector | None = None
    rules: list[RuleWithOperations] = []
    timeout_seconds: int | None = None


class ValidatingWebhookConfiguration(
    Resource,
    api_version="admissionregistration.k8s.io/v1",
    kind="ValidatingWebhookConfiguration",
    plural="validatingwebhookconfigurations",
    namespaced=False,
):
    """Served cluster-wide as `validatingwebhookconfigurations`."""

    webhooks: Annotated[
        list[ValidatingWebhook],
        Field(list_type="map", map_keys=("name",), patch_strategy=("merge",), patch_merge_key="name"),
    ] = []


class ValidatingWebhookConfigurationList(
    ResourceList[ValidatingWebhookConfiguration],
    api_version="admissionregistration.k8s.io/v1",
    kind="ValidatingWebhookConfigurationList",
):
    """A list of ValidatingWebhookConfiguration."""


class Validation(Struct):
    expression: str
    message: str = ""
    message_expression: str = ""
    reason: str = ""


class Variable(Struct, map_type="atomic"):
    expression: str
    name: str


class WebhookClientConfig(Struct):
    ca_bundle: bytes = b""
    service: ServiceReference | None = None
    url: str = ""
