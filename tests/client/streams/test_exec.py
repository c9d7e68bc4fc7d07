"""Commands over real WebSockets: output, input, exit codes, and the ways in which a connection can end."""

from __future__ import annotations

import asyncio
import gc
import re
import time
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from kubewright.client import websocket
from kubewright.client.streams.commands import CommandFailed, OutputTooLarge
from kubewright.config import Credential, StaticCredentials
from kubewright.machinery.errors import (
    BadRequest,
    Forbidden,
    InternalError,
    KubewrightError,
    NotFound,
    ParseError,
    RequestTimeout,
    TransportError,
    Unauthorized,
)
from tests.client.peers import Asked, run, status
from tests.client.streams.pod_server import SUCCESS, V4, V5, Pods, failure, open_sockets, pods_of, until

protocols = pytest.mark.parametrize("protocols", [(V5, V4), (V4,)], ids=["v5", "v4"])
MEGABYTES = b"0123456789abcdef" * (10 << 16)
"""10 MB."""


@protocols
def test_output_and_exit_code(protocols: tuple[str, ...]) -> None:
    async def test() -> None:
        async with pods_of(Pods(protocols=protocols)) as (pods, server):
            result = await pods.exec(
                "web-0", ["sh", "-c", "echo out; echo err >&2; exit 7"], container="main"
            )
            assert (result.stdout, result.stderr, result.exit_code) == (b"out\n", b"err\n", 7)
            assert (result.stdout_text, result.stderr_text) == ("out\n", "err\n")
            (asked,) = server.asked
            assert asked.target == (
                "/api/v1/namespaces/default/pods/web-0/exec?command=sh&command=-c&"
                "command=echo%20out%3B%20echo%20err%20%3E%262%3B%20exit%207&container=main&"
                "stdin=false&stdout=true&stderr=true&tty=false"
            )
            assert asked.headers["Sec-WebSocket-Protocol"] == f"{V5},{V4}"

    run(test)


@protocols
def test_large_output(protocols: tuple[str, ...]) -> None:
    async def test() -> None:
        async with pods_of(Pods(protocols=protocols)) as (pods, _):
            result = await pods.exec("web-0", ["head", "-c", "10000000", "/dev/zero"])
            assert result.stdout == bytes(10_000_000)
            assert result.exit_code == 0

    run(test)


def test_large_input_and_its_end() -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, _):
            result = await pods.exec("web-0", ["cat"], stdin=MEGABYTES)
            assert result.stdout == MEGABYTES

    run(test)


def test_input_of_all_kinds() -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b"one "
        yield b""
        yield b"two"

    async def test() -> None:
        async with pods_of(Pods()) as (pods, _):
            assert (await pods.exec("web-0", ["cat"], stdin="tëxt")).stdout_text == "tëxt"
            assert (await pods.exec("web-0", ["cat"], stdin=parts())).stdout == b"one two"
            assert (await pods.exec("web-0", ["cat"], stdin=b"")).stdout == b""

    run(test)


def test_a_source_of_input_that_fails_is_what_is_raised() -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"one"
        raise TransportError("the source broke")

    async def test() -> None:
        async with pods_of(Pods()) as (pods, _):
            with pytest.raises(TransportError, match="the source broke"):
                await pods.exec("web-0", ["cat"], stdin=broken())

    run(test)


def test_a_command_that_does_not_read_its_input_ends_all_the_same() -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, _):
            result = await pods.exec("web-0", ["sh", "-c", "exec <&-; echo done; exit 4"], stdin=MEGABYTES)
            assert (result.stdout, result.exit_code) == (b"done\n", 4)

    run(test)


def test_version_4_cannot_end_input_and_says_so() -> None:
    read = []

    async def asked() -> AsyncIterator[bytes]:
        read.append("something")
        yield b"x"

    async def test() -> None:
        async with pods_of(Pods(protocols=[V4])) as (pods, _):
            with pytest.raises(
                KubewrightError, match=r"cannot end the input of a command \(it speaks v4"
            ) as error:
                await pods.exec("web-0", ["cat"], stdin=asked())
            assert not isinstance(error.value, TransportError)
            assert not read
            async with pods.exec_stream("web-0", ["head", "-n1"], stdin=True) as session:
                await session.write("a line\n")
                assert [output async for output in session] == [("stdout", b"a line\n")]
                assert session.exit_code == 0

    run(test)


def test_a_dialogue() -> None:
    async def test() -> None:
        made = Pods()
        async with pods_of(made) as (pods, server):
            async with pods.exec_stream("web-0", ["sh"], stdin=True, tty=True) as session:
                assert session.protocol == V5
                assert session.exit_code is None
                await session.resize(120, 40)
                await session.write("echo $((6 * 7))\n")
                outputs = aiter(session)
                assert await anext(outputs) == ("stdout", b"42\n")
                await session.write("exit 3\n")
                assert [output async for output in outputs] == []
                assert session.exit_code == 3
            assert made.sizes == [{"Width": 120, "Height": 40}]
            assert server.asked[0].target.endswith("stdin=true&stdout=true&stderr=false&tty=true")

    run(test)


def test_attach() -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, server):
            async with pods.attach("web-0", container="main", stdin=True) as session:
                await session.write("echo hello >&2\n")
                await session.close_stdin()
                await session.close_stdin()
                assert [output async for output in session] == [("stderr", b"hello\n")]
                assert session.exit_code == 0
                with pytest.raises(KubewrightError, match="stdin is not open"):
                    await session.write("more")
            assert server.asked[0].target.split("?")[0] == "/api/v1/namespaces/default/pods/web-0/attach"

    run(test)


def test_waiting_for_the_end() -> None:
    async def test() -> None:
        async with (
            pods_of(Pods()) as (pods, _),
            pods.exec_stream("web-0", ["sh", "-c", "echo unread; exit 5"]) as session,
        ):
            assert await session.wait() == 5
            assert await session.wait() == 5
            with pytest.raises(KubewrightError, match="no terminal to resize"):
                await session.resize(80, 24)

    run(test)


def test_what_the_caller_may_not_say() -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, server):
            with pytest.raises(ParseError, match=re.escape('say ["sh", "-c", \'ls -l\'] to have a shell')):
                await pods.exec("web-0", "ls -l")
            with pytest.raises(ParseError, match="this one has none"):
                await pods.exec("web-0", [])
            async with pods.exec_stream("web-0", ["cat"], stdin=True, tty=True) as session:
                with pytest.raises(ParseError, match="cannot have 0 columns and 24 rows"):
                    await session.resize(0, 24)
            assert len(server.asked) == 1

    run(test)


def test_check() -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, _):
            with pytest.raises(CommandFailed, match=r"^sh ended with exit code 2: no such thing$") as error:
                await pods.exec("web-0", ["sh", "-c", "echo no such thing >&2; exit 2"], check=True)
            assert error.value.result.exit_code == 2
            await pods.exec("web-0", ["true"], check=True)

    run(test)


def test_a_command_that_cannot_be_run() -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, _):
            with pytest.raises(InternalError, match="executable file not found"):
                await pods.exec("web-0", ["no-such-program"])

    run(test)


def test_more_output_than_is_collected() -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, _):
            with pytest.raises(OutputTooLarge, match="more than 1,000 bytes; allow more with max_output"):
                await pods.exec("web-0", ["sh", "-c", "yes"], max_output=1000)
            assert (
                len((await pods.exec("web-0", ["head", "-c", "1000", "/dev/zero"], max_output=1000)).stdout)
                == 1000
            )

    run(test)


def test_a_timeout() -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, server):
            with pytest.raises(
                RequestTimeout, match=r"^sleep did not end within 0\.2 seconds; it may be running"
            ):
                await pods.exec("web-0", ["sleep", "60"], timeout=0.2)
            await until(lambda: not server.is_connected())

    run(test)


async def nothing(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    """A server that closes the WebSocket as it should, and has said nothing."""


async def cut(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"\x01half of")
    assert request.transport is not None
    request.transport.abort()


async def truncated_frame(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    assert request.transport is not None
    request.transport.write(b"\x82\x7e\x10\x00\x01only a part")
    request.transport.close()


async def bad_frame(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    assert request.transport is not None
    request.transport.write(b"\xff\x00garbage")
    await socket.receive()


async def too_large(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"\x01" + bytes(1 << 24))
    await socket.receive()


async def no_channel(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"")


async def text(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_str("hello")


async def going_away(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.close(code=1011, message=b"kubelet gone")


async def garbage_status(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"\x03command terminated")


async def half_a_status(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b'\x03{"status":"Succ')


async def endless_status(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    for _ in range(100):
        await socket.send_bytes(b"\x03{" + b" " * (1 << 15))


async def no_exit_code(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
    await socket.send_bytes(b"\x03" + failure("NonZeroExitCode", message="it failed"))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (nothing, "ended before it said how the command ended$"),
        (cut, "broke in the midst of a WebSocket"),
        (truncated_frame, "broke in the midst of a WebSocket"),
        (bad_frame, "sent what is no WebSocket message"),
        (too_large, "sent what is no WebSocket message"),
        (no_channel, "sent a message that belongs to no channel"),
        (text, "sent text where the protocol of the WebSocket has bytes"),
        (going_away, r"closed the WebSocket: kubelet gone \(code 1011\)"),
        (garbage_status, "how the command ended; it said 'command terminated' last"),
        (half_a_status, "how the command ended; it said"),
        (endless_status, "more than 1,048,576 bytes where the Status"),
        (no_exit_code, "not with which exit code: 'it failed'"),
    ],
)
def test_connections_that_end_as_they_should_not(script: object, message: str) -> None:
    async def test() -> None:
        async with pods_of(Pods(script=script)) as (pods, _):  # type: ignore[arg-type]
            for stdin in (None, "some"):
                with pytest.raises(TransportError, match=message) as error:
                    await pods.exec("web-0", ["cat"], stdin=stdin)
                assert "\n" not in str(error.value)

    run(test)


def test_a_status_in_pieces_and_output_after_it() -> None:
    async def script(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
        await socket.send_bytes(b"\x03")
        await socket.send_bytes(SUCCESS[:5])
        await socket.send_bytes(b"\x09unknown channel")
        await socket.send_bytes(b"\x03" + SUCCESS[5:])
        await socket.send_bytes(b"\x02late")

    async def test() -> None:
        async with pods_of(Pods(script=script)) as (pods, _):
            result = await pods.exec("web-0", ["cat"])
            assert (result.stdout, result.stderr, result.exit_code) == (b"", b"late", 0)

    run(test)


def test_a_server_that_chooses_no_protocol() -> None:
    async def test() -> None:
        async with pods_of(Pods(protocols=["v1.other"])) as (pods, _):
            with pytest.raises(TransportError, match=r"chose none of the protocols v5\.channel\.k8s\.io, v4"):
                await pods.exec("web-0", ["true"])

    run(test)


@pytest.mark.parametrize(
    ("code", "kind"), [(400, BadRequest), (403, Forbidden), (404, NotFound), (500, InternalError)]
)
def test_refusals_are_the_servers_own(code: int, kind: type[Exception]) -> None:
    async def test() -> None:
        made = Pods()
        body = {
            "kind": "Status",
            "status": "Failure",
            "code": code,
            "message": 'pods "web-0" has no such thing',
        }
        made.refuse = lambda asked: web.json_response(body, status=code)
        async with pods_of(made) as (pods, _):
            with pytest.raises(kind, match='pods "web-0" has no such thing'):
                await pods.exec("web-0", ["true"])
        made.refuse = lambda asked: web.Response(text="a plain page")
        async with pods_of(made) as (pods, _):
            with pytest.raises(TransportError, match="does not speak WebSocket at /api/v1/"):
                await pods.exec("web-0", ["true"])

    run(test)


class Renewed:
    """Credentials that have another token once one was refused."""

    def __init__(self) -> None:
        self.renewals = 0

    async def current(self) -> Credential:
        return Credential(f"Bearer token-{self.renewals}")

    async def rejected(self, credential: Credential) -> bool:
        self.renewals += 1
        return True

    async def close(self) -> None:
        pass


def test_credentials_are_on_the_wire_and_renewed_once() -> None:
    async def test() -> None:
        made = Pods()
        async with pods_of(made, credentials=StaticCredentials(token="secret")) as (pods, server):  # noqa: S106
            await pods.exec("web-0", ["true"])
            assert server.asked[0].headers["Authorization"] == "Bearer secret"

        def picky(asked: Asked) -> web.Response | None:
            return None if asked.headers["Authorization"] == "Bearer token-1" else status(401, "Unauthorized")

        made.refuse = picky
        async with pods_of(made, credentials=Renewed()) as (pods, server):
            assert (await pods.exec("web-0", ["echo", "in"])).stdout == b"in\n"
            assert [asked.headers["Authorization"] for asked in server.asked] == [
                "Bearer token-0",
                "Bearer token-1",
            ]
        made.refuse = lambda asked: status(401, "Unauthorized")
        async with pods_of(made, credentials=Renewed()) as (pods, server):
            with pytest.raises(Unauthorized):
                await pods.exec("web-0", ["true"])
            assert len(server.asked) == 2

    run(test)


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("writes", [False, True], ids=["reading", "writing"])
def test_cancellation_closes_the_socket_within_a_second(*, writes: bool, tls: bool) -> None:
    async def test() -> None:
        started, released = asyncio.Event(), asyncio.Event()

        async def stuck(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
            # Reads nothing, so that no close is answered and nothing that is written goes away.
            assert request.transport is not None
            request.transport.pause_reading()  # type: ignore[attr-defined]
            await released.wait()
            request.transport.abort()

        async with pods_of(Pods(script=stuck), tls=tls) as (pods, _):

            async def speak() -> None:
                async with pods.exec_stream("web-0", ["cat"], stdin=True) as session:
                    started.set()
                    if writes:
                        await session.write(MEGABYTES)
                    await session.wait()

            before = open_sockets()
            running = asyncio.create_task(speak())
            await started.wait()
            await asyncio.sleep(0)
            begun = time.monotonic()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            # The server's half may be open for as long as it does not look.
            await until(lambda: open_sockets() <= before + 1)
            assert time.monotonic() - begun < 1
            released.set()

    run(test)


async def _receive(socket: web.WebSocketResponse) -> None:
    """Reads, and answers pings."""
    while not socket.closed:
        await socket.receive()


def test_silent_servers_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "_PING_AFTER", 0.05)
    monkeypatch.setattr(websocket, "_DEAD_AFTER", 0.2)

    async def silent(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
        assert request.transport is not None
        if "deaf" in request.path:
            request.transport.pause_reading()  # type: ignore[attr-defined]
        receiving = asyncio.create_task(_receive(socket))
        await asyncio.sleep(0.3)
        if "later" in request.path:
            request.transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.sleep(0.3)
        receiving.cancel()
        request.transport.resume_reading()  # type: ignore[attr-defined]
        await socket.send_bytes(SUCCESS)

    async def test() -> None:
        async with pods_of(Pods(script=silent)) as (pods, _):
            assert (await pods.exec("web-0", ["cat"])).exit_code == 0
            with pytest.raises(RequestTimeout, match=r"sent nothing for 0\.2 seconds and answered no ping"):
                await pods.exec("deaf", ["cat"])
            with pytest.raises(RequestTimeout, match="answered no ping"):
                await pods.exec("deaf", ["cat"], stdin=bytes(1000))
            with pytest.raises(RequestTimeout, match="answered no ping"):
                await pods.exec("later", ["cat"], stdin=bytes(100_000))
            # Unread input is a reason not to answer.
            assert (await pods.exec("deaf", ["cat"], stdin=bytes(100_000))).exit_code == 0

    run(test)


def test_nothing_is_read_ahead_of_the_program() -> None:
    async def test() -> None:
        sent = 0

        async def much(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
            nonlocal sent
            for _ in range(4096):
                await socket.send_bytes(b"\x01" + bytes(1 << 15))
                sent += 1 << 15
            await socket.send_bytes(SUCCESS)

        async with (
            pods_of(Pods(script=much)) as (pods, _),
            pods.exec_stream("web-0", ["cat"]) as session,
        ):
            outputs = aiter(session)
            got = len((await anext(outputs)).data)
            before = -1
            while before != sent:
                before = sent
                await asyncio.sleep(0.1)
            # Of 128 megabytes, what the buffers of two sockets hold.
            assert sent < 32 << 20
            got += sum([len(data) async for _, data in outputs])
            assert got == sent == 128 << 20

    run(test)


def test_nothing_is_left_behind() -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, _):
            await pods.exec("web-0", ["true"])
            gc.collect()
            await asyncio.sleep(0)
            sockets, tasks = open_sockets(), len(asyncio.all_tasks())
            for number in range(30):
                await pods.exec("web-0", ["cat"], stdin="x")
                async with pods.exec_stream("web-0", ["cat"], stdin=True) as session:
                    await session.write("left in the midst")
                    if number % 2:
                        async for _ in session:
                            break
            await until(lambda: open_sockets() <= sockets and len(asyncio.all_tasks()) <= tasks)

    run(test)
