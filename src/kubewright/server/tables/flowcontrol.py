"""Flow schemas and priority levels."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import NONE, condition, name_of, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns

__all__ = ["PRINTERS"]


def _flow_schema(obj: Object, now: datetime) -> list[Any]:
    spec = part(obj, "spec")
    method = spec.get("distinguisherMethod")
    dangling = condition(part(obj, "status"), "Dangling")
    return [
        name_of(obj),
        part(spec, "priorityLevelConfiguration").get("name") or "",
        spec.get("matchingPrecedence") or 0,
        NONE if method is None else method.get("type") or "",
        age(obj, now),
        "?" if dangling is None else dangling.get("status") or "",
    ]


def _precedence(obj: Object) -> tuple[int, str]:
    """Lists show flow schemas in the order in which they are tried."""
    return part(obj, "spec").get("matchingPrecedence") or 0, name_of(obj)


def _priority_level(obj: Object, now: datetime) -> list[Any]:
    spec = part(obj, "spec")
    limited = spec.get("limited")
    queuing = None if limited is None else part(limited, "limitResponse").get("queuing")
    return [
        name_of(obj),
        spec.get("type") or "",
        NONE if limited is None else limited.get("nominalConcurrencyShares") or 0,
        *[
            NONE if queuing is None else queuing.get(name) or 0
            for name in ("queues", "handSize", "queueLengthLimit")
        ],
        age(obj, now),
    ]


PRINTERS: Final[Mapping[str, Printer]] = {
    "flowschemas": Printer(
        columns(NAME, "PriorityLevel", "MatchingPrecedence", "DistinguisherMethod", AGE, "MissingPL"),
        _flow_schema,
        order=_precedence,
    ),
    "prioritylevelconfigurations": Printer(
        columns(NAME, "Type", "NominalConcurrencyShares", "Queues", "HandSize", "QueueLengthLimit", AGE),
        _priority_level,
    ),
}
