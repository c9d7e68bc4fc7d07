"""The queue between those who learn that something is to be done and those who do it."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Hashable
from contextlib import suppress
from types import TracebackType
from typing import Final, Generic, TypeVar

from kubewright.workqueue.clock import Clock, LoopClock, Timer
from kubewright.workqueue.delays import Delays
from kubewright.workqueue.metrics import QueueMetrics
from kubewright.workqueue.rate_limiters import RateLimiter, default_rate_limiter
from kubewright.workqueue.ready import ReadyKeys

__all__ = ["ShutDown", "WorkQueue"]

K = TypeVar("K", bound=Hashable)


class ShutDown(Exception):
    """The queue is shut down and has nothing left to hand out: the worker that asked is to end."""


class WorkQueue(Generic[K]):
    """Hands out keys to workers, each key to one worker at a time, and once however often it was added.

        queue = WorkQueue[str](name="pods")
        queue.add("default/web-0")

        async def worker() -> None:
            with suppress(ShutDown):
                while True:
                    async with queue.take() as key:
                        ...

    What it guarantees:

    - No key is with two workers. One that is added while it is worked on is handed out again after that.
    - No key is lost: each one that was added is handed out afterwards, unless the queue is shut down first. A
      worker that is cancelled while it waits takes no key with it; a key leaves the queue only in the step in
      which the worker gets it.
    - Higher priorities first. They can starve lower ones: while there is a key of a higher priority, no lower
      one is handed out. Adding a key again can raise its priority, and never lowers it.
    - Within a priority, in the order of adding. A key that is added while worked on counts as added when that
      work is done; one with a delay, when its time has come; one whose priority is raised, when it was
      raised.
    - What is handed out is decided when a worker runs, not when it is woken: what is added in one step of the
      event loop comes in the order of its priorities, each key once.
    - Workers that wait are served in the order in which they began to. One that comes later gets a key only
      when there are enough for all who wait.

    What it does not do: `take()` does not yield to the event loop while there are keys, so work that awaits
    nothing should `await asyncio.sleep(0)` now and then. A queue belongs to one event loop and is not
    thread-safe: from other threads, use `loop.call_soon_threadsafe(queue.add, key)`. A key whose work failed
    is not added again by itself.

    `len(queue)` is the number of keys that could be handed out now, and `key in queue` says whether the key
    is one of them; neither counts keys that are delayed or worked on. All methods but `take`, `get` and
    `drain` return at once, in constant time (delays: O(log n)).
    """

    def __init__(
        self,
        *,
        name: str = "",
        rate_limiter: RateLimiter[K] | None = None,
        clock: Clock | None = None,
        metrics: QueueMetrics | None = None,
    ) -> None:
        """Make an empty queue; this needs no running event loop.

        `name` is for metrics and messages. `rate_limiter` is `default_rate_limiter()` and `clock` is
        `LoopClock()` unless they are given. Without `metrics` nothing is measured.
        """
        self.name: Final = name
        self._clock: Final[Clock] = LoopClock() if clock is None else clock
        self._limiter: Final[RateLimiter[K]] = (
            default_rate_limiter(clock=self._clock) if rate_limiter is None else rate_limiter
        )
        self._metrics: Final = metrics
        if metrics is not None:
            metrics.attach(name, self._clock)
        self._queued: Final[ReadyKeys[K]] = ReadyKeys()
        self._ready: Final = self._queued.priority_of
        """The keys of `_queued`: looked at so often that a call each time would be felt."""
        self._processing: Final[dict[K, int]] = {}
        """The keys that are worked on, with the priorities that they had when they were handed out."""
        self._by_get: Final[set[K]] = set()
        """Those of them that were handed out by `get`."""
        self._dirty: Final[dict[K, int]] = {}
        """Those of them that were added meanwhile, with their priorities."""
        self._delays: Final[Delays[K]] = Delays()
        self._timer: Timer | None = None
        self._timer_at = math.inf
        self._waiters: Final[deque[asyncio.Future[None]]] = deque()
        """Workers for which there is no key yet."""
        self._woken = 0
        """Workers that were woken and did not run since; so many of the ready keys are spoken for.

        While anybody is in `_waiters`, all are: len(_ready) <= _woken.
        """
        self._shutting_down = False
        self._drains: Final[set[asyncio.Future[None]]] = set()

    def __len__(self) -> int:
        return len(self._ready)

    def __bool__(self) -> bool:
        """Always true: `queue or other` is not to depend on whether there is work."""
        return True

    def __contains__(self, key: object) -> bool:
        return key in self._ready

    def __repr__(self) -> str:
        state = ", shutting down" if self._shutting_down else ""
        return (
            f"<WorkQueue {self.name!r}: {len(self._ready)} ready, {len(self._processing)} worked on, "
            f"{len(self._delays)} delayed{state}>"
        )

    @property
    def shutting_down(self) -> bool:
        """Whether the queue takes no more keys."""
        return self._shutting_down

    @property
    def is_idle(self) -> bool:
        """Whether no key is ready, worked on, or delayed until now."""
        if self._ready or self._processing:
            return False
        first = self._delays.first()
        return first is None or first > self._clock.time()

    def depths(self) -> dict[int, int]:
        """How many keys wait, by priority, those that were added while worked on included."""
        depths = self._queued.depths()
        for priority in self._dirty.values():
            depths[priority] = depths.get(priority, 0) + 1
        return depths

    def add(self, key: K, *, priority: int = 0) -> None:
        """Have the key worked on. One that waits for that already stays once; a higher priority counts.

        Ignored once the queue is shut down.
        """
        if self._shutting_down:
            return
        if key in self._processing:
            self._add_dirty(key, priority)
        elif self._queued.push(key, priority):
            if self._metrics is not None:
                self._metrics.added(key)
            if self._waiters:
                self._wake_one()

    def add_after(self, key: K, seconds: float, *, priority: int = 0) -> None:
        """Add the key when so many seconds have passed; at once when they are 0 or less.

        Of several delays of a key the one that ends first counts, with the highest of their priorities. A
        delay goes on when the key is added, handed out or done meanwhile. Delays that go on when the queue is
        shut down are dropped. Raises ValueError when `seconds` is infinite or no number.
        """
        if not seconds < math.inf:
            raise ValueError(f"a key can be added after a finite number of seconds, not after {seconds}")
        if self._shutting_down:
            return
        if self._metrics is not None:
            self._metrics.retried()
        if seconds <= 0:
            self.add(key, priority=priority)
            return
        self._delays.add(key, self._clock.time() + seconds, priority)
        self._set_timer()

    def expedite(self, key: K) -> bool:
        """Add a key now that is delayed, in place of when its time comes; whether it was."""
        priority = self._delays.discard(key)
        if priority is None:
            return False
        self.add(key, priority=priority)
        return True

    def add_rate_limited(self, key: K, *, priority: int = 0) -> float | None:
        """Add the key when the rate limiter lets it: for what failed and is to be retried.

        Counts as a failure of the key. Returns in how many seconds it is added. When the queue is shut down
        nothing is done, and None returned.
        """
        if self._shutting_down:
            return None
        seconds = self._limiter.when(key)
        self.add_after(key, seconds, priority=priority)
        return seconds

    def forget(self, key: K) -> None:
        """Have the rate limiter forget the failures of the key, after success or when it is given up."""
        self._limiter.forget(key)

    def retries(self, key: K) -> int:
        """How often the key was added rate-limited since it was last forgotten."""
        return self._limiter.retries(key)

    def priority_of(self, key: K) -> int:
        """The priority with which a key was handed out that is worked on now, for when it is to be retried.

        Raises ValueError for other keys.
        """
        priority = self._processing.get(key)
        if priority is None:
            raise ValueError(f"priority_of({key!r}) is for a key that is being worked on")
        return priority

    def take(self) -> _Take[K]:
        """A key for the time of a block: `async with queue.take() as key: ...`.

        Waits until there is one. However the block ends, the key is done then. Raises ShutDown on entering
        when the queue is shut down and has no key left.
        """
        return _Take(self)

    async def get(self) -> K:
        """Wait for a key, as `take` does, where a block has no place; whoever gets it must call `done`.

        Await it directly: when it runs as a task of its own that is then abandoned, nobody calls `done`.
        """
        if len(self._ready) <= self._woken:
            await self._wait()
        key = self._hand_out()
        self._by_get.add(key)
        return key

    def done(self, key: K) -> None:
        """End the work on a key from `get`; raises ValueError for other keys, and the second time."""
        if key not in self._by_get:
            how = "take() calls done itself" if key in self._processing else "it is not being worked on"
            raise ValueError(f"done({key!r}) is for a key from get(), once: {how}")
        self._by_get.remove(key)
        self._finish(key)

    def shut_down(self) -> None:
        """Take no more keys, drop the delays, and end the workers.

        Keys that are ready are still handed out; then, workers get ShutDown. Calls of `drain` that wait
        return.
        """
        self._close()
        for drain in self._drains:
            if not drain.done():
                drain.set_result(None)

    async def drain(self) -> None:
        """Shut down, and wait until all keys that were ready or worked on are done.

        This takes workers that go on until they get ShutDown; when there are none, it waits for `shut_down`.
        A key that was added while worked on is handed out once more.
        """
        self._close()
        if not self._ready and not self._processing:
            return
        drained = asyncio.get_running_loop().create_future()
        self._drains.add(drained)
        try:
            await drained
        finally:
            self._drains.discard(drained)

    def _add_dirty(self, key: K, priority: int) -> None:
        present = self._dirty.get(key)
        if present is None and self._metrics is not None:
            self._metrics.added(key)
        if present is None or priority > present:
            self._dirty[key] = priority

    def _hand_out(self) -> K:
        queued = self._queued
        key = queued.pop()
        self._processing[key] = queued.popped_priority
        if self._metrics is not None:
            self._metrics.taken(key)
        return key

    def _finish(self, key: K) -> None:
        del self._processing[key]
        if self._metrics is not None:
            self._metrics.done(key)
        if key in self._dirty:
            self._queued.push(key, self._dirty.pop(key))
            if self._waiters:
                self._wake_one()
        elif self._drains and not self._ready and not self._processing:
            self.shut_down()

    async def _wait(self) -> None:
        """Return when there is a key for the caller, who then takes it before anything else runs."""
        loop = asyncio.get_running_loop()
        if self._shutting_down:
            if not self._ready:
                raise ShutDown(f"the queue {self.name!r} is shut down")
            # All keys are spoken for, so this one ends too, unless one of those who were woken is cancelled.
            loop.call_soon(self._wake_one)
        elif not self._ready:
            self._queued.release()
        waiter = loop.create_future()
        self._waiters.append(waiter)
        try:
            await waiter
        except BaseException:
            if waiter.done() and not waiter.cancelled():
                # Cancelled after it was woken: the key is still there, and is for the next one.
                self._woken -= 1
                self._wake_one()
            else:
                with suppress(ValueError):
                    self._waiters.remove(waiter)
            raise
        self._woken -= 1
        if not self._ready:
            raise ShutDown(f"the queue {self.name!r} is shut down")

    def _wake_one(self) -> None:
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                self._woken += 1
                return

    def _close(self) -> None:
        if self._shutting_down:
            return
        self._shutting_down = True
        self._delays.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        # They see for themselves what is left when they run: one that was woken before may yet be cancelled.
        while self._waiters:
            self._wake_one()

    def _set_timer(self) -> None:
        first = self._delays.first()
        if first is None or (self._timer is not None and self._timer_at <= first):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = first
        self._timer = self._clock.call_at(first, self._add_due)

    def _add_due(self) -> None:
        self._timer = None
        for key, priority in self._delays.pop_due(self._clock.time()):
            self.add(key, priority=priority)
        self._set_timer()


class _Take(Generic[K]):
    """`WorkQueue.take()`: a class, since a generator with a decorator takes several times as long."""

    __slots__ = ("_key", "_queue")

    _key: K

    def __init__(self, queue: WorkQueue[K]) -> None:
        self._queue: Final = queue

    async def __aenter__(self) -> K:
        queue = self._queue
        if len(queue._ready) <= queue._woken:
            await queue._wait()
        key = self._key = queue._hand_out()
        return key

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._queue._finish(self._key)
