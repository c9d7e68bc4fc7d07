"""aiohttp's server with bounds: the ports of an operator are open to whoever is in the cluster's network."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from aiohttp.web_protocol import RequestHandler
from aiohttp.web_server import Server

__all__ = ["IDLE", "BoundedServer"]

IDLE: Final = 90.0
"""Seconds after which a connection ends on which no request comes: controller-runtime's, and as long as Go's
clients keep theirs."""


class BoundedServer(Server):
    """Has so many connections at once, and none on which nothing comes.

    When there are more, the one goes that has been open for longest without a request under way; if there is
    none, the newest goes.
    """

    def __init__(self, handler: Any, *, connections: int, idle: float = IDLE, **options: Any) -> None:
        """`options` are those of aiohttp's."""
        super().__init__(handler, keepalive_timeout=idle, **options)
        self._most: Final = connections
        self._idle: Final = idle

    def connection_made(self, handler: RequestHandler, transport: asyncio.Transport) -> None:
        """Take in a connection, in the place of another one if there are too many."""
        super().connection_made(handler, transport)
        # By itself, since not every version of aiohttp looks after a connection before its first request.
        self._loop.call_later(self._idle, _end_silent, handler)
        open_ones = [each for each in self.connections if _is_open(each)]
        if len(open_ones) > self._most:
            _abort(next((each for each in open_ones if each._current_request is None), handler))


def _is_open(handler: RequestHandler) -> bool:
    return handler.transport is not None and not handler.transport.is_closing()


def _end_silent(handler: RequestHandler) -> None:
    if not handler._request_count:
        _abort(handler)


def _abort(handler: RequestHandler) -> None:
    if handler.transport is not None:
        handler.transport.abort()
