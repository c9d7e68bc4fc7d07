"""`Manager`: everything that an operator runs, started and stopped in the right order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.controllers.cache import Cache
from kubewright.controllers.controller import Controller, Reconcile, Runtime
from kubewright.controllers.events import EventRecorder
from kubewright.controllers.exposition import Numbers
from kubewright.controllers.leader_election import Elector, LeaderElection
from kubewright.controllers.probes import Check, CheckFailed
from kubewright.controllers.requests import Request
from kubewright.controllers.serving import Serving
from kubewright.controllers.sources import PriorityFunction, Source, priority_of
from kubewright.controllers.stopping import handled_signals, unwrapped
from kubewright.informers import Change, Informers
from kubewright.informers.index import IndexFunction
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured
from kubewright.workqueue import RateLimiter

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from kubewright.webhooks.review import Review
    from kubewright.webhooks.server import WebhookServer

__all__ = ["Manager", "Runnable"]

K = TypeVar("K", bound=Resource | Unstructured)
R = TypeVar("R", bound=Resource)

Runnable = Callable[[], Awaitable[object]]
"""Something of one's own that runs beside the controllers."""

_STOP_WITHIN: Final = 30.0
"""Seconds that reconciles have to end when the manager stops: controller-runtime's, a pod's grace."""

_OUTLIVES_AFTER: Final = 1.0
"""Seconds after the loss of leadership in which reconciles have to end before they are reported."""

_log: Final = logging.getLogger("kubewright.controllers")


class Manager:
    """Runs controllers: `async with Manager() as manager: manager.controller(...); await manager.run()`.

    It starts, in this order: what it serves to those who look after it, caches, what runs without leadership,
    the election, controllers and what runs with leadership. It stops on SIGTERM and SIGINT, or on `stop`, in
    the opposite order: reconciles that are under way may end, within `stop_timeout` seconds, then they are
    cancelled; leadership is given up only when none is left. What is added while it runs is started at once.
    """

    def __init__(
        self,
        client: Client | None = None,
        *,
        leader_election: str | LeaderElection | None = None,
        namespaces: str | Iterable[str] = (),
        uncached: Iterable[type[Resource]] = (),
        stop_timeout: float = _STOP_WITHIN,
        signals: bool = True,
        webhooks: WebhookServer | None = None,
        metrics_address: str = "",
        health_address: str = "",
    ) -> None:
        """Without a client one is made as `Client()` makes it, and closed with the manager.

        `leader_election` is the name of the Lease that managers of one operator share; without it every one
        works. `namespaces` are those that are watched, none for all. `uncached` kinds are read from the
        server. With `signals`, SIGTERM and SIGINT stop it, the second one at once. `webhooks` serves what
        `webhook` adds, with or without leadership. At `metrics_address`, such
        as "127.0.0.1:8080", it serves `/metrics` for Prometheus, and at `health_address`, which may be the
        same, `/healthz` and `/readyz` for the kubelet, from when the block is entered until it is left; both
        over plain HTTP. Raises ValueError for an address that is none; entering raises ListenError.
        """
        self.client: Final = client if client is not None else Client()
        self._owns_client: Final = client is None
        self._election: Final = (
            LeaderElection(name=leader_election) if isinstance(leader_election, str) else leader_election
        )
        self._namespaces: Final = (namespaces,) if isinstance(namespaces, str) else tuple(namespaces)
        self._uncached: Final = tuple(kind.gvk for kind in uncached)
        self._stop_timeout: Final = stop_timeout
        self._signals: Final = signals
        self._webhooks: Final = webhooks
        self._stopped: Final = asyncio.Event()
        self._controllers: Final[dict[str, Controller[Any]]] = {}
        self._runnables: Final[list[tuple[Runnable, bool]]] = []
        self._stack: AsyncExitStack | None = None
        self._cache: Cache
        self._recorder: EventRecorder
        self._working: asyncio.TaskGroup | None = None
        self._running: Final[dict[asyncio.Task[None], Controller[Any]]] = {}
        self._may_write: Callable[[], bool] = _always
        self._elector: Elector | None = None
        self._begun = False
        numbers = Numbers(
            controllers=lambda: tuple(self._controllers.values()),
            requests=lambda: self.client.request_counts,
            server=self.client.config.server,
            leads=self._leads,
            lease=self._election.name if self._election is not None else "",
        )
        self._serving: Final = Serving(
            numbers, metrics_address=metrics_address, health_address=health_address
        )
        self._serving.ready.add("informer-sync", self._check_synced)
        if self._election is not None:
            self._serving.ready.add("leader-election", _always, note=self._leadership)
        self._serving.ready.add("shutdown", self._check_not_stopping)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            # First, so that probes are answered while all else starts, and last to go.
            await self._serving.start(stack)
            if self._owns_client:
                stack.push_async_callback(self.client.close)
            informers = await stack.enter_async_context(Informers(self.client))
            self._cache = Cache(self.client, informers, namespaces=self._namespaces, uncached=self._uncached)
            self._recorder = await stack.enter_async_context(EventRecorder(self.client))
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stack, self._stack = self._stack, None
        if stack is not None:
            await stack.aclose()

    def controller(
        self,
        kind: type[K] | Api[K],
        reconcile: Reconcile,
        *,
        name: str = "",
        owns: Sequence[type[Any] | Api[Any] | Source[Any]] = (),
        watches: Sequence[Source[Any]] = (),
        predicates: Sequence[Callable[[Change[K]], bool]] = (),
        workers: int = 1,
        rate_limiter: RateLimiter[Request] | None = None,
        priority: PriorityFunction = priority_of,
        timeout: float | None = None,
        warn_after: float = 60.0,
        resync: float | None = None,
    ) -> Controller[K]:
        """Have the objects of a kind reconciled.

        `owns` are kinds whose objects it controls (by their owner references), `watches` are other sources,
        and `predicates` say which changes of the kind itself count. `workers` reconcile at once, never two of
        them one object. `timeout` is after how many seconds a reconcile is cancelled, `warn_after` after how
        many it is reported, and `resync` after how many all objects are looked at again. `name` is for logs
        and metrics, by default the kind in lower case. Raises ValueError for a name that is taken.
        """
        chosen = name or _name_of(kind)
        if chosen in self._controllers:
            raise ValueError(f"there is a controller {chosen!r} already; give this one another name=")
        made = Controller(
            chosen,
            kind,
            reconcile,
            owns=owns,
            watches=watches,
            predicates=predicates,
            workers=workers,
            rate_limiter=rate_limiter,
            priority=priority,
            timeout=timeout,
            warn_after=warn_after,
            resync=resync,
        )
        self._controllers[chosen] = made
        if self._working is not None:
            self._start(self._working, made)
        return made

    def controller_named(self, name: str) -> Controller[Any]:
        """A controller by its name. Raises LookupError."""
        found = self._controllers.get(name)
        if found is None:
            known = ", ".join(map(repr, self._controllers)) or "none"
            raise LookupError(f"there is no controller {name!r}; there is {known}")
        return found

    def webhook(
        self, function: Callable[[Review[R]], Coroutine[Any, Any, None]]
    ) -> Callable[[Review[R]], Coroutine[Any, Any, None]]:
        """Have a function served that `@defaulting` or `@validating` declared. Raises DeclarationError."""
        from kubewright.webhooks.managed import add_webhook  # noqa: PLC0415 - few managers have webhooks

        return add_webhook(self._webhooks, function)

    def add(self, runnable: Runnable, *, leader: bool = True) -> Runnable:
        """Run something beside the controllers: while this manager leads, or always."""
        self._runnables.append((runnable, leader))
        return runnable

    def index(self, kind: type[K] | Api[K], functions: Mapping[str, IndexFunction[K]]) -> None:
        """Have indexes of a kind's cache, for `ctx.client.api(kind).by(name, value)`.

        Raises ValueError for a name that is taken.
        """
        self._cache.index(kind, functions)

    @property
    def registry(self) -> CollectorRegistry:
        """What `/metrics` shows; for metrics of one's own: `Counter(..., registry=manager.registry)`."""
        return self._serving.registry

    @property
    def metrics_address(self) -> str:
        """Where metrics are served, with the port that was found for port 0; empty when they are not."""
        return self._serving.metrics_address

    @property
    def health_address(self) -> str:
        """Where probes are answered, with the port that was found for port 0; empty when they are not."""
        return self._serving.health_address

    def add_health_check(self, name: str, check: Check) -> None:
        """Have `/healthz` fail, and so the kubelet restart the pod, when a check raises or returns False.

        Raises ValueError for a name that is taken.
        """
        self._serving.health.add(name, check)

    def add_ready_check(self, name: str, check: Check) -> None:
        """Have `/readyz` fail, so that Services leave the pod out, when a check raises or returns False.

        Raises ValueError for a name that is taken.
        """
        self._serving.ready.add(name, check)

    async def healthy(self) -> None:
        """Return when all is well, as `/healthz` tells it. Raises CheckFailed, which says what is not."""
        await self._serving.health.require()

    async def ready(self) -> None:
        """Return when it is ready, as `/readyz` tells it. Raises CheckFailed, which says what is not."""
        await self._serving.ready.require()

    def stop(self) -> None:
        """Stop in good order; `run` returns when all has ended."""
        self._stopped.set()

    async def run(self) -> None:
        """Run until it is stopped. Raises LeadershipLost, and what something of one's own raised."""
        if self._stack is None:
            raise RuntimeError("a manager runs in its block: async with Manager() as manager: ...")
        self._begun = True
        with ExitStack() as stack, unwrapped():
            if self._signals:
                stack.enter_context(handled_signals(self._signalled))
            async with self._serving_webhooks(), asyncio.TaskGroup() as always:
                others = [always.create_task(_run(each)) for each, leader in self._runnables if not leader]
                await (self._work() if self._election is None else self._lead(self._election))
                for task in others:
                    task.cancel()

    def _serving_webhooks(self) -> AbstractAsyncContextManager[None]:
        if self._webhooks is None:
            return nullcontext()
        from kubewright.webhooks.managed import running  # noqa: PLC0415 - few managers have webhooks

        return running(self._webhooks, self.client)

    async def _lead(self, election: LeaderElection) -> None:
        """Become the leader, work while it lasts, and let the next one know at once when it ends."""
        elector = self._elector = election.elector(self.client)
        acquired = await _unless(self._stopped, elector.acquire())
        try:
            if not acquired:
                return
            self._may_write = elector.is_leader
            async with asyncio.TaskGroup() as tasks:
                holding = tasks.create_task(elector.hold(), name="leadership")
                await self._work()
                holding.cancel()
        finally:
            await elector.release()

    async def _work(self) -> None:
        """Run the controllers, and what runs with leadership, until the manager is stopped."""
        others: list[asyncio.Task[None]] = []
        async with asyncio.TaskGroup() as tasks:
            self._working = tasks
            try:
                for controller in self._controllers.values():
                    self._start(tasks, controller)
                others = [tasks.create_task(_run(each)) for each, leader in self._runnables if leader]
                await self._stopped.wait()
            except asyncio.CancelledError:
                asyncio.get_running_loop().call_later(_OUTLIVES_AFTER, self._warn_of_outliving)
                raise
            finally:
                self._working = None
            await self._wind_down()
            for task in others:
                task.cancel()

    def _start(self, tasks: asyncio.TaskGroup, controller: Controller[Any]) -> None:
        runtime = Runtime(self.client, self._cache, self._recorder, self._may_write)
        task = tasks.create_task(controller.run(runtime), name=f"controller {controller.name}")
        self._running[task] = controller
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)

    async def _wind_down(self) -> None:
        """Let the reconciles that are under way end, and cancel them when they do not."""
        for task, controller in self._running.items():
            controller.stop()
            if not controller.is_synced:
                # It waits for a kind that is not served, or for a long list, and has begun no reconcile.
                task.cancel()
        tasks = list(self._running)
        if not tasks:
            return
        _, unfinished = await asyncio.wait(tasks, timeout=self._stop_timeout)
        for task in unfinished:
            controller = self._running[task]
            shown = ", ".join(map(str, controller.running)) or "nothing"
            _log.warning(
                "%s: %s did not end within %g seconds and is cancelled",
                controller.name,
                shown,
                self._stop_timeout,
            )
            task.cancel()

    def _warn_of_outliving(self) -> None:
        for controller in self._running.values():
            for request in controller.running:
                _log.warning(
                    "%s: the reconcile of %s outlives the leadership; it must not catch CancelledError",
                    controller.name,
                    request,
                )

    def _leads(self) -> bool:
        return self._elector is not None and self._elector.is_leader()

    def _leadership(self) -> str:
        return "leads" if self._leads() else "waits to lead"

    def _check_synced(self) -> None:
        """Raise CheckFailed while a controller that runs has not seen all there is; a follower has none."""
        if not self._begun:
            raise CheckFailed("the manager does not run yet")
        waiting = [each.name for each in self._running.values() if not each.is_synced]
        if waiting:
            raise CheckFailed(f"the caches of {', '.join(waiting)} are not synced yet")

    def _check_not_stopping(self) -> None:
        if self._stopped.is_set():
            raise CheckFailed("the manager stops")

    def _signalled(self) -> None:
        if self._stopped.is_set():
            # The second time somebody means it.
            for task in self._running:
                task.cancel()
        self.stop()


def _always() -> bool:
    return True


def _name_of(kind: type[Any] | Api[Any]) -> str:
    gvk: GroupVersionKind = kind.gvk
    return gvk.kind.lower()


async def _run(runnable: Runnable) -> None:
    await runnable()


async def _unless(stopped: asyncio.Event, work: Coroutine[Any, Any, None]) -> bool:
    """Do something until an event comes; whether it was done."""
    async with asyncio.TaskGroup() as tasks:
        doing = tasks.create_task(work)
        waiting = tasks.create_task(stopped.wait())
        await asyncio.wait([doing, waiting], return_when=asyncio.FIRST_COMPLETED)
        done = doing.done()
        doing.cancel()
        waiting.cancel()
    return done
