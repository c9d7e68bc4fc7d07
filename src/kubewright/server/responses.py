"""Answers as aiohttp sends them: whole ones in one write, and streams."""

from __future__ import annotations

import time
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from aiohttp import HttpVersion, HttpVersion10, HttpVersion11, web_request, web_response
from aiohttp.abc import AbstractStreamWriter
from multidict import CIMultiDict

__all__ = ["StreamResponse", "WholeResponse"]


class _Response(web_response.StreamResponse):
    """An answer whose headers are complete but for those of the connection.

    aiohttp's own responses ask many questions that have one answer here, and cost as much as a short GET.
    """

    def __init__(self, status: int, headers: CIMultiDict[str]) -> None:
        super().__init__(status=status)
        self._all: CIMultiDict[str] = headers
        self._keeps = True

    @property
    def headers(self) -> CIMultiDict[str]:
        """What is sent with the answer."""
        return self._all

    @property
    def keep_alive(self) -> bool:
        """Whether the connection stays open."""
        return self._keeps

    def force_close(self) -> None:
        """End the connection after the answer."""
        self._keeps = False

    async def _head(self, request: web_request.BaseRequest) -> AbstractStreamWriter:
        version = request.version
        self._keeps = self._keeps and request.keep_alive
        if not self._keeps:
            self._all["Connection"] = "close"
        elif version == HttpVersion10:
            self._all["Connection"] = "keep-alive"
        self._all["Date"] = _date(int(time.time()))
        writer = request.writer
        await writer.write_headers(_status_line(version, self.status), self._all)
        return writer


class WholeResponse(_Response):
    """An answer with all its bytes."""

    def __init__(self, status: int, headers: CIMultiDict[str], body: bytes) -> None:
        super().__init__(status, headers)
        headers["Content-Length"] = str(len(body))
        self.body: Final = body

    async def prepare(self, request: web_request.BaseRequest) -> AbstractStreamWriter:
        """Write headers and body."""
        writer = await self._head(request)
        await writer.write_eof(b"" if request.method == "HEAD" else self.body)
        return writer

    async def write_eof(self, data: bytes = b"") -> None:
        """All is written already."""


class StreamResponse(_Response):
    """An answer that goes on; clients of HTTP 1.0 get it up to the end of the connection."""

    _stream: AbstractStreamWriter | None = None

    async def prepare(self, request: web_request.BaseRequest) -> AbstractStreamWriter:
        """Write the headers, at once; nothing the second time."""
        if self._stream is not None:
            return self._stream
        chunked = request.version >= HttpVersion11
        if chunked:
            self.headers["Transfer-Encoding"] = "chunked"
            request.writer.enable_chunking()
        else:
            self.force_close()
        self._stream = await self._head(request)
        self._stream.send_headers()
        return self._stream

    async def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write a part; waits while the client is too slow for it."""
        assert self._stream is not None  # noqa: S101 - aiohttp prepares before it writes
        await self._stream.write(data)

    async def write_eof(self, data: bytes = b"") -> None:
        """End the answer; nothing the second time."""
        assert self._stream is not None  # noqa: S101 - as above
        await self._stream.write_eof(data)


@lru_cache(2)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)


@lru_cache(64)
def _status_line(version: HttpVersion, status: int) -> str:
    return f"HTTP/{version.major}.{version.minor} {status} {HTTPStatus(status).phrase}"
