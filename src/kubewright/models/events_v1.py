"""events.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from kubewright.machinery.field import EMPTY
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import MicroTime, Time
from kubewright.models.core_v1 import EventSource, ObjectReference

__all__ = [
    "Event",
    "EventList",
    "EventSeries",
]


class Event(Resource, api_version="events.k8s.io/v1", kind="Event", plural="events", namespaced=True):
    """Served in a namespace as `events`."""

    event_time: MicroTime | None
    action: str = ""
    deprecated_count: int | None = None
    deprecated_first_timestamp: Time | None = None
    deprecated_last_timestamp: Time | None = None
    deprecated_source: EventSource = EMPTY
    note: str = ""
    reason: str = ""
    regarding: ObjectReference = EMPTY
    related: ObjectReference | None = None
    reporting_controller: str = ""
    reporting_instance: str = ""
    series: EventSeries | None = None
    type: str = ""


class EventList(ResourceList[Event], api_version="events.k8s.io/v1", kind="EventList"):
    """A list of Event."""


class EventSeries(Struct):
    count: int
    last_observed_time: MicroTime | None
