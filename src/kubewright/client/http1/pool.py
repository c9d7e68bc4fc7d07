"""The connections to one server: made when they are needed, kept for a while, closed together."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Callable
from errno import ECONNRESET
from typing import Any, Final

from kubewright.client.http1.connection import Connection
from kubewright.machinery.errors import TransportError

__all__ = ["ConnectionPool", "wrap_with_tls"]

_NEXT_ADDRESS: Final = 0.25
"""Seconds after which the next address of a name is tried beside the first: RFC 8305 recommends as much."""


class ConnectionPool:
    """Connections to a host and port; used in one event loop."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        server: str,
        tls_server_name: str,
        keep_alive: float,
        new_socket: Callable[[tuple[Any, ...]], socket.socket],
    ) -> None:
        """`server` is what errors call it; a connection that was idle for `keep_alive` seconds is closed."""
        self._host: Final = host
        self._port: Final = port
        self._server: Final = server
        self._tls_server_name: Final = tls_server_name
        self._keep_alive: Final = keep_alive
        self._new_socket: Final = new_socket
        self._context: ssl.SSLContext | None = None
        """The TLS of the idle connections; those of another are closed when they are released."""
        self._contexts: Final[dict[Connection, ssl.SSLContext | None]] = {}
        """All connections."""
        self._idle: Final[list[Connection]] = []
        """Those without a request, the one that was used last at the end."""
        self._opening: Final[set[asyncio.Task[Connection]]] = set()
        self._sweep: asyncio.TimerHandle | None = None

    def idle(self, context: ssl.SSLContext | None) -> Connection | None:
        """Take a connection that is free; None if there is none."""
        if context is not self._context:
            # Certificates were renewed: connections belong to those that they were made with.
            self._context = context
            for connection in self._idle.copy():
                connection.close()
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open:
                return connection
        return None

    async def connect(self, context: ssl.SSLContext | None) -> Connection:
        """Make a connection. Raises OSError; the caller limits the time."""
        task = asyncio.create_task(self._connect(context), name=f"connect to {self._server}")
        self._opening.add(task)
        try:
            return await task
        except BaseException:
            if task.done() and not task.cancelled() and task.exception() is None:
                # It was there at the moment in which its caller was cancelled.
                self._release(task.result())
            raise
        finally:
            self._opening.discard(task)

    def close(self, error: Callable[[], TransportError]) -> None:
        """Close all connections, and end what is under way with an error; those being made are cancelled."""
        if self._sweep is not None:
            self._sweep.cancel()
        for task in self._opening:
            task.cancel()
        for connection in list(self._contexts):
            connection.close(error())

    async def _connect(self, context: ssl.SSLContext | None) -> Connection:
        # Not with the client: a program may import that and connect to nothing.
        from aiohappyeyeballs import start_connection  # noqa: PLC0415

        loop = asyncio.get_running_loop()
        addresses = await loop.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        sock = await start_connection(
            addresses, happy_eyeballs_delay=_NEXT_ADDRESS, socket_factory=self._new_socket
        )
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if context is not None:
                # Certificates have no names with the dot of a complete domain name.
                name = self._tls_server_name or self._host.rstrip(".")
                sock = await wrap_with_tls(sock, context, server_hostname=name)
            connection = Connection(sock, server=self._server, release=self._release)
        except BaseException:
            sock.close()
            raise
        self._contexts[connection] = context
        return connection

    def _release(self, connection: Connection) -> None:
        if not connection.is_open:
            self._contexts.pop(connection, None)
            if connection in self._idle:
                self._idle.remove(connection)
        elif self._contexts.get(connection) is not self._context:
            connection.close()
        else:
            connection.idle_since = asyncio.get_running_loop().time()
            self._idle.append(connection)
            if self._sweep is None:
                self._sweep_after(self._keep_alive)

    def _sweep_after(self, seconds: float) -> None:
        self._sweep = asyncio.get_running_loop().call_later(seconds, self._close_stale)

    def _close_stale(self) -> None:
        """Close what was idle for too long; the longest idle ones stand first."""
        self._sweep = None
        now = asyncio.get_running_loop().time()
        while self._idle and now - self._idle[0].idle_since >= self._keep_alive:
            self._idle[0].close()
        if self._idle:
            self._sweep_after(self._idle[0].idle_since + self._keep_alive - now)


async def wrap_with_tls(
    sock: socket.socket, context: ssl.SSLContext, *, server_hostname: str
) -> ssl.SSLSocket:
    """Have TLS on a socket that does not block, or close it. Raises OSError."""
    context.sslsocket_class = _TLSSocket
    try:
        wrapped = context.wrap_socket(
            sock,
            server_hostname=server_hostname,
            do_handshake_on_connect=False,
            suppress_ragged_eofs=False,
        )
    except BaseException:
        sock.close()
        raise
    try:
        await _handshake(wrapped)
    except BaseException:
        wrapped.close()
        raise
    return wrapped


class _TLSSocket(ssl.SSLSocket):
    """A socket with TLS that is closed if its connection is gone when it is made; else it would stay open."""

    def getpeername(self) -> Any:
        """The address of the server, which `SSLContext.wrap_socket` asks for first."""
        try:
            return super().getpeername()
        except OSError:
            if self._sslobj is not None:  # type: ignore[attr-defined] # It is made, and only asked.
                raise
            self.close()
            raise ConnectionResetError(ECONNRESET, os.strerror(ECONNRESET)) from None


async def _handshake(sock: ssl.SSLSocket) -> None:
    """The handshake of TLS, without blocking. Raises OSError."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            sock.do_handshake()
        except ssl.SSLWantReadError:
            await _ready(sock, loop.add_reader, loop.remove_reader)
        except ssl.SSLWantWriteError:
            await _ready(sock, loop.add_writer, loop.remove_writer)
        else:
            return


async def _ready(sock: socket.socket, add: Callable[..., object], remove: Callable[..., object]) -> None:
    """Wait until the event loop reports a socket; `add` and `remove` say for what."""
    ready = asyncio.get_running_loop().create_future()

    def report() -> None:
        if not ready.done():
            ready.set_result(None)

    add(sock, report)
    try:
        await ready
    finally:
        remove(sock)
