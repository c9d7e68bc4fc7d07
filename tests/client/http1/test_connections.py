"""The transport over real sockets, with servers that do what servers should not."""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kubewright.client.fencing import fenced
from kubewright.client.http1.pool import wrap_with_tls
from kubewright.client.request import Request
from kubewright.client.sender import Sender, SendOptions
from kubewright.client.transport import Transport
from kubewright.config import Config
from kubewright.machinery.errors import ClientClosed, RequestTimeout, TransportError
from tests.client.peers import peer, run

uvloop = pytest.importorskip("uvloop")

GET = Request(method="GET", path="/api")
POST = Request(method="POST", path="/api", body=b"{}")
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def raw_server(serve: Serve) -> AsyncIterator[Config]:
    """A server that speaks whatever `serve` writes; ends with its connections."""
    tasks: set[asyncio.Task[Any]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.close()

    listener = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield Config(server=f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}")
    finally:
        listener.close()
        for task in tasks:
            task.cancel()
        await asyncio.sleep(0)


async def _request(reader: asyncio.StreamReader) -> bytes:
    return await reader.readuntil(b"\r\n\r\n")


async def _until(is_so: Callable[[], bool]) -> None:
    while not is_so():  # noqa: ASYNC110 - nothing reports it
        await asyncio.sleep(0.001)


def _idle(client: Sender) -> int:
    transport = client._transport
    assert isinstance(transport, Transport)
    return len(transport._pool._idle)


def _open(client: Sender) -> int:
    transport = client._transport
    assert isinstance(transport, Transport)
    return len(transport._pool._contexts)


def test_a_connection_is_used_again_and_again() -> None:
    async def test() -> None:
        connections = 0

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal connections
            connections += 1
            while True:
                await _request(reader)
                writer.write(ANSWER)

        async with raw_server(serve) as config:
            client = Sender(config)
            for _ in range(5):
                assert (await client.send(GET)).body == b"ok"
            assert connections == 1
            assert _idle(client) == 1
            await client.close()
            assert _open(client) == 0

    run(test)


def test_a_read_is_sent_again_over_a_new_connection_when_a_kept_one_is_dead() -> None:
    """A write is not: the server may have got it."""

    async def test() -> None:
        requests = 0

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal requests
            await _request(reader)
            requests += 1
            writer.write(ANSWER)
            await _request(reader)
            requests += 1  # Then it closes, without an answer.

        async with raw_server(serve) as config:
            client = Sender(config)
            await client.send(GET)
            assert (await client.send(GET)).body == b"ok"
            assert requests == 3
            with pytest.raises(TransportError, match="closed it without an answer") as broken:
                await client.send(POST)
            assert broken.value.was_sent
            assert requests == 4
            await client.close()

    run(test)


def test_a_server_that_closes_an_idle_connection_is_noticed() -> None:
    async def test() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await _request(reader)
            writer.write(ANSWER)

        async with raw_server(serve) as config:
            client = Sender(config)
            await client.send(POST)
            await _until(lambda: not _open(client))
            assert (await client.send(POST)).body == b"ok"
            await client.close()

    run(test)


def test_a_cancelled_request_leaves_no_connection() -> None:
    async def test() -> None:
        asked = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await _request(reader)
            asked.set()
            await reader.read()

        async with raw_server(serve) as config:
            client = Sender(config)
            sending = asyncio.create_task(client.send(GET))
            await asked.wait()
            assert _open(client) == 1
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
            assert _open(client) == 0
            await client.close()

    run(test)


def test_a_request_that_is_too_late_leaves_no_connection() -> None:
    async def test() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()

        async with raw_server(serve) as config:
            client = Sender(config, SendOptions(timeout=0.05))
            task = asyncio.current_task()
            assert task is not None
            with pytest.raises(RequestTimeout, match=r"GET .* within 0.05 seconds"):
                await client.send(GET)
            with pytest.raises(RequestTimeout, match=r"within 0.01 seconds"):
                await client.send(GET, within=0.01)
            assert task.cancelling() == 0
            assert _open(client) == 0
            await client.close()

    run(test)


def test_closing_ends_what_is_under_way() -> None:
    async def test() -> None:
        asked = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await _request(reader)
            asked.set()
            await reader.read()

        async with raw_server(serve) as config:
            client = Sender(config)
            sending = asyncio.create_task(client.send(POST))
            await asked.wait()
            await client.close()
            with pytest.raises(ClientClosed) as closed:
                await sending
            assert closed.value.was_sent
            with pytest.raises(ClientClosed):
                await client.send(GET)

    run(test)


def test_an_answer_that_comes_before_a_large_body_is_sent() -> None:
    """The connection is not used again, since the server may read the rest as another request."""

    async def test() -> None:
        refusal = b'{"kind":"Status","status":"Failure","code":413,"message":"too large"}'

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await _request(reader)
            writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: %d\r\n\r\n%b" % (len(refusal), refusal))
            await writer.drain()

        async with raw_server(serve) as config:
            client = Sender(config)
            with pytest.raises(Exception, match="too large"):
                await client.send(Request(method="POST", path="/api", body=bytes(1 << 26)))
            assert _open(client) == 0
            await client.close()

    run(test)


def test_a_large_body_arrives_whole() -> None:
    async def test() -> None:
        body = bytes(range(256)) * (1 << 16)

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await _request(reader)
            assert b"\r\nContent-Length: %d\r\n" % len(body) in head
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
            writer.write(await reader.readexactly(len(body)))
            await writer.drain()

        async with raw_server(serve) as config:
            client = Sender(config)
            answer = await client.send(Request(method="POST", path="/api", body=body))
            assert answer.body == body
            await client.close()

    run(test)


def test_a_stream_that_nobody_reads_is_not_read_ahead_without_end() -> None:
    async def test() -> None:
        written = 0
        size = 1 << 16

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal written
            await _request(reader)
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while written < 1 << 25:
                writer.write(b"%x\r\n%b\r\n" % (size, bytes(size)))
                await writer.drain()
                written += size
            writer.write(b"0\r\n\r\n")

        async with raw_server(serve) as config:
            client = Sender(config)
            async with client.stream(GET) as stream:
                before = -1
                while written != before:
                    # Until the server waits for its reader: the kernel's buffers are full.
                    before = written
                    await asyncio.sleep(0.05)
                assert written < 1 << 24
                read = 0
                while chunk := await stream.chunk(within=30):
                    read += len(chunk)
                assert read == 1 << 25
            assert _idle(client) == 1
            await client.close()

    run(test)


def test_a_stream_that_is_silent_for_too_long() -> None:
    async def test() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await _request(reader)
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")
            await reader.read()

        async with raw_server(serve) as config:
            client = Sender(config)
            async with client.stream(GET) as stream:
                assert await stream.chunk(within=30) == b"ok"
                with pytest.raises(RequestTimeout, match=r"sent nothing for 0\.01 seconds"):
                    await stream.chunk(within=0.01)
            assert _open(client) == 0
            await client.close()

    run(test)


def test_what_comes_unasked_closes_the_connection() -> None:
    async def test() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await _request(reader)
            writer.write(ANSWER + ANSWER)
            await reader.read()

        async with raw_server(serve) as config:
            client = Sender(config)
            assert (await client.send(GET)).body == b"ok"
            await _until(lambda: not _open(client))
            await client.close()

    run(test)


def test_a_connection_that_was_idle_for_long_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubewright.client.transport._KEEP_ALIVE", 0.01)

    async def test() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                await _request(reader)
                writer.write(ANSWER)

        async with raw_server(serve) as config:
            client = Sender(config)
            await asyncio.gather(*(client.send(GET) for _ in range(3)))
            await _until(lambda: not _open(client))
            await client.close()

    run(test)


class _Fence:
    is_open = True

    def check(self) -> None:
        if not self.is_open:
            raise PermissionError("not any more")

    def broken_off(self) -> None:
        pass


def test_a_fence_is_asked_right_before_bytes_leave() -> None:
    """Also of a body whose rest is written later."""

    async def test() -> None:
        received = 0
        asked = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal received
            await _request(reader)
            asked.set()
            await fell.wait()
            while chunk := await reader.read(1 << 20):
                received += len(chunk)
            ended.set()

        fell, ended = asyncio.Event(), asyncio.Event()
        body = bytes(1 << 26)
        async with raw_server(serve) as config:
            client = Sender(config)
            fence = _Fence()
            with fenced(fence):
                sending = asyncio.create_task(client.send(Request(method="POST", path="/api", body=body)))
            await asked.wait()
            fence.is_open = False
            fell.set()
            with pytest.raises(PermissionError):
                await sending
            await ended.wait()
            assert received < len(body)
            await client.close()

    run(test)


def test_a_connection_that_is_reset_before_the_handshake_leaves_no_socket() -> None:
    """pytest reports a socket that is not closed."""

    async def test() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            for _ in range(20):
                made = socket.create_connection(("127.0.0.1", port))
                made.setblocking(False)
                accepted, _ = listener.accept()
                # Closed with a reset, and without a farewell.
                accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                accepted.close()
                with pytest.raises(OSError, match="reset") as broken:
                    await wrap_with_tls(made, ssl.create_default_context(), server_hostname="localhost")
                assert made.fileno() == -1
                del broken

    run(test)


def test_it_works_on_uvloop() -> None:
    async def test() -> None:
        from aiohttp import web

        async with peer(lambda asked, request: web.json_response({"a": "b" * 100_000})) as server:
            client = Sender(server.config)
            answers = await asyncio.gather(*(client.send(GET) for _ in range(20)))
            assert all(answer.status == 200 for answer in answers)
            async with client.stream(GET) as stream:
                assert b"".join([chunk async for chunk in stream]) == answers[0].body
            await client.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(test())
        gc.collect()
