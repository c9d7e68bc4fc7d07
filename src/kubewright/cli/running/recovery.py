"""What a run waits for after a start that failed, beside the next change of the code.

A kubeconfig that is written anew and a cluster that answers again are nothing that anybody saves in the
project; so they are looked at, and the program is started when they are mended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from kubewright.cli.running.sources import Snapshot, changed_since, snapshot_of

__all__ = ["End", "Reach", "Recovery"]

_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 30.0
"""Seconds between tries: who restarts a cluster, or logs in again, waits for it and looks on."""

_FIRST_HOLD: Final = 1.0
"""Seconds without a look at the kubeconfigs after a change of them that helped nothing, twice as many after
the next one: others may write them without end, as those who renew a token with each question.
"""


def _unknown() -> str | None:
    return None


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
    meant: Callable[[], str | None] = _unknown
    """Says which cluster the kubeconfigs mean now, for people; None when that cannot be read."""
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
        self._hold = 0.0
        """For how many seconds changes of the kubeconfigs do not count, once a start or question failed."""
        self._waited_for = ""
        """What was told last, while the same is tried again from time to time."""
        self._has_run = False
        """Whether the code as it is now has run for long."""
        self._meant: str | None = None
        """The cluster of the last start of which it is known."""

    def code_changed(self) -> None:
        """Forget what is known of the code, which is another now, and begin with short pauses again."""
        self._begin_anew()
        self._has_run = False

    async def starting(self) -> Snapshot:
        """Remember the cluster of a start that is about to be made; returns the kubeconfigs as they are."""
        if self._reach is None:
            return {}
        before = await asyncio.to_thread(self._reach.snapshot)
        self._meant = await asyncio.to_thread(self._reach.meant) or self._meant
        return before

    async def mended(self, end: End, before: Snapshot, *, settled: bool = False) -> bool:
        """Wait until it is worth another try, and tell of it; True then.

        `before` are the kubeconfigs as they were before the start. A program that had `settled` is worth one
        at once; where the code is at fault, only another kubeconfig is. A kubeconfig that means another
        cluster than before never is: who chose that one did not choose it for this program.
        """
        if settled:
            self._begin_anew()
            self._has_run = True
        reach = self._reach
        if reach is not None and await self._other_cluster(reach, f"{end.told}, and "):
            self._tell(f"the kubeconfig means {self._meant} again; starting again")
        elif settled:
            self._tell(f"{end.told}; it is started again")
        elif reach is None:
            self._tell(f"{end.told}; it is started again when a file changes")
            await asyncio.Event().wait()
        else:
            await self._looked_into(reach, end, before)
        return True

    def _begin_anew(self) -> None:
        self._pause, self._hold, self._waited_for = _FIRST_PAUSE, 0.0, ""

    async def _looked_into(self, reach: Reach, end: End, before: Snapshot) -> None:
        """Wait for what may have been the reason of an early end."""
        # What was written while the program failed came too late for it.
        written = end.code != 0 and await asyncio.to_thread(reach.snapshot) != before
        trouble = await reach.trouble() if end.code else None
        # Only now, since a question may renew a token, which is written there.
        before = await asyncio.to_thread(reach.snapshot)
        if trouble is not None:
            self._waited_for = ""
            await self._reached(reach, end, trouble, before)
        elif end.may_pass or (end.code and self._has_run):
            if end.told != self._waited_for:
                self._tell(f"{end.told}; it is tried again from time to time, and when a file changes")
            self._waited_for = end.told
            await self._paused(reach, before)
            await self._other_cluster(reach)
        else:
            self._waited_for = ""
            self._tell(f"{end.told}; it is started again when a file changes")
            if not written or self._hold:  # the second time it is taken for the program's own doing
                await self._written(reach, before)
            self._hold_longer()
            await self._other_cluster(reach)
            self._tell("the kubeconfig has changed; starting again")

    async def _reached(self, reach: Reach, end: End, trouble: str, before: Snapshot) -> None:
        """Ask again and again, until the cluster can be used."""
        self._tell(
            f"{end.told}; it is started again when the cluster can be used, or a file changes: {trouble}"
        )
        self._pause = _FIRST_PAUSE
        while True:
            await self._paused(reach, before)
            await self._other_cluster(reach)
            now = await reach.trouble()
            before = await asyncio.to_thread(reach.snapshot)
            if now is None:
                if await self._other_cluster(reach):
                    continue  # who knows which one has answered
                break
            if now != trouble:
                self._tell(f"the cluster still cannot be used: {now}")
            trouble = now
        self._pause = _FIRST_PAUSE
        self._tell("the cluster can be used; starting again")

    async def _other_cluster(self, reach: Reach, introduction: str = "") -> bool:
        """Wait while the kubeconfigs mean another cluster than for the last start; whether they did.

        It is told once of each, with what was said before it.
        """
        last = None
        while True:
            before = await asyncio.to_thread(reach.snapshot)
            now = await asyncio.to_thread(reach.meant)
            if self._meant is None or now == self._meant or (now is None and last is None):
                return last is not None
            if now is not None and now != last:
                self._tell(
                    f"{introduction}the kubeconfig now means {now}; "
                    "save a file, or start run again, to use it"
                )
            last, introduction = now or last, ""
            await changed_since(before, reach.snapshot)

    async def _paused(self, reach: Reach, before: Snapshot) -> None:
        """Pause, longer each time, but only until a kubeconfig changes."""
        pause, self._pause = self._pause, min(self._pause * 2, _LONGEST_PAUSE)
        try:
            async with asyncio.timeout(self._hold + pause):
                await self._written(reach, before)
        except TimeoutError:
            self._hold = 0.0
        else:
            self._hold_longer()

    async def _written(self, reach: Reach, before: Snapshot) -> None:
        """Wait until a kubeconfig changes; for a while without a look, if the last change helped nothing."""
        await asyncio.sleep(self._hold)
        await changed_since(before, reach.snapshot)

    def _hold_longer(self) -> None:
        self._hold = min(max(self._hold * 2, _FIRST_HOLD), _LONGEST_PAUSE)
