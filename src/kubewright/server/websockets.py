"""WebSockets: connections that are upgraded to carry messages in both directions."""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress
from typing import Final

from aiohttp import WSMsgType
from aiohttp.web_request import BaseRequest
from aiohttp.web_ws import WebSocketResponse

from kubewright.server.handlers.call import Upgraded
from kubewright.server.unread import Unread

__all__ = ["serve_websocket"]

_MAX_MESSAGE: Final = 1 << 20
"""The largest message that is read: client-go writes 32 KiB at once."""

_IDLE: Final = 4 * 3600.0
"""Seconds after which a connection ends on which nothing is said; upstream's idle timeout."""

_PING: Final = 30.0
"""Seconds between pings, by which the loss of a client is noticed that is not read from for now. Answers are
not waited for: a client whose input is not taken cannot send any."""

_TURN: Final = 32
"""How many frames of a client are handled before others have their turn: a millisecond at most."""

_FRAGMENT: Final = 32 * 1024
"""Larger messages are sent in fragments of this size; what client-go writes at once."""

_FIN: Final = 0x80
_LENGTH_IN_TWO_BYTES: Final = 126
_HEAD: Final = struct.Struct(">BBH")
"""The head of a frame (RFC 6455, 5.2) whose length, up to 65,535, follows in two bytes."""

_CLOSE: Final = 1.0
"""Seconds that a client has to answer the end of a connection."""


class _Socket:
    """A WebSocket of messages. See `Socket`."""

    def __init__(self, response: WebSocketResponse, request: BaseRequest, unread: Unread) -> None:
        self._response: Final = response
        self._request: Final = request
        self._unread: Final = unread
        self._sending: Final = asyncio.Lock()
        self._received = 0

    async def send(self, message: bytes, *, text: bool = False) -> None:
        """Send one message. Raises ConnectionError."""
        kind = WSMsgType.TEXT if text else WSMsgType.BINARY
        try:
            # One at a time, since the fragments of messages must not be mixed.
            async with asyncio.timeout(_IDLE), self._sending:
                if len(message) <= _FRAGMENT:
                    await self._response.send_frame(message, kind)
                else:
                    await self._send_fragments(message, kind)
        except TimeoutError:
            raise ConnectionResetError("the client takes nothing any more") from None

    async def _send_fragments(self, message: bytes, kind: WSMsgType) -> None:
        """Send a large message in fragments (RFC 6455, 5.4), each when the one before is mostly read.

        As one frame, transports and TLS would keep copies of all of it.
        """
        await self._unread.wait_for_room()
        view, opcode = memoryview(message), int(kind)
        with self._unread.hold(len(message)):
            for start in range(0, len(message), _FRAGMENT):
                transport = self._request.transport
                if transport is None or transport.is_closing():
                    raise ConnectionResetError("the client is gone")
                part = view[start : start + _FRAGMENT]
                first = opcode | (_FIN if start + _FRAGMENT >= len(message) else 0)
                short = len(part) < _LENGTH_IN_TWO_BYTES
                head = (
                    bytes((first, len(part))) if short else _HEAD.pack(first, _LENGTH_IN_TWO_BYTES, len(part))
                )
                transport.write(b"".join((head, part)))
                await self._request.writer.drain()
                opcode = 0

    async def receive(self) -> bytes | None:
        """The next message; None at the end."""
        while True:
            self._received += 1
            if self._received % _TURN == 0:
                # What has come already is handed out at once: a flood of frames must not keep others waiting.
                await asyncio.sleep(0)
            try:
                message = await self._response.receive(timeout=_IDLE)
            except TimeoutError:
                return None
            # Like upstream, make no difference between text and bytes: the official Python client sends both.
            if message.type is WSMsgType.TEXT:
                return str(message.data).encode()
            if message.type is WSMsgType.BINARY:
                return bytes(message.data)
            if message.type is WSMsgType.PING:
                await self._response.pong(message.data)
            elif message.type is not WSMsgType.PONG:
                return None


async def serve_websocket(request: BaseRequest, reply: Upgraded, unread: Unread) -> WebSocketResponse:
    """Upgrade a connection whose request is known to ask for it, and serve it to its end."""
    response = WebSocketResponse(
        protocols=(reply.protocol,) if reply.protocol else (),
        max_msg_size=_MAX_MESSAGE,
        compress=False,
        autoping=False,
        timeout=_CLOSE,
    )
    await response.prepare(request)
    pinging = asyncio.create_task(_ping(response))
    try:
        with suppress(ConnectionError):
            await reply.serve(_Socket(response, request, unread))
            await response.close()
    finally:
        pinging.cancel()
        await asyncio.gather(pinging, return_exceptions=True)
    return response


async def _ping(response: WebSocketResponse) -> None:
    while True:
        await asyncio.sleep(_PING)
        await response.ping()
