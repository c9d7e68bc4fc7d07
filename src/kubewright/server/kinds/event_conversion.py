"""Events of events.k8s.io/v1 as those of the core group, which is what is stored, and back.

Both functions take an object as Go would write it, leave it alone, and give a new one that shares the parts
that are the same in both.
"""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.kind import Object

__all__ = ["event_from_core", "event_to_core"]

# (events.k8s.io, core) in the order in which Go writes the fields of events.k8s.io.
_FIELDS: Final = (
    ("metadata", "metadata"),
    ("eventTime", "eventTime"),
    ("series", "series"),
    ("reportingController", "reportingComponent"),
    ("reportingInstance", "reportingInstance"),
    ("action", "action"),
    ("reason", "reason"),
    ("regarding", "involvedObject"),
    ("related", "related"),
    ("note", "message"),
    ("type", "type"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
)

# The same in the order in which Go writes the fields of the core group.
_CORE_ORDER: Final = (
    "metadata",
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "type",
    "eventTime",
    "series",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
)
_TO_CORE: Final = tuple(sorted(_FIELDS, key=lambda names: _CORE_ORDER.index(names[1])))

# What Go writes also where it is empty: structs that are no pointers, times, and texts without omitempty.
_CORE_EMPTY: Final[Object] = {
    "involvedObject": {},
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}
_EVENTS_EMPTY: Final[Object] = {
    "eventTime": None,
    "regarding": {},
    "deprecatedSource": {},
    "deprecatedFirstTimestamp": None,
    "deprecatedLastTimestamp": None,
}
_EVENTS_OMITTED: Final = ("reportingController", "reportingInstance")
"""Texts that events.k8s.io omits when they are empty, and the core group does not."""


def event_to_core(obj: Object) -> Object:
    """An Event of events.k8s.io/v1 as one of v1."""
    converted: Object = {"apiVersion": "v1", "kind": "Event"}
    for name, core in _TO_CORE:
        value = obj.get(name, _CORE_EMPTY.get(core))
        if name == "series" and value is not None and not value.get("count"):
            value = {"lastObservedTime": value.get("lastObservedTime")}
        if value is not None or core in _CORE_EMPTY:
            converted[core] = value
    return converted


def event_from_core(obj: Object) -> Object:
    """An Event of v1 as one of events.k8s.io/v1."""
    converted: Object = {"apiVersion": "events.k8s.io/v1", "kind": "Event"}
    for name, core in _FIELDS:
        value = obj.get(core, _EVENTS_EMPTY.get(name))
        if (value is None and name not in _EVENTS_EMPTY) or (value == "" and name in _EVENTS_OMITTED):
            continue
        if name == "series" and value is not None and not value.get("count"):
            value = {"count": 0, "lastObservedTime": value.get("lastObservedTime")}
        converted[name] = value
    return converted
