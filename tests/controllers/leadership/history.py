"""What happened on a server, in the order of its revisions, and the oracles that find two leaders in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from kubewright.client.client import Client
from kubewright.models.coordination_v1 import Lease
from kubewright.models.core_v1 import ConfigMap
from tests.controllers.leadership.small_operator import LEASE

__all__ = ["Act", "Held", "History", "Written", "overlaps", "read_acts", "recorded", "stale_writes", "uneven"]


class Held(NamedTuple):
    """Who held the Lease from a revision on."""

    revision: int
    holder: str
    """Empty for nobody."""


class Written(NamedTuple):
    """A write of an object, and by which manager."""

    revision: int
    name: str
    writer: str
    data: dict[str, str]


class Act(NamedTuple):
    """A manager has found that it leads, at a moment between two."""

    identity: str
    before: float
    after: float


class History:
    """Revisions of the Lease and of the objects, as watches tell them."""

    def __init__(self) -> None:
        self.held: list[Held] = []
        self.taken: dict[str, float] = {}
        """When it was first seen that somebody holds the Lease, by the clock of the event loop."""
        self.written: list[Written] = []
        self.ended = 0
        self.changed = asyncio.Event()

    @property
    def holder(self) -> str:
        """Who holds the Lease, as far as it was told."""
        return self.held[-1].holder if self.held else ""

    @property
    def hand_overs(self) -> int:
        """How often another one became leader."""
        holders = [each.holder for each in self.held if each.holder]
        return sum(one != other for one, other in pairwise(holders))

    async def until(self, is_so: Any, *, within: float) -> None:
        """Wait until something is so, which a change brings about. Raises TimeoutError."""
        async with asyncio.timeout(within):
            while not is_so():
                self.changed.clear()
                await self.changed.wait()

    async def follow_lease(self, client: Client, namespace: str) -> None:
        """Note who holds the Lease, for ever."""
        async for event in client.api(Lease, namespace).watch():
            lease = event.object
            if lease.metadata.name != LEASE:
                self.ended += 1
            else:
                holder = lease.spec.holder_identity
                self.held.append(Held(int(lease.metadata.resource_version), holder))
                self.taken.setdefault(holder, asyncio.get_running_loop().time())
            self.changed.set()

    async def follow_objects(self, client: Client, namespace: str) -> None:
        """Note who writes objects, for ever."""
        async for event in client.api(ConfigMap, namespace).watch():
            found = event.object
            if found.metadata.name == "end":
                self.ended += 1
            elif "writer" in found.data and event.type != "DELETED":
                revision = int(found.metadata.resource_version)
                self.written.append(
                    Written(revision, found.metadata.name, found.data["writer"], dict(found.data))
                )
            self.changed.set()


@asynccontextmanager
async def recorded(client: Client, namespace: str) -> AsyncIterator[History]:
    """The history of a namespace; whole when the block has ended."""
    history = History()
    following = [
        asyncio.create_task(history.follow_lease(client, namespace)),
        asyncio.create_task(history.follow_objects(client, namespace)),
    ]
    try:
        yield history
        # Whoever has seen these has seen all that was before.
        await client.api(Lease, namespace).create({"metadata": {"name": "end"}})
        await client.api(ConfigMap, namespace).create({"metadata": {"name": "end"}})
        await history.until(lambda: history.ended == 2, within=20)
    finally:
        for task in following:
            task.cancel()
        await asyncio.gather(*following, return_exceptions=True)


def stale_writes(held: Iterable[Held], written: Iterable[Written]) -> list[str]:
    """The writes at revisions at which somebody else held the Lease than who wrote."""
    found: list[str] = []
    terms = sorted(held)
    writes = sorted(written)
    at = 0
    holder = ""
    for write in writes:
        while at < len(terms) and terms[at].revision < write.revision:
            holder = terms[at].holder
            at += 1
        if write.writer != holder:
            who = holder or "nobody"
            found.append(f"{write.writer} wrote {write.name} at {write.revision}, when {who} led")
    return found


def uneven(written: Iterable[Written]) -> list[str]:
    """The additions to counters that were not by 1: those that were done twice, or upon an older state."""
    found: list[str] = []
    last: dict[str, int] = {}
    for write in sorted(written):
        if "count" in write.data:
            number = int(write.data["count"])
            if number != last.get(write.name, 0) + 1:
                found.append(f"{write.writer} wrote {number} to {write.name} after {last.get(write.name, 0)}")
            last[write.name] = number
    return found


def read_acts(files: Iterable[Path]) -> list[Act]:
    """What operators have noted of themselves; a line that one is just writing is left out."""
    texts = [file.read_text().rpartition("\n")[0] for file in files if file.exists()]
    lines = [line.split() for text in texts for line in text.splitlines()]
    return [Act(identity, float(before), float(after)) for identity, before, after in lines]


def overlaps(acts: Sequence[Act]) -> list[str]:
    """The managers that led at one time, by the clock of the machine.

    A manager leads once at most, so that it led from the first moment at which it found so to the last one.
    """
    first: dict[str, float] = {}
    last: dict[str, float] = {}
    for act in acts:
        first[act.identity] = min(act.after, first.get(act.identity, act.after))
        last[act.identity] = max(act.before, last.get(act.identity, act.before))
    terms = sorted((begin, last[identity], identity) for identity, begin in first.items())
    return [
        f"{other} led {end - begin:.3f} seconds before {one} had ended"
        for (_, end, one), (begin, _, other) in pairwise(terms)
        if begin < end
    ]
