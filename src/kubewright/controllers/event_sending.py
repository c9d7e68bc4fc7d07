"""Sending events in the background, each until it is sent or given up, none in the way of another."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Final

from kubewright.client.client import Client
from kubewright.client.request import JSON, MERGE_PATCH
from kubewright.controllers.event_correlation import EventCorrelator, RecordedEvent
from kubewright.machinery import codec
from kubewright.machinery.errors import (
    AlreadyExists,
    ApiError,
    EncodeError,
    NotFound,
    TransportError,
    describe_error,
)

__all__ = ["EventSender"]

_QUEUED: Final = 1000
"""How many events wait at most: client-go's maxQueuedEvents."""

_TRIES: Final = 12
"""How often one is tried: client-go's maxTriesPerEvent."""

RETRY_DELAY: Final = 10.0
"""Seconds between tries: client-go's defaultSleepDuration."""

STOP_WITHIN: Final = 5.0
"""Seconds that what waits has when the recorder stops: a part of the 30 that pods have for ending."""

_AT_ONCE: Final = 4
"""Requests under way: events must not take the connections of those who do the work."""

_TERMINATING: Final = "NamespaceTerminating"
"""The cause of a Status for a namespace that is being deleted."""

_log: Final = logging.getLogger("kubewright.controllers.events")


class EventSender:
    """Takes events without ever blocking, from any thread, and sends them between `start` and `stop`.

    At most 1,000 wait; what comes beyond that is dropped. What the server refuses is dropped; what it does
    not answer is tried 12 times, about every 10 seconds, while others are sent. The states of one event are
    sent in order, and of those that wait only the last.
    """

    def __init__(
        self,
        client: Client,
        *,
        clock: Callable[[], int] = time.time_ns,
        retry_delay: float = RETRY_DELAY,
        stop_timeout: float = STOP_WITHIN,
    ) -> None:
        self._client: Final = client
        self._correlator: Final = EventCorrelator(clock)
        self._retry_delay: Final = retry_delay
        self._stop_timeout: Final = stop_timeout
        self._random: Final = Random()  # noqa: S311 - for pauses
        self._queue: Final = deque[RecordedEvent]()
        self._newest: Final[dict[tuple[str, str], RecordedEvent]] = {}
        """By namespace and name, for each event that is being sent: what is still to be sent of it."""
        self._arrived: Final = asyncio.Event()
        self._stopping: Final = asyncio.Event()
        self._slots: Final = asyncio.Semaphore(_AT_ONCE)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._overflows = False

    def start(self) -> None:
        """Begin to send, in a task that `stop` ends."""
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._run(), name="events")

    async def stop(self) -> None:
        """Send what waits, each with one more try at most and all within the stop timeout, then end."""
        task, self._task = self._task, None
        if task is None:
            return
        self._stopping.set()
        self._arrived.set()
        try:
            await asyncio.wait([task], timeout=self._stop_timeout)
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            if self.unsent:
                _log.warning("%d events were not sent before the stop and are dropped", self.unsent)

    def put(self, event: RecordedEvent) -> None:
        """Have an event sent; it is dropped when too many wait, or nobody sends."""
        if self._loop is None or self._task is None:
            _log.warning("the event %s is dropped: its recorder does not run", _shown(event))
        elif self._has_room():
            self._queue.append(event)
            if not self._arrived.is_set():
                with suppress(RuntimeError):  # The loop has been closed meanwhile.
                    self._loop.call_soon_threadsafe(self._arrived.set)

    @property
    def unsent(self) -> int:
        """How many events wait, or are being sent."""
        return len(self._queue) + len(self._newest)

    def _has_room(self) -> bool:
        """Whether one more may wait; when that becomes no it is said, once until half of them are sent."""
        waiting = self.unsent
        if waiting < _QUEUED // 2:
            self._overflows = False
        elif waiting >= _QUEUED and not self._overflows:
            self._overflows = True
            _log.warning("%d events wait to be sent; more are dropped until there are fewer", _QUEUED)
        return waiting < _QUEUED

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as sending:
            stopping = False
            while not stopping:
                await self._arrived.wait()
                self._arrived.clear()
                stopping = self._stopping.is_set()
                while self._queue:
                    self._dispatch(self._queue.popleft(), sending)

    def _dispatch(self, event: RecordedEvent, sending: asyncio.TaskGroup) -> None:
        try:
            observed = self._correlator.correlate(event)
        except Exception as error:
            # What somebody has put into it concerns this event alone, and no other, and no controller.
            _log.warning("the event %s cannot be sent: %s", _shown(event), describe_error(error))
            return
        if observed is None:
            return
        key = (observed.namespace, observed.name)
        is_being_sent = key in self._newest
        self._newest[key] = observed
        if not is_being_sent:
            work = self._send_all(key, is_new=observed.count == 1)
            sending.create_task(work, name=f"event {observed.name}")

    async def _send_all(self, key: tuple[str, str], *, is_new: bool) -> None:
        """Send the newest state of an event until there is no newer one."""
        while await self._send_newest(key, is_new=is_new) is not self._newest[key]:
            is_new = False
        # Not when it is cancelled: `stop` counts what is left.
        del self._newest[key]

    async def _send_newest(self, key: tuple[str, str], *, is_new: bool) -> RecordedEvent:
        """Send the newest state of an event, or give it up; which one that was."""
        for tried in range(1, _TRIES + 1):
            was_stopping = self._stopping.is_set()
            async with self._slots:
                event = self._newest[key]
                problem = await self._try(event, is_new=is_new)
            if problem is None:
                return event
            if was_stopping or tried == _TRIES:
                break
            _log.debug("the event %s is tried again: %s", _shown(event), problem)
            # The first pause is of any length, so that clients do not come together after an outage.
            pause = self._retry_delay * (self._random.random() if tried == 1 else 1)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)
        _log.warning("the event %s is given up after %d tries: %s", _shown(event), tried, problem)
        return event

    async def _try(self, event: RecordedEvent, *, is_new: bool) -> Exception | None:
        """Send an event once; what is wrong if that is worth another try."""
        try:
            await self._send(event, is_new=is_new)
        except ApiError as error:
            expected = isinstance(error, AlreadyExists) or _is_terminating(error)
            _log.log(
                logging.DEBUG if expected else logging.WARNING,
                "the server refuses the event %s: %s",
                _shown(event),
                error,
            )
        except (EncodeError, TransportError) as error:
            if isinstance(error, TransportError) and not error.lasting:
                return error
            _log.warning("the event %s cannot be sent: %s", _shown(event), describe_error(error))
        except Exception as error:
            # Whatever it is, events are no reason for a program to end.
            return error
        return None

    async def _send(self, event: RecordedEvent, *, is_new: bool) -> None:
        """Create an event, or change it if it was sent before; `is_new` when it was not, for all we know."""
        if event.count > 1 and not is_new:
            # The server forgets events after an hour.
            with suppress(NotFound):
                return await self._patch(event)
        try:
            path = f"/api/v1/namespaces/{event.namespace}/events"
            await self._client.raw("POST", path, body=codec.encode(event.to_wire()), content_type=JSON)
        except AlreadyExists:
            # A try that was not answered has been heard after all.
            if event.count == 1:
                raise
            await self._patch(event)

    async def _patch(self, event: RecordedEvent) -> None:
        path = f"/api/v1/namespaces/{event.namespace}/events/{event.name}"
        body = codec.encode(event.to_patch())
        await self._client.raw("PATCH", path, body=body, content_type=MERGE_PATCH)


def _is_terminating(error: ApiError) -> bool:
    details = error.status.details
    return details is not None and any(cause.reason == _TERMINATING for cause in details.causes)


def _shown(event: RecordedEvent) -> str:
    about = event.regarding
    return f"{event.reason} of {about.kind} {about.namespace}/{about.name}".replace(" /", " ")
