"""`Informer`: the objects of one kind, in memory, always current, and who is told when they change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from random import Random
from typing import Final, Generic, Protocol, TypeVar

from kubewright.client.api import Api
from kubewright.client.list_watch import ListWatch, compared
from kubewright.client.watch_loop import WatchLoop
from kubewright.informers.changes import Change
from kubewright.informers.handlers import Registration, resync
from kubewright.informers.index import IndexFunction
from kubewright.informers.lister import Lister
from kubewright.informers.reflector import Reflector
from kubewright.informers.server_state import server_state
from kubewright.informers.store import Store
from kubewright.informers.transforms import Transform
from kubewright.machinery.errors import KubewrightError, NotFound, NotSynced, WaitTimeout
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Informer", "Scope"]

K = TypeVar("K", bound=Resource | Unstructured)

_SEEN_WITHIN: Final = 30.0
"""Seconds that `seen` waits by default. What is written is seen after milliseconds, unless the connection is
broken, and then most reconnect in less."""

_MAX_NOTED: Final = 20
"""Reasons that are logged while something is wrong; a server may give a new one each time."""

_log: Final = logging.getLogger("kubewright.informers")


class Tasks(Protocol):
    """Who owns the tasks of an informer."""

    def start(self, work: Awaitable[None], name: str) -> asyncio.Task[None]:
        """Run something until it ends or is cancelled."""


class Scope(Generic[K]):
    """What an informer is about: the API of a kind, and which of its objects."""

    def __init__(
        self,
        api: Api[K],
        *,
        namespaces: tuple[str, ...],
        labels: str,
        fields: str,
        transform: Transform[K] | None,
    ) -> None:
        """`namespaces` has one empty text for all."""
        self.api: Final = api
        self.namespaces: Final = namespaces
        self.labels: Final = labels
        self.fields: Final = fields
        self.transform: Final = transform

    def key(self) -> tuple[object, ...]:
        """What is equal for scopes whose informers can be one."""
        return (self.api.gvk, self.api.form.kind, self.namespaces, self.labels, self.fields, self.transform)

    def __str__(self) -> str:
        where = f" in {', '.join(self.namespaces)}" if any(self.namespaces) else ""
        which = "".join(f" with {part}" for part in (self.labels, self.fields) if part)
        return f"{self.api.gvk.kind}{where}{which}"


class Informer(Lister[K]):
    """The objects of one kind as the API server has them, in memory, and who is told of changes.

    It is got from `Informers.of`, shared by all who ask for the same, and runs until its factory is closed.
    What it guarantees, whatever happens to connections, servers and handlers:

    - For each object, a handler is told of its states in order. It may miss states in between, and is never
      told of an older one after a newer one.
    - A deletion is told exactly once, with the last known state, also if it happened while the connection was
      broken, or before the handler was told of the object at all. An object that was deleted and made anew
      under its name (with another uid) is a deletion and an addition.
    - Readers never see a part of a list that is taken over, nor an object that was gone before the list.
    - A handler that is slow or fails holds up no other, and its queue holds at most what there is to tell of
      each object, not each event.
    - What went wrong is tried again, for as long as it takes: a kind that is not served yet is found when it
      comes. When a kind is not served any more, its objects are deleted ones.
    """

    def __init__(
        self,
        scope: Scope[K],
        tasks: Tasks,
        *,
        streams: bool = False,
        idle_timeout: float,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        resync_sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        is_served: Callable[[], Awaitable[bool]],
        closed: Callable[[Informer[K]], None],
    ) -> None:
        """`is_served` asks whether there is such a kind; `closed` is called when it is."""
        super().__init__(Store(scope.namespaces), str(scope))
        self.scope: Final = scope
        self._handlers: Final[list[Registration[K]]] = []
        self._tasks: Final = tasks
        self._resync_sleep: Final = resync_sleep
        self._is_served: Final = is_served
        self._when_closed: Final = closed
        self._own: Final[set[asyncio.Task[None]]] = set()
        self._all_there: Final = asyncio.Event()
        self._waiters: Final[list[tuple[Callable[[], bool], asyncio.Future[None]]]] = []
        """What callers wait for, each with the test whether it is so."""
        self._reflectors: Final[dict[str, Reflector[K]]] = {}
        self._loops: Final[list[WatchLoop]] = []
        self._closed = False
        for namespace, part in self._store.parts.items():
            requests = ListWatch(labels=scope.labels, fields=scope.fields, streams=streams, random=Random())  # noqa: S311 - for pauses
            reflector = Reflector(scope.api.form, part, self._handlers, requests, transform=scope.transform)
            self._reflectors[namespace] = reflector
            api = scope.api.in_namespace(namespace or None)
            loop = api.watch_loop(reflector, idle_timeout=idle_timeout, sleep=sleep)
            self._loops.append(loop)
            self._start(self._follow(loop, reflector), "informer")

    def on_add(self, handler: Callable[[K], Awaitable[object] | object]) -> Registration[K]:
        """Call a function with each object that is there, and that comes."""

        def told(change: Change[K]) -> Awaitable[object] | object:
            return handler(change.object) if change.type == "ADDED" else None

        return self._register(told, handler, None)

    def on_update(
        self, handler: Callable[[K, K], Awaitable[object] | object], *, resync: float | None = None
    ) -> Registration[K]:
        """Call a function with each object that changes, as it was and as it is."""

        def told(change: Change[K]) -> Awaitable[object] | object:
            old, new = change.old, change.new
            return handler(old, new) if old is not None and new is not None else None

        return self._register(told, handler, resync)

    def on_delete(self, handler: Callable[[K], Awaitable[object] | object]) -> Registration[K]:
        """Call a function with the last known state of each object that is deleted."""

        def told(change: Change[K]) -> Awaitable[object] | object:
            return handler(change.object) if change.type == "DELETED" else None

        return self._register(told, handler, None)

    def on_change(
        self, handler: Callable[[Change[K]], Awaitable[object] | object], *, resync: float | None = None
    ) -> Registration[K]:
        """Call a function with each change, of all three types.

        A handler is told first of what is there, as ADDED. Handlers have queues of their own: of an object's
        addition, changes and deletion one handler is told in order, two handlers each at its own pace. So
        that what belongs together should be one `on_change`, and not an `on_add` and an `on_delete`.
        `resync` is after how many seconds it is told of all objects again, as a change that changes nothing.
        A function that is no coroutine function must not take long: it keeps the event loop from all else.
        """
        return self._register(handler, handler, resync)

    def add_index(self, name: str, function: IndexFunction[K]) -> None:
        """Have an index, for `by`. Raises ValueError when there is another one of that name."""
        self._store.add_index(name, function)

    @property
    def last_error(self) -> KubewrightError | None:
        """What went wrong last; None while nothing is wrong."""
        return next((loop.last_error for loop in self._loops if loop.last_error is not None), None)

    @property
    def trouble(self) -> str:
        """What went wrong last, in words and with what helps; empty while nothing is wrong."""
        error = self.last_error
        return "" if error is None else self._told(error)

    @property
    def is_synced(self) -> bool:
        """Whether all that is there is known."""
        return self._all_there.is_set() and not self._closed

    async def synced(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 - it says what was waited for
        """Wait until all that is there is known. Raises WaitTimeout, which says why it is not.

        Raises NotSynced when the informer is closed, now or meanwhile.
        """
        try:
            async with asyncio.timeout(timeout):
                await self._all_there.wait()
        except TimeoutError:
            why = self.trouble or "the server has not answered yet"
            raise WaitTimeout(f"{self._what} was not synced within {timeout:g} seconds: {why}") from None
        if self._closed:
            raise NotSynced(self._unreadable)

    async def tried(self) -> None:
        """Wait until it is synced, or something goes wrong, which `last_error` tells. Raises NotSynced."""
        unmet = f"the informer of {self._what} did not try"
        await self._wait(lambda: self._all_there.is_set() or self.last_error is not None, unmet, None)

    async def seen(
        self,
        written: K | str,
        *,
        namespace: str | None = None,
        at: float | None = None,
        timeout: float | None = _SEEN_WITHIN,  # noqa: ASYNC109 - it says what was waited for
    ) -> None:
        """Wait until what was written can be read here: an object as a write returned it, or its revision.

        With a revision, `namespace` is where it was written, for informers of several namespaces. `at` is
        when the answer had come, by `time.monotonic`: what a server that was restored from a backup does not
        have any more counts as seen once all was listed anew. An object
        that the selectors of this informer leave out is seen with the next bookmark, which servers send about
        once a minute. Raises WaitTimeout, NotSynced when the informer is closed, now or meanwhile, and
        ValueError for a revision that is no number.
        """
        if not isinstance(written, str):
            namespace, written = written.metadata.namespace, written.metadata.resource_version
        revision = written
        if not revision.isdecimal():
            raise ValueError(f"{revision!r} is no resourceVersion; give an object as a write returned it")
        await self._wait(
            lambda: self.has_seen(revision, namespace=namespace, at=at),
            f"revision {revision} was not seen by the informer of {self._what}",
            timeout,
        )

    def has_seen(self, revision: str, *, namespace: str | None = None, at: float | None = None) -> bool:
        """Whether what was written at a revision, in a namespace or anywhere, can be read; see `seen`."""
        for where, reflector in self._reflectors.items():
            if namespace is not None and where and where != namespace:
                continue
            if at is not None and reflector.listed_at >= at:
                continue
            if not reflector.revision or compared(reflector.revision, revision) < 0:
                return False
        return True

    async def gone(
        self,
        key: str,
        uid: str,
        *,
        or_marked: bool = False,
        at: float | None = None,
        timeout: float | None = _SEEN_WITHIN,  # noqa: ASYNC109 - it says what was waited for
    ) -> None:
        """Wait until a deletion can be read here: the object is gone, or is another one.

        For after a delete whose answer has no object, and so no revision to wait for. With `or_marked` an
        object will do that says when its deletion began. `at` is as with `seen`: a backup may have the object
        again. Raises as `seen` does.
        """
        unmet = f"the deletion of {key} was not seen by the informer of {self._what}"
        await self._wait(lambda: self.has_gone(key, uid, or_marked=or_marked, at=at), unmet, timeout)

    def has_gone(self, key: str, uid: str, *, or_marked: bool = False, at: float | None = None) -> bool:
        """Whether the deletion of an object can be read here; see `gone`."""
        kept = self._store.get(key)
        if kept is None or kept.metadata.uid != uid:
            return True
        if or_marked and kept.metadata.deletion_timestamp is not None:
            return True
        reflector = self._reflectors.get(kept.metadata.namespace) or self._reflectors.get("")
        return at is not None and reflector is not None and reflector.listed_at >= at

    async def current(self, key: str, *, timeout: float | None = _SEEN_WITHIN) -> None:  # noqa: ASYNC109
        """Wait until an object can be read here as the server has it now, or that it is not there.

        It asks the server for its metadata, with the right to list: for after a write whose answer says no
        revision, or never came. Raises as `caught_up` does.
        """
        kept = self._store.get(key)
        uid = "" if kept is None else kept.metadata.uid
        namespace, _, name = key.rpartition("/")
        api = self.scope.api.in_namespace(namespace or None).metadata()
        found = [each async for each in api.list(fields=f"metadata.name={name}")]
        if found:
            revision = found[0].metadata.resource_version
            await self.seen(revision, namespace=namespace or None, timeout=timeout)
        else:
            await self.gone(key, uid, timeout=timeout)

    async def caught_up(self, *, timeout: float | None = _SEEN_WITHIN) -> None:  # noqa: ASYNC109
        """Wait until all that the server has now can be read here; handlers may not have been told of it yet.

        It asks the server for the metadata of the objects, and waits until they are known here: a watch of
        objects that do not change does not tell how current it is. Raises WaitTimeout, NotSynced when the
        informer is closed, now or meanwhile, and what the server refuses with.
        """
        await self.synced(timeout=timeout)
        for namespace, reflector in self._reflectors.items():
            api = self.scope.api.in_namespace(namespace or None)
            state = await server_state(
                api, labels=self.scope.labels, fields=self.scope.fields, is_known=reflector.has_passed
            )
            unmet = f"the informer of {self._what} did not catch up with revision {state.revision}"
            await self._wait(partial(reflector.has_reached, state), unmet, timeout)

    @property
    def is_idle(self) -> bool:
        """Whether the handlers have been told of all that is known, and have returned."""
        return all(handler.is_idle for handler in self._handlers)

    async def close(self) -> None:
        """Stop, and let go of all that is known. May be called again."""
        tasks = [task for task in self._own if task is not asyncio.current_task()]
        self.stop()
        await asyncio.gather(*tasks, return_exceptions=True)

    def stop(self) -> None:
        """Begin to close: nothing is told or read any more, and tasks that are under way are cancelled."""
        self._closed = True
        self._unreadable = f"the informer of {self._what} is closed"
        self._when_closed(self)
        self._all_there.set()
        for _, waiter in self._waiters:
            if not waiter.done():
                waiter.set_exception(NotSynced(self._unreadable))
        for handler in list(self._handlers):
            handler.remove()
        # A handler that closes its informer ends by itself.
        for task in self._own - {asyncio.current_task()}:
            task.cancel()
        self._store.clear()

    async def _wait(self, is_met: Callable[[], bool], unmet: str, seconds: float | None) -> None:
        """Wait for something that the loops bring about; `unmet` is what is said when they do not."""
        if self._closed:
            raise NotSynced(self._unreadable)
        if is_met():
            return
        waiter = (is_met, asyncio.get_running_loop().create_future())
        self._waiters.append(waiter)
        try:
            async with asyncio.timeout(seconds):
                await waiter[1]
        except TimeoutError:
            why = f": {self.last_error}" if self.last_error else ""
            raise WaitTimeout(f"{unmet} within {seconds:g} seconds{why}") from None
        finally:
            self._waiters.remove(waiter)

    async def _follow(self, loop: WatchLoop, reflector: Reflector[K]) -> None:
        noted: set[str] = set()
        try:
            # Not for good: whatever becomes of a cancellation on its way, a closed informer ends.
            while not self._closed:
                await loop.advance()
                if loop.last_error is not None or noted:
                    self._note(loop.last_error, noted)
                if reflector.seems_gone and not await self._is_served():
                    reflector.gone()
                self._progressed()
        finally:
            await loop.close()

    def _progressed(self) -> None:
        for is_met, waiter in self._waiters:
            if not waiter.done() and is_met():
                waiter.set_result(None)
        if not self._all_there.is_set() and all(each.is_complete for each in self._reflectors.values()):
            self._all_there.set()
            self._unreadable = ""
            for handler in self._handlers:
                handler.push_mark()

    def _note(self, error: KubewrightError | None, noted: set[str]) -> None:
        """Log what goes wrong, each thing once until nothing does, and that it does not any more."""
        if error is None:
            _log.info("the informer of %s goes on", self._what)
            noted.clear()
        elif str(error) not in noted and len(noted) < _MAX_NOTED:
            _log.warning("the informer of %s tries again: %s", self._what, self._told(error))
            noted.add(str(error))

    def _told(self, error: KubewrightError) -> str:
        if not isinstance(error, NotFound):
            return str(error)
        # The server says no more than "404 page not found".
        gvk = self.scope.api.gvk
        return f"the server does not serve {gvk.kind} of {gvk.api_version}; is its definition there?"

    def _register(
        self, told: Callable[[Change[K]], Awaitable[object] | object], handler: object, every: float | None
    ) -> Registration[K]:
        if self._closed:
            raise RuntimeError(self._unreadable)
        if every is not None and every <= 0:
            raise ValueError(f"resync must be more than 0 seconds, not {every:g}")
        name = getattr(handler, "__qualname__", None) or type(handler).__name__
        registration = Registration(told, f"handler {name} of {self._what}")
        for key, kept in self._store.items():
            registration.push(Change(key, None, kept, initial=True))
        if self.is_synced:
            registration.push_mark()
        self._handlers.append(registration)
        tasks = [self._start(registration.run(), "handler")]
        if every is not None:
            telling = resync(registration, every, self._store.items, self._resync_sleep)
            tasks.append(self._start(telling, "resync"))

        def removed() -> None:
            self._handlers.remove(registration)
            for task in tasks[1:]:
                task.cancel()

        registration.when_removed(removed)
        return registration

    def _start(self, work: Awaitable[None], what: str) -> asyncio.Task[None]:
        task = self._tasks.start(work, f"{what} of {self._what}")
        self._own.add(task)
        task.add_done_callback(self._own.discard)
        return task
