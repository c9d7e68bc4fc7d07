"""Signals while a command loads what it needs in two threads: nobody may raise anything then."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Final

__all__ = ["plain_signals"]

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def plain_signals() -> Iterator[None]:
    """Have Ctrl-C and SIGTERM end the process at once, for as long as there is nothing to clean up.

    What the handler of a signal raises amid an import may leave Python's lock of imports taken, and may be
    thrown away: the other thread would wait for the lock, whoever needs what it loads for that thread, and no
    further signal would help. Whoever ignores a signal goes on to; in other threads nothing changes.
    """
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    caught = [number for number in _SIGNALS if callable(before[number])]
    if not caught or current_thread() is not main_thread():
        yield
        return
    for number in caught:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, before[number])
