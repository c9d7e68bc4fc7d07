"""What makes the rows of a Table, and the one for kinds that say nothing of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib import import_module
from typing import Any, Final

import msgspec

from kubewright.server.kinds.kind import Object

__all__ = ["AGE", "DEFAULT", "NAME", "Printer", "column", "columns", "integers", "printer", "wide"]


class Printer(msgspec.Struct, frozen=True):
    """The columns of a kind, and how a row is made of an object.

    The functions take any object that could be stored, whatever parts it lacks.
    """

    columns: Sequence[Object]
    """As a Table has them: name, type, format, description, priority."""
    cells: Callable[[Object, datetime], list[Any]]
    """(object, now): one value for each column."""
    conditions: Callable[[Object], list[Object]] | None = None
    """What is said of the whole row, such as that its object has completed."""
    order: Callable[[Object], Any] | None = None
    """The key by which the rows of a list are sorted; None where they stay in the order of the list."""

    def row(self, obj: Object, now: datetime) -> Object:
        """The row of an object, without the object itself."""
        row: Object = {"cells": self.cells(obj, now)}
        if self.conditions is not None and (conditions := self.conditions(obj)):
            row["conditions"] = conditions
        return row


def column(
    name: str, kind: str = "string", *, form: str = "", description: str = "", priority: int = 0
) -> Object:
    """The definition of a column. Those with a priority above 0 are shown by `kubectl get -o wide` only."""
    return {"name": name, "type": kind, "format": form, "description": description, "priority": priority}


NAME: Final = column("Name", form="name")
AGE: Final = column("Age")


def columns(*named: str | Object) -> tuple[Object, ...]:
    """Columns; those that are only named hold text."""
    return tuple(column(one) if isinstance(one, str) else one for one in named)


def integers(*names: str) -> tuple[Object, ...]:
    """Columns of whole numbers."""
    return tuple(column(name, "integer") for name in names)


def wide(*names: str) -> tuple[Object, ...]:
    """Columns of text that are shown by `kubectl get -o wide` only."""
    return tuple(column(name, priority=1) for name in names)


_ZERO_TIME: Final = "0001-01-01T00:00:00Z"
"""How Go writes the time that was never set."""


def _default_cells(obj: Object, now: datetime) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name") or "", metadata.get("creationTimestamp") or _ZERO_TIME]


DEFAULT: Final = Printer((NAME, column("Created At", "date")), _default_cells)
"""For kinds without columns of their own: the name and when it was made."""


_MODULES: Final[Mapping[str, str]] = {
    "": "core",
    "admissionregistration.k8s.io": "admissionregistration",
    "apiregistration.k8s.io": "apiregistration",
    "apps": "apps",
    "autoscaling": "autoscaling",
    "batch": "batch",
    "certificates.k8s.io": "certificates",
    "coordination.k8s.io": "coordination",
    "discovery.k8s.io": "discovery",
    "events.k8s.io": "events",
    "flowcontrol.apiserver.k8s.io": "flowcontrol",
    "networking.k8s.io": "networking",
    "node.k8s.io": "node",
    "policy": "policy",
    "rbac.authorization.k8s.io": "rbac",
    "resource.k8s.io": "resource",
    "scheduling.k8s.io": "scheduling",
    "storage.k8s.io": "storage",
}


@cache
def printer(group: str, resource: str) -> Printer:
    """The printer of a built-in resource, such as ("apps", "deployments"); DEFAULT for any other.

    That of events takes them in both groups, that of horizontalpodautoscalers in both versions. The v1 form
    of the latter puts the use of CPU last, so rows in upstream's order need the v2 form, which is the stored
    one. ("autoscaling", "scale") is that of the Scale which the subresources of built-in kinds answer with.
    """
    module = _MODULES.get(group)
    if module is None:
        return DEFAULT
    found: Mapping[str, Printer] = import_module(f"kubewright.server.tables.{module}").PRINTERS
    return found.get(resource, DEFAULT)
