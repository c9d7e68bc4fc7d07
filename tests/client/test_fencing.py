"""Writes that are refused up to the last moment, whatever they waited for."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import msgspec
import pytest
from aiohttp import web

from kubewright.client.fencing import fenced
from kubewright.client.request import Request
from kubewright.client.sender import Sender, SendOptions
from kubewright.config import Config
from kubewright.machinery.errors import TransportError
from kubewright.testing import FaultProxy
from tests.client.peers import Asked, Peer, peer, run, status

GET = Request(method="GET", path="/api/v1/pods")
POST = Request(method="POST", path="/api/v1/namespaces/default/pods", body=b'{"kind":"Pod"}')

_LARGE = 1 << 24
"""Bytes that fit into no buffers of sockets."""


class Refused(Exception):
    """What the fence of these tests raises."""


class Gate:
    """A fence that is open at first."""

    def __init__(self, *, passes: int | None = None) -> None:
        self.passes = passes
        self.calls = 0
        self.given_up = 0

    def check(self) -> None:
        self.calls += 1
        if self.passes is not None and self.calls > self.passes:
            raise Refused

    def broken_off(self) -> None:
        self.given_up += 1

    def close(self) -> None:
        """From now on nothing may be written."""
        self.passes = 0


def fine(asked: Asked, request: web.BaseRequest) -> web.Response:
    return web.json_response({"ok": True})


@asynccontextmanager
async def connected(of: Peer, proxy: FaultProxy | None = None, **options: object) -> AsyncIterator[Sender]:
    config = of.config if proxy is None else msgspec.structs.replace(of.config, server=proxy.url)
    sender = Sender(config, SendOptions(**options))  # type: ignore[arg-type]
    try:
        yield sender
    finally:
        await sender.close()


def methods(of: Peer) -> list[str]:
    return [each.method for each in of.asked]


@pytest.mark.parametrize("tls", [True, False])
@pytest.mark.parametrize("body", [b'{"kind":"Pod"}', b"", b"x" * 100_000])
def test_the_last_to_ask_is_the_socket(tls: bool, body: bytes) -> None:
    async def test() -> None:
        async with peer(fine, tls=tls) as server, connected(server) as sender:
            await sender.send(GET)
            # It is asked before the attempt, passes, and is asked again when the bytes are about to leave.
            gate = Gate(passes=1)
            with fenced(gate), pytest.raises(Refused):
                await sender.send(msgspec.structs.replace(POST, body=body))
            assert gate.calls >= 2
            await sender.send(GET)
            assert methods(server) == ["GET", "GET"]

    run(test)


def test_an_open_fence_lets_writes_pass_and_no_fence_is_asked_for_reads() -> None:
    async def test() -> None:
        async with peer(fine) as server, connected(server) as sender:
            gate = Gate()
            with fenced(gate):
                await sender.send(POST)
            gate.close()
            with fenced(gate):
                await sender.send(GET)
            assert methods(server) == ["POST", "GET"]

    run(test)


def test_it_holds_for_tasks_of_the_block_and_not_for_others() -> None:
    async def test() -> None:
        async with peer(fine) as server, connected(server) as sender:
            gate = Gate(passes=0)
            with fenced(gate):
                inner = asyncio.create_task(sender.send(POST))
            outer = asyncio.create_task(sender.send(msgspec.structs.replace(POST, method="PUT")))
            with pytest.raises(Refused):
                await inner
            await outer
            assert methods(server) == ["PUT"]

    run(test)


def test_a_connection_that_a_fenced_write_has_made_serves_others() -> None:
    async def test() -> None:
        async with peer(fine) as server, connected(server) as sender:
            gate = Gate()
            with fenced(gate):
                await sender.send(POST)
            gate.close()
            await sender.send(POST)
            assert [each.connection for each in server.asked] == [0, 0]

    run(test)


def test_no_websocket_is_opened_behind_a_closed_fence() -> None:
    async def test() -> None:
        async with peer(fine) as server, connected(server) as sender:
            with fenced(Gate(passes=0)), pytest.raises(Refused):
                async with sender.websocket(GET, protocols=["v5.channel.k8s.io"]):
                    raise AssertionError("it is open")
            assert methods(server) == []

    run(test)


def test_it_is_asked_after_the_wait_for_a_turn() -> None:
    async def test() -> None:
        async with peer(fine) as server, connected(server, qps=5.0, burst=1) as sender:
            gate = Gate()
            with fenced(gate):
                await sender.send(POST)
                waiting = asyncio.create_task(sender.send(POST))
                await asyncio.sleep(0.05)
                gate.close()
                with pytest.raises(Refused):
                    await waiting
            assert methods(server) == ["POST"]

    run(test)


def test_it_is_asked_again_when_a_write_is_repeated() -> None:
    gate = Gate()

    def busy(asked: Asked, request: web.BaseRequest) -> web.Response:
        gate.close()
        return status(429, "TooManyRequests", {"Retry-After": "0"})

    async def test() -> None:
        async with peer(busy) as server, connected(server) as sender:
            with fenced(gate), pytest.raises(Refused):
                await sender.send(POST)
            assert methods(server) == ["POST"]

    run(test)


def test_it_is_asked_after_the_wait_for_a_connection() -> None:
    async def test() -> None:
        async with peer(fine) as server:
            with FaultProxy(server.config.server) as proxy:
                async with connected(server, proxy) as sender:
                    proxy.stall()
                    gate = Gate()
                    with fenced(gate):
                        waiting = asyncio.create_task(sender.send(POST))
                    while not proxy.connections:  # noqa: ASYNC110 - the proxy has no event
                        await asyncio.sleep(0.005)
                    gate.close()
                    proxy.resume()
                    with pytest.raises(Refused):
                        await waiting
                    assert methods(server) == []

    run(test)


def test_a_write_of_which_a_part_has_left_is_broken_off() -> None:
    async def test() -> None:
        may_read, read = asyncio.Event(), asyncio.get_running_loop().create_future()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await may_read.wait()
            size = 0
            with suppress(ConnectionError):
                while chunk := await reader.read(1 << 16):
                    size += len(chunk)
            writer.close()
            read.set_result(size)

        async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
            host, port = server.sockets[0].getsockname()
            sender = Sender(Config(server=f"http://{host}:{port}"))
            gate = Gate()
            with fenced(gate):
                waiting = asyncio.create_task(sender.send(msgspec.structs.replace(POST, body=b"x" * _LARGE)))
            # Until the buffers are full, and the rest waits for room in them.
            asked = -1
            while not waiting.done() and (asked != gate.calls or gate.calls < 2):
                asked = gate.calls
                await asyncio.sleep(0.05)
            gate.close()
            may_read.set()
            with pytest.raises(Refused):
                await waiting
            assert 0 < await read < _LARGE
            await sender.close()

    run(test)


def test_a_connection_that_breaks_is_told_as_ever_and_the_fence_hears_of_it() -> None:
    async def test() -> None:
        async with peer(lambda asked, request: None) as server, connected(server) as sender:
            gate = Gate()
            with fenced(gate), pytest.raises(TransportError):
                await sender.send(POST)
            assert gate.given_up == 1

    run(test)


def test_the_fence_hears_of_a_write_that_is_cancelled_under_way() -> None:
    async def test() -> None:
        asked, may_answer = asyncio.Event(), asyncio.Event()

        async def late(_: Asked, request: web.BaseRequest) -> web.Response:
            asked.set()
            await may_answer.wait()
            return web.json_response({"ok": True})

        async with peer(late) as server, connected(server) as sender:
            gate = Gate()
            with fenced(gate):
                for request, given_up in ((GET, 0), (POST, 1)):
                    asked.clear()
                    sent = asyncio.create_task(sender.send(request))
                    await asked.wait()
                    sent.cancel()
                    await asyncio.wait([sent])
                    assert gate.given_up == given_up
            may_answer.set()

    run(test)


def test_what_cannot_be_sent_is_not_given_up_under_way() -> None:
    async def test() -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            sender = Sender(Config(server=f"http://127.0.0.1:{taken.getsockname()[1]}"))
            gate = Gate()
            with fenced(gate), pytest.raises(TransportError):
                await sender.send(POST)
            assert gate.given_up == 0
            assert gate.calls > 1, "each attempt asks"
            await sender.close()

    run(test)
