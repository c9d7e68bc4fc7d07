"""What is seen: a table, lines, and on a terminal a bar below them."""

from __future__ import annotations

import logging
import os
import shutil
import signal
from collections.abc import Iterable
from datetime import datetime
from typing import Final, TextIO

from examples.pvcwatch.usage import Usage, claimed
from kubewright.models.core_v1 import PersistentVolumeClaim

RED, GREEN = 31, 32
CLEAR_LINE: Final = "\r\x1b[K"
WIDEST_BAR: Final = 40


class Display(logging.Handler):
    """Prints to one stream; also what is logged, such as that a connection is tried again."""

    def __init__(self, stream: TextIO, usage: Usage) -> None:
        super().__init__()
        self._stream: Final = stream
        self._usage: Final = usage
        self._is_live: Final = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._has_color: Final = self._is_live and not os.environ.get("NO_COLOR")

    def table(self, claims: Iterable[PersistentVolumeClaim]) -> None:
        """All claims, sorted, and what they add up to."""
        rows = [("NAMESPACE", "NAME", "STATUS", "CAPACITY")]
        for claim in sorted(claims, key=lambda claim: claim.key):
            size, has = claimed(claim), claim.status.capacity.get("storage")
            capacity = str(size) if has is None or has == size else f"{size} (has {has})"
            meta = claim.metadata
            status = claim.status.phase if meta.deletion_timestamp is None else "Terminating"
            rows.append((meta.namespace, meta.name, status, capacity))
        rows.append(("TOTAL", "", "", str(self._usage.total)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        self._print("\n".join("   ".join(map(str.ljust, row, widths)).rstrip() for row in rows))

    def line(self, text: str, color: int | None = None) -> None:
        """A line of what happens, with the time of day."""
        self._print(self._painted(f"{datetime.now().astimezone():%H:%M:%S} {text}", color))

    def emit(self, record: logging.LogRecord) -> None:
        """A line of what is logged."""
        self.line(self.format(record))

    def draw(self) -> None:
        """Draw the bar as it is now, if this is a terminal and wide enough."""
        told = f" {self._usage}"
        width = min(WIDEST_BAR, shutil.get_terminal_size().columns - len(told) - 3)
        if self._is_live and width > 0:
            filled = "#" * min(width, int(self._usage.share * width))
            bar = self._painted(filled, RED if self._usage.is_over else GREEN)
            self._write(f"{CLEAR_LINE}[{bar}{'-' * (width - len(filled))}]{told}")

    def clear(self) -> None:
        """Take the bar away, until it is drawn again."""
        self._write(CLEAR_LINE if self._is_live else "")

    def _print(self, text: str) -> None:
        self.clear()
        self._write(f"{text}\n")
        self.draw()

    def _painted(self, text: str, color: int | None) -> str:
        return f"\x1b[{color}m{text}\x1b[0m" if color and self._has_color else text

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except BrokenPipeError:
            # Nobody reads any more, as after `| head`: stop, and write to nowhere until then.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
            signal.raise_signal(signal.SIGTERM)
