"""apiextensions.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from kubewright.machinery.field import EMPTY, Field, OpenEnum, field
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time

__all__ = [
    "CustomResourceColumnDefinition",
    "CustomResourceConversion",
    "CustomResourceDefinition",
    "CustomResourceDefinitionCondition",
    "CustomResourceDefinitionList",
    "CustomResourceDefinitionNames",
    "CustomResourceDefinitionSpec",
    "CustomResourceDefinitionStatus",
    "CustomResourceDefinitionVersion",
    "CustomResourceSubresourceScale",
    "CustomResourceSubresources",
    "CustomResourceValidation",
    "ExternalDocumentation",
    "JSONSchemaProps",
    "SelectableField",
    "ServiceReference",
    "ValidationRule",
    "WebhookClientConfig",
    "WebhookConversion",
]


class CustomResourceColumnDefinition(Struct):
    json_path: str
    name: str
    type: str
    description: str = ""
    format: str = ""
    priority: int | None = None


class CustomResourceConversion(Struct):
    strategy: str
    webhook: WebhookConversion | None = None


class CustomResourceDefinition(
    Resource,
    api_version="apiextensions.k8s.io/v1",
    kind="CustomResourceDefinition",
    plural="customresourcedefinitions",
    namespaced=False,
):
    """Served cluster-wide as `customresourcedefinitions`."""

    spec: CustomResourceDefinitionSpec
    status: CustomResourceDefinitionStatus = EMPTY


class CustomResourceDefinitionCondition(Struct):
    status: str
    type: str
    last_transition_time: Time | None = None
    message: str = ""
    observed_generation: int | None = None
    reason: str = ""


class CustomResourceDefinitionList(
    ResourceList[CustomResourceDefinition],
    api_version="apiextensions.k8s.io/v1",
    kind="CustomResourceDefinitionList",
):
    """A list of CustomResourceDefinition."""


class CustomResourceDefinitionNames(Struct):
    kind: str
    plural: str
    categories: list[str] = []
    list_kind: str = ""
    short_names: list[str] = []
    singular: str = ""


class CustomResourceDefinitionSpec(Struct):
    group: str
    names: CustomResourceDefinitionNames
    scope: str
    versions: list[CustomResourceDefinitionVersion]
    conversion: CustomResourceConversion | None = None
    preserve_unknown_fields: bool | None = None


class CustomResourceDefinitionStatus(Struct):
    accepted_names: CustomResourceDefinitionNames = EMPTY
    conditions: Annotated[
        list[CustomResourceDefinitionCondition], Field(list_type="map", map_keys=("type",))
    ] = []
    observed_generation: int | None = None
    stored_versions: list[str] = []


class CustomResourceDefinitionVersion(Struct):
    name: str
    served: bool
    storage: bool
    additional_printer_columns: list[CustomResourceColumnDefinition] = []
    deprecated: bool | None = None
    deprecation_warning: str = ""
    schema: CustomResourceValidation | None = None
    selectable_fields: list[SelectableField] = []
    subresources: CustomResourceSubresources | None = None


class CustomResourceSubresourceScale(Struct):
    spec_replicas_path: str
    status_replicas_path: str
    label_selector_path: str = ""


class CustomResourceSubresources(Struct):
    scale: CustomResourceSubresourceScale | None = None
    status: dict[str, Any] | None = None


class CustomResourceValidation(Struct):
    open_api_v3_schema: JSONSchemaProps | None = field(default=None, name="openAPIV3Schema")


class ExternalDocumentation(Struct):
    description: str = ""
    url: str = ""


class JSONSchemaProps(Struct):
    ref: str = field(default="", name="$ref")
    schema: str = field(default="", name="$schema")
    additional_items: JSONSchemaProps | bool | None = None
    additional_properties: JSONSchemaProps | bool | None = None
    all_of: list[JSONSchemaProps] = []
    any_of: list[JSONSchemaProps] = []
    default: Any = None
    definitions: dict[str, JSONSchemaProps] = {}
    dependencies: dict[str, JSONSchemaProps | list[str]] = {}
    description: str = ""
    enum: list[Any] = []
    example: Any = None
    exclusive_maximum: bool | None = None
    exclusive_minimum: bool | None = None
    external_docs: ExternalDocumentation | None = None
    format: str = ""
    id: str = ""
    items: JSONSchemaProps | list[JSONSchemaProps] | None = None
    max_items: int | None = None
    max_length: int | None = None
    max_properties: int | None = None
    maximum: float | None = None
    min_items: int | None = None
    min_length: int | None = None
    min_properties: int | None = None
    minimum: float | None = None
    multiple_of: float | None = None
    not_: JSONSchemaProps | None = None
    nullable: bool | None = None
    one_of: list[JSONSchemaProps] = []
    pattern: str = ""
    pattern_properties: dict[str, JSONSchemaProps] = {}
    properties: dict[str, JSONSchemaProps] = {}
    required: list[str] = []
    title: str = ""
    type: str = ""
    unique_items: bool | None = None
    x_kubernetes_embedded_resource: bool | None = field(default=None, name="x-kubernetes-embedded-resource")
    x_kubernetes_int_or_string: bool | None = field(default=None, name="x-kubernetes-int-or-string")
    x_kubernetes_list_map_keys: list[str] = field(default_factory=list, name="x-kubernetes-list-map-keys")
    x_kubernetes_list_type: str = field(default="", name="x-kubernetes-list-type")
    x_kubernetes_map_type: str = field(default="", name="x-kubernetes-map-type")
    x_kubernetes_preserve_unknown_fields: bool | None = field(
        default=None, name="x-kubernetes-preserve-unknown-fields"
    )
    x_kubernetes_validations: Annotated[
        list[ValidationRule],
        Field(list_type="map", map_keys=("rule",), patch_strategy=("merge",), patch_merge_key="rule"),
    ] = field(default_factory=list, name="x-kubernetes-validations")


class SelectableField(Struct):
    json_path: str


class ServiceReference(Struct):
    name: str
    namespace: str
    path: str = ""
    port: int | None = None


class ValidationRule(Struct):
    rule: str
    field_path: str = ""
    message: str = ""
    message_expression: str = ""
    optional_old_self: bool | None = None
    reason: OpenEnum[
        Literal["", "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"]
    ] = ""


class WebhookClientConfig(Struct):
    ca_bundle: bytes = b""
    service: ServiceReference | None = None
    url: str = ""


class WebhookConversion(Struct):
    conversion_review_versions: list[str]
    client_config: WebhookClientConfig | None = None
