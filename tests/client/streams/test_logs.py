"""Logs over real sockets."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest
from aiohttp import web

from kubewright.client.client import Client
from kubewright.client.streams import logs
from kubewright.machinery.errors import BadRequest, KubewrightError, ParseError, TransportError
from kubewright.models.core_v1 import Pod
from tests.client.peers import Asked, Handle, Peer, peer, run, status
from tests.client.streams.pod_server import open_sockets, until

TEXT = "first\nsecond é\n\nno newline at the end"


def fine(asked: Asked, request: web.BaseRequest) -> web.Response:
    return web.Response(text=TEXT)


def query(server: Peer) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(server.asked[-1].target).query))


def test_lines_and_text() -> None:
    async def test() -> None:
        async with peer(fine) as server, Client(server.config) as client:
            pods = client.api(Pod, "default")
            assert [line async for line in pods.logs("web-0")] == TEXT.split("\n")
            assert server.asked[0].target == "/api/v1/namespaces/default/pods/web-0/log"
            assert server.asked[0].headers["Accept"] == "*/*"
            assert await pods.log_text("web-0") == TEXT

    run(test)


def test_every_option() -> None:
    async def test() -> None:
        async with peer(fine) as server, Client(server.config) as client:
            pods = client.api(Pod, "default")
            async for _ in pods.logs(
                "web-0",
                container="main",
                follow=True,
                previous=True,
                since=timedelta(minutes=2, milliseconds=1),
                tail=10,
                timestamps=True,
                limit_bytes=1000,
            ):
                pass
            assert query(server) == {
                "container": "main",
                "follow": "true",
                "previous": "true",
                "sinceSeconds": "121",
                "tailLines": "10",
                "timestamps": "true",
                "limitBytes": "1000",
            }
            since = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
            await pods.log_text("web-0", since_time=since, tail=0, previous=True, timestamps=True)
            assert query(server) == {
                "sinceTime": "2026-01-02T03:04:05Z",
                "tailLines": "0",
                "previous": "true",
                "timestamps": "true",
            }

    run(test)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"since": 5, "since_time": datetime.now(UTC)}, "both since and since_time"),
        ({"since": 0}, "since is 0; it must be at least 1"),
        ({"tail": -1}, "tail is -1; it must be at least 0"),
        ({"limit_bytes": 0}, "limit_bytes is 0; it must be at least 1"),
        ({"since_time": datetime(2026, 1, 2)}, "has no time zone"),  # noqa: DTZ001 - that is the point
    ],
)
def test_options_that_no_server_takes(options: dict[str, object], message: str) -> None:
    async def test() -> None:
        async with peer(fine) as server, Client(server.config) as client:
            with pytest.raises(ParseError, match=message):
                await client.api(Pod, "default").log_text("web-0", **options)  # type: ignore[arg-type]
            assert server.asked == []

    run(test)


def test_refusals() -> None:
    async def test() -> None:
        async with (
            peer(lambda asked, request: status(400, "BadRequest")) as server,
            Client(server.config) as client,
        ):
            pods = client.api(Pod, "default")
            with pytest.raises(BadRequest):
                await pods.log_text("web-0")
            with pytest.raises(BadRequest):
                await anext(pods.logs("web-0"))

    run(test)


def following(*parts: bytes, cut: bool = False) -> Handle:
    """A log that comes in parts and then ends, or waits for ever."""

    async def handle(asked: Asked, request: web.BaseRequest) -> web.StreamResponse | None:
        response = web.StreamResponse()
        await response.prepare(request)
        for part in parts:
            await response.write(part)
        if cut:
            return None
        await until(lambda: request.transport is None)
        return response

    return handle


def test_following_gives_lines_as_they_come_and_lets_go_of_them() -> None:
    async def test() -> None:
        async with (
            peer(following(b"one\ntw", b"o\nhal"), tls=False) as server,
            Client(server.config) as client,
        ):
            pods = client.api(Pod, "default")
            before = open_sockets()
            got = []
            async for line in pods.logs("web-0", follow=True):
                got.append(line)
                if line == "two":
                    break
            assert got == ["one", "two"]
            await until(lambda: not server.is_connected() and open_sockets() <= before)

            waiting = asyncio.create_task(_all(pods.logs("web-0", follow=True)))
            await until(lambda: len(server.asked) == 2)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await until(lambda: not server.is_connected() and open_sockets() <= before)

    run(test)


async def _all(lines: object) -> list[str]:
    return [line async for line in lines]  # type: ignore[attr-defined]


def test_a_log_that_breaks_off_is_an_error() -> None:
    async def test() -> None:
        async with peer(following(b"one\ntwo\nhal", cut=True)) as server, Client(server.config) as client:
            lines = client.api(Pod, "default").logs("web-0", follow=True)
            assert [await anext(lines), await anext(lines)] == ["one", "two"]
            with pytest.raises(TransportError, match="broke"):
                await anext(lines)

    run(test)


def test_a_text_that_is_too_long() -> None:
    async def test() -> None:
        async with peer(fine) as server, Client(server.config) as client:
            path = "/api/v1/namespaces/default/pods/web-0/log"
            with pytest.raises(KubewrightError, match="more than 10 bytes; ask for a part with tail"):
                await logs.log_text(client._sender, path, logs.LogOptions(), limit=10)

    run(test)
