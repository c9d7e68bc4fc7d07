"""`Controller`: brings the objects of one kind into the state they should have, key by key."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from inspect import isawaitable
from random import Random
from typing import Any, Final, Generic, NamedTuple, TypeVar

from kubewright.client.api import Api
from kubewright.client.fencing import Fence, fenced
from kubewright.controllers.clock import RECONCILE_CLOCK, SystemClock, sleep
from kubewright.controllers.context import Context, ReconcileLog
from kubewright.controllers.denials import Denial, Denials, denial_of
from kubewright.controllers.enqueuing import Enqueuing
from kubewright.controllers.failures import Failures
from kubewright.controllers.following import Following, Watched
from kubewright.controllers.managed_cluster import Clusters, ManagedCluster
from kubewright.controllers.metrics import ControllerMetrics
from kubewright.controllers.outcomes import Outcome, not_async, outcome_of
from kubewright.controllers.own_writes import OwnWrites
from kubewright.controllers.reconcile_clients import ReconcileClients
from kubewright.controllers.reconciling import RECONCILING, Reconciling
from kubewright.controllers.registration import check_controller, check_numbers
from kubewright.controllers.reporting import report
from kubewright.controllers.requests import Request, Result
from kubewright.controllers.sources import PriorityFunction, Source, priority_of
from kubewright.controllers.tracing import ReconcileTracing
from kubewright.informers import Change
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured
from kubewright.workqueue import RateLimiter, ShutDown, WorkQueue

__all__ = ["Controller", "Reconcile", "Reconciled", "Runtime"]

K = TypeVar("K", bound=Resource | Unstructured)

Reconcile = Callable[[Context, Request], Awaitable[Result | None]]
"""What brings one object into the state it should have."""

_LOOK_EVERY: Final = 5.0
"""Seconds between looks for reconciles that hang, and for writes that the caches have seen by now."""

_TURN: Final = 0.001
"""Seconds after which a worker lets others have their turn: probes, renewals of leases, other controllers."""

_log: Final = logging.getLogger("kubewright.controllers")


class Reconciled(NamedTuple):
    """One reconcile that has ended, as `Manager.on_reconcile` tells of it."""

    controller: Controller[Any]
    request: Request
    outcome: Outcome
    writes: tuple[OwnWrites, ...]
    """What it wrote, for each cluster in which it wrote anything."""


class Runtime(NamedTuple):
    """What a manager lends its controllers."""

    clusters: Clusters
    fence: Fence | None
    """Raises LeadershipLost when another manager may lead; None where all of them work."""
    observe: Callable[[Reconciled], object] | None = None
    """Called after each reconcile."""


class Controller(Generic[K]):
    """Runs a reconciler for the objects of one kind; made by `Manager.controller`.

    What it guarantees:

    - Level-triggered: every object that changed, or on which something depends that changed, is reconciled
      after the last change, at least once, and once for many changes that came together.
      Predicates and mappings that raise do not change that: see `Enqueuing`.
    - One key is never with two workers.
    - What a reconciler raises concerns its key alone: it is retried with growing delays (`Terminal` is not),
      and all others go on. A Conflict is retried without a word.
    - A reconcile begins when the caches have what the last one of the same key has written through its
      clients, in all clusters. Where no answer told whether it was (the connection broke, or the reconcile
      was cancelled), the server is asked for the object first: the reconcile sees all that had reached it by
      then. What reaches it later is seen as what others write is.
    - What is retried keeps its priority, so that news comes before what was there at the start and fails.
    """

    def __init__(  # noqa: PLR0913 - as many as `Manager.controller` has
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
        cluster: ManagedCluster,
    ) -> None:
        check_controller(kind, reconcile, owns=owns, watches=watches, predicates=predicates)
        check_numbers(workers=workers, timeout=timeout, warn_after=warn_after, resync=resync)
        self.name: Final = name
        self.kind: Final = kind
        self.cluster: Final = cluster
        """Where the objects are that it reconciles."""
        self.watched: Final = Watched(name, kind, cluster, tuple(owns), tuple(watches))
        self.workers: Final = workers
        self.metrics: Final = ControllerMetrics(name, workers)
        self.queue: Final = WorkQueue[Request](
            name=name, rate_limiter=rate_limiter, clock=cluster.clock, metrics=self.metrics.queue
        )
        gvk: Any = kind.gvk
        self._gvk: Final[GroupVersionKind] = gvk
        self._reconcile: Final = reconcile
        tests = tuple(predicates)
        self._enqueuing: Final = Enqueuing(
            name,
            self.queue,
            wants=lambda change: all(test(change) for test in tests),
            priority=priority,
            clock=cluster.clock,
        )
        self._timeout: Final = timeout
        self._warn_after: Final = warn_after
        self._resync: Final = resync
        self._unseen: Final[dict[Request, tuple[OwnWrites, ...]]] = {}
        self._waiting: Final[set[asyncio.Task[Any]]] = set()
        """Workers that wait for the caches before they begin."""
        self._running: Final[dict[Request, float]] = {}
        self._warned: Final[set[Request]] = set()
        self._failures: Final = Failures()
        self._denials: Final = Denials()
        self._tracing: Final = ReconcileTracing()
        self._random: Final = Random()  # noqa: S311 - for ids in logs
        self._recorder: Final = cluster.recorder.named(name)
        self._time: Final = time.monotonic if cluster.clock is None else cluster.clock.time
        self._synced = False
        self._following: Following | None = None
        self._stopping = False
        self._task: asyncio.Task[Any] | None = None
        """The one in which it runs; cancelling it cancels the workers."""

    async def run(self, runtime: Runtime) -> None:
        """Work until `stop`, or until it is cancelled, which cancels the reconciles that are under way."""
        self._task = asyncio.current_task()
        if self.cluster.clock is not None:
            RECONCILE_CLOCK.set(self.cluster.clock)
        following = self._following = Following(
            self.watched,
            runtime.clusters,
            own=self._enqueuing.own,
            others=self._enqueuing.others,
            resync=self._resync,
        )
        try:
            await following.begin()
            self._synced = True
            async with asyncio.TaskGroup() as tasks:
                looking = tasks.create_task(self._look(), name=f"watchdog of {self.name}")
                retrying = tasks.create_task(self._enqueuing.retry(), name=f"mappings of {self.name}")
                async with asyncio.TaskGroup() as workers:
                    for number in range(self.workers):
                        work = self._work(runtime)
                        workers.create_task(work, name=f"worker {number} of {self.name}")
                looking.cancel()
                retrying.cancel()
        finally:
            self._synced = False
            following.end()

    def stop(self) -> None:
        """Begin no more reconciles; `run` returns when those that are under way have ended."""
        self._stopping = True
        self._enqueuing.stop()
        self.queue.shut_down()
        for worker in self._waiting:
            # It has begun nothing, and what it waits for may be in a cluster that is gone.
            worker.cancel()

    @property
    def is_synced(self) -> bool:
        """Whether it works, and was told of everything that was there when it began."""
        return self._synced

    @property
    def waits_for(self) -> ManagedCluster | None:
        """The cluster of which it has not seen all yet; None when it is synced, or does not run."""
        return None if self._synced or self._following is None else self._following.waits_for

    @property
    def is_idle(self) -> bool:
        """Whether nothing is reconciled, and nothing is to be by now."""
        return self.queue.is_idle and self._enqueuing.is_idle

    @property
    def running(self) -> tuple[Request, ...]:
        """What is being reconciled now."""
        return tuple(self._running)

    async def _work(self, runtime: Runtime) -> None:
        worker = asyncio.current_task()
        turn = time.monotonic()
        with suppress(ShutDown), fenced(runtime.fence):
            while True:
                async with self.queue.take() as request:
                    if not self._stopping:
                        await self._one(request, runtime)
                if time.monotonic() - turn > _TURN:
                    # Reconciles that read from memory and find nothing to do wait for nothing.
                    await asyncio.sleep(0)
                    turn = time.monotonic()
                if worker is not None and worker.cancelling():
                    if self._is_ending():
                        # The reconciler has caught it, which is to end the worker all the same.
                        raise asyncio.CancelledError
                    # Before Python 3.13, a TaskGroup of the reconciler in which a task failed leaves this.
                    while worker.uncancel():
                        pass

    def _is_ending(self) -> bool:
        """Whether workers that are cancelled are meant to end."""
        return self._stopping or self._task is None or self._task.cancelling() > 0

    async def _one(self, request: Request, runtime: Runtime) -> None:
        began = self._running[request] = self._time()
        clients = ReconcileClients(runtime.clusters, self.cluster)
        log = self._log_of(request)
        # What is logged and traced in the reconcile, by whom and in which task ever, is known by it.
        token = RECONCILING.set(log.reconciling)
        try:
            with self._tracing.span(log.reconciling) as span:
                outcome = await self._outcome(request, clients, log)
                span.ended(outcome)
        finally:
            RECONCILING.reset(token)
            del self._running[request]
            self._warned.discard(request)
            if writes := clients.writes():
                self._unseen[request] = writes
        duration = self._time() - began
        self.metrics.reconciled(outcome, duration)
        again = outcome.settle(self.queue, request, priority=self.queue.priority_of(request))
        failure = self._failures.after(request, outcome)
        denial = denial_of(outcome)
        is_known = denial is not None and not self._denials.is_due(denial, self._time())
        report(
            outcome,
            log.reconciling,
            duration=duration,
            again=again,
            failure=failure,
            denial=denial,
            is_known=is_known,
        )
        if denial is not None:
            self._record_denial(request, denial)
        if runtime.observe is not None:
            runtime.observe(Reconciled(self, request, outcome, clients.writes()))

    def _record_denial(self, request: Request, denial: Denial) -> None:
        """Have an event say which right is missing, on the object whose reconcile failed."""
        key = f"{request.namespace}/{request.name}" if request.namespace else request.name
        for informer in self.cluster.cache.running(self._gvk):
            obj = informer.get(key)
            if obj is not None:
                self._recorder.warning(obj, "Forbidden", f"{denial.message}; {denial.remedy}")
                return

    async def _outcome(self, request: Request, clients: ReconcileClients, log: ReconcileLog) -> Outcome:
        limit: asyncio.Timeout | None = None
        try:
            if self._timeout is None:
                return await self._begun(request, clients, log)
            async with asyncio.timeout(self._timeout) as limit:
                return await self._begun(request, clients, log)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or (task.cancelling() and self._is_ending()):
                raise
            # Something that the reconciler waited for was cancelled, not the reconcile.
            return outcome_of(RuntimeError("what the reconcile waited for was cancelled"))
        except TimeoutError as error:
            if limit is None or not limit.expired():
                return outcome_of(error)
            self.metrics.timed_out()
            return outcome_of(TimeoutError(f"the reconcile took longer than {self._timeout:g} seconds"))
        except SystemExit as error:
            # It would tear down the event loop with all that others are doing: no lease would be given up.
            exits = RuntimeError(f"the reconcile called exit({error.code!r}); stop the manager instead")
            exits.__cause__ = error
            return outcome_of(exits)
        except Exception as error:
            # Whatever it is, it concerns this key alone.
            return outcome_of(error)

    async def _begun(self, request: Request, clients: ReconcileClients, log: ReconcileLog) -> Outcome:
        if self._unseen:
            await self._seen(request)
        context = Context(request, clients, log=log, recorder=self._recorder)
        answer: object = self._reconcile(context, request)
        return outcome_of(await answer) if isawaitable(answer) else not_async(self._reconcile)

    async def _seen(self, request: Request) -> None:
        """Wait until the caches have what the last reconcile of a key wrote."""
        before = self._unseen.get(request)
        worker = asyncio.current_task()
        if before is None or worker is None:
            return
        self._waiting.add(worker)
        try:
            for writes in before:
                await writes.seen()
        finally:
            self._waiting.discard(worker)
        # The watchdog may have forgotten them meanwhile.
        self._unseen.pop(request, None)

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

    async def _look(self) -> None:
        """Report reconciles that hang, and forget writes that have been seen."""
        while True:
            await sleep(self.cluster.clock or SystemClock(), _LOOK_EVERY)
            now = self._time()
            for request, began in self._running.items():
                if now - began >= self._warn_after and request not in self._warned:
                    self._warned.add(request)
                    _log.warning(
                        "%s: the reconcile of %s has been running for %.0f seconds; timeout= would cancel it",
                        self.name,
                        request,
                        now - began,
                    )
            for request, written in list(self._unseen.items()):
                if all(writes.are_seen() for writes in written):
                    del self._unseen[request]
