"""A server that answers watches and lists as a test has written down, and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

import msgspec
from aiohttp import web

from kubewright.client.client import Client
from kubewright.config import Credentials
from tests.client.peers import Asked, Peer, peer, status

__all__ = [
    "Script",
    "Streamed",
    "bookmark",
    "config_map",
    "error",
    "event",
    "eventually",
    "listed",
    "scripted",
]


@dataclass(frozen=True)
class Streamed:
    """The answer to a watch: its bytes, piece by piece, and how it ends."""

    pieces: Sequence[bytes] = ()
    then: Literal["end", "cut", "hang"] = "end"


@dataclass(frozen=True)
class Listed:
    """The answer to a list."""

    body: dict[str, Any]


Line = Streamed | Listed | int
"""An answer; a number is a refusal with that code."""


class Script:
    """The answers, one after the other; after the last one, watches hang."""

    def __init__(self, *lines: Line) -> None:
        self._lines = list(lines)
        self.finished = asyncio.Event()
        self.queries: list[dict[str, str]] = []
        self.tokens: list[str] = []

    async def __call__(self, asked: Asked, request: web.BaseRequest) -> web.StreamResponse | None:
        self.queries.append(dict(parse_qsl(urlsplit(asked.target).query)))
        self.tokens.append(asked.headers.get("Authorization", "").removeprefix("Bearer "))
        line = self._lines.pop(0) if self._lines else Streamed(then="hang")
        if isinstance(line, int):
            return status(line)
        if isinstance(line, Listed):
            return web.json_response(line.body)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for piece in line.pieces:
            await response.write(piece)
        if line.then == "cut":
            return None
        if line.then == "hang":
            await self.finished.wait()
        return response


@asynccontextmanager
async def scripted(
    *lines: Line, credentials: Credentials | None = None, tls: bool = False
) -> AsyncIterator[tuple[Client, Script, Peer]]:
    """A client of such a server."""
    script = Script(*lines)
    async with peer(script, tls=tls) as server:
        config = server.config
        if credentials is not None:
            config = msgspec.structs.replace(config, credentials=credentials)
        try:
            async with Client(config) as client:
                yield client, script, server
        finally:
            script.finished.set()


def config_map(name: str, revision: int, uid: str = "", **fields: Any) -> dict[str, Any]:
    """A ConfigMap in the namespace default."""
    meta = {"name": name, "namespace": "default", "uid": uid or name, "resourceVersion": str(revision)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, **fields}


def event(kind: str, obj: dict[str, Any]) -> bytes:
    """A frame."""
    return json.dumps({"type": kind, "object": obj}).encode() + b"\n"


def bookmark(revision: int, *, end: bool = False) -> bytes:
    """The frame of a bookmark."""
    meta: dict[str, Any] = {"resourceVersion": str(revision)}
    if end:
        meta["annotations"] = {"k8s.io/initial-events-end": "true"}
    return event("BOOKMARK", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta})


def error(code: int, reason: str = "") -> bytes:
    """The frame of an error."""
    body = {"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason}
    return event("ERROR", body)


def listed(revision: int, *items: dict[str, Any], more: str = "") -> Listed:
    """The answer to a list of ConfigMaps."""
    meta = {"resourceVersion": str(revision), **({"continue": more} if more else {})}
    return Listed({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": meta, "items": list(items)})


async def eventually(holds: Callable[[], bool], *, within: float) -> None:
    """Waits until something holds that no event tells of; fails when it takes longer."""
    async with asyncio.timeout(within):
        while not holds():  # noqa: ASYNC110 - what another thread or the kernel does sets no event
            await asyncio.sleep(0.001)
