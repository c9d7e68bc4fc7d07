"""authorization.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from kubewright.machinery.field import EMPTY, field
from kubewright.machinery.meta import FieldSelectorRequirement, LabelSelectorRequirement
from kubewright.machinery.resource import Resource
from kubewright.machinery.struct import Struct

__all__ = [
    "FieldSelectorAttributes",
    "LabelSelectorAttributes",
    "LocalSubjectAccessReview",
    "NonResourceAttributes",
    "NonResourceRule",
    "ResourceAttributes",
    "ResourceRule",
    "SelfSubjectAccessReview",
    "SelfSubjectAccessReviewSpec",
    "SelfSubjectRulesReview",
    "SelfSubjectRulesReviewSpec",
    "SubjectAccessReview",
    "SubjectAccessReviewSpec",
    "SubjectAccessReviewStatus",
    "SubjectRulesReviewStatus",
]


class FieldSelectorAttributes(Struct):
    raw_selector: str = ""
    requirements: list[FieldSelectorRequirement] = []


class LabelSelectorAttributes(Struct):
    raw_selector: str = ""
    requirements: list[LabelSelectorRequirement] = []


class LocalSubjectAccessReview(
    Resource,
    api_version="authorization.k8s.io/v1",
    kind="LocalSubjectAccessReview",
    plural="localsubjectaccessreviews",
    namespaced=True,
):
    """Served in a namespace as `localsubjectaccessreviews`."""

    spec: SubjectAccessReviewSpec
    status: SubjectAccessReviewStatus = EMPTY


class NonResourceAttributes(Struct):
    path: str = ""
    verb: str = ""


class NonResourceRule(Struct):
    verbs: list[str]
    non_resource_urls: list[str] = field(default_factory=list, name="nonResourceURLs")


class ResourceAttributes(Struct):
    field_selector: FieldSelectorAttributes | None = None
    group: str = ""
    label_selector: LabelSelectorAttributes | None = None
    name: str = ""
    namespace: str = ""
    resource: str = ""
    subresource: str = ""
    verb: str = ""
    version: str = ""


class ResourceRule(Struct):
    verbs: list[str]
    api_groups: list[str] = []
    resource_names: list[str] = []
    resources: list[str] = []


class SelfSubjectAccessReview(
    Resource,
    api_version="authorization.k8s.io/v1",
    kind="SelfSubjectAccessReview",
    plural="selfsubjectaccessreviews",
    namespaced=False,
):
    """Served cluster-wide as `selfsubjectaccessreviews`."""

    spec: SelfSubjectAccessReviewSpec
    status: SubjectAccessReviewStatus = EMPTY


class SelfSubjectAccessReviewSpec(Struct):
    non_resource_attributes: NonResourceAttributes | None = None
    resource_attributes: ResourceAttributes | None = None


class SelfSubjectRulesReview(
    Resource,
    api_version="authorization.k8s.io/v1",
    kind="SelfSubjectRulesReview",
    plural="selfsubjectrulesreviews",
    namespaced=False,
):
    """Served cluster-wide as `selfsubjectrulesreviews`."""

    spec: SelfSubjectRulesReviewSpec
    status: SubjectRulesReviewStatus = EMPTY


class SelfSubjectRulesReviewSpec(Struct):
    namespace: str = ""


class SubjectAccessReview(
    Resource,
    api_version="authorization.k8s.io/v1",
    kind="SubjectAccessReview",
    plural="subjectaccessreviews",
    namespaced=False,
):
    """Served cluster-wide as `subjectaccessreviews`."""

    spec: SubjectAccessReviewSpec
    status: SubjectAccessReviewStatus = EMPTY


class SubjectAccessReviewSpec(Struct):
    extra: dict[str, list[str]] = {}
    groups: list[str] = []
    non_resource_attributes: NonResourceAttributes | None = None
    resource_attributes: ResourceAttributes | None = None
    uid: str = ""
    user: str = ""


class SubjectAccessReviewStatus(Struct):
    allowed: bool
    denied: bool | None = None
    evaluation_error: str = ""
    reason: str = ""


class SubjectRulesReviewStatus(Struct):
    incomplete: bool
    non_resource_rules: list[NonResourceRule]
    resource_rules: list[ResourceRule]
    evaluation_error: str = ""
