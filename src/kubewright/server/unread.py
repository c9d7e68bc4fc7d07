"""Back-pressure: the bytes that wait for clients to read them, and the end of clients that do not read.

A transport buffers a bounded part of an answer and pauses; the rest waits in the task that writes it. What
all answers hold while they wait is counted here. While it is too much, new requests wait for room, and
clients that have not read for some seconds are disconnected; those that do not read for a minute always are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from kubewright.machinery.errors import ApiError
from kubewright.server.errors import too_many_requests

__all__ = ["MAX_UNREAD", "Client", "Unread"]

MAX_UNREAD: Final = 256 * 1024 * 1024
"""How many bytes of answers may wait for their readers before new requests wait, too: tables of 9 MB for 28
clients at the same time. Clients that read hold their answers for milliseconds only."""

STALL_TIMEOUT: Final = 60.0
"""Seconds without progress after which a client that does not read is disconnected. kube-apiserver ends every
request that is not a watch, a log or a connection to a pod after its --request-timeout of 60 s, whether the
client reads or not."""

IDLE_TIMEOUT: Final = 4 * 3600.0
"""The same for logs and connections to pods, whose readers may be people who have paused their terminal;
upstream's idle timeout of streams."""

PRESSED_STALL_TIMEOUT: Final = 5.0
"""The same for all while others wait for room: longer than a network takes to recover from a lost packet."""

ROOM_TIMEOUT: Final = 15.0
"""Seconds that a request waits for room: three rounds of disconnecting those that do not read."""

MAX_WAITING: Final = 1000
"""How many requests may wait for room; each holds its head and its connection."""

_SWEEP: Final = 1.0
"""Seconds between looks for clients that do not read."""

_RETRY_AFTER: Final = 1
"""Seconds after which refused clients may try again; as kube-apiserver says when it has too many requests."""


class Client(Protocol):
    """A connection whose writing can be paused."""

    @property
    def is_patient(self) -> bool:
        """Whether the reader may pause for as long as IDLE_TIMEOUT."""
        ...

    def abort(self) -> None:
        """Disconnect it."""
        ...


class Unread:
    """The account of what waits for readers; `size` is in bytes."""

    def __init__(
        self,
        *,
        limit: int = MAX_UNREAD,
        stall_timeout: float = STALL_TIMEOUT,
        pressed_stall_timeout: float = PRESSED_STALL_TIMEOUT,
        room_timeout: float = ROOM_TIMEOUT,
        sweep_interval: float = _SWEEP,
    ) -> None:
        self.size = 0
        self.rendering: Final = asyncio.Lock()
        """Held while a large answer is made that is not shared with others."""
        self._limit: Final = limit
        self._stall_timeout: Final = stall_timeout
        self._pressed_stall_timeout: Final = pressed_stall_timeout
        self._room_timeout: Final = room_timeout
        self._sweep_interval: Final = sweep_interval
        self._paused: Final[dict[Client, float]] = {}
        self._waiters: Final[set[asyncio.Future[None]]] = set()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_full(self) -> bool:
        """Whether requests have to wait for room."""
        return self.size > self._limit

    @contextmanager
    def hold(self, size: int) -> Iterator[None]:
        """Count bytes while they are being written."""
        self.size += size
        try:
            yield
        finally:
            self.size -= size
            if self._waiters and not self.is_full:
                self._wake()

    async def room(self) -> None:
        """Wait until there is room for another answer. Raises TooManyRequests when there is none in time."""
        if len(self._waiters) >= MAX_WAITING:
            raise _refusal()
        try:
            async with asyncio.timeout(self._room_timeout):
                await self.wait_for_room()
        except TimeoutError:
            raise _refusal() from None

    async def wait_for_room(self) -> None:
        """Wait until there is room for another answer, however long that takes."""
        loop = asyncio.get_running_loop()
        while self.is_full:
            waiter = loop.create_future()
            self._waiters.add(waiter)
            try:
                await waiter
            finally:
                self._waiters.discard(waiter)

    def paused(self, client: Client) -> None:
        """Note that a client has more to read than its connection buffers."""
        loop = asyncio.get_running_loop()
        self._paused[client] = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._sweep_interval, self._sweep)

    def resumed(self, client: Client) -> None:
        """Note that a client has read, or is gone."""
        self._paused.pop(client, None)

    def close(self) -> None:
        """Look for slow clients no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        pressed = bool(self._waiters) and self.is_full
        for client, since in list(self._paused.items()):
            patience = IDLE_TIMEOUT if client.is_patient else self._stall_timeout
            if now - since > (self._pressed_stall_timeout if pressed else patience):
                self._paused.pop(client, None)
                client.abort()
        self._timer = loop.call_later(self._sweep_interval, self._sweep) if self._paused else None

    def _wake(self) -> None:
        """Let the requests that wait look again; each goes on only if those before it have left room."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)


def _refusal() -> ApiError:
    return too_many_requests(
        "too many answers wait for clients that do not read them; please try again later",
        retry_after=_RETRY_AFTER,
    )
