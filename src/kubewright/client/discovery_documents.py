"""Reading the documents of discovery, in both forms, into the values of `served`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from kubewright.client.served import ServedResource, ServedSubresource
from kubewright.machinery.discovery import (
    APIGroupDiscovery,
    APIGroupDiscoveryList,
    APIGroupList,
    APIResource,
    APIResourceDiscovery,
    APIResourceList,
    APIVersions,
    DiscoveredKind,
)
from kubewright.machinery.errors import DecodeError
from kubewright.machinery.gvk import GroupVersion, GroupVersionKind

__all__ = ["ACCEPT", "Group", "read_resources", "read_root"]

_AGGREGATED: Final = "APIGroupDiscoveryList"

ACCEPT: Final = ",".join(
    [
        f"application/json;g=apidiscovery.k8s.io;v=v2;as={_AGGREGATED}",
        f"application/json;g=apidiscovery.k8s.io;v=v2beta1;as={_AGGREGATED}",
        "application/json",
    ]
)
"""What `/api` and `/apis` are asked for: the aggregated form, that of Kubernetes 1.26 to 1.29 too, else the
old one. The parameters have to be in this order."""


class Group(msgspec.Struct, frozen=True):
    """One group of a root document."""

    name: str
    versions: Sequence[str]
    preferred: str
    """Empty where the server does not say, or could not tell about any."""
    resources: dict[str, list[ServedResource]] | None
    """By version, without those that are stale; None in the old form, which has them in other documents."""


class _V2Beta1(APIGroupDiscoveryList, api_version="apidiscovery.k8s.io/v2beta1", kind=_AGGREGATED):
    """The aggregated form before it was stable; its shape is the same."""


class _Header(msgspec.Struct):
    """Read alone, because `/api` in the old form has a kind and no apiVersion."""

    kind: str = ""
    apiVersion: str = ""  # noqa: N815 - the wire name


_header_decoder: Final = msgspec.json.Decoder(_Header)


def read_root(body: bytes) -> list[Group]:
    """The groups of `/api` or `/apis`, whichever form the server chose. Raises DecodeError."""
    try:
        header = _header_decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise DecodeError("it is no JSON object") from None
    if header.kind == _AGGREGATED:
        form = _V2Beta1 if header.apiVersion == _V2Beta1.gvk.api_version else APIGroupDiscoveryList
        return [_aggregated(group) for group in form.from_json(body).items]
    if header.kind == "APIVersions":
        versions = APIVersions.from_json(body).versions
        return [Group("", versions, versions[0], None)] if versions else []
    if header.kind == "APIGroupList":
        return [
            Group(
                group.name,
                [each.version for each in group.versions],
                group.preferred_version.version if group.preferred_version else "",
                None,
            )
            for group in APIGroupList.from_json(body).groups
        ]
    raise DecodeError(f"it is of kind {header.kind!r}")


def read_resources(body: bytes, group_version: GroupVersion) -> list[ServedResource]:
    """The resources of the document of one group-version, in the old form. Raises DecodeError."""
    listed = APIResourceList.from_json(body).resources
    subresources: dict[str, list[ServedSubresource]] = {}
    for entry in listed:
        parent, slash, name = entry.name.partition("/")
        if slash:
            kind = _kind(group_version, entry.group, entry.version, entry.kind)
            subresources.setdefault(parent, []).append(ServedSubresource(name, kind, tuple(entry.verbs)))
    return [
        _old_resource(entry, group_version, subresources.get(entry.name, ()))
        for entry in listed
        if entry.kind and "/" not in entry.name
    ]


def _old_resource(
    entry: APIResource, group_version: GroupVersion, subresources: Sequence[ServedSubresource]
) -> ServedResource:
    return ServedResource(
        gvk=group_version.with_kind(entry.kind),
        gvr=group_version.with_resource(entry.name),
        namespaced=entry.namespaced,
        singular=entry.singular_name or entry.kind.lower(),
        short_names=tuple(entry.short_names),
        categories=tuple(entry.categories),
        verbs=tuple(entry.verbs),
        subresources=tuple(subresources),
    )


def _aggregated(group: APIGroupDiscovery) -> Group:
    name = group.metadata.name
    resources: dict[str, list[ServedResource]] = {}
    for version in group.versions:
        if version.freshness != "Stale":
            group_version = GroupVersion(name, version.version)
            # A resource without a kind is there for its subresources' sake only.
            resources[version.version] = [
                _resource(entry, entry.response_kind.kind, group_version)
                for entry in version.resources
                if entry.response_kind is not None and entry.response_kind.kind
            ]
    # The order of versions is that of preference.
    return Group(name, [each.version for each in group.versions], next(iter(resources), ""), resources)


def _resource(entry: APIResourceDiscovery, kind: str, group_version: GroupVersion) -> ServedResource:
    return ServedResource(
        # As client-go has it: the resource's own group and version, whatever the kind says of its.
        gvk=group_version.with_kind(kind),
        gvr=group_version.with_resource(entry.resource),
        namespaced=entry.scope == "Namespaced",
        singular=entry.singular_resource or kind.lower(),
        short_names=tuple(entry.short_names),
        categories=tuple(entry.categories),
        verbs=tuple(entry.verbs),
        subresources=tuple(
            ServedSubresource(
                each.subresource, _response_kind(group_version, each.response_kind), tuple(each.verbs)
            )
            for each in entry.subresources
        ),
    )


def _response_kind(group_version: GroupVersion, kind: DiscoveredKind | None) -> GroupVersionKind | None:
    return _kind(group_version, kind.group, kind.version, kind.kind) if kind is not None else None


def _kind(around: GroupVersion, group: str, version: str, kind: str) -> GroupVersionKind | None:
    """The kind of a subresource; a group and version that it does not say are the surrounding ones."""
    if not kind:
        return None
    if version:
        return GroupVersionKind(group, version, kind)
    return GroupVersionKind(group or around.group, around.version, kind)
