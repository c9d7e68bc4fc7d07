"""rbac.authorization.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from kubewright.machinery.field import field
from kubewright.machinery.meta import LabelSelector
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct

__all__ = [
    "AggregationRule",
    "ClusterRole",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "ClusterRoleList",
    "PolicyRule",
    "Role",
    "RoleBinding",
    "RoleBindingList",
    "RoleList",
    "RoleRef",
    "Subject",
]


class AggregationRule(Struct):
    cluster_role_selectors: list[LabelSelector] = []


class ClusterRole(
    Resource,
    api_version="rbac.authorization.k8s.io/v1",
    kind="ClusterRole",
    plural="clusterroles",
    namespaced=False,
):
    """Served cluster-wide as `clusterroles`."""

    aggregation_rule: AggregationRule | None = None
    rules: list[PolicyRule] = []


class ClusterRoleBinding(
    Resource,
    api_version="rbac.authorization.k8s.io/v1",
    kind="ClusterRoleBinding",
    plural="clusterrolebindings",
    namespaced=False,
):
    """Served cluster-wide as `clusterrolebindings`."""

    role_ref: RoleRef
    subjects: list[Subject] = []


class ClusterRoleBindingList(
    ResourceList[ClusterRoleBinding],
    api_version="rbac.authorization.k8s.io/v1",
    kind="ClusterRoleBindingList",
):
    """A list of ClusterRoleBinding."""


class ClusterRoleList(
    ResourceList[ClusterRole], api_version="rbac.authorization.k8s.io/v1", kind="ClusterRoleList"
):
    """A list of ClusterRole."""


class PolicyRule(Struct):
    verbs: list[str]
    api_groups: list[str] = []
    non_resource_urls: list[str] = field(default_factory=list, name="nonResourceURLs")
    resource_names: list[str] = []
    resources: list[str] = []


class Role(
    Resource, api_version="rbac.authorization.k8s.io/v1", kind="Role", plural="roles", namespaced=True
):
    """Served in a namespace as `roles`."""

    rules: list[PolicyRule] = []


class RoleBinding(
    Resource,
    api_version="rbac.authorization.k8s.io/v1",
    kind="RoleBinding",
    plural="rolebindings",
    namespaced=True,
):
    """Served in a namespace as `rolebindings`."""

    role_ref: RoleRef
    subjects: list[Subject] = []


class RoleBindingList(
    ResourceList[RoleBinding], api_version="rbac.authorization.k8s.io/v1", kind="RoleBindingList"
):
    """A list of RoleBinding."""


class RoleList(ResourceList[Role], api_version="rbac.authorization.k8s.io/v1", kind="RoleList"):
    """A list of Role."""


class RoleRef(Struct, map_type="atomic"):
    kind: str
    name: str
    api_group: str = ""


class Subject(Struct, map_type="atomic"):
    kind: str
    name: str
    api_group: str = ""
    namespace: str = ""
