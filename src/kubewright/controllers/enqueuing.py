"""From changes to the keys of a controller's queue, whatever predicates and mappings do."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from kubewright.controllers.requests import Request
from kubewright.controllers.sources import PriorityFunction, Source, priority_of
from kubewright.informers.changes import Change, spanning
from kubewright.machinery.errors import KubewrightError, NotSynced
from kubewright.workqueue import Clock, WorkQueue

__all__ = ["Enqueuing"]

_log: Final = logging.getLogger("kubewright.controllers")


class Enqueuing:
    """Adds to a queue what changes call for, and loses none of it.

    A predicate or a priority function that raises counts as one that lets the change pass: a reconcile too
    many does no harm. A mapping that raises is asked again with growing delays. Of one that waits for a cache
    when the manager stops nothing is said: nobody would reconcile what it calls for, and the next manager
    asks it again.
    """

    def __init__(
        self,
        name: str,
        queue: WorkQueue[Request],
        *,
        wants: Callable[[Change[Any]], bool],
        priority: PriorityFunction,
        clock: Clock | None,
    ) -> None:
        """`name` is the controller's; `wants` says which changes of the kind that it reconciles count."""
        self._name: Final = name
        self._queue: Final = queue
        self._wants: Final = wants
        self._priority: Final = priority
        self._failed: Final[dict[tuple[Source[Any], str], Change[Any]]] = {}
        """What could not be mapped yet, of each source by the key of the object."""
        self._retries: Final = WorkQueue[tuple[Source[Any], str]](name=f"mappings of {name}", clock=clock)
        self._stopping = False

    @property
    def is_idle(self) -> bool:
        """Whether no mapping is to be asked again now."""
        return self._retries.is_idle

    def stop(self) -> None:
        """Know that reads from the caches fail from now on because nothing is waited for any more."""
        self._stopping = True

    def own(self, change: Change[Any]) -> None:
        """Take in a change of the kind that is reconciled."""
        priority = self._priority_of(change, self._wants)
        if priority is not None:
            self._queue.add(Request.parse(change.key), priority=priority)

    async def others(self, source: Source[Any], change: Change[Any]) -> None:
        """Take in a change of another source."""
        priority = self._priority_of(change, source.wants)
        if priority is not None:
            await self._map(source, change, priority)

    async def retry(self) -> None:
        """Ask mappings again that failed, until it is cancelled."""
        while True:
            async with self._retries.take() as key:
                change = self._failed.pop(key, None)
                if change is None or await self._map(key[0], change, self._retries.priority_of(key)):
                    self._retries.forget(key)

    async def _map(self, source: Source[Any], change: Change[Any], priority: int) -> bool:
        """Whether the mapping succeeded; if not, it is going to be asked again."""
        try:
            requests = await source.requests(change)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Something that the mapping waited for was cancelled, not the mapping.
            self._fail(source, change, priority, error)
            return False
        except Exception as error:
            if not (self._stopping and isinstance(error, NotSynced)):
                self._fail(source, change, priority, error)
            return False
        for request in requests:
            self._queue.add(request, priority=priority)
        return True

    def _fail(self, source: Source[Any], change: Change[Any], priority: int, error: BaseException) -> None:
        _log.error(
            "%s: the mapping of %s %s failed, and is asked again later: %r",
            self._name,
            source.kind.gvk.kind,
            change.key,
            error,
            # What our own parts raise says all in one sentence; of anything else the trace is wanted.
            exc_info=None if isinstance(error, KubewrightError) else error,
        )
        key = source, change.key
        before = self._failed.get(key)
        self._failed[key] = change if before is None else spanning(before, change)
        self._retries.add_rate_limited(key, priority=priority)

    def _priority_of(self, change: Change[Any], wants: Callable[[Change[Any]], bool]) -> int | None:
        """How urgent a change is; None for one that does not count."""
        try:
            if not wants(change):
                return None
            priority: object = self._priority(change)
            if not isinstance(priority, int):
                told = type(priority).__name__
                raise TypeError(f"a priority function returns an int, not {told}")  # noqa: TRY301 - told below
        except Exception:
            _log.exception(
                "%s: a predicate or the priority of %s failed, so that it counts", self._name, change.key
            )
            return priority_of(change)
        return priority
