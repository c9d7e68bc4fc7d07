"""Servers on loopback that answer as a test tells them, over TLS, and keep what they were asked."""

from __future__ import annotations

import asyncio
import ssl
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from aiohttp import web
from multidict import CIMultiDict

from kubewright.config import ClientCertificate, Config, StaticCredentials
from kubewright.server.certificates import Credentials, make_credentials


class Asked(NamedTuple):
    """A request as it came over the wire."""

    method: str
    target: str
    headers: CIMultiDict[str]
    body: bytes
    certificate: dict[str, Any] | None
    connection: int
    """Which connection it came over: requests over the same one have the same number."""


Answer = web.StreamResponse | None
Handle = Callable[[Asked, web.BaseRequest], Awaitable[Answer] | Answer]


class Peer:
    """A server that keeps what it was asked, and answers as `handle` says; None cuts the connection."""

    def __init__(self, handle: Handle, credentials: Credentials | None) -> None:
        self._handle = handle
        self._connections: dict[asyncio.BaseTransport, int] = {}
        self._count = 0
        self.credentials = credentials
        self.asked: list[Asked] = []
        self.port = 0

    @property
    def config(self) -> Config:
        """How to reach it, without credentials."""
        if self.credentials is None:
            return Config(server=f"http://127.0.0.1:{self.port}")
        return Config(server=f"https://127.0.0.1:{self.port}", authority=self.credentials.authority)

    @property
    def client_certificate(self) -> StaticCredentials:
        assert self.credentials is not None
        admin = self.credentials.admin
        return StaticCredentials(certificate=ClientCertificate(admin.certificate, admin.key))

    def is_connected(self) -> bool:
        """Whether any connection is open."""
        self._connections = {
            transport: number for transport, number in self._connections.items() if not transport.is_closing()
        }
        return bool(self._connections)

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        transport = request.transport
        assert transport is not None
        if transport not in self._connections:
            self._connections[transport] = self._count
            self._count += 1
        connection = self._connections[transport]
        peer = transport.get_extra_info("ssl_object")
        asked = Asked(
            request.method,
            request.path_qs,
            CIMultiDict(request.headers),
            await request.read(),
            peer.getpeercert() if peer is not None else None,
            connection,
        )
        self.asked.append(asked)
        answer = self._handle(asked, request)
        if isinstance(answer, Awaitable):
            answer = await answer
        if answer is None:
            transport.abort()
            raise ConnectionResetError
        return answer


_CREDENTIALS: list[Credentials] = []


def some_credentials() -> Credentials:
    """Certificates for loopback, the same in all tests: making them takes a while."""
    if not _CREDENTIALS:
        _CREDENTIALS.append(make_credentials(["127.0.0.1", "localhost"]))
    return _CREDENTIALS[0]


@asynccontextmanager
async def peer(handle: Handle, *, tls: bool = True, keepalive: float = 75.0) -> AsyncIterator[Peer]:
    """Such a server for the length of a block."""
    made = Peer(handle, some_credentials() if tls else None)
    runner = web.ServerRunner(web.Server(made, keepalive_timeout=keepalive))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=server_context() if tls else None)
    await site.start()
    made.port = runner.addresses[0][1]
    try:
        yield made
    finally:
        await runner.cleanup()


def server_context() -> ssl.SSLContext:
    """TLS for a server with `some_credentials`, which takes client certificates."""
    credentials = some_credentials()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        chain = Path(folder) / "chain.pem"
        chain.write_bytes(credentials.server.certificate + credentials.server.key)
        context.load_cert_chain(chain)
    context.load_verify_locations(cadata=credentials.authority.decode())
    context.verify_mode = ssl.CERT_OPTIONAL
    return context


_GONE_WITHIN = 5.0
"""Seconds after which what was closed is gone, on a busy machine."""


def run(test: Callable[[], Awaitable[None]], *, within: float = 300) -> None:
    """Run an async test, and see that it leaves no task behind."""

    async def main() -> None:
        before = asyncio.all_tasks()
        async with asyncio.timeout(within):
            await test()
        # Connections that were closed need a moment to be gone, in which the other end answers.
        end = asyncio.get_running_loop().time() + _GONE_WITHIN
        while not asyncio.all_tasks() <= before and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        assert asyncio.all_tasks() <= before

    asyncio.run(main())


def status(code: int, reason: str = "", headers: dict[str, str] | None = None) -> web.Response:
    """A refusal as API servers write it."""
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code}
    return web.json_response(body, status=code, headers=headers)
