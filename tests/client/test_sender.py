"""Sending requests over real sockets: retries, credentials, limits, hooks and what is said when it fails."""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import Any

import msgspec
import pytest
from aiohttp import web

from kubewright.client.http1.connection import Answer
from kubewright.client.request import Request, Response
from kubewright.client.sender import Hooks, Sender, SendOptions
from kubewright.config import Config, Impersonation, StaticCredentials
from kubewright.machinery.errors import (
    InternalError,
    NotFound,
    RequestTimeout,
    TooManyRequests,
    TransportError,
)
from tests.client.peers import Asked, Peer, peer, run, status
from tests.client.streams.pod_server import open_sockets, until

GET = Request(method="GET", path="/api/v1/pods")
POST = Request(method="POST", path="/api/v1/namespaces/default/pods", body=b'{"kind":"Pod"}')


def sender(of: Peer, options: SendOptions | None = None, **changes: Any) -> Sender:
    return Sender(msgspec.structs.replace(of.config, **changes), options)


def fine(asked: Asked, request: web.BaseRequest) -> web.Response:
    return web.json_response({"ok": True})


class Failing:
    """Answers in turn; the last answer stays."""

    def __init__(self, *answers: int | None, retry_after: str | None = "0") -> None:
        self._answers = list(answers)
        self._headers = {"Retry-After": retry_after} if retry_after is not None else {}

    def __call__(self, asked: Asked, request: web.BaseRequest) -> web.Response | None:
        code = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if code is None:
            return None
        if code < 400:
            return web.json_response({"ok": True}, status=code)
        return status(code, "", self._headers)


def test_what_is_sent_is_what_was_asked_for() -> None:
    async def test() -> None:
        async with peer(fine) as server:
            client = sender(server, SendOptions(user_agent="my-tool/1"))
            request = msgspec.structs.replace(POST, query=[("dryRun", "All")], headers={"X-Mine": "yes"})
            response = await client.send(request)
            await client.close()
        assert (response.status, response.body) == (200, b'{"ok": true}')
        (asked,) = server.asked
        assert (asked.method, asked.body) == ("POST", POST.body)
        assert asked.target == "/api/v1/namespaces/default/pods?dryRun=All"
        wanted = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "my-tool/1"}
        assert {name: asked.headers[name] for name in wanted} == wanted
        assert asked.headers["X-Mine"] == "yes"
        assert "Authorization" not in asked.headers

    run(test)


@pytest.mark.parametrize("code", [429, 503])
@pytest.mark.parametrize("request_", [GET, POST])
def test_the_server_may_ask_for_patience(code: int, request_: Request) -> None:
    async def test() -> None:
        async with peer(Failing(code, code, 201)) as server:
            client = sender(server)
            assert (await client.send(request_)).status == 201
            await client.close()
        assert len(server.asked) == 3
        assert {asked.body for asked in server.asked} == {request_.body}

    run(test)


def test_its_patience_is_what_is_waited_for() -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        async with peer(Failing(429, 200, retry_after="1")) as server:
            client = sender(server)
            begin = loop.time()
            await client.send(GET)
            await client.close()
        assert loop.time() - begin >= 1

    run(test)


def test_without_being_asked_nothing_is_repeated() -> None:
    async def test() -> None:
        async with peer(Failing(429, 200, retry_after=None)) as server:
            client = sender(server)
            with pytest.raises(TooManyRequests):
                await client.send(GET)
            await client.close()
        assert len(server.asked) == 1

    run(test)


def test_patience_has_an_end() -> None:
    async def test() -> None:
        async with peer(Failing(429)) as server:
            client = sender(server)
            with pytest.raises(TooManyRequests) as raised:
                await client.send(POST)
            await client.close()
        assert raised.value.retry_after == 0
        assert len(server.asked) == 11

    run(test)


def test_a_failed_write_is_not_repeated() -> None:
    async def test() -> None:
        async with peer(Failing(500, 200)) as server:
            client = sender(server)
            with pytest.raises(InternalError):
                await client.send(POST)
            assert (await client.send(GET)).status == 200
            await client.close()
        assert len(server.asked) == 2

    run(test)


def test_a_read_survives_a_cut_connection() -> None:
    async def test() -> None:
        async with peer(Failing(None, None, 200)) as server:
            client = sender(server)
            assert (await client.send(GET)).status == 200
            assert len(server.asked) == 3
            await client.close()

    run(test)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("kept", [False, True])
def test_a_write_tells_of_a_cut_connection_and_is_not_repeated(method: str, kept: bool) -> None:
    """Also on a connection that was used before, which may have been closed before the request came."""

    async def test() -> None:
        async with peer(Failing(*([200] if kept else []), None)) as server:
            client = sender(server)
            if kept:
                await client.send(GET)
            with pytest.raises(
                TransportError, match=r"the connection to https://127.0.0.1:\d+ broke"
            ) as raised:
                await client.send(msgspec.structs.replace(POST, method=method))
            assert raised.value.was_sent
            assert [asked.method for asked in server.asked] == [*(["GET"] if kept else []), method]
            assert {asked.connection for asked in server.asked} == {0}
            await client.close()

    run(test)


def test_connections_are_used_again_also_after_a_refusal() -> None:
    async def test() -> None:
        def answer(asked: Asked, request: web.BaseRequest) -> web.Response:
            return status(404, "NotFound") if asked.method == "GET" else web.json_response({})

        async with peer(answer) as server:
            client = sender(server)
            for _ in range(5):
                with pytest.raises(NotFound):
                    await client.send(GET)
                await client.send(POST)
            await client.close()
        assert {asked.connection for asked in server.asked} == {0}

    run(test)


def test_a_server_that_closes_idle_connections_is_not_noticed() -> None:
    async def test() -> None:
        async with peer(fine, keepalive=0.01) as server:
            client, before = sender(server), open_sockets()
            for _ in range(5):
                await client.send(POST)
                # Until the server has closed it, and the news has come: then neither end is open.
                await until(lambda: open_sockets() <= before)
            await client.close()
        assert [asked.connection for asked in server.asked] == [0, 1, 2, 3, 4]

    run(test)


def test_an_answer_that_does_not_come_in_time() -> None:
    async def test() -> None:
        stuck = asyncio.Event()

        async def never(asked: Asked, request: web.BaseRequest) -> web.Response:
            await stuck.wait()
            return web.Response()

        async with peer(never) as server:
            client = sender(server, SendOptions(timeout=0.05))
            with pytest.raises(RequestTimeout, match=r"was not answered within 0\.05 seconds"):
                await client.send(GET)
            with pytest.raises(TimeoutError, match=r"within 0\.01 seconds"):
                await client.send(POST, within=0.01)
            stuck.set()
            await client.close()

    run(test)


def test_without_a_limit_a_timeout_of_somebody_else_stays_what_it_is() -> None:
    async def test() -> None:
        def slow(request: Request) -> None:
            raise TimeoutError("the hook took too long")

        async with peer(fine) as server:
            client = sender(server, SendOptions(timeout=None, hooks=Hooks(before=[slow])))
            with pytest.raises(TimeoutError, match="the hook took too long"):
                await client.send(GET)
            with pytest.raises(TimeoutError, match="the hook took too long"):
                async with client.stream(GET):
                    pass
            await client.close()

    run(test)


def test_every_kind_of_credential_is_on_the_wire() -> None:
    async def test() -> None:
        async with peer(fine) as server:
            acting = Impersonation(user="ann", groups=("a", "b"))
            for credentials in (
                StaticCredentials(token="t0ken"),  # noqa: S106 - no secret
                StaticCredentials(username="ann", password="pass"),  # noqa: S106 - no secret
                server.client_certificate,
            ):
                client = sender(server, credentials=credentials, impersonation=acting)
                await client.send(GET)
                async with client.stream(GET) as stream:
                    assert await stream.chunk()
                await client.close()
        tokens = [asked.headers.get("Authorization") for asked in server.asked]
        assert tokens == ["Bearer t0ken"] * 2 + ["Basic YW5uOnBhc3M="] * 2 + [None] * 2
        assert [bool(asked.certificate) for asked in server.asked] == [False] * 4 + [True] * 2
        for asked in server.asked:
            assert asked.headers.getall("Impersonate-Group") == ["a", "b"]

    run(test)


def test_hooks_see_and_change_requests_and_see_answers() -> None:
    async def test() -> None:
        seen: list[tuple[str, int]] = []
        warned: list[str] = []

        async def marked(request: Request) -> Request:
            return msgspec.structs.replace(request, headers={"X-Trace": "1"})

        def after(request: Request, response: Response) -> None:
            seen.append((request.path, response.status))

        def answer(asked: Asked, request: web.BaseRequest) -> web.Response:
            return web.json_response({}, headers={"Warning": '299 - "old"'})

        hooks = Hooks(before=[lambda request: None, marked], after=[after], warning=warned.append)
        async with peer(answer) as server:
            client = sender(server, SendOptions(hooks=hooks))
            await client.send(GET)
            await client.close()
        assert server.asked[0].headers["X-Trace"] == "1"
        assert seen == [("/api/v1/pods", 200)]
        assert warned == ["old"]

    run(test)


def test_warnings_are_logged_and_credentials_never(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        def answer(asked: Asked, request: web.BaseRequest) -> web.Response:
            return web.json_response({"secret": "answered"}, headers={"Warning": '299 - "old"'})

        async with peer(answer) as server:
            client = sender(server, credentials=StaticCredentials(token="s3cret"))  # noqa: S106 - no secret
            await client.send(msgspec.structs.replace(POST, body=b'{"data":"s3cret"}'))
            await client.close()

    with caplog.at_level(logging.DEBUG):
        run(test)
    assert "the API server warns: old" in caplog.messages
    assert any("/api/v1/namespaces/default/pods: 200" in message for message in caplog.messages)
    assert "s3cret" not in caplog.text
    assert "answered" not in caplog.text


def test_requests_are_limited_where_it_is_asked_for() -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        async with peer(fine) as server:
            client = sender(server, SendOptions(qps=50, burst=2))
            begin = loop.time()
            for _ in range(7):
                await client.send(GET)
            await client.close()
        assert loop.time() - begin >= 5 / 50

    run(test)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def test_a_server_that_is_not_there() -> None:
    async def test() -> None:
        server = f"https://127.0.0.1:{free_port()}"
        client = Sender(Config(server=server))
        request = msgspec.structs.replace(POST)
        with pytest.raises(TransportError, match=f"{server} cannot be reached: ") as raised:
            await client.send(request)
        assert not raised.value.was_sent
        await client.close()

    run(test)


def test_a_certificate_that_nobody_vouches_for() -> None:
    async def test() -> None:
        async with peer(fine) as server:
            client = Sender(Config(server=server.config.server))
            with pytest.raises(TransportError, match=r"is not trusted: .*; set its certificate-authority"):
                await client.send(GET)
            await client.close()
            assert not server.asked
            client = Sender(Config(server=server.config.server, insecure=True))
            await client.send(GET)
            await client.close()

    run(test)


def test_the_name_in_the_certificate_is_checked() -> None:
    async def test() -> None:
        async with peer(fine) as server:
            client = sender(server, tls_server_name="other.example.com")
            with pytest.raises(TransportError, match=r"is not trusted: .*other\.example\.com"):
                await client.send(GET)
            await client.close()
            client = sender(server, tls_server_name="localhost")
            await client.send(GET)
            await client.close()

    run(test)


def test_what_is_no_http_is_told() -> None:
    async def test() -> None:
        async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
            await writer.drain()
            writer.close()

        listener = await asyncio.start_server(babble, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        client = Sender(Config(server=f"http://127.0.0.1:{port}"))
        with pytest.raises(TransportError, match="does not answer as an API server does"):
            await client.send(POST)
        await client.close()
        listener.close()
        await listener.wait_closed()

    run(test)


def test_large_answers_are_read_whole_and_come_compressed() -> None:
    async def test() -> None:
        def answer(asked: Asked, request: web.BaseRequest) -> web.Response:
            response = web.Response(body=b"x" * 5_000_000)
            response.enable_compression()
            return response

        async with peer(answer) as server:
            client = sender(server)
            assert len((await client.send(GET)).body) == 5_000_000
            await client.close()
            client = sender(server, disable_compression=True)
            assert len((await client.send(GET)).body) == 5_000_000
            await client.close()
        assert "gzip" in server.asked[0].headers["Accept-Encoding"]
        assert server.asked[1].headers["Accept-Encoding"] == "identity"

    run(test)


def test_a_closed_client_says_so() -> None:
    async def test() -> None:
        client = Sender(Config(server="https://127.0.0.1:1"))
        await client.close()
        await client.close()
        with pytest.raises(TransportError, match="the client is closed; make another one"):
            await client.send(GET)

    run(test)


def test_many_at_once_share_connections() -> None:
    async def test() -> None:
        async with peer(fine) as server:
            client = sender(server)
            async with asyncio.TaskGroup() as group:
                for _ in range(500):
                    group.create_task(client.send(GET))
            await client.close()
        assert len(server.asked) == 500
        assert len({asked.connection for asked in server.asked}) <= 128

    run(test)


def test_the_kernel_notices_dead_hosts() -> None:
    async def test() -> None:
        ended = asyncio.Event()

        async def slowly(asked: Asked, request: web.BaseRequest) -> web.StreamResponse:
            response = web.StreamResponse()
            await response.prepare(request)
            await response.write(b"x")
            await ended.wait()
            return response

        async with peer(slowly) as server:
            client = sender(server)
            async with client.stream(GET) as stream:
                assert isinstance(stream, Answer)
                opened = stream._connection._socket
                assert opened.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
                assert opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 30
            ended.set()
            await client.close()

    run(test)
