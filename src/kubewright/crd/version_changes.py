"""What a new CustomResourceDefinition does to the resource and its versions, apart from their schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from kubewright.crd.schema_report import schema_format
from kubewright.crd.structural import StructuralSchema
from kubewright.crd.value_changes import Change

__all__ = ["Definition", "definition_changes", "definition_of", "scale_changes", "version_changes"]

_MAX_INT32: Final = 2**31 - 1
"""The most replicas that a scale subresource allows."""

_Found: TypeAlias = Iterator[tuple[str, Change]]


class Definition(NamedTuple):
    """What is compared of a definition."""

    spec: Mapping[str, Any]
    versions: Mapping[str, Mapping[str, Any]]
    stored: frozenset[str]
    """status.storedVersions; empty where the definition does not come from a server."""

    @property
    def storage(self) -> str:
        """The version in which objects are stored; "" where there is none."""
        return next((name for name, version in self.versions.items() if version.get("storage")), "")

    @property
    def converts(self) -> bool:
        """Whether a webhook converts objects between versions."""
        return bool((self.spec.get("conversion") or {}).get("strategy", "None") != "None")

    @property
    def preserves(self) -> bool:
        """Whether no unknown field is dropped, as before structural schemas."""
        return bool(self.spec.get("preserveUnknownFields"))

    def holds(self, version: str) -> bool:
        """Whether objects are known to be stored in a version."""
        return version == self.storage or version in self.stored


def definition_of(data: Mapping[str, Any]) -> Definition:
    """A definition in the form in which it is compared."""
    spec = data.get("spec") or {}
    stored = (data.get("status") or {}).get("storedVersions") or ()
    return Definition(spec, {each["name"]: each for each in spec.get("versions") or ()}, frozenset(stored))


def definition_changes(old: Definition, new: Definition) -> _Found:
    """What changes of the resource itself, with the field of the definition."""
    names, old_names = new.spec.get("names") or {}, old.spec.get("names") or {}
    for path, before, after in (
        ("spec.group", old.spec.get("group"), new.spec.get("group")),
        ("spec.names.plural", old_names.get("plural"), names.get("plural")),
        ("spec.names.kind", old_names.get("kind"), names.get("kind")),
        ("spec.scope", old.spec.get("scope"), new.spec.get("scope")),
    ):
        if before != after:
            told = f"it changes from {before} to {after}, which the server refuses"
            yield path, Change("refused", f"{told}; make another definition and copy the objects")
    if sum(bool(version.get("storage")) for version in new.versions.values()) != 1:
        yield "spec.versions", Change("refused", "exactly one version must have storage: true")
    if old.preserves and not new.preserves:
        told = "it is no longer true, so fields of stored objects that no schema has are dropped"
        yield "spec.preserveUnknownFields", Change("lost", told)
    if old.converts and not new.converts and _schemas_differ(new):
        told = (
            "the webhook is removed while the versions' schemas differ, so objects lose the fields that the"
        )
        yield "spec.conversion", Change("lost", f"{told} version they are read in does not have")


def _schemas_differ(definition: Definition) -> bool:
    schemas = [version.get("schema") for version in definition.versions.values()]
    return any(schema != schemas[0] for schema in schemas)


def version_changes(name: str, old: Definition, new: Definition) -> Iterator[Change]:
    """What changes of a version of the old definition."""
    before, after = old.versions[name], new.versions.get(name)
    served = bool(before.get("served"))
    if after is None:
        yield from _removed(name, old, served=served)
        return
    if served and not after.get("served"):
        told = "it is no longer served, so clients that use it get 404; deprecate it before"
        yield Change("not served", told)
        return
    if served:
        yield from _gone(before, after)


def _removed(name: str, old: Definition, *, served: bool) -> Iterator[Change]:
    migrate = "migrate stored objects and take it out of status.storedVersions first"
    if old.holds(name):
        told = "it is removed while objects may be stored in it, which the server refuses"
        yield Change("refused", f"{told}; {migrate}")
    elif served:
        told = "it is removed, so clients that use it get 404; deprecate it, then stop serving it, before"
        yield Change("not served", told)
    elif not old.stored:
        told = "it is removed, which the server refuses if it was a storage version once"
        yield Change("refused", f"{told}; {migrate}, or compare with the definition on the server")


def _gone(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    kept = after.get("subresources") or {}
    for name, subresource in (before.get("subresources") or {}).items():
        if subresource is not None and kept.get(name) is None:
            yield Change("not served", f"the subresource {name} is removed, so clients that use it get 404")
    selectable = [field.get("jsonPath") for field in after.get("selectableFields") or ()]
    for field in before.get("selectableFields") or ():
        path = field.get("jsonPath")
        if path not in selectable:
            told = f"the selectable field {path} is removed, so clients that select by it get 400"
            yield Change("not served", told)


def scale_changes(before: Mapping[str, Any], after: Mapping[str, Any], schema: StructuralSchema) -> _Found:
    """What a scale subresource, new or with other paths, does to objects that `schema` allowed."""
    old = (before.get("subresources") or {}).get("scale") or {}
    new = (after.get("subresources") or {}).get("scale") or {}
    for name, takes in (
        ("specReplicasPath", f"integers from 0 to {_MAX_INT32}"),
        ("statusReplicasPath", f"integers from 0 to {_MAX_INT32}"),
        ("labelSelectorPath", "texts"),
    ):
        path = new.get(name)
        if path and path != old.get(name) and not _fits_scale(path, schema, text=takes == "texts"):
            told = f"it is the {name} of the scale subresource, which takes {takes}"
            yield path, Change("invalid", f"{told}, so stored objects with other values become invalid")


def _fits_scale(path: str, schema: StructuralSchema, *, text: bool) -> bool:
    """Whether all that stands at a path is sure to be what a scale subresource takes."""
    node = schema
    for name in path.removeprefix(".").split("."):
        if node.type != "object" or node.preserve_unknown_fields or node.additional_properties is not None:
            return False
        if name not in node.properties:
            return True  # nothing is stored there
        node = node.properties[name]
    if node.nullable:
        return False
    if text:
        return node.type == "string"
    return (
        node.type == "integer"
        and (node.minimum is not None and node.minimum >= 0)
        and (schema_format(node) == "int32" or (node.maximum is not None and node.maximum <= _MAX_INT32))
    )
