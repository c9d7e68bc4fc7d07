"""HTTP in front of the handlers: connections, callers, bodies, compression and errors."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Final

from aiohttp import HttpVersion10
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
    timeout,
    uri_too_long,
)
from kubewright.server.handlers.call import (
    NO_SNIFFING,
    TEXT,
    Answer,
    Call,
    Headers,
    PiecedAnswer,
    Reply,
    Streamed,
    Upgraded,
)
from kubewright.server.handlers.resources import PageNotFound
from kubewright.server.handlers.respond import status_answer
from kubewright.server.registry.write import User
from kubewright.server.responses import (
    GzipResponse,
    PiecedResponse,
    StreamResponse,
    WholeResponse,
    new_compressor,
)
from kubewright.server.storage import StorageError
from kubewright.server.unread import Unread

if TYPE_CHECKING:
    from ssl import SSLObject

    from aiohttp import web

    from kubewright.server.audit import Auditor, Record

__all__ = ["BODY_TIMEOUT", "MAX_BODY", "HTTPHandler", "QuietLogger"]

_MAX_PATH: Final = 64 * 1024
"""The longest path that is parsed, which happens before its sender is known. A path of an API has a few
hundred characters; what follows a proxy may be longer."""

_MAX_ESCAPED_PATH: Final = 8 * 1024
"""The same for paths with percent-encoding, since each of their segments is decoded by itself; nginx and
Apache read as much of a request line."""

_MAX_FIELD_SELECTOR: Final = 64 * 1024
"""The longest field selector, which is parsed before the sender is known, since it may name the object."""

_MAX_PARAMETERS: Final = 10_000
"""How many parameters a query may have; Go's net/url takes as many."""

MAX_BODY: Final = 3 * 1024 * 1024
"""The largest body that is read; upstream's MaxRequestBodyBytes."""

_COMPRESS_FROM: Final = 128 * 1024
"""Answers of this size are compressed for those who ask for it; upstream's defaultGzipThresholdBytes."""

_COMPRESS_ASIDE: Final = 1024 * 1024
"""Larger ones are compressed in a thread, part by part as the client reads."""

_HELD_FROM: Final = 64 * 1024
"""Chunks of this size count as unread while they are written; what is smaller, transports take at once."""

BODY_TIMEOUT: Final = 60.0
"""Seconds that a client has to send the body of a request; kube-apiserver's --request-timeout."""

_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})

_OK: Final = 200
_SWITCHED: Final = 101
_REFUSED: Final = 400
"""From here on, an answer is a refusal."""

_MAX_WARNINGS: Final = 4096
"""The characters of all warnings of an answer above which each is cut; upstream's truncateAtTotalRunes."""

_CUT_WARNING: Final = 256
"""What is left of each then; upstream's truncateItemRunes."""

_log: Final = logging.getLogger("kubewright.server")

_NO_QUERY: Final = MultiDictProxy(MultiDict[str]())

Handle = Callable[[Call], Awaitable[Reply]]


class _NotAllowed(Exception):
    """The caller may not: unlike other refusals, it is answered so that no browser reads anything into it."""

    def __init__(self, error: ApiError) -> None:
        super().__init__()
        self.error: Final = error


class QuietLogger(logging.Logger):
    """For what aiohttp says of requests that are no HTTP: no traceback for every scan of the port, and never
    the request itself, which may have a token in it."""

    def exception(self, msg: object, *args: object, exc_info: object = True, **_: Any) -> None:
        self.error(msg, *args, exc_info=exc_info)

    def error(self, msg: object, *args: object, exc_info: object = None, **_: Any) -> None:
        self.debug("a connection was ended: %s", type(exc_info).__name__)


class _Exchange:
    """What is known of a request however far it gets."""

    __slots__ = ("audit_id", "headers", "query", "record", "warnings")

    def __init__(self, audit_id: str, request: web.BaseRequest) -> None:
        url = request.rel_url
        self.audit_id: Final = audit_id
        self.headers: Final[Headers] = request.headers
        self.query: Final = url.query if url.raw_query_string else _NO_QUERY
        self.warnings: Final[list[str]] = []
        self.record: Record | None = None


_MAX_REMEMBERED: Final = 512
"""The longest path whose meaning is remembered: names have at most 253 characters, and paths of strangers may
have a million."""


@lru_cache(4096)
def _parsed(method: str, path: str) -> RequestInfo:
    return parse_request(method, path)


class HTTPHandler:
    """Turns requests of aiohttp into calls, and replies into responses."""

    def __init__(
        self,
        handle: Handle,
        access: Access,
        auditor: Auditor | None = None,
        *,
        unread: Unread | None = None,
        body_timeout: float = BODY_TIMEOUT,
    ) -> None:
        self._handle: Final = handle
        self._access: Final = access
        self._auditor: Final = auditor
        self._unread: Final = unread or Unread()
        self._body_timeout: Final = body_timeout
        self._random: Final = Random()  # noqa: S311 - for ids that need to be unique, not secret

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Serve one request."""
        refusal = _refuse_early(request)
        if refusal is not None:
            return refusal
        exchange = _Exchange(self._audit_id(request), request)
        try:
            reply = await self._handle(await self._call(request, exchange))
        except _NotAllowed as refused:
            reply = status_answer(exchange, refused.error.status)
            reply.headers = {**reply.headers, **NO_SNIFFING}
        except ApiError as error:
            reply = status_answer(exchange, error.status)
        except PageNotFound:
            reply = Answer(b"404 page not found\n", 404, TEXT, NO_SNIFFING)
        except StorageError as error:
            _log.warning("the store failed: %s", error)
            reply = status_answer(exchange, service_unavailable(str(error)).status)
        except (ConnectionError, asyncio.CancelledError):
            if exchange.record is not None:
                exchange.record.ended()
            raise
        except Exception as error:
            _log.exception("a request failed: %s %s", request.method, request.rel_url.raw_path)
            reply = status_answer(exchange, internal_error("the server failed; its log says why").status)
            if exchange.record is not None:
                exchange.record.panicked(error)
        if isinstance(reply, Streamed):
            return await self._stream(request, reply, exchange)
        if isinstance(reply, Upgraded):
            return await self._upgrade(request, reply, exchange)
        if exchange.record is not None:
            exchange.record.answered(reply)
        return self._respond(request, reply, exchange)

    async def _call(self, request: web.BaseRequest, exchange: _Exchange) -> Call:
        method = request.method
        url = request.rel_url
        query = exchange.query
        if query and len(query.get("fieldSelector", "")) > _MAX_FIELD_SELECTOR:
            raise bad_request(
                f"the field selector is too long; the most are {_MAX_FIELD_SELECTOR} characters"
            )
        try:
            path = url.raw_path
            remembered = not query and len(path) <= _MAX_REMEMBERED
            info = _parsed(method, path) if remembered else parse_request(method, path, query)
        except ParseError as error:
            info = RequestInfo(is_resource_request=False, path=url.raw_path, verb=method.lower())
            # Nobody is told even this who is to be recognised first and is not.
            await self._sender(request, info, exchange)
            raise no_such_resource() if "//" in url.raw_path else bad_request(str(error)) from None
        user = await self._sender(request, info, exchange)
        record = exchange.record
        try:
            caller = self._access.acting(user, request.headers, info)
            if record is not None and caller.impersonator is not None:
                record.impersonates(caller.user, caller.constraint)
            self._access.check(caller.user, info, record)
        except ApiError as error:
            raise _NotAllowed(error) from None
        if self._unread.is_full and info.is_resource_request:
            await self._unread.room()
        # Only now: nobody sends bodies who may not send requests.
        body = await self._read(request) if method in _WITH_BODY else b""
        call = Call(
            method=method,
            info=info,
            query=query,
            headers=request.headers,
            body=body,
            user=caller.user,
            now=datetime.now(UTC),
            warnings=exchange.warnings,
            record=record,
            unread=self._unread,
        )
        if record is not None:
            record.annotated(call.annotations)
        return call

    async def _read(self, request: web.BaseRequest) -> bytes:
        """The body of a request. Raises RequestEntityTooLarge, and Timeout when it does not come."""
        if request.content.is_eof():
            return await _read(request)
        try:
            async with asyncio.timeout(self._body_timeout):
                return await _read(request)
        except TimeoutError:
            raise timeout("the body of the request did not arrive in time; send it without pauses") from None

    async def _sender(self, request: web.BaseRequest, info: RequestInfo, exchange: _Exchange) -> User:
        """Whom a request is from; the audit log learns that it is there. Raises Unauthorized."""
        headers, auditor = request.headers, self._auditor
        if auditor is None:
            return await self._access.sender(headers, _connection(request), info.path, exchange.warnings)
        received = time.time_ns()
        if auditor.full:
            await auditor.room()

        def record_of(user: User | None) -> Record | None:
            return auditor.record(
                headers,
                info,
                user,
                audit_id=exchange.audit_id,
                uri=request.raw_path,
                remote=request.remote,
                received=received,
            )

        try:
            user = await self._access.sender(headers, _connection(request), info.path, exchange.warnings)
        except ApiError as error:
            if (record := record_of(None)) is not None:
                record.unauthenticated(status_answer(exchange, error.status))
            raise
        exchange.record = record_of(user)
        if exchange.record is not None:
            exchange.record.received()
        return user

    def _respond(
        self, request: web.BaseRequest, answer: Answer | PiecedAnswer, exchange: _Exchange
    ) -> web.StreamResponse:
        headers = _headers(answer.content_type, exchange)
        if answer.headers:
            headers.update(answer.headers)
        response = self._response(request, answer, headers)
        if answer.status in {400, 413, 504} and not request.content.at_eof():
            # What the caller still sends of a refused body is not worth waiting for.
            response.force_close()
        elif answer.status >= _REFUSED and "Upgrade" in request.headers:
            # aiohttp reads no more requests from a connection that was to be a WebSocket.
            response.force_close()
        return response

    def _response(
        self, request: web.BaseRequest, answer: Answer | PiecedAnswer, headers: CIMultiDict[str]
    ) -> WholeResponse | PiecedResponse:
        unread = self._unread
        pieces: Sequence[bytes | memoryview]
        if isinstance(answer, PiecedAnswer):
            pieces, size, own = answer.pieces, answer.size, answer.own
        else:
            body = answer.body
            if len(body) < _COMPRESS_FROM:
                return WholeResponse(answer.status, headers, body, unread)
            pieces, size, own = (body,), len(body), len(body)
        if size < _COMPRESS_FROM or "gzip" not in request.headers.get("Accept-Encoding", ""):
            return PiecedResponse(answer.status, headers, pieces, unread, size=size, own=own)
        headers["Content-Encoding"] = "gzip"
        headers["Vary"] = "Accept-Encoding"
        if size >= _COMPRESS_ASIDE:
            return GzipResponse(answer.status, headers, pieces, unread, size=size, own=own)
        compressor = new_compressor()
        body = compressor.compress(answer.body) + compressor.flush()
        return WholeResponse(answer.status, headers, body, unread)

    async def _stream(self, request: web.BaseRequest, reply: Streamed, exchange: _Exchange) -> StreamResponse:
        record = exchange.record
        if record is not None:
            record.started(_OK)
        response = StreamResponse(_OK, _headers(reply.content_type, exchange))
        try:
            _be_patient(request, patient=reply.is_patient)
            await response.prepare(request)
            chunks = reply.chunks()
            try:
                async for chunk in chunks:
                    if len(chunk) < _HELD_FROM:
                        await response.write(chunk)
                    else:
                        with self._unread.hold(len(chunk)):
                            await response.write(chunk)
            finally:
                close = getattr(chunks, "aclose", None)
                if close is not None:
                    await close()
            await response.write_eof()
        finally:
            if record is not None:
                record.ended()
        return response

    async def _upgrade(
        self, request: web.BaseRequest, reply: Upgraded, exchange: _Exchange
    ) -> web.StreamResponse:
        # Only here: most servers have no pods to which there are connections.
        from kubewright.server.websockets import serve_websocket  # noqa: PLC0415

        record = exchange.record
        if record is not None:
            record.started(_SWITCHED)
        try:
            _be_patient(request, patient=reply.is_patient)
            return await serve_websocket(request, reply, self._unread)
        finally:
            if record is not None:
                record.ended()

    def _audit_id(self, request: web.BaseRequest) -> str:
        """What the answer and the audit log call a request: what its caller does, or else a new name."""
        given = request.headers.get("Audit-ID", "")
        if not given:
            return random_uid(self._random)
        # Of a header there may be bytes that are no UTF-8, in which answers are written.
        return given if given.isascii() else given.encode(errors="surrogateescape").decode(errors="replace")


def _refuse_early(request: web.BaseRequest) -> WholeResponse | None:
    """The answer to a request that is not worth parsing, whoever has sent it; None for all others."""
    target = request.raw_path
    if request.version < HttpVersion10:
        return _early_answer(bad_request("the version of HTTP is not supported; use HTTP/1.1"))
    if len(target) <= _MAX_REMEMBERED:
        return None
    path, _, query = target.partition("?")
    longest = _MAX_ESCAPED_PATH if "%" in path else _MAX_PATH
    if len(path) > longest:
        return _early_answer(
            uri_too_long(f"the path of the request has {len(path)} characters; the most are {longest}")
        )
    if query.count("&") >= _MAX_PARAMETERS:
        return _early_answer(
            bad_request(f"the query has too many parameters; the most are {_MAX_PARAMETERS}")
        )
    return None


def _early_answer(error: ApiError) -> WholeResponse:
    answer = status_answer(None, error.status)
    response = WholeResponse(answer.status, CIMultiDict({"Content-Type": answer.content_type}), answer.body)
    response.force_close()
    return response


def _headers(content_type: str, exchange: _Exchange) -> CIMultiDict[str]:
    headers = CIMultiDict(
        (
            ("Audit-Id", exchange.audit_id),
            ("Cache-Control", "no-cache, private"),
            ("Content-Type", content_type),
        )
    )
    if exchange.warnings:
        _add_warnings(headers, exchange.warnings)
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
    if request.headers.get("Expect", "").lower() == "100-continue" and request.version >= (1, 1):
        # Callers who ask whether to send it wait for this, or for the refusal that was not given.
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
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


def _be_patient(request: web.BaseRequest, *, patient: bool) -> None:
    """Say whether the client of a request may pause for hours without being disconnected."""
    connection: Any = request.protocol
    connection.is_patient = patient


def _add_warnings(headers: CIMultiDict[str], warnings: list[str]) -> None:
    for text in _cut_warnings(warnings):
        headers.add("Warning", f"299 - {go_quote(_one_line(text))}")


def _cut_warnings(warnings: Iterable[str]) -> list[str]:
    """The warnings that are told, each once; if they are too much, each is cut and the last are left out."""
    kept: list[str] = []
    size, cutting = 0, False
    for text in dict.fromkeys(warnings):
        if cutting and size >= _MAX_WARNINGS:
            break
        kept.append(text)
        size += min(len(text), _CUT_WARNING) if cutting else len(text)
        if not cutting and size > _MAX_WARNINGS:
            cutting = True
            size = sum(min(len(each), _CUT_WARNING) for each in kept)
    return [each[:_CUT_WARNING] for each in kept] if cutting else kept


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
