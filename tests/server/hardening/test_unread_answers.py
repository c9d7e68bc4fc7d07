"""Clients that do not read their answers: what they hold is bounded, and they are disconnected."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
from collections.abc import AsyncIterator, Iterator

import pytest

from kubewright.server.handlers.call import Answer, Call, PiecedAnswer, Reply, Streamed
from kubewright.server.unread import Unread
from kubewright.testing import Cluster
from tests.server.hardening.listening import RecordingUnread, connect, listening, until
from tests.server.raw_http import Connection

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
LARGE = 900_000
CLIENTS = 20
WEBSOCKET = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "Origin": "http://x",
}


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    """A server with 9 MB of objects."""
    with Cluster.in_thread(controllers="none") as cluster:
        with Connection(cluster) as connection:
            for number in range(10):
                obj = {
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "metadata": {"name": f"large-{number}"},
                    "data": {"key": str(number) * LARGE},
                }
                answer = connection.request("POST", CONFIG_MAPS, json.dumps(obj).encode())
                assert answer is not None
                assert answer.status == 201
        yield cluster


@pytest.mark.parametrize(
    ("target", "headers", "bound"),
    [
        (CONFIG_MAPS, {}, 20_000_000),
        (f"{CONFIG_MAPS}?watch=1", {}, 20_000_000),
        (f"{CONFIG_MAPS}/large-0", {}, 10_000_000),
        (CONFIG_MAPS, {"Accept-Encoding": "gzip"}, 20_000_000),
        # A message is there as a whole while it is sent.
        (f"{CONFIG_MAPS}?watch=1", WEBSOCKET, 20_000_000 + 2 * CLIENTS * LARGE),
    ],
    ids=["list", "watch", "get", "gzip", "websocket"],
)
def test_what_is_not_read_is_not_kept(
    server: Cluster, target: str, headers: dict[str, str], bound: int
) -> None:
    """Twenty clients ask for 9 MB each, which were 360 MB in plain and encrypted, and read only the head."""
    connections = [Connection(server) for _ in range(CLIENTS)]
    tracemalloc.start()
    try:
        for connection in connections:
            connection.send(connection.head("GET", target, headers))
        for connection in connections:
            assert connection.socket.recv(12).startswith(b"HTTP/1.1 ")
        with Connection(server) as other:
            for _ in range(10):
                answer = other.request("GET", "/readyz")
                assert answer is not None
                assert answer.status == 200
        _, peak = tracemalloc.get_traced_memory()
        assert peak < bound, f"{peak:,} bytes"
    finally:
        tracemalloc.stop()
        for connection in connections:
            connection.socket.close()


def test_lists_in_pieces_are_whole(server: Cluster) -> None:
    with Connection(server) as connection:
        plain = connection.request("GET", CONFIG_MAPS)
        assert plain is not None
        assert plain.headers["Content-Length"] == str(len(plain.body))
        items = plain.json()["items"]
        assert [item["data"]["key"][:1] for item in items if "key" in item.get("data", {})] == list(
            "0123456789"
        )
        zipped = connection.request("GET", CONFIG_MAPS, headers={"Accept-Encoding": "gzip"})
        assert zipped is not None
        assert zipped.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(zipped.body) == plain.body
        one = connection.request("GET", f"{CONFIG_MAPS}/large-3")
        assert one is not None
        assert one.json()["kind"] == "ConfigMap"
        assert one.json()["data"] == {"key": "3" * LARGE}


def test_initial_events_in_chunks_are_whole(server: Cluster) -> None:
    with Connection(server) as connection:
        answer = connection.request("GET", f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1")
    assert answer is not None
    events = [json.loads(line) for line in answer.body.splitlines()]
    assert {event["type"] for event in events} == {"ADDED"}
    assert {event["object"]["kind"] for event in events} == {"ConfigMap"}
    values = [event["object"]["data"]["key"] for event in events if "key" in event["object"].get("data", {})]
    assert values == [str(number) * LARGE for number in range(10)]


def large_answer(*, own: bool) -> Reply:
    pieces = (b"x" * 1_000_000,) * 20
    return Answer(b"".join(pieces)) if own else PiecedAnswer(pieces, 20_000_000)


async def forever() -> AsyncIterator[bytes]:
    while True:
        yield b"x" * 50_000


@pytest.mark.parametrize("form", ["whole", "pieces", "stream"])
def test_a_client_that_does_not_read_is_disconnected(form: str) -> None:
    async def handle(_: Call) -> Reply:
        return Streamed(forever) if form == "stream" else large_answer(own=form == "whole")

    async def scenario() -> None:
        unread = RecordingUnread(stall_timeout=0.3, sweep_interval=0.05)
        async with listening(handle, unread=unread) as port:
            client = await connect(port)
            await client.get()
            await until(lambda: unread.disconnected == 1)
            assert len(await client.read_all()) < 20_000_000
            await until(lambda: unread.size == 0)

    asyncio.run(scenario())


def test_a_reader_of_a_log_may_pause() -> None:
    async def handle(_: Call) -> Reply:
        return Streamed(forever, is_patient=True)

    async def scenario() -> None:
        unread = RecordingUnread(stall_timeout=0.05, sweep_interval=0.01)
        async with listening(handle, unread=unread) as port:
            client = await connect(port)
            await client.get()
            await until(lambda: unread.was_paused)
            await asyncio.sleep(0.3)
            assert len(await client.read(20_000_000)) == 20_000_000
            assert unread.disconnected == 0
            client.close()

    asyncio.run(scenario())


def test_a_client_that_reads_is_served_whatever_the_others_do() -> None:
    """Those that do not read make room for others long before the usual time."""

    async def handle(_: Call) -> Reply:
        return large_answer(own=True)

    async def scenario() -> None:
        unread = RecordingUnread(limit=50_000_000, pressed_stall_timeout=0.3, sweep_interval=0.05)
        async with listening(handle, unread=unread) as port:
            idle = [await connect(port) for _ in range(8)]
            for client in idle:
                await client.get()
            reading = await connect(port)
            await reading.get("/api/v1/pods", "Connection: close")
            assert (await reading.read_all()).endswith(b"x" * 1000)
            # Three are written at once; the others wait.
            assert 50_000_000 < unread.peak <= 60_000_000
            for client in idle:
                client.close()

    asyncio.run(scenario())


def test_requests_for_which_there_is_no_room_are_refused() -> None:
    async def handle(_: Call) -> Reply:
        return large_answer(own=True)

    async def scenario() -> None:
        unread = Unread(limit=1_000_000, pressed_stall_timeout=3600, room_timeout=0.2)
        async with listening(handle, unread=unread) as port:
            idle = await connect(port)
            await idle.get()
            await until(lambda: unread.is_full)
            client = await connect(port)
            await client.get("/api/v1/pods", "Connection: close")
            answer = await client.read_all()
            assert answer.startswith(b"HTTP/1.1 429 ")
            assert b"Retry-After: 1\r\n" in answer
            # What is not a resource needs no room.
            probe = await connect(port)
            await probe.get("/readyz", "Connection: close")
            assert await probe.status() == 200
            for each in (idle, probe):
                each.close()

    asyncio.run(scenario())
