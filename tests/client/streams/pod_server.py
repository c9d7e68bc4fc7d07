"""An API server whose pods run processes of this machine, and which can be made to fail."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl, urlsplit

import msgspec
from aiohttp import WSMsgType, web

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.config import Config
from kubewright.models.core_v1 import Pod
from tests.client.peers import Asked, Peer, peer

V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"
SUCCESS = b'\x03{"status":"Success"}'

Script = Callable[[web.WebSocketResponse, web.BaseRequest], Awaitable[None]]


class Pods:
    """How the pods of a test behave; the handler of a `peer`."""

    def __init__(self, *, protocols: Sequence[str] = (V5, V4), script: Script | None = None) -> None:
        self._protocols = protocols
        self._script = script
        self.refuse: Callable[[Asked], web.Response | None] = lambda asked: None
        self.sizes: list[dict[str, int]] = []
        """What clients said of their terminals."""

    async def __call__(self, asked: Asked, request: web.BaseRequest) -> web.StreamResponse:
        refusal = self.refuse(asked)
        if refusal is not None:
            return refusal
        # Frames are whole when they come, so that reading ahead is of no use to anybody.
        socket = web.WebSocketResponse(protocols=self._protocols, max_msg_size=1 << 24)
        await socket.prepare(request)
        if self._script is not None:
            await self._script(socket, request)
        elif "/portforward" in asked.target:
            await self._forward(socket, int(_query(asked)["ports"][0]))
        else:
            await self._run(socket, _query(asked))
        await socket.close()
        return socket

    async def _run(self, socket: web.WebSocketResponse, query: dict[str, list[str]]) -> None:
        words = query.get("command", ["sh"])
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.PIPE if query["stdin"] == ["true"] else asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError:
            message = f'exec: "{words[0]}": executable file not found in $PATH'
            await socket.send_bytes(b"\x03" + failure("InternalError", message=message, code=500))
            return
        await socket.send_bytes(b"\x01")
        assert process.stdout is not None
        assert process.stderr is not None
        feeding = asyncio.create_task(self._feed(socket, process))
        try:
            await asyncio.gather(_copy(socket, 1, process.stdout), _copy(socket, 2, process.stderr))
            code = await process.wait()
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)
            # Kills what still runs; with its pipes closed, which asyncio would wait for to be read.
            process._transport.close()  # type: ignore[attr-defined]
            await process.wait()
        if code == 0:
            await socket.send_bytes(SUCCESS)
        else:
            causes = [{"reason": "ExitCode", "message": str(code)}]
            await socket.send_bytes(b"\x03" + failure("NonZeroExitCode", details={"causes": causes}))

    async def _feed(self, socket: web.WebSocketResponse, process: asyncio.subprocess.Process) -> None:
        async for message in socket:
            assert message.type is WSMsgType.BINARY
            channel, data = message.data[0], message.data[1:]
            if channel == 4:
                self.sizes.append(json.loads(data))
            elif channel == 255:
                assert socket.ws_protocol == V5
                assert data == b"\0"
                assert process.stdin is not None
                process.stdin.close()
            else:
                assert channel == 0
                assert process.stdin is not None
                process.stdin.write(data)
                await process.stdin.drain()
        # The client has gone.
        if process.returncode is None:
            process.kill()

    async def _forward(self, socket: web.WebSocketResponse, port: int) -> None:
        preamble = port.to_bytes(2, "little")
        await socket.send_bytes(b"\0" + preamble)
        await socket.send_bytes(b"\1" + preamble)
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError as error:
            await socket.send_bytes(f"\1error forwarding port {port}: {error.strerror}".encode())
            return
        sending = asyncio.create_task(_send(socket, writer))
        try:
            await _copy(socket, 0, reader)
        except ConnectionError:
            pass  # The client has gone.
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            writer.close()


async def _send(socket: web.WebSocketResponse, writer: asyncio.StreamWriter) -> None:
    async for message in socket:
        writer.write(message.data[1:])
        await writer.drain()
    writer.close()


async def _copy(socket: web.WebSocketResponse, channel: int, reader: asyncio.StreamReader) -> None:
    while data := await reader.read(1 << 15):
        await socket.send_bytes(bytes((channel,)) + data)


def failure(reason: str, **more: object) -> bytes:
    """A Status as servers write it on the status channel."""
    return json.dumps({"status": "Failure", "reason": reason, **more}).encode()


def _query(asked: Asked) -> dict[str, list[str]]:
    query: dict[str, list[str]] = {}
    for name, value in parse_qsl(urlsplit(asked.target).query):
        query.setdefault(name, []).append(value)
    return query


@asynccontextmanager
async def pods_of(
    pods: Pods, *, tls: bool = False, **changes: object
) -> AsyncIterator[tuple[Api[Pod], Peer]]:
    """Such a server, with the pods of its default namespace."""
    async with peer(pods, tls=tls) as server:
        config: Config = msgspec.structs.replace(server.config, **changes)
        async with Client(config) as client:
            yield client.api(Pod, "default"), server


def open_sockets() -> int:
    """How many sockets this process has open."""
    count = 0
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            count += os.readlink(f"/proc/self/fd/{descriptor}").startswith("socket:")
        except FileNotFoundError:
            continue
    return count


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what is to come; the test's own deadline is the limit."""
    while not condition():  # noqa: ASYNC110 - nobody tells of closed sockets
        await asyncio.sleep(0.001)
