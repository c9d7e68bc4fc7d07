"""`run_operator`: an operator in a test, whose clock stands still and that can be waited for.

async def test_scales_up(kube):
    async with run_operator(kube, setup) as operator:
        await kube.api(CustomPod, "default").create(...)
        await operator.settled()                # it has done all that it will do of itself
        ...                                     # look at the cluster: nothing changes any more
        await operator.advance(60)              # what it does in the next minute
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, Unpack

from kubewright.controllers.manager import Manager
from kubewright.controllers.stopping import unwrapped
from kubewright.machinery.errors import NotFound
from kubewright.testing.clock import ManualClock
from kubewright.testing.reconciles import Failure, Reconciles, ReconcilesFailed
from kubewright.testing.settling import NotSettled, is_quiet, pending_work

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.controllers.leader_election import LeaderElection
    from kubewright.informers import Informer
    from kubewright.machinery.resource import Resource
    from kubewright.webhooks.server import WebhookServer

__all__ = ["ManagerOptions", "RunningOperator", "run_operator"]

_SETTLED_WITHIN: Final = 10.0
"""Seconds of real time: what operators do in tests takes milliseconds, and machines of CI are slow."""

_MAX_RECONCILES: Final = 100
"""Reconciles of one object that write, one after the other, before it is said that there is no end to it."""

_STOP_WITHIN: Final = 1.0
"""Seconds that reconciles have to end when the block is left: one that hangs is to hold up no test run."""

_LOOK_AGAIN: Final = 0.001
"""Seconds between looks whether anything is still going on."""


class ManagerOptions(TypedDict, total=False):
    """Options of `Manager` that `run_operator` hands on."""

    leader_election: str | LeaderElection | None
    namespaces: str | Iterable[str]
    uncached: Iterable[type[Resource]]
    stop_timeout: float
    webhooks: WebhookServer | Literal[False] | None
    metrics_address: str
    health_address: str
    blocked_after: float | None


@asynccontextmanager
async def run_operator(
    client: Client,
    setup: Callable[[Manager], Awaitable[object] | object],
    *,
    clock: ManualClock | None = None,
    rights: Literal["client", "derived"] = "client",
    **options: Unpack[ManagerOptions],
) -> AsyncIterator[RunningOperator]:
    """Run an operator for the length of a block: what `setup` adds to a manager, which may be a coroutine.

    With `rights="derived"` it runs as a service account that may do what `kubewright manifests` derives for
    `setup`, and nothing else, so that a right that it lacks fails the test. `client` needs the rights of an
    administrator then, since it makes the account.

    Its `clock` stands still: delays, retries, resyncs, the times of conditions and events and `ctx.now()`
    follow it. Leader election and the `timeout=` of a reconcile go by the real time. `options` are those of
    `Manager`. Without `webhooks` nobody asks those that `setup` registers; give a `WebhookServer` that runs,
    and have the API server told of it with `kubewright.webhooks.install`. Leaving the block stops the
    manager, and raises what that ended with.
    """
    chosen = ManualClock() if clock is None else clock
    options.setdefault("stop_timeout", _STOP_WITHIN)
    options.setdefault("webhooks", False)
    async with AsyncExitStack() as stack:
        if rights == "derived":
            # Few tests need what reads source code.
            from kubewright.testing.rights import with_rights  # noqa: PLC0415 - as above

            namespace = _lease_namespace(client, options.get("leader_election"))
            client = await stack.enter_async_context(with_rights(client, setup, lease_namespace=namespace))
        elif rights != "client":
            raise ValueError(f"rights is {rights!r}; give 'client' or 'derived'")
        manager = await stack.enter_async_context(Manager(client, signals=False, clock=chosen, **options))
        made = setup(manager)
        if isawaitable(made):
            await made
        operator = RunningOperator(manager, chosen)
        async with _running(manager, operator):
            yield operator


def _lease_namespace(client: Client, election: str | LeaderElection | None) -> str:
    """Where the operator is elected, if it is."""
    named = "" if election is None or isinstance(election, str) else election.namespace
    return named or client.config.namespace


class RunningOperator:
    """An operator that runs in a test; made by `run_operator`."""

    def __init__(self, manager: Manager, clock: ManualClock) -> None:
        self.manager: Final = manager
        self.clock: Final = clock
        """What the operator takes for the time."""
        self._reconciles: Final = Reconciles()
        self._run: asyncio.Task[None] | None = None
        manager.on_reconcile(self._reconciles.note)

    @property
    def errors(self) -> list[Failure]:
        """The objects whose last reconcile failed."""
        return self._reconciles.failures()

    def reconciled(self, controller: str = "") -> int:
        """How many reconciles have ended so far, of all controllers or of one."""
        return self._reconciles.count(controller)

    async def settled(
        self,
        *,
        timeout: float = _SETTLED_WITHIN,  # noqa: ASYNC109 - it says what was waited for
        allow_errors: bool = False,
        max_reconciles: int = _MAX_RECONCILES,
    ) -> None:
        """Wait until the operator does nothing more, unless something changes or the clock moves.

        Then its caches have seen everything that was written so far, by the test and by itself, everybody
        was told of it, no object waits or is reconciled, and the events are sent. It knows, and does not
        guess: it compares the caches with what the server has, until a look at all of it finds nothing new.
        What others do in the cluster later, and what `manager.add` runs, it cannot know of.

        Conflicts are retried at once. What else failed would be retried later, and is raised as
        ReconcilesFailed, unless `allow_errors` is set; see `errors`. Raises NotSettled, which says what is
        going on, after `timeout` seconds of real time, and when an object was reconciled `max_reconciles`
        times and wrote something each time; and what the manager ended with.
        """
        self._reconciles.begin(max_reconciles)
        await self._within(timeout)
        failed = self.errors
        if failed and not allow_errors:
            raise ReconcilesFailed(failed)

    async def advance(
        self,
        seconds: float,
        *,
        timeout: float = _SETTLED_WITHIN,  # noqa: ASYNC109 - as above
        allow_errors: bool = False,
    ) -> None:
        """Let time pass: move the clock to each moment at which something is due, and settle there.

        So an object that wants to be looked at every 10 seconds is reconciled 6 times in a minute, where
        `clock.advance(60)` jumps, and has it reconciled once. `timeout` is for each of the moments. Raises
        as `settled` does, and ValueError for negative seconds.
        """
        if not seconds >= 0:
            raise ValueError(f"time passes by 0 or more seconds, not by {seconds}")
        end = self.clock.time() + seconds
        await self.settled(timeout=timeout, allow_errors=allow_errors)
        while (due := self.clock.next_call) is not None and due <= end:
            self.clock.advance_to(max(due, self.clock.time()))
            # Whoever the clock has woken runs before this goes on.
            await asyncio.sleep(0)
            if not is_quiet(self.manager):
                await self.settled(timeout=timeout, allow_errors=allow_errors)
        self.clock.advance_to(max(end, self.clock.time()))
        await self.settled(timeout=timeout, allow_errors=allow_errors)

    async def _within(self, seconds: float) -> None:
        """Settle in time, or say why not; the manager may end meanwhile, which is said too."""
        run = self._run
        if run is None:
            raise RuntimeError("the operator does not run any more; settle inside the block of run_operator")
        settling = asyncio.create_task(self._settle(), name="settling")
        try:
            await asyncio.wait({settling, run}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if run.done():
                run.result()
                raise NotSettled("the manager was stopped before the operator settled")
            if settling.done():
                settling.result()
            else:
                shown = "; ".join([*pending_work(self.manager), *self._reconciles.summary()])
                raise NotSettled(f"the operator did not settle within {seconds:g} seconds: {shown}")
        finally:
            settling.cancel()
            await _ended(settling)

    async def _settle(self) -> None:
        # Whoever the clock has woken runs before this goes on.
        await asyncio.sleep(0)
        while True:
            await self._quiet()
            count, informers = self._reconciles.count(), self._informers()
            with unwrapped():
                async with asyncio.TaskGroup() as tasks:
                    for informer in informers:
                        tasks.create_task(informer.caught_up(timeout=None))
            # What was written before the caches caught up is in them, and all who write were quiet: if they
            # still are, and did nothing meanwhile, there is nothing that they do not know.
            if is_quiet(self.manager) and (count, informers) == (self._reconciles.count(), self._informers()):
                return

    async def _quiet(self) -> None:
        while not is_quiet(self.manager):
            self._reconciles.check()
            await asyncio.sleep(_LOOK_AGAIN)
        self._reconciles.check()

    def _informers(self) -> list[Informer[Any]]:
        return [
            informer
            for cluster in self.manager.clusters
            for informer in cluster.informers.running()
            # Whoever depends on a kind that is not served waits for it, and is not quiet.
            if informer.is_synced or not isinstance(informer.last_error, NotFound)
        ]


@asynccontextmanager
async def _running(manager: Manager, operator: RunningOperator) -> AsyncIterator[None]:
    """Have the manager run; what the block raises counts more than what the manager ends with then."""
    run = operator._run = asyncio.create_task(manager.run(), name="manager")
    try:
        yield
    except BaseException:
        manager.stop()
        await _ended(run)
        raise
    finally:
        operator._run = None
    manager.stop()
    await run


async def _ended(task: asyncio.Task[None]) -> None:
    """Wait for the end of a task, whatever that is: something else is raised."""
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
