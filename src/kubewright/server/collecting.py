"""The garbage collector of a process that a server has to itself: nobody waits for it."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal

__all__ = ["collect_at_rest"]

_OLDEST: Final = 2
"""The generation of what has survived twice; looking through it is looking at all that there is."""

_UNTIL: Final = 1000
"""How often what is younger is looked at before all is, in the midst of work: where there is never any rest.
With Python's own 10 a cluster stands still for some 25 ms while it makes its first 1,000 pods."""

_WORTH: Final = 10
"""How often what is younger has been looked at when looking at all of it is worth while: Python's own."""

_LOOK_AFTER: Final = 1.0
"""Seconds over which is measured whether the process is at rest."""

_REST: Final = 0.05
"""The share of those in which a process may work that is at rest: heartbeats, and the odd request."""


@contextmanager
def collect_at_rest(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Have the garbage collector enabled, and look at all that there is only when the process is at rest.

    While it does, nothing else runs: a request that comes then waits for it. What is there at the beginning
    it never looks at, since all of it stays. After the block it goes by Python's own rules again.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(before[0], before[1], _UNTIL)
    collecting = _Collecting(loop)
    gc.callbacks.append(collecting.collected)
    gc.enable()
    try:
        yield
    finally:
        gc.callbacks.remove(collecting.collected)
        collecting.stop()
        gc.set_threshold(*before)


class _Collecting:
    """Looks at all when there is enough to look at, and rest."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop: Final = loop
        self._next: asyncio.TimerHandle | None = None
        self._worked = 0.0

    def collected(self, phase: Literal["start", "stop"], info: dict[str, int]) -> None:
        """The collector has looked at something; called by it, in whatever thread it came to run."""
        # It has looked at what is young, which says next to nothing, or at all, and there is no more to do.
        if phase == "stop" and info["generation"] == _OLDEST - 1 and gc.get_count()[_OLDEST] >= _WORTH:
            self._loop.call_soon_threadsafe(self._wait)

    def stop(self) -> None:
        """Look at nothing any more."""
        if self._next is not None:
            self._next.cancel()

    def _wait(self) -> None:
        if self._next is None:
            self._worked = time.process_time()
            self._next = self._loop.call_later(_LOOK_AFTER, self._look)

    def _look(self) -> None:
        self._next = None
        if gc.get_count()[_OLDEST] < _WORTH:
            return
        if time.process_time() - self._worked <= _LOOK_AFTER * _REST:
            gc.collect()
        else:
            self._wait()
