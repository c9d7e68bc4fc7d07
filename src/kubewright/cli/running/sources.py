"""The files on which a running program depends, and whether they have changed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

__all__ = ["Snapshot", "Sources", "changed_since", "snapshot_of"]

Snapshot: TypeAlias = Mapping[str, tuple[int, int, int]]
"""What tells the states of files apart, by path: times, sizes and inodes."""

_EVERY: Final = 0.3
"""Seconds between looks: what people feel as at once, and little work."""

_SETTLED: Final = 0.1
"""Seconds without a further change: editors and version control write several files, or one several times."""

_LOOKS: Final = 20
"""How many are made for that, when something writes without end."""

_ENVIRONMENT: Final = "pyvenv.cfg"
"""What the folder of a virtual environment has, whose modules are not the project's."""


class Sources:
    """The Python modules below a folder, and other files and folders; what is hidden aside.

    They are looked at again and again, since that works on all file systems and for all editors.
    """

    def __init__(self, root: Path, *others: Path) -> None:
        self._root: Final = root
        self._others: Final = others

    def snapshot(self) -> Snapshot:
        """What there is now."""
        modules = (path for path in _files(self._root) if path.endswith(".py"))
        return {**_states(modules), **snapshot_of(*self._others)}

    async def changed(self, before: Snapshot) -> list[str]:
        """Wait until something differs, and nothing changes any more; returns which files, sorted."""
        return await changed_since(before, self.snapshot)


async def changed_since(before: Snapshot, look: Callable[[], Snapshot]) -> list[str]:
    """Wait until what is looked at differs, and nothing changes any more; returns which files, sorted."""
    while True:
        now = await asyncio.to_thread(look)
        if now == before:
            await asyncio.sleep(_EVERY)
            continue
        for _ in range(_LOOKS):
            await asyncio.sleep(_SETTLED)
            last, now = now, await asyncio.to_thread(look)
            if now == last:
                break
        # What was written and undone meanwhile is no change.
        if differ := sorted(path for path in {*before, *now} if before.get(path) != now.get(path)):
            return differ


def snapshot_of(*places: Path) -> Snapshot:
    """The states of files, and of all files in folders."""
    return _states(path for place in places for path in _files(place))


def _states(paths: Iterator[str]) -> dict[str, tuple[int, int, int]]:
    """Those that are gone by now have none."""
    found: dict[str, tuple[int, int, int]] = {}
    for path in paths:
        try:
            state = os.stat(path)
        except OSError:
            continue
        found[path] = (state.st_mtime_ns, state.st_size, state.st_ino)
    return found


def _files(place: Path) -> Iterator[str]:
    if not place.is_dir():
        yield str(place)
        return
    for folder, folders, files in os.walk(place):
        if _ENVIRONMENT in files:
            folders.clear()
            continue
        folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
        yield from (os.path.join(folder, name) for name in files if not name.startswith("."))
