"""WebSockets: connections that are upgraded to carry messages in both directions."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from aiohttp import WSMsgType
from aiohttp.web_request import BaseRequest
from aiohttp.web_ws import WebSocketResponse

from kubewright.server.handlers.call import Upgraded

__all__ = ["serve_websocket"]

_MAX_MESSAGE: Final = 1 << 20
"""The largest message that is read: client-go writes 32 KiB at once."""

_IDLE: Final = 4 * 3600.0
"""Seconds after which a connection ends on which nothing is said; upstream's idle timeout."""

_PING: Final = 30.0
"""Seconds between pings, by which the loss of a client is noticed that is not read from for now. Answers are
not waited for: a client whose input is not taken cannot send any."""

_CLOSE: Final = 1.0
"""Seconds that a client has to answer the end of a connection."""


class _Socket:
    """A WebSocket of messages. See `Socket`."""

    def __init__(self, response: WebSocketResponse) -> None:
        self._response: Final = response

    async def send(self, message: bytes, *, text: bool = False) -> None:
        """Send one message. Raises ConnectionError."""
        try:
            async with asyncio.timeout(_IDLE):
                await self._response.send_frame(message, WSMsgType.TEXT if text else WSMsgType.BINARY)
        except TimeoutError:
            raise ConnectionResetError("the client takes nothing any more") from None

    async def receive(self) -> bytes | None:
        """The next message; None at the end."""
        try:
            message = await self._response.receive(timeout=_IDLE)
        except TimeoutError:
            return None
        # Like upstream, make no difference between text and bytes: the official Python client sends both.
        if message.type is WSMsgType.TEXT:
            return str(message.data).encode()
        return bytes(message.data) if message.type is WSMsgType.BINARY else None


async def serve_websocket(request: BaseRequest, reply: Upgraded) -> WebSocketResponse:
    """Upgrade a connection whose request is known to ask for it, and serve it to its end."""
    response = WebSocketResponse(
        protocols=(reply.protocol,) if reply.protocol else (),
        max_msg_size=_MAX_MESSAGE,
        compress=False,
        timeout=_CLOSE,
    )
    await response.prepare(request)
    pinging = asyncio.create_task(_ping(response))
    try:
        with suppress(ConnectionError):
            await reply.serve(_Socket(response))
            await response.close()
    finally:
        pinging.cancel()
        await asyncio.gather(pinging, return_exceptions=True)
    return response


async def _ping(response: WebSocketResponse) -> None:
    while True:
        await asyncio.sleep(_PING)
        await response.ping()
