"""The channel protocols of exec and attach, as a server speaks them.

Each message is a byte, the channel, and what is written to it: 0 is stdin, 1 stdout, 2 stderr, 3 the Status
at the end and 4 the size of the terminal. In version 5 a client ends a channel by a message of channel 255
whose one byte is the channel. The protocols with base64 write the channel as a digit, and the rest in base64.
Before version 4, channel 3 has the message of a failure as plain text, and nothing after a success.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec

from kubewright.machinery.errors import ApiError
from kubewright.machinery.status import Status, StatusCause, StatusDetails
from kubewright.server.errors import internal_error
from kubewright.server.handlers.call import Socket
from kubewright.server.handlers.upgrades import choose_protocol

__all__ = ["PROTOCOLS", "Channels", "command_protocol", "serve_command"]

_V5: Final = "v5.channel.k8s.io"
_V4: Final = "v4.channel.k8s.io"
_V4_BASE64: Final = "v4.base64.channel.k8s.io"
_V1: Final = "channel.k8s.io"
_V1_BASE64: Final = "base64.channel.k8s.io"

PROTOCOLS: Final = (_V5, _V4, _V4_BASE64, _V1, _V1_BASE64)
"""What is spoken; a client that offers none of them speaks the plain form of version 1."""

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

    def __init__(
        self, socket: Socket, *, protocol: str, stdin: bool, stdout: bool, stderr: bool, tty: bool
    ) -> None:
        self._socket: Final = socket
        self._base64: Final = protocol in {_V4_BASE64, _V1_BASE64}
        self._plain_errors: Final = protocol in {"", _V1, _V1_BASE64}
        self._half_closes: Final = protocol == _V5
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
        await self._send(first, b"")

    async def end(self, status: Status) -> None:
        """Tell how the command ended."""
        if not self._plain_errors:
            fields = status.to_dict().items()
            shown = {key: value for key, value in fields if key not in {"kind", "apiVersion"}}
            if self._half_closes:
                # Version 5 is spoken by API servers, which write all of a Status; version 4 by kubelets.
                shown = {"metadata": {}, **shown}
            await self._send(_STATUS, msgspec.json.encode(shown))
        elif status.status != "Success":
            await self._send(_STATUS, (status.message or "").encode())

    async def receive(self) -> None:
        """Take in what the client sends, until it closes the connection."""
        taken = self.has_stdin
        while (message := await self._socket.receive()) is not None:
            # The sizes of terminals, which nothing here depends on, and unknown channels are ignored.
            if taken and (data := self._stdin_of(message)):
                await self._input.put(data)
            elif taken and self._half_closes and message == bytes((_CLOSE, _STDIN)):
                taken = False
                await self._input.put(b"")

    def _stdin_of(self, message: bytes) -> bytes:
        """What a message writes to stdin; nothing for one of another channel, or in broken base64."""
        if not self._base64:
            return message[1:] if message[:1] == bytes((_STDIN,)) else b""
        if message[:1] != b"0":
            return b""
        try:
            return base64.b64decode(message[1:], validate=True)
        except binascii.Error:
            return b""

    async def _send(self, channel: int, data: bytes) -> None:
        if self._base64:
            await self._socket.send(b"%d" % channel + base64.b64encode(data), text=True)
        else:
            await self._socket.send(bytes((channel,)) + data)

    async def _write(self, channel: int, data: bytes) -> None:
        if not self._wanted[channel]:
            return
        for begin in range(0, len(data), _MESSAGE):
            await self._send(channel, data[begin : begin + _MESSAGE])


def command_protocol(offered: Sequence[str]) -> str:
    """The protocol of a command: version 5 if it is offered at all, or else the client's first.

    Raises Forbidden when none of those that are offered is spoken.
    """
    return _V5 if _V5 in offered else choose_protocol(offered, ("", *PROTOCOLS))


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
