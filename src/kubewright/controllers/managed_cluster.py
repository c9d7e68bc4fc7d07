"""The clusters of a manager: its own, and others that `Manager.cluster` adds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextvars import Context, copy_context
from functools import partial
from time import time_ns
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.controllers.cache import Cache
from kubewright.controllers.clock import WallClock, nanoseconds, sleep
from kubewright.controllers.events import EventRecorder
from kubewright.informers import Informers
from kubewright.informers.index import IndexFunction
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Clusters", "ManagedCluster"]

K = TypeVar("K", bound=Resource | Unstructured)


class ManagedCluster:
    """A cluster that a manager works with, which has caches of its own; made by `Manager.cluster`.

    It is given to `Source(..., cluster=)`, `manager.controller(..., cluster=)` and `ctx.cluster()`.
    """

    def __init__(
        self,
        client: Client,
        *,
        name: str = "",
        namespaces: str | Iterable[str] = (),
        uncached: Iterable[type[Resource]] = (),
        clock: WallClock | None = None,
    ) -> None:
        self.name: Final = name
        """Empty for the manager's own."""
        self.client: Final = client
        """Every read of it asks the server."""
        self.clock: Final = clock
        """What the manager goes by, if that is not the real time."""
        self.informers: Final = Informers(client, resync_sleep=partial(sleep, clock) if clock else None)
        self._started: Final = asyncio.Event()
        self._stopped: Final = asyncio.Event()
        self.cache: Final = Cache(
            client,
            self.informers,
            namespaces=(namespaces,) if isinstance(namespaces, str) else tuple(namespaces),
            uncached=[kind.gvk for kind in uncached],
            started=self._started,
        )
        self.recorder: Final = EventRecorder(client, clock=nanoseconds(clock) if clock else time_ns)
        """Records events in this cluster."""

    def index(self, kind: type[K] | Api[K], functions: Mapping[str, IndexFunction[K]]) -> None:
        """Have indexes of a kind's cache, for `ctx.cluster(this).api(kind).by(name, value)`.

        Raises ValueError for a name that is taken.
        """
        self.cache.index(kind, functions)

    def __str__(self) -> str:
        return f"the cluster {self.name!r}" if self.name else "the manager's cluster"

    async def run(self) -> None:
        """Have caches and events until `stop`."""
        async with self.informers, self.recorder:
            self._started.set()
            await self._stopped.wait()

    async def started(self) -> None:
        """Wait until it runs."""
        await self._started.wait()

    def stop(self) -> None:
        """Have `run` end; what is recorded by then is still sent."""
        self._stopped.set()


class Clusters:
    """The clusters of a manager by name, each of which runs for as long as the block lasts.

    One that is added inside the block is started at once; no server is asked for that, so that one which is
    down holds up nobody.
    """

    def __init__(self, own: ManagedCluster) -> None:
        self.own: Final = own
        self._by_name: Final = {own.name: own}
        self._tasks: asyncio.TaskGroup | None = None
        self._context: Context

    def __iter__(self) -> Iterator[ManagedCluster]:
        return iter(tuple(self._by_name.values()))

    def add(self, cluster: ManagedCluster) -> None:
        """Have another one. Raises ValueError for a name that is taken, or none."""
        if not cluster.name:
            raise ValueError("a cluster without a name is the manager's own; give this one a name=")
        if cluster.name in self._by_name:
            raise ValueError(f"there is a cluster {cluster.name!r} already; give this one another name=")
        self._by_name[cluster.name] = cluster
        if self._tasks is not None:
            self._start(self._tasks, cluster)

    def of(self, which: ManagedCluster | str) -> ManagedCluster:
        """A cluster by its name, or itself. Raises LookupError for one that this manager does not have."""
        name = which if isinstance(which, str) else which.name
        found = self._by_name.get(name)
        if found is None:
            known = ", ".join(repr(each) for each in self._by_name if each) or "none besides its own"
            raise LookupError(f"the manager has no cluster {name!r}; it has {known}")
        if not isinstance(which, str) and found is not which:
            raise LookupError(f"{which} is another manager's; use what this one's cluster(...) returned")
        return found

    def require(self, kind: type[Any] | Api[Any], cluster: ManagedCluster) -> None:
        """Raise ValueError for an Api that would watch another cluster than the one that is meant."""
        if not isinstance(kind, Api) or kind._sender is cluster.client._sender:
            return
        other = next((each for each in self if each.client._sender is kind._sender), None)
        if other is not None:
            raise ValueError(
                f"the Api of {kind.gvk.kind} is one of {other}, and is to be watched in {cluster}; "
                "make it with the client of that one"
            )

    async def __aenter__(self) -> Self:
        self._context = copy_context()
        self._tasks = await asyncio.TaskGroup().__aenter__()
        try:
            for cluster in self:
                self._start(self._tasks, cluster)
            for cluster in self:
                await cluster.started()
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks, self._tasks = self._tasks, None
        for cluster in self:
            cluster.stop()
        if tasks is not None:
            if isinstance(error, asyncio.CancelledError):  # Perhaps by the group, which knows.
                await tasks.__aexit__(kind, error, trace)
            else:  # The group would wrap what the block raises.
                await tasks.__aexit__(None, None, None)

    def _start(self, tasks: asyncio.TaskGroup, cluster: ManagedCluster) -> None:
        # A reconcile that adds one has nothing to do with what it does from then on.
        tasks.create_task(cluster.run(), name=f"{cluster}", context=self._context.copy())
