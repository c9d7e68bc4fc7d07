"""A server of one handler, with limits of the test's choice, and clients that can refuse to read."""

from __future__ import annotations

import asyncio
import ssl
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

from kubewright.server.access import Access
from kubewright.server.arrivals import Arrivals
from kubewright.server.authentication.requests import AnonymousCallers, RequestAuthenticator
from kubewright.server.authorization import EverybodyMay
from kubewright.server.credentials import load_credentials
from kubewright.server.handlers.call import Call, Reply
from kubewright.server.listener import ConnectionLimits, listen, ssl_context
from kubewright.server.unread import Client as PausedClient
from kubewright.server.unread import Unread

__all__ = ["DEADLINE", "Client", "RecordingUnread", "connect", "listening", "until"]

DEADLINE = 30.0
"""Seconds for anything that must happen, on a busy machine."""

HOST = "127.0.0.1"


class Client:
    """One end of a TLS connection that reads only what it is asked to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def get(self, path: str = "/api/v1/pods", *headers: str) -> None:
        """Send a request, and read nothing."""
        lines = (f"GET {path} HTTP/1.1", "Host: x", *headers, "", "")
        await self.send("\r\n".join(lines).encode())

    async def status(self) -> int:
        """The code of the next answer."""
        async with asyncio.timeout(DEADLINE):
            return int((await self.reader.readline()).split()[1])

    async def read(self, count: int) -> bytes:
        async with asyncio.timeout(DEADLINE):
            return await self.reader.readexactly(count)

    async def read_all(self) -> bytes:
        """All that comes until the server closes the connection."""
        data = b""
        async with asyncio.timeout(DEADLINE):
            try:
                while part := await self.reader.read(2**16):
                    data += part
            except (ConnectionError, ssl.SSLError):
                pass
        return data

    def close(self) -> None:
        self.writer.transport.abort()


@asynccontextmanager
async def listening(
    handle: Callable[[Call], Awaitable[Reply]],
    *,
    limits: ConnectionLimits | None = None,
    unread: Unread | None = None,
) -> AsyncIterator[int]:
    """Serve all that connect to a port. At the end, the connections of `connect` are closed."""
    async with AsyncExitStack() as stack:
        stack.push_async_callback(_close_clients)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        credentials = load_credentials(folder, (HOST,), durable=False)
        authenticator = RequestAuthenticator([], audiences=["api"], anonymous=AnonymousCallers(enabled=True))
        yield await listen(
            stack,
            handle,
            Access(authenticator, EverybodyMay()),
            ssl_context(credentials),
            host=HOST,
            port=0,
            arrivals=Arrivals(),
            limits=limits,
            unread=unread,
        )


async def connect(port: int, *, tls: bool = True, buffer: int = 2**16) -> Client:
    """A connection that buffers no more than `buffer` of what it does not read."""
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    client = Client(*await asyncio.open_connection(HOST, port, ssl=context, limit=buffer))
    _clients.append(client)
    return client


_clients: list[Client] = []


async def _close_clients() -> None:
    for client in _clients:
        client.close()
    _clients.clear()
    for _ in range(5):
        # Transports close their sockets in the rounds of the loop that follow.
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that must happen."""
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)


class RecordingUnread(Unread):
    """Remembers what has been, however briefly."""

    was_paused = False
    disconnected = 0
    peak = 0

    def paused(self, client: PausedClient) -> None:
        self.was_paused = True
        super().paused(client)

    def _sweep(self) -> None:
        before = set(self._paused)
        super()._sweep()
        self.disconnected += len(before - set(self._paused))

    @contextmanager
    def hold(self, size: int) -> Iterator[None]:
        with super().hold(size):
            self.peak = max(self.peak, self.size)
            yield
