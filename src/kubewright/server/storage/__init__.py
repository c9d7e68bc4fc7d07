"""What the server remembers: keys, values and one global revision, with the semantics of etcd.

It exists because everything that Kubernetes promises about resourceVersion (optimistic concurrency,
consistent lists, watches that miss nothing, 410 for what is too old) is a promise of the store. It knows
nothing of objects: keys are strings, values are bytes.

    storage = MemoryStorage()                          # gone with the process
    storage = await SQLiteStorage.open("data-dir")     # every acknowledged write is on disk
    entry = await storage.create("/registry/pods/default/web-0", Value(b'{"resourceVersion":"', b'"}'))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubewright.server.storage.compaction import Compactor
from kubewright.server.storage.memory import MemoryStorage
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
    SlowWatcher,
    Storage,
    StorageClosed,
    StorageDamaged,
    StorageError,
    StorageUnusable,
    Value,
    Watch,
    WriteFailed,
)

if TYPE_CHECKING:
    from kubewright.server.storage.sqlite import SQLiteStorage

__all__ = [
    "Compacted",
    "Compactor",
    "Entry",
    "Event",
    "EventType",
    "FutureRevision",
    "KeyExists",
    "KeyMissing",
    "MemoryStorage",
    "Page",
    "RevisionMismatch",
    "SQLiteStorage",
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


def __getattr__(name: str) -> object:
    # Most servers keep everything in memory, and start sooner without SQLite.
    if name != "SQLiteStorage":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kubewright.server.storage.sqlite import SQLiteStorage  # noqa: PLC0415 - see above

    return SQLiteStorage
