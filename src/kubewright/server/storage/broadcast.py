"""Watchers: who waits for which events, and the queues between them and the writers.

A write hands its event to the queues of the watchers it concerns and goes on: it never waits for one of them.
The events themselves are shared; a queue holds references. To find the watchers of a key, prefixes are filed
under their part up to the last slash, so that a write looks up as many strings as its key has slashes however
many watchers there are.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from types import TracebackType
from typing import Final, Self

from kubewright.server.storage.protocol import Event, SlowWatcher, StorageClosed, StorageError

__all__ = ["MAX_WAITING", "MAX_WAITING_BYTES", "Broadcast", "Watcher"]

MAX_WAITING: Final = 10_000
"""How many events may wait for a watcher. kube-apiserver lets 10 to 1,000 wait and then some milliseconds
pass; here events that wait are shared by all for whom they wait, so that a watcher survives a burst of writes
which an event loop serves before it comes to sending."""


MAX_WAITING_BYTES: Final = 64 * 1024 * 1024
"""How much of large objects may wait for a watcher: events are shared, but a watcher that does not read keeps
those alive which the store has forgotten. Forty objects of the largest size that is stored."""

_LARGE: Final = 4096
"""From this size on, events are counted in bytes, too; of smaller ones MAX_WAITING are 40 MB."""


class _Queue:
    """What waits for one watcher. The broadcast refers to it, not to the watcher, which may thus vanish."""

    __slots__ = ("allowed", "ended", "events", "large", "nudged", "prefix", "waiter")

    def __init__(self, prefix: str, backlog: list[Event], max_waiting: int) -> None:
        self.prefix = prefix
        self.events = backlog
        # The backlog was asked for, so it is not held against the watcher.
        self.allowed = max_waiting + len(backlog)
        self.large = 0
        """The bytes of the large objects among the events."""
        self.ended: StorageError | bool = False
        self.nudged = False
        self.waiter: asyncio.Future[None] | None = None

    def wake(self) -> None:
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    def end(self, reason: StorageError | bool) -> None:
        if self.ended is False:
            self.ended = reason
            self.events = []
            self.large = 0
            self.wake()


class Watcher:
    """A watch of one prefix; see `Watch` for what it promises."""

    __slots__ = ("__weakref__", "_broadcast", "_handed_out", "_queue")

    def __init__(self, broadcast: Broadcast, queue: _Queue, after_revision: int) -> None:
        self._broadcast = broadcast
        self._queue = queue
        self._handed_out = after_revision

    @property
    def progress(self) -> int:
        """Every event up to this revision that matches has been handed out."""
        queue = self._queue
        if not queue.events and queue.ended is False:
            self._handed_out = self._broadcast.revision
        return self._handed_out

    def close(self) -> None:
        """End the watch: the iteration stops, events that wait are dropped. May be called again."""
        self._queue.end(True)
        self._broadcast.departed.append(self._queue)

    def take(self) -> list[Event]:
        """The events that wait, at once. Raises SlowWatcher, StorageClosed."""
        queue = self._queue
        if isinstance(queue.ended, StorageError):
            raise queue.ended
        events = queue.events
        if events:
            queue.events = []
            queue.large = 0
            queue.allowed = self._broadcast.max_waiting
            self._handed_out = events[-1].revision
        return events

    def nudge(self) -> None:
        """Have whoever waits, or waits next, go on with an empty list."""
        self._queue.nudged = True
        self._queue.wake()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> list[Event]:
        queue = self._queue
        # A loop, because another task may take the events between our waking and our running.
        while not queue.events and queue.ended is False:
            if queue.nudged:
                queue.nudged = False
                return []
            if queue.waiter is not None:
                raise RuntimeError("two tasks wait for the events of one watch; let each have its own")
            queue.waiter = asyncio.get_running_loop().create_future()
            try:
                await queue.waiter
            finally:
                queue.waiter = None
        if queue.ended is True:
            raise StopAsyncIteration
        if queue.ended is not False:
            raise queue.ended
        queue.nudged = False
        events, queue.events = queue.events, []
        queue.large = 0
        queue.allowed = self._broadcast.max_waiting
        self._handed_out = events[-1].revision
        return events

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # A task that is cancelled in the body of its `async for` drops the watcher without a word. The
        # garbage collector may call this in any thread and amid any write, so it does no more than this.
        self._broadcast.departed.append(self._queue)


class Broadcast:
    """Hands the events of writes to the watchers they concern. `len` counts the watchers."""

    __slots__ = ("_anchors", "_count", "departed", "max_waiting", "revision")

    def __init__(self, revision: int, *, max_waiting: int = MAX_WAITING) -> None:
        self.revision = revision
        self.max_waiting = max_waiting
        self.departed: deque[_Queue] = deque()
        self._count = 0
        # By the part of the prefix up to its last slash, then by the prefix; dicts are ordered sets here.
        self._anchors: dict[str, dict[str, dict[_Queue, None]]] = {}

    def __len__(self) -> int:
        self._sweep()
        return self._count

    def join(self, prefix: str, backlog: list[Event], after_revision: int) -> Watcher:
        """A watcher that gets the backlog first, then all events of keys with the prefix."""
        self._sweep()
        queue = _Queue(prefix, backlog, self.max_waiting)
        self._anchors.setdefault(_anchor(prefix), {}).setdefault(prefix, {})[queue] = None
        self._count += 1
        return Watcher(self, queue, after_revision)

    def publish(self, event: Event) -> None:
        """Hand an event to its watchers, and end those for whom too many wait. Never waits itself."""
        self.revision = event.revision
        if self.departed:
            self._sweep()
        if not self._anchors:
            return
        key = event.key
        slow: list[_Queue] = []
        end = 0  # the empty anchor first, then each part of the key that ends in a slash
        while True:
            groups = self._anchors.get(key[:end])
            if groups is not None:
                for prefix, group in groups.items():
                    if key.startswith(prefix):
                        slow += _offer(event, group)
            end = key.find("/", end) + 1
            if not end:
                break
        for queue in slow:
            self._leave(queue)
            queue.end(_slow(queue, self.max_waiting))

    def close(self) -> None:
        """End all watches with StorageClosed."""
        queues = [queue for groups in self._anchors.values() for group in groups.values() for queue in group]
        self._anchors.clear()
        self._count = 0
        for queue in queues:
            queue.end(StorageClosed())

    def _sweep(self) -> None:
        while self.departed:
            self._leave(self.departed.popleft())

    def _leave(self, queue: _Queue) -> None:
        """Forget a watcher's queue, if it is still there."""
        anchor = _anchor(queue.prefix)
        groups = self._anchors.get(anchor, {})
        group = groups.get(queue.prefix, {})
        if queue not in group:
            return
        del group[queue]
        self._count -= 1
        if not group:
            del groups[queue.prefix]
            if not groups:
                del self._anchors[anchor]


def _anchor(prefix: str) -> str:
    return prefix[: prefix.rfind("/") + 1]


def _offer(event: Event, group: Iterable[_Queue]) -> list[_Queue]:
    """Queue an event; returns the queues that had no room."""
    slow = []
    size = len(event.value)
    for queue in group:
        events = queue.events
        if len(events) >= queue.allowed or queue.large > MAX_WAITING_BYTES:
            slow.append(queue)
            continue
        if size > _LARGE:
            queue.large += size
        events.append(event)
        if queue.waiter is not None:
            queue.wake()
    return slow


def _slow(queue: _Queue, max_waiting: int) -> SlowWatcher:
    return SlowWatcher(
        f"the watch of {queue.prefix!r} was ended: more than {max_waiting:,} events waited for it, or "
        f"{MAX_WAITING_BYTES >> 20} MiB of large ones; "
        "watch again from the last revision that was handed out"
    )
