"""HTTP in front of the handlers: connections, callers, bodies, compression and errors."""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Final

from multidict import CIMultiDict, MultiDict, MultiDictProxy

from kubewright.machinery.errors import ApiError, ParseError
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.paths import RequestInfo, parse_request
from kubewright.machinery.uid import random_uid
from kubewright.server.access import Access
from kubewright.server.errors import (
    bad_request,
    internal_error,
    no_such_resource,
    request_too_large,
    service_unavailable,
)
from kubewright.server.handlers.call import NO_SNIFFING, TEXT, Answer, Call, Reply, Streamed
from kubewright.server.handlers.resources import PageNotFound
from kubewright.server.handlers.respond import status_answer
from kubewright.server.responses import StreamResponse, WholeResponse
from kubewright.server.storage import StorageError

if TYPE_CHECKING:
    from ssl import SSLObject

    from aiohttp import web

__all__ = ["MAX_BODY", "HTTPHandler", "QuietLogger"]

MAX_BODY: Final = 3 * 1024 * 1024
"""The largest body that is read; upstream's MaxRequestBodyBytes."""

_COMPRESS_FROM: Final = 128 * 1024
"""Answers of this size are compressed for those who ask for it; upstream's defaultGzipThresholdBytes."""

_COMPRESS_ASIDE: Final = 1024 * 1024
"""Larger ones are compressed in a thread, so that nobody else waits."""

_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})

_MAX_WARNINGS: Final = 4096
"""The bytes of all Warning headers of an answer; upstream cuts at the same size."""

_log: Final = logging.getLogger("kubewright.server")

_NO_QUERY: Final = MultiDictProxy(MultiDict[str]())

Handle = Callable[[Call], Awaitable[Reply]]


class QuietLogger(logging.Logger):
    """For what aiohttp says of requests that are no HTTP: no traceback for every scan of the port, and never
    the request itself, which may have a token in it."""

    def exception(self, msg: object, *args: object, exc_info: object = True, **_: Any) -> None:
        self.error(msg, *args, exc_info=exc_info)

    def error(self, msg: object, *args: object, exc_info: object = None, **_: Any) -> None:
        self.debug("a connection was ended: %s", type(exc_info).__name__)


@lru_cache(4096)
def _parsed(method: str, path: str) -> RequestInfo:
    return parse_request(method, path)


class HTTPHandler:
    """Turns requests of aiohttp into calls, and replies into responses."""

    def __init__(self, handle: Handle, access: Access) -> None:
        self._handle: Final = handle
        self._access: Final = access
        self._random: Final = Random()  # noqa: S311 - for ids that need to be unique, not secret

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Serve one request."""
        call: Call | None = None
        try:
            call = await self._call(request)
            reply = await self._handle(call)
        except ApiError as error:
            reply = status_answer(call, error.status)
        except PageNotFound:
            reply = Answer(b"404 page not found\n", 404, TEXT, NO_SNIFFING)
        except StorageError as error:
            _log.warning("the store failed: %s", error)
            reply = status_answer(call, service_unavailable(str(error)).status)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception:
            _log.exception("a request failed: %s %s", request.method, request.rel_url.raw_path)
            reply = status_answer(call, internal_error("the server failed; its log says why").status)
        if isinstance(reply, Streamed):
            return await self._stream(request, reply, call)
        return await self._respond(request, reply, call)

    async def _call(self, request: web.BaseRequest) -> Call:
        method = request.method
        url = request.rel_url
        query = url.query if url.raw_query_string else _NO_QUERY
        try:
            path = url.raw_path
            info = parse_request(method, path, query) if query else _parsed(method, path)
        except ParseError as error:
            raise no_such_resource() if "//" in url.raw_path else bad_request(str(error)) from None
        user = await self._access.caller(request.headers, _connection(request))
        self._access.check(user, info)
        # Only now: nobody sends bodies who may not send requests.
        body = await _read(request) if method in _WITH_BODY else b""
        return Call(
            method=method,
            info=info,
            query=query,
            headers=request.headers,
            body=body,
            user=user,
            now=datetime.now(UTC),
        )

    async def _respond(self, request: web.BaseRequest, answer: Answer, call: Call | None) -> WholeResponse:
        body = answer.body
        headers = self._headers(answer.content_type, call)
        if answer.headers:
            headers.update(answer.headers)
        if len(body) >= _COMPRESS_FROM and "gzip" in request.headers.get("Accept-Encoding", ""):
            body = await _compressed(body)
            headers["Content-Encoding"] = "gzip"
            headers["Vary"] = "Accept-Encoding"
        response = WholeResponse(answer.status, headers, body)
        if answer.status in {400, 413} and not request.content.at_eof():
            # What the caller still sends of a refused body is not worth waiting for.
            response.force_close()
        return response

    async def _stream(self, request: web.BaseRequest, reply: Streamed, call: Call | None) -> StreamResponse:
        response = StreamResponse(200, self._headers(reply.content_type, call))
        await response.prepare(request)
        chunks = reply.chunks()
        try:
            async for chunk in chunks:
                await response.write(chunk)
        finally:
            close = getattr(chunks, "aclose", None)
            if close is not None:
                await close()
        await response.write_eof()
        return response

    def _headers(self, content_type: str, call: Call | None) -> CIMultiDict[str]:
        headers = CIMultiDict(
            (
                ("Audit-Id", random_uid(self._random)),
                ("Cache-Control", "no-cache, private"),
                ("Content-Type", content_type),
            )
        )
        if call is not None and call.warnings:
            _add_warnings(headers, call.warnings)
        return headers


def _connection(request: web.BaseRequest) -> SSLObject | None:
    """What TLS knows of the caller; None when the connection is gone."""
    transport = request.transport
    return None if transport is None else transport.get_extra_info("ssl_object")


async def _read(request: web.BaseRequest) -> bytes:
    """The body, when it is not too large. Raises RequestEntityTooLarge."""
    length = request.content_length
    if length is not None and length > MAX_BODY:
        raise request_too_large(f"limit is {MAX_BODY}")
    content = request.content
    if content.is_eof():
        # All of it has come already, as most bodies have.
        body = content.read_nowait()
        return body if len(body) <= MAX_BODY else _too_large()
    parts = []
    size = 0
    while not content.at_eof():
        part = await content.readany()
        size += len(part)
        if size > MAX_BODY:
            _too_large()
        parts.append(part)
    return b"".join(parts)


def _too_large() -> bytes:
    raise request_too_large(f"limit is {MAX_BODY}")


async def _compressed(body: bytes) -> bytes:
    if len(body) < _COMPRESS_ASIDE:
        return _gzip(body)
    return await asyncio.get_running_loop().run_in_executor(None, _gzip, body)


def _gzip(body: bytes) -> bytes:
    # Level 1 and the header of gzip, as upstream does it: answers are large and the network is near.
    compressor = zlib.compressobj(1, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return compressor.compress(body) + compressor.flush()


def _add_warnings(headers: CIMultiDict[str], warnings: list[str]) -> None:
    size = 0
    for text in dict.fromkeys(warnings):
        header = f"299 - {go_quote(_one_line(text))}"
        size += len(header)
        if size > _MAX_WARNINGS:
            return
        headers.add("Warning", header)


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
