"""`Watch`: the events of a watch that survives its connections."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Final, Generic, Self

from kubewright.client.forms import Form, K
from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.client.transport import Stream
from kubewright.client.watch_state import WatchState
from kubewright.machinery.errors import DecodeError, KubewrightError, RequestTimeout, TransportError
from kubewright.machinery.options import ListOptions
from kubewright.machinery.watch import FrameReader, WatchDecoder, WatchEvent

__all__ = ["IDLE_TIMEOUT", "Watch"]

IDLE_TIMEOUT: Final = 150.0
"""Seconds without a byte after which a connection is taken for dead. API servers send a bookmark about every
minute, the first of a quiet watch after two (measured with 1.36). Of kinds that they do not cache, such as
events, they send none: there a quiet watch is asked for again so often, which costs one request."""

_PIECE: Final = 1.0
"""Seconds that are slept at once, so that a reader ends in time when somebody else closes the watch."""

_log: Final = logging.getLogger("kubewright.client.watch")


class Watch(AsyncIterator[WatchEvent[K]], Generic[K]):
    """The events of a watch, for as long as they are asked for; made by `Api.watch`.

    It never just ends: a connection that breaks, falls silent or is closed by the server is replaced, and
    what happened meanwhile is told. It raises what no other try mends, and is over then: ApiError when the
    server refuses for good (403, 404, 401 with credentials that cannot be renewed), DecodeError for objects
    that the type cannot hold, TransportError when the client is closed or a certificate is not trusted.

    Nothing happens while nobody asks for the next event: there is no task behind it, and one task reads it.
    A reader that is cancelled, for example by a timeout around `anext`, leaves no connection behind and may
    go on reading later: the watch resumes. `aclose`, or `async with`, ends it at once; so does letting go of
    it.
    """

    def __init__(
        self,
        sender: Sender,
        form: Form[K],
        state: WatchState[K],
        request: Callable[[ListOptions], Awaitable[Request]],
        *,
        idle_timeout: float = IDLE_TIMEOUT,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`request` makes the request of some options."""
        self._sender: Final = sender
        self._form: Final = form
        self._decoder: Final = WatchDecoder(form.kind)
        self._state: Final = state
        self._request: Final = request
        self._idle_timeout: Final = idle_timeout
        self._clock: Final = clock
        self._sleep: Final = sleep
        self._pending: Final[deque[WatchEvent[K]]] = deque()
        self._opened: tuple[AbstractAsyncContextManager[Stream], Stream] | None = None
        self._since = 0.0
        self._reader = FrameReader()
        self._pause = 0.0
        self._failure: KubewrightError | None = None
        self._closed = False
        self.last_error: KubewrightError | None = None
        """What the last connection ended with; None once another one is there."""

    async def __anext__(self) -> WatchEvent[K]:
        while not self._pending:
            if self._failure is not None:
                failure, self._failure, self._closed = self._failure, None, True
                raise failure
            if self._closed:
                raise StopAsyncIteration
            await self._advance()
        return self._pending.popleft()

    async def aclose(self) -> None:
        """End the watch and close its connection. May be called again."""
        self._closed = True
        self._pending.clear()
        await self._disconnect()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _advance(self) -> None:
        """One wait: for the end of a pause, for a connection, or for bytes."""
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

    async def _begin(self) -> None:
        options = self._state.options()
        request = await self._request(options)
        self._since = self._clock()
        if options.watch:
            await self._connect(request)
        else:
            response = await self._sender.send(request)
            self._pending.extend(self._state.page(self._form.read_list(response.body)))
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
        chunk = await stream.chunk(within=self._idle_timeout)
        if chunk:
            for frame in self._reader.feed(chunk):
                self._pending.extend(self._state.event(self._decoder.decode(frame), frame))
            return
        try:
            self._reader.finish()
        except DecodeError as error:
            raise TransportError(str(error)) from None
        await self._disconnect()
        self._rest(self._state.ended(lasted=self._lasted()), "the server ended it")

    async def _failed(self, error: KubewrightError) -> None:
        silent = self._opened is not None and isinstance(error, RequestTimeout)
        await self._disconnect()
        self.last_error = error
        try:
            pause = self._state.failed(error, lasted=self._lasted(), at_once=silent)
        except KubewrightError as failure:
            # Not before what came ahead of it was handed out.
            self._failure = failure
        else:
            self._rest(pause, error)

    def _lasted(self) -> float:
        return self._clock() - self._since

    def _rest(self, pause: float, reason: object) -> None:
        self._pause = pause
        _log.debug("a watch of %s goes on in %.2f seconds: %s", self._form.kind.__name__, pause, reason)

    async def _disconnect(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened[0].__aexit__(None, None, None)
