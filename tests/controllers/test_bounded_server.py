"""The bounds of the servers for probes and webhooks, with real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from aiohttp import web

from kubewright.controllers.bounded_server import BoundedServer

PATIENCE = 60.0
"""Seconds that anything may take on a busy machine."""

HEAD = b"GET /%b HTTP/1.1\r\nHost: a\r\n\r\n"

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def serving(
    test: Callable[[Callable[[], Awaitable[Connection]], asyncio.Event], Awaitable[None]],
    *,
    connections: int = 100,
    idle: float = 3600.0,
) -> None:
    """Run a test with a way to connect to a server, which answers /slow when the event is set."""

    async def main() -> None:
        go_on, opened = asyncio.Event(), list[Connection]()

        async def answer(request: web.BaseRequest) -> web.StreamResponse:
            if request.path == "/slow":
                await go_on.wait()
            return web.Response(text="done")

        async def connect() -> Connection:
            made = await asyncio.open_connection("127.0.0.1", port)
            opened.append(made)
            return made

        runner = web.ServerRunner(BoundedServer(answer, connections=connections, idle=idle, access_log=None))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        try:
            async with asyncio.timeout(PATIENCE):
                await test(connect, go_on)
        finally:
            for _, writer in opened:
                writer.transport.abort()
            await runner.cleanup()

    asyncio.run(main())


async def ends(connection: Connection) -> None:
    """Wait until the server ends a connection."""
    with suppress(ConnectionResetError):
        assert await connection[0].read() == b""


async def asks(connection: Connection, path: bytes = b"") -> None:
    connection[1].write(HEAD % path)
    await connection[1].drain()


async def is_answered(connection: Connection) -> None:
    assert (await connection[0].readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
    assert await connection[0].readexactly(4) == b"done"


def test_of_too_many_connections_the_one_goes_that_does_nothing_for_longest() -> None:
    async def test(connect: Callable[[], Awaitable[Connection]], go_on: asyncio.Event) -> None:
        busy = await connect()
        await asks(busy, b"slow")
        idle, kept = await connect(), await connect()
        await asks(kept)
        await is_answered(kept)
        new = await connect()
        await ends(idle)
        for each in (kept, new):
            await asks(each)
            await is_answered(each)
        go_on.set()
        await is_answered(busy)

    serving(test, connections=3)


def test_where_all_are_busy_the_newest_goes() -> None:
    async def test(connect: Callable[[], Awaitable[Connection]], go_on: asyncio.Event) -> None:
        busy = [await connect() for _ in range(3)]
        for each in busy:
            await asks(each, b"slow")
        await ends(await connect())
        go_on.set()
        for each in busy:
            await is_answered(each)

    serving(test, connections=3)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "], ids=["silent", "half"])
def test_a_connection_on_which_no_request_comes_ends(sent: bytes) -> None:
    async def test(connect: Callable[[], Awaitable[Connection]], _: asyncio.Event) -> None:
        connection = await connect()
        connection[1].write(sent)
        await ends(connection)

    serving(test, idle=0.2)


def test_one_that_has_been_answered_ends_as_well() -> None:
    async def test(connect: Callable[[], Awaitable[Connection]], go_on: asyncio.Event) -> None:
        connection = await connect()
        await asks(connection, b"slow")
        # While a request is under way it goes on, however long that takes.
        await asyncio.sleep(0.5)
        go_on.set()
        await is_answered(connection)
        await ends(connection)

    serving(test, idle=0.2)
