"""The HTTP server of a manager: addresses, refusals, and what it does when it cannot listen."""

from __future__ import annotations

import asyncio
import socket

import pytest
from aiohttp import web

from kubewright.client.client import Client
from kubewright.controllers.http import Address, Answer, HttpServer, ListenError, parse_address
from kubewright.controllers.manager import Manager
from tests.controllers.running import on_a_cluster
from tests.controllers.scraping import get

LOCAL = Address("127.0.0.1", 0)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:8080", Address("127.0.0.1", 8080)),
        (":8081", Address("", 8081)),
        ("[::1]:0", Address("::1", 0)),
        ("localhost:65535", Address("localhost", 65535)),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert parse_address(text, "x") == address
    assert str(address) == text


@pytest.mark.parametrize("text", ["8080", "host", "::1:8080", "a:", "a:x", "a:65536", "a:-1", "a:²"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match=f"health_address is {text!r}; write a host and a port, such as"):
        parse_address(text, "health_address")


def test_a_port_that_is_taken() -> None:
    async def test(client: Client) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(ListenError) as caught:
                async with Manager(client, metrics_address=f"127.0.0.1:{port}"):
                    pass
        assert str(caught.value) == (
            f"metrics_address: cannot listen on 127.0.0.1:{port}: "
            "another program listens there; give another port, or 0 for any free one"
        )

    on_a_cluster(test)


def test_an_address_of_another_machine() -> None:
    async def main() -> None:
        with pytest.raises(
            ListenError, match=r"x: cannot listen on 192\.0\.2\.1:0: .*; give an address of this"
        ):
            async with HttpServer(Address("192.0.2.1", 0), "x"):
                pass

    asyncio.run(main())


def test_refusals() -> None:
    async def main() -> None:
        async def page(rest: str, request: web.BaseRequest) -> Answer | None:
            if rest == "broken":
                raise RuntimeError("a secret of the program")
            return Answer(200, b"here") if not rest else None

        async with HttpServer(LOCAL, "x") as server:
            server.add("/page", page)
            at = str(server.address)
            assert (await get(at, "/page")).text == "here"
            assert (await get(at, "/page/")).text == "here"
            assert await get(at, "/page", method="HEAD") == (200, "", "text/plain; charset=utf-8")
            assert (await get(at, "/page", method="POST")).status == 405
            for path in ("/", "/other", "/page/deeper", "//page", "/PAGE"):
                got = await get(at, path)
                assert (got.status, got.text) == (404, "there is nothing at this path; there is /page\n"), (
                    path
                )
            assert await get(at, "/page/broken") == (
                *(500, "the answer failed; the log says why\n", "text/plain; charset=utf-8"),
            )

    asyncio.run(main())


def test_answers_at_once_are_bounded() -> None:
    async def main() -> None:
        may_end = asyncio.Event()
        begun: list[None] = []

        async def page(rest: str, request: web.BaseRequest) -> Answer:
            begun.append(None)
            await may_end.wait()
            return Answer(200, b"")

        async with HttpServer(LOCAL, "x") as server, asyncio.timeout(20):
            server.add("/page", page)
            at = str(server.address)
            asking = [asyncio.create_task(get(at, "/page")) for _ in range(64)]
            while len(begun) < 64:  # noqa: ASYNC110 - they come by a socket
                await asyncio.sleep(0.005)
            refused = await get(at, "/page")
            assert (refused.status, refused.text) == (503, "64 requests are under way already\n")
            may_end.set()
            assert {got.status for got in await asyncio.gather(*asking)} == {200}
            assert (await get(at, "/page")).status == 200

    asyncio.run(main())


def test_what_is_no_http_is_not_logged_as_an_error(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with HttpServer(LOCAL, "x") as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.address.port)
            writer.write(b"\x16\x03\x01 a scan\r\n\r\n")
            assert (await reader.read()).startswith(b"HTTP/1.0 400")
            writer.close()
            # A head that has no end is cut off.
            reader, writer = await asyncio.open_connection("127.0.0.1", server.address.port)
            writer.write(b"GET /" + b"a" * 100_000)
            assert b" 400 " in await reader.read()
            writer.close()

    asyncio.run(main())
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]


def test_connections_that_are_kept_open_do_not_keep_it_from_stopping() -> None:
    async def main() -> None:
        async def page(rest: str, request: web.BaseRequest) -> Answer:
            return Answer(200, b"here")

        async with HttpServer(LOCAL, "x") as server:
            server.add("/page", page)
            reader, writer = await asyncio.open_connection("127.0.0.1", server.address.port)
            writer.write(b"GET /page HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            began = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - began < 20
        writer.close()

    asyncio.run(main())
