"""`Informers`: the informers of a program, one for each kind and scope."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import Context, copy_context
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.client.objects import Labels, label_text
from kubewright.client.resource_index import ResourceIndex
from kubewright.client.watch_loop import IDLE_TIMEOUT
from kubewright.informers.index import IndexFunction
from kubewright.informers.informer import Informer, Scope
from kubewright.informers.lister import Lister
from kubewright.informers.transforms import Transform, drop_managed_fields
from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Informers"]

K = TypeVar("K", bound=Resource | Unstructured)


class Informers:
    """Informers that share: `async with Informers(client) as informers: pods = informers.of(Pod)`.

    Who asks for the same kind in the same scope gets the same informer, so that a program has one copy and
    one watch of it. An informer starts when it is first asked for, and all stop when the block ends. It
    belongs to one event loop.
    """

    def __init__(
        self,
        client: Client,
        *,
        streams: bool = False,
        idle_timeout: float = IDLE_TIMEOUT,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        resync_sleep: Callable[[float], Awaitable[object]] | None = None,
    ) -> None:
        """With `streams`, what is there is asked for as a stream of events instead of as pages of a list.

        Pages are the default because they cost a client a third of the CPU time (measured with 1.36): servers
        send each event of such a stream by itself. A stream costs the server less memory where it does not
        answer lists from its cache. `idle_timeout` is after how many seconds without a byte a connection is
        taken for dead; `sleep` is for tests, as is `resync_sleep`, which handlers' resyncs wait with.
        """
        self._client: Final = client
        self._streams: Final = streams
        self._idle_timeout: Final = idle_timeout
        self._sleep: Final = sleep
        self._resync_sleep: Final = resync_sleep if resync_sleep is not None else sleep
        self._tasks: asyncio.TaskGroup | None = None
        self._context: Context
        self._informers: Final[dict[tuple[object, ...], Informer[Any]]] = {}

    async def __aenter__(self) -> Self:
        self._tasks = await asyncio.TaskGroup().__aenter__()
        self._context = copy_context()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks, self._tasks = self._tasks, None
        for informer in list(self._informers.values()):
            informer.stop()
        if tasks is not None:
            if isinstance(error, asyncio.CancelledError):  # Perhaps by the group, which knows.
                await tasks.__aexit__(kind, error, trace)
            else:  # The group would wrap what the block raises.
                await tasks.__aexit__(None, None, None)

    def of(
        self,
        kind: type[K] | Api[K],
        namespace: str | Iterable[str] | None = None,
        *,
        labels: Labels = "",
        fields: str = "",
        index: Mapping[str, IndexFunction[K]] | None = None,
        transform: Transform[K] | None = drop_managed_fields,
    ) -> Informer[K]:
        """The informer of a kind, in a namespace, in several, or in all.

        `kind` is a type, or an `Api`: `client.dynamic(...)` for a kind without a type, `.metadata()` of one
        for the metadata alone. `labels` and `fields` select what is known at all. `index` has functions by
        name, each of which gives the values under which `by` finds an object; to those of an informer that
        is there already they are added. `transform` gets each object before it is kept, and may drop what
        nobody needs; the default drops managedFields, and None keeps everything.
        """
        if self._tasks is None:
            raise RuntimeError("informers run in a block: async with Informers(client) as informers: ...")
        scope = self._scope(kind, namespace, labels=label_text(labels), fields=fields, transform=transform)
        informer: Informer[K] | None = self._informers.get(scope.key())
        if informer is None:
            informer = Informer(
                scope,
                self,
                streams=self._streams,
                idle_timeout=self._idle_timeout,
                sleep=self._sleep,
                resync_sleep=self._resync_sleep,
                is_served=lambda: self._is_served(scope.api.gvk),
                closed=self._forget,
            )
            self._informers[scope.key()] = informer
        for name, function in (index or {}).items():
            informer.add_index(name, function)
        return informer

    def lister(self, kind: type[K] | Api[K], namespace: str | Iterable[str] | None = None) -> Lister[K]:
        """What reads the objects of a kind from memory: its informer, for those who only read."""
        return self.of(kind, namespace)

    def running(self) -> tuple[Informer[Any], ...]:
        """The informers that there are."""
        return tuple(self._informers.values())

    async def synced(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 - it says what was waited for
        """Wait until every informer knows all that is there. Raises WaitTimeout, which says who does not."""
        loop = asyncio.get_running_loop()
        until = None if timeout is None else loop.time() + timeout
        for informer in list(self._informers.values()):
            await informer.synced(timeout=None if until is None else max(0, until - loop.time()))

    def start(self, work: Awaitable[None], name: str) -> asyncio.Task[None]:
        """Run something for an informer, for as long as the block lasts."""
        if self._tasks is None:
            raise RuntimeError("the informers are closed")
        coroutine: Any = work
        # Who happens to ask for an informer first has nothing to do with what it does from then on: a trace,
        # or a reconcile in the log.
        return self._tasks.create_task(coroutine, name=name, context=self._context.copy())

    def _scope(
        self,
        kind: type[K] | Api[K],
        namespace: str | Iterable[str] | None,
        *,
        labels: str,
        fields: str,
        transform: Transform[K] | None,
    ) -> Scope[K]:
        api = kind if isinstance(kind, Api) else self._client.api(kind)
        if namespace is None:
            namespaces: tuple[str, ...] = (api.namespace or "",)
        elif isinstance(namespace, str):
            namespaces = (namespace,)
        else:
            namespaces = tuple(sorted(set(namespace)))
        if not namespaces or (len(namespaces) > 1 and "" in namespaces):
            raise ValueError("give the names of one namespace or more, or none for all")
        return Scope(api, namespaces=namespaces, labels=labels, fields=fields, transform=transform)

    async def _is_served(self, gvk: GroupVersionKind) -> bool:
        """Whether the server serves a kind; so also when it does not say, as one that is not there."""
        try:
            served = await self._client.discovery.refresh()
        except KubewrightError:
            return True
        if gvk.group_version in self._client.discovery.failed:
            return True
        return ResourceIndex(served).of_kind(gvk) is not None

    def _forget(self, informer: Informer[Any]) -> None:
        self._informers.pop(informer.scope.key(), None)
