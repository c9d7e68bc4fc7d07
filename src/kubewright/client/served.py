"""What an API server serves, as small values: groups, their versions, and the resources in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from kubewright.client.endpoint import Endpoint
from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.gvk import GroupResource, GroupVersion, GroupVersionKind, GroupVersionResource

__all__ = ["Served", "ServedGroup", "ServedResource", "ServedSubresource"]


class ServedSubresource(msgspec.Struct, frozen=True):
    """One subresource, such as `status` or `scale`."""

    name: str
    gvk: GroupVersionKind | None
    """The kind that it answers with, where the server says so."""
    verbs: tuple[str, ...] = ()


class ServedResource(msgspec.Struct, frozen=True, kw_only=True):
    """One resource of one group and version."""

    gvk: GroupVersionKind
    gvr: GroupVersionResource
    namespaced: bool
    singular: str = ""
    """Such as `pod`; never empty, even where the server does not say it."""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    """Such as `all`."""
    verbs: tuple[str, ...] = ()
    subresources: tuple[ServedSubresource, ...] = ()

    @property
    def endpoint(self) -> Endpoint:
        """Where its objects are."""
        return Endpoint(self.gvk, self.gvr, self.namespaced)

    def subresource(self, name: str) -> ServedSubresource | None:
        """The subresource of that name, if it has one."""
        return next((each for each in self.subresources if each.name == name), None)


class ServedGroup(msgspec.Struct, frozen=True):
    """One group: its versions in the server's order, and what each of them has."""

    name: str
    """Empty for the core group."""
    versions: tuple[str, ...]
    """All that the server names, those that it could not tell more about included."""
    preferred: str
    """The version to use when any will do; empty when the server could not tell about any."""
    resources: tuple[ServedResource, ...] = ()
    """Of all versions, in their order."""

    def by_preference(self) -> Iterator[ServedResource]:
        """The resources, those of the preferred version first."""
        yield from (each for each in self.resources if each.gvr.version == self.preferred)
        yield from (each for each in self.resources if each.gvr.version != self.preferred)


class Served(msgspec.Struct, frozen=True):
    """All that a server served at one moment; the core group comes first."""

    groups: Sequence[ServedGroup]
    failed: Mapping[GroupVersion, KubewrightError]
    """The versions that it named and could not tell about, with the reason."""

    def resources(self) -> list[ServedResource]:
        """Everything in every version: the core group first, in each group the preferred version first."""
        return [resource for group in self.groups for resource in group.by_preference()]

    def preferred_resources(self) -> list[ServedResource]:
        """Each resource once, in its group's preferred version or in the first that has it."""
        found: dict[GroupResource, ServedResource] = {}
        for resource in self.resources():
            found.setdefault(resource.gvr.group_resource, resource)
        return list(found.values())
