"""HTTP in front of those who answer reviews: paths, methods, types, sizes and times. They see bodies only."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qsl

from aiohttp import web

from kubewright.machinery.errors import DecodeError
from kubewright.machinery.time import Duration
from kubewright.webhooks.metrics import WebhookMetrics

__all__ = ["Check", "Endpoints", "Handler", "HandlerFailed"]

Handler = Callable[[bytes, float | None], Awaitable[bytes]]
"""Answers a review with a review, both as JSON, within so many seconds if the caller says how many.

Raises DecodeError for a body that is none, and HandlerFailed."""

Check = Callable[[], Awaitable[object]]
"""Says whether all is well, by raising nothing."""

_MAX_WAIT: Final = 30.0
"""Seconds, the most that an API server waits for a webhook: its validation of timeoutSeconds."""

_SMALL: Final = 64 * 1024
"""Bytes of a body that are read in any case: those of most reviews, whatever else is under way."""

_JSON: Final = "application/json"
_HEADERS: Final = {"Content-Type": _JSON}

_MAX_OPTIONS: Final = 8
"""How many options a request may have in its query: API servers send one."""

_log: Final = logging.getLogger("kubewright.webhooks")


class HandlerFailed(Exception):
    """A handler that has no review to answer with; callers see the code and the sentence."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code: Final = code


class _Room:
    """The memory that all large bodies share."""

    def __init__(self, size: int) -> None:
        self.left = size


class _Held:
    """What one request holds of it, until it is answered."""

    def __init__(self, room: _Room) -> None:
        self._room: Final = room
        self._size = 0

    def grow(self, size: int) -> None:
        """Hold a body of so many bytes. Raises HandlerFailed when there is no room."""
        more = max(size - _SMALL, 0) - self._size
        if more > self._room.left:
            raise HandlerFailed(503, "too many large reviews are under way; ask again")
        self._room.left -= more
        self._size += more

    def release(self) -> None:
        self._room.left += self._size


class Endpoints:
    """Handlers by path. Every refusal is one sentence in plain text; API servers pass some of them on."""

    def __init__(self, *, max_body: int) -> None:
        self._handlers: Final[dict[str, Handler]] = {}
        self._checks: Final[dict[str, Check]] = {}
        self._max_body: Final = max_body
        # Of one: who calls is not known, and an operator has little memory.
        self._room: Final = _Room(max_body)
        self.metrics: Final[dict[str, WebhookMetrics]] = {}
        """What is counted, by path."""

    def add(self, path: str, handler: Handler) -> None:
        """Serve a path; it may be done while the server runs."""
        self._handlers[path] = handler
        self.metrics.setdefault(path, WebhookMetrics(path))

    def add_probe(self, path: str, check: Check) -> None:
        """Serve a probe: GET is answered `ok`, or with 500 when the check raises."""
        self._checks[path] = check

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Answer one request."""
        handler = self._handlers.get(request.path)
        if handler is None:
            check = self._checks.get(request.path)
            if check is not None:
                return await _probed(request, check)
            return _refusal(404, "there is no webhook at this path; look at the configuration that names it")
        metrics, begin = self.metrics[request.path], time.perf_counter()
        metrics.in_flight += 1
        try:
            response = await self._reviewed(request, handler)
        finally:
            metrics.in_flight -= 1
        metrics.answered(response.status, time.perf_counter() - begin)
        return response

    async def _reviewed(self, request: web.BaseRequest, handler: Handler) -> web.Response:
        if request.method != "POST":
            return _refusal(405, "reviews are sent with POST", Allow="POST")
        if request.content_type != _JSON:
            return _refusal(415, f"the Content-Type is {request.content_type}; send {_JSON}")
        held = _Held(self._room)
        try:
            body = await self._body(request, held)
            return web.Response(body=await handler(body, _seconds(request.query_string)), headers=_HEADERS)
        except web.HTTPRequestEntityTooLarge:
            return _refusal(
                413, f"the review is larger than {self._max_body} bytes; a larger max_body lets it in"
            )
        except DecodeError as error:
            return _refusal(400, str(error))
        except HandlerFailed as error:
            return _refusal(error.code, str(error))
        except Exception:
            _log.exception("a webhook failed: %s", request.path)
            return _refusal(500, "the webhook failed; its log says why")
        finally:
            held.release()

    async def _body(self, request: web.BaseRequest, held: _Held) -> bytes:
        """The body. Raises HTTPRequestEntityTooLarge, at once for one that says how large it is.

        Raises HandlerFailed for one that does not come in time, or for which there is no room.
        """
        length, content = request.content_length, request.content
        if length is not None and length > self._max_body:
            raise web.HTTPRequestEntityTooLarge(max_size=self._max_body, actual_size=length)
        if length is not None and length <= _SMALL and content.is_eof():
            # All of it has come already, as most have.
            return content.read_nowait()
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(_MAX_WAIT):
                while part := await content.readany():
                    size += len(part)
                    if size > self._max_body:
                        raise web.HTTPRequestEntityTooLarge(max_size=self._max_body, actual_size=size)
                    held.grow(size)
                    parts.append(part)
        except TimeoutError:
            raise HandlerFailed(408, f"the review did not come within {_MAX_WAIT:g} seconds") from None
        return b"".join(parts)


@lru_cache(64)
def _seconds(query: str) -> float | None:
    """How long the caller waits: API servers say it as `?timeout=10s`, the same text again and again."""
    try:
        given = dict(parse_qsl(query, max_num_fields=_MAX_OPTIONS)).get("timeout", "")
        seconds = Duration.parse(given).total_seconds()
    except ValueError:
        return None
    return min(seconds, _MAX_WAIT) if seconds > 0 else None


async def _probed(request: web.BaseRequest, check: Check) -> web.Response:
    if request.method not in ("GET", "HEAD"):
        return _refusal(405, "probes are read with GET", Allow="GET, HEAD")
    try:
        await check()
    except Exception as error:
        _log.warning("%s: %s", request.path, str(error) or type(error).__name__)
        # Who asks is not known, so why is for the log.
        return _refusal(500, f"{request.path[1:]} check failed")
    return web.Response(text="ok")


def _refusal(status: int, text: str, **headers: str) -> web.Response:
    return web.Response(status=status, text=f"{text}\n", headers=headers)
