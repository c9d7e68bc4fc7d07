"""`Watch`: the events of a watch that survives its connections."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from types import TracebackType
from typing import Final, Generic, Self

from kubewright.client.forms import Form, K
from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.client.watch_loop import IDLE_TIMEOUT, WatchLoop
from kubewright.client.watch_state import WatchState
from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.options import ListOptions
from kubewright.machinery.watch import WatchDecoder, WatchEvent

__all__ = ["Watch"]


class Watch(AsyncIterator[WatchEvent[K]], Generic[K]):
    """The events of a watch, for as long as they are asked for; made by `Api.watch`.

    It never just ends, but after `timeout` seconds if there is one: a connection that breaks, falls silent or
    is closed by the server is replaced, and what happened meanwhile is told. It raises what no other try
    mends, and is over then: ApiError when the server refuses for good (403, 404, 401 with credentials that
    cannot be renewed), ParseError for a `resource_version` that is no revision, DecodeError for objects that
    the type cannot hold, TransportError when the client is closed or a certificate is not trusted.

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
        timeout: float | None = None,
        idle_timeout: float = IDLE_TIMEOUT,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`request` makes the request of some options."""
        self._timeout: Final = timeout
        self._ends: float | None = None
        """When it is over, by the clock of the event loop; counted from the first event that is asked for."""
        self._pending: Final[deque[WatchEvent[K]]] = deque()
        self._loop: Final = WatchLoop(
            sender,
            request,
            _Told(form, state, self._pending),
            what=form.kind.__name__,
            idle_timeout=idle_timeout,
            clock=clock,
            sleep=sleep,
        )
        self._failure: KubewrightError | None = None
        self._closed = False

    @property
    def last_error(self) -> KubewrightError | None:
        """What the last connection ended with; None once another one is there."""
        return self._loop.last_error

    async def __anext__(self) -> WatchEvent[K]:
        while not self._pending:
            if self._failure is not None:
                failure, self._failure, self._closed = self._failure, None, True
                raise failure
            if self._closed:
                raise StopAsyncIteration
            try:
                if not await self._advance():
                    await self.aclose()
            except KubewrightError as failure:
                # Not before what came ahead of it was handed out.
                self._failure = failure
        return self._pending.popleft()

    async def _advance(self) -> bool:
        """Wait for the next frames; False when the time is over."""
        if self._timeout is None:
            await self._loop.advance()
            return True
        now = asyncio.get_running_loop().time()
        if self._ends is None:
            self._ends = now + self._timeout
        if now >= self._ends:
            return False
        try:
            async with asyncio.timeout_at(self._ends) as limit:
                await self._loop.advance()
        except TimeoutError:
            if not limit.expired():
                raise
        return True

    async def aclose(self) -> None:
        """End the watch and close its connection. May be called again."""
        self._closed = True
        self._pending.clear()
        await self._loop.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Told(Generic[K]):
    """The follower of a `Watch`: what its state hands out goes to who reads."""

    def __init__(self, form: Form[K], state: WatchState[K], pending: deque[WatchEvent[K]]) -> None:
        self._form: Final = form
        self._decoder: Final = WatchDecoder(form.kind)
        self._state: Final = state
        self._pending: Final = pending
        self.requests: Final = state.requests
        self.options: Final = state.options
        self.ended: Final = state.ended
        self.failed: Final = state.failed

    def frames(self, frames: Sequence[bytes]) -> None:
        for frame in frames:
            self._pending.extend(self._state.event(self._decoder.decode(frame), frame))

    def page(self, body: bytes) -> None:
        self._pending.extend(self._state.page(self._form.read_list(body)))
