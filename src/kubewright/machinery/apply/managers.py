"""Who owns fields of an object, and what it looks like when two of them disagree."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple, TypeAlias

from kubewright.machinery.apply.fieldset import FieldSet
from kubewright.machinery.apply.path_element import canonical_string, format_path, go_quote
from kubewright.machinery.errors import KubewrightError

__all__ = ["ApplyConflict", "FieldConflict", "Manager", "ManagerKey", "Managers", "Operation"]

Operation: TypeAlias = Literal["Apply", "Update"]


class ManagerKey(NamedTuple):
    """What tells one entry of `managedFields` from the others.

    An applier has one entry whatever version it applies, so its key has no `api_version`.
    """

    name: str
    operation: Operation
    api_version: str
    subresource: str

    def identifier(self) -> str:
        """The key as upstream spells it, which its sorting by managers goes by."""
        parts = (
            ("manager", self.name),
            ("operation", self.operation),
            ("apiVersion", self.api_version),
            ("subresource", self.subresource),
        )
        return "{" + ",".join(f'"{name}":{canonical_string(value)}' for name, value in parts if value) + "}"

    def label(self) -> str:
        """The key as conflicts print it: `"kubectl" using apps/v1`."""
        label = go_quote(self.name)
        if self.subresource:
            label += f" with subresource {go_quote(self.subresource)}"
        if self.operation == "Update":
            label += f" using {self.api_version}"
        return label


class Manager(NamedTuple):
    """One entry of `managedFields`: who owns which fields, seen in which version."""

    name: str
    operation: Operation
    api_version: str
    fields: FieldSet
    subresource: str = ""
    time: str = ""
    """When its fields or their values last changed, as on the wire; empty when that is not known."""

    @property
    def key(self) -> ManagerKey:
        """What tells this entry from the others."""
        version = "" if self.operation == "Apply" else self.api_version
        return ManagerKey(self.name, self.operation, version, self.subresource)

    def owning(self, fields: FieldSet) -> Manager:
        """The same entry with other fields."""
        return self._replace(fields=fields)


Managers: TypeAlias = dict[ManagerKey, Manager]


class FieldConflict(NamedTuple):
    """A field that another manager owns with another value."""

    manager: str
    """The label of the manager, for example `"kubectl" using apps/v1`."""
    field: str
    """The path, for example `.spec.replicas`."""


class ApplyConflict(KubewrightError):
    """Fields that were applied belong to other managers with other values; `force` would take them over.

    The text is what Kubernetes says in `Status.message`, `causes` what it puts into `Status.details.causes`.
    """

    def __init__(self, managers: Mapping[ManagerKey, FieldSet]) -> None:
        super().__init__(managers)
        self.managers = managers
        """The fields that each of the others would lose."""
        self.conflicts = [
            FieldConflict(key.label(), format_path(path))
            for key in sorted(managers, key=ManagerKey.identifier)
            for path in managers[key]
        ]

    def __str__(self) -> str:
        conflicts = self.conflicts
        if len(conflicts) == 1:
            return f"Apply failed with 1 conflict: conflict with {conflicts[0].manager}: {conflicts[0].field}"
        lines: list[str] = []
        for manager, group in groupby(conflicts, key=attrgetter("manager")):
            lines.append(f"conflicts with {manager}:")
            lines.extend(f"- {conflict.field}" for conflict in group)
        return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)

    @property
    def causes(self) -> list[dict[str, str]]:
        """The conflicts as causes of a Status."""
        return [
            {
                "reason": "FieldManagerConflict",
                "message": f"conflict with {conflict.manager}",
                "field": conflict.field,
            }
            for conflict in self.conflicts
        ]
