"""`Controller`: brings the objects of one kind into the state they should have, key by key."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any, Final, Generic, NamedTuple, TypeVar

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.controllers.cache import Cache
from kubewright.controllers.cached_client import CachedClient
from kubewright.controllers.context import Context, ReconcileLog
from kubewright.controllers.events import EventRecorder
from kubewright.controllers.metrics import ControllerMetrics
from kubewright.controllers.outcomes import Outcome, OutcomeKind, outcome_of
from kubewright.controllers.own_writes import OwnWrites
from kubewright.controllers.reconciling import RECONCILING, Reconciling
from kubewright.controllers.requests import Request, Result
from kubewright.controllers.sources import PriorityFunction, Source, owners_of, priority_of
from kubewright.controllers.tracing import ReconcileTracing
from kubewright.informers import Change, Informer
from kubewright.informers.handlers import Registration
from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.gvk import GroupKind, GroupVersionKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured
from kubewright.workqueue import RateLimiter, ShutDown, WorkQueue

__all__ = ["Controller", "Reconcile", "Runtime"]

K = TypeVar("K", bound=Resource | Unstructured)

Reconcile = Callable[[Context, Request], Awaitable[Result | None]]
"""What brings one object into the state it should have."""

_LOOK_EVERY: Final = 5.0
"""Seconds between looks for reconciles that hang, and for writes that the caches have seen by now."""

_log: Final = logging.getLogger("kubewright.controllers")


class Runtime(NamedTuple):
    """What a manager lends its controllers."""

    client: Client
    cache: Cache
    recorder: EventRecorder
    may_write: Callable[[], bool]
    """Whether this manager leads, for all that it knows."""


class Controller(Generic[K]):
    """Runs a reconciler for the objects of one kind; made by `Manager.controller`.

    What it guarantees:

    - Level-triggered: every object that changed, or on which something depends that changed, is reconciled
      after the last change, at least once, and once for many changes that came together.
    - One key is never with two workers.
    - What a reconciler raises concerns its key alone: it is retried with growing delays (`Terminal` is not),
      and all others go on. A Conflict is retried without a word.
    - A reconcile begins when the caches have what the last one of the same key has written.
    """

    def __init__(
        self,
        name: str,
        kind: type[K] | Api[K],
        reconcile: Reconcile,
        *,
        owns: Sequence[type[Any] | Api[Any] | Source[Any]] = (),
        watches: Sequence[Source[Any]] = (),
        predicates: Sequence[Callable[[Change[K]], bool]] = (),
        workers: int = 1,
        rate_limiter: RateLimiter[Request] | None = None,
        priority: PriorityFunction = priority_of,
        timeout: float | None = None,
        warn_after: float = 60.0,
        resync: float | None = None,
    ) -> None:
        if workers < 1:
            raise ValueError(f"workers is {workers}; a controller needs one at least")
        if timeout is not None and timeout <= 0:
            raise ValueError(f"timeout is {timeout:g}; give more than 0 seconds, or None for no limit")
        self.name: Final = name
        self.kind: Final = kind
        self.owns: Final = tuple(owns)
        self.watches: Final = tuple(watches)
        self.workers: Final = workers
        self.metrics: Final = ControllerMetrics(name, workers)
        self.queue: Final = WorkQueue[Request](
            name=name, rate_limiter=rate_limiter, metrics=self.metrics.queue
        )
        gvk: Any = kind.gvk
        self._gvk: Final[GroupVersionKind] = gvk
        self._reconcile: Final = reconcile
        self._predicates: Final = tuple(predicates)
        self._priority: Final = priority
        self._timeout: Final = timeout
        self._warn_after: Final = warn_after
        self._resync: Final = resync
        self._unseen: Final[dict[Request, OwnWrites]] = {}
        self._running: Final[dict[Request, float]] = {}
        self._warned: Final[set[Request]] = set()
        self._tracing: Final = ReconcileTracing()
        self._random: Final = Random()  # noqa: S311 - for ids in logs
        self._synced = False
        self._stopping = False

    async def run(self, runtime: Runtime) -> None:
        """Work until `stop`, or until it is cancelled, which cancels the reconciles that are under way."""
        runtime = runtime._replace(recorder=runtime.recorder.named(self.name))
        registrations = await self._follow(runtime)
        try:
            for registration in registrations:
                await registration.synced()
            self._synced = True
            async with asyncio.TaskGroup() as tasks:
                looking = tasks.create_task(self._look(runtime.cache), name=f"watchdog of {self.name}")
                async with asyncio.TaskGroup() as workers:
                    for number in range(self.workers):
                        work = self._work(runtime)
                        workers.create_task(work, name=f"worker {number} of {self.name}")
                looking.cancel()
        finally:
            self._synced = False
            for registration in registrations:
                registration.remove()

    def stop(self) -> None:
        """Begin no more reconciles; `run` returns when those that are under way have ended."""
        self._stopping = True
        self.queue.shut_down()

    @property
    def is_synced(self) -> bool:
        """Whether it works, and was told of everything that was there when it began."""
        return self._synced

    @property
    def running(self) -> tuple[Request, ...]:
        """What is being reconciled now."""
        return tuple(self._running)

    async def _follow(self, runtime: Runtime) -> list[Registration[Any]]:
        """Have everything that changes put its requests into the queue."""
        client, cache = runtime.client, runtime.cache
        informer = await cache.informer(self.kind)
        api: Api[K] = self.kind if isinstance(self.kind, Api) else client.api(self.kind)
        registrations: list[Registration[Any]] = [informer.on_change(self._own_change, resync=self._resync)]
        owner = GroupKind(api.gvk.group, api.gvk.kind)
        namespaced = (await api.endpoint()).namespaced
        for each in self.owns:
            predicates = each.predicates if isinstance(each, Source) else ()
            kind = each.kind if isinstance(each, Source) else each
            source = Source(kind, owners_of(owner, namespaced=namespaced), predicates=predicates)
            registrations.append(self._registered(await cache.informer(kind), source))
        watched = [(await cache.informer(source.kind), source) for source in self.watches]
        return [*registrations, *(self._registered(*each) for each in watched)]

    def _own_change(self, change: Change[K]) -> None:
        if all(predicate(change) for predicate in self._predicates):
            self.queue.add(Request.parse(change.key), priority=self._priority(change))

    def _registered(self, informer: Informer[Any], source: Source[Any]) -> Registration[Any]:
        async def changed(change: Change[Any]) -> None:
            if source.wants(change):
                priority = self._priority(change)
                for request in await source.requests(change):
                    self.queue.add(request, priority=priority)

        return informer.on_change(changed)

    async def _work(self, runtime: Runtime) -> None:
        worker = asyncio.current_task()
        with suppress(ShutDown):
            while True:
                async with self.queue.take() as request:
                    if not self._stopping:
                        await self._one(request, runtime)
                if worker is not None and worker.cancelling():
                    # The reconciler has caught it, which is to end the worker all the same.
                    raise asyncio.CancelledError

    async def _one(self, request: Request, runtime: Runtime) -> None:
        began = self._running[request] = time.monotonic()
        writes = OwnWrites()
        log = self._log_of(request)
        # What is logged and traced in the reconcile, by whom and in which task ever, is known by it.
        token = RECONCILING.set(log.reconciling)
        try:
            with self._tracing.span(log.reconciling) as span:
                outcome = await self._outcome(request, runtime, writes, log)
                span.ended(outcome)
            self._report(outcome, request, log)
        finally:
            RECONCILING.reset(token)
            del self._running[request]
            self._warned.discard(request)
            if writes:
                self._unseen[request] = writes
        self.metrics.reconciled(outcome, time.monotonic() - began)
        outcome.settle(self.queue, request, priority=0)

    async def _outcome(
        self, request: Request, runtime: Runtime, writes: OwnWrites, log: ReconcileLog
    ) -> Outcome:
        try:
            async with asyncio.timeout(self._timeout) as limit:
                before = self._unseen.get(request)
                if before is not None:
                    await before.seen(runtime.cache)
                    del self._unseen[request]
                client = CachedClient(runtime.client, runtime.cache, writes, may_write=runtime.may_write)
                context = Context(request, client, log=log, recorder=runtime.recorder)
                return outcome_of(await self._reconcile(context, request))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Something that the reconciler waited for was cancelled, not the reconcile.
            return outcome_of(RuntimeError("what the reconcile waited for was cancelled"))
        except TimeoutError as error:
            if not limit.expired():
                return outcome_of(error)
            self.metrics.timed_out()
            return outcome_of(TimeoutError(f"the reconcile took longer than {self._timeout:g} seconds"))
        except Exception as error:
            # Whatever it is, it concerns this key alone.
            return outcome_of(error)

    def _log_of(self, request: Request) -> ReconcileLog:
        gvk = self._gvk
        reconciling = Reconciling(
            self.name,
            gvk.group,
            gvk.kind,
            request.namespace,
            request.name,
            f"{self._random.getrandbits(64):016x}",
        )
        return ReconcileLog(_log, reconciling)

    def _report(self, outcome: Outcome, request: Request, log: ReconcileLog) -> None:
        match outcome.kind:
            case OutcomeKind.CONFLICT:
                log.debug("%s: %s has changed meanwhile; it is looked at again", self.name, request)
            case OutcomeKind.ERROR:
                # What our own parts raise says all in one sentence; of anything else the trace is wanted.
                trace = None if isinstance(outcome.error, KubewrightError) else outcome.error
                shown = str(outcome.error) or type(outcome.error).__name__
                log.error(
                    "%s: the reconcile of %s failed: %s",
                    self.name,
                    request,
                    shown,
                    exc_info=trace,
                    extra={"error": shown},
                )
            case OutcomeKind.TERMINAL:
                shown = str(outcome.error)
                log.error("%s: %s is not retried: %s", self.name, request, shown, extra={"error": shown})
            case _:
                log.debug("%s: reconciled %s", self.name, request)

    async def _look(self, cache: Cache) -> None:
        """Report reconciles that hang, and forget writes that have been seen."""
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            now = time.monotonic()
            for request, began in self._running.items():
                if now - began >= self._warn_after and request not in self._warned:
                    self._warned.add(request)
                    _log.warning(
                        "%s: the reconcile of %s has been running for %.0f seconds; timeout= would cancel it",
                        self.name,
                        request,
                        now - began,
                    )
            for request in [each for each, writes in self._unseen.items() if writes.are_seen(cache)]:
                del self._unseen[request]
