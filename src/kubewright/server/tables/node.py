"""RuntimeClasses; nodes are of the core group."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import name_of
from kubewright.server.tables.printer import AGE, NAME, Printer, columns

__all__ = ["PRINTERS"]


def _runtime_class(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), obj.get("handler") or "", age(obj, now)]


PRINTERS: Final[Mapping[str, Printer]] = {
    "runtimeclasses": Printer(columns(NAME, "Handler", AGE), _runtime_class)
}
