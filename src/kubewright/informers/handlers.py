"""Handlers: who is told of changes, each in a queue of its own."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from inspect import isawaitable
from typing import Final, Generic, TypeVar

from kubewright.informers.changes import Change, then
from kubewright.machinery.errors import NotSynced, WaitTimeout
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Registration"]

K = TypeVar("K", bound=Resource | Unstructured)

_IN_A_ROW: Final = 64
"""Changes after which a handler lets others run, if it never waits itself: about a millisecond."""

_log: Final = logging.getLogger("kubewright.informers")


class Registration(Generic[K]):
    """A handler of an informer, and the queue of what it has not been told yet.

    The handler is called with one change at a time, and awaited if it is a coroutine function. It is told of
    the states of each object in order, never of an older one after a newer one. Changes that it was too slow
    for become one, so that it misses states in between, but no object, and no deletion: the queue is never
    longer than the objects that there are or have been since. What it raises is logged, and the next change
    follows.
    """

    def __init__(self, handler: Callable[[Change[K]], Awaitable[object] | object], name: str) -> None:
        """`name` is what the log calls it."""
        self._handler: Final = handler
        self._name: Final = name
        self._order: Final[deque[str]] = deque()
        self._pending: Final[dict[str, Change[K] | list[Change[K]]]] = {}
        self._wakeup: asyncio.Future[None] | None = None
        self._told_all: Final = asyncio.Event()
        self._is_told_all = False
        self._remove: Callable[[], None] = lambda: None
        self.is_removed = False

    def push(self, change: Change[K]) -> None:
        """Tell the handler of a change, when it is its turn."""
        key = change.key
        waiting = self._pending.get(key)
        if waiting is None:
            self._pending[key] = change
            self._order.append(key)
            if self._wakeup is not None:
                self._wake()
            return
        if change.resync:
            return  # It is going to be told of something newer than it knows anyway.
        last = waiting[-1] if isinstance(waiting, list) else waiting
        both = then(last, change)
        if isinstance(waiting, list):
            waiting[-1:] = [both] if both is not None else [last, change]
        else:
            self._pending[key] = both if both is not None else [last, change]

    def push_mark(self) -> None:
        """Note that all that was there at the beginning has been pushed."""
        self._order.append("")
        if self._wakeup is not None:
            self._wake()

    @property
    def is_idle(self) -> bool:
        """Whether the handler has been told of all that was pushed, and has returned."""
        return self._wakeup is not None and not self._order

    def __len__(self) -> int:
        """How many objects there are of which the handler has not been told all."""
        return len(self._pending)

    async def synced(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 - it says what was waited for
        """Wait until the handler has been told of all that was there at the beginning.

        Raises WaitTimeout, and NotSynced when it is removed before.
        """
        try:
            async with asyncio.timeout(timeout):
                await self._told_all.wait()
        except TimeoutError:
            raise WaitTimeout(
                f"{self._name} was not told of all within {timeout:g} seconds: {len(self)} are waiting"
            ) from None
        if not self._is_told_all:
            raise NotSynced(f"{self._name} was removed before it was told of all")

    def remove(self) -> None:
        """Tell the handler of nothing any more, from now on. May be called again, also by the handler."""
        self.is_removed = True
        self._told_all.set()
        self._order.clear()
        self._pending.clear()
        if self._wakeup is not None:
            self._wake()
        remove, self._remove = self._remove, lambda: None
        remove()

    def when_removed(self, call: Callable[[], None]) -> None:
        """Say what `remove` is to do besides."""
        self._remove = call

    async def run(self) -> None:
        """Tell the handler of what is pushed, until it is removed."""
        in_a_row = 0
        while not self.is_removed:
            if not self._order:
                in_a_row = 0
                await self._wait()
                continue
            key = self._order.popleft()
            if not key:
                self._is_told_all = True
                self._told_all.set()
                continue
            waiting = self._pending.pop(key)
            for change in waiting if isinstance(waiting, list) else (waiting,):
                if not self.is_removed:
                    await self._tell(change)
            in_a_row += 1
            if in_a_row >= _IN_A_ROW:
                in_a_row = 0
                await asyncio.sleep(0)

    async def _tell(self, change: Change[K]) -> None:
        try:
            result = self._handler(change)
            if result is not None and isawaitable(result):
                await result
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Something that the handler waited for was cancelled, not the handler.
            _log.exception("%s was cut short at %s", self._name, change.key)
        except Exception:
            _log.exception("%s failed when told that %s was %s", self._name, change.key, change.type.lower())

    async def _wait(self) -> None:
        self._wakeup = asyncio.get_running_loop().create_future()
        try:
            await self._wakeup
        finally:
            self._wakeup = None

    def _wake(self) -> None:
        if self._wakeup is not None and not self._wakeup.done():
            self._wakeup.set_result(None)


async def resync(
    registration: Registration[K],
    every: float,
    items: Callable[[], Iterable[tuple[str, K]]],
    sleep: Callable[[float], Awaitable[object]],
) -> None:
    """Tell a handler of all that there is, from time to time, until it is removed."""
    while not registration.is_removed:
        await sleep(every)
        for key, kept in list(items()):
            registration.push(Change(key, kept, kept, resync=True))
