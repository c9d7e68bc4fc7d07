"""Devices: their classes, who claims them, and where they are."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import items, name_of, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns

__all__ = ["PRINTERS"]


def _named(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), age(obj, now)]


def _claim(obj: Object, now: datetime) -> list[Any]:
    status = part(obj, "status")
    deleted = part(obj, "metadata").get("deletionTimestamp") is not None
    states = ["deleted"] if deleted else []
    if status.get("allocation") is not None:
        states.append("allocated")
        if items(status, "reservedFor"):
            states.append("reserved")
    return [name_of(obj), ",".join(states) or "pending", age(obj, now)]


def _slice(obj: Object, now: datetime) -> list[Any]:
    spec = part(obj, "spec")
    return [
        name_of(obj),
        spec.get("nodeName") or "",
        spec.get("driver") or "",
        part(spec, "pool").get("name") or "",
        age(obj, now),
    ]


PRINTERS: Final[Mapping[str, Printer]] = {
    "deviceclasses": Printer(columns(NAME, AGE), _named),
    "resourceclaims": Printer(columns(NAME, "State", AGE), _claim),
    "resourceclaimtemplates": Printer(columns(NAME, AGE), _named),
    "resourceslices": Printer(columns(NAME, "Node", "Driver", "Pool", AGE), _slice),
}
