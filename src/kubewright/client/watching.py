"""The part of `Api` that is about changes: watching, waiting, and updates under conflict."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Final, Generic, Literal, overload

from kubewright.client.conditions import Condition, read_condition
from kubewright.client.forms import K, encode_object
from kubewright.client.objects import Labels, Objects, label_text
from kubewright.client.request import Request
from kubewright.client.watch import Watch
from kubewright.client.watch_loop import IDLE_TIMEOUT, Follower, WatchLoop
from kubewright.client.watch_state import WatchState
from kubewright.machinery.errors import Conflict, WaitTimeout
from kubewright.machinery.field_selectors import escape_field_value
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.options import ListOptions
from kubewright.machinery.watch import WatchDecoder

__all__ = ["Watching"]

_CONFLICT_PAUSE: Final = 0.01
_CONFLICT_JITTER: Final = 0.1
"""Seconds before a change is tried again, and by which part more at most: client-go's DefaultRetry."""


class Watching(Objects[K], Generic[K]):
    """The part of `Api` that is about changes."""

    def watch(
        self,
        *,
        labels: Labels = "",
        fields: str = "",
        name: str | None = None,
        resource_version: str | None = None,
        initial: bool = True,
        bookmarks: bool = False,
        timeout: float | None = None,
        idle_timeout: float = IDLE_TIMEOUT,
    ) -> Watch[K]:
        """What happens to the objects: `async for event in pods.watch(): ...`; it never just ends.

        It begins with what is there, as ADDED events in no order, and goes on with what changes; without
        `initial` it begins with the changes. Of one object the events come in order, each resourceVersion
        once, and nothing is lost, whatever happens to connections and servers: where the server has forgotten
        what happened, the objects are listed, and what differs from what was told is told. Changes that came
        in between are one event then, and a DELETED carries the last state that was told.

        With `resource_version` it begins with the first change after that revision. Such a watch knows only
        the objects that it told of: if the server has forgotten what happened since, others that have changed
        are ADDED, and of others that are gone nothing is told. "0" begins with what the server has cached.

        `name` picks one object. With `timeout` it ends after so many seconds. With `bookmarks` the BOOKMARK
        events are handed out as well, among them one with `ends_initial_events` when all that was there has
        been told, also after each list in between. `idle_timeout` is after how many seconds without a byte a
        connection is taken for dead. Memory: it keeps the bytes of each object's last state. For what
        iterating raises, see `Watch`.
        """
        for option, seconds in (("timeout", timeout), ("idle_timeout", idle_timeout)):
            if seconds is not None and not seconds > 0:
                raise ValueError(f"{option} must be more than 0 seconds, not {seconds:g}")
        selected = ",".join(part for part in (_by_name(name), fields) if part)
        state = WatchState(
            WatchDecoder(self._form.kind),
            self._form_gvk(),
            labels=label_text(labels),
            fields=selected,
            start=resource_version or "",
            initial=initial,
            bookmarks=bookmarks,
            random=Random(),  # noqa: S311 - for pauses
        )
        return Watch(
            self._sender, self._form, state, self._watch_request, timeout=timeout, idle_timeout=idle_timeout
        )

    def watch_loop(
        self,
        follower: Follower,
        *,
        idle_timeout: float = IDLE_TIMEOUT,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> WatchLoop:
        """The connections of a watch for a follower of one's own, which informers are."""
        return WatchLoop(
            self._sender,
            self._watch_request,
            follower,
            what=self._form.kind.__name__,
            idle_timeout=idle_timeout,
            sleep=sleep,
        )

    # The texts overlap: one that a type checker cannot read is taken for the name of a condition.
    @overload
    async def wait_for(  # type: ignore[overload-overlap]
        self,
        name: str,
        condition: Literal["deleted"],
        *,
        timeout: float,  # noqa: ASYNC109 - it says what was waited for
    ) -> None: ...

    @overload
    async def wait_for(
        self,
        name: str,
        condition: Condition[K],
        *,
        timeout: float,  # noqa: ASYNC109 - it says what was waited for
    ) -> K: ...

    async def wait_for(
        self,
        name: str,
        condition: Condition[K],
        *,
        timeout: float,  # noqa: ASYNC109 - it says what was waited for
    ) -> K | None:
        """Wait until an object fulfils a condition, and return it as it is then.

        The condition is the name of one (`"Ready"`, `"Ready=False"`), met as `kubectl wait` has it; or a
        function of the object; or the word `"deleted"`, which returns None when the object that is there now
        is gone, also when another one has its name. An object that does not exist yet is waited for.

        Raises WaitTimeout, a TimeoutError, which says what the object was last; ParseError for a condition
        that cannot be, and what `watch` raises.
        """
        wanted = read_condition(condition)
        await self._path(name)  # Which refuses a name without a namespace.
        last: K | None = None
        told = False
        watch = self.watch(name=name, bookmarks=True)
        try:
            async with asyncio.timeout(timeout) as limit, watch:
                async for event in watch:
                    told = True
                    if event.type == "BOOKMARK":
                        if wanted.deletion and last is None and event.ends_initial_events:
                            return None
                        continue
                    last = event.object if event.type != "DELETED" else None
                    if last is None and wanted.deletion:
                        return None
                    if last is not None and wanted.met(last):
                        return last
        except TimeoutError:
            if not limit.expired():
                raise
        where = f"{self.gvk.kind} {name!r} was not {wanted} within {timeout:g} seconds"
        if not told:
            raise WaitTimeout(f"{where}: {watch.last_error or 'the server has not said what it is'}")
        raise WaitTimeout(f"{where}: {wanted.shortfall(last)}")

    async def retry_on_conflict(
        self,
        name: str,
        change: Callable[[K], K | Awaitable[K | None] | None],
        *,
        attempts: int = 5,
        subresource: str = "",
    ) -> K:
        """Read an object, change it and update it; all of it again when somebody else was faster.

        `change` gets the object as it is, changes it in place or returns another one, and may be a coroutine
        function; it is called once per attempt. What it leaves is always sent, and a server makes no new
        revision of an update that changes nothing; to write nothing, it raises. `subresource` is what is
        updated, such as "status". The pauses are those of client-go's DefaultRetry.

        Raises Conflict after so many attempts, NotFound, and what `change` raises.
        """
        if attempts < 1:
            raise ValueError(f"attempts must be at least 1, not {attempts}")
        path = await self._path(name)
        target = await self._path(name, subresource)
        random = Random()  # noqa: S311 - for pauses
        for left in reversed(range(attempts)):
            read = self._form.read((await self._send("GET", path, accept=self._form.accept)).body)
            revision = read.metadata.resource_version
            changed = change(read)
            if isinstance(changed, Awaitable):
                changed = await changed
            wanted = read if changed is None else changed
            # One that says no revision would overwrite what happened since.
            wanted.metadata.resource_version = wanted.metadata.resource_version or revision
            body = encode_object(wanted)
            try:
                response = await self._send("PUT", target, body=body, accept=self._form.accept)
            except Conflict:
                if not left:
                    raise
                await asyncio.sleep(_CONFLICT_PAUSE * (1 + random.uniform(0, _CONFLICT_JITTER)))
            else:
                return self._wrote(response)
        raise AssertionError("unreachable")

    async def _watch_request(self, options: ListOptions) -> Request:
        return Request(
            method="GET",
            path=await self._path(),
            query=options.to_query(),
            accept=self._form.accept if options.watch else self._form.accept_list,
        )

    def _form_gvk(self) -> GroupVersionKind:
        """What the objects that are read say they are: metadata alone has a kind of its own."""
        own = getattr(self._form.kind, "gvk", None)
        return own if isinstance(own, GroupVersionKind) else self.gvk


def _by_name(name: str | None) -> str:
    return "" if name is None else f"metadata.name={escape_field_value(name)}"
