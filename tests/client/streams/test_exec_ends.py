"""Commands whose WebSocket does not end as it should, or whose program does not wait for the end."""

from __future__ import annotations

import asyncio
import gc
import time

import pytest
from aiohttp import web

from kubewright.client import websocket
from kubewright.machinery.errors import RequestTimeout, TransportError
from tests.client.peers import run
from tests.client.streams.pod_server import SUCCESS, Pods, failure, open_sockets, pods_of, until

MEGABYTES = b"0123456789abcdef" * (10 << 16)
"""10 MB."""


async def nothing(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    """A server that closes the WebSocket as it should, and has said nothing."""


async def cut(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"\x01half of")
    assert request.transport is not None
    request.transport.abort()


async def truncated_frame(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    assert request.transport is not None
    request.transport.write(b"\x82\x7e\x10\x00\x01only a part")
    request.transport.close()


async def bad_frame(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    assert request.transport is not None
    request.transport.write(b"\xff\x00garbage")
    await socket.receive()


async def too_large(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"\x01" + bytes(1 << 24))
    await socket.receive()


async def no_channel(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"")


async def text(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_str("hello")


async def going_away(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.close(code=1011, message=b"kubelet gone")


async def garbage_status(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"\x03command terminated")


async def half_a_status(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b'\x03{"status":"Succ')


async def endless_status(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    for _ in range(100):
        await socket.send_bytes(b"\x03{" + b" " * (1 << 15))


async def no_exit_code(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"\x03" + failure("NonZeroExitCode", message="it failed"))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (nothing, "ended before it said how the command ended$"),
        (cut, "broke in the midst of a WebSocket"),
        (truncated_frame, "broke in the midst of a WebSocket"),
        (bad_frame, "sent what is no WebSocket message"),
        (too_large, "sent what is no WebSocket message"),
        (no_channel, "sent a message that belongs to no channel"),
        (text, "sent text where the protocol of the WebSocket has bytes"),
        (going_away, r"closed the WebSocket: kubelet gone \(code 1011\)"),
        (garbage_status, "how the command ended; it said 'command terminated' last"),
        (half_a_status, "how the command ended; it said"),
        (endless_status, "more than 1,048,576 bytes where the Status"),
        (no_exit_code, "not with which exit code: 'it failed'"),
    ],
)
def test_connections_that_end_as_they_should_not(script: object, message: str) -> None:
    async def test() -> None:
        async with pods_of(Pods(script=script)) as (pods, _):  # type: ignore[arg-type]
            for stdin in (None, "some"):
                with pytest.raises(TransportError, match=message) as error:
                    await pods.exec("web-0", ["cat"], stdin=stdin)
                assert "\n" not in str(error.value)

    run(test)


def test_a_status_in_pieces_and_output_after_it() -> None:
    async def script(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
        await socket.send_bytes(b"\x03")
        await socket.send_bytes(SUCCESS[:5])
        await socket.send_bytes(b"\x09unknown channel")
        await socket.send_bytes(b"\x03" + SUCCESS[5:])
        await socket.send_bytes(b"\x02late")

    async def test() -> None:
        async with pods_of(Pods(script=script)) as (pods, _):
            result = await pods.exec("web-0", ["cat"])
            assert (result.stdout, result.stderr, result.exit_code) == (b"", b"late", 0)

    run(test)


def test_a_server_that_chooses_no_protocol() -> None:
    async def test() -> None:
        async with pods_of(Pods(protocols=["v1.other"])) as (pods, _):
            with pytest.raises(TransportError, match=r"chose none of the protocols v5\.channel\.k8s\.io, v4"):
                await pods.exec("web-0", ["true"])

    run(test)


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("writes", [False, True], ids=["reading", "writing"])
def test_cancellation_closes_the_socket_within_a_second(*, writes: bool, tls: bool) -> None:
    async def test() -> None:
        started, released = asyncio.Event(), asyncio.Event()

        async def stuck(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
            # Reads nothing, so that no close is answered and nothing that is written goes away.
            assert request.transport is not None
            request.transport.pause_reading()  # type: ignore[attr-defined]
            await released.wait()
            request.transport.abort()

        async with pods_of(Pods(script=stuck), tls=tls) as (pods, _):

            async def speak() -> None:
                async with pods.exec_stream("web-0", ["cat"], stdin=True) as session:
                    started.set()
                    if writes:
                        await session.write(MEGABYTES)
                    await session.wait()

            before = open_sockets()
            running = asyncio.create_task(speak())
            await started.wait()
            await asyncio.sleep(0)
            begun = time.monotonic()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            # The server's half may be open for as long as it does not look.
            await until(lambda: open_sockets() <= before + 1)
            # Who waited for a farewell of TLS would wait for 30.
            assert time.monotonic() - begun < 10
            released.set()

    run(test)


async def _receive(socket: web.WebSocketResponse) -> None:
    """Reads, and answers pings."""
    while not socket.closed:
        await socket.receive()


def test_silent_servers_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "_PING_AFTER", 0.15)
    monkeypatch.setattr(websocket, "_DEAD_AFTER", 0.6)

    async def silent(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
        assert request.transport is not None
        if "deaf" in request.path:
            request.transport.pause_reading()  # type: ignore[attr-defined]
        receiving = asyncio.create_task(_receive(socket))
        await asyncio.sleep(0.9)
        if "later" in request.path:
            request.transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.sleep(0.9)
        receiving.cancel()
        request.transport.resume_reading()  # type: ignore[attr-defined]
        await socket.send_bytes(SUCCESS)

    async def test() -> None:
        async with pods_of(Pods(script=silent)) as (pods, _):
            assert (await pods.exec("web-0", ["cat"])).exit_code == 0
            with pytest.raises(RequestTimeout, match=r"sent nothing for 0\.6 seconds and answered no ping"):
                await pods.exec("deaf", ["cat"])
            with pytest.raises(RequestTimeout, match="answered no ping"):
                await pods.exec("deaf", ["cat"], stdin=bytes(1000))
            with pytest.raises(RequestTimeout, match="answered no ping"):
                await pods.exec("later", ["cat"], stdin=bytes(100_000))
            # Unread input is a reason not to answer.
            assert (await pods.exec("deaf", ["cat"], stdin=bytes(100_000))).exit_code == 0

    run(test)


def test_nothing_is_read_ahead_of_the_program() -> None:
    async def test() -> None:
        sent = 0

        async def much(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
            nonlocal sent
            for _ in range(4096):
                await socket.send_bytes(b"\x01" + bytes(1 << 15))
                sent += 1 << 15
            await socket.send_bytes(SUCCESS)

        async with (
            pods_of(Pods(script=much)) as (pods, _),
            pods.exec_stream("web-0", ["cat"]) as session,
        ):
            outputs = aiter(session)
            got = len((await anext(outputs)).data)
            before = -1
            while before != sent:
                before = sent
                await asyncio.sleep(0.1)
            # Of 128 megabytes, what the buffers of two sockets hold.
            assert sent < 32 << 20
            got += sum([len(data) async for _, data in outputs])
            assert got == sent == 128 << 20

    run(test)


def test_nothing_is_left_behind() -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, _):
            await pods.exec("web-0", ["true"])
            gc.collect()
            await asyncio.sleep(0)
            sockets, tasks = open_sockets(), len(asyncio.all_tasks())
            for number in range(30):
                await pods.exec("web-0", ["cat"], stdin="x")
                async with pods.exec_stream("web-0", ["cat"], stdin=True) as session:
                    await session.write("left in the midst")
                    if number % 2:
                        async for _ in session:
                            break
            await until(lambda: open_sockets() <= sockets and len(asyncio.all_tasks()) <= tasks)

    run(test)
