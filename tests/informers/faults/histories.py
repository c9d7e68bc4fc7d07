"""What a handler was told, and whether it may have been told that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from kubewright.informers import Change

__all__ = ["PATIENCE", "History", "Told"]

PATIENCE = 60.0
"""Seconds that anything may take on a busy machine."""


class Told(NamedTuple):
    """A change as a handler was told it."""

    type: str
    key: str
    uid: str
    revision: int
    old_revision: int
    """Of the state before; 0 if there was none."""
    state: dict[str, str]
    """The labels, and the data of a ConfigMap."""
    initial: bool

    @property
    def name(self) -> str:
        return self.key.rpartition("/")[2]


def told_of(change: Change[Any]) -> Told:
    """What can be compared of a change."""
    obj, old = change.object, change.old
    data = getattr(obj, "data", None) or {}
    return Told(
        change.type,
        change.key,
        obj.metadata.uid,
        int(obj.metadata.resource_version),
        int(old.metadata.resource_version) if old is not None else 0,
        {**dict(obj.metadata.labels), **dict(data)},
        change.initial,
    )


class History:
    """A handler that keeps what it was told: `informer.on_change(history)`."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        self._earlier: list[Told] = []
        self._more = asyncio.Event()

    def __call__(self, change: Change[Any]) -> None:
        self.told.append(told_of(change))
        self._more.set()

    def short(self) -> list[tuple[str, str]]:
        """The types and names."""
        return [(each.type, each.name) for each in self.told]

    def of(self, name: str) -> list[Told]:
        """What was told of one object."""
        return [each for each in self.told if each.name == name]

    def forget(self) -> None:
        """Show what comes from now on."""
        self._earlier += self.told
        self.told.clear()

    async def until(self, holds: Callable[[], object], *, within: float = PATIENCE) -> None:
        """Wait for the change after which something holds."""
        try:
            async with asyncio.timeout(within):
                while not holds():
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError(f"it was not told in time; it was told {self.short()}") from None

    async def until_told(self, kind: str, name: str) -> None:
        """Wait for a change of an object."""
        await self.until(lambda: (kind, name) in self.short())

    def check(self) -> dict[str, Told]:
        """See that the states of each object came in order, additions first and deletions once.

        Returns the last state of each object that has not been deleted.
        """
        known: dict[str, Told] = {}
        newest: dict[str, int] = {}
        for each in self._earlier + self.told:
            before = known.get(each.key)
            line = f"{each} after {before}"
            if each.type == "ADDED":
                assert before is None, line
                assert each.revision > newest.get(each.key, 0), line
            else:
                assert before is not None, line
                assert before.uid == each.uid, line
                assert each.revision >= before.revision, line
            if each.type == "MODIFIED":
                assert before is not None
                assert each.old_revision == before.revision < each.revision, line
            newest[each.key] = each.revision
            if each.type == "DELETED":
                known.pop(each.key)
            else:
                known[each.key] = each
        return known
