"""`Gateway`: passes requests on to a server, but for those that a test wants answered in another way."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import aiohttp
from aiohttp import web

from kubewright.config import Config
from tests.client.peers import Asked, peer, status
from tests.controllers.servers import Server

__all__ = ["Gateway", "is_watch"]

_PASSED_ON = ("Accept", "Content-Type", "User-Agent")


def is_watch(asked: Asked, *, of: str = "") -> bool:
    """Whether a request is a watch from a revision on, of a resource or of any."""
    parts = urlsplit(asked.target)
    query = parse_qs(parts.query)
    return "watch" in query and "resourceVersion" in query and parts.path.endswith(of)


async def _at_once(_: Asked) -> None:
    pass


class Gateway:
    """Speaks HTTP to both sides, and has the administrator's credentials for the server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.answer: Callable[[Asked], web.Response | None] = lambda asked: None
        """What a test answers itself; None for what the server is to answer."""
        self.lag = 0.0
        """Seconds after which what the server sends in watches is passed on."""
        self.hold: Callable[[Asked], bool] = lambda asked: False
        """Which requests are never answered."""
        self.wait: Callable[[Asked], Awaitable[None]] = _at_once
        """What a request waits for before it is passed on."""
        self.lose: Callable[[Asked], Literal["", "cut", "hold", "fail"]] = lambda asked: ""
        """Which requests the server gets, and whose answers are lost: how."""
        self._held: set[asyncio.Task[bool]] = set()
        self.watches: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Config]:
        """How to reach it, without credentials, in the block."""
        context = ssl.create_default_context(cafile=self._server.ca_file)
        connector = aiohttp.TCPConnector(ssl=context, limit=0)
        async with peer(self._handle) as made:
            self._session = aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout())
            try:
                yield made.config
            finally:
                self.end_watches()
                for task in self._held:
                    task.cancel()
                await self._session.close()

    def end_watches(self) -> None:
        """End every watch that is under way, as servers do."""
        for task in list(self.watches):
            task.cancel()

    async def _hold(self) -> None:
        task = asyncio.create_task(asyncio.Event().wait())
        self._held.add(task)
        await asyncio.wait([task])

    async def _handle(self, asked: Asked, request: web.BaseRequest) -> web.StreamResponse:
        if self.hold(asked):
            await self._hold()
        await self.wait(asked)
        own = self.answer(asked)
        if own is not None:
            return own
        try:
            answer = await self._passed_on(asked, request)
            how = self.lose(asked)
            if how == "cut" and request.transport is not None:
                request.transport.abort()
            elif how == "hold":
                await self._hold()
            return status(500) if how == "fail" else answer
        except aiohttp.ClientError:
            return status(503)

    async def _passed_on(self, asked: Asked, request: web.BaseRequest) -> web.StreamResponse:
        headers = {name: asked.headers[name] for name in _PASSED_ON if name in asked.headers}
        headers["Authorization"] = f"Bearer {self._server.token}"
        async with self._session.request(
            asked.method, self._server.url + asked.target, headers=headers, data=asked.body or None
        ) as answer:
            if not is_watch(asked):
                kind = answer.headers.get("Content-Type", "")
                return web.Response(
                    status=answer.status, body=await answer.read(), headers={"Content-Type": kind}
                )
            response = web.StreamResponse(status=answer.status, headers={"Content-Type": answer.content_type})
            await response.prepare(request)
            task = asyncio.create_task(self._pass_on(answer, response))
            self.watches.add(task)
            await asyncio.wait([task])
            self.watches.discard(task)
            return response

    async def _pass_on(self, answer: aiohttp.ClientResponse, response: web.StreamResponse) -> None:
        try:
            async for chunk in answer.content.iter_any():
                if self.lag:
                    await asyncio.sleep(self.lag)
                await response.write(chunk)
        except (aiohttp.ClientError, ConnectionError):
            # One of the two sides has gone.
            return
