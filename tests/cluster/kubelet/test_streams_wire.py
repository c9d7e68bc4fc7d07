"""Commands and attachments over the wire: with WebSockets as others speak them, and their bounds."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from kubewright.machinery.errors import ApiError, TooManyRequests
from kubewright.server import listener, websockets
from kubewright.server.handlers.subresources import connections
from kubewright.server.handlers.subresources.channels import Channels, serve_command
from tests.cluster.clusters import eventually
from tests.cluster.kubelet.stream_scenes import EXEC, V4, V5, Scene, on_cluster, scene


def test_there_is_no_network_of_pods() -> None:
    async def test(on: Scene) -> None:
        await on.run()
        told = "there is no network of pods; run the program beside the cluster, and connect to that"
        async with on.pods.port_forward("p", 80, listen=False) as forward:
            with pytest.raises(ApiError, match=told):
                await forward.open(80)

    on_cluster(test)


def test_the_messages_of_both_protocols() -> None:
    async def test(on: Scene) -> None:
        await on.run()
        async with on.socket("sh", "-c", "echo a; echo b >&2; exit 3", protocol=V5) as socket:
            messages = [message.data async for message in socket]
            assert socket.protocol == V5
            assert messages[:3] == [b"\x01", b"\x01a\n", b"\x02b\n"]
            assert messages[3][0] == 3
            assert json.loads(messages[3][1:]) == {
                "metadata": {},
                "status": "Failure",
                "message": (
                    "command terminated with non-zero exit code: command terminated with exit code 3"
                ),
                "reason": "NonZeroExitCode",
                "details": {"causes": [{"reason": "ExitCode", "message": "3"}]},
            }
            assert socket.close_code == 1000
        async with on.socket("true", protocol=V4, stdout="false", stdin="true") as socket:
            messages = [message.data async for message in socket]
            assert socket.protocol == V4
            assert messages == [b"\x03", b'\x03{"status":"Success"}']

    on_cluster(test)


def test_a_client_has_a_moment_to_get_ready_before_anything_is_written() -> None:
    class Written:
        """A WebSocket whose client says nothing; when what was sent on it."""

        def __init__(self) -> None:
            self.sent: dict[bytes, float] = {}

        async def send(self, message: bytes) -> None:
            self.sent[message] = asyncio.get_running_loop().time()

        async def receive(self) -> bytes | None:
            nothing: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
            return await nothing

    async def work(streams: Channels) -> int:
        await streams.write(b"a")
        return 0

    socket = Written()
    asyncio.run(
        serve_command(Channels(socket, protocol=V5, stdin=False, stdout=True, stderr=True, tty=False), work)
    )
    assert list(socket.sent)[:2] == [b"\x01", b"\x01a"]
    assert socket.sent[b"\x01a"] - socket.sent[b"\x01"] > 0.005


def test_input_ends() -> None:
    async def test(on: Scene) -> None:
        await on.run()
        async with on.socket("cat", stdin="true") as socket:
            await socket.receive()
            # What belongs to no channel that there is, and what is empty, is left.
            for message in (b"", b"\x09x", b"\x04nonsense", b"\x00", b"\x00abc", b"\xff\x00", b"\x00late"):
                await socket.send_bytes(message)
            messages = [message.data async for message in socket]
            assert messages == [b"\x01abc", b'\x03{"metadata":{},"status":"Success"}']

    on_cluster(test)


@pytest.mark.parametrize("ends", ["close", "cut"])
def test_a_client_that_leaves_leaves_nothing(ends: str) -> None:
    async def test(on: Scene) -> None:
        await on.run()
        before = len(asyncio.all_tasks())
        async with on.socket("sh", "-c", "sleep 1000", stdin="true") as socket:
            await socket.receive()
            await eventually(lambda: _count(on, 1), "the command does not run")
            if ends == "cut":
                socket._conn.transport.abort()
        await eventually(on.nothing_open, "the command still runs")
        await eventually(lambda: _tasks_below(before + 3), "tasks are left")

    on_cluster(test)


async def _count(on: Scene, count: int) -> bool:
    return on.cluster.connections.count == count


async def _tasks_below(count: int) -> bool:
    return len(asyncio.all_tasks()) <= count


def test_input_that_nobody_reads_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websockets, "_PING", 0.1)

    async def test(on: Scene) -> None:
        await on.run()
        sent = 0
        async with on.socket("sleep", "1000", stdin="true") as socket:
            await socket.receive()

            async def flood() -> None:
                nonlocal sent
                while True:
                    await socket.send_bytes(b"\x00" + bytes(32 << 10))
                    sent += 32 << 10

            with pytest.raises(TimeoutError):
                await asyncio.wait_for(flood(), 1)
            # What is in the buffers of both ends, and far less than can be sent in a second.
            assert sent < 16 << 20
            assert on.cluster.connections.count == 1
            socket._conn.transport.abort()
        # The server does not read from the client, and yet finds out.
        await eventually(on.nothing_open, "the command still runs")

    on_cluster(test)


def test_messages_that_are_too_large() -> None:
    async def test(on: Scene) -> None:
        await on.run()
        async with on.socket("cat", stdin="true") as socket:
            await socket.receive()
            await socket.send_bytes(b"\x00" + bytes(2 << 20))
            assert [message.data async for message in socket] == []
            # The end may overtake the reason for it.
            assert socket.close_code in {1006, 1009}
        await eventually(on.nothing_open, "the command still runs")

    on_cluster(test)


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "Upgrade request required"),
        (
            {"Connection": "Upgrade", "Upgrade": "SPDY/3.1"},
            (
                "this server speaks WebSockets (v5.channel.k8s.io, v4.channel.k8s.io, "
                'v4.base64.channel.k8s.io, channel.k8s.io, base64.channel.k8s.io), and not "SPDY/3.1"; '
                "use kubectl from 1.30 on, without KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false"
            ),
        ),
        (
            {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Protocol": V5},
            "the request for a WebSocket has no Sec-WebSocket-Version 13 and valid key",
        ),
    ],
)
def test_upgrades_that_cannot_be(headers: dict[str, str], message: str) -> None:
    async def test(on: Scene) -> None:
        await on.run()
        params = {"command": "id", "stdout": "true"}
        async with on.session.get(EXEC, params=params, headers=headers) as answer:
            assert (answer.status, (await answer.json())["message"]) == (400, message)
            # From a connection that was to be a WebSocket no other request is read.
            assert (answer.headers.get("Connection") == "close") is ("Upgrade" in headers)

    on_cluster(test)


def test_there_is_a_bound_on_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_OPEN", 2)

    async def test(on: Scene) -> None:
        await on.run()
        followers = [on.pods.logs("p", follow=True) for _ in range(2)]
        for each in followers:
            await anext(each)
        with pytest.raises(TooManyRequests):
            await on.pods.exec("p", ["id"])
        for each in followers:
            await each.aclose()
        await eventually(on.nothing_open, "the logs are still followed")
        assert (await on.pods.exec("p", ["id", "-u"])).stdout == b"0\n"

    on_cluster(test)


def test_a_server_that_stops_ends_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    # For what does not end by itself a stop would wait so long.
    monkeypatch.setattr(listener, "_GRACE", 60.0)

    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with scene() as on:
            await on.run()
            lines = on.pods.logs("p", follow=True)
            await anext(lines)
            session = on.pods.exec_stream("p", ["sleep", "1000"])
            spoken = await session.__aenter__()
            await eventually(lambda: _count(on, 2), "the command does not run")
            began = loop.time()
            stopping = asyncio.create_task(on.cluster.__aexit__(None, None, None))
            assert len([line async for line in lines]) <= 1
            assert await spoken.wait() == 137
            await session.__aexit__(None, None, None)
            await stopping
            assert loop.time() - began < 30

    asyncio.run(run())


def test_connections_are_in_the_audit_log(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"

    async def test(on: Scene) -> None:
        await on.run()
        await on.pods.exec("p", ["id"])
        await on.pods.log_text("p")

    on_cluster(test, audit_log=log)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    told = [
        (event["objectRef"]["subresource"], event["stage"], event["verb"], event["responseStatus"]["code"])
        for event in events
        if event.get("objectRef", {}).get("subresource") in {"exec", "log"}
    ]
    assert ("exec", "ResponseComplete", "get", 101) in told
    assert ("log", "ResponseComplete", "get", 200) in told
