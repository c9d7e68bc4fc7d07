"""The webhook server over real sockets: good reviews, and everything else that comes to a port."""

from __future__ import annotations

import asyncio
import gzip
import logging
import os
import re
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import pytest

from kubewright import DeclarationError, Resource, custom_resource
from kubewright.webhooks import WebhookServer, server
from tests.crd.versioned_kinds import Site, SiteV1Beta1
from tests.webhooks.caller import JSON, Caller, review, run


def test_a_review() -> None:
    async def test(caller: Caller) -> None:
        response = await caller.review(name="a")
        assert (response["uid"], response["result"]) == ("a", {"status": "Success"})
        assert response["convertedObjects"][0]["spec"]["host"] == "a"
        # API servers say how long they wait.
        assert (await caller.send(review(), path="/convert?timeout=30s"))[0] == 200

    run(test)


@pytest.mark.parametrize(
    ("status", "sentence", "request_"),
    [
        (404, "there is no webhook at this path", {"path": "/other"}),
        (404, "there is no webhook at this path", {"path": "/convert/"}),
        (404, "there is no webhook at this path", {"path": "/", "method": "GET"}),
        (405, "reviews are sent with POST", {"method": "GET"}),
        (405, "reviews are sent with POST", {"method": "PUT"}),
        (
            415,
            "the Content-Type is text/plain; send application/json",
            {"headers": {"Content-Type": "text/plain"}},
        ),
        (415, "the Content-Type is application/octet-stream; send", {"headers": {}}),
        (400, "ConversionReview: JSON", {"body": b"nothing"}),
        (400, "ConversionReview: ", {"body": b""}),
        (400, "ConversionReview: expected object, got array", {"body": b"[]"}),
        (400, "the body is no ConversionReview with a request", {"body": b"{}"}),
        (
            400,
            "ConversionReview: ",
            {"body": gzip.compress(review()), "headers": {**JSON, "Content-Encoding": "gzip"}},
        ),
        (413, "the review is larger than 2000 bytes", {"body": b"x" * 2001}),
    ],
)
def test_bad_requests(status: int, sentence: str, request_: dict[str, Any]) -> None:
    async def test(caller: Caller) -> None:
        found, text = await caller.send(**{"body": review(), **request_})
        assert (found, text[: len(sentence)]) == (status, sentence)
        assert re.fullmatch(r"[^\n]+\n", text)
        # It goes on.
        assert (await caller.review())["result"] == {"status": "Success"}

    run(test, max_body=2000)


def test_a_body_that_is_too_large_is_not_waited_for() -> None:
    async def test(caller: Caller) -> None:
        port = int(caller.webhooks.url.rpartition(":")[2])
        context = ssl.create_default_context(cadata=caller.webhooks.ca_bundle.decode())
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
        head = "POST /convert HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2001"
        writer.write(f"{head}\r\n\r\n".encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 413 ")
        writer.close()

    run(test, max_body=2000)


def test_a_body_that_does_not_say_how_large_it_is() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b" " * 4096

    async def test(caller: Caller) -> None:
        try:
            status, _ = await caller.send(endless())
            assert status == 413
        except aiohttp.ClientConnectionError:
            pass  # the server hung up while it was still sent
        assert (await caller.review())["result"] == {"status": "Success"}

    run(test, max_body=100_000)


def test_the_largest_body_that_is_taken() -> None:
    body = review()

    async def test(caller: Caller) -> None:
        assert (await caller.send(body))[0] == 200
        assert (await caller.send(body + b" "))[0] == 413

    run(test, max_body=len(body))


def test_failures_of_functions(caplog: pytest.LogCaptureFixture) -> None:
    async def test(caller: Caller) -> None:
        failed = await caller.review(address="a:b")
        assert failed["result"]["status"] == "Failure"
        assert "Site web cannot be converted" in failed["result"]["message"]
        assert (await caller.review())["result"] == {"status": "Success"}

    run(test)
    assert "in to_hub" in caplog.text


def test_many_at_once() -> None:
    async def test(caller: Caller) -> None:
        answers = await asyncio.gather(*(caller.review(name=f"n{i}", count=20) for i in range(100)))
        assert [answer["uid"] for answer in answers] == [f"n{i}" for i in range(100)]
        assert all(len(answer["convertedObjects"]) == 20 for answer in answers)

    run(test)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """The conversion of the site "slow" waits until it is told."""
    made = Gate()
    works = SiteV1Beta1.to_hub

    def to_hub(self: SiteV1Beta1) -> Site:
        if self.metadata.name == "slow":
            made.begun.set()
            made.open.wait(30)
        return works(self)

    monkeypatch.setattr(SiteV1Beta1, "to_hub", to_hub)
    yield made
    made.open.set()


class Gate:
    def __init__(self) -> None:
        self.begun = threading.Event()
        self.open = threading.Event()


def test_a_slow_function_holds_up_nobody(gate: Gate) -> None:
    async def test(caller: Caller) -> None:
        slow = asyncio.create_task(caller.review(name="slow"))
        await asyncio.to_thread(gate.begun.wait, 30)
        assert (await caller.review(name="quick"))["uid"] == "quick"
        assert not slow.done()
        gate.open.set()
        assert (await slow)["uid"] == "slow"

    run(test)


def test_a_caller_who_goes_away(gate: Gate) -> None:
    async def test(caller: Caller) -> None:
        slow = asyncio.create_task(caller.review(name="slow"))
        await asyncio.to_thread(gate.begun.wait, 30)
        slow.cancel()
        assert (await caller.review(name="quick"))["uid"] == "quick"

    run(test)


def test_a_stop_lets_reviews_end(gate: Gate) -> None:
    async def test() -> None:
        async with aiohttp.ClientSession() as session:
            async with WebhookServer() as webhooks:
                webhooks.add_conversion(Site)
                caller = Caller(webhooks, session)
                slow = asyncio.create_task(caller.review(name="slow"))
                await asyncio.to_thread(gate.begun.wait, 30)
                asyncio.get_running_loop().call_later(0.1, gate.open.set)
            assert (await slow)["result"] == {"status": "Success"}

    asyncio.run(test())


def test_a_stop_does_not_wait_for_ever(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_GRACE", 0.1)

    async def test() -> None:
        async with aiohttp.ClientSession() as session:
            async with WebhookServer() as webhooks:
                webhooks.add_conversion(Site)
                caller = Caller(webhooks, session)
                slow = asyncio.create_task(caller.review(name="slow"))
                await asyncio.to_thread(gate.begun.wait, 30)
            assert not gate.open.is_set()
            with pytest.raises(aiohttp.ClientError):
                await slow

    asyncio.run(test())


def test_a_stop_closes_connections_whose_callers_say_nothing() -> None:
    def connect(webhooks: WebhookServer) -> ssl.SSLSocket:
        context = ssl.create_default_context(cadata=webhooks.ca_bundle.decode())
        plain = socket.create_connection(("127.0.0.1", int(webhooks.url.rpartition(":")[2])), 30)
        secure = context.wrap_socket(plain, server_hostname="127.0.0.1")
        secure.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert secure.recv(12) == b"HTTP/1.1 404"
        return secure

    def read_to_the_end(secure: ssl.SSLSocket) -> None:
        # Below TLS, which would answer the server's goodbye.
        with secure, socket.socket(fileno=os.dup(secure.fileno())) as plain:
            plain.settimeout(60)
            while plain.recv(4096):
                pass

    async def test() -> None:
        async with WebhookServer() as webhooks:
            secure = await asyncio.to_thread(connect, webhooks)
        await asyncio.to_thread(read_to_the_end, secure)

    asyncio.run(test())


def test_what_is_no_https(caplog: pytest.LogCaptureFixture) -> None:
    async def test(caller: Caller) -> None:
        port = int(caller.webhooks.url.rpartition(":")[2])
        context = ssl.create_default_context(cadata=caller.webhooks.ca_bundle.decode())
        for tls in (None, context):
            for noise in (
                b"GET / HTTP/1.1\r\n\r\n",
                b"\x00\xff secret\r\n\r\n",
                b"POST /convert HTTP/9\r\n\r\n",
            ):
                reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
                writer.write(noise)
                await reader.read()
                writer.close()
        assert (await caller.review())["result"] == {"status": "Success"}

    with caplog.at_level(logging.INFO):
        run(test)
    assert caplog.text == ""


def test_half_a_body(caplog: pytest.LogCaptureFixture) -> None:
    async def test(caller: Caller) -> None:
        port = int(caller.webhooks.url.rpartition(":")[2])
        context = ssl.create_default_context(cadata=caller.webhooks.ca_bundle.decode())
        head = "POST /convert HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        for body in ("Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\nzz\r\n{"):
            for cut in (True, False):
                reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
                writer.write(f"{head}{body}".encode())
                await writer.drain()
                await caller.review()
                if cut:
                    writer.transport.abort()
                writer.close()
                await reader.read()
        assert (await caller.review())["result"] == {"status": "Success"}

    with caplog.at_level(logging.INFO):
        run(test)
    assert caplog.text == ""


def test_where_it_is() -> None:
    async def test() -> None:
        async with WebhookServer() as webhooks:
            assert re.fullmatch(r"https://127\.0\.0\.1:\d+", webhooks.url)
            config = webhooks.client_config("/x")
            assert (config.url, config.ca_bundle) == (f"{webhooks.url}/x", webhooks.ca_bundle)
            conversion = webhooks.conversion().webhook
            assert conversion is not None
            assert conversion.client_config == webhooks.client_config("/convert")
            with pytest.raises(RuntimeError, match="was entered before; make another one"):
                await webhooks.__aenter__()
        for host, names, url in (
            ("0.0.0.0", [], "https://127.0.0.1:"),  # noqa: S104 - nobody outside calls it
            ("127.0.0.1", ["app.default.svc", "10.0.0.1"], "https://app.default.svc:"),
            ("127.0.0.1", ["::1"], "https://[::1]:"),
            ("localhost", [], "https://localhost:"),
        ):
            async with WebhookServer(host=host, names=names) as webhooks:
                assert webhooks.url.startswith(url)

    asyncio.run(test())


def test_before_and_after_it_runs() -> None:
    webhooks = WebhookServer()
    for ask in (lambda: webhooks.url, lambda: webhooks.client_config("/x"), webhooks.conversion):
        with pytest.raises(RuntimeError, match="the WebhookServer does not run; use it in async with"):
            ask()
    with pytest.raises(RuntimeError, match="has no certificate before it is entered"):
        _ = webhooks.ca_bundle

    async def test() -> None:
        async with webhooks:
            pass
        with pytest.raises(RuntimeError, match="does not run"):
            _ = webhooks.url

    asyncio.run(test())


def test_a_port_that_is_taken() -> None:
    async def test(caller: Caller) -> None:
        port = int(caller.webhooks.url.rpartition(":")[2])
        with pytest.raises(OSError, match="address already in use"):
            await WebhookServer(port=port).__aenter__()

    run(test)


def test_kinds_that_are_not_converted() -> None:
    @custom_resource(group="example.com", version="v1")
    class Thing(Resource):
        pass

    async def test(caller: Caller) -> None:
        with pytest.raises(DeclarationError, match="Thing has no conversion functions"):
            caller.webhooks.add_conversion(Thing)
        assert (await caller.review())["result"] == {"status": "Success"}

    run(test)


def test_one_name_is_a_list_too() -> None:
    with pytest.raises(TypeError, match=r"names='app' is one text; write names=\['app'\]"):
        WebhookServer(names="app")


def test_the_package_is_cheap_to_import() -> None:
    program = (
        "import kubewright.webhooks, sys; print([n for n in ('aiohttp', 'cryptography') if n in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert printed.stdout == "[]\n"


def test_large_reviews_share_a_bound() -> None:
    """Whoever reaches the port can begin any number of them, and end none."""

    async def test(caller: Caller) -> None:
        port = int(caller.webhooks.url.rpartition(":")[2])
        context = ssl.create_default_context(cadata=caller.webhooks.ca_bundle.decode())
        head = (
            "POST /convert HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000000"
        )
        writers = []
        large = review(name="x" * 400_000)
        try:
            async with asyncio.timeout(90):
                for _ in range(5):
                    _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
                    writers.append(writer)
                    writer.write(f"{head}\r\n\r\n".encode() + b" " * 999_999)
                    await writer.drain()
                while (found := await caller.send(large))[0] != 503:  # noqa: ASYNC110 - no event tells it
                    await asyncio.sleep(0.01)
                assert found[1] == "too many large reviews are under way; ask again\n"
                # Others do not suffer from it.
                assert (await caller.review())["result"] == {"status": "Success"}
                for writer in writers:
                    writer.transport.abort()
                while (await caller.send(large))[0] != 200:  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0.01)
        finally:
            for writer in writers:
                writer.transport.abort()

    run(test, max_body=1_000_000)


def test_a_review_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubewright.webhooks.http._MAX_WAIT", 0.2)

    async def test(caller: Caller) -> None:
        port = int(caller.webhooks.url.rpartition(":")[2])
        context = ssl.create_default_context(cadata=caller.webhooks.ca_bundle.decode())
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
        head = "POST /convert HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 20"
        writer.write(f"{head}\r\n\r\n{{".encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 408 ")
        writer.transport.abort()

    run(test)
