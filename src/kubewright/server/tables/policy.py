"""PodDisruptionBudgets."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import name_of, or_default, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns, integers

__all__ = ["PRINTERS"]


def _budget(obj: Object, now: datetime) -> list[Any]:
    spec = part(obj, "spec")
    return [
        name_of(obj),
        str(or_default(spec.get("minAvailable"), "N/A")),
        str(or_default(spec.get("maxUnavailable"), "N/A")),
        part(obj, "status").get("disruptionsAllowed") or 0,
        age(obj, now),
    ]


PRINTERS: Final[Mapping[str, Printer]] = {
    "poddisruptionbudgets": Printer(
        columns(NAME, "Min Available", "Max Unavailable", *integers("Allowed Disruptions"), AGE), _budget
    )
}
