"""Bytes that come in pieces, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

__all__ = ["MAX_LINE", "LineSplitter"]

MAX_LINE: Final = 1 << 20
"""The longest line, in bytes, that is given as one. Container runtimes cut lines after 16 kilobytes and
kubelets put the parts together again, so that a line can be as long as a program makes it."""


class LineSplitter:
    """Takes bytes as they come and gives lines without their newline.

    Bytes that are no UTF-8 become U+FFFD. A line longer than `max_line` bytes comes in pieces of at most so
    many, cut between characters, so that memory has a bound.
    """

    def __init__(self, *, max_line: int = MAX_LINE) -> None:
        self._max_line: Final = max_line
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[str]:
        """The lines that end in these bytes."""
        *ended, rest = data.split(b"\n")
        for part in ended:
            yield from self._keep(part)
            yield self._take()
        yield from self._keep(rest)

    def rest(self) -> Iterator[str]:
        """The last line, if it had no newline; called once, at the end."""
        if self._size:
            yield self._take()

    def _keep(self, part: bytes) -> Iterator[str]:
        """Keeps a part of a line for its end to come; gives what there is too much of."""
        if part:
            self._parts.append(part)
            self._size += len(part)
        if self._size <= self._max_line:
            return
        line = b"".join(self._parts)
        begin = 0
        while len(line) - begin > self._max_line:
            end = _character_start(line, begin + self._max_line, begin)
            yield line[begin:end].decode(errors="replace")
            begin = end
        self._parts = [line[begin:]]
        self._size = len(line) - begin

    def _take(self) -> str:
        line = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        return line.decode(errors="replace")


def _character_start(data: bytes, position: int, begin: int) -> int:
    """Where the character begins that holds a byte; the byte itself where there is no such character."""
    for back in range(4):
        start = position - back
        if start <= begin:
            break
        if data[start] & 0xC0 != 0x80:
            return start
    return position
