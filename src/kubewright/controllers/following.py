"""What a controller watches, in which clusters; and waiting for those that do not answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from kubewright.client.api import Api
from kubewright.controllers.managed_cluster import Clusters, ManagedCluster
from kubewright.controllers.sources import Source, owners_of
from kubewright.informers import Change
from kubewright.informers.handlers import Registration
from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.gvk import GroupKind

__all__ = ["Following", "Watched"]

T = TypeVar("T")

_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 30.0
"""Seconds before a cluster that did not answer is asked again: those of informers."""

_MAX_TOLD: Final = 20
"""Reasons that are logged while a cluster does not answer; it may give a new one each time."""

_log: Final = logging.getLogger("kubewright.controllers")


class Watched(NamedTuple):
    """What a controller watches: the kind that it reconciles, what that owns, and other sources."""

    controller: str
    kind: type[Any] | Api[Any]
    cluster: ManagedCluster
    owns: Sequence[type[Any] | Api[Any] | Source[Any]]
    watches: Sequence[Source[Any]]

    def check(self, clusters: Clusters) -> None:
        """Raise ValueError for what is to be watched in another cluster than it can be.

        Raises LookupError for a cluster that the manager does not have.
        """
        clusters.require(self.kind, self.cluster)
        for each in self.owns:
            if isinstance(each, Source) and each.cluster is not None:
                raise ValueError(
                    f"owns has {each.kind.gvk.kind} of a certain cluster, but owner references hold within "
                    "one; have it in watches=, with a mapping"
                )
            clusters.require(each.kind if isinstance(each, Source) else each, self.cluster)
        for source in self.watches:
            clusters.require(source.kind, self._of(source, clusters))

    def sources(self, clusters: Clusters, *, namespaced: bool) -> list[tuple[Source[Any], ManagedCluster]]:
        """Everything but the kind itself, each with where it is. `namespaced` is whether the kind is."""
        gvk = self.kind.gvk
        mapping = owners_of(GroupKind(gvk.group, gvk.kind), namespaced=namespaced)
        found = []
        for each in self.owns:
            predicates = each.predicates if isinstance(each, Source) else ()
            kind = each.kind if isinstance(each, Source) else each
            found.append((Source(kind, mapping, predicates=predicates), self.cluster))
        return found + [(source, self._of(source, clusters)) for source in self.watches]

    def _of(self, source: Source[Any], clusters: Clusters) -> ManagedCluster:
        return self.cluster if source.cluster is None else clusters.of(source.cluster)


class Following:
    """Tells a controller of changes: of the kind itself, and of other sources."""

    def __init__(
        self,
        watched: Watched,
        clusters: Clusters,
        *,
        own: Callable[[Change[Any]], None],
        others: Callable[[Source[Any], Change[Any]], Awaitable[None]],
        resync: float | None,
    ) -> None:
        """`own` is told of the kind itself, again after `resync` seconds, and `others` of other sources."""
        self._watched: Final = watched
        self._clusters: Final = clusters
        self._own: Final = own
        self._others: Final = others
        self._resync: Final = resync
        self._registrations: Final[list[tuple[Registration[Any], ManagedCluster]]] = []
        self.waits_for = watched.cluster
        """The cluster of which `begin` has not seen all yet."""

    async def begin(self) -> None:
        """Return when everything was told of that is there.

        What a cluster has to be asked for first, which is where a kind without a type is served, is waited
        for, as informers wait for the rest.
        """
        kind, cluster = self._watched.kind, self._watched.cluster
        informer = await self._answered(lambda: cluster.cache.informer(kind), cluster)
        self._registrations.append((informer.on_change(self._own, resync=self._resync), cluster))
        namespaced = False
        if self._watched.owns:
            api = kind if isinstance(kind, Api) else cluster.client.api(kind)
            namespaced = (await self._answered(api.endpoint, cluster)).namespaced
        for source, where in self._watched.sources(self._clusters, namespaced=namespaced):
            self._registrations.append((await self._registered(source, where), where))
        for registration, where in self._registrations:
            self.waits_for = where
            await registration.synced()

    def end(self) -> None:
        """Tell of nothing any more."""
        for registration, _ in self._registrations:
            registration.remove()

    async def _registered(self, source: Source[Any], cluster: ManagedCluster) -> Registration[Any]:
        def changed(change: Change[Any]) -> Awaitable[None]:
            return self._others(source, change)

        informer = await self._answered(lambda: cluster.cache.informer(source.kind), cluster)
        return informer.on_change(changed)

    async def _answered(self, ask: Callable[[], Awaitable[T]], cluster: ManagedCluster) -> T:
        """What a cluster answers, when it does; why it does not is logged, each thing once."""
        self.waits_for = cluster
        pause, name, told = _FIRST_PAUSE, self._watched.controller, set[str]()
        while True:
            try:
                answer = await ask()
            except KubewrightError as error:
                if str(error) not in told and len(told) < _MAX_TOLD:
                    told.add(str(error))
                    _log.warning("%s waits for %s: %s", name, cluster, error)
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                if told:
                    _log.info("%s goes on: %s answers", name, cluster)
                return answer
