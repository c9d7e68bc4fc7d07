"""How long callbacks hold the event loop of a server that runs in a thread of this process.

What is measured is the CPU time of the loop's thread, so that a busy machine, and other threads that hold the
interpreter, do not count.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Holds", "measure_holds"]


class Holds:
    """The longest time for which one callback held the loop, in seconds of CPU time."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.name = ""

    def note(self, seconds: float, handle: asyncio.Handle) -> None:
        """Count one callback."""
        if seconds > self.longest:
            self.longest, self.name = seconds, repr(handle)[:300]


@contextmanager
def measure_holds(thread_name: str = "kubewright-cluster") -> Iterator[Holds]:
    """Measure asyncio's own event loop in the threads of this name, for as long as the block lasts."""
    holds = Holds()
    original = asyncio.Handle._run

    def run(self: asyncio.Handle) -> None:
        if threading.current_thread().name != thread_name:
            original(self)
            return
        start = time.thread_time()
        try:
            original(self)
        finally:
            holds.note(time.thread_time() - start, self)

    asyncio.Handle._run = run  # type: ignore[method-assign]
    try:
        yield holds
    finally:
        asyncio.Handle._run = original  # type: ignore[method-assign]
