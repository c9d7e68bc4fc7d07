"""Commands over real WebSockets: output, input, exit codes, and what the server refuses."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

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
from tests.client.streams.pod_server import V4, V5, Pods, pods_of, until

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
                RequestTimeout, match=r"^sleep did not end within 1 seconds; it may be running"
            ):
                await pods.exec("web-0", ["sleep", "60"], timeout=1)
            await until(lambda: not server.is_connected())

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
