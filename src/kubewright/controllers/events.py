"""Events about objects: what an operator did or could not do, as `kubectl describe` shows it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

import msgspec

from kubewright.client.client import Client
from kubewright.controllers.event_correlation import EventApi, RecordedEvent, Reference, event_name
from kubewright.controllers.event_sending import RETRY_DELAY, STOP_WITHIN, EventSender
from kubewright.machinery.errors import describe_error
from kubewright.machinery.names import is_dns1123_label
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

if TYPE_CHECKING:
    from kubewright.models.core_v1 import ObjectReference

__all__ = ["EventRecorder", "EventType", "Regarding"]

EventType: TypeAlias = Literal["Normal", "Warning"]

Regarding: TypeAlias = "Resource | Unstructured | ObjectReference"
"""What an event may be about: an object, or a reference to one."""

_DEFAULT_NAMESPACE: Final = "default"
"""Where events about objects without a namespace are, as those of client-go."""

_log: Final = logging.getLogger("kubewright.controllers.events")


class EventRecorder:
    """Records events about objects: `ctx.events.normal(app, "Scaled", "3 replicas")`.

    Recording takes microseconds, never waits and never raises; what cannot be recorded is said in the log. A
    background task sends, as client-go does: the same event again raises the count of the first; from ten
    similar events on, which differ by their message alone, one combined event stands for those that come;
    and about one object 25 events may come at once, then one in five minutes. So an event is a message to
    people, and nothing that a program can rely on.

    When the block ends, what waits is sent within a few seconds. Events may be recorded from any thread.
    """

    def __init__(
        self,
        client: Client,
        *,
        component: str = "kubewright",
        host: str = "",
        clock: Callable[[], int] = time.time_ns,
        retry_delay: float = RETRY_DELAY,
        stop_timeout: float = STOP_WITHIN,
    ) -> None:
        """`component` is who reports, and `host` where that runs, as `kubectl describe` shows them.

        `clock` gives nanoseconds since 1970; `retry_delay` is how many seconds lie between tries of an event
        that the server does not answer; `stop_timeout` how many the last ones have at the end.
        """
        self.component: Final = component
        self.host: Final = host
        self._api: EventApi = "v1"
        self._clock: Final = clock
        self._sender = EventSender(client, clock=clock, retry_delay=retry_delay, stop_timeout=stop_timeout)

    def named(self, component: str, *, host: str = "", api: EventApi = "v1") -> EventRecorder:
        """A recorder that reports as somebody else, through the same task; it needs no block of its own.

        With `api="events.k8s.io"` its events are as client-go's newer recorder makes them, which
        kube-scheduler uses: with the time to the microsecond, an action, and a series in place of a count.
        `host` is then the reporting instance.
        """
        named = EventRecorder.__new__(EventRecorder)
        vars(named).update(vars(self), component=component, host=host or self.host, _api=api)
        return named

    @property
    def unsent(self) -> int:
        """How many events wait, or are being sent."""
        return self._sender.unsent

    async def __aenter__(self) -> Self:
        self._sender.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._sender.stop()

    def normal(
        self,
        obj: Regarding,
        reason: str,
        message: str,
        *,
        related: Regarding | None = None,
        action: str = "",
        field_path: str = "",
    ) -> None:
        """Record that something happened as it should; see `event`."""
        self.event(obj, "Normal", reason, message, related=related, action=action, field_path=field_path)

    def warning(
        self,
        obj: Regarding,
        reason: str,
        message: str,
        *,
        related: Regarding | None = None,
        action: str = "",
        field_path: str = "",
    ) -> None:
        """Record that something is wrong; see `event`."""
        self.event(obj, "Warning", reason, message, related=related, action=action, field_path=field_path)

    def event(
        self,
        obj: Regarding,
        type: EventType,  # noqa: A002 - as in the API
        reason: str,
        message: str,
        *,
        related: Regarding | None = None,
        action: str = "",
        field_path: str = "",
    ) -> None:
        """Record an event about an object.

        `reason` is a word in CamelCase for programs, always the same for the same; `message` is for people.
        `related` is another object that it is about, `action` what was done, and `field_path` which part of
        the object is meant, such as `spec.containers{main}`. It is in the object's namespace, and in
        `default` for an object without one.
        """
        try:
            other = _reference(related, "") if related is not None else None
            event = self._recorded(_reference(obj, str(field_path)), type, str(reason), str(message))
            self._sender.put(msgspec.structs.replace(event, related=other, action=str(action)))
        except Exception as error:
            # An event that cannot be recorded is no reason for a reconcile to fail.
            _log.warning("an event %r cannot be recorded: %s", reason, describe_error(error))

    def _recorded(self, about: Reference, type_: str, reason: str, message: str) -> RecordedEvent:
        if type_ not in ("Normal", "Warning"):
            raise ValueError(f"its type is {type_!r}; use normal(...) or warning(...)")
        now = self._clock()
        return RecordedEvent(
            name=event_name(about.name, now),
            namespace=about.namespace or _DEFAULT_NAMESPACE,
            regarding=about,
            type=type_,
            reason=reason,
            message=message,
            component=self.component,
            host=self.host,
            api=self._api,
            first=now,
            last=now,
        )


def _reference(obj: Any, field_path: str) -> Reference:
    metadata = getattr(obj, "metadata", None)
    if metadata is None:
        # A reference to an object: it says itself what it is about.
        reference = Reference(
            api_version=obj.api_version,
            kind=obj.kind,
            name=obj.name,
            namespace=obj.namespace,
            uid=obj.uid,
            resource_version=obj.resource_version,
            field_path=field_path or obj.field_path,
        )
    else:
        reference = Reference(
            api_version=obj.api_version,
            kind=obj.kind,
            name=metadata.name,
            namespace=metadata.namespace,
            uid=metadata.uid,
            resource_version=metadata.resource_version,
            field_path=field_path,
        )
    if not (reference.kind and reference.name):
        raise ValueError("what it is about has no kind or no name")
    if reference.namespace and is_dns1123_label(reference.namespace):
        raise ValueError(f"{reference.namespace!r} is no namespace")
    if reference.kind == "PartialObjectMetadata":
        raise ValueError("of what it is about only the metadata was read; give an ObjectReference")
    return reference
