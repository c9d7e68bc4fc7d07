"""Events, of the core group and of events.k8s.io."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.event_conversion import event_to_core
from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import since
from kubewright.server.tables.fields import name_of, part
from kubewright.server.tables.printer import Printer, column, columns, wide

__all__ = ["EVENTS", "PRINTERS"]

_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What Go's strings.TrimSpace takes away; Python's strip would take some control characters as well."""


def _cells(event: Object, now: datetime) -> list[Any]:
    if "regarding" in event or event.get("apiVersion") == "events.k8s.io/v1":
        event = event_to_core(event)
    first = since(event.get("firstTimestamp") or event.get("eventTime"), now)
    last = since(event["lastTimestamp"], now) if event.get("lastTimestamp") else first
    count = event.get("count") or 1
    series = event.get("series")
    if series is not None:
        last = since(series.get("lastObservedTime"), now)
        count = series.get("count") or 0
    target = part(event, "involvedObject")
    kind, name = (target.get("kind") or "").lower(), target.get("name")
    return [
        last,
        event.get("type") or "",
        event.get("reason") or "",
        f"{kind}/{name}" if name else kind,
        target.get("fieldPath") or "",
        _source(event),
        (event.get("message") or "").strip(_SPACE),
        first,
        count,
        name_of(event),
    ]


def _source(event: Object) -> str:
    source = part(event, "source")
    component = source.get("component") or event.get("reportingComponent") or ""
    instance = source.get("host") or event.get("reportingInstance")
    return f"{component}, {instance}" if instance else component


EVENTS: Final = Printer(
    columns(
        "Last Seen",
        "Type",
        "Reason",
        "Object",
        *wide("Subobject", "Source"),
        "Message",
        *wide("First Seen", "Count"),
        column("Name", form="name", priority=1),
    ),
    _cells,
)

PRINTERS: Final[Mapping[str, Printer]] = {"events": EVENTS}
