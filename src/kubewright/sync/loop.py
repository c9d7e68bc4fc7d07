"""An event loop in a thread, for callers that have none or must not wait in theirs."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, TypeVar

from kubewright.machinery.errors import KubewrightError

__all__ = ["LoopThread"]

R = TypeVar("R")


class LoopThread:
    """Runs coroutines for callers that block; any number of threads may use it, but not its own.

    The thread starts with the first call and ends with `close`; it does not keep a program alive.
    """

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def is_running(self) -> bool:
        """Whether anything was run, and `close` was not called yet."""
        return self._loop is not None

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        """The result of a coroutine. A caller that is interrupted while it waits cancels it."""
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._running())
        except BaseException:
            work.close()
            raise
        try:
            return future.result()
        except CancelledError:
            if not self._closed:
                raise
            raise KubewrightError("the client was closed while it waited for the server") from None
        except BaseException:
            # An interrupt, say: nobody will take the result any more.
            future.cancel()
            raise

    def iterate(self, items: AsyncIterator[R]) -> Iterator[R]:
        """The items of an async iterator, each when it comes; closing this one closes that one."""
        try:
            while True:
                try:
                    yield self.run(_next(items))
                except StopAsyncIteration:
                    return
        finally:
            close = getattr(items, "aclose", None)
            if close is not None and not self._closed:
                with contextlib.suppress(RuntimeError):
                    self.run(close())

    @contextlib.contextmanager
    def enter(self, manager: AbstractAsyncContextManager[R]) -> Iterator[R]:
        """What an async context manager gives, for the length of a block; one task enters and leaves it."""
        entered: Future[R] = Future()
        leaving = asyncio.Event()
        loop = self._running()
        holding = asyncio.run_coroutine_threadsafe(_hold(manager, entered, leaving), loop)
        try:
            yield entered.result()
        finally:
            if not entered.done():
                # Interrupted before there was anything to leave.
                holding.cancel()
            elif not self._closed:
                loop.call_soon_threadsafe(leaving.set)
            with contextlib.suppress(CancelledError):
                holding.result()

    def close(self) -> None:
        """End the thread, and whatever still runs in it. May be called again."""
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
            self._loop = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            if thread is not threading.current_thread():
                thread.join()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise KubewrightError("the client is closed; make another one")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name="kubewright-sync", daemon=True
                )
                self._thread.start()
            elif self._thread is threading.current_thread():
                raise KubewrightError(
                    "a blocking client cannot be used in its own thread; use kubewright.Client"
                )
            return self._loop


async def _hold(manager: AbstractAsyncContextManager[R], entered: Future[R], leaving: asyncio.Event) -> None:
    try:
        async with manager as value:
            entered.set_result(value)
            await leaving.wait()
    except BaseException as error:
        if entered.done():
            raise
        entered.set_exception(error)


async def _next(items: AsyncIterator[R]) -> R:
    return await anext(items)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
