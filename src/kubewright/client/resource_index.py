"""Finding resources by kind, by the names that kubectl takes, and by category, in what a server serves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from kubewright.client.served import Served, ServedResource
from kubewright.machinery.gvk import (
    GroupResource,
    GroupVersionKind,
    GroupVersionResource,
    parse_resource_arg,
)

__all__ = ["ResourceIndex"]


class ResourceIndex:
    """All resources of one moment, by what they are called.

    Where a name fits several resources, the core group comes first, then the groups in the server's order,
    and in a group the preferred version, then the others in their order: kubectl's order.
    """

    def __init__(self, served: Served) -> None:
        self.served: Final = served
        self._all: Final = served.resources()
        self._by_kind: Final[dict[GroupVersionKind, ServedResource]] = {}
        self._by_resource: Final[dict[GroupVersionResource, ServedResource]] = {}
        self._named: Final[dict[str, list[ServedResource]]] = {}
        self._short: Final[dict[str, list[ServedResource]]] = {}
        self._kinds: Final[dict[str, list[ServedResource]]] = {}
        for resource in self._all:
            # Of two resources with one kind the last is taken, as client-go takes it.
            self._by_kind[resource.gvk] = resource
            self._by_resource[resource.gvr] = resource
            for name in {resource.gvr.resource, resource.singular}:
                self._named.setdefault(name, []).append(resource)
            for name in resource.short_names:
                self._short.setdefault(name, []).append(resource)
            self._kinds.setdefault(resource.gvk.kind.lower(), []).append(resource)

    def of_kind(self, gvk: GroupVersionKind) -> ServedResource | None:
        """The resource that serves a kind."""
        return self._by_kind.get(gvk)

    def of_resource(self, gvr: GroupVersionResource) -> ServedResource | None:
        """The resource of that name, group and version."""
        return self._by_resource.get(gvr)

    def others_of_kind(self, kind: str) -> Sequence[ServedResource]:
        """All that are of a kind by its name alone, in any group and version."""
        return [each for each in self._kinds.get(kind.lower(), ()) if each.gvk.kind == kind]

    def category(self, name: str) -> list[ServedResource]:
        """The resources of a category, each in the version to use."""
        groups = {each.gvr.group_resource for each in self._all if name in each.categories}
        return [each for each in self.served.preferred_resources() if each.gvr.group_resource in groups]

    def named(self, name: str) -> ServedResource | None:
        """What kubectl means by a name; raises ParseError when it is empty.

        It is a plural, a singular, a short name or a kind, with or without its group or its version and
        group. A group may be cut short after any letter when nothing fits it whole: `storageclass.storage`.
        """
        with_version, without = parse_resource_arg(name)
        resource, group = without.resource, without.group
        plain = _in_group(group) if group else _anywhere
        if with_version is not None:
            exact = _in_version(with_version)
            found = self._resource(with_version.resource, exact)
            if found is not None:
                return found
        found = self._resource(resource, plain)
        if found is None and group:
            found = self._resource(resource, lambda each: each.gvr.group.startswith(group))
        if found is None and with_version is not None:
            found = _first(self._kinds.get(resource.lower(), ()), exact)
        return found or _first(self._kinds.get(resource.lower(), ()), plain)

    def _resource(self, name: str, fits: Callable[[ServedResource], bool]) -> ServedResource | None:
        """By plural, singular or short name; the latter only as it is written."""
        found = _first(self._named.get(name, ()), fits)
        if found is None:
            short = _first(self._short.get(name, ()), fits)
            if short is not None:
                return self._preferred(short.gvr.group_resource, fits)
            found = _first(self._named.get(name.lower(), ()), fits)
        return found

    def _preferred(
        self, group_resource: GroupResource, fits: Callable[[ServedResource], bool]
    ) -> ServedResource | None:
        """The best version of a resource, whether or not that version has the short name as well."""
        same = [
            each for each in self._named[group_resource.resource] if each.gvr.group_resource == group_resource
        ]
        return _first(same, fits)


def _first(
    candidates: Iterable[ServedResource], fits: Callable[[ServedResource], bool]
) -> ServedResource | None:
    return next((each for each in candidates if fits(each)), None)


def _anywhere(_: ServedResource) -> bool:
    return True


def _in_group(group: str) -> Callable[[ServedResource], bool]:
    return lambda each: each.gvr.group == group


def _in_version(wanted: GroupVersionResource) -> Callable[[ServedResource], bool]:
    """Of a version of a group, or, for `pods.v1.`, of any group, as kubectl reads it."""
    return lambda each: each.gvr.version == wanted.version and wanted.group in ("", each.gvr.group)
