"""Sending requests so that they arrive: credentials, limits, retries, hooks and traces."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Final, TypeVar

import msgspec

from kubewright.client.connections import Connections, Stream
from kubewright.client.deadlines import Deadlines
from kubewright.client.fencing import sending
from kubewright.client.impersonation import impersonation_headers
from kubewright.client.rate_limit import RateLimiter
from kubewright.client.request import Request, Response
from kubewright.client.retry import READS, delay_after_answer, delay_after_break
from kubewright.client.tracing import Span, Tracing
from kubewright.client.transport import Transport
from kubewright.client.user_agent import default_user_agent
from kubewright.client.warning_headers import read_warnings
from kubewright.client.websocket import WebSocket
from kubewright.config import Config, Credential
from kubewright.machinery.errors import RequestTimeout, TransportError

__all__ = ["DEFAULT_TIMEOUT", "Hooks", "SendOptions", "Sender"]

DEFAULT_TIMEOUT: Final = 90.0
"""Seconds for a request and its answer, retries included. API servers end requests after 60 seconds, so that
what has not come by then will not come."""

_MAX_IN_FLIGHT: Final = 128
"""How many requests are under way at once; more wait their turn. Streams are not counted."""

_MAX_PLAIN_HEADERS: Final = 16
"""How many sets of headers are kept: one for each type of body, with the present credential."""

_MAX_REFUSAL: Final = 1 << 20
"""The largest refusal of a stream that is read."""

_log: Final = logging.getLogger("kubewright.client")

_T = TypeVar("_T")
_Answer = TypeVar("_Answer", bound=Response | Stream | WebSocket)


class Hooks(msgspec.Struct, frozen=True, kw_only=True):
    """What is called with each request and answer; a hook that raises stops the request."""

    before: Sequence[Callable[[Request], Awaitable[Request | None] | Request | None]] = ()
    """Called before each request; may give another one to send in its place."""
    after: Sequence[Callable[[Request, Response], object]] = ()
    """Called with each whole answer, refusals included; not with those of streams."""
    warning: Callable[[str], object] | None = None
    """Called with the text of each Warning header; without it they are logged."""


class SendOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How requests are sent."""

    timeout: float | None = DEFAULT_TIMEOUT
    """Seconds for each request and its answer; None for no limit."""
    user_agent: str = ""
    """Its first word is who the server records as the manager of fields; empty: the program's name."""
    qps: float | None = None
    """The most requests per second in the long run; None for no limit."""
    burst: int = 10
    """How many may come at once where there is a limit; client-go's default."""
    hooks: Hooks = msgspec.field(default_factory=Hooks)


class Sender:
    """Sends requests to one API server; used in one event loop. Close it with `close`."""

    def __init__(
        self, config: Config, options: SendOptions | None = None, *, connections: Connections | None = None
    ) -> None:
        """Without `connections` it makes its own, over sockets."""
        self.config: Final = config
        self.options: Final = options if options is not None else SendOptions()
        self._transport: Final[Connections] = Transport(config) if connections is None else connections
        self._agent: Final = self.options.user_agent or default_user_agent()
        self._limiter: Final = (
            RateLimiter(self.options.qps, self.options.burst) if self.options.qps is not None else None
        )
        self._tracing: Final = Tracing(config.server)
        self._is_held_up: Final = self._limiter is not None or bool(self.options.hooks.before)
        """Whether something comes before each request."""
        self._impersonation: Final = impersonation_headers(config.impersonation)
        self._plain_headers: Final[dict[tuple[str, str, str], Sequence[tuple[str, str]]]] = {}
        """Headers of requests that have none of their own, by what they are made of: most are alike."""
        self._random: Final = Random()  # noqa: S311 - for pauses
        timeout = self.options.timeout
        self._deadlines: Final = Deadlines(timeout) if timeout is not None else None
        self._in_flight: Final = asyncio.Semaphore(_MAX_IN_FLIGHT)
        self.request_counts: Final[Counter[tuple[str, int]]] = Counter()
        """How many requests of each method were answered with each status; 0 is for no answer."""

    async def send(self, request: Request, *, within: float | None = None) -> Response:
        """Send a request and return its whole answer; it is sent again where that is safe.

        Raises ApiError when the server refuses, TransportError when no answer comes, RequestTimeout (a
        TransportError) when it does not come `within` so many seconds (None: those of the options), and
        ConfigError when there are no credentials to be had.
        """
        if within is not None:
            try:
                async with asyncio.timeout(within) as limit:
                    response = await self._in_turn(request)
            except TimeoutError as late:
                # Another one's, of a hook for instance, stays what it is.
                raise (self._late(request, within) if limit.expired() else late) from None
        elif self._deadlines is None:
            response = await self._in_turn(request)
        else:
            deadline = self._deadlines.begin()
            try:
                response = await self._in_turn(request)
            except asyncio.CancelledError:
                if not deadline.absorbs():
                    raise
                raise self._late(request, self.options.timeout) from None
            finally:
                deadline.end()
        error = response.error()
        if error is not None:
            raise error
        return response

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Stream]:
        """Send a request and read its answer as it comes: a watch, or a log. Raises as `send` does."""
        opened = await self._opened(request)
        try:
            if opened.status >= 400:
                refusal = (await opened.whole(limit=_MAX_REFUSAL)).error()
                assert refusal is not None  # noqa: S101 - by its status
                raise refusal
            yield opened
        finally:
            opened.close()

    @asynccontextmanager
    async def websocket(self, request: Request, *, protocols: Sequence[str]) -> AsyncIterator[WebSocket]:
        """Open a WebSocket. Raises as `send` does."""
        opened = await self._upgraded(request, protocols)
        try:
            yield opened
        finally:
            await opened.close()

    async def close(self) -> None:
        """Close all connections. May be called again."""
        await self._transport.close()
        if self._deadlines is not None:
            self._deadlines.close()
        await self.config.credentials.close()

    async def _in_turn(self, request: Request) -> Response:
        """Send a request when not too many others are under way."""
        await self._in_flight.acquire()
        try:
            return await self._repeated(request)
        finally:
            self._in_flight.release()

    async def _repeated(self, request: Request) -> Response:
        """Sends a request until it is answered for good, or cannot be sent again."""
        attempt = 0
        while True:
            delay: float | None
            try:
                response = await self._authorized(self._once, request)
            except RequestTimeout:
                raise
            except TransportError as error:
                if error.lasting:
                    raise
                delay = delay_after_break(request.method, attempt, self._random, was_sent=error.was_sent)
                if delay is None:
                    raise
            else:
                if response.status < 400:
                    return response
                wanted = response.retry_after
                delay = delay_after_answer(request.method, response.status, wanted, attempt)
                if delay is None or request.once:
                    return response
            attempt += 1
            _log.debug("%s %s is sent again in %.2f seconds", request.method, request.path, delay)
            await asyncio.sleep(delay)

    async def _authorized(
        self, once: Callable[[Request, Credential], Awaitable[_Answer]], request: Request
    ) -> _Answer:
        """The answer to a request; one to a rejected credential only where there is no other to be had."""
        credentials = self.config.credentials
        credential = await credentials.current()
        answer = await once(request, credential)
        if answer.status != 401:
            return answer
        renewed = True
        try:
            renewed = await credentials.rejected(credential)
        finally:
            if renewed and isinstance(answer, Stream):
                answer.close()
        return await once(request, await credentials.current()) if renewed else answer

    async def _once(self, request: Request, credential: Credential) -> Response:
        if self._is_held_up:
            request = await self._before(request)
        with self._tracing.span(request) as span:
            headers = self._headers(request, credential, span)
            status = 0
            try:
                # Here, since there may have been waits before, and retries come here again.
                with sending(writes=request.method not in READS):
                    opened = await self._transport.open(request, headers, credential.certificate)
                try:
                    response = await opened.whole()
                finally:
                    opened.close()
                status = response.status
            finally:
                self.request_counts[request.method, status] += 1
            span.answered(status)
        self._tell(opened)
        if _log.isEnabledFor(logging.DEBUG):
            size = len(response.body)
            _log.debug("%s %s: %d, %d bytes", request.method, request.target, response.status, size)
        for after in self.options.hooks.after:
            after(request, response)
        return response

    async def _opened(self, request: Request) -> Stream:
        """The answer of a stream, whose body is to come."""
        attempt = 0
        while True:
            opened = await self._authorized(self._open, request)
            wanted = Response(opened.status, b"", opened.headers).retry_after
            delay = delay_after_answer(request.method, opened.status, wanted, attempt)
            if delay is None:
                return opened
            opened.close()
            attempt += 1
            await asyncio.sleep(delay)

    async def _open(self, request: Request, credential: Credential) -> Stream:
        sent = await self._before(request)
        headers = self._headers(sent, credential)
        status = 0
        try:
            opened = await self._in_time(request, self._transport.open(sent, headers, credential.certificate))
            status = opened.status
        finally:
            self.request_counts[sent.method, status] += 1
        self._tell(opened)
        return opened

    async def _upgraded(self, request: Request, protocols: Sequence[str]) -> WebSocket:
        async def upgrade(request: Request, credential: Credential) -> WebSocket | Response:
            sent = await self._before(request)
            headers = self._headers(sent, credential)
            # What is done over one, exec say, may change anything.
            with sending(writes=True):
                opening = self._transport.open_websocket(
                    sent, headers, credential.certificate, protocols=protocols
                )
                return await self._in_time(request, opening)

        opened = await self._authorized(upgrade, request)
        if isinstance(opened, WebSocket):
            return opened
        error = opened.error()
        if error is None:
            raise TransportError(f"{self.config.server} does not speak WebSocket at {request.path}")
        raise error

    async def _in_time(self, request: Request, opening: Awaitable[_T]) -> _T:
        """What opens within the seconds of the options; RequestTimeout after them."""
        try:
            async with asyncio.timeout(self.options.timeout) as limit:
                return await opening
        except TimeoutError as late:
            raise (self._late(request, self.options.timeout) if limit.expired() else late) from None

    async def _before(self, request: Request) -> Request:
        if self._limiter is not None:
            await self._limiter.acquire()
        for before in self.options.hooks.before:
            changed = before(request)
            if isinstance(changed, Awaitable):
                changed = await changed
            request = changed or request
        return request

    def _headers(
        self, request: Request, credential: Credential, span: Span | None = None
    ) -> Sequence[tuple[str, str]]:
        if request.headers or (span is not None and span.is_recorded):
            return self._all_headers(request, credential, span)
        of = (request.accept, request.content_type if request.body else "", credential.authorization)
        headers = self._plain_headers.get(of)
        if headers is None:
            # Credentials are renewed, and old ones are not kept for long.
            if len(self._plain_headers) >= _MAX_PLAIN_HEADERS:
                self._plain_headers.clear()
            headers = self._plain_headers[of] = self._all_headers(request, credential, None)
        return headers

    def _all_headers(
        self, request: Request, credential: Credential, span: Span | None
    ) -> Sequence[tuple[str, str]]:
        headers = {"Accept": request.accept, "User-Agent": self._agent}
        if request.body:
            headers["Content-Type"] = request.content_type
        if self.config.disable_compression:
            headers["Accept-Encoding"] = "identity"
        headers.update(request.headers)
        if span is not None:
            span.inject(headers)
        if credential.authorization:
            headers["Authorization"] = credential.authorization
        return (*headers.items(), *self._impersonation)

    def _tell(self, opened: Stream) -> None:
        if "Warning" not in opened.headers:
            return
        tell = self.options.hooks.warning or _log_warning
        for text in read_warnings(opened.warnings):
            tell(text)

    def _late(self, request: Request, within: float | None) -> RequestTimeout:
        where = f"{request.method} {self.config.server}{request.path}"
        return RequestTimeout(f"{where} was not answered within {within:g} seconds")


def _log_warning(text: str) -> None:
    _log.warning("the API server warns: %s", text)
