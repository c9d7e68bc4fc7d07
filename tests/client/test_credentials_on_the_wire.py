"""Every way to get credentials, over every transport: what the server sees, and what it sees later."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest
from aiohttp import WSMsgType, web

from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.config import Config, config_from_kubeconfig, in_cluster
from kubewright.machinery.errors import Unauthorized
from tests.client.peers import Asked, Peer, peer, run, status

GET = Request(method="GET", path="/api/v1/pods")


async def send(client: Sender) -> None:
    await client.send(GET)


async def stream(client: Sender) -> None:
    async with client.stream(GET) as opened:
        assert await opened.chunk()


async def websocket(client: Sender) -> None:
    async with client.websocket(GET, protocols=["v5.channel.k8s.io"]) as opened:
        assert await opened.receive() == b"hello"


TRANSPORTS = [send, stream, websocket]


class Door:
    """A server that lets in whoever has the right word, over HTTP and WebSocket."""

    def __init__(self, word: str) -> None:
        self.word = word

    async def __call__(self, asked: Asked, request: web.BaseRequest) -> web.StreamResponse:
        if asked.headers.get("Authorization") != self.word:
            return status(401, "Unauthorized")
        if "Upgrade" not in asked.headers:
            return web.json_response({})
        socket = web.WebSocketResponse(protocols=["v5.channel.k8s.io"])
        await socket.prepare(request)
        await socket.send_bytes(b"hello")
        async for message in socket:
            assert message.type is WSMsgType.BINARY
        return socket


def kubeconfig(server: Peer, user: dict[str, object], folder: Path) -> Config:
    """The configuration that kubectl would have of a user."""
    authority = folder / "ca.pem"
    assert server.credentials is not None
    authority.write_bytes(server.credentials.authority)
    return config_from_kubeconfig(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [
                {"name": "c", "cluster": {"server": server.config.server, "certificate-authority": "ca.pem"}}
            ],
            "users": [{"name": "u", "user": user}],
        },
        directory=folder,
    )


def plugin(folder: Path) -> dict[str, object]:
    """An exec plugin that answers with the token in a file, and counts its runs."""
    script = folder / "plugin.py"
    script.write_text(
        "import json, pathlib\n"
        f"folder = pathlib.Path({str(folder)!r})\n"
        "with (folder / 'runs').open('a') as runs: runs.write('x')\n"
        "token = (folder / 'token').read_text()\n"
        "print(json.dumps({'apiVersion': 'client.authentication.k8s.io/v1', 'kind': 'ExecCredential',"
        " 'status': {'token': token}}))\n"
    )
    return {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": sys.executable,
        "args": [str(script)],
        "interactiveMode": "Never",
    }


def service_account(server: Peer, folder: Path) -> Config:
    """What a pod has."""
    assert server.credentials is not None
    (folder / "ca.crt").write_bytes(server.credentials.authority)
    (folder / "namespace").write_text("shop")
    environ = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(server.port)}
    return in_cluster(environ=environ, root=folder)


LOADERS: dict[str, Callable[[Peer, Path], Config]] = {
    "token": lambda server, folder: kubeconfig(server, {"token": "one"}, folder),
    "token file": lambda server, folder: kubeconfig(server, {"tokenFile": "token"}, folder),
    "exec": lambda server, folder: kubeconfig(server, {"exec": plugin(folder)}, folder),
    "service account": service_account,
}
ROTATING = ["token file", "exec", "service account"]


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("loader", LOADERS)
def test_the_header_is_there(
    tmp_path: Path, loader: str, transport: Callable[[Sender], Awaitable[None]]
) -> None:
    async def test() -> None:
        (tmp_path / "token").write_text("one")
        async with peer(Door("Bearer one")) as server:
            client = Sender(LOADERS[loader](server, tmp_path))
            await transport(client)
            await client.close()
        assert [asked.headers["Authorization"] for asked in server.asked] == ["Bearer one"]

    run(test)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_names_and_passwords(tmp_path: Path, transport: Callable[[Sender], Awaitable[None]]) -> None:
    async def test() -> None:
        async with peer(Door("Basic YW5uOnBhc3M=")) as server:
            client = Sender(kubeconfig(server, {"username": "ann", "password": "pass"}, tmp_path))
            await transport(client)
            await client.close()

    run(test)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("loader", ROTATING)
def test_credentials_that_change_are_taken_up(
    tmp_path: Path, loader: str, transport: Callable[[Sender], Awaitable[None]]
) -> None:
    async def test() -> None:
        door = Door("Bearer one")
        (tmp_path / "token").write_text("one")
        async with peer(door) as server:
            client = Sender(LOADERS[loader](server, tmp_path))
            await transport(client)
            (tmp_path / "token").write_text("two")
            door.word = "Bearer two"
            await transport(client)
            await transport(client)
            await client.close()
        seen = [asked.headers["Authorization"] for asked in server.asked]
        assert seen == ["Bearer one", "Bearer one", "Bearer two", "Bearer two"]
        if loader == "exec":
            assert (tmp_path / "runs").read_text() == "xx"

    run(test)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("loader", LOADERS)
def test_credentials_that_stay_wrong_are_told_and_not_shown(
    tmp_path: Path, loader: str, transport: Callable[[Sender], Awaitable[None]]
) -> None:
    async def test() -> None:
        (tmp_path / "token").write_text("one")
        async with peer(Door("Bearer other")) as server:
            client = Sender(LOADERS[loader](server, tmp_path))
            with pytest.raises(Unauthorized) as raised:
                await transport(client)
            await client.close()
        assert "one" not in str(raised.value).split()
        assert len(server.asked) <= 2

    run(test)


def test_a_certificate_of_a_plugin_is_shown_and_replaced(tmp_path: Path) -> None:
    """The certificate is the connection's: another one means another connection."""

    async def test() -> None:
        def admit(asked: Asked, request: web.BaseRequest) -> web.StreamResponse:
            return web.json_response({})

        async with peer(admit) as server:
            assert server.credentials is not None
            admin, past = server.credentials.admin, "2001-01-01T00:00:00Z"
            shown = {"clientCertificateData": admin.certificate.decode(), "clientKeyData": admin.key.decode()}
            answers = [{**shown, "expirationTimestamp": past}, {"token": "one", "expirationTimestamp": past}]
            (tmp_path / "answers.json").write_text(json.dumps(answers))
            script = tmp_path / "plugin.py"
            script.write_text(
                "import json, pathlib\n"
                f"file = pathlib.Path({str(tmp_path / 'answers.json')!r})\n"
                "answers = json.loads(file.read_text())\n"
                "status = answers.pop(0) if len(answers) > 1 else answers[0]\n"
                "file.write_text(json.dumps(answers))\n"
                "print(json.dumps({'apiVersion': 'client.authentication.k8s.io/v1',"
                " 'kind': 'ExecCredential', 'status': status}))\n"
            )
            entry = {
                "apiVersion": "client.authentication.k8s.io/v1",
                "command": sys.executable,
                "args": [str(script)],
                "interactiveMode": "Never",
            }
            client = Sender(kubeconfig(server, {"exec": entry}, tmp_path))
            await client.send(GET)
            await client.send(GET)
            await client.close()
        assert [bool(asked.certificate) for asked in server.asked] == [True, False]
        assert [asked.headers.get("Authorization") for asked in server.asked] == [None, "Bearer one"]
        assert [asked.connection for asked in server.asked] == [0, 1]

    run(test)


def test_nothing_secret_is_in_what_is_printed(tmp_path: Path) -> None:
    async def test() -> None:
        async with peer(Door("Bearer one")) as server:
            for user in ({"token": "s3cret"}, {"username": "ann", "password": "s3cret"}):
                config = kubeconfig(server, dict(user), tmp_path)
                client = Sender(msgspec.structs.replace(config, context="here"))
                assert "s3cret" not in f"{config!r} {config} {client!r} {client.config.credentials!r}"
                await client.close()

    run(test)
