"""Through an HTTP proxy, as firewalls demand it."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest
from aiohttp import web

from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.machinery.errors import TransportError
from tests.client.peers import Asked, peer, run

GET = Request(method="GET", path="/api/v1/pods")


def fine(asked: Asked, request: web.BaseRequest) -> web.Response:
    return web.json_response({"ok": True})


class Proxy:
    """A proxy that passes CONNECT on, and keeps who asked for what."""

    def __init__(self, password: str) -> None:
        self._password = password
        self.port = 0
        self.asked: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, _, rest = head.partition("\r\n")
        self.asked.append(line)
        if self._password:
            wanted = base64.b64encode(self._password.encode()).decode()
            if f"proxy-authorization: basic {wanted.lower()}" not in rest.lower():
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
                writer.close()
                return
        host, _, port = line.split()[1].rpartition(":")
        there_reader, there_writer = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        async with asyncio.TaskGroup() as group:
            group.create_task(copied(reader, there_writer))
            group.create_task(copied(there_reader, writer))


async def copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()


@asynccontextmanager
async def proxy(password: str = "") -> AsyncIterator[Proxy]:
    made = Proxy(password)
    listener = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = listener.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        listener.close()
        await listener.wait_closed()


def test_everything_goes_through_the_proxy() -> None:
    async def test() -> None:
        async with peer(fine) as server, proxy() as between:
            config = msgspec.structs.replace(server.config, proxy_url=f"http://127.0.0.1:{between.port}")
            client = Sender(config)
            await client.send(GET)
            async with client.stream(GET) as stream:
                assert await stream.chunk()
            await client.close()
        assert len(server.asked) == 2
        assert set(between.asked) == {f"CONNECT 127.0.0.1:{server.port} HTTP/1.1"}

    run(test)


def test_the_proxy_may_want_a_password() -> None:
    async def test() -> None:
        async with peer(fine) as server, proxy("ann:s3cret") as between:
            good = f"http://ann:s3cret@127.0.0.1:{between.port}"
            client = Sender(msgspec.structs.replace(server.config, proxy_url=good))
            await client.send(GET)
            await client.close()
            assert "Proxy-Authorization" not in server.asked[0].headers
            bad = f"http://ann:wr0ng@127.0.0.1:{between.port}"
            client = Sender(msgspec.structs.replace(server.config, proxy_url=bad))
            with pytest.raises(
                TransportError, match=r"the proxy to https://127.0.0.1:\d+ cannot be used"
            ) as told:
                await client.send(Request(method="POST", path="/x", body=b"{}"))
            assert "wr0ng" not in str(told.value)
            assert not told.value.was_sent
            await client.close()

    run(test)


def test_a_proxy_that_is_not_there() -> None:
    async def test() -> None:
        async with peer(fine) as server:
            client = Sender(msgspec.structs.replace(server.config, proxy_url="http://127.0.0.1:1"))
            with pytest.raises(TransportError, match=r"the proxy to .* cannot be used"):
                await client.send(Request(method="POST", path="/x", body=b"{}"))
            await client.close()

    run(test)


def test_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with peer(fine) as server, proxy() as between:
            monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{between.port}")
            monkeypatch.setenv("NO_PROXY", "")
            monkeypatch.setenv("no_proxy", "")
            client = Sender(server.config)
            await client.send(GET)
            await client.close()
            monkeypatch.setenv("NO_PROXY", "127.0.0.1")
            monkeypatch.setenv("no_proxy", "127.0.0.1")
            client = Sender(server.config)
            await client.send(GET)
            await client.close()
        assert len(between.asked) == 1

    run(test)
