"""Answers as aiohttp sends them: small ones in one write, large ones in slices, and streams."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from aiohttp import HttpVersion, HttpVersion10, HttpVersion11, web_request, web_response
from aiohttp.abc import AbstractStreamWriter
from multidict import CIMultiDict

from kubewright.server.unread import Unread

__all__ = ["GzipResponse", "PiecedResponse", "StreamResponse", "WholeResponse", "new_compressor", "slices"]

_AT_ONCE: Final = 64 * 1024
"""Answers up to this size are joined with their headers; to copy larger ones costs more than it saves."""

_SLICE: Final = 64 * 1024
"""How much of a large answer is written at once; a transport keeps a copy of it, and TLS another."""

_COMPRESSED_PART: Final = 256 * 1024
"""How much is compressed at once: a millisecond or two."""

_TURN: Final = 1024 * 1024
"""How much is written before others have their turn, if the client reads as fast as that."""


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
    """An answer with all its bytes; they count as unread while a large one is written."""

    def __init__(
        self, status: int, headers: CIMultiDict[str], body: bytes, unread: Unread | None = None
    ) -> None:
        super().__init__(status, headers)
        headers["Content-Length"] = str(len(body))
        self.body: Final = body
        self._unread: Final = unread

    async def prepare(self, request: web_request.BaseRequest) -> AbstractStreamWriter:
        """Write headers and body."""
        line, writer = self._complete(request), request.writer
        body = b"" if request.method == "HEAD" else self.body
        head = _encode_head(line, self._all)
        if len(body) > _AT_ONCE:
            with nullcontext() if self._unread is None else self._unread.hold(len(body)):
                await write_pieces(request, (head, body))
            return writer
        transport = request.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the caller is gone")
        transport.write(head + body)
        # Whoever sends requests and does not read the answers has to wait.
        await writer.drain()
        return writer

    async def write_eof(self, data: bytes = b"") -> None:
        """All is written already."""


class PiecedResponse(_Response):
    """An answer in pieces, of which `own` bytes are not shared with other answers."""

    def __init__(
        self,
        status: int,
        headers: CIMultiDict[str],
        pieces: Sequence[bytes | memoryview],
        unread: Unread,
        *,
        size: int,
        own: int,
    ) -> None:
        super().__init__(status, headers)
        self._pieces: Final = pieces
        self._unread: Final = unread
        self._size: Final = size
        self._own: Final = own

    async def prepare(self, request: web_request.BaseRequest) -> AbstractStreamWriter:
        """Write headers and pieces."""
        self._all["Content-Length"] = str(self._size)
        head = _encode_head(self._complete(request), self._all)
        pieces = () if request.method == "HEAD" else self._pieces
        with self._unread.hold(self._own):
            await write_pieces(request, (head, *pieces))
        return request.writer

    async def write_eof(self, data: bytes = b"") -> None:
        """All is written already."""


class GzipResponse(PiecedResponse):
    """An answer in pieces that is compressed in a thread, part by part as the client reads."""

    async def prepare(self, request: web_request.BaseRequest) -> AbstractStreamWriter:
        """Write headers and pieces."""
        response = StreamResponse(self._code, self._all)
        if not self._keeps:
            response.force_close()
        await response.prepare(request)
        with self._unread.hold(self._own):
            if request.method != "HEAD":
                compressor = new_compressor()
                loop = asyncio.get_running_loop()
                for part in slices(self._pieces, _COMPRESSED_PART):
                    await response.write(await loop.run_in_executor(None, compressor.compress, part))
                await response.write(compressor.flush())
            await StreamResponse.write_eof(response)
        self._keeps = response.keep_alive
        return request.writer


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
            for part in slices((data,)):
                await self._stream.write(part)
                await self._stream.drain()
        elif len(data) > _SLICE:
            await write_pieces(self._chunked_to, (b"%x\r\n" % len(data), data, b"\r\n"))
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


def new_compressor() -> zlib._Compress:
    """Compresses as upstream does, with level 1 and the header of gzip: answers are large, networks fast."""
    return zlib.compressobj(1, zlib.DEFLATED, 16 + zlib.MAX_WBITS)


def slices(
    pieces: Iterable[bytes | bytearray | memoryview], size: int = _SLICE
) -> Iterator[bytes | memoryview]:
    """The same bytes in parts of at most about `size`: small pieces are joined, large ones are not copied."""
    batch: list[bytes | bytearray | memoryview] = []
    length = 0
    for piece in pieces:
        if length + len(piece) > size and batch:
            yield b"".join(batch)
            batch, length = [], 0
        if len(piece) > size:
            view = memoryview(piece)
            for start in range(0, len(piece), size):
                yield view[start : start + size]
        else:
            batch.append(piece)
            length += len(piece)
    if batch:
        yield b"".join(batch)


async def write_pieces(
    request: web_request.BaseRequest, pieces: Iterable[bytes | bytearray | memoryview]
) -> None:
    """Write in slices, each when the client has read most of the one before. Raises ConnectionError."""
    writer, written = request.writer, 0
    for part in slices(pieces):
        transport = request.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the client is gone")
        transport.write(part)
        await writer.drain()
        written += len(part)
        if written >= _TURN:
            written = 0
            await asyncio.sleep(0)


def _encode_head(line: str, headers: CIMultiDict[str]) -> bytes:
    fields = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    return f"{line}\r\n{fields}\r\n".encode()


@lru_cache(2)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)


_STATUSES: Final = frozenset(HTTPStatus)
"""Those that have a name; an admission webhook may refuse with any number."""


@lru_cache(64)
def _status_line(version: HttpVersion, status: int) -> str:
    phrase = HTTPStatus(status).phrase if status in _STATUSES else ""
    return f"HTTP/{version.major}.{version.minor} {status} {phrase}"
