"""The resources that a server serves: one entry per group, version and plural.

Discovery, OpenAPI and the registry are made from these entries alone, so a custom resource is served exactly
as a built-in one is.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Final

import msgspec

from kubewright.machinery.gvk import GroupVersion, GroupVersionKind, GroupVersionResource
from kubewright.server.kinds.kind import Object

__all__ = [
    "CUSTOM_VERBS",
    "ServedResource",
    "ServedSubresource",
    "builtin_resources",
    "custom_resources",
    "storage_version_hash",
]

CUSTOM_VERBS: Final = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
"""Those of every custom resource, in the order in which upstream's discovery of them lists them."""

_TERMINATING_VERBS: Final = ("delete", "deletecollection", "get", "list", "watch")
"""What discovery shows of them while the definition is being deleted; all are served but creates."""

_SUBRESOURCE_VERBS: Final = ("get", "patch", "update")


class ServedSubresource(msgspec.Struct, frozen=True):
    """One endpoint below a resource, such as `pods/eviction`, and the kind that it answers with."""

    group: str
    version: str
    kind: str
    verbs: tuple[str, ...]

    @property
    def gvk(self) -> GroupVersionKind:
        """The kind that the endpoint takes and answers with."""
        return GroupVersionKind(self.group, self.version, self.kind)


class ServedResource(msgspec.Struct, frozen=True, kw_only=True):
    """One resource of one group-version, as discovery describes it.

    Compares by value; it is no key of a mapping, since its subresources are one. Use `gvr` for that.
    """

    group: str
    version: str
    resource: str
    """The plural, which stands in paths."""
    singular: str
    kind: str
    list_kind: str = ""
    """Empty where nothing can be listed: bindings and reviews."""
    namespaced: bool
    verbs: tuple[str, ...]
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: Mapping[str, ServedSubresource] = {}
    """By name, in the order in which discovery lists them: alphabetical for built-ins."""
    storage_version_hash: str = ""
    """Empty for what is not stored."""
    returned_when_deleted: bool = False
    """Whether DELETE answers with the object; else it does so with a Status."""
    custom: bool = False
    """Whether a CustomResourceDefinition brought it; discovery and OpenAPI word some things differently."""

    @property
    def gvr(self) -> GroupVersionResource:
        """What request paths name."""
        return GroupVersionResource(self.group, self.version, self.resource)

    @property
    def gvk(self) -> GroupVersionKind:
        """What `apiVersion` and `kind` of its objects say."""
        return GroupVersionKind(self.group, self.version, self.kind)

    @property
    def group_version(self) -> GroupVersion:
        """The group and version alone."""
        return GroupVersion(self.group, self.version)


def builtin_resources() -> tuple[ServedResource, ...]:
    """Every resource that Kubernetes itself brings, in the order of discovery; made anew on each call."""
    from kubewright.models.served import RESOURCES  # noqa: PLC0415 - a table that only servers need

    made = []
    for row in RESOURCES:
        group_version = GroupVersion.parse(row.api_version)
        subresources = {}
        for name, api_version, kind, verbs in row.subresources:
            answers = GroupVersion.parse(api_version)
            subresources[name] = ServedSubresource(answers.group, answers.version, kind, tuple(verbs.split()))
        stored_as = GroupVersion.parse(row.stored_as) if row.stored_as else None
        made.append(
            ServedResource(
                group=group_version.group,
                version=group_version.version,
                resource=row.plural,
                singular=row.singular,
                kind=row.kind,
                list_kind=row.list_kind,
                namespaced=row.namespaced,
                verbs=tuple(row.verbs.split()),
                short_names=tuple(row.short_names.split()),
                categories=tuple(row.categories.split()),
                returned_when_deleted=row.returned_when_deleted,
                subresources=subresources,
                storage_version_hash=storage_version_hash(stored_as.with_kind(row.kind)) if stored_as else "",
            )
        )
    return tuple(made)


def custom_resources(crd: Object) -> tuple[ServedResource, ...]:
    """What a CustomResourceDefinition brings: one entry per served version, by the names it was granted.

    Nothing until it is established. Takes the definition as it is stored, that is, valid.
    """
    status = crd.get("status") or {}
    conditions = {item["type"] for item in status.get("conditions") or () if item["status"] == "True"}
    if "Established" not in conditions:
        return ()
    spec = crd["spec"]
    names = status["acceptedNames"]
    served = [version for version in spec["versions"] if version["served"]]
    stored = next((version["name"] for version in served if version["storage"]), None)
    return tuple(
        ServedResource(
            group=spec["group"],
            version=version["name"],
            resource=names["plural"],
            singular=names.get("singular", ""),
            kind=names["kind"],
            list_kind=names.get("listKind", ""),
            namespaced=spec["scope"] == "Namespaced",
            verbs=_TERMINATING_VERBS if "Terminating" in conditions else CUSTOM_VERBS,
            short_names=tuple(names.get("shortNames", ())),
            categories=tuple(names.get("categories", ())),
            subresources=_custom_subresources(crd, version),
            storage_version_hash=storage_version_hash(
                GroupVersionKind(spec["group"], stored, spec["names"]["kind"])
            )
            if stored is not None
            else "",
            custom=True,
        )
        for version in served
    )


def _custom_subresources(crd: Object, version: Object) -> dict[str, ServedSubresource]:
    stated = version.get("subresources") or {}
    made = {}
    if stated.get("status") is not None:
        kind = crd["status"]["acceptedNames"]["kind"]
        made["status"] = ServedSubresource(crd["spec"]["group"], version["name"], kind, _SUBRESOURCE_VERBS)
    if stated.get("scale") is not None:
        made["scale"] = ServedSubresource("autoscaling", "v1", "Scale", _SUBRESOURCE_VERBS)
    return made


def storage_version_hash(stored_as: GroupVersionKind) -> str:
    """What discovery says of the version in which objects are stored; clients see by it that it changed.

    Eight bytes of the SHA-256 of group, version and kind, in base64, as upstream makes it.
    """
    text = f"{stored_as.group}/{stored_as.version}/{stored_as.kind}"
    return base64.b64encode(hashlib.sha256(text.encode()).digest()[:8]).decode()
