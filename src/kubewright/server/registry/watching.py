"""Watches: the events of a selection, after a revision or after all that is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Final, NamedTuple

from kubewright.server.errors import expired, too_large_resource_version
from kubewright.server.registry.listing import list_selected
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.registry.selection import Selection
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import decode_stored, encode_stored
from kubewright.server.storage import (
    Compacted,
    Event,
    EventType,
    SlowWatcher,
    Storage,
    StorageClosed,
)

__all__ = ["BOOKMARK_INTERVAL", "FRESHNESS_TIMEOUT", "Change", "Watching", "reached", "watch"]

FRESHNESS_TIMEOUT: Final = 3.0
"""Seconds that a read waits for a revision that is not there yet; upstream's watch cache waits as long."""

BOOKMARK_INTERVAL: Final = 60.0
"""Seconds between bookmarks of a quiet watch; upstream sends about one a minute."""


_FINISH: Final = 0.5
"""Seconds for the last events of a watch whose resource is served no more."""


class Change(NamedTuple):
    """One event of a watch. `event` is the store's, when it is shown as it is."""

    type: EventType
    value: bytes
    event: Event | None


class _Ticking:
    """Calls a function again and again."""

    def __init__(self, loop: asyncio.AbstractEventLoop, interval: float, call: Callable[[], None]) -> None:
        self._loop: Final = loop
        self._interval: Final = interval
        self._call: Final = call
        self._next = loop.call_later(interval, self._tick)

    def cancel(self) -> None:
        """No more calls."""
        self._next.cancel()

    def _tick(self) -> None:
        self._call()
        self._next = self._loop.call_later(self._interval, self._tick)


class Watching:
    """A watch that is under way: `initial` first, then `changes`."""

    def __init__(
        self,
        store: Store,
        selection: Selection,
        initial: list[bytes],
        after: int,
        *,
        silent_until: int = 0,
    ) -> None:
        self._silent_until: Final = silent_until
        self._key: Final = (
            store.key(selection.namespace, selection.name)
            if selection.name and (selection.namespace or not store.type.served.namespaced)
            else ""
        )
        self._narrow: Final = bool(self._key) or store.type.converts
        """Whether events have to be looked at one by one before they are shown."""
        self._matches: Final = selection.matches
        self._root: Final = self._key or store.root(selection.namespace)
        self._watch: Final = store.storage.watch(self._root, after_revision=after)
        self._type: Final = store.type
        store.watches.add(self)
        self.initial: Final = initial
        """What was there when the watch began, as stored values, in the version of the store."""
        self.start_revision: Final = after

    def take_initial(self) -> Iterator[bytes]:
        """Hand out what was there, and forget it, so that the watch does not keep old objects."""
        self.initial.reverse()
        while self.initial:
            yield self.initial.pop()

    @property
    def progress(self) -> int:
        """Every event up to this revision was handed out."""
        return self._watch.progress

    async def changes(
        self, *, deadline: float, tick: float = BOOKMARK_INTERVAL
    ) -> AsyncIterator[Sequence[Change]]:
        """The events that come, in order, in non-empty lists; an empty one when none came for a while.

        Ends at the deadline of the loop's clock, when the store is closed, and when this watch falls too far
        behind: its client resumes from where it was. Raises ApiError when an object cannot be converted.
        """
        loop = asyncio.get_running_loop()
        ending = loop.call_at(deadline, self._watch.close)
        ticking = _Ticking(loop, tick, self._watch.nudge)
        try:
            with self._watch as events:
                async for batch in events:
                    if batch:
                        if self._narrow or batch[0].revision <= self._silent_until:
                            batch = await self._shown(batch)  # noqa: PLW2901 - what is left of it
                        changes = self._selected(batch)
                        if changes:
                            yield changes
                    else:
                        yield ()
        except (SlowWatcher, StorageClosed):
            return
        finally:
            ending.cancel()
            ticking.cancel()

    def close(self) -> None:
        """End the watch."""
        self._watch.close()

    def finish(self) -> None:
        """End the watch soon, when what has happened so far is handed out."""
        asyncio.get_running_loop().call_later(_FINISH, self._watch.close)

    async def _shown(self, batch: Sequence[Event]) -> Sequence[Event]:
        """The events that this watch is about at all, in the version of the store."""
        if self._key:
            batch = [event for event in batch if event.key == self._key]
        if batch and batch[0].revision <= self._silent_until:
            batch = [event for event in batch if event.revision > self._silent_until]
        if not batch or not self._type.converts:
            return batch
        before = [event for event in batch if event.previous is not None and self._matches is not None]
        values = [event.value for event in batch] + [event.previous or b"" for event in before]
        converted = await self._type.convert(values)
        previous = dict(zip((event.revision for event in before), converted[len(batch) :], strict=True))
        return [
            Event(event.type, event.key, value, previous.get(event.revision), event.revision)
            for event, value in zip(batch, converted[: len(batch)], strict=True)
        ]

    def _selected(self, batch: Sequence[Event]) -> list[Change]:
        matches = self._matches
        if matches is None:
            return [Change(event.type, event.value, event) for event in batch]
        return [change for event in batch if (change := self._transition(event)) is not None]

    def _transition(self, event: Event) -> Change | None:
        """How an event looks to somebody who sees only what is selected."""
        matches = self._matches
        assert matches is not None  # noqa: S101 - only asked with a selector
        is_in = event.type != "DELETED" and matches(event.value)
        was_in = event.previous is not None and matches(event.previous)
        if is_in and was_in:
            return Change("MODIFIED", event.value, event if event.type == "MODIFIED" else None)
        if is_in:
            return Change("ADDED", event.value, event if event.type == "ADDED" else None)
        if not was_in:
            return None
        if event.type == "DELETED":
            return Change("DELETED", event.value, event)
        # Not selected any more: shown as it was when it last was, at the revision that took it out.
        assert event.previous is not None  # noqa: S101 - it was in
        last = decode_stored(event.previous)
        last["metadata"]["resourceVersion"] = str(event.revision)
        return Change("DELETED", encode_stored(last, with_type=self._type.stores_type), None)


async def reached(storage: Storage, revision: int, *, within: float = FRESHNESS_TIMEOUT) -> None:
    """Wait until the store has come to a revision. Raises Timeout when it does not."""
    if revision <= storage.revision:
        return
    with storage.watch(REGISTRY_ROOT, after_revision=storage.revision) as events:
        try:
            async with asyncio.timeout(within):
                while storage.revision < revision:
                    await anext(events)
        except (TimeoutError, StopAsyncIteration, SlowWatcher, StorageClosed):
            pass
    if revision > storage.revision:
        raise too_large_resource_version(revision, storage.revision)


async def watch(store: Store, selection: Selection, *, after_revision: int | None) -> Watching:
    """Begin a watch after a revision, or without one with all that is there.

    Raises Expired when the history is gone, and ApiError when what is there cannot be converted.
    """
    storage = store.storage
    try:
        if after_revision is not None:
            # A revision that is to come: nothing is seen until then.
            start = min(after_revision, storage.revision)
            return Watching(store, selection, [], start, silent_until=after_revision)
        listed = await list_selected(store, selection)
        return Watching(store, selection, listed.values, listed.revision)
    except Compacted:
        raise expired("The resourceVersion for the provided watch is too old.") from None
