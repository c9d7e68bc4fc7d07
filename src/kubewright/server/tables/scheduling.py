"""PriorityClasses."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import name_of
from kubewright.server.tables.printer import AGE, NAME, Printer, column, columns, integers

__all__ = ["PRINTERS"]


def _priority_class(obj: Object, now: datetime) -> list[Any]:
    return [
        name_of(obj),
        obj.get("value") or 0,
        bool(obj.get("globalDefault")),
        age(obj, now),
        obj.get("preemptionPolicy") or "",
    ]


PRINTERS: Final[Mapping[str, Printer]] = {
    "priorityclasses": Printer(
        columns(NAME, *integers("Value"), column("Global-Default", "boolean"), AGE, "PreemptionPolicy"),
        _priority_class,
    )
}
