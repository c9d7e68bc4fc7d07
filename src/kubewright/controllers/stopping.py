"""What stops a manager: signals, and how the failure of one of many tasks is told."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

__all__ = ["beside", "handled_signals", "unwrapped"]


@contextmanager
def handled_signals(handler: Callable[[], None]) -> Iterator[None]:
    """Call a function on SIGTERM and SIGINT for the length of a block.

    Raises RuntimeError in other threads than the main one.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("signals come to the main thread only; in another one give Manager(signals=False)")
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


@asynccontextmanager
async def beside(
    work: Coroutine[Any, Any, None], started: asyncio.Event, stop: Callable[[], None]
) -> AsyncIterator[None]:
    """Do something beside a block, which begins when it has started, and stop it in good order after it.

    What it raises before that cancels the block, and is raised; what the block raises is raised first.
    """
    raised: BaseException | None = None
    with unwrapped():
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(work, name="manager")
            waiting = tasks.create_task(started.wait())
            await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            try:
                yield
            except Exception as error:
                # Not by the group, which would cancel what may end in good order.
                raised = error
            stop()
    if raised is not None:
        raise raised
