"""The one place where the semantics are: what keys are, what they were, and what a write does to them.

There is no I/O and no waiting here, and both stores run on it, so they cannot differ. It keeps the current
entries in a dict, their keys sorted, the superseded entries of each key in a list, and every entry since the
last compaction in one list, in which a revision is an index. What is superseded is hardly ever read again,
and is kept compressed.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import Final, TypeAlias
from weakref import WeakValueDictionary

from msgspec import Struct

from kubewright.server.storage.keys import SortedKeys, end_of_prefix
from kubewright.server.storage.protocol import (
    Compacted,
    Entry,
    Event,
    EventType,
    FutureRevision,
    KeyExists,
    KeyMissing,
    Page,
    RevisionMismatch,
    Value,
)

__all__ = ["FIRST_REVISION", "History", "Tombstone", "planned"]

FIRST_REVISION: Final = 1
"""The revision of an empty store, as in etcd; 0 would be taken for "any revision" by clients."""

_revision_of: Final = attrgetter("revision")

_WORTH_PACKING: Final = range(512, 256 * 1024)
"""The sizes of values that are compressed. Smaller ones do not become much smaller; compressing larger ones,
which are few, takes so long that others would notice."""


class Tombstone(Entry, frozen=True, gc=False):
    """The deletion of a key; the value is its last state."""


class _Packed(Struct, frozen=True, gc=False):
    """An entry that was superseded, or a tombstone, whose value is compressed; JSON to two fifths."""

    key: str
    packed: bytes
    size: int
    """Of the value."""
    revision: int
    create_revision: int
    deleted: bool

    def unpacked(self) -> Entry:
        """The entry as it was."""
        made = Tombstone if self.deleted else Entry
        return made(self.key, zlib.decompress(self.packed), self.revision, self.create_revision)


_Past: TypeAlias = Entry | _Packed


def _packed(entry: Entry) -> _Past:
    """An entry as it is kept when it is no longer the current one."""
    value = entry.value
    if len(value) not in _WORTH_PACKING:
        return entry
    # Level 1: the others take longer and make hardly anything smaller.
    packed = zlib.compress(value, 1)
    deleted = type(entry) is Tombstone
    return _Packed(entry.key, packed, len(value), entry.revision, entry.create_revision, deleted)


def _unpacked(kept: _Past) -> Entry:
    return kept.unpacked() if isinstance(kept, _Packed) else kept


def _is_deletion(kept: _Past) -> bool:
    return kept.deleted if isinstance(kept, _Packed) else type(kept) is Tombstone


def _size(kept: _Past) -> int:
    return kept.size if isinstance(kept, _Packed) else len(kept.value)


def planned(
    kind: EventType, key: str, value: Value, expected: int, current: Entry | None, revision: int
) -> Entry:
    """The entry that a write makes of `current` if it gets this revision.

    Raises KeyExists, KeyMissing and RevisionMismatch when the write must not happen, and ValueError for a key
    that no store could keep. `expected` means nothing to ADDED.
    """
    if kind == "ADDED":
        if current is not None:
            raise KeyExists(current)
        if not key.isascii():
            _check_encodable(key)
        return Entry(key, b"%b%d%b" % (value.before, revision, value.after), revision, revision)
    if current is None:
        raise KeyMissing(key)
    if current.revision != expected:
        raise RevisionMismatch(current, expected)
    written = b"%b%d%b" % (value.before, revision, value.after)
    made = Tombstone if kind == "DELETED" else Entry
    return made(key, written, revision, current.create_revision)


def _check_encodable(key: str) -> None:
    try:
        key.encode()
    except UnicodeEncodeError:
        raise ValueError(f"the key {key!r} has a character that UTF-8 cannot encode") from None


class History:
    """The keys of a store at every revision since the last compaction."""

    __slots__ = (
        "_current",
        "_graves",
        "_keys",
        "_log",
        "_past",
        "_told",
        "bytes",
        "compact_revision",
        "revision",
    )

    def __init__(self) -> None:
        self.revision = FIRST_REVISION
        self.compact_revision = 0
        self.bytes = 0
        self._current: dict[str, Entry] = {}
        self._keys = SortedKeys()
        # Superseded entries and tombstones by key, oldest first; and the keys that have nothing but these.
        self._past: dict[str, list[_Past]] = {}
        self._graves = SortedKeys()
        # What was written, in order; the same objects as above.
        self._log: list[_Past] = []
        # By revision, the events that were made of it once more, as long as anybody has them: a hundred
        # watchers who resume at the same place share them.
        self._told: WeakValueDictionary[int, Event] = WeakValueDictionary()

    def current(self, key: str) -> Entry | None:
        """The key as it is."""
        return self._current.get(key)

    def entries(self) -> list[Entry]:
        """All keys as they are, by revision."""
        return sorted(self._current.values(), key=_revision_of)

    def apply(self, entry: Entry) -> Event:
        """Make a planned write happen; its revision is the next one."""
        key = entry.key
        previous = self._current.get(key)
        written: _Past = entry
        if previous is None:
            event = Event("ADDED", key, entry.value, None, entry.revision)
            if key in self._past:
                self._graves.remove(key)
            self._keys.add(key)
            self._current[key] = entry
        else:
            past = self._supersede(previous)
            if type(entry) is Tombstone:
                event = Event("DELETED", key, entry.value, previous.value, entry.revision)
                written = _packed(entry)
                past.append(written)
                self.bytes += len(entry.value)
                del self._current[key]
                self._keys.remove(key)
                self._graves.add(key)
            else:
                event = Event("MODIFIED", key, entry.value, previous.value, entry.revision)
                self._current[key] = entry
        self.revision = entry.revision
        self._log.append(written)
        return event

    def _supersede(self, entry: Entry) -> list[_Past]:
        """Have a current entry among the past ones of its key, which are returned."""
        past = self._past.get(entry.key)
        if past is None:
            past = self._past[entry.key] = []
        kept = _packed(entry)
        past.append(kept)
        self.bytes += len(entry.value)
        at = entry.revision - self._log_start - 1
        if at >= 0:
            self._log[at] = kept
        return past

    def restore(self, entries: list[Entry], compact_revision: int) -> None:
        """Begin an empty history with what was live at its last compaction."""
        self.compact_revision = compact_revision
        self.revision = max(compact_revision, FIRST_REVISION)
        for entry in entries:
            self._current[entry.key] = entry
            self._keys.add(entry.key)

    def get(self, key: str, revision: int | None) -> Entry | None:
        """The key as it is, or was. Raises Compacted, FutureRevision."""
        if revision is None:
            return self._current.get(key)
        self._check(revision)
        return self._at(key, revision)

    def page(self, prefix: str, revision: int | None, limit: int | None, start: str | None) -> Page:
        """The page of the keys with a prefix. Raises Compacted, FutureRevision, ValueError."""
        if limit is not None and limit < 1:
            raise ValueError(f"the limit of a list must be positive, not {limit}")
        if revision is None:
            revision = self.revision
        else:
            self._check(revision)
        start = prefix if start is None or start < prefix else start
        end = end_of_prefix(prefix)
        if end is not None and start >= end:
            return Page([], revision, None, 0)
        keys = self._keys.between(start, end)
        if self._unchanged_since(revision, prefix, len(keys)):
            total = len(keys)
            entries = list(map(self._current.__getitem__, keys[:limit]))
        else:
            keys += self._graves.between(start, end)
            keys.sort()
            was = [kept for key in keys if (kept := self._kept_at(key, revision)) is not None]
            total = len(was)
            entries = [_unpacked(kept) for kept in was[:limit]]
        remaining = total - len(entries)
        # As in etcd's clients: a page that is asked for at a later revision misses no key that came between.
        following = entries[-1].key + "\0" if remaining else None
        return Page(entries, revision, following, remaining)

    def events_after(self, revision: int, prefix: str) -> list[Event]:
        """The events of the keys with a prefix after a revision. Raises Compacted, FutureRevision."""
        self._check(revision)
        return [self._event(each) for each in self._tail(revision) if each.key.startswith(prefix)]

    def compact(self, revision: int) -> None:
        """Forget what is before a revision that the store has come to."""
        done = revision - self._log_start
        if done <= 0:
            self.compact_revision = max(self.compact_revision, revision)
            return
        keys = {each.key for each in self._log[:done]}
        del self._log[:done]
        self.compact_revision = revision
        for key in keys:
            self._forget(key, revision)

    def _forget(self, key: str, revision: int) -> None:
        past = self._past.get(key)
        if past is None:
            return
        current = self._current.get(key)
        if current is not None and current.revision <= revision:
            dropped = len(past)
        else:
            # The last one up to the revision is what the key was then; no tombstone is needed to say so.
            dropped = bisect_right(past, revision, key=_revision_of) - 1
            if dropped >= 0 and _is_deletion(past[dropped]):
                dropped += 1
            dropped = max(dropped, 0)
        self.bytes -= sum(map(_size, past[:dropped]))
        del past[:dropped]
        if not past:
            del self._past[key]
            if current is None:
                self._graves.remove(key)

    @property
    def _log_start(self) -> int:
        """The revision after which the log begins."""
        return self.revision - len(self._log)

    def _tail(self, revision: int) -> list[_Past]:
        return self._log[max(revision - self._log_start, 0) :]

    def _event(self, written: _Past) -> Event:
        """What watchers were told of a write since the last compaction."""
        told = self._told.get(written.revision)
        if told is None:
            told = self._told[written.revision] = self._made_anew(_unpacked(written))
        return told

    def _made_anew(self, entry: Entry) -> Event:
        key, revision = entry.key, entry.revision
        deleted = type(entry) is Tombstone
        if revision == entry.create_revision and not deleted:
            return Event("ADDED", key, entry.value, None, revision)
        past = self._past[key]
        # What it was before stays as long as the write can be asked for: see `_forget`.
        before = past[bisect_left(past, revision, key=_revision_of) - 1]
        # Whoever has the event of that write, as those who go through the history do, has its value.
        told = self._told.get(before.revision)
        previous = told.value if told is not None else _unpacked(before).value
        return Event("DELETED" if deleted else "MODIFIED", key, entry.value, previous, revision)

    def _check(self, revision: int) -> None:
        if revision < self.compact_revision:
            raise Compacted(revision, self.compact_revision)
        if revision > self.revision:
            raise FutureRevision(revision, self.revision)

    def _unchanged_since(self, revision: int, prefix: str, worth: int) -> bool:
        """Whether the keys with a prefix are as they were; looks no further back than `worth` revisions."""
        if revision == self.revision:
            return True
        if self.revision - revision > worth:
            return False
        return not any(each.key.startswith(prefix) for each in self._tail(revision))

    def _at(self, key: str, revision: int) -> Entry | None:
        kept = self._kept_at(key, revision)
        return None if kept is None else _unpacked(kept)

    def _kept_at(self, key: str, revision: int) -> _Past | None:
        entry = self._current.get(key)
        if entry is not None and entry.revision <= revision:
            return entry
        past = self._past.get(key)
        if past is None:
            return None
        at = bisect_right(past, revision, key=_revision_of)
        found = past[at - 1] if at else None
        return None if found is None or _is_deletion(found) else found
