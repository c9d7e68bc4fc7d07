"""Which events are sent and as what, so that one object does not flood the API: client-go's rules, no I/O.

An event goes through three steps. Many that differ by their message alone become one "combined" event; one
that was sent before becomes a higher count of it; and of what is left, one source may send so many about an
object.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import UTC, datetime
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar
from uuid import uuid4

import msgspec

from kubewright.machinery.names import is_dns1123_subdomain
from kubewright.machinery.time import format_micro_time, format_time

__all__ = ["COMBINED", "EventApi", "EventCorrelator", "RecordedEvent", "Reference", "event_name"]

V = TypeVar("V")

EventApi = Literal["v1", "events.k8s.io"]
"""Which of client-go's two recorders is followed: the classic one, or that of the newer API."""

_REMEMBERED: Final = 4096
"""How many keys each step remembers: maxLruCacheEntries of client-go's events_cache.go, as all below."""

_SIMILAR_EVENTS: Final = 10
"""From how many different messages on similar events are combined: defaultAggregateMaxEvents."""

_SIMILAR_WITHIN: Final = 600
"""Seconds without a similar event after which counting begins anew: defaultAggregateIntervalInSeconds."""

_BURST: Final = 25
"""How many events a source may send about an object at once: defaultSpamBurst."""

_REFILL: Final = 0.0033333334140479565
"""How many more a second: defaultSpamQPS, one in five minutes, which Go keeps as a float32."""

_SERIES_ENDS_AFTER: Final = 360
"""Seconds without one alike after which a series is over: finishTime of client-go's newer recorder."""

_SECOND: Final = 1_000_000_000
"""In nanoseconds, in which all times are here."""

COMBINED: Final = "(combined from similar events): "
"""What the message of a combined event begins with."""


class Reference(msgspec.Struct, frozen=True):
    """Which object an event is about: a core/v1 ObjectReference, fixed when the event is recorded."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    field_path: str = ""

    def to_wire(self) -> dict[str, str]:
        """As it stands in an event."""
        named = {
            "kind": self.kind,
            "namespace": self.namespace,
            "name": self.name,
            "uid": self.uid,
            "apiVersion": self.api_version,
            "resourceVersion": self.resource_version,
            "fieldPath": self.field_path,
        }
        return {name: value for name, value in named.items() if value}


class RecordedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event as it was recorded, or as the correlator made it."""

    name: str
    namespace: str
    regarding: Reference
    type: str
    reason: str
    message: str
    component: str
    host: str = ""
    reporting: bool = True
    """Whether it says its source in the newer fields as well, which client-go's combined events do not."""
    first: int
    """When it happened for the first time."""
    last: int
    count: int = 1
    action: str = ""
    related: Reference | None = None
    api: EventApi = "v1"
    """By the rules of which recorder of client-go it is written."""

    def to_wire(self) -> dict[str, Any]:
        """The core/v1 Event that client-go would create."""
        event = self._new_style() if self.api == "events.k8s.io" else self._classic()
        if self.action:
            event["action"] = self.action
        if self.related is not None:
            event["related"] = self.related.to_wire()
        return event

    def _classic(self) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": self.name, "namespace": self.namespace},
            "involvedObject": self.regarding.to_wire(),
            "reason": self.reason,
            "message": self.message,
            "source": {"component": self.component} | ({"host": self.host} if self.host else {}),
            "firstTimestamp": _timestamp(self.first),
            "lastTimestamp": _timestamp(self.last),
            "count": self.count,
            "type": self.type,
            "eventTime": None,
            "reportingComponent": self.component if self.reporting else "",
            "reportingInstance": self.host if self.reporting else "",
        }

    def _new_style(self) -> dict[str, Any]:
        event: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": self.name, "namespace": self.namespace},
            "involvedObject": self.regarding.to_wire(),
            "reason": self.reason,
            "message": self.message,
            "source": {},
            "firstTimestamp": None,
            "lastTimestamp": None,
            "type": self.type,
            "eventTime": _micro_timestamp(self.first),
            "reportingComponent": self.component,
            "reportingInstance": self.host,
        }
        return event | (self._series() if self.count > 1 else {})

    def _series(self) -> dict[str, Any]:
        return {"series": {"count": self.count, "lastObservedTime": _micro_timestamp(self.last)}}

    def to_patch(self) -> dict[str, Any]:
        """What changes in an event that was sent before."""
        if self.api == "events.k8s.io":
            return self._series()
        patch: dict[str, Any] = {"count": self.count, "lastTimestamp": _timestamp(self.last)}
        if self.message:
            patch["message"] = self.message
        return patch


def event_name(name: str, nanoseconds: int) -> str:
    """The name of an event about an object: `<name>.<hex time>`, or a UUID where that is no valid name."""
    made = f"{name}.{nanoseconds:x}"
    return made if not is_dns1123_subdomain(made) else str(uuid4())


def _micro_timestamp(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, _SECOND)
    moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest // 1000)
    return format_micro_time(moment)


def _timestamp(nanoseconds: int) -> str:
    return format_time(datetime.fromtimestamp(nanoseconds // _SECOND, UTC))


class _Remembered(dict[Hashable, V], Generic[V]):
    """The values of the keys that were looked at last; no OrderedDict, which takes 88 bytes more for each."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size: Final = size

    def keep(self, key: Hashable, value: V) -> None:
        """Keep the value of a key, which was just looked up, in place of the one that was not for longest."""
        self.pop(key, None)
        self[key] = value
        if len(self) > self._size:
            del self[next(iter(self))]


class _Similar(NamedTuple):
    messages: tuple[str, ...]
    """Each once. Most are one alone, and there are never many: a set would take four times as much."""
    last: int


class _Sent(NamedTuple):
    name: str
    first: int
    times: int
    last: int = 0


class _Bucket(NamedTuple):
    tokens: float
    filled: int


class EventCorrelator:
    """Combines, counts and limits events; what it makes of one depends on those before it, and the clock."""

    def __init__(self, clock: Callable[[], int], *, remembered: int = _REMEMBERED) -> None:
        """`clock` gives the nanoseconds since 1970; `remembered` is how many keys each step keeps."""
        self._clock: Final = clock
        self._similar: Final = _Remembered[_Similar](remembered)
        self._sent: Final = _Remembered[_Sent](remembered)
        self._buckets: Final = _Remembered[_Bucket](remembered)

    def correlate(self, event: RecordedEvent) -> RecordedEvent | None:
        """What is to be sent for an event: a new one, or with a count above 1 a change of one; or nothing."""
        now = self._clock()
        if event.api == "events.k8s.io":
            return self._in_series(event, now)
        observed = self._counted(*self._aggregated(event, now))
        return observed if self._passes(observed, now) else None

    def _in_series(self, event: RecordedEvent, now: int) -> RecordedEvent | None:
        """By the newer rules: the second one alike begins a series, and those after it are not sent."""
        key = (
            event.type,
            event.action,
            event.reason,
            event.component,
            event.host,
            event.regarding,
            event.related,
        )
        sent = self._sent.get(key)
        if sent is None or now - sent.last > _SERIES_ENDS_AFTER * _SECOND:
            self._sent.keep(key, _Sent(event.name, event.first, 1, now))
            return event
        self._sent.keep(key, sent._replace(times=sent.times + 1, last=now))
        if sent.times > 1:
            return None
        return msgspec.structs.replace(event, name=sent.name, first=sent.first, count=2)

    def _aggregated(self, event: RecordedEvent, now: int) -> tuple[RecordedEvent, Hashable]:
        """The event or the combined one in its place, and what makes it the same as another."""
        about = event.regarding
        source = (event.component, event.host, about.kind, about.namespace, about.name, about.uid)
        group = (*source, about.api_version, event.type, event.reason)
        similar = self._similar.get(group)
        if similar is None or now - similar.last > _SIMILAR_WITHIN * _SECOND:
            similar = _Similar((), now)
        known = similar.messages
        messages = known if event.message in known else (*known, event.message)
        few = len(messages) < _SIMILAR_EVENTS
        # Upstream drops any of them when there are many; the newest is the one without an event of its own.
        kept = messages if few else tuple(each for each in messages if each != event.message)
        self._similar.keep(group, _Similar(kept, now))
        if few:
            return event, (group, about.field_path, event.message)
        combined = RecordedEvent(
            name=event_name(about.name, now),
            namespace=event.namespace,
            regarding=about,
            type=event.type,
            reason=event.reason,
            message=COMBINED + event.message,
            component=event.component,
            host=event.host,
            reporting=False,
            first=now,
            last=now,
        )
        return combined, group

    def _counted(self, event: RecordedEvent, key: Hashable) -> RecordedEvent:
        sent = self._sent.get(key)
        if sent is not None:
            event = msgspec.structs.replace(event, name=sent.name, first=sent.first, count=sent.times + 1)
        self._sent.keep(key, _Sent(event.name, event.first, event.count))
        return event

    def _passes(self, event: RecordedEvent, now: int) -> bool:
        """Whether the source may send one more event of the type about the object: a token bucket."""
        about = event.regarding
        source = (event.component, event.host, about.kind, about.namespace, about.name, about.uid)
        key = (*source, about.api_version, event.type)
        bucket = self._buckets.get(key) or _Bucket(float(_BURST), now)
        if now < bucket.filled:
            # The clock was set back; without this nothing would pass until it has caught up.
            bucket = _Bucket(bucket.tokens, now)
        elapsed = now - bucket.filled
        tokens = min(float(_BURST), bucket.tokens + _seconds(elapsed) * _REFILL) - 1
        # Less than a nanosecond too early is in time, as with Go's limiter.
        passes = tokens >= 0 or int(-tokens / _REFILL * _SECOND) <= 0
        self._buckets.keep(key, _Bucket(tokens, now) if passes else bucket)
        return passes


def _seconds(nanoseconds: int) -> float:
    """To the bit as Go's Duration.Seconds has it."""
    whole, rest = divmod(nanoseconds, _SECOND)
    return whole + rest / 1e9
