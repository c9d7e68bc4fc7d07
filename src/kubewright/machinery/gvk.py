"""Which API a thing belongs to: group, version, kind and resource, as small values.

The types differ from each other even where their fields are alike, hash and compare in C, and order by
group, then version, then the rest, as plain text. `version_sort_key` orders versions by their worth.
"""

from __future__ import annotations

import re
from typing import Final, final

import msgspec

from kubewright.machinery.errors import ParseError

__all__ = [
    "GroupKind",
    "GroupResource",
    "GroupVersion",
    "GroupVersionKind",
    "GroupVersionResource",
    "compare_versions",
    "parse_kind_arg",
    "parse_resource_arg",
    "version_sort_key",
]


@final
class GroupVersion(msgspec.Struct, frozen=True, order=True, gc=False, cache_hash=True):
    """An API group at one version; the core group is the empty text."""

    group: str
    version: str

    @classmethod
    def parse(cls, api_version: str) -> GroupVersion:
        """Reads what stands in `apiVersion`: "v1" or "apps/v1".

        Raises ParseError when the group before a slash or the version is empty, or when there is more than
        one slash. Upstream reads "", "/", "/v1" and "apps/" as well; none of them names an API.
        """
        group, slash, version = api_version.rpartition("/")
        if not version or (slash and not group) or "/" in group:
            raise ParseError(f'apiVersion is {api_version!r}; it must be like "v1" or "apps/v1"')
        return cls(group, version)

    @property
    def api_version(self) -> str:
        """As it stands in `apiVersion`: "v1" or "apps/v1"."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def with_kind(self, kind: str) -> GroupVersionKind:
        """A kind of this group and version."""
        return GroupVersionKind(self.group, self.version, kind)

    def with_resource(self, resource: str) -> GroupVersionResource:
        """A resource of this group and version."""
        return GroupVersionResource(self.group, self.version, resource)

    def __str__(self) -> str:
        return self.api_version


@final
class GroupKind(msgspec.Struct, frozen=True, order=True, gc=False, cache_hash=True):
    """A kind, whatever its version."""

    group: str
    kind: str

    @classmethod
    def parse(cls, text: str) -> GroupKind:
        """Reads "Deployment.apps", or "Pod" for the core group; raises ParseError when the kind is empty."""
        kind, _, group = text.partition(".")
        if not kind:
            raise ParseError(f'{text!r} names no kind; it must be like "Pod" or "Deployment.apps"')
        return cls(group, kind)

    def with_version(self, version: str) -> GroupVersionKind:
        """This kind at one version."""
        return GroupVersionKind(self.group, version, self.kind)

    def __str__(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind


@final
class GroupResource(msgspec.Struct, frozen=True, order=True, gc=False, cache_hash=True):
    """A resource, whatever its version."""

    group: str
    resource: str

    @classmethod
    def parse(cls, text: str) -> GroupResource:
        """Reads "deployments.apps", or "pods" for the core group; raises ParseError without a resource."""
        resource, _, group = text.partition(".")
        if not resource:
            raise ParseError(f'{text!r} names no resource; it must be like "pods" or "deployments.apps"')
        return cls(group, resource)

    def with_version(self, version: str) -> GroupVersionResource:
        """This resource at one version."""
        return GroupVersionResource(self.group, version, self.resource)

    def __str__(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource


@final
class GroupVersionKind(msgspec.Struct, frozen=True, order=True, gc=False, cache_hash=True):
    """What `apiVersion` and `kind` of an object say."""

    group: str
    version: str
    kind: str

    @classmethod
    def from_api_version(cls, api_version: str, kind: str) -> GroupVersionKind:
        """Reads the two fields of an object; raises ParseError when either is not what it should be."""
        if not kind:
            raise ParseError(f"kind is {kind!r} next to apiVersion {api_version!r}; it must name a kind")
        return GroupVersion.parse(api_version).with_kind(kind)

    @property
    def group_version(self) -> GroupVersion:
        """The group and version alone."""
        return GroupVersion(self.group, self.version)

    @property
    def group_kind(self) -> GroupKind:
        """The kind without its version."""
        return GroupKind(self.group, self.kind)

    @property
    def api_version(self) -> str:
        """As it stands in `apiVersion`: "v1" or "apps/v1"."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def __str__(self) -> str:
        return f"{self.group}/{self.version}, Kind={self.kind}"


@final
class GroupVersionResource(msgspec.Struct, frozen=True, order=True, gc=False, cache_hash=True):
    """What a request path names."""

    group: str
    version: str
    resource: str

    @property
    def group_version(self) -> GroupVersion:
        """The group and version alone."""
        return GroupVersion(self.group, self.version)

    @property
    def group_resource(self) -> GroupResource:
        """The resource without its version."""
        return GroupResource(self.group, self.resource)

    def __str__(self) -> str:
        return f"{self.group}/{self.version}, Resource={self.resource}"


def parse_resource_arg(arg: str) -> tuple[GroupVersionResource | None, GroupResource]:
    """Reads a resource as people type it: "pods", "deployments.apps", "deployments.v1.apps", "pods.v1.".

    Gives both readings, since only discovery can tell a version from the start of a group's name: the one
    with a version (None when there are fewer than two dots), and the one without. Raises ParseError when
    the resource is empty.
    """
    group_resource = GroupResource.parse(arg)
    version, dot, group = group_resource.group.partition(".")
    if not dot:
        return None, group_resource
    return GroupVersionResource(group, version, group_resource.resource), group_resource


def parse_kind_arg(arg: str) -> tuple[GroupVersionKind | None, GroupKind]:
    """Reads a kind as people type it: "Pod", "Deployment.apps", "Deployment.v1.apps"; both readings.

    See `parse_resource_arg`. Raises ParseError when the kind is empty.
    """
    group_kind = GroupKind.parse(arg)
    version, dot, group = group_kind.group.partition(".")
    if not dot:
        return None, group_kind
    return GroupVersionKind(group, version, group_kind.kind), group_kind


# Leading zeros are dropped before the digits are counted: a number past int64 makes upstream treat the
# version as one that follows no scheme, and 19 digits are the most that an int64 has.
_KUBE_VERSION: Final = re.compile(r"v0*([0-9]{1,19})(?:(alpha|beta)0*([0-9]{1,19}))?")
_STABILITY: Final = {"alpha": 0, "beta": 1, None: 2}
_INT64_MAX: Final = 2**63 - 1


def version_sort_key(version: str) -> tuple[int, ...]:
    """Orders versions by priority, the preferred one greatest: v2, v1, v1beta2, v1alpha1, then all others.

    `max(versions, key=version_sort_key)` is the version to prefer; `sorted(..., reverse=True)` gives them
    in the order in which an API server lists them. Others are those not of the form v1, v1beta1, v1alpha1;
    among them the alphabetically first is preferred.
    """
    match = _KUBE_VERSION.fullmatch(version)
    if match is not None:
        major, minor = int(match[1]), int(match[3] or 0)
        if major <= _INT64_MAX and minor <= _INT64_MAX:
            return (1, _STABILITY[match[2]], major, minor)
    # Negated code points turn alphabetical order around; the closing 1 puts a prefix above what it begins.
    return (0, *(-ord(char) for char in version), 1)


def compare_versions(a: str, b: str) -> int:
    """Positive when version `a` is to be preferred to `b`, negative when `b` is, 0 when neither."""
    key_a, key_b = version_sort_key(a), version_sort_key(b)
    return (key_a > key_b) - (key_a < key_b)
