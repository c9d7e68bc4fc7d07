"""The channel protocols of exec and attach, as a server speaks them.

Each message is a byte, the channel, and what is written to it: 0 is stdin, 1 stdout, 2 stderr, 3 the Status
at the end and 4 the size of the terminal. In version 5 a client ends a channel by a message of channel 255
whose one byte is the channel.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec

from kubewright.machinery.errors import ApiError
from kubewright.machinery.status import Status, StatusCause, StatusDetails
from kubewright.server.errors import internal_error
from kubewright.server.handlers.call import Socket

__all__ = ["PROTOCOLS", "Channels", "chosen_protocol", "serve_command"]

PROTOCOLS: Final = ("v5.channel.k8s.io", "v4.channel.k8s.io")
"""What is spoken, best first."""

_STDIN, _STDOUT, _STDERR, _STATUS, _CLOSE = 0, 1, 2, 3, 255

_MESSAGE: Final = 32 << 10
"""The most that is written in one message, which is what client-go reads at once."""

_INPUT_AHEAD: Final = 16
"""How many messages of input may wait for a command before their sender has to: half a megabyte of what
clients write at once."""

_READY: Final = 0.01
"""Seconds that a client has to get ready once it has been told that the connection stands: older ones, such
as kubectl 1.32, throw away what comes before they have made their streams, and what is pretended comes at
once."""

_log: Final = logging.getLogger("kubewright.server")

Work = Callable[["Channels"], Awaitable[int]]


class Channels:
    """The streams of a command, as channels of a WebSocket. See `CommandStreams`."""

    def __init__(self, socket: Socket, *, stdin: bool, stdout: bool, stderr: bool, tty: bool) -> None:
        self._socket: Final = socket
        self._wanted: Final = {_STDOUT: stdout, _STDERR: stderr}
        self._input: Final[asyncio.Queue[bytes]] = asyncio.Queue(_INPUT_AHEAD)
        self._ended = not stdin
        self.has_stdin: Final = stdin
        self.tty: Final = tty

    async def read(self) -> bytes:
        """Some input; nothing at its end."""
        if self._ended and self._input.empty():
            return b""
        data = await self._input.get()
        self._ended = self._ended or not data
        return data

    async def write(self, data: bytes) -> None:
        """Write to stdout, if it is wanted."""
        await self._write(_STDOUT, data)

    async def write_error(self, data: bytes) -> None:
        """Write to stderr, if it is wanted; with a terminal there is one output."""
        await self._write(_STDOUT if self.tty else _STDERR, data)

    async def begin(self) -> None:
        """Tell the client that the connection stands, as upstream does: by an empty message."""
        first = next((channel for channel, wanted in self._wanted.items() if wanted), _STATUS)
        await self._socket.send(bytes((first,)))

    async def end(self, status: Status) -> None:
        """Tell how the command ended."""
        told = {key: value for key, value in status.to_dict().items() if key not in {"kind", "apiVersion"}}
        await self._socket.send(bytes((_STATUS,)) + msgspec.json.encode({"metadata": {}, **told}))

    async def receive(self) -> None:
        """Take in what the client sends, until it closes the connection."""
        taken = self.has_stdin
        while (message := await self._socket.receive()) is not None:
            # The sizes of terminals, which nothing here depends on, and channels that nobody knows are left.
            if taken and len(message) > 1 and message[0] == _STDIN:
                await self._input.put(message[1:])
            elif taken and message == bytes((_CLOSE, _STDIN)):
                taken = False
                await self._input.put(b"")

    async def _write(self, channel: int, data: bytes) -> None:
        if not self._wanted[channel]:
            return
        for begin in range(0, len(data), _MESSAGE):
            await self._socket.send(bytes((channel,)) + data[begin : begin + _MESSAGE])


def chosen_protocol(offered: Sequence[str]) -> str:
    """The best protocol of those that a client speaks; empty when there is none."""
    return next((each for each in PROTOCOLS if each in offered), "")


async def serve_command(channels: Channels, work: Work) -> None:
    """Run a command and tell its client how it ended; it is cancelled when the client goes before."""
    await channels.begin()
    await asyncio.sleep(_READY)
    receiving = asyncio.create_task(channels.receive())
    working = asyncio.create_task(_ended(channels, work))
    try:
        await asyncio.wait((receiving, working), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            await channels.end(working.result())
    finally:
        for task in (receiving, working):
            task.cancel()
        await asyncio.gather(receiving, working, return_exceptions=True)


async def _ended(channels: Channels, work: Work) -> Status:
    """How a command ended, whatever happened."""
    try:
        return _exit_status(await work(channels))
    except ApiError as error:
        return error.status
    except ConnectionError:
        raise
    except Exception:
        _log.exception("a command failed")
        return internal_error("the server failed; its log says why").status


def _exit_status(code: int) -> Status:
    if code == 0:
        return Status(status="Success")
    message = f"command terminated with non-zero exit code: command terminated with exit code {code}"
    details = StatusDetails(causes=[StatusCause(reason="ExitCode", message=str(code))])
    return Status(status="Failure", reason="NonZeroExitCode", message=message, details=details)
