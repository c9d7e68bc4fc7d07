"""The caches of a manager: one informer for each kind that controllers watch or read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.controllers.registration import check_indexes
from kubewright.informers import Informer, Informers
from kubewright.informers.index import IndexFunction
from kubewright.machinery.errors import NotSynced
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Cache", "NoCache"]

K = TypeVar("K", bound=Resource | Unstructured)


_NO_INFORMERS: Final[Mapping[type, Informer[Any]]] = {}


class Cache:
    """Informers by kind, started when somebody first watches or reads a kind, for as long as a manager runs.

    Informers wait for a kind that is not served yet, and pick up one that comes back.
    """

    without_index = "is not cached by this manager, and so has no index"
    remedy = "leave it out of uncached= and its namespace in namespaces="
    """What is said to somebody who asks for an index of what is not cached."""

    def __init__(
        self,
        client: Client,
        informers: Informers,
        *,
        namespaces: Sequence[str] = (),
        uncached: Iterable[GroupVersionKind] = (),
        started: asyncio.Event | None = None,
    ) -> None:
        """`namespaces` are those that are watched, none for all; `uncached` is read from the server.

        `started` is set when the informers are, in case that they are not yet.
        """
        self._client: Final = client
        self._informers: Final = informers
        self._namespaces: Final = tuple(namespaces)
        self._uncached: Final = frozenset(uncached)
        self._started: Final = started
        self._indexes: Final[dict[tuple[GroupVersionKind, type], dict[str, IndexFunction[Any]]]] = {}
        self._by_kind: Final[dict[GroupVersionKind, dict[type, Informer[Any]]]] = {}
        self._stopping: Final = asyncio.Event()

    def index(self, kind: type[K] | Api[K], functions: Mapping[str, IndexFunction[K]]) -> None:
        """Have indexes of the informer that a kind has, or will have. Raises ValueError for a taken name."""
        api: Api[K] = kind if isinstance(kind, Api) else self._client.api(kind)
        wanted = self._indexes.setdefault((api.gvk, api.form.kind), {})
        informer: Informer[K] | None = self._by_kind.get(api.gvk, {}).get(api.form.kind)
        check_indexes(api.gvk.kind, functions)
        for name, function in functions.items():
            if name in wanted:
                raise ValueError(f"{api.gvk.kind} has an index {name!r} already; give this one another name")
            wanted[name] = function
            if informer is not None:
                informer.add_index(name, function)

    async def informer(self, kind: type[K] | Api[K]) -> Informer[K]:
        """The informer of a kind, which need not be synced yet."""
        if self._started is not None:
            await self._started.wait()
        api: Api[K] = kind if isinstance(kind, Api) else self._client.api(kind)
        forms = self._by_kind.setdefault(api.gvk, {})
        informer: Informer[K] | None = forms.get(api.form.kind)
        if informer is None:
            where = self._namespaces if self._namespaces and (await api.endpoint()).namespaced else None
            index = self._indexes.get((api.gvk, api.form.kind))
            # It may have come while the kind was looked for.
            informer = forms.get(api.form.kind)
            if informer is None:
                informer = self._informers.of(api.in_namespace(None), where, index=index)
                forms[api.form.kind] = informer
        return informer

    async def filled(self, kind: type[K] | Api[K]) -> Informer[K]:
        """The informer of a kind when it has all that is there, however long that takes.

        Raises NotSynced once the manager stops and something keeps it from that: a kind that is not served,
        or a right that is missing.
        """
        informer = await self.informer(kind)
        if informer.is_synced:
            return informer
        synced = asyncio.ensure_future(informer.synced())
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait((synced, stopping), return_when=asyncio.FIRST_COMPLETED)
            if not synced.done():
                await informer.tried()
                if not informer.is_synced:
                    what, why = informer.scope, informer.trouble
                    raise NotSynced(f"the manager stops, and the cache of {what} was never filled: {why}")
            await synced
        finally:
            synced.cancel()
            stopping.cancel()
        return informer

    def if_filled(self, api: Api[K]) -> Informer[K] | None:
        """The informer of a kind if it has all that is there; else `filled` waits for it."""
        informer: Informer[K] | None = self._by_kind.get(api.gvk, _NO_INFORMERS).get(api.form.kind)
        return informer if informer is not None and informer.is_synced else None

    def stop_waiting(self) -> None:
        """Have no read wait for what does not come any more: reconciles under way are to end."""
        self._stopping.set()

    def holds(self, api: Api[Any]) -> bool:
        """Whether reads of an API are answered from memory; else they go to the server."""
        if api.gvk in self._uncached:
            return False
        return not self._namespaces or api.namespace is None or api.namespace in self._namespaces

    def has_indexes(self, api: Api[Any]) -> bool:
        """Whether the indexes of an API can be asked."""
        return self.holds(api)

    def watches(self, gvk: GroupVersionKind) -> bool:
        """Whether somebody reads a kind from memory, or waits to."""
        return gvk in self._by_kind

    def running(self, gvk: GroupVersionKind) -> list[Informer[Any]]:
        """The informers of a kind that somebody reads, typed and untyped."""
        return [each for each in self._by_kind.get(gvk, {}).values() if each.is_synced]


class NoCache(Cache):
    """For clients of the same type where no manager runs: nothing is read from memory."""

    without_index = "has no index where no manager has caches"
    remedy = "have a Manager serve it"

    def holds(self, api: Api[Any]) -> bool:
        """Nothing."""
        return False
