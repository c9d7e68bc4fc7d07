"""The watcher: an informer of the claims, and a handler that counts."""

from __future__ import annotations

from typing import Final

from examples.pvcwatch.action import Action
from examples.pvcwatch.display import GREEN, RED, Display
from examples.pvcwatch.usage import Usage, claimed
from kubewright.informers import Change, Informer
from kubewright.models.core_v1 import PersistentVolumeClaim


class Watcher:
    """Tells of each claim that comes, changes its size or goes, and when the limit is crossed."""

    def __init__(self, usage: Usage, display: Display, action: Action) -> None:
        self._usage: Final = usage
        self._display: Final = display
        self._action: Final = action
        self._is_alarmed = False

    async def follow(self, claims: Informer[PersistentVolumeClaim]) -> None:
        """Show what is there, then what happens, until cancelled."""
        await claims.synced()
        known = claims.list()
        for claim in known:
            self._usage.set(claim.key, claimed(claim))
        self._display.table(known)
        self._display.line(str(self._usage))
        self._compare_with_limit()
        # It is told of what is there first, which is no news: nothing was awaited since `list`.
        claims.on_change(self._told)
        await self._action.run()

    def _told(self, change: Change[PersistentVolumeClaim]) -> None:
        size = claimed(change.new) if change.new is not None else None
        before = self._usage.set(change.key, size)
        if size == before:
            return  # Something else has changed.
        if before is None:
            what = f"added with {size}"
        elif size is None:
            what = f"deleted with {before}"
        else:
            what = f"resized from {before} to {size}"
        self._display.line(f"{change.key} {what}: {self._usage}")
        self._compare_with_limit()

    def _compare_with_limit(self) -> None:
        usage, is_over = self._usage, self._usage.is_over
        if is_over == self._is_alarmed:
            return
        self._is_alarmed = is_over
        if is_over:
            self._display.line(f"ALARM: {usage.total - usage.limit} over the limit of {usage.limit}", RED)
        else:
            self._display.line(f"CLEAR: within the limit of {usage.limit} again", GREEN)
        told = {"EVENT": "alarm" if is_over else "clear", "TOTAL": usage.total, "LIMIT": usage.limit}
        self._action.add({f"PVCWATCH_{name}": str(value) for name, value in told.items()})
