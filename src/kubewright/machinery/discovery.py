"""The documents with which an API server says what it serves, in the old form and in the aggregated one."""

from __future__ import annotations

from kubewright.machinery.field import field
from kubewright.machinery.meta import ListMeta, ObjectMeta
from kubewright.machinery.struct import Struct
from kubewright.machinery.type_meta import TypeMeta

__all__ = [
    "APIGroup",
    "APIGroupDiscovery",
    "APIGroupDiscoveryList",
    "APIGroupList",
    "APIResource",
    "APIResourceDiscovery",
    "APIResourceList",
    "APISubresourceDiscovery",
    "APIVersionDiscovery",
    "APIVersions",
    "DiscoveredKind",
    "GroupVersionForDiscovery",
    "ServerAddressByClientCIDR",
    "VersionInfo",
]


class ServerAddressByClientCIDR(Struct):
    """Under which address clients of a network reach the server."""

    client_cidr: str = field(name="clientCIDR")
    server_address: str


class APIVersions(TypeMeta, api_version="v1", kind="APIVersions"):
    """`/api` in the old form: the versions of the core group."""

    versions: list[str]
    server_address_by_client_cidrs: list[ServerAddressByClientCIDR] = field(
        default_factory=list, name="serverAddressByClientCIDRs"
    )


class GroupVersionForDiscovery(Struct):
    """One version of a group."""

    group_version: str
    """Such as `apps/v1`."""
    version: str
    """Such as `v1`."""


class APIGroup(TypeMeta, api_version="v1", kind="APIGroup"):
    """`/apis/GROUP` in the old form."""

    name: str
    versions: list[GroupVersionForDiscovery]
    preferred_version: GroupVersionForDiscovery | None = None
    server_address_by_client_cidrs: list[ServerAddressByClientCIDR] = field(
        default_factory=list, name="serverAddressByClientCIDRs"
    )


class APIGroupList(TypeMeta, api_version="v1", kind="APIGroupList"):
    """`/apis` in the old form."""

    groups: list[APIGroup]


class APIResource(Struct):
    """One resource or subresource of a group-version, in the old form."""

    name: str
    """The plural, and for a subresource `pods/status`."""
    singular_name: str
    namespaced: bool
    kind: str
    verbs: list[str]
    group: str = ""
    """The kind's group where it differs from the list's."""
    version: str = ""
    short_names: list[str] = []
    categories: list[str] = []
    storage_version_hash: str = ""


class APIResourceList(TypeMeta, api_version="v1", kind="APIResourceList"):
    """`/api/v1` and `/apis/GROUP/VERSION`: what a group-version has."""

    group_version: str
    resources: list[APIResource]


class DiscoveredKind(Struct):
    """A kind in an aggregated document; an empty group or version is the surrounding one."""

    group: str = ""
    version: str = ""
    kind: str = ""


class APISubresourceDiscovery(Struct):
    """One subresource in an aggregated document."""

    subresource: str
    response_kind: DiscoveredKind | None = None
    accepted_types: list[DiscoveredKind] = []
    verbs: list[str] = []


class APIResourceDiscovery(Struct):
    """One resource in an aggregated document."""

    resource: str
    response_kind: DiscoveredKind | None = None
    scope: str
    """`Cluster` or `Namespaced`."""
    singular_resource: str = ""
    verbs: list[str] = []
    short_names: list[str] = []
    categories: list[str] = []
    subresources: list[APISubresourceDiscovery] = []


class APIVersionDiscovery(Struct):
    """One version of a group in an aggregated document."""

    version: str
    resources: list[APIResourceDiscovery] = []
    freshness: str = ""
    """`Current`, or `Stale` when the server behind it did not answer."""


class APIGroupDiscovery(TypeMeta):
    """One group in an aggregated document; its `metadata.name` is the group, absent for the core group."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    versions: list[APIVersionDiscovery] = []


class APIGroupDiscoveryList(TypeMeta, api_version="apidiscovery.k8s.io/v2", kind="APIGroupDiscoveryList"):
    """`/api` and `/apis` in the aggregated form: everything in one document."""

    metadata: ListMeta = field(default_factory=ListMeta)
    items: list[APIGroupDiscovery] = []


class VersionInfo(Struct):
    """`/version`."""

    major: str
    minor: str
    git_version: str
    git_commit: str = ""
    git_tree_state: str = ""
    build_date: str = ""
    go_version: str = ""
    compiler: str = ""
    platform: str = ""
    emulation_major: str = ""
    emulation_minor: str = ""
    min_compatibility_major: str = ""
    min_compatibility_minor: str = ""
