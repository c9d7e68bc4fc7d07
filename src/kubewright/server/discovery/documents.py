"""Discovery in the old form: `/api`, `/apis`, `/apis/GROUP`, `/api/v1` and `/apis/GROUP/VERSION`.

The documents are plain JSON objects, their keys in upstream's order, encoded without blanks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from kubewright.machinery.gvk import GroupVersion
from kubewright.server.discovery.groups import ServedGroup, served_groups
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource import ServedResource

__all__ = ["api_group", "api_group_list", "api_resource_list", "api_versions"]


def api_versions(*, server_address: str) -> bytes:
    """`/api`: the versions of the core group, and the address under which clients reach the server.

    The address is host and port, such as `127.0.0.1:6443`.
    """
    return msgspec.json.encode(
        {
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": server_address}],
        }
    )


def api_group_list(resources: Iterable[ServedResource]) -> bytes:
    """`/apis`: every group but the core one."""
    groups = [_group(group) for group in served_groups(resources) if group.name]
    return msgspec.json.encode({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})


def api_group(resources: Iterable[ServedResource], name: str) -> bytes | None:
    """`/apis/GROUP`, or None when there is no such group."""
    found = next((group for group in served_groups(resources) if group.name == name), None)
    if found is None or not name:
        return None
    return msgspec.json.encode({"kind": "APIGroup", "apiVersion": "v1", **_group(found)})


def api_resource_list(resources: Iterable[ServedResource], group_version: GroupVersion) -> bytes | None:
    """`/api/v1` or `/apis/GROUP/VERSION`, or None when there is no such version."""
    groups = served_groups(item for item in resources if item.group == group_version.group)
    versions = (version for group in groups for version in group.versions)
    found = next((version for version in versions if version.group_version == group_version), None)
    if found is None:
        return None
    # Upstream's core group answers without an apiVersion, as Kubernetes 1.0 did.
    head = {"kind": "APIResourceList"} | ({"apiVersion": "v1"} if group_version.group else {})
    listed = [entry for resource in found.resources for entry in _entries(resource)]
    return msgspec.json.encode({**head, "groupVersion": group_version.api_version, "resources": listed})


def _group(group: ServedGroup) -> Object:
    versions = [
        {"groupVersion": item.group_version.api_version, "version": item.group_version.version}
        for item in group.versions
    ]
    return {"name": group.name, "versions": versions, "preferredVersion": versions[0]}


def _entries(resource: ServedResource) -> Iterator[Object]:
    """The resource, then its subresources."""
    entry: Object = {
        "name": resource.resource,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": resource.verbs,
    }
    if resource.short_names:
        entry["shortNames"] = resource.short_names
    if resource.categories:
        entry["categories"] = resource.categories
    if resource.storage_version_hash:
        entry["storageVersionHash"] = resource.storage_version_hash
    yield entry
    for name, subresource in resource.subresources.items():
        entry = {
            "name": f"{resource.resource}/{name}",
            "singularName": "",
            "namespaced": resource.namespaced,
        }
        # Said only where the kind is of another group or version than the resource.
        if (subresource.group, subresource.version) != (resource.group, resource.version):
            if subresource.group:
                entry["group"] = subresource.group
            entry["version"] = subresource.version
        yield {**entry, "kind": subresource.kind, "verbs": subresource.verbs}
