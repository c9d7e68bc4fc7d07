"""Role bindings; roles have no columns of their own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import items, name_of, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns, wide

__all__ = ["PRINTERS"]


def _binding(obj: Object, now: datetime) -> list[Any]:
    role = part(obj, "roleRef")
    named: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in items(obj, "subjects"):
        kind, name = subject.get("kind") or "", subject.get("name") or ""
        if kind == "ServiceAccount":
            name = f"{subject.get('namespace') or ''}/{name}"
        if kind in named:
            named[kind].append(name)
    return [
        name_of(obj),
        f"{role.get('kind') or ''}/{role.get('name') or ''}",
        age(obj, now),
        *[", ".join(names) for names in named.values()],
    ]


_BINDINGS: Final = Printer(
    columns(NAME, "Role", AGE, *wide("Users", "Groups", "ServiceAccounts")),
    _binding,
)

PRINTERS: Final[Mapping[str, Printer]] = {"clusterrolebindings": _BINDINGS, "rolebindings": _BINDINGS}
