"""The order of groups, versions and resources in discovery, which tells clients what to prefer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kubewright.machinery.gvk import GroupVersion, version_sort_key
from kubewright.server.registry.resource import ServedResource

__all__ = ["ServedGroup", "ServedVersion", "served_groups"]


class ServedVersion(msgspec.Struct, frozen=True):
    """The resources of one group-version, in order."""

    group_version: GroupVersion
    resources: Sequence[ServedResource]


class ServedGroup(msgspec.Struct, frozen=True):
    """The versions of one group, the preferred one first."""

    name: str
    versions: Sequence[ServedVersion]


def served_groups(resources: Iterable[ServedResource]) -> list[ServedGroup]:
    """All groups in upstream's order of preference.

    Built-in resources come in the order in which they are given. Groups of custom resources follow, by
    name, since upstream gives them all the same low priority; their versions go by what they are (v2, v1,
    v1beta1), their resources by name. In a group that has both, versions of custom resources come first:
    their priority as versions is higher than that of any built-in one.
    """
    versions: dict[GroupVersion, list[ServedResource]] = {}
    for resource in resources:
        versions.setdefault(resource.group_version, []).append(resource)
    groups: dict[str, list[ServedVersion]] = {}
    for group_version, served in versions.items():
        ordered = [item for item in served if not item.custom]
        ordered += sorted((item for item in served if item.custom), key=lambda item: item.resource)
        groups.setdefault(group_version.group, []).append(ServedVersion(group_version, ordered))
    builtin = [name for name, items in groups.items() if not all(map(_is_custom, items))]
    custom = sorted(name for name, items in groups.items() if all(map(_is_custom, items)))
    return [ServedGroup(name, _ordered(groups[name])) for name in (*builtin, *custom)]


def _is_custom(version: ServedVersion) -> bool:
    return all(resource.custom for resource in version.resources)


def _ordered(versions: Sequence[ServedVersion]) -> list[ServedVersion]:
    custom = [version for version in versions if _is_custom(version)]
    custom.sort(key=lambda version: version_sort_key(version.group_version.version), reverse=True)
    return custom + [version for version in versions if not _is_custom(version)]
