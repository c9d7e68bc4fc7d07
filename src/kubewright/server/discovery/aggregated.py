"""Discovery in the aggregated form: all groups, versions and resources in one document per root.

Only apidiscovery.k8s.io/v2 is served, as by kube-apiserver 1.36: clients that know no newer version than
v2beta1 ask for the old form beside it, and get that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

import msgspec

from kubewright.server.discovery.groups import ServedGroup, served_groups
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource import ServedResource, ServedSubresource

__all__ = ["AggregatedDiscovery", "accepts_aggregated", "aggregated_discovery"]

_VERSION: Final = "v2"

_MEDIA_TYPES: Final = frozenset(
    {"application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "application/*", "*/*"}
)
"""What upstream's serializers of discovery write, and what stands for the first of them."""

_AGGREGATED: Final = {"g": "apidiscovery.k8s.io", "v": _VERSION, "as": "APIGroupDiscoveryList"}


class AggregatedDiscovery(msgspec.Struct, frozen=True):
    """An encoded document and its hash, which is its ETag once it stands in quotes."""

    body: bytes
    etag: str


def aggregated_discovery(resources: Iterable[ServedResource], *, core: bool) -> AggregatedDiscovery:
    """The document of `/api` (the core group) or of `/apis` (all others)."""
    groups = [_group(group) for group in served_groups(resources) if core == (not group.name)]
    document = {"metadata": {}, "items": groups}
    # Upstream makes the hash before it says what kind of document this is.
    etag = hashlib.sha512(msgspec.json.encode(document)).hexdigest().upper()
    head = {"kind": _AGGREGATED["as"], "apiVersion": f"{_AGGREGATED['g']}/{_VERSION}"}
    return AggregatedDiscovery(msgspec.json.encode(head | document), etag)


def accepts_aggregated(accept: str) -> str | None:
    """The version of the aggregated form that an Accept header prefers; None when it prefers the old form.

    The best-liked of the types that the server has decides, as in upstream. None as well when it has none of
    them: then the negotiation of the old form refuses the request.
    """
    for media_type, parameters in _clauses(accept):
        if media_type not in _MEDIA_TYPES:
            continue
        if "as" not in parameters:
            return None
        if all(parameters.get(name) == value for name, value in _AGGREGATED.items()):
            return _VERSION
    return None


def _clauses(accept: str) -> list[tuple[str, dict[str, str]]]:
    """The types of an Accept header with their parameters, the best-liked first."""
    clauses = []
    for text in accept.split(","):
        media_type, *rest = (part.strip() for part in text.split(";"))
        parameters = {}
        for part in rest:
            name, _, value = part.partition("=")
            parameters[name.strip()] = value.strip().strip('"')
        clauses.append((_quality(parameters.pop("q", "1")), media_type, parameters))
    clauses.sort(key=lambda clause: -clause[0])
    return [(media_type, parameters) for _, media_type, parameters in clauses]


def _quality(text: str) -> float:
    """What does not read as a number counts as most liked, as in upstream."""
    try:
        return float(text)
    except ValueError:
        return 1.0


def _group(group: ServedGroup) -> Object:
    return {
        "metadata": {"name": group.name} if group.name else {},
        "versions": [
            {
                "version": version.group_version.version,
                "resources": [_resource(resource) for resource in version.resources],
                "freshness": "Current",
            }
            for version in group.versions
        ],
    }


def _resource(resource: ServedResource) -> Object:
    made: Object = {
        "resource": resource.resource,
        "responseKind": _kind(resource, resource),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": resource.verbs,
    }
    if resource.short_names:
        made["shortNames"] = resource.short_names
    if resource.categories:
        made["categories"] = resource.categories
    if resource.subresources:
        made["subresources"] = [
            {
                "subresource": name,
                "responseKind": _kind(resource, subresource),
                "verbs": subresource.verbs,
            }
            for name, subresource in resource.subresources.items()
        ]
    return made


def _kind(resource: ServedResource, answers: ServedResource | ServedSubresource) -> Object:
    """Upstream leaves group and version of its own kinds empty where they are those of the resource."""
    own = (answers.group, answers.version) == (resource.group, resource.version)
    named = resource.custom or not own
    return {
        "group": answers.group if named else "",
        "version": answers.version if named else "",
        "kind": answers.kind,
    }
