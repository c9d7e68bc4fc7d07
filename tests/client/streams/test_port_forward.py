"""Ports of pods over real WebSockets, in the program and on loopback."""

from __future__ import annotations

import asyncio
import logging
import socket as sockets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from kubewright.client.streams import forwarding
from kubewright.machinery.errors import KubewrightError, NotFound, ParseError, TransportError
from tests.client.peers import run, status
from tests.client.streams.pod_server import V4, Pods, open_sockets, pods_of, until

MEGABYTES = b"0123456789abcdef" * (10 << 16)
"""10 MB."""


@asynccontextmanager
async def echo_server() -> AsyncIterator[int]:
    """A server in the pod, which sends back what it gets; gives its port."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
            if data.endswith(b"bye"):
                break
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def dead_port() -> int:
    """A port on which nobody listens."""
    with sockets.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_connection_in_the_program() -> None:
    async def test() -> None:
        async with echo_server() as port, pods_of(Pods()) as (pods, server):
            async with pods.port_forward("web-0", port, listen=False) as forward:
                async with await forward.open(port) as connection:
                    await connection.write(b"hello")
                    assert await connection.read(2) == b"he"
                    assert await connection.read() == b"llo"
                    await connection.write(b"bye")
                    assert [data async for data in connection] == [b"bye"]
                    assert await connection.read() == b""
                with pytest.raises(KubewrightError, match=f"nothing listens for port {port}"):
                    forward.local_port()
                left_open = await forward.open()
                await left_open.write(b"x")
            asked = server.asked[0]
            assert asked.target == f"/api/v1/namespaces/default/pods/web-0/portforward?ports={port}"
            assert asked.headers["Sec-WebSocket-Protocol"] == V4
            await until(lambda: not server.is_connected())

    run(test)


def test_a_port_on_loopback() -> None:
    async def test() -> None:
        async with echo_server() as port, pods_of(Pods()) as (pods, server):
            before = open_sockets()
            async with pods.port_forward("web-0", port) as forward:

                async def use(payload: bytes) -> None:
                    reader, writer = await asyncio.open_connection("127.0.0.1", forward.local_port(port))
                    writer.write(payload + b"bye")
                    assert await reader.read() == payload + b"bye"
                    writer.close()
                    await writer.wait_closed()

                await asyncio.gather(*(use(b"%d " % number * 1000) for number in range(10)))
                await use(MEGABYTES)
                reader, left_open = await asyncio.open_connection("127.0.0.1", forward.local_port())
                left_open.write(b"x")
                assert await reader.read(1) == b"x"
            assert len(server.asked) == 12
            assert await reader.read() == b""
            left_open.close()
            await until(lambda: open_sockets() <= before)

    run(test)


def test_an_end_that_writes_no_more_still_gets_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarding, "_AFTER_LOCAL_END", 1.2)

    async def slowly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(3)
        for number in range(5):
            writer.write(b"%d" % number)
            await asyncio.sleep(0.3)
        await reader.read()
        writer.close()

    async def test() -> None:
        slow = await asyncio.start_server(slowly, "127.0.0.1", 0)
        port = slow.sockets[0].getsockname()[1]
        async with slow, pods_of(Pods()) as (pods, server), pods.port_forward("web-0", port) as forward:
            reader, writer = await asyncio.open_connection("127.0.0.1", forward.local_port())
            writer.write(b"ask")
            writer.write_eof()
            assert await reader.read() == b"01234"
            await until(lambda: not server.is_connected())
            writer.close()

    run(test)


def test_a_port_on_which_nobody_listens(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        port = await dead_port()
        async with pods_of(Pods()) as (pods, _), pods.port_forward("web-0", port) as forward:
            connection = await forward.open()
            with pytest.raises(
                TransportError, match=f"^port {port} of the pod cannot be used: error forwarding"
            ):
                await connection.read()
            await connection.close()
            with caplog.at_level(logging.WARNING, "kubewright.client"):
                reader, writer = await asyncio.open_connection("127.0.0.1", forward.local_port())
                with pytest.raises(ConnectionError):
                    # A cut, and no end as of a server that has nothing to say.
                    _ = await reader.read() or (_ for _ in ()).throw(ConnectionError)
                writer.close()
            assert (
                f"a connection to port {port} of a pod ended: port {port} of the pod cannot be" in caplog.text
            )

    run(test)


def test_a_pod_that_is_not_there() -> None:
    async def test() -> None:
        made = Pods()
        made.refuse = lambda asked: status(404, "NotFound")
        async with pods_of(made) as (pods, _), pods.port_forward("web-0", 80, listen=False) as forward:
            with pytest.raises(NotFound):
                await forward.open()

    run(test)


def test_what_the_caller_may_not_say() -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, _):
            for ports, message in [
                ((), "no port to forward"),
                ((0,), "0 is no port"),
                ((65536,), "65536 is no"),
            ]:
                with pytest.raises(ParseError, match=message):
                    await pods.port_forward("web-0", *ports).__aenter__()
            with pytest.raises(ParseError, match="port 81 of the pod, which is not forwarded"):
                await pods.port_forward("web-0", 80, local_ports={81: 8081}).__aenter__()
            async with pods.port_forward("web-0", 80, 81) as forward:
                with pytest.raises(KubewrightError, match="port 82 is not forwarded; these are: 80, 81"):
                    await forward.open(82)
                with pytest.raises(KubewrightError, match="port None is not forwarded"):
                    forward.local_port()
                taken = forward.local_port(80)
                with pytest.raises(
                    KubewrightError, match=f"cannot listen on 127.0.0.1:{taken}: .*in use; choose"
                ):
                    await pods.port_forward("web-0", 90, local_ports={90: taken}).__aenter__()

    run(test)


async def wrong_port(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"\0\x01\x02")


async def no_channel(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"")


async def other_channel(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"\7\x50\x00")


async def cut(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"\0\x50")
    assert request.transport is not None
    request.transport.abort()


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (wrong_port, "forwards port 513 where 80 was asked for"),
        (no_channel, "sent a message that belongs to no channel"),
        (other_channel, "sent data on channel 7, and two were asked for"),
        (cut, "broke in the midst of a WebSocket"),
    ],
)
def test_servers_that_do_not_keep_to_the_protocol(script: object, message: str) -> None:
    async def test() -> None:
        made = Pods(script=script)  # type: ignore[arg-type]
        async with (
            pods_of(made) as (pods, _),
            pods.port_forward("web-0", 80, listen=False) as forward,
            await forward.open() as connection,
        ):
            with pytest.raises(TransportError, match=message):
                await connection.read()

    run(test)


def test_the_preamble_may_come_in_pieces_with_data_behind_it() -> None:
    async def script(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
        await socket.send_bytes(b"\1\x50\x00")
        await socket.send_bytes(b"\0\x50")
        await socket.send_bytes(b"\0\x00data")

    async def test() -> None:
        async with (
            pods_of(Pods(script=script)) as (pods, _),
            pods.port_forward("web-0", 80) as forward,
            await forward.open() as connection,
        ):
            assert [data async for data in connection] == [b"data"]

    run(test)
