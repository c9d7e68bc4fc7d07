"""What a run waits for after a start that failed, beside the next change of the code.

A kubeconfig that is written anew and a cluster that answers again are nothing that anybody saves in the
project; so they are looked at, and the program is started when they are mended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from kubewright.cli.running.sources import Snapshot, changed_since, snapshot_of

__all__ = ["End", "Reach", "Recovery"]

_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 30.0
"""Seconds between tries: who restarts a cluster, or logs in again, waits for it and looks on."""


class End(NamedTuple):
    """How a round ended."""

    code: int
    told: str
    lasted: float = 0.0
    """For how many seconds the program ran."""
    may_pass: bool = False
    """Whether it is a refusal of the cluster, which may do the same gladly a while later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How a run reaches its cluster."""

    files: Sequence[Path]
    """The kubeconfigs; some may not be there."""
    trouble: Callable[[], Awaitable[str | None]]
    """Says why the cluster cannot be used now; None when it can."""
    renew: Callable[[], object] | None = None
    """Writes anew what was made of the kubeconfigs. Raises KubewrightError."""

    def snapshot(self) -> Snapshot:
        """The kubeconfigs as they are now."""
        return snapshot_of(*self.files)


class Recovery:
    """Waits until a start may succeed that has failed; each reason is told once."""

    def __init__(self, reach: Reach | None, tell: Callable[[str], None]) -> None:
        """Without `reach` only the code can be at fault."""
        self._reach: Final = reach
        self._tell: Final = tell
        self._pause = _FIRST_PAUSE
        self._tries = 0
        """How often in a row a refusal was waited for."""

    def worked(self) -> None:
        """Begin with short pauses again: the program has run, or its code is another."""
        self._pause, self._tries = _FIRST_PAUSE, 0

    async def mended(self, end: End, before: Snapshot) -> bool:
        """Wait until it is worth another try, and tell of it; True then.

        `before` are the kubeconfigs as they were before the start. Where the code is at fault, only another
        kubeconfig is worth one.
        """
        if self._reach is None:
            self._tell(f"{end.told}; it is started again when a file changes")
            await asyncio.Event().wait()
        elif end.code and (trouble := await self._reach.trouble()) is not None:
            await self._reached(self._reach, end, trouble, before)
        elif end.may_pass:
            if not self._tries:
                self._tell(f"{end.told}; it is tried again from time to time, and when a file changes")
            self._tries += 1
            await self._changed_within(self._reach, before)
        else:
            self._tell(f"{end.told}; it is started again when a file changes")
            await changed_since(before, self._reach.snapshot)
            self._tell("the kubeconfig has changed; starting again")
        return True

    async def _reached(self, reach: Reach, end: End, trouble: str, before: Snapshot) -> None:
        self._tell(
            f"{end.told}; it is started again when the cluster can be used, or a file changes: {trouble}"
        )
        while True:
            if await self._changed_within(reach, before):
                before = await asyncio.to_thread(reach.snapshot)
            now = await reach.trouble()
            if now is None:
                self._tell("the cluster can be used; starting again")
                return
            if now != trouble:
                self._tell(f"the cluster still cannot be used: {now}")
            trouble = now

    async def _changed_within(self, reach: Reach, before: Snapshot) -> bool:
        """Pause, longer each time, but only until a kubeconfig changes; whether one did."""
        pause, self._pause = self._pause, min(self._pause * 2, _LONGEST_PAUSE)
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await changed_since(before, reach.snapshot)
                self._pause = _FIRST_PAUSE
                return True
        return False
