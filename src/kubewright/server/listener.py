"""Listening for HTTPS: aiohttp's server with our bounds, and its clean end."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import tempfile
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

# Not by aiohttp.web: that loads routes, files and web sockets as well, which every start would wait for.
from aiohttp.web_protocol import RequestHandler
from aiohttp.web_server import Server

from kubewright.config.verification import load_authorities, verify_like_go
from kubewright.machinery.errors import KubewrightError
from kubewright.server.access import Access
from kubewright.server.arrivals import Arrivals
from kubewright.server.certificates import Credentials
from kubewright.server.http import BODY_TIMEOUT, Handle, HTTPHandler, QuietLogger
from kubewright.server.open_files import affordable_connections
from kubewright.server.unread import Unread

if TYPE_CHECKING:
    from kubewright.server.audit import Auditor

__all__ = ["ClientAuthoritiesInvalid", "ConnectionLimits", "listen", "ssl_context"]

_log: Final = logging.getLogger("kubewright.server")

_MAX_HEAD: Final = 1 << 20
"""The longest request line and header: Go's DefaultMaxHeaderBytes for the whole head. Selectors and tokens
can be long."""

_MAX_HEADERS: Final = 1000
"""How many headers a request may have; no client sends a tenth of it."""

_MAX_HEADS: Final = 2 * _MAX_HEAD
"""How much may come that is no request yet and no body: aiohttp bounds each line alone, and keeps all."""

_HIGH_WATER: Final = 64 * 1024
"""How many bytes a connection buffers, encrypted and not, before writers wait; the socket below buffers as
much. asyncio's own mark for TLS is 512 KiB, which ten thousand slow readers would make 5 GB."""

_MAX_CONNECTIONS: Final = 10_000
"""How many connections there may be at once, if the system allows as many open files."""

_SWEEP: Final = 1.0
"""Seconds between looks for heads that do not come."""

_BACKLOG: Final = 1024
"""How many connections may wait to be accepted."""

_LINGER: Final = 1.0
"""Seconds that a connection stays for the rest of a body that was refused."""

_LAST_BYTES: Final = 0.02
"""Seconds for what is written last to leave before connections are cut; on loopback it is there at once."""

_ROUNDS: Final = 5
"""Rounds of an event loop in which asyncio makes a transport of an accepted socket; it takes two."""

_GRACE: Final = 2.0
"""Seconds that requests under way have to end when the server stops; watches are ended at once."""


class ConnectionLimits(NamedTuple):
    """What a client may take of a server before it is known; times are in seconds."""

    handshake_timeout: float = 30.0
    """For TLS; in Go it has the time of a head."""
    head_timeout: float = 30.0
    """From the first byte of a head, or from the handshake, to its end; kube-apiserver's ReadHeaderTimeout is
    32."""
    body_timeout: float = BODY_TIMEOUT
    idle_timeout: float = 90.0
    """Between requests; kube-apiserver's IdleTimeout."""
    max_connections: int = _MAX_CONNECTIONS


class ClientAuthoritiesInvalid(KubewrightError):
    """What should be the authorities of callers' certificates is no PEM."""

    def __init__(self) -> None:
        super().__init__("the client CA has no certificate in PEM; name a file with BEGIN CERTIFICATE in it")


class _Connection(RequestHandler):
    """A connection that is cut when the head of a request does not end."""

    __slots__ = ("_body", "_counted", "_heads", "_seen", "_server", "is_patient")

    def __init__(self, server: _Server, **options: Any) -> None:
        super().__init__(server, **options)
        self._server = server
        self._seen = 0
        self._heads = 0
        self._body: Any = None
        self._counted = False
        self.is_patient = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, unless the server ended while the handshake was under way."""
        super().connection_made(transport)
        self._counted = True
        if not self._server.admit():
            self.abort()
            return
        self._server.heads.begin(self)
        if self.transport is not None:
            self.transport.set_write_buffer_limits(high=_HIGH_WATER)
        if self._server.ended and self.transport is not None:
            self.transport.abort()

    def pause_writing(self) -> None:
        """Note that the client does not read as fast as is written."""
        super().pause_writing()
        self._server.unread.paused(self)

    def resume_writing(self) -> None:
        """Note that the client reads."""
        self._server.unread.resumed(self)
        super().resume_writing()

    def connection_lost(self, exc: BaseException | None) -> None:
        """End."""
        if self._counted:
            self._counted = False
            self._server.count -= 1
        self._server.heads.end(self)
        self._server.unread.resumed(self)
        super().connection_lost(exc)

    def abort(self) -> None:
        """Cut the connection, with what waits on it."""
        if self.transport is not None:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take in what has come."""
        self._server.arrivals.count += 1
        was_in_body = self._body is not None and not self._body.is_eof()
        super().data_received(data)
        if self._request_count != self._seen:
            self._seen, self._heads = self._request_count, 0
            self._body = self._messages[-1][1]
            self._server.heads.end(self)
        elif data and self._payload_parser is None and not was_in_body:
            # Of WebSockets, messages are bounded one by one. What ends a body begins no head, and neither
            # does the empty data with which aiohttp has its parser go on after a pause.
            self._heads += len(data)
            self._server.heads.begin(self)
            if self._heads > _MAX_HEADS:
                self.abort()


class _Heads:
    """The connections on which the head of a request is awaited; those on which it takes too long are cut."""

    def __init__(self, timeout: float) -> None:
        self._timeout: Final = timeout
        # By the time at which it began, since dicts are ordered.
        self._since: Final[dict[_Connection, float]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, connection: _Connection) -> None:
        """Note that a head is awaited, if it is not already."""
        if connection in self._since:
            return
        loop = asyncio.get_running_loop()
        self._since[connection] = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._timeout, self._sweep)

    def end(self, connection: _Connection) -> None:
        """Note that the head has come, or that the connection is gone."""
        self._since.pop(connection, None)

    def close(self) -> None:
        """Cut no more connections."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        latest = loop.time() - self._timeout
        self._timer = None
        for connection, since in list(self._since.items()):
            if since > latest:
                # One timer for all of them, which is late by a second at most.
                wait = max(since - latest, min(_SWEEP, self._timeout))
                self._timer = loop.call_later(wait, self._sweep)
                return
            self._since.pop(connection, None)
            connection.abort()


class _Server(Server):
    """Makes such connections."""

    ended = False
    """Whether connections that come to be now are cut."""

    def __init__(
        self,
        handler: HTTPHandler,
        arrivals: Arrivals,
        unread: Unread,
        limits: ConnectionLimits,
        **options: Any,
    ) -> None:
        super().__init__(handler, **options)
        self.arrivals: Final = arrivals
        self.unread: Final = unread
        self.heads: Final = _Heads(limits.head_timeout)
        self.count = 0
        """How many connections there are."""
        self._max_connections: Final = limits.max_connections
        self._warned = False

    def admit(self) -> bool:
        """Count another connection; False when there are too many."""
        self.count += 1
        if self.count <= self._max_connections:
            if self.count < self._max_connections // 2:
                self._warned = False
            return True
        if not self._warned:
            self._warned = True
            _log.warning(
                "there are %d connections, and further ones are closed; raise the limit of open files "
                "(ulimit -n) or close some",
                self._max_connections,
            )
        return False

    def __call__(self) -> RequestHandler:
        return _Connection(self, loop=self._loop, **self._kwargs)


async def listen(
    stack: AsyncExitStack,
    handle: Handle,
    access: Access,
    context: ssl.SSLContext,
    *,
    host: str,
    port: int,
    arrivals: Arrivals,
    auditor: Auditor | None = None,
    limits: ConnectionLimits | None = None,
    unread: Unread | None = None,
) -> int:
    """Serve HTTPS until the stack is left, on a port or, with 0, on any; returns the port. Raises OSError.

    `arrivals` is notified whenever something comes. `limits` are those of connections, and `unread` is that
    of answers which wait for their readers.
    """
    unread = unread or Unread()
    limits = limits or ConnectionLimits(max_connections=affordable_connections(_MAX_CONNECTIONS))
    http = _Server(
        HTTPHandler(handle, access, auditor, unread=unread, body_timeout=limits.body_timeout),
        arrivals,
        unread,
        limits,
        access_log=None,
        logger=QuietLogger("kubewright.server.http"),
        auto_decompress=False,
        handler_cancellation=True,
        lingering_time=_LINGER,
        max_line_size=_MAX_HEAD,
        max_field_size=_MAX_HEAD,
        max_headers=_MAX_HEADERS,
        keepalive_timeout=limits.idle_timeout,
    )
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        http,
        host,
        port,
        ssl=context,
        backlog=_BACKLOG,
        ssl_handshake_timeout=limits.handshake_timeout,
    )
    stack.push_async_callback(_end, server, http)
    bound: int = server.sockets[0].getsockname()[1]
    return bound


async def _end(server: asyncio.Server, http: _Server) -> None:
    """Let requests end, then cut every connection: a TLS peer that does not say goodbye is not waited for."""
    await _stop_accepting(server)
    transports = [each.transport for each in http.connections if each.transport is not None]
    sockets = [transport.get_extra_info("socket") for transport in transports]
    server.close()
    http.ended = True
    http.unread.close()
    http.heads.close()
    # So that requests which have come begin before the connections without any are closed.
    await asyncio.sleep(0)
    http.pre_shutdown()
    await http.shutdown(_GRACE)
    await asyncio.sleep(_LAST_BYTES)
    for each in sockets:
        # Not the transport, which may have forgotten what is below it once it was told to close. The sockets
        # of uvloop cannot be shut down so, but it closes them with the loop.
        with suppress(OSError, AttributeError, TypeError):
            each.shutdown(socket.SHUT_RDWR)
    # The loop sees that and closes them, in a few rounds.
    for _ in range(5):
        await asyncio.sleep(0)


async def _stop_accepting(server: asyncio.Server) -> None:
    """Take no more connections in, and hand those over that were.

    What a server of Python 3.11 has accepted and not handed over when it is closed stays open.
    """
    loop = asyncio.get_running_loop()
    if isinstance(loop, asyncio.SelectorEventLoop):  # uvloop hands over at once
        for each in server.sockets:
            loop.remove_reader(each)
        for _ in range(_ROUNDS):
            await asyncio.sleep(0)


def ssl_context(credentials: Credentials, client_authorities: str = "") -> ssl.SSLContext:
    """TLS as the server speaks it: its own certificate, and callers' where they have one.

    Callers' are of the server's own authority, or of others that are given in PEM. Raises
    ClientAuthoritiesInvalid.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.TemporaryDirectory(prefix="kubewright-") as folder:
        # OpenSSL reads certificates from files only.
        chain = Path(folder) / "server.pem"
        chain.touch(0o600)
        chain.write_bytes(credentials.server.certificate + credentials.server.key)
        context.load_cert_chain(chain)
    load_authorities(context, credentials.authority)
    if client_authorities:
        try:
            load_authorities(context, client_authorities.encode())
        except (ssl.SSLError, ValueError):
            raise ClientAuthoritiesInvalid from None
    # Callers may come with a token instead.
    context.verify_mode = ssl.CERT_OPTIONAL
    verify_like_go(context)
    # Tickets for resuming sessions are a third of a handshake, and neither Go's clients nor ours use them.
    context.num_tickets = 0
    return context
