"""What stops a manager: signals, and how the failure of one of many tasks is told."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["handled_signals", "unwrapped"]


@contextmanager
def handled_signals(handler: Callable[[], None]) -> Iterator[None]:
    """Call a function on SIGTERM and SIGINT for the length of a block."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        loop.add_signal_handler(number, handler)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


@contextmanager
def unwrapped() -> Iterator[None]:
    """Raise what failed itself where one thing failed, and not the group that a TaskGroup makes of it."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        if error is group:
            raise
        raise error from error.__cause__
