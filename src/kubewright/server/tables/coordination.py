"""Leases: who holds them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import name_of, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns

__all__ = ["PRINTERS"]


def _lease(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), part(obj, "spec").get("holderIdentity") or "", age(obj, now)]


PRINTERS: Final[Mapping[str, Printer]] = {"leases": Printer(columns(NAME, "Holder", AGE), _lease)}
