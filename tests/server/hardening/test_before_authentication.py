"""What a client may cost before it is known: paths, queries, heads, bodies and handshakes are bounded."""

from __future__ import annotations

import asyncio
import time

import pytest

from kubewright.server.handlers.call import Answer, Call, Reply
from kubewright.server.listener import ConnectionLimits
from tests.server.hardening.listening import connect, listening

QUICK = ConnectionLimits(handshake_timeout=0.3, head_timeout=0.3, body_timeout=0.3, idle_timeout=0.3)


async def answer(call: Call) -> Reply:
    return Answer(b"%d\n" % len(call.body))


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/api/v1/" + "%41/" * 250_000, 414),
        ("/api/v1/" + "../" * 300_000, 414),
        ("/api/v1/pods?" + "a=b&" * 250_000, 400),
        ("/api/v1/pods?fieldSelector=" + "metadata.name%3Da," * 50_000, 400),
        ("/api/v1/pods?" + "&" * 20_000, 400),
    ],
    ids=["segments", "dots", "query", "fields", "parameters"],
)
def test_long_targets_are_refused_before_they_are_parsed(target: str, status: int) -> None:
    """A path of a megabyte cost a second of the event loop; waiting for the network does not count."""

    async def scenario() -> None:
        async with listening(answer) as port:
            client = await connect(port)
            before = time.thread_time()
            await client.get(target)
            assert await client.status() == status
            assert time.thread_time() - before < 0.3

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "target",
    [
        "/api/v1/namespaces/a/services/b/proxy/" + "x" * 60_000,
        "/api/v1/namespaces/a/services/b/proxy/" + "%20" * 2_500,
        "/api/v1/pods?labelSelector=a+in+(" + "b," * 30_000 + ")",
    ],
)
def test_long_targets_that_clients_send_are_served(target: str) -> None:
    async def scenario() -> None:
        async with listening(answer) as port:
            client = await connect(port)
            await client.get(target)
            assert await client.status() == 200
            client.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("line", ["GET /version HTTP/0.9", "GET /version"])
def test_http_0_9_is_refused(line: str) -> None:
    async def scenario() -> None:
        async with listening(answer) as port:
            client = await connect(port)
            await client.send(f"{line}\r\nHost: x\r\n\r\n".encode())
            assert await client.status() == 400

    asyncio.run(scenario())


@pytest.mark.parametrize("sent", ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\nX: "])
def test_a_head_that_does_not_end_is_cut_off(sent: str) -> None:
    async def scenario() -> None:
        async with listening(answer, limits=QUICK) as port:
            client = await connect(port)
            await client.send(sent.encode())
            assert await client.read_all() == b""

    asyncio.run(scenario())


def test_a_head_that_does_not_end_after_a_request_is_cut_off() -> None:
    async def scenario() -> None:
        async with listening(answer, limits=QUICK._replace(idle_timeout=3600)) as port:
            client = await connect(port)
            await client.get("/api")
            assert await client.status() == 200
            await client.send(b"GET / HT")
            await client.read_all()

    asyncio.run(scenario())


def test_a_body_that_does_not_come_is_refused() -> None:
    async def scenario() -> None:
        async with listening(answer, limits=QUICK) as port:
            client = await connect(port)
            await client.send(
                b"POST /api/v1/namespaces/a/pods HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"
            )
            reply = await client.read_all()
            assert reply.startswith(b"HTTP/1.1 504 ")
            assert b'"reason":"Timeout"' in reply

    asyncio.run(scenario())


def test_a_body_that_comes_slowly_is_read() -> None:
    async def scenario() -> None:
        async with listening(answer, limits=QUICK._replace(body_timeout=60)) as port:
            client = await connect(port)
            await client.send(
                b"POST /api/v1/namespaces/a/pods HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"
            )
            # Longer than a head may take, which this is not.
            await asyncio.sleep(0.7)
            await client.send(b"defghij")
            assert await client.status() == 200
            client.close()

    asyncio.run(scenario())


def test_a_request_with_a_late_body_may_take_longer_than_a_head() -> None:
    async def answer_slowly(call: Call) -> Reply:
        await asyncio.sleep(3 * QUICK.head_timeout)
        return await answer(call)

    async def scenario() -> None:
        async with listening(answer_slowly, limits=QUICK._replace(body_timeout=60)) as port:
            client = await connect(port)
            await client.send(
                b"POST /api/v1/namespaces/a/pods HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n"
            )
            # So that the body comes by itself.
            await asyncio.sleep(0.1)
            await client.send(b"abc")
            assert await client.status() == 200
            client.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("sent", [b"", b"\x16\x03\x01\x02\x00\x01"])
def test_a_handshake_that_does_not_go_on_is_cut_off(sent: bytes) -> None:
    async def scenario() -> None:
        async with listening(answer, limits=QUICK) as port:
            client = await connect(port, tls=False)
            await client.send(sent)
            assert await client.read_all() == b""

    asyncio.run(scenario())


def test_idle_connections_are_closed() -> None:
    async def scenario() -> None:
        async with listening(answer, limits=QUICK) as port:
            client = await connect(port)
            await client.get("/api")
            assert await client.status() == 200
            await client.read_all()

    asyncio.run(scenario())
