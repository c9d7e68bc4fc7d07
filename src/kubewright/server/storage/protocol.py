"""What a store of the server does, and the values and errors it speaks in.

KubewrightError
└── StorageError
    ├── KeyExists           create: the key is taken
    ├── KeyMissing          update, delete: there is no such key
    ├── RevisionMismatch    update, delete: the key has changed since; carries what it is now
    ├── Compacted           get, list, watch: the history of that revision is gone
    ├── FutureRevision      get, list, watch, compact: the store has not come to that revision yet
    ├── SlowWatcher         a watch that fell too far behind; it can be resumed from its `progress`
    ├── StorageClosed       the store was closed
    ├── StorageUnusable     open: the data dir is in use, or foreign
    │   └── StorageDamaged  open: acknowledged writes may be lost
    └── WriteFailed         the disk did not take the write
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Literal, Protocol, Self, TypeAlias

from msgspec import Struct

from kubewright.machinery.errors import KubewrightError

__all__ = [
    "Compacted",
    "Entry",
    "Event",
    "EventType",
    "FutureRevision",
    "KeyExists",
    "KeyMissing",
    "Page",
    "RevisionMismatch",
    "SlowWatcher",
    "Storage",
    "StorageClosed",
    "StorageDamaged",
    "StorageError",
    "StorageUnusable",
    "Value",
    "Watch",
    "WriteFailed",
]

EventType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED"]


# gc=False: these can be part of no cycle, and stores hold millions of them.
class Value(Struct, frozen=True, gc=False):
    """A value to be written, in two halves: the store puts the revision of the write, in digits, between."""

    before: bytes
    after: bytes


class Entry(Struct, frozen=True, gc=False):
    """A key as it was at a revision: `revision` wrote this value, `create_revision` made the key."""

    key: str
    value: bytes
    revision: int
    create_revision: int


class Event(Struct, frozen=True, weakref=True):
    """One write, as watchers see it; all watchers share it, and `revision` identifies it.

    `value` is what was written, which for DELETED is the last state with the revision of the deletion in it.
    `previous` is the value before, None for ADDED.
    """

    type: EventType
    key: str
    value: bytes
    previous: bytes | None
    revision: int


class Page(Struct, frozen=True):
    """A part of a list, in the order of the keys, as the store was at `revision`.

    When there is more, `next` is where the next page starts and `remaining` counts what is left; the next
    page is consistent with this one when it is asked for at the same revision.
    """

    entries: list[Entry]
    revision: int
    next: str | None
    remaining: int


class StorageError(KubewrightError):
    """The root of what a store raises."""


class KeyExists(StorageError):
    """The key to be created is taken, by `current`."""

    def __init__(self, current: Entry) -> None:
        super().__init__(f"the key {current.key!r} exists, since revision {current.create_revision}")
        self.current = current


class KeyMissing(StorageError):
    """The key to be changed does not exist."""

    def __init__(self, key: str) -> None:
        super().__init__(f"there is no key {key!r}")
        self.key = key


class RevisionMismatch(StorageError):
    """The key is not at the expected revision any more; `current` is what it is now."""

    def __init__(self, current: Entry, expected: int) -> None:
        super().__init__(
            f"the key {current.key!r} was expected at revision {expected}, but it is at {current.revision}"
        )
        self.current = current
        self.expected = expected


class Compacted(StorageError):
    """The history of `revision` is gone; `compact_revision` is the oldest that can still be read."""

    def __init__(self, revision: int, compact_revision: int) -> None:
        super().__init__(f"revision {revision} is compacted: the oldest left is {compact_revision}")
        self.revision = revision
        self.compact_revision = compact_revision


class FutureRevision(StorageError):
    """The store has not come to `revision` yet; it is at `current`."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__(f"revision {revision} is in the future: the store is at {current}")
        self.revision = revision
        self.current = current


class SlowWatcher(StorageError):
    """The watch was ended because more events waited for it than may; what waited was not handed out."""


class StorageClosed(StorageError):
    """The store was closed."""

    def __init__(self) -> None:
        super().__init__("the store is closed")


class StorageUnusable(StorageError):
    """The data dir cannot be opened: another process has it, or what is in it is foreign or damaged."""


class StorageDamaged(StorageUnusable):
    """Files of the data dir were changed, cut or removed, so that acknowledged writes may be lost."""


class WriteFailed(StorageError):
    """The disk did not take the write."""


class Watch(Protocol):
    """The events of a watch, as an async iterator of lists; one task at a time may wait for them.

    The lists are not empty, but for the one that answers a `nudge`.

    Cancelling a wait, for instance by a timeout, loses nothing: the next one gets what came meanwhile. A
    watch ends when it is closed, when its `with` block is left, or when nobody refers to it any more.
    """

    @property
    def progress(self) -> int:
        """Every event up to this revision that matches has been handed out: the revision for bookmarks."""
        ...

    def close(self) -> None:
        """End the watch: the iteration stops, events that wait are dropped. May be called again."""
        ...

    def take(self) -> Sequence[Event]:
        """The events that wait, at once; none when there are none, or when the watch is closed.

        For those who need to know what was written when they are asked, and have no task that waits. Raises
        SlowWatcher and StorageClosed.
        """
        ...

    def nudge(self) -> None:
        """Have whoever waits for events, or waits next, go on with an empty list if there are none.

        For those who have something else to do from time to time: it is cheaper than a timeout at every wait.
        """
        ...

    def __aiter__(self) -> Self: ...

    async def __anext__(self) -> Sequence[Event]: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Storage(Protocol):
    """Keys and values under one global revision, which each write increments by one.

    A store belongs to one event loop. Reads are plain functions: they never block, and see every write that
    was acknowledged and none that was not. Writes are in one order, that of their revisions, and each one's
    check is made at its place in that order. A write whose task is cancelled may or may not happen.
    """

    @property
    def revision(self) -> int:
        """The revision of the last write; 1 in a store that was never written to, since clients take 0 for
        "any revision"."""
        ...

    @property
    def compact_revision(self) -> int:
        """The oldest revision that can be read; 0 when nothing was compacted yet."""
        ...

    @property
    def history_bytes(self) -> int:
        """The size of the values that only history refers to: what compaction could free."""
        ...

    async def create(self, key: str, value: Value) -> Entry:
        """Write a new key. Raises KeyExists."""
        ...

    async def update(self, key: str, value: Value, *, expected_revision: int) -> Entry:
        """Overwrite a key that is at the expected revision. Raises KeyMissing, RevisionMismatch."""
        ...

    async def delete(self, key: str, value: Value, *, expected_revision: int) -> Entry:
        """Delete a key that is at the expected revision, and return its last state, `value`.

        Raises KeyMissing, RevisionMismatch.
        """
        ...

    def get(self, key: str, *, revision: int | None = None) -> Entry | None:
        """The key as it is, or was at a revision. Raises Compacted, FutureRevision."""
        ...

    def list(
        self, prefix: str, *, revision: int | None = None, limit: int | None = None, start: str | None = None
    ) -> Page:
        """The keys with a prefix, from `start` on, as they are or were at a revision.

        Raises Compacted and FutureRevision, and ValueError for a limit that is not positive.
        """
        ...

    def watch(self, prefix: str, *, after_revision: int) -> Watch:
        """Every write to keys with a prefix after a revision, in order, each exactly once.

        Raises Compacted and FutureRevision at once. The iteration raises SlowWatcher, and StorageClosed.
        """
        ...

    async def compact(self, revision: int) -> None:
        """Forget the history before a revision: of writes up to it, only what was live then stays.

        Does nothing when that was done before. Raises FutureRevision.
        """
        ...

    async def close(self) -> None:
        """End all watches and let go of the files, after the writes under way. May be called again."""
        ...
