"""A client of the server in the same process: no sockets, no TLS, the same requests and answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from kubewright.client.client import Client
from kubewright.client.connections import MAX_ANSWER, Stream
from kubewright.client.request import Request, Response
from kubewright.client.sender import Hooks
from kubewright.cluster.turns import Turns
from kubewright.config import ClientCertificate, Config
from kubewright.machinery.errors import ClientClosed, RequestTimeout, TransportError
from kubewright.machinery.field_errors import go_quote
from kubewright.server.handlers.call import Answer, Streamed

if TYPE_CHECKING:
    from kubewright.client.websocket import WebSocket
    from kubewright.server.loopback import Loopback
    from kubewright.server.registry.write import User
    from kubewright.server.server import APIServer

__all__ = ["LoopbackConnections", "loopback_client"]

_AHEAD: Final = 64
"""How many chunks of a stream may wait for their reader before the server waits for it."""

_log: Final = logging.getLogger("kubewright.cluster")

_NOTHING: Final[Mapping[str, str]] = {}


def loopback_client(server: APIServer, *, user: Callable[[], User], user_agent: str) -> Client:
    """A client of a server that runs in this event loop; `user` says on whose behalf a request is.

    `user_agent` is whom the server records as the manager of fields.
    """
    connections = LoopbackConnections(server.loopback(user))
    # Controllers follow whatever is served, deprecated or not: warnings are for people.
    hooks = Hooks(warning=lambda _: None)
    config = Config(server=server.url)
    return Client(config, user_agent=user_agent, hooks=hooks, connections=connections)


class LoopbackConnections:
    """`Connections` to a server in this event loop. Streams end when it is closed."""

    def __init__(self, loopback: Loopback) -> None:
        self._loopback: Final = loopback
        self._streams: Final[set[_LoopbackStream]] = set()
        self._turns: Final = Turns(loopback.arrivals)
        self._closed = False

    async def open(
        self, request: Request, headers: Sequence[tuple[str, str]], certificate: ClientCertificate | None
    ) -> Stream:
        """The answer to a request. Raises ClientClosed."""
        # Nothing below waits for anything, so that controllers could keep the loop from each other, and from
        # those who ask the server over sockets.
        await self._turns.take()
        if self._closed:
            raise ClientClosed
        answered = await self._loopback.send(
            request.method, request.path, request.query, headers, request.body
        )
        if self._closed:
            raise ClientClosed
        warnings = [f"299 - {go_quote(text)}" for text in answered.warnings]
        if isinstance(answered.reply, Answer):
            return _LoopbackAnswer(answered.reply, warnings)
        stream = _LoopbackStream(answered.reply, warnings, self._streams.discard)
        self._streams.add(stream)
        return stream

    async def open_websocket(
        self,
        request: Request,
        headers: Sequence[tuple[str, str]],
        certificate: ClientCertificate | None,
        *,
        protocols: Sequence[str],
    ) -> WebSocket | Response:
        """Refuses: the controllers of a cluster open none."""
        raise TransportError("there are no WebSockets within the process; connect to the server's address")

    async def close(self) -> None:
        """End all streams. May be called again."""
        self._closed = True
        ending = [stream.pump for stream in self._streams]
        for stream in list(self._streams):
            stream.close()
        await asyncio.gather(*ending, return_exceptions=True)


class _LoopbackAnswer(Stream):
    """An answer that is whole already."""

    def __init__(self, answer: Answer, warnings: Sequence[str]) -> None:
        self.status = answer.status
        self.headers = {**answer.headers, "Warning": warnings[0]} if warnings else answer.headers
        self._body = answer.body
        self._warnings: Final = warnings

    @property
    def warnings(self) -> Sequence[str]:
        return self._warnings

    async def chunk(self, *, within: float | None = None) -> bytes:
        body, self._body = self._body, b""
        return body

    async def whole(self, *, limit: int = MAX_ANSWER) -> Response:
        return Response(self.status, await self.chunk(), self.headers)

    def close(self) -> None:
        """Nothing is open."""


class _LoopbackStream(Stream):
    """An answer that goes on: read ahead a little by a task of its own, which `close` ends."""

    def __init__(
        self, reply: Streamed, warnings: Sequence[str], closed: Callable[[_LoopbackStream], object]
    ) -> None:
        self.status = 200
        self.headers = {"Warning": warnings[0]} if warnings else _NOTHING
        self._warnings: Final = warnings
        self._chunks: Final[asyncio.Queue[bytes]] = asyncio.Queue(_AHEAD)
        self._closed: Final = closed
        self._ended = False
        self.pump: Final = asyncio.create_task(self._read(reply.chunks()), name="loopback stream")
        # By a callback: a task that is cancelled before its first step runs none of its code.
        self.pump.add_done_callback(self._read_ended)

    @property
    def warnings(self) -> Sequence[str]:
        return self._warnings

    async def chunk(self, *, within: float | None = None) -> bytes:
        if self._ended:
            return b""
        try:
            async with asyncio.timeout(within) as limit:
                parts = [await self._chunks.get()]
        except TimeoutError:
            if not limit.expired():
                raise
            raise RequestTimeout(f"the server sent nothing for {within:g} seconds") from None
        while not self._chunks.empty() and parts[-1]:
            # What came together is read together.
            parts.append(self._chunks.get_nowait())
        self._ended = not parts[-1]
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def whole(self, *, limit: int = MAX_ANSWER) -> Response:
        parts = [part async for part in self]
        return Response(self.status, b"".join(parts), self.headers)

    def close(self) -> None:
        self.pump.cancel()
        self._closed(self)

    async def _read(self, chunks: AsyncIterator[bytes]) -> None:
        try:
            async for chunk in chunks:
                if chunk:
                    await self._chunks.put(chunk)
            await self._chunks.put(b"")
        finally:
            close = getattr(chunks, "aclose", None)
            if close is not None:
                await close()

    def _read_ended(self, pump: asyncio.Task[None]) -> None:
        if not pump.cancelled():
            error = pump.exception()
            if error is None:
                return
            _log.error("a stream within the process has failed", exc_info=error)
        # Nobody wants the rest, but somebody may be waiting for it.
        if self._chunks.full():
            self._chunks.get_nowait()
        self._chunks.put_nowait(b"")
