"""`Manager`: everything that an operator runs, started and stopped in the right order."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.controllers.blocking import BLOCKED_AFTER, BlockedTime, LoopWatchdog
from kubewright.controllers.cached_client import CachedClient
from kubewright.controllers.clock import WallClock
from kubewright.controllers.controller import Controller, Reconcile, Reconciled
from kubewright.controllers.exposition import Numbers
from kubewright.controllers.leader_election import LeaderElection
from kubewright.controllers.managed_cluster import Clusters, ManagedCluster
from kubewright.controllers.own_writes import NoWrites
from kubewright.controllers.probes import Check
from kubewright.controllers.registration import (
    check_controller_options,
    check_function,
    check_kind,
    check_manager,
    check_manager_options,
)
from kubewright.controllers.requests import Request
from kubewright.controllers.runner import Runnable, Runner
from kubewright.controllers.serving import Serving
from kubewright.controllers.sources import PriorityFunction, Source, priority_of
from kubewright.controllers.stopping import beside, handled_signals, unwrapped
from kubewright.informers import Change
from kubewright.informers.index import IndexFunction
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured
from kubewright.webhooks.managed import Webhooks, add_webhook, check_served, running
from kubewright.workqueue import RateLimiter

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from kubewright.webhooks.review import Review

__all__ = ["Manager", "Runnable"]

K = TypeVar("K", bound=Resource | Unstructured)
R = TypeVar("R", bound=Resource)

_STOP_WITHIN: Final = 30.0
"""Seconds that reconciles have to end when the manager stops: controller-runtime's, a pod's grace."""


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
        webhooks: Webhooks = None,
        metrics_address: str = "",
        health_address: str = "",
        clock: WallClock | None = None,
        blocked_after: float | None = BLOCKED_AFTER,
    ) -> None:
        """Without a client one is made as `Client()` makes it, and closed with the manager.

        `leader_election` is the name of the Lease that managers of one operator share; without it every one
        works. `namespaces` are those that are watched, none for all. `uncached` kinds are read from the
        server. With `signals`, SIGTERM and SIGINT stop it, the second one at once. `webhooks` serves what
        `webhook` adds, with or without leadership; with False nobody does, for runs that no API server can
        reach: what is registered is checked, and that is all. At `metrics_address`, such as
        "127.0.0.1:8080", it serves `/metrics` for Prometheus, and at `health_address`, which may be the same,
        `/healthz` and `/readyz` for the kubelet, from when the block is entered until it is left; both over
        plain HTTP. `clock` is what delays, retries, resyncs, events and `ctx.now()` go by in place of
        the real time; leader election and the `timeout=` of reconciles never do. `blocked_after` is after how
        many seconds a reconcile that blocks the event loop is reported, with its place; None reports none.
        Raises ValueError for an address or a number that cannot be, and DeclarationError for what no manager
        can be made of; entering raises ListenError.
        """
        check_manager_options(
            leader_election=leader_election,
            namespaces=namespaces,
            signals=signals,
            webhooks=webhooks,
            addresses={"metrics_address": metrics_address, "health_address": health_address},
            clock=clock,
        )
        election = (
            LeaderElection(name=leader_election) if isinstance(leader_election, str) else leader_election
        )
        check_manager(
            client=client,
            uncached=uncached,
            stop_timeout=stop_timeout,
            lease=election.name if election else "",
            blocked_after=blocked_after,
        )
        self.client: Final = client if client is not None else Client()
        self._owns_client: Final = client is None
        self._clusters: Final = Clusters(
            ManagedCluster(self.client, namespaces=namespaces, uncached=uncached, clock=clock)
        )
        self._runner: Final = Runner(self._clusters, election, stop_timeout=stop_timeout)
        self._signals: Final = signals
        self._blocked_after: Final = blocked_after
        self._blocked: Final = BlockedTime()
        self._webhooks: Final = webhooks
        self._stack: AsyncExitStack | None = None
        numbers = Numbers(
            controllers=lambda: tuple(self._runner.controllers.values()),
            clients=lambda: [each.client for each in self._clusters],
            leads=self._runner.leads,
            lease=election.name if election is not None else "",
            webhooks=(lambda: webhooks.metrics) if webhooks else None,
            blocked=self._blocked,
        )
        self._serving: Final = Serving(
            numbers, metrics_address=metrics_address, health_address=health_address
        )
        self._serving.ready.add("informer-sync", self._runner.check_synced)
        if election is not None:
            self._serving.ready.add("leader-election", _always, note=self._runner.leadership)
        if webhooks:
            self._serving.ready.add("webhooks", lambda: check_served(webhooks))
        self._serving.ready.add("shutdown", self._runner.check_not_stopping)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            # First, so that probes are answered while all else starts, and last to go.
            await self._serving.start(stack)
            if self._owns_client:
                stack.push_async_callback(self.client.close)
            await stack.enter_async_context(self._clusters)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stack, self._stack = self._stack, None
        if stack is not None:
            await stack.aclose()

    def cluster(
        self,
        client: Client,
        *,
        name: str,
        namespaces: str | Iterable[str] = (),
        uncached: Iterable[type[Resource]] = (),
    ) -> ManagedCluster:
        """Work with another cluster too, through a client of it, which the caller closes after the manager.

        What is returned says in `Source(..., cluster=)`, `controller(..., cluster=)` and `ctx.cluster()`
        which one is meant. It has caches of its own, of `namespaces` and without `uncached` kinds as the
        manager's are. One that does not answer keeps those who need it waiting, and nobody else. The leader
        is elected in the manager's own cluster. Raises ValueError for a name that is taken.
        """
        clock = self._clusters.own.clock
        made = ManagedCluster(client, name=name, namespaces=namespaces, uncached=uncached, clock=clock)
        self._clusters.add(made)
        return made

    def controller(  # noqa: PLR0913 - options with defaults, most of which few need
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
        cluster: ManagedCluster | str = "",
    ) -> Controller[K]:
        """Have the objects of a kind reconciled.

        `owns` are kinds whose objects it controls (by their owner references), `watches` are other sources,
        and `predicates` say which changes of the kind itself count. `workers` reconcile at once, never two of
        them one object. `timeout` is after how many seconds a reconcile is cancelled, `warn_after` after how
        many it is reported, and `resync` after how many all objects are looked at again. `name` is for logs
        and metrics, by default the kind in lower case. `cluster` is where the objects are, and what they own;
        `ctx.client` is its client then. Raises ValueError for a name that is taken, and LookupError for a
        cluster that this manager does not have; and DeclarationError for what no controller can be made of.
        """
        check_controller_options(name=name, rate_limiter=rate_limiter, priority=priority, cluster=cluster)
        made = Controller(
            name or _name_of(kind),
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
            cluster=self._clusters.of(cluster),
        )
        made.watched.check(self._clusters)
        self._runner.add_controller(made)
        return made

    @property
    def controllers(self) -> tuple[Controller[Any], ...]:
        """The controllers that were added so far."""
        return tuple(self._runner.controllers.values())

    @property
    def clusters(self) -> tuple[ManagedCluster, ...]:
        """Its own cluster, and those that were added so far."""
        return tuple(self._clusters)

    def on_reconcile(self, call: Callable[[Reconciled], object]) -> None:
        """Have a function called after each reconcile, once the manager runs; the last one given counts.

        It must not raise. It is for tests and other onlookers; reconcilers never need it.
        """
        self._runner.observe = call

    def controller_named(self, name: str) -> Controller[Any]:
        """A controller by its name. Raises LookupError."""
        controllers = self._runner.controllers
        found = controllers.get(name)
        if found is None:
            known = ", ".join(map(repr, controllers)) or "none"
            raise LookupError(f"there is no controller {name!r}; there is {known}")
        return found

    def webhook(
        self, function: Callable[[Review[R]], Coroutine[Any, Any, None]]
    ) -> Callable[[Review[R]], Coroutine[Any, Any, None]]:
        """Have a function served that `@defaulting` or `@validating` declared.

        `review.client` reads from the manager's caches. Raises DeclarationError.
        """
        return add_webhook(self._webhooks, function)

    def add(self, runnable: Runnable, *, leader: bool = True) -> Runnable:
        """Run something beside the controllers: while this manager leads, or always."""
        check_function("add", runnable)
        self._runner.add(runnable, leader=leader)
        return runnable

    def index(self, kind: type[K] | Api[K], functions: Mapping[str, IndexFunction[K]]) -> None:
        """Have indexes of a kind's cache, for `ctx.client.api(kind).by(name, value)`.

        Raises ValueError for a name that is taken.
        """
        self._clusters.own.index(kind, functions)

    @property
    def cached(self) -> CachedClient:
        """A client that reads from the caches outside of reconciles: for the mappings of sources.

        No reconcile waits until what is written through it is in the caches.
        """
        own = self._clusters.own
        return CachedClient(own.client, own.cache, NoWrites(own.cache))

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
        self._runner.stop()

    async def run(self) -> None:
        """Run until it is stopped. Raises LeadershipLost, and what something of one's own raised."""
        if self._stack is None:
            raise RuntimeError("a manager runs in its block: async with Manager() as manager: ...")
        with ExitStack() as stack, unwrapped():
            if self._signals:
                stack.enter_context(handled_signals(self._signalled))
            if self._blocked_after is not None:
                stack.enter_context(LoopWatchdog(self._blocked_after, self._blocked).watching())
            async with running(self._webhooks, self.client, self.cached):
                await self._runner.run()

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run it for the length of a block: `async with manager.running(): ...`, in tests above all.

        The block begins when webhooks are served, and what runs without leadership was started; controllers
        begin when it leads and their caches are filled, see `ready`. It is stopped after the block, and
        before that by what `run` raises, which cancels the block. A signal stops the manager alone.
        """
        return beside(self.run(), self._runner.started, self.stop)

    def _signalled(self) -> None:
        if self._runner.is_stopping:
            # The second time somebody means it.
            self._runner.cancel()
        self.stop()


def _always() -> bool:
    return True


def _name_of(kind: type[Any] | Api[Any]) -> str:
    check_kind("controller", kind)
    gvk: GroupVersionKind = kind.gvk
    return gvk.kind.lower()
