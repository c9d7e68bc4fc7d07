"""One connection: a request is written to its socket, and the answer read from it, without anything between.

The socket is used directly, TLS included, and the event loop only says when there is something to read. So
`Connection` works on every event loop that watches file descriptors.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Callable, Sequence
from contextvars import Context
from typing import Final

from kubewright.client.connections import MAX_ANSWER, Stream
from kubewright.client.fencing import may_send
from kubewright.client.http1.messages import AnswerReader
from kubewright.client.request import Response
from kubewright.machinery.errors import RequestTimeout, TransportError

__all__ = ["Answer", "Connection", "ConnectionLost", "reason_of"]

_READ_SIZE: Final = 1 << 16
"""Bytes that are read at once. A record of TLS has at most 16 KB, and so is read whole: what OpenSSL keeps
of it would not be reported by the event loop."""

_READS_IN_A_ROW: Final = 16
"""Reads of one connection before others have their turn."""

_MAX_AHEAD: Final = 1 << 18
"""Bytes of a body that wait for their reader before no more are read from the socket."""

_TRY_LATER: Final = (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError, InterruptedError)

_GONE: Final = (ConnectionResetError, BrokenPipeError, ssl.SSLEOFError, ssl.SSLZeroReturnError)
"""How a write fails when the server is done with the connection."""


class ConnectionLost(TransportError):
    """The connection ended before the first byte of an answer: a server that closes an idle one does that."""


class Connection:
    """A connection to a server, with at most one request under way."""

    __slots__ = ("_answer", "_is_paused", "_loop", "_release", "_server", "_socket", "_unsent", "idle_since")

    def __init__(self, sock: socket.socket, *, server: str, release: Callable[[Connection], object]) -> None:
        """Take over a socket that is connected and does not block.

        `release` is called when it is free for another request, and when it is closed.
        """
        self._socket: Final = sock
        self._server: Final = server
        self._release: Final = release
        self._loop: Final = asyncio.get_running_loop()
        self._answer: Answer | None = None
        self._unsent: memoryview | None = None
        self._is_paused = False
        self.idle_since = 0.0
        # In a context of its own: that of the first request would live as long as the connection.
        Context().run(self._loop.add_reader, sock, self._on_readable)

    @property
    def is_open(self) -> bool:
        """Whether it can still be used."""
        return self._socket.fileno() >= 0

    def send(self, data: bytes, reader: AnswerReader) -> Answer:
        """Write a request, and return its answer, of which nothing is there yet.

        Raises ConnectionAbortedError when the fence of the running code does not let it be written.
        """
        answer = self._answer = Answer(self, reader, self._server)
        try:
            sent = self._write(data)
            if sent < len(data):
                self._unsent = memoryview(data)[sent:]
                # In the context of the request, which the fence is asked in.
                self._loop.add_writer(self._socket, self._on_writable)
        except BaseException:
            self._answer = None
            self.close()
            raise
        return answer

    def close(self, error: TransportError | None = None) -> None:
        """Close it at once, and end its answer with an error."""
        if self._socket.fileno() < 0:
            return
        if not self._is_paused:
            self._loop.remove_reader(self._socket)
        if self._unsent is not None:
            self._unsent = None
            self._loop.remove_writer(self._socket)
        self._socket.close()
        answer, self._answer = self._answer, None
        if answer is not None:
            answer.fail(error or TransportError(f"the connection to {self._server} was closed"))
        self._release(self)

    def resume(self) -> None:
        """Read on, after the reader of an answer has taken what was there."""
        if self._is_paused and self._socket.fileno() >= 0:
            self._is_paused = False
            Context().run(self._loop.add_reader, self._socket, self._on_readable)

    def _write(self, data: bytes | memoryview) -> int:
        if not may_send():
            raise ConnectionAbortedError("it may not be written any more")
        try:
            return self._socket.send(data)
        except _TRY_LATER:
            return 0
        except _GONE:
            # A server may answer without reading all, and close. Its answer is there to be read.
            return len(data)

    def _on_writable(self) -> None:
        unsent = self._unsent
        if unsent is None:
            return
        try:
            sent = self._write(unsent)
        except OSError as error:
            self.close(self._broken(error))
            return
        if sent < len(unsent):
            self._unsent = unsent[sent:]
        else:
            self._unsent = None
            self._loop.remove_writer(self._socket)

    def _on_readable(self) -> None:
        answer = self._answer
        try:
            for _ in range(_READS_IN_A_ROW):
                data = self._socket.recv(_READ_SIZE)
                if answer is None:
                    # The server has closed an idle connection, or says something unasked.
                    self.close()
                    return
                if not data:
                    self._on_end(answer, is_clean=True)
                    return
                if answer.feed(data):
                    self._finish(answer)
                    return
                if answer.size > _MAX_AHEAD:
                    self._is_paused = True
                    self._loop.remove_reader(self._socket)
                    break
        except _TRY_LATER:
            pass
        except ssl.SSLEOFError:
            self._on_end(answer, is_clean=False)
            return
        except OSError as error:
            self.close(self._broken(error))
            return
        except ValueError as error:
            self.close(TransportError(f"{self._server} does not answer as an API server does: {error}"))
            return
        if answer is not None:
            answer.wake()

    def _on_end(self, answer: Answer | None, *, is_clean: bool) -> None:
        """The server has closed the connection; `is_clean` unless TLS was cut off, by anybody."""
        if answer is None:
            self.close()
        elif not answer.has_begun:
            self.close(self._broken(ValueError("the server closed it without an answer")))
        else:
            try:
                answer.end(is_clean=is_clean)
            except ValueError as error:
                self.close(self._broken(error))
            else:
                self._finish(answer)

    def _finish(self, answer: Answer) -> None:
        """Let others use the connection, if they can."""
        self._answer = None
        if self._unsent is not None or not answer.leaves_connection:
            self.close()
        else:
            self._release(self)
        answer.wake()

    def _broken(self, error: Exception) -> TransportError:
        told = f"the connection to {self._server} broke: {reason_of(error)}"
        answer = self._answer
        if answer is not None and not answer.has_begun:
            return ConnectionLost(told)
        return TransportError(told)


class Answer(Stream):
    """An answer that comes over a connection."""

    def __init__(self, connection: Connection, reader: AnswerReader, server: str) -> None:
        self._connection: Final = connection
        self._reader: Final = reader
        self._server: Final = server
        self._parts: list[bytes] = []
        self.size = 0
        """The bytes of the body that wait for whoever reads it."""
        self.has_begun = False
        """Whether anything has come."""
        self._error: TransportError | None = None
        self._waiter: asyncio.Future[None] | None = None

    async def begin(self) -> None:
        """Wait for the status and the headers. Raises TransportError, ConnectionLost if nothing came."""
        try:
            while not self._reader.status:
                await self._more()
        except BaseException:
            self.close()
            raise
        self.status = self._reader.status
        self.headers = self._reader.headers

    @property
    def warnings(self) -> Sequence[str]:
        """The Warning headers as they are."""
        return self._reader.headers.getall("Warning", ())

    async def chunk(self, *, within: float | None = None) -> bytes:
        """What has come, as soon as anything has; empty at the end."""
        while not self._parts:
            if self._reader.is_complete:
                return b""
            await self._more(within)
        return self._take()

    async def whole(self, *, limit: int = MAX_ANSWER) -> Response:
        """The whole answer, whatever its status; the connection is free for others then."""
        size = self._reader.length or 0
        if size > limit:
            raise self._too_large(size)
        if self._reader.is_complete:
            return self._response(self._take(), limit)
        parts = []
        size = 0
        while chunk := await self.chunk():
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                raise self._too_large(size)
        return self._response(b"".join(parts), limit)

    def close(self) -> None:
        """Let go of the answer; a connection with bytes to come is closed."""
        if not self._reader.is_complete and self._error is None:
            self._error = self._closed_error()
            self._connection.close()

    @property
    def leaves_connection(self) -> bool:
        """Whether the connection may be used again."""
        return self._reader.is_reusable

    def feed(self, data: bytes) -> bool:
        """Take in bytes of the connection, and return whether it is complete. Raises ValueError."""
        self.has_begun = True
        body = self._reader.feed(data)
        if body:
            self._parts.append(body)
            self.size += len(body)
        return self._reader.is_complete

    def end(self, *, is_clean: bool) -> None:
        """Take in the end of the connection. Raises ValueError when it comes too early."""
        self._reader.end(is_clean=is_clean)

    def fail(self, error: TransportError) -> None:
        """Take in that nothing more will come."""
        if self._error is None:
            self._error = error
        self.wake()

    def wake(self) -> None:
        """Have the reader of the answer look again."""
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    async def _more(self, within: float | None = None) -> None:
        """Wait until something has happened."""
        if self._error is not None:
            # Another is kept: with its trace this one would keep all that waits for the answer alive.
            error, self._error = self._error, self._closed_error()
            raise error
        self._connection.resume()
        loop = asyncio.get_running_loop()
        waiter = self._waiter = loop.create_future()
        if within is None:
            await waiter
        else:
            timer = loop.call_later(within, self._expire, waiter, within)
            try:
                await waiter
            finally:
                timer.cancel()

    def _expire(self, waiter: asyncio.Future[None], within: float) -> None:
        if not waiter.done():
            waiter.set_exception(RequestTimeout(f"{self._server} sent nothing for {within:g} seconds"))

    def _take(self) -> bytes:
        parts, self._parts, self.size = self._parts, [], 0
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _response(self, body: bytes, limit: int) -> Response:
        if len(body) > limit:
            raise self._too_large(len(body))
        return Response(self.status, body, self.headers)

    def _closed_error(self) -> TransportError:
        return TransportError(f"the answer of {self._server} was closed")

    def _too_large(self, size: int) -> TransportError:
        return TransportError(f"the answer of {self._server} has {size:,} bytes; ask for less at once")


def reason_of(error: BaseException) -> str:
    """What the system says about an error, in a few words."""
    system = getattr(error, "os_error", None) or error
    if isinstance(system, ConnectionError) and system.errno:
        # asyncio adds the address, which the message has already: "Connect call failed ('127.0.0.1', 6443)".
        return os.strerror(system.errno)
    return getattr(system, "strerror", None) or str(system) or type(system).__name__
