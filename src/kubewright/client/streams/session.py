"""`Session`: a command, or a container, that is spoken to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.client.streams.channels import (
    COMMAND_PROTOCOLS,
    OUTPUTS,
    STATUS,
    STDIN,
    V4,
    V5,
    OutputName,
    StatusReader,
    close_message,
    resize_message,
)
from kubewright.client.websocket import WebSocket
from kubewright.machinery.errors import KubewrightError, ParseError, TransportError

__all__ = ["Output", "Session", "checked_command", "open_session"]

_MESSAGE: Final = 32 << 10
"""How much is written in one message: client-go's copy buffer, which API servers were made for."""

_LAST_WORDS: Final = 5.0
"""Seconds that output may come in after the command's end; servers close at once."""


class Output(NamedTuple):
    """Some of what a command wrote, as it came: neither lines nor whole characters."""

    stream: OutputName
    data: bytes


class Session:
    """A command, or a container, that is spoken to: iterate over its output while writing to it.

    Nothing is read unless the program iterates or waits, and `write` waits while the command reads nothing; a
    program that does one after the other with a command that does both can wait forever, as with pipes. One
    task may read, any may write.
    """

    def __init__(self, socket: WebSocket, *, stdin: bool, tty: bool) -> None:
        self._socket: Final = socket
        self._stdin_open = stdin
        self._tty: Final = tty
        self._status: Final = StatusReader(socket.server)
        self.protocol: Final = socket.protocol
        """`v5.channel.k8s.io`, or `v4.channel.k8s.io` from servers before Kubernetes 1.30."""

    @property
    def exit_code(self) -> int | None:
        """The command's exit code; None until iteration, or `wait`, has come to the end."""
        return self._status.exit_code

    async def write(self, data: bytes | str) -> None:
        """Write to the command's stdin; waits while it takes no more. Raises TransportError."""
        if not self._stdin_open:
            raise KubewrightError(
                "stdin is not open; ask for it with stdin=True, and write before close_stdin"
            )
        view = memoryview(data.encode() if isinstance(data, str) else data)
        for begin in range(0, len(view), _MESSAGE):
            if begin:
                # So that the reader has its turn, and can stop what nobody reads any more.
                await asyncio.sleep(0)
            await self._socket.send(bytes((STDIN,)) + view[begin : begin + _MESSAGE])

    async def close_stdin(self) -> None:
        """Let the command read the end of its input. May be called again.

        Raises KubewrightError with servers that speak version 4, which has no word for it.
        """
        if not self._stdin_open:
            return
        self.check_stdin_can_end()
        self._stdin_open = False
        await self._socket.send(close_message(STDIN))

    def check_stdin_can_end(self) -> None:
        """Raises KubewrightError if `close_stdin` would; before anything was written."""
        if self.protocol != V5:
            raise KubewrightError(
                f"{self._socket.server} cannot end the input of a command (it speaks {self.protocol}; "
                "Kubernetes from 1.30 on speaks v5); use exec_stream with a command that knows where its "
                "input ends"
            )

    async def resize(self, width: int, height: int) -> None:
        """Say how many columns and rows the terminal has. Raises KubewrightError without one."""
        if not self._tty:
            raise KubewrightError("there is no terminal to resize; ask for one with tty=True")
        await self._socket.send(resize_message(width, height))

    async def __aiter__(self) -> AsyncIterator[Output]:
        """The output as it comes, to the command's end.

        Raises ApiError when the command could not be run, and TransportError for a connection that ends
        before the command has.
        """
        while self.exit_code is None:
            message = await self._socket.receive()
            if message is None:
                raise self._status.missing()
            output = self._read(message)
            if output is not None:
                yield output
        async for output in self._last_words():
            yield output

    async def wait(self) -> int:
        """Wait for the command's end and return its exit code; output that was not read is dropped."""
        async for _ in self:
            pass
        assert self.exit_code is not None  # noqa: S101 - or iteration had raised
        return self.exit_code

    async def _last_words(self) -> AsyncIterator[Output]:
        """Output that comes after the status, until the server closes."""
        deadline = asyncio.get_running_loop().time() + _LAST_WORDS
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    message = await self._socket.receive()
            except (TransportError, TimeoutError):
                return  # How the command ended is known: how the connection does is no matter.
            if message is None:
                return
            output = self._read(message)
            if output is not None:
                yield output

    def _read(self, message: bytes) -> Output | None:
        """The output that a message is, if it is some."""
        if not message:
            raise TransportError(f"{self._socket.server} sent a message that belongs to no channel")
        channel = message[0]
        if channel == STATUS and len(message) > 1 and self.exit_code is None:
            self._status.feed(message[1:])
        # Servers say with an empty message that the connection stands; channels that nobody knows are for
        # later.
        if channel not in OUTPUTS or len(message) == 1:
            return None
        return Output(OUTPUTS[channel], message[1:])


def checked_command(command: Sequence[str]) -> list[str]:
    """A command as a list. Raises ParseError for one that is no list of words."""
    if isinstance(command, str | bytes):
        raise ParseError(
            f'a command is a list of words; say ["sh", "-c", {command!r}] to have a shell read it'
        )
    words = list(command)
    if not words or not all(isinstance(word, str) for word in words):
        raise ParseError(
            "a command is a list of words, the program first; this one has none, or others than str"
        )
    return words


@asynccontextmanager
async def open_session(
    sender: Sender,
    path: str,
    *,
    command: Sequence[str] = (),
    container: str = "",
    stdin: bool,
    tty: bool,
) -> AsyncIterator[Session]:
    """Run a command, or attach to what runs; see `Api.exec_stream` and `Api.attach`."""
    query = [("command", word) for word in command]
    if container:
        query.append(("container", container))
    # A terminal has one output: servers refuse to be asked for stderr beside it.
    wanted = {"stdin": stdin, "stdout": True, "stderr": not tty, "tty": tty}
    query += [(name, "true" if value else "false") for name, value in wanted.items()]
    request = Request(method="GET", path=path, query=query)
    async with sender.websocket(request, protocols=COMMAND_PROTOCOLS) as socket:
        if socket.protocol not in (V5, V4):
            raise TransportError(
                f"{socket.server} chose none of the protocols {', '.join(COMMAND_PROTOCOLS)}"
            )
        yield Session(socket, stdin=stdin, tty=tty)
