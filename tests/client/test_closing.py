"""What is left of requests that are cancelled, and of those whose client is closed: nothing, at once."""

from __future__ import annotations

import asyncio
import gc
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.config import Config
from kubewright.machinery.errors import TransportError
from tests.client.peers import run, server_context
from tests.client.streams.pod_server import open_sockets, until

GET = Request(method="GET", path="/api/v1/pods")

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes the connection and says nothing."""


async def half_an_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")


async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A proxy whose server says nothing."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")


class Stuck:
    """A server that lets every request wait, and how to reach it."""

    def __init__(self) -> None:
        self.config = Config(server="")
        self.waiting = asyncio.Event()
        """Set when a connection has got as far as it gets."""


@asynccontextmanager
async def stuck(state: str) -> AsyncIterator[Stuck]:
    """Such a server, whose connections get as far as `state`."""
    made = Stuck()
    serve = {"a body": half_an_answer, "a tunnel": tunnel}.get(state, silent)
    tls = server_context() if state in ("headers", "a body") else None
    halves: list[asyncio.StreamWriter] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        halves.append(writer)
        await serve(reader, writer)
        # Deaf as well: a farewell of TLS is not answered.
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        made.waiting.set()

    listener = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls)
    url = f"127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    made.config = Config(server=f"https://{url}", insecure=True)
    if state == "a tunnel":
        made.config = Config(server="https://192.0.2.1:6443", insecure=True, proxy_url=f"http://{url}")
    try:
        yield made
    finally:
        for half in halves:
            half.transport.abort()
        listener.close()


async def send(client: Sender) -> None:
    await client.send(GET)


async def stream(client: Sender) -> None:
    async with client.stream(GET) as answer:
        while await answer.chunk():
            pass


async def websocket(client: Sender) -> None:
    async with client.websocket(GET, protocols=["v5.channel.k8s.io"]):
        pass


AT_ONCE = 10.0
"""Seconds on a busy machine; who waited for a farewell of TLS would wait for 30."""

states = pytest.mark.parametrize("state", ["a handshake", "headers", "a body", "a tunnel"])
operations = pytest.mark.parametrize("operation", [send, stream, websocket])


@states
@operations
def test_a_cancelled_request_leaves_no_socket(
    state: str, operation: Callable[[Sender], Coroutine[Any, Any, None]]
) -> None:
    async def test() -> None:
        async with stuck(state) as server:
            client = Sender(server.config)
            before = open_sockets()
            running = asyncio.create_task(operation(client))
            await server.waiting.wait()
            # That it waits has to come here, too.
            await asyncio.sleep(0.02)
            assert open_sockets() > before + 1
            begun = time.monotonic()
            running.cancel()
            await asyncio.wait((running,))
            # The server's half may be open for as long as it does not look.
            await until(lambda: open_sockets() <= before + 1)
            assert time.monotonic() - begun < AT_ONCE
            await client.close()

    run(test)


@states
@operations
def test_closing_ends_what_is_under_way(
    state: str, operation: Callable[[Sender], Coroutine[Any, Any, None]]
) -> None:
    async def test() -> None:
        async with stuck(state) as server:
            client = Sender(server.config)
            before = open_sockets()
            running = asyncio.create_task(operation(client))
            await server.waiting.wait()
            await asyncio.sleep(0.02)
            begun = time.monotonic()
            await client.close()
            with pytest.raises(TransportError, match=r"the client (is|was) closed|the connection .* broke"):
                await running
            await until(lambda: open_sockets() <= before + 1)
            assert time.monotonic() - begun < AT_ONCE

    run(test)


def test_closing_ends_connections_that_nobody_answers() -> None:
    async def test() -> None:
        # A full queue: the kernel lets those who come wait until there is room in it.
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        first = [socket.socket() for _ in range(3)]
        for each in first:
            each.setblocking(False)
            each.connect_ex(listener.getsockname())
        client = Sender(Config(server=f"https://127.0.0.1:{listener.getsockname()[1]}"))
        before = open_sockets()
        running = asyncio.create_task(client.send(GET))
        await until(lambda: open_sockets() > before)
        await client.close()
        with pytest.raises(TransportError, match="the client was closed before") as raised:
            await running
        assert raised.value.lasting
        assert not raised.value.was_sent
        assert open_sockets() <= before
        for each in (listener, *first):
            each.close()

    run(test)


def test_closing_amid_a_lookup_is_no_cancellation(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        asked = asyncio.Event()

        async def unanswered(*args: object, **options: object) -> list[Any]:
            asked.set()
            await asyncio.Event().wait()
            return []

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", unanswered)
        client = Sender(Config(server="https://kubernetes.example"))
        running = asyncio.create_task(client.send(GET))
        await asked.wait()
        await client.close()
        with pytest.raises(TransportError, match="the client was closed before the answer was there"):
            await running
        client = Sender(Config(server="https://kubernetes.example"))
        running = asyncio.create_task(client.send(GET))
        asked.clear()
        await asked.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await client.close()

    run(test)


def test_what_no_retry_mends_is_tried_once() -> None:
    async def test() -> None:
        connections = 0

        async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal connections
            connections += 1
            try:
                await writer.start_tls(server_context())
            except OSError:
                writer.transport.abort()

        listener = await asyncio.start_server(count, "127.0.0.1", 0)
        client = Sender(Config(server=f"https://127.0.0.1:{listener.sockets[0].getsockname()[1]}"))
        with pytest.raises(TransportError, match="is not trusted"):
            await client.send(GET)
        assert connections == 1
        await client.close()
        listener.close()

    run(test)


def test_closing_leaves_idle_connections_neither() -> None:
    async def test() -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while await reader.readline():
                if await reader.readuntil(b"\r\n\r\n"):
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            writer.close()

        listener = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=server_context())
        port = listener.sockets[0].getsockname()[1]
        gc.collect()
        before = open_sockets()
        for _ in range(20):
            client = Sender(Config(server=f"https://127.0.0.1:{port}", insecure=True))
            await asyncio.gather(*(client.send(GET) for _ in range(3)))
            await client.close()
        await until(lambda: open_sockets() <= before)
        listener.close()

    run(test)
