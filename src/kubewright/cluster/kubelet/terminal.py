"""A terminal at the input of a command: echoes what is typed, and hands it on line by line."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Final, Self

from kubewright.cluster.kubelet.commands import INTERRUPTED
from kubewright.server.handlers.subresources.kubelets import CommandStreams

__all__ = ["Terminal"]

_LINES_AHEAD: Final = 64
"""How many lines may be typed before they are read."""

_LONGEST_LINE: Final = 4096
"""How many bytes a line may have: what terminals of Linux take."""

_INTERRUPT, _END, _ESCAPE = 0x03, 0x04, 0x1B
_ERASE: Final = frozenset({0x08, 0x7F})


class Terminal:
    """The streams of a command with a terminal between. See `CommandStreams`.

    Ctrl-C cancels what is in the foreground, Ctrl-D is an end of input, of which there may be more than one.
    """

    def __init__(self, streams: CommandStreams) -> None:
        self._streams: Final = streams
        self._lines: Final[asyncio.Queue[bytes]] = asyncio.Queue(_LINES_AHEAD)
        self._typed = bytearray()
        self._escape = False
        self._gone = False
        self._foreground: asyncio.Task[int] | None = None
        self._pump: asyncio.Task[None] | None = None
        self.has_stdin: Final = streams.has_stdin
        self.tty: Final = True

    async def __aenter__(self) -> Self:
        self._pump = asyncio.create_task(self._take())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._pump is not None  # noqa: S101 - made above
        self._pump.cancel()
        await asyncio.gather(self._pump, return_exceptions=True)

    async def read(self) -> bytes:
        """The next line; nothing at an end of input."""
        if self._gone and self._lines.empty():
            return b""
        return await self._lines.get()

    async def write(self, data: bytes) -> None:
        """Write, with the carriage returned at the end of each line."""
        await self._streams.write(data.replace(b"\n", b"\r\n"))

    async def write_error(self, data: bytes) -> None:
        """The same: a terminal has one output."""
        await self.write(data)

    async def run(self, work: Coroutine[Any, Any, int]) -> int:
        """Run something in the foreground; its exit code, or that of an interrupted command."""
        task = self._foreground = asyncio.create_task(work)
        try:
            await asyncio.wait((task,))
            return INTERRUPTED if task.cancelled() else task.result()
        finally:
            self._foreground = None
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _take(self) -> None:
        while data := await self._streams.read():
            for byte in data:
                await self._type(byte)
        self._gone = True
        await self._lines.put(bytes(self._typed))

    async def _type(self, byte: int) -> None:
        if self._escape:
            # Arrows and the like, which begin with an escape and end with a letter.
            self._escape = not (chr(byte).isalpha() or byte == ord("~"))
        elif byte == _ESCAPE:
            self._escape = True
        elif byte in b"\r\n":
            await self._end_line(b"\n")
        elif byte in _ERASE:
            if self._typed:
                self._erase()
                await self._streams.write(b"\b \b")
        elif byte == _INTERRUPT:
            await self._interrupt()
        elif byte == _END:
            await self._lines.put(bytes(self._typed))
            self._typed.clear()
        elif len(self._typed) < _LONGEST_LINE and (byte >= ord(" ") or byte == ord("\t")):
            self._typed.append(byte)
            await self._streams.write(bytes((byte,)))

    async def _end_line(self, end: bytes) -> None:
        line = bytes(self._typed) + end
        self._typed.clear()
        await self._streams.write(b"\r\n")
        await self._lines.put(line)

    async def _interrupt(self) -> None:
        self._typed.clear()
        await self._streams.write(b"^C")
        if self._foreground is None:
            await self._end_line(b"\n")
        else:
            await self._streams.write(b"\r\n")
            self._foreground.cancel()

    def _erase(self) -> None:
        # A character of UTF-8 has one byte that begins it.
        while len(self._typed) > 1 and self._typed[-1] & 0xC0 == 0x80:
            self._typed.pop()
        self._typed.pop()
