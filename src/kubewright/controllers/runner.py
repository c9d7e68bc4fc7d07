"""What a manager runs while it leads, from the election to the end of the last reconcile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from kubewright.client.fencing import Fence, fenced
from kubewright.controllers.controller import Controller, Reconciled, Runtime
from kubewright.controllers.leader_election import Elector, LeaderElection
from kubewright.controllers.managed_cluster import Clusters
from kubewright.controllers.probes import CheckFailed

__all__ = ["Runnable", "Runner"]

Runnable = Callable[[], Awaitable[object]]
"""Something of one's own that runs beside the controllers."""

_OUTLIVES_AFTER: Final = 1.0
"""Seconds after the loss of leadership in which reconciles have to end before they are reported."""

_log: Final = logging.getLogger("kubewright.controllers")


class Runner:
    """Runs controllers and runnables, those that need leadership while it lasts, until it is stopped."""

    def __init__(self, clusters: Clusters, election: LeaderElection | None, *, stop_timeout: float) -> None:
        """Without an election it leads from the start; that is held in the manager's own cluster."""
        self._clusters: Final = clusters
        self._election: Final = election
        self._stop_timeout: Final = stop_timeout
        self._stopped: Final = asyncio.Event()
        self.controllers: Final[dict[str, Controller[Any]]] = {}
        self.observe: Callable[[Reconciled], object] | None = None
        """Called after each reconcile of the controllers that are started from then on."""
        self._runnables: Final[list[tuple[Runnable, bool]]] = []
        self._begun = False
        self.started: Final = asyncio.Event()
        """Set when what runs without leadership runs."""
        self._always: asyncio.TaskGroup | None = None
        self._working: asyncio.TaskGroup | None = None
        self._beside: Final[dict[bool, list[asyncio.Task[None]]]] = {False: [], True: []}
        """The tasks of runnables, by whether they need leadership."""
        self._running: Final[dict[asyncio.Task[None], Controller[Any]]] = {}
        self._fence: Fence | None = None
        self._elector: Elector | None = None

    def add_controller(self, controller: Controller[Any]) -> None:
        """Run a controller, at once if those that there are run. Raises ValueError for a taken name."""
        if controller.name in self.controllers:
            raise ValueError(
                f"there is a controller {controller.name!r} already; give this one another name="
            )
        self.controllers[controller.name] = controller
        if self._working is not None:
            self._start(self._working, controller)

    def add(self, runnable: Runnable, *, leader: bool) -> None:
        """Run something else, at once if what is like it runs."""
        self._runnables.append((runnable, leader))
        tasks = self._working if leader else self._always
        if tasks is not None:
            self._start_beside(tasks, runnable, leader=leader)

    async def run(self) -> None:
        """Run until `stop`. Raises LeadershipLost, and what a runnable raised, in a group."""
        if self._begun:
            raise RuntimeError("a manager runs once; make another Manager to run again")
        self._begun = True
        async with asyncio.TaskGroup() as always:
            self._always = always
            try:
                self._start_all_beside(always, leader=False)
                self.started.set()
                await (self._work() if self._election is None else self._lead(self._election))
            finally:
                self._always = None
            self._cancel_beside(leader=False)

    def stop(self) -> None:
        """Let the reconciles that are under way end, and then all else."""
        self._stopped.set()

    @property
    def is_stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._stopped.is_set()

    def cancel(self) -> None:
        """Cancel the reconciles that are under way."""
        for task in self._running:
            task.cancel()

    def leads(self) -> bool:
        """Whether it has won an election, and leads now."""
        return self._elector is not None and self._elector.is_leader()

    def leadership(self) -> str:
        """In words."""
        return "leads" if self.leads() else "waits to lead"

    def check_synced(self) -> None:
        """Raise CheckFailed while a controller that runs has not seen all there is; a follower has none."""
        if not self._begun:
            raise CheckFailed("the manager does not run yet")
        waiting = [_shown(each) for each in self._running.values() if not each.is_synced]
        if waiting:
            raise CheckFailed(f"the caches of {', '.join(waiting)} are not synced yet")

    def check_not_stopping(self) -> None:
        """Raise CheckFailed when it was told to stop."""
        if self.is_stopping:
            raise CheckFailed("the manager stops")

    async def _lead(self, election: LeaderElection) -> None:
        """Become the leader, work while it lasts, and let the next one know at once when it ends."""
        elector = self._elector = election.elector(self._clusters.own.client)
        acquired = await _unless(self._stopped, elector.acquire())
        try:
            if not acquired:
                return
            self._fence = elector
            async with asyncio.TaskGroup() as tasks:
                holding = tasks.create_task(elector.hold(), name="leadership")
                await self._work()
                holding.cancel()
        finally:
            await elector.release()

    async def _work(self) -> None:
        """Run the controllers, and what runs with leadership, until the manager is stopped."""
        async with asyncio.TaskGroup() as tasks:
            self._working = tasks
            try:
                for controller in self.controllers.values():
                    self._start(tasks, controller)
                self._start_all_beside(tasks, leader=True)
                await self._stopped.wait()
            except asyncio.CancelledError:
                asyncio.get_running_loop().call_later(_OUTLIVES_AFTER, self._warn_of_outliving)
                raise
            finally:
                self._working = None
            await self._wind_down()
            self._cancel_beside(leader=True)

    def _start(self, tasks: asyncio.TaskGroup, controller: Controller[Any]) -> None:
        runtime = Runtime(self._clusters, self._fence, self.observe)
        task = tasks.create_task(controller.run(runtime), name=f"controller {controller.name}")
        self._running[task] = controller
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)

    def _start_all_beside(self, tasks: asyncio.TaskGroup, *, leader: bool) -> None:
        for runnable, needs_leader in self._runnables:
            if needs_leader == leader:
                self._start_beside(tasks, runnable, leader=leader)

    def _start_beside(self, tasks: asyncio.TaskGroup, runnable: Runnable, *, leader: bool) -> None:
        fence = self._fence if leader else None
        self._beside[leader].append(tasks.create_task(_run(runnable, fence)))

    def _cancel_beside(self, *, leader: bool) -> None:
        for task in self._beside[leader]:
            task.cancel()

    async def _wind_down(self) -> None:
        """Let the reconciles that are under way end, and cancel them when they do not."""
        for cluster in self._clusters:
            cluster.cache.stop_waiting()
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


def _shown(controller: Controller[Any]) -> str:
    cluster = controller.waits_for
    return f"{controller.name} in {cluster}" if cluster is not None and cluster.name else controller.name


async def _run(runnable: Runnable, fence: Fence | None) -> None:
    with fenced(fence):
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
