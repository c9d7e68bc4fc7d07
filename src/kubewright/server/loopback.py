"""Requests from within the process: answered by the same handlers, without a socket between."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlencode

from multidict import CIMultiDict, MultiDict

from kubewright.machinery.errors import ApiError
from kubewright.machinery.paths import parse_request
from kubewright.machinery.uid import random_uid
from kubewright.server.arrivals import Arrivals
from kubewright.server.errors import bad_request, internal_error, service_unavailable
from kubewright.server.handlers.call import TEXT, Answer, Call, PiecedAnswer, Streamed, Upgraded
from kubewright.server.handlers.resources import PageNotFound
from kubewright.server.handlers.respond import status_answer
from kubewright.server.http import Handle
from kubewright.server.registry.write import User
from kubewright.server.storage import StorageError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from kubewright.server.audit import Auditor, Record

__all__ = ["Loopback", "LoopbackReply"]

_HERE: Final = "127.0.0.1"
"""Where its requests come from, for the audit log."""

_OK: Final = 200

_log: Final = logging.getLogger("kubewright.server")


class LoopbackReply:
    """What a request is answered with, and the texts of its warnings."""

    __slots__ = ("reply", "warnings")

    def __init__(self, reply: Answer | Streamed, warnings: Sequence[str]) -> None:
        self.reply: Final = reply
        self.warnings: Final = warnings


class Loopback:
    """A door to a server for what runs in its own process and is trusted: the controllers of its cluster.

    Requests are validated, admitted, audited and answered as any other; whether their sender may send them is
    not asked. `user` says on whose behalf the next request is.
    """

    def __init__(
        self,
        handle: Handle,
        user: Callable[[], User],
        arrivals: Arrivals,
        auditor: Auditor | None = None,
    ) -> None:
        self.arrivals: Final = arrivals
        """Tells of callers over sockets, for whom others can make way."""
        self._handle: Final = handle
        self._user: Final = user
        self._auditor: Final = auditor
        self._random: Final = Random()  # noqa: S311 - for ids that need to be unique, not secret

    async def send(
        self,
        method: str,
        path: str,
        query: Sequence[tuple[str, str]],
        headers: Sequence[tuple[str, str]],
        body: bytes,
    ) -> LoopbackReply:
        """The answer to a request, refusals included; raises nothing but CancelledError."""
        asked: MultiDict[str] = MultiDict(query)
        info, user, sent = parse_request(method, path, asked), self._user(), CIMultiDict(headers)
        record: Record | None = None
        if self._auditor is not None:
            if self._auditor.full:
                await self._auditor.room()
            record = self._auditor.record(
                sent,
                info,
                user,
                audit_id=random_uid(self._random),
                uri=f"{path}?{urlencode(query)}" if query else path,
                remote=_HERE,
                received=time.time_ns(),
            )
        call = Call(
            method=method,
            info=info,
            query=asked,
            headers=sent,
            body=body,
            user=user,
            now=datetime.now(UTC),
            record=record,
        )
        if record is None:
            return LoopbackReply(await self._answered(call, path), call.warnings)
        record.received()
        record.decided(allowed=True, reason="")
        record.annotated(call.annotations)
        try:
            reply = await self._answered(call, path)
        except asyncio.CancelledError:
            record.ended()
            raise
        return LoopbackReply(_told(reply, record), call.warnings)

    async def _answered(self, call: Call, path: str) -> Answer | Streamed:
        try:
            reply = await self._handle(call)
        except ApiError as error:
            reply = status_answer(call, error.status)
        except PageNotFound:
            reply = Answer(b"404 page not found\n", 404, TEXT)
        except StorageError as error:
            reply = status_answer(call, service_unavailable(str(error)).status)
        except Exception as error:
            _log.exception("a request failed: %s %s", call.method, path)
            reply = status_answer(call, internal_error("the server failed; its log says why").status)
            if call.record is not None:
                call.record.panicked(error)
        if isinstance(reply, PiecedAnswer):
            return reply.join()
        if isinstance(reply, Upgraded):
            reply = status_answer(call, bad_request("there are no WebSockets within the process").status)
        return reply


def _told(reply: Answer | Streamed, record: Record) -> Answer | Streamed:
    """An answer that the audit log hears of: at once, or when it has ended."""
    if isinstance(reply, Answer):
        record.answered(reply)
        return reply
    record.started(_OK)

    async def chunks() -> AsyncIterator[bytes]:
        try:
            async with aclosing(cast("AsyncGenerator[bytes, None]", reply.chunks())) as found:
                async for chunk in found:
                    yield chunk
        finally:
            record.ended()

    return Streamed(chunks, reply.content_type)
