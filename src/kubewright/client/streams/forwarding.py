"""Ports of a pod, as connections in the program and as ports of this machine.

The protocol is `v4.channel.k8s.io` of `pods/portforward`: one WebSocket per connection, with two channels,
data and error, each of which begins with the port's number. API servers hand it through to the kubelet and
the container runtime, in every version from 1.8 to 1.36. kubectl's own protocol, SPDY inside of a WebSocket,
has many connections over one WebSocket and can end one direction of each; it needs an API server of 1.30 or
newer. What is missed here is the latter: v4 has no word for "I write no more, and still read".
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from types import TracebackType
from typing import Final, Self

from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.client.streams.channels import V4
from kubewright.client.websocket import WebSocket
from kubewright.machinery.errors import KubewrightError, ParseError, TransportError

__all__ = ["Connection", "PortForward", "open_port_forward"]

_DATA: Final = 0
_ERROR: Final = 1

_MESSAGE: Final = 32 << 10
"""How much is sent in one message, as with commands."""

_MAX_ERROR: Final = 1 << 16
"""The largest error message of a port that is read."""

_AFTER_LOCAL_END: Final = 5.0
"""Seconds without a byte from the pod after which a connection goes whose local end writes no more. That end
may have gone, or may wait for an answer; the protocol cannot tell the pod, so that silence has to."""

_log: Final = logging.getLogger("kubewright.client")


class Connection:
    """One TCP connection to a port of a pod. One task may read, any may write."""

    def __init__(self, socket: WebSocket, port: int, closing: AsyncExitStack) -> None:
        self._socket: Final = socket
        self._closing: Final = closing
        self._preambles: Final = {_DATA: b"", _ERROR: b""}
        self._error = b""
        self._rest = b""
        self._ended = False
        self.port: Final = port

    async def read(self, limit: int = 65536) -> bytes:
        """At most `limit` bytes, as soon as there are any; empty at the end.

        Raises TransportError when the pod cannot be reached at that port, and when the connection breaks.
        """
        while not self._rest and not self._ended:
            message = await self._socket.receive()
            if message is None:
                self._ended = True
                if self._error:
                    raise self._refusal()
            else:
                self._rest = self._data(message)
        data, self._rest = self._rest[:limit], self._rest[limit:]
        return data

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while data := await self.read():
            yield data

    async def write(self, data: bytes) -> None:
        """Send bytes; waits while the pod takes no more. Raises TransportError."""
        view = memoryview(data)
        for begin in range(0, len(view), _MESSAGE):
            await self._socket.send(bytes((_DATA,)) + view[begin : begin + _MESSAGE])

    async def close(self) -> None:
        """Close the connection in both directions; there is no closing of one. May be called again."""
        self._ended, self._rest = True, b""
        await self._closing.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _data(self, message: bytes) -> bytes:
        """What a message adds to the data."""
        if not message:
            raise TransportError(f"{self._socket.server} sent a message that belongs to no channel")
        channel, data = message[0], message[1:]
        begun = self._preambles.get(channel)
        if begun is None:
            raise TransportError(
                f"{self._socket.server} sent data on channel {channel}, and two were asked for"
            )
        if len(begun) < 2:
            missing = 2 - len(begun)
            begun += data[:missing]
            self._preambles[channel], data = begun, data[missing:]
            if len(begun) == 2 and int.from_bytes(begun, "little") != self.port:
                port = int.from_bytes(begun, "little")
                raise TransportError(
                    f"{self._socket.server} forwards port {port} where {self.port} was asked for"
                )
        if channel == _DATA:
            return data
        if len(self._error) < _MAX_ERROR:
            self._error += data
        if data:
            # Servers close after an error, and some only when the client does.
            self._ended = True
            raise self._refusal()
        return b""

    def _refusal(self) -> TransportError:
        told = self._error[:_MAX_ERROR].decode(errors="replace").strip()
        return TransportError(f"port {self.port} of the pod cannot be used: {told}")


class PortForward:
    """Ports of a pod while a `with` lasts. The pod is asked for when a connection is made, and not before."""

    def __init__(
        self, dial: Callable[[int], AbstractAsyncContextManager[WebSocket]], ports: Sequence[int]
    ) -> None:
        self._dial: Final = dial
        self._ports: Final = tuple(ports)
        self._listeners: Final[dict[int, asyncio.Server]] = {}
        self._connections: Final[set[asyncio.Task[None]]] = set()
        self._open: Final[set[AsyncExitStack]] = set()

    async def open(self, port: int | None = None) -> Connection:
        """Connect to a port; None for the only one. Raises ApiError and TransportError."""
        port = self._known(port)
        stack = AsyncExitStack()
        socket = await stack.enter_async_context(self._dial(port))
        self._open.add(stack)
        stack.callback(self._open.discard, stack)
        return Connection(socket, port, stack)

    def local_port(self, port: int | None = None) -> int:
        """The port on 127.0.0.1 that leads to a port of the pod; None for the only one."""
        port = self._known(port)
        listener = self._listeners.get(port)
        if listener is None:
            raise KubewrightError(f"nothing listens for port {port}; leave listen as it is, or use open")
        return int(listener.sockets[0].getsockname()[1])

    async def listen(self, port: int, local_port: int) -> None:
        """Listen on a port of 127.0.0.1, 0 for any. Raises KubewrightError when it is taken."""
        try:
            self._listeners[port] = await asyncio.start_server(
                lambda reader, writer: self._accepted(port, reader, writer), "127.0.0.1", local_port
            )
        except OSError as error:
            raise KubewrightError(
                f"cannot listen on 127.0.0.1:{local_port}: {error.strerror}; choose another with local_ports"
            ) from None

    async def close(self) -> None:
        """Stop listening and close all connections."""
        for listener in self._listeners.values():
            listener.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        for stack in tuple(self._open):
            await stack.aclose()
        for listener in self._listeners.values():
            await listener.wait_closed()

    def _known(self, port: int | None) -> int:
        if port is None and len(self._ports) == 1:
            return self._ports[0]
        if port is None or port not in self._ports:
            raise KubewrightError(
                f"port {port} is not forwarded; these are: {', '.join(map(str, self._ports))}"
            )
        return port

    def _accepted(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(port, reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carries the bytes of one local connection; a failure ends that one alone."""
        try:
            async with await self.open(port) as connection:
                await _join(connection, reader, writer)
            writer.close()
            await writer.wait_closed()
        except (KubewrightError, OSError) as error:
            _log.warning("a connection to port %d of a pod ended: %s", port, error)
        finally:
            # Nothing is left to send, unless somebody is not to get it.
            writer.transport.abort()


async def _join(connection: Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carries bytes both ways, until the pod ends the connection, or the local end has and the pod is
    silent."""
    received = 0

    async def upward() -> None:
        while data := await reader.read(_MESSAGE):
            await connection.write(data)

    async def downward() -> None:
        nonlocal received
        async for data in connection:
            received += len(data)
            writer.write(data)
            await writer.drain()

    tasks = up, down = asyncio.create_task(upward()), asyncio.create_task(downward())
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        before = -1
        while not down.done() and received != before:
            up.result()
            before = received
            await asyncio.wait((down,), timeout=_AFTER_LOCAL_END)
        if down.done():
            down.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def open_port_forward(
    sender: Sender, path: str, ports: Sequence[int], *, listen: bool, local_ports: Mapping[int, int]
) -> AsyncIterator[PortForward]:
    """Forward ports of a pod; see `Api.port_forward`."""
    if not ports:
        raise ParseError("no port to forward; say which ports of the pod are meant")
    for port in ports:
        if not 0 < port <= 65535:
            raise ParseError(f"{port} is no port; ports are numbers from 1 to 65535")
    unknown = sorted(set(local_ports) - set(ports))
    if unknown:
        raise ParseError(f"local_ports has port {unknown[0]} of the pod, which is not forwarded")

    @asynccontextmanager
    async def dial(port: int) -> AsyncIterator[WebSocket]:
        request = Request(method="GET", path=path, query=[("ports", str(port))])
        async with sender.websocket(request, protocols=(V4,)) as socket:
            yield socket

    forward = PortForward(dial, ports)
    try:
        if listen:
            for port in dict.fromkeys(ports):
                await forward.listen(port, local_ports.get(port, 0))
        yield forward
    finally:
        await forward.close()
