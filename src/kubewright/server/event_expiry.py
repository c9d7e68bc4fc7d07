"""Events are forgotten after a while, so that a server that runs for days does not fill up with them."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import decode_stored
from kubewright.server.storage import Entry, KeyMissing, RevisionMismatch, WriteFailed

__all__ = ["KEEP_FOR", "EventExpiry"]

KEEP_FOR: Final = 3600.0
"""The seconds for which an event is kept after its last write: kube-apiserver's --event-ttl, an hour."""

_INTERVAL: Final = 60.0
"""The seconds between two looks at the store, as exact as kube-apiserver is with the leases of etcd."""

_IN_A_ROW: Final = 100
"""Events after which others may run: a few milliseconds."""


class EventExpiry:
    """Deletes events that were not written for `keep_for` seconds; call `tick` every minute or so.

    What was written before this object was made counts as written then: with a data dir, the time in which
    no server runs is none.
    """

    def __init__(
        self, registry: Registry, *, keep_for: float = KEEP_FOR, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._registry: Final = registry
        self._keep_for: Final = keep_for
        self._clock: Final = clock
        # (time, revision of the store then), oldest first, one per interval.
        self._marks: Final[deque[tuple[float, int]]] = deque()

    async def tick(self) -> None:
        """Remember where the store is, and delete what is due; what the disk does not take is due again."""
        now, marks = self._clock(), self._marks
        store = self._registry.find("", "v1", "events")
        if store is None:
            return
        if not marks or now - marks[-1][0] >= _INTERVAL:
            marks.append((now, store.storage.revision))
        due = 0
        while marks and now - marks[0][0] >= self._keep_for:
            due = marks.popleft()[1]
        if due:
            with suppress(WriteFailed):
                await _expire(store, due)


async def _expire(store: Store, due: int) -> None:
    """Delete the events that were last written at a revision or before it."""
    start: str | None = None
    while True:
        page = store.storage.list(store.type.prefix, limit=_IN_A_ROW, start=start)
        for entry in page.entries:
            if entry.revision <= due:
                # Somebody may have written or deleted it just now.
                with suppress(KeyMissing, RevisionMismatch):
                    await _delete(store, entry)
        if page.next is None:
            return
        start = page.next
        await asyncio.sleep(0)


async def _delete(store: Store, entry: Entry) -> None:
    last = store.type.encode(decode_stored(entry.value))
    await store.storage.delete(entry.key, last, expected_revision=entry.revision)
