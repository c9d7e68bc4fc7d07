"""`WatchLoop`: the connections of a watch, one after the other."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from typing import Final, Protocol

import msgspec

from kubewright.client.connections import Stream
from kubewright.client.list_watch import ListWatch
from kubewright.client.page_reader import PageReader
from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.machinery.errors import (
    DecodeError,
    Forbidden,
    KubewrightError,
    MethodNotAllowed,
    RequestTimeout,
    TransportError,
)
from kubewright.machinery.options import ListOptions
from kubewright.machinery.watch import FrameReader

__all__ = ["IDLE_TIMEOUT", "Follower", "WatchLoop"]

IDLE_TIMEOUT: Final = 150.0
"""Seconds without a byte after which a connection is taken for dead. API servers send a bookmark about every
minute, the first of a quiet watch after two (measured with 1.36). Of kinds that they do not cache, such as
events, they send none: there a quiet watch is asked for again so often, which costs one request."""

_PROOF_AFTER: Final = 5.0
"""Seconds of silence after the end of a connection, until the server is asked whether it knows the revision
that is watched from: long enough to be rare where anything happens, and short beside how long a restored
server was away."""

_PROVEN_WITHIN: Final = 10.0
"""Seconds that the answer may take at least, whatever the client's timeout: a server that has not got as far
waits three seconds for its own cache before it says so (measured with 1.36)."""

_PIECE: Final = 1.0
"""Seconds that are slept at once, so that a reader ends in time when somebody else closes the watch."""

_log: Final = logging.getLogger("kubewright.client.watch")


class Follower(Protocol):
    """Who decides what is asked for, and takes what comes; it does no I/O."""

    @property
    def requests(self) -> ListWatch:
        """What it asks for and why."""

    def options(self) -> ListOptions:
        """The next request: a watch, or (`watch` is not set) a page of a list."""

    def frames(self, frames: Sequence[bytes]) -> None:
        """Frames of a watch have come. Raises the ApiError of an ERROR frame, and DecodeError."""

    def page(self, body: bytes) -> None:
        """A page of a list has come. Raises DecodeError."""

    def ended(self, *, lasted: float) -> float:
        """The watch has ended as watches do. The pause before the next request, in seconds."""

    def failed(self, error: KubewrightError, *, lasted: float, at_once: bool = False) -> float:
        """A request or its connection has failed. The pause before the next one; `at_once` if none is wanted.

        Raises the error when no other try mends it.
        """


class WatchLoop:
    """Makes the requests that a follower asks for, and tells it what came of them.

    Nothing happens unless somebody is in `advance`, and only one task at a time may be. When that task is
    cancelled, the connection is closed; another `advance` goes on with a new one.
    """

    def __init__(
        self,
        sender: Sender,
        request: Callable[[ListOptions], Awaitable[Request]],
        follower: Follower,
        *,
        what: str,
        idle_timeout: float = IDLE_TIMEOUT,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`request` makes the request of some options; `what` is watched, for the log."""
        self._sender: Final = sender
        self._request: Final = request
        self._follower: Final = follower
        self._what: Final = what
        self._idle_timeout: Final = idle_timeout
        self._clock: Final = clock
        self._sleep: Final = sleep
        self._pages: Final = PageReader(sender, request)
        self._opened: tuple[AbstractAsyncContextManager[Stream], Stream] | None = None
        self._since = 0.0
        self._reader = FrameReader()
        self._pause = 0.0
        self._closed = False
        self.last_error: KubewrightError | None = None
        """What the last connection ended with; None once another one is there."""

    async def advance(self) -> None:
        """One wait: for the end of a pause, for a connection, or for bytes. Raises what the follower does."""
        try:
            if self._pause:
                piece = min(self._pause, _PIECE)
                await self._sleep(piece)
                self._pause -= piece
            elif self._opened is None:
                await self._begin()
            else:
                await self._read(self._opened[1])
        except KubewrightError as error:
            await self._failed(error)
        except BaseException:
            await self._disconnect()
            raise

    async def close(self) -> None:
        """Close the connection. May be called again."""
        self._closed = True
        await self._disconnect()

    async def _begin(self) -> None:
        options = self._follower.options()
        self._since = self._clock()
        if options.watch:
            await self._pages.close()
            await self._connect(await self._request(options))
        else:
            self._follower.page(await self._pages.read(options))
        self.last_error = None
        if self._closed:
            # By another task, while this one waited for the server.
            await self._disconnect()

    async def _connect(self, request: Request) -> None:
        opening = self._sender.stream(request)
        try:
            async with asyncio.timeout(self._idle_timeout):
                stream = await opening.__aenter__()
        except KubewrightError:
            raise
        except TimeoutError:
            server, within = self._sender.config.server, self._idle_timeout
            raise RequestTimeout(f"{server} did not begin a watch within {within:g} seconds") from None
        self._opened = (opening, stream)
        self._reader = FrameReader()

    async def _read(self, stream: Stream) -> None:
        if self._follower.requests.unproven:
            chunk = await self._first_chunk(stream)
        else:
            chunk = await stream.chunk(within=self._idle_timeout)
        if chunk:
            self._follower.frames(self._reader.feed(chunk))
            return
        try:
            self._reader.finish()
        except DecodeError as error:
            raise TransportError(str(error)) from None
        await self._disconnect()
        self._rest(self._follower.ended(lasted=self._lasted()), "the server ended it")

    async def _first_chunk(self, stream: Stream) -> bytes:
        proof_after = min(_PROOF_AFTER, self._idle_timeout / 2)
        try:
            return await stream.chunk(within=proof_after)
        except RequestTimeout:
            await self._prove()
        return await stream.chunk(within=self._idle_timeout - proof_after)

    async def _prove(self) -> None:
        """Ask whether the server knows the revision. Raises what a watch from it would fail with."""
        requests = self._follower.requests
        request = await self._request(requests.proof())
        # A server that is behind asks to come back later: that is the answer, and would be for long.
        request = msgspec.structs.replace(request, once=True)
        limit = self._sender.options.timeout
        within = None if limit is None else max(limit, _PROVEN_WITHIN)
        with suppress(Forbidden, MethodNotAllowed):  # Who may not list may still watch.
            await self._sender.send(request, within=within)
        requests.unproven = False

    async def _failed(self, error: KubewrightError) -> None:
        silent = self._opened is not None and isinstance(error, RequestTimeout)
        await self._disconnect()
        self.last_error = error
        self._rest(self._follower.failed(error, lasted=self._lasted(), at_once=silent), error)

    def _lasted(self) -> float:
        return self._clock() - self._since

    def _rest(self, pause: float, reason: object) -> None:
        self._pause = pause
        _log.debug("a watch of %s goes on in %.2f seconds: %s", self._what, pause, reason)

    async def _disconnect(self) -> None:
        await self._pages.close()
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened[0].__aexit__(None, None, None)
