"""`WebSocket`: binary messages in both directions, with a deadline for servers that have gone silent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from kubewright.machinery.errors import RequestTimeout, TransportError

if TYPE_CHECKING:
    import aiohttp

__all__ = ["WebSocket"]

_PING_AFTER: Final = 15.0
"""Seconds of silence after which the server is asked whether it is there."""

_DEAD_AFTER: Final = 60.0
"""Seconds of silence, pings unanswered, after which it is not: client-go's deadline, to a second."""

_HELD_UP: Final = 64 << 10
"""How many bytes may be on their way without holding up the server: a pipe of Linux takes as many, unread.
Servers answer pings in their turn, so that behind more than that none may be answered for as long as a
command reads nothing; then TCP has to find out whether the server is there."""

_CLOSE_TIMEOUT: Final = 0.5
"""Seconds that a server has to answer a close before the connection is cut."""

_GOOD_CLOSES: Final = frozenset({1000, 1005})
"""The codes of a WebSocket that ends as it should (RFC 6455): normally, and without a code."""


class WebSocket:
    """A WebSocket of binary messages, for one reader and any number of writers; made by `Transport`."""

    status: Final = 101
    """What the server answered: that the connection is a WebSocket from there on."""

    def __init__(
        self,
        socket: aiohttp.ClientWebSocketResponse,
        transport: asyncio.WriteTransport,
        *,
        server: str,
        translated: Callable[[Exception], TransportError],
    ) -> None:
        self._socket: Final = socket
        self._transport: Final = transport
        self._translated: Final = translated
        self._ended = False
        self._sent = self._sent_at_ping = self._taken = 0
        self.server: Final = server
        """Who is at the other end, for messages."""
        self.protocol: Final = socket.protocol or ""
        """The subprotocol that the server chose; empty for none."""

    async def send(self, message: bytes) -> None:
        """Send one message; waits while the server takes no more. Raises TransportError."""
        self._sent += len(message)
        try:
            await self._socket.send_bytes(message)
        except Exception as error:
            raise self._translated(error) from None

    async def receive(self) -> bytes | None:
        """The next message; None once the server has closed the WebSocket as it should.

        Raises TransportError when it ends in any other way, and RequestTimeout when the server is silent and
        answers no ping either.
        """
        silent = 0.0
        while not self._ended:
            try:
                message = await self._socket.receive(timeout=_PING_AFTER)
            except TimeoutError:
                silent += _PING_AFTER
                if silent >= _DEAD_AFTER and self._sent - self._taken <= _HELD_UP:
                    raise RequestTimeout(
                        f"{self.server} sent nothing for {silent:g} seconds and answered no ping"
                    ) from None
                self._sent_at_ping = self._sent
                await self._control(self._socket.ping())
                continue
            silent = 0.0
            kind, data = message.type.name, message.data
            if kind == "BINARY":
                return bytes(data)
            if kind == "PING":
                await self._control(self._socket.pong(data))
            elif kind == "PONG":
                self._taken = self._sent_at_ping
            else:
                self._ended = self._is_good_end(kind, data, message.extra)
        return None

    async def close(self) -> None:
        """Close it, within a second also when the server does not take part. May be called again."""
        try:
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                await self._socket.close()
        except TimeoutError:
            pass
        finally:
            self._cut()

    def _cut(self) -> None:
        """Ends a connection that would stay, closed as it is, until the server takes what is left to send."""
        # A transport of asyncio that is gone already has lost what it would need to find that out.
        with suppress(AttributeError):
            self._transport.abort()

    async def _control(self, sending: Coroutine[Any, Any, None]) -> None:
        """Sends a ping or its answer; where writes are held up, reading goes on without."""
        try:
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                await sending
        except TimeoutError:
            pass
        except Exception as error:
            raise self._translated(error) from None

    def _is_good_end(self, kind: str, data: Any, reason: str | None) -> bool:
        """True for an end as it should be; raises for any other."""
        if kind == "CLOSE" and data in _GOOD_CLOSES:
            return True
        if kind == "CLOSE":
            told = f"{reason} (code {data})" if reason else f"code {data}"
            raise TransportError(f"{self.server} closed the WebSocket: {told}")
        if kind == "TEXT":
            raise TransportError(f"{self.server} sent text where the protocol of the WebSocket has bytes")
        if kind == "ERROR":
            raise TransportError(f"{self.server} sent what is no WebSocket message: {data}")
        raise TransportError(f"the connection to {self.server} broke in the midst of a WebSocket")
