"""No request leaves the server of the configuration: redirects are refused, whatever asks and wherever they
lead."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest
from aiohttp import web

from kubewright.client.client import Client
from kubewright.config import Config, Impersonation, StaticCredentials
from kubewright.machinery.errors import TransportError
from kubewright.models.core_v1 import Pod
from tests.client.peers import Asked, peer, run

PASSWORD = "s3cret"  # noqa: S105 - of nobody
STATUSES = (301, 302, 303, 307, 308)


async def execute(client: Client, _folder: Path) -> None:
    await client.api(Pod, "default").exec("web-0", ["cat"], stdin=b"a password")


async def attach(client: Client, _folder: Path) -> None:
    async with client.api(Pod, "default").attach("web-0", stdin=True):
        pass


async def forward(client: Client, _folder: Path) -> None:
    async with client.api(Pod, "default").port_forward("web-0", 8080, listen=False) as forward:
        await forward.open(8080)


async def copy_to(client: Client, folder: Path) -> None:
    (folder / "file").write_text("a password")
    await client.api(Pod, "default").copy_to("web-0", folder / "file", "/tmp/file")  # noqa: S108 - never made


async def copy_from(client: Client, folder: Path) -> None:
    await client.api(Pod, "default").copy_from("web-0", "/etc/passwd", folder / "copy")


async def get(client: Client, _folder: Path) -> None:
    await client.api(Pod, "default").get("web-0")


async def create(client: Client, _folder: Path) -> None:
    await client.api(Pod, "default").create(Pod())


async def logs(client: Client, _folder: Path) -> None:
    async for _ in client.api(Pod, "default").logs("web-0", follow=True):
        pass


async def watch(client: Client, _folder: Path) -> None:
    async for _ in client.api(Pod, "default").watch():
        pass


async def discover(client: Client, _folder: Path) -> None:
    await client.resource("widgets.example.com")


async def raw(client: Client, _folder: Path) -> None:
    await client.raw("GET", "/healthz")


Operation = Callable[[Client, Path], Awaitable[None]]
UPGRADES = [execute, attach, forward, copy_to, copy_from]
REQUESTS = [get, create, logs, watch, discover, raw]


@pytest.mark.parametrize("tls", [False, True], ids=["to plain text", "to TLS"])
@pytest.mark.parametrize("operation", [*UPGRADES, *REQUESTS])
def test_nothing_is_sent_to_another_host(tmp_path: Path, operation: Operation, tls: bool) -> None:
    async def test() -> None:
        def must_not_be_asked(asked: Asked, _request: web.BaseRequest) -> web.Response:
            return web.Response(status=500)

        async with peer(must_not_be_asked, tls=tls) as other:

            def redirect(asked: Asked, _request: web.BaseRequest) -> web.Response:
                location = f"{other.config.server}{asked.target}&token=hidden"
                return web.Response(status=307, headers={"Location": location})

            async with peer(redirect) as server:
                config = msgspec.structs.replace(
                    server.config,
                    credentials=StaticCredentials(username="ann", password=PASSWORD),
                    impersonation=Impersonation(user="ann"),
                )
                async with Client(config) as client:
                    with pytest.raises(TransportError) as raised:
                        await operation(client, tmp_path)
            assert str(raised.value).startswith(
                f"{server.config.server} redirects to {other.config.server} (status 307), "
                "which is not followed; set the address of the API server itself"
            )
            targets = [asked.target for asked in server.asked]
            assert len(targets) == len(set(targets)), "a request was sent again"
            assert other.asked == []

    run(test)


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("operation", [execute, get])
def test_each_kind_of_redirect_is_refused_also_to_the_same_host(
    tmp_path: Path, operation: Operation, status: int
) -> None:
    async def test() -> None:
        def redirect(asked: Asked, _request: web.BaseRequest) -> web.Response:
            return web.Response(status=status, headers={"Location": "/login?token=hidden"})

        async with peer(redirect) as server, Client(server.config) as client:
            with pytest.raises(TransportError, match=rf"redirects to another path \(status {status}\)"):
                await operation(client, tmp_path)
        assert len(server.asked) == 1

    run(test)


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        (None, "another path"),
        ("//other.example:1/x", "https://other.example:1"),
        ("http://user:pass@other.example/x", "http://other.example"),
        ("https://[::1", "an invalid address"),
        ("https://" + "x" * 5000, "https://" + "x" * 504),
    ],
)
@pytest.mark.parametrize("operation", [execute, get])
def test_what_the_error_shows_of_the_address(
    tmp_path: Path, operation: Operation, location: str | None, shown: str
) -> None:
    async def test() -> None:
        def redirect(asked: Asked, _request: web.BaseRequest) -> web.Response:
            return web.Response(status=302, headers={} if location is None else {"Location": location})

        async with peer(redirect) as server, Client(server.config) as client:
            with pytest.raises(TransportError) as raised:
                await operation(client, tmp_path)
        assert f"redirects to {shown} (status 302)" in str(raised.value)

    run(test)


@pytest.mark.parametrize("operation", [execute, get])
def test_also_those_that_come_through_a_proxy(tmp_path: Path, operation: Operation) -> None:
    async def test() -> None:
        def redirect(asked: Asked, _request: web.BaseRequest) -> web.Response:
            return web.Response(status=302, headers={"Location": "http://other.example/"})

        async with peer(redirect, tls=False) as proxy:
            config = Config(server="http://api.example", proxy_url=proxy.config.server)
            async with Client(config) as client:
                with pytest.raises(
                    TransportError, match=r"redirects to http://other\.example \(status 302\)"
                ):
                    await operation(client, tmp_path)
        assert len(proxy.asked) == 1

    run(test)
