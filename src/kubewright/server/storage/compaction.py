"""When history is forgotten."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Final

from kubewright.server.storage.protocol import Storage

__all__ = ["INTERVAL", "KEEP_FOR", "MAX_HISTORY_BYTES", "Compactor"]

INTERVAL: Final = 60.0
"""The seconds between two looks at the clock; a fifth of KEEP_FOR, so that history is kept a fifth longer
than asked at the most."""

KEEP_FOR: Final = 300.0
"""The seconds for which history is kept: kube-apiserver's --etcd-compaction-interval, 5 minutes."""

MAX_HISTORY_BYTES: Final = 128 * 1024 * 1024
"""Where history is cut short of its time, because it is in memory: a loop that writes 2 kB objects as fast
as it can would fill some GB in 5 minutes. Clients then list anew, as they do after any compaction."""


class Compactor:
    """Compacts a store so that every revision can be read for `keep_for` seconds after it was the last one.

    Call `tick` every INTERVAL seconds or so; it alone decides what is due, by the clock.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        interval: float = INTERVAL,
        keep_for: float = KEEP_FOR,
        max_history_bytes: int = MAX_HISTORY_BYTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._storage = storage
        self._interval = interval
        self._keep_for = keep_for
        self._max_history_bytes = max_history_bytes
        self._clock = clock
        # (time, revision of the store then), oldest first, one per interval.
        self._marks: deque[tuple[float, int]] = deque()

    async def tick(self) -> None:
        """Remember where the store is, and compact what is due. Raises what `Storage.compact` raises."""
        now = self._clock()
        marks = self._marks
        if not marks or now - marks[-1][0] >= self._interval:
            marks.append((now, self._storage.revision))
        due = 0
        while marks and now - marks[0][0] >= self._keep_for:
            due = marks.popleft()[1]
        if due:
            await self._storage.compact(due)
        while marks and self._storage.history_bytes > self._max_history_bytes:
            await self._storage.compact(marks.popleft()[1])
