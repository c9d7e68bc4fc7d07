"""APIServices: who serves a group-version, and whether it can be reached."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import condition, name_of, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns

__all__ = ["PRINTERS"]


def _api_service(obj: Object, now: datetime) -> list[Any]:
    service = part(obj, "spec").get("service")
    host = "Local" if service is None else f"{service.get('namespace') or ''}/{service.get('name') or ''}"
    return [name_of(obj), host, _available(part(obj, "status")), age(obj, now)]


def _available(status: Object) -> str:
    found = condition(status, "Available")
    if found is None:
        return "Unknown"
    told: str = found.get("status") or ""
    return f"{told} ({found['reason']})" if told != "True" and found.get("reason") else told


PRINTERS: Final[Mapping[str, Printer]] = {
    "apiservices": Printer(columns(NAME, "Service", "Available", AGE), _api_service)
}
