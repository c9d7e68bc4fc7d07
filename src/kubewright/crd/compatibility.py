"""Which changes of a CustomResourceDefinition break what was made with the old one.

From the moment a definition is updated, its objects are read through the new schema: what the schema does not
know is dropped. What it does not allow is still read, and refused when it is written; Kubernetes since 1.30
lets it pass as long as an update does not touch it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from kubewright.crd.schema_changes import schema_changes
from kubewright.crd.structural import StructuralSchema, parse_schema
from kubewright.crd.value_changes import Change, ChangeKind
from kubewright.crd.version_changes import (
    Definition,
    definition_changes,
    definition_of,
    scale_changes,
    version_changes,
)
from kubewright.machinery.errors import ParseError

if TYPE_CHECKING:
    from kubewright.models.apiextensions_v1 import CustomResourceDefinition

__all__ = ["BreakingChange", "ChangeKind", "breaking_changes"]

_FREE: Final = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
"""The schema of a version that has none."""

_OTHER_DEFINITION: Final = frozenset({"spec.group", "spec.names.plural"})

_Found: TypeAlias = Iterator[tuple[str, str, Change]]
"""(version, path, change)"""


class BreakingChange(msgspec.Struct, frozen=True):
    """A change between two definitions of a resource that breaks something.

    `kind` says what: "refused", the server refuses the new definition; "not served", requests that worked are
    no longer answered; "invalid", objects that were valid no longer are; "lost", data in stored objects is
    dropped; "updates", some updates are refused, but stored objects stay valid.

    `path` is a field of the version's objects, such as `.spec.items[].name`; `[]` stands for the elements of
    a list and `*` for the members of a map. Without a version it is a field of the definition, such as
    `spec.scope`. `str()` gives one line.
    """

    version: str
    path: str
    kind: ChangeKind
    message: str

    def __str__(self) -> str:
        place = " ".join(part for part in (self.version, self.path) if part)
        return f"{place}: {self.message}"


def breaking_changes(old: CustomResourceDefinition, new: CustomResourceDefinition) -> list[BreakingChange]:
    """What breaks when `new` takes the place of `old`, in the order of the old definition; [] for nothing.

    An old definition from a server, with its status, tells in which versions objects are stored; without one,
    any version may have some. The check is careful: what it cannot show to be harmless, such as a pattern
    that is written in another way, is told. Raises ParseError for a schema that no custom resource can have.
    """
    before, after = definition_of(old.to_dict()), definition_of(new.to_dict())
    found = [("", path, change) for path, change in definition_changes(before, after)]
    if not any(path in _OTHER_DEFINITION for _, path, _ in found):
        for name in before.versions:
            found += _version(name, before, after)
        found += _storage(before, after)
    changes = (BreakingChange(version, path, *change) for version, path, change in found)
    return list(dict.fromkeys(changes))


def _version(name: str, old: Definition, new: Definition) -> _Found:
    for change in version_changes(name, old, new):
        yield name, "", change
    before, after = old.versions[name], new.versions.get(name)
    if after is None or not (before.get("served") or old.holds(name)):
        return
    schema = _schema(name, before)
    for path, change in schema_changes(schema, _schema(name, after)):
        # Objects are validated in the version of the request, but read in the one they are stored in too.
        if (after.get("served") or change.kind == "lost") and not (change.kind == "lost" and new.preserves):
            yield name, path, change
    if after.get("served"):
        for path, change in scale_changes(before, after, schema):
            yield name, path, change


def _storage(old: Definition, new: Definition) -> _Found:
    """What objects lose that were stored in one version and are now in another one, with no conversion."""
    source, target = old.storage, new.storage
    if source == target or not (source and target) or new.converts or new.preserves:
        return
    before, after = _schema(source, old.versions[source]), _schema(target, new.versions[target])
    for path, change in schema_changes(before, after):
        if change.kind in {"lost", "invalid"}:
            told = f"objects that were stored as {source} are now stored as it with no conversion: "
            yield target, path, change._replace(message=told + change.message)


def _schema(name: str, version: Mapping[str, Any]) -> StructuralSchema:
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    try:
        return parse_schema(_FREE if schema is None else schema)
    except ParseError as error:
        raise ParseError(f"version {name}: {error}") from error
