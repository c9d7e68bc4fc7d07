"""What the documents are made of: which there are, and which paths belong into which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from kubewright.machinery.gvk import GroupVersion
from kubewright.server.discovery.groups import served_groups
from kubewright.server.openapi.operations import (
    ALL_MEDIA,
    META,
    Operation,
    PathItem,
    operation_words,
    resource_paths,
)
from kubewright.server.registry.resource import ServedResource

__all__ = ["Source", "sources"]


class Source(msgspec.Struct, frozen=True):
    """One document of OpenAPI v3; the one document of v2 is made of all of them."""

    name: str
    """The path below `/openapi/v3/`, such as `apis/apps/v1`."""
    discovery: Sequence[PathItem]
    """The paths that are no resources."""
    group_version: GroupVersion | None = None
    resources: Sequence[ServedResource] = ()

    @property
    def custom(self) -> bool:
        """Whether all of it is about custom resources."""
        return not self.discovery

    def paths(self) -> Iterator[PathItem]:
        """Everything in it."""
        yield from self.discovery
        for resource in self.resources:
            yield from resource_paths(resource)


def sources(resources: Iterable[ServedResource]) -> list[Source]:
    """All documents, sorted by name as upstream's index is.

    Custom resources have documents of their group-versions only, without the paths of discovery.
    """
    found = list(_roots())
    for group in served_groups(resources):
        custom = all(item.custom for version in group.versions for item in version.resources)
        if group.name and not custom:
            found.append(_group(group.name))
        found += [_version(version.group_version, version.resources) for version in group.versions]
    return sorted(found, key=lambda source: source.name)


def _version(group_version: GroupVersion, resources: Sequence[ServedResource]) -> Source:
    name = f"apis/{group_version}" if group_version.group else f"api/{group_version}"
    discovery = []
    if not all(resource.custom for resource in resources):
        group = group_version.group.removesuffix(".k8s.io") or "core"
        written = [operation_words(text, capital=True) for text in (group, group_version.version)]
        tags = [operation_words(text, capital=False) for text in (group, group_version.version)]
        discovery = [
            _read(f"/{name}/", f"get{''.join(written)}APIResources", "_".join(tags), f"{META}APIResourceList")
        ]
    return Source(name, discovery, group_version, resources)


def _group(group: str) -> Source:
    words = group.removesuffix(".k8s.io")
    operation_id = f"get{operation_words(words, capital=True)}APIGroup"
    tag = operation_words(words, capital=False)
    return Source(f"apis/{group}", [_read(f"/apis/{group}/", operation_id, tag, f"{META}APIGroup")])


def _roots() -> Iterator[Source]:
    """The documents that are there whatever is served, as kube-apiserver 1.36 has them."""
    yield Source("api", [_read("/api/", "getCoreAPIVersions", "core", f"{META}APIVersions")])
    yield Source("apis", [_read("/apis/", "getAPIVersions", "apis", f"{META}APIGroupList")])
    json = ("application/json",)
    yield Source(
        "version",
        [
            _read(
                "/version/",
                "getCodeVersion",
                "version",
                "io.k8s.apimachinery.pkg.version.Info",
                consumes=json,
                produces=json,
            )
        ],
    )
    yield Source(
        ".well-known/openid-configuration",
        [
            _read(
                "/.well-known/openid-configuration/",
                "getServiceAccountIssuerOpenIDConfiguration",
                "WellKnown",
                "",
                consumes=(),
                produces=json,
            )
        ],
    )
    yield Source(
        "openid/v1/jwks",
        [
            _read(
                "/openid/v1/jwks/",
                "getServiceAccountIssuerOpenIDKeyset",
                "openid",
                "",
                consumes=(),
                produces=("application/jwk-set+json",),
            )
        ],
    )


def _read(
    path: str,
    operation_id: str,
    tag: str,
    answers: str,
    *,
    consumes: Sequence[str] = ALL_MEDIA,
    produces: Sequence[str] = ALL_MEDIA,
) -> PathItem:
    operation = Operation(
        method="get",
        id=operation_id,
        tag=tag,
        responses={200: answers},
        consumes=consumes,
        produces=produces,
    )
    return PathItem(path, [operation])
