"""Requests for WebSockets: what they offer, and watches and logs that are sent over one.

As upstream has it, the first subprotocol that a client offers and the server speaks is chosen; a client that
offers none gets the plain one.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
import struct
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any, Final, cast

from kubewright.machinery.errors import ApiError
from kubewright.server.errors import bad_request, refusal
from kubewright.server.handlers.call import Call, Socket, Streamed, Upgraded
from kubewright.server.handlers.negotiation import JSON

__all__ = [
    "check_handshake",
    "choose_protocol",
    "is_upgrade",
    "is_websocket",
    "log_over_websocket",
    "offered_protocols",
    "watch_over_websocket",
]

_KEY_BYTES: Final = 16
"""The length of what a client sends as the key of a WebSocket (RFC 6455)."""

_TOKEN: Final = "base64url.bearer.authorization.k8s.io."  # noqa: S105 - what precedes a token
"""How a subprotocol begins that is a token; such a subprotocol is never spoken."""

_ORIGIN: Final = re.compile(r"(/|[A-Za-z][A-Za-z0-9+.-]*:)(?!.*%(?![0-9A-Fa-f]{2}))", re.DOTALL)
"""An Origin that upstream can parse: a path or an absolute URL, without broken escapes."""

_PLAIN: Final = ""
_BINARY: Final = "binary.k8s.io"
_BASE64: Final = "base64.binary.k8s.io"
_LOG_PROTOCOLS: Final = (_PLAIN, _BINARY, _BASE64)
"""Upstream's subprotocols of streams in one direction."""

_LOG_MESSAGE: Final = 2048
"""The most of a log that upstream sends in one message."""


def is_upgrade(call: Call) -> bool:
    """Whether a request asks for another protocol."""
    return any("upgrade" in each.lower() for each in call.headers.getall("Connection", []))


def is_websocket(call: Call) -> bool:
    """Whether a request asks for a WebSocket."""
    return call.headers.get("Upgrade", "").strip().lower() == "websocket" and is_upgrade(call)


def offered_protocols(call: Call) -> list[str]:
    """The subprotocols that a client offers, without those that are tokens."""
    headers = call.headers.getall("Sec-WebSocket-Protocol", [])
    protocols = [each.strip() for header in headers for each in header.split(",")]
    return [each for each in protocols if each and not each.startswith(_TOKEN)]


def choose_protocol(offered: Sequence[str], spoken: Sequence[str]) -> str:
    """The first of the offered subprotocols that is spoken; empty when none is offered.

    Raises Forbidden, with upstream's code and words, when none of them is spoken.
    """
    for protocol in offered or [_PLAIN]:
        if protocol in spoken:
            return protocol
    shown = " ".join(each[:100] for each in offered)
    raise refusal(
        403,
        "Forbidden",
        f"requested protocol(s) are not supported: [{shown}]; supports [{' '.join(filter(None, spoken))}]",
    )


def check_handshake(call: Call) -> None:
    """Raises BadRequest for a request for a WebSocket that is not in the form of RFC 6455."""
    headers = call.headers
    if headers.get("Sec-WebSocket-Version", "") != "13" or not _is_key(headers.get("Sec-WebSocket-Key", "")):
        raise bad_request("the request for a WebSocket has no Sec-WebSocket-Version 13 and valid key")


def _is_key(text: str) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) == _KEY_BYTES
    except (binascii.Error, ValueError):
        return False


async def watch_over_websocket(call: Call, watch: Callable[[], Coroutine[Any, Any, Streamed]]) -> Upgraded:
    """Send a watch over a WebSocket, an event in each message: text for JSON, binary for protobuf.

    Upstream wants an Origin, and accepts one subprotocol of any name. Raises BadRequest, Forbidden, and what
    `watch` raises.
    """
    check_handshake(call)
    if not _ORIGIN.match(call.headers.get("Origin", "")):
        raise _no_origin()
    offered = offered_protocols(call)
    if len(offered) > 1:
        raise bad_request("a watch over a WebSocket takes at most one Sec-WebSocket-Protocol")
    reply = await watch()
    text = reply.content_type == JSON
    split = _lines if text else _length_prefixed

    async def send(socket: Socket) -> None:
        async with aclosing(cast("_Chunks", reply.chunks())) as chunks:
            async for message in split(chunks):
                await socket.send(message, text=text)

    protocol = offered[0] if offered else _PLAIN
    return Upgraded(lambda socket: _serve(socket, send), protocol, is_patient=False)


def _no_origin() -> ApiError:
    return refusal(
        403,
        "Forbidden",
        "a watch over a WebSocket needs the header Origin with a URL, as kube-apiserver does",
    )


def log_over_websocket(call: Call, reply: Streamed) -> Upgraded:
    """Send a log over a WebSocket, after an empty message that says that the connection stands.

    Raises BadRequest and Forbidden.
    """
    check_handshake(call)
    protocol = choose_protocol(offered_protocols(call), _LOG_PROTOCOLS)
    text = protocol == _BASE64

    async def send(socket: Socket) -> None:
        await socket.send(b"", text=text)
        async with aclosing(cast("_Chunks", reply.chunks())) as chunks:
            async for chunk in chunks:
                for start in range(0, len(chunk), _LOG_MESSAGE):
                    piece = chunk[start : start + _LOG_MESSAGE]
                    await socket.send(base64.b64encode(piece) if text else piece, text=text)

    return Upgraded(lambda socket: _serve(socket, send), protocol)


class _Chunks(AsyncIterator[bytes]):
    """The type of the chunks for type checkers: they are async generators, which can be closed."""

    async def aclose(self) -> None: ...


async def _serve(socket: Socket, send: Callable[[Socket], Coroutine[Any, Any, None]]) -> None:
    """Send until the end, or until the client closes the connection; what it sends is ignored."""
    sending = asyncio.create_task(send(socket))
    ignoring = asyncio.create_task(_ignore(socket))
    try:
        await asyncio.wait((sending, ignoring), return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            sending.result()
    finally:
        for task in (sending, ignoring):
            task.cancel()
        await asyncio.gather(sending, ignoring, return_exceptions=True)


async def _ignore(socket: Socket) -> None:
    while await socket.receive() is not None:
        pass


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The events of a stream of JSON, each of which ends with the only newline in it."""
    parts: list[bytes] = []
    async for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if not end:
            # A part of a large object.
            parts.append(chunk)
            continue
        first, *others = chunk[:end].splitlines(keepends=True)
        parts.append(first)
        event = b"".join(parts)
        parts = [chunk[end:]]
        yield event
        for event in others:
            yield event


async def _length_prefixed(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The events of a stream of protobuf, each of which has its length before it and is in one chunk."""
    async for chunk in chunks:
        start = 0
        while start < len(chunk):
            (size,) = struct.unpack_from(">I", chunk, start)
            yield chunk[start + 4 : start + 4 + size]
            start += 4 + size
