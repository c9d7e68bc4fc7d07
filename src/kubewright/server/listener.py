"""Listening for HTTPS: aiohttp's server with our bounds, and its clean end."""

from __future__ import annotations

import asyncio
import socket
import ssl
import tempfile
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

# Not by aiohttp.web: that loads routes, files and web sockets as well, which every start would wait for.
from aiohttp.web_protocol import RequestHandler
from aiohttp.web_server import Server

from kubewright.config.verification import load_authorities, verify_like_go
from kubewright.machinery.errors import KubewrightError
from kubewright.server.access import Access
from kubewright.server.arrivals import Arrivals
from kubewright.server.certificates import Credentials
from kubewright.server.http import Handle, HTTPHandler, QuietLogger

if TYPE_CHECKING:
    from kubewright.server.audit import Auditor

__all__ = ["ClientAuthoritiesInvalid", "listen", "ssl_context"]

_MAX_HEAD: Final = 1 << 20
"""The longest request line and header: Go's DefaultMaxHeaderBytes for the whole head. Selectors and tokens
can be long."""

_MAX_HEADERS: Final = 1000
"""How many headers a request may have; no client sends a tenth of it."""

_MAX_HEADS: Final = 2 * _MAX_HEAD
"""How much may come that is no request yet and no body: aiohttp bounds each line alone, and keeps all."""

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


class ClientAuthoritiesInvalid(KubewrightError):
    """What should be the authorities of callers' certificates is no PEM."""

    def __init__(self) -> None:
        super().__init__("the client CA has no certificate in PEM; name a file with BEGIN CERTIFICATE in it")


class _Connection(RequestHandler):
    """A connection that is cut when the head of a request does not end."""

    __slots__ = ("_body", "_heads", "_seen", "_server")

    def __init__(self, server: _Server, **options: Any) -> None:
        super().__init__(server, **options)
        self._server = server
        self._seen = 0
        self._heads = 0
        self._body: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, unless the server ended while the handshake was under way."""
        super().connection_made(transport)
        if self._server.ended and self.transport is not None:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take in what has come."""
        self._server.arrivals.count += 1
        super().data_received(data)
        if self._request_count != self._seen:
            self._seen, self._heads = self._request_count, 0
            self._body = self._messages[-1][1]
        elif self._payload_parser is None and (self._body is None or self._body.is_eof()):
            # Of WebSockets, messages are bounded one by one.
            self._heads += len(data)
            if self._heads > _MAX_HEADS and self.transport is not None:
                self.transport.abort()


class _Server(Server):
    """Makes such connections."""

    ended = False
    """Whether connections that come to be now are cut."""

    def __init__(self, handler: HTTPHandler, arrivals: Arrivals, **options: Any) -> None:
        super().__init__(handler, **options)
        self.arrivals: Final = arrivals

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
) -> int:
    """Serve HTTPS until the stack is left, on a port or, with 0, on any; returns the port. Raises OSError.

    `arrivals` is told whenever something comes.
    """
    http = _Server(
        HTTPHandler(handle, access, auditor),
        arrivals,
        access_log=None,
        logger=QuietLogger("kubewright.server.http"),
        auto_decompress=False,
        handler_cancellation=True,
        lingering_time=_LINGER,
        max_line_size=_MAX_HEAD,
        max_field_size=_MAX_HEAD,
        max_headers=_MAX_HEADERS,
    )
    loop = asyncio.get_running_loop()
    server = await loop.create_server(http, host, port, ssl=context, backlog=_BACKLOG)
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
