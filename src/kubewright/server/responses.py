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


_AT_ONCE: Final = 64 * 1024
"""Answers up to this size are joined with their headers; to copy larger ones costs more than it saves. It is
also what transports take before they ask writers to wait."""


class _Response(web_response.StreamResponse):
    """An answer whose headers are complete but for those of the connection.

    aiohttp's own responses ask many questions that have one answer here, and cost as much as a short GET; of
    what its constructor makes, nothing is used.
    """

    def __init__(self, status: int, headers: CIMultiDict[str]) -> None:
        self._code: Final = status
        self._all: Final = headers
        self._keeps = True

    @property
    def status(self) -> int:
        """The code of HTTP."""
        return self._code

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

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._code}>"

    def _complete(self, request: web_request.BaseRequest) -> str:
        """Add the headers of the connection; gives the status line."""
        version = request.version
        self._keeps = self._keeps and request.keep_alive
        if not self._keeps:
            self._all["Connection"] = "close"
        elif version == HttpVersion10:
            self._all["Connection"] = "keep-alive"
        self._all["Date"] = _date(int(time.time()))
        return _status_line(version, self._code)


class WholeResponse(_Response):
    """An answer with all its bytes."""

    def __init__(self, status: int, headers: CIMultiDict[str], body: bytes) -> None:
        super().__init__(status, headers)
        headers["Content-Length"] = str(len(body))
        self.body: Final = body

    async def prepare(self, request: web_request.BaseRequest) -> AbstractStreamWriter:
        """Write headers and body."""
        line, writer = self._complete(request), request.writer
        body = b"" if request.method == "HEAD" else self.body
        if len(body) > _AT_ONCE:
            await writer.write_headers(line, self._all)
            await writer.write_eof(body)
            return writer
        transport = request.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the caller is gone")
        head = "".join([f"{name}: {value}\r\n" for name, value in self._all.items()])
        transport.write(f"{line}\r\n{head}\r\n".encode() + body)
        # Whoever sends requests and does not read the answers has to wait.
        await writer.drain()
        return writer

    async def write_eof(self, data: bytes = b"") -> None:
        """All is written already."""


class StreamResponse(_Response):
    """An answer that goes on; clients of HTTP 1.0 get it up to the end of the connection."""

    _stream: AbstractStreamWriter | None = None
    _chunked_to: web_request.BaseRequest | None = None
    """The request, if its answer comes in chunks."""

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
        line, writer = self._complete(request), request.writer
        await writer.write_headers(line, self._all)
        writer.send_headers()
        self._stream, self._chunked_to = writer, request if chunked else None
        return writer

    async def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write a part; waits while the client is too slow for it."""
        assert self._stream is not None  # noqa: S101 - aiohttp prepares before it writes
        if self._chunked_to is None:
            await self._stream.write(data)
        elif data:
            # Here and not there, because each event of each watch comes this way.
            transport = self._chunked_to.transport
            if transport is None or transport.is_closing():
                raise ConnectionResetError("the caller is gone")
            chunk = data if isinstance(data, bytes) else bytes(data)
            transport.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            await self._stream.drain()

    async def write_eof(self, data: bytes = b"") -> None:
        """End the answer; nothing the second time."""
        assert self._stream is not None  # noqa: S101 - as above
        await self._stream.write_eof(data)


@lru_cache(2)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)


_STATUSES: Final = frozenset(HTTPStatus)
"""Those that have a name; an admission webhook may refuse with any number."""


@lru_cache(64)
def _status_line(version: HttpVersion, status: int) -> str:
    phrase = HTTPStatus(status).phrase if status in _STATUSES else ""
    return f"HTTP/{version.major}.{version.minor} {status} {phrase}"
