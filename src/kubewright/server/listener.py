"""Listening for HTTPS: aiohttp's server with our bounds, and its clean end."""

from __future__ import annotations

import asyncio
import socket
import ssl
import tempfile
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Final

# Not by aiohttp.web: that loads routes, files and web sockets as well, which every start would wait for.
from aiohttp.web_server import Server

from kubewright.server.access import Access
from kubewright.server.certificates import Credentials
from kubewright.server.http import Handle, HTTPHandler, QuietLogger

__all__ = ["listen", "ssl_context"]

_MAX_HEAD: Final = 1 << 20
"""The longest request line and header: Go's DefaultMaxHeaderBytes for the whole head. Selectors and tokens
can be long."""

_MAX_HEADERS: Final = 1000
"""How many headers a request may have; no client sends a tenth of it."""

_BACKLOG: Final = 1024
"""How many connections may wait to be accepted."""

_LINGER: Final = 1.0
"""Seconds that a connection stays for the rest of a body that was refused."""

_LAST_BYTES: Final = 0.02
"""Seconds for what is written last to leave before connections are cut; on loopback it is there at once."""

_GRACE: Final = 2.0
"""Seconds that requests under way have to end when the server stops; watches are ended at once."""


async def listen(
    stack: AsyncExitStack,
    handle: Handle,
    access: Access,
    context: ssl.SSLContext,
    *,
    host: str,
    port: int,
) -> int:
    """Serve HTTPS until the stack is left, on a port or, with 0, on any; returns the port. Raises OSError."""
    http = Server(
        HTTPHandler(handle, access),
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


async def _end(server: asyncio.Server, http: Server) -> None:
    """Let requests end, then cut every connection: a TLS peer that does not say goodbye is not waited for."""
    transports = [each.transport for each in http.connections if each.transport is not None]
    sockets = [transport.get_extra_info("socket") for transport in transports]
    server.close()
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


def ssl_context(credentials: Credentials) -> ssl.SSLContext:
    """TLS as the server speaks it: its own certificate, and callers' where they have one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.TemporaryDirectory(prefix="kubewright-") as folder:
        # OpenSSL reads certificates from files only.
        chain = Path(folder) / "server.pem"
        chain.touch(0o600)
        chain.write_bytes(credentials.server.certificate + credentials.server.key)
        context.load_cert_chain(chain)
    context.load_verify_locations(cadata=credentials.authority.decode())
    # Callers may come with a token instead.
    context.verify_mode = ssl.CERT_OPTIONAL
    # Tickets for resuming sessions are a third of a handshake, and neither Go's clients nor ours use them.
    context.num_tickets = 0
    return context
