"""What the tests of storage share: both kinds of store, and small values."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from kubewright.server.storage import Event, MemoryStorage, SQLiteStorage, Value, Watch

KINDS = ("memory", "file")
PATIENCE = 60.0
"""Seconds that an event or an opening may take on a busy machine."""


async def opened(kind: str, directory: Path, *, max_waiting: int = 10_000) -> MemoryStorage:
    """A store of a kind; the one on file is the one that the directory holds, if it does."""
    if kind == "memory":
        return MemoryStorage(max_waiting=max_waiting)
    return await SQLiteStorage.open(directory / "data", max_waiting=max_waiting)


def value(content: object = "") -> Value:
    return Value(b'{"rv":', b',"content":"%b"}' % str(content).encode())


def stored(content: object, revision: int) -> bytes:
    return b'{"rv":%d,"content":"%b"}' % (revision, str(content).encode())


async def take(watch: Watch, count: int) -> list[Event]:
    """Exactly so many events, which must come."""
    events: list[Event] = []
    while len(events) < count:
        events += await asyncio.wait_for(anext(watch), PATIENCE)
    assert len(events) == count
    return events


async def is_silent(watch: Watch) -> bool:
    """Whether the watch has nothing to say, once everything that can run has run."""
    waiting = asyncio.ensure_future(_next(watch))
    for _ in range(5):
        await asyncio.sleep(0)
    silent = not waiting.done()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    return silent


async def _next(watch: Watch) -> Sequence[Event]:
    return await anext(watch)
