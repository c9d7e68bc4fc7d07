"""Connections on which lists and writes are answered at once, and watches late."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from kubewright.client.client import Client
from kubewright.client.connections import MAX_ANSWER, Stream
from kubewright.client.request import Request, Response
from kubewright.client.transport import Transport
from kubewright.client.websocket import WebSocket
from kubewright.config import ClientCertificate
from tests.controllers.servers import Server

__all__ = ["LateWatches", "late_client"]


class LateWatches:
    """Sockets, but what comes in watches is held back: for `lag` seconds, or from `hold` to `release`."""

    def __init__(self, sockets: Transport) -> None:
        self._sockets = sockets
        self._flowing = asyncio.Event()
        self._flowing.set()
        self.lag = 0.0

    def hold(self) -> None:
        self._flowing.clear()

    def release(self) -> None:
        self._flowing.set()

    async def passed(self) -> None:
        await asyncio.sleep(self.lag)
        await self._flowing.wait()

    async def open(
        self, request: Request, headers: Sequence[tuple[str, str]], certificate: ClientCertificate | None
    ) -> Stream:
        stream = await self._sockets.open(request, headers, certificate)
        return _Late(stream, self) if any(name == "watch" for name, _ in request.query) else stream

    async def open_websocket(
        self,
        request: Request,
        headers: Sequence[tuple[str, str]],
        certificate: ClientCertificate | None,
        *,
        protocols: Sequence[str],
    ) -> WebSocket | Response:
        return await self._sockets.open_websocket(request, headers, certificate, protocols=protocols)

    async def close(self) -> None:
        await self._sockets.close()


class _Late(Stream):
    def __init__(self, stream: Stream, watches: LateWatches) -> None:
        self._stream = stream
        self._watches = watches
        self.status = stream.status
        self.headers: Mapping[str, str] = stream.headers

    @property
    def warnings(self) -> Sequence[str]:
        return self._stream.warnings

    async def chunk(self, *, within: float | None = None) -> bytes:
        chunk = await self._stream.chunk(within=within)
        await self._watches.passed()
        return chunk

    async def whole(self, *, limit: int = MAX_ANSWER) -> Response:
        return await self._stream.whole(limit=limit)

    def close(self) -> None:
        self._stream.close()


@asynccontextmanager
async def late_client(server: Server) -> AsyncIterator[tuple[Client, LateWatches]]:
    """A client whose watches are late as told."""
    config = server.config
    watches = LateWatches(Transport(config))
    async with Client(config, connections=watches) as client:
        yield client, watches
