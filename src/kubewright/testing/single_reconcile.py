"""`reconcile_once`: one reconcile of one object, for tests that need no manager."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from kubewright.controllers.cache import Cache
from kubewright.controllers.cached_client import CachedClient
from kubewright.controllers.clock import RECONCILE_CLOCK
from kubewright.controllers.context import Context, ReconcileLog
from kubewright.controllers.managed_cluster import Clusters, ManagedCluster
from kubewright.controllers.outcomes import outcome_of
from kubewright.controllers.own_writes import OwnWrites
from kubewright.controllers.reconcile_clients import ReconcileClients
from kubewright.controllers.reconciling import RECONCILING, Reconciling
from kubewright.controllers.requests import Request, Result

if TYPE_CHECKING:
    from kubewright.client.api import Api
    from kubewright.client.client import Client
    from kubewright.controllers.controller import Reconcile
    from kubewright.informers.index import IndexFunction
    from kubewright.machinery.resource import Resource
    from kubewright.machinery.unstructured import Unstructured
    from kubewright.testing.clock import ManualClock

__all__ = ["reconcile_once"]

_NAME: Final = "reconcile-once"
"""What logs and events call the controller that is not there."""


async def reconcile_once(
    client: Client,
    reconcile: Reconcile,
    request: Request | Resource | Unstructured,
    *,
    clock: ManualClock | None = None,
    index: Mapping[type[Any], Mapping[str, IndexFunction[Any]]] | None = None,
) -> Result | None:
    """Reconcile one object once, and return what the reconciler returned; what it raises is raised.

    `request` is what to reconcile, or the object. The reconciler's client reads from the server and not from
    caches, so that it sees what it has just written. With a `clock`, the times of conditions and events and
    `ctx.now()` are those of it. `index` has the indexes for `by`, as `manager.index` gets them. When it
    returns, the events are sent. Raises TypeError for an answer that is neither None nor a Result.
    """
    wanted = request if isinstance(request, Request) else Request.of(request)
    clusters = Clusters(ManagedCluster(client, clock=clock))
    reconciling = Reconciling(_NAME, "", "", wanted.namespace, wanted.name, _NAME)
    tokens = RECONCILING.set(reconciling), RECONCILE_CLOCK.set(clock)
    try:
        async with clusters:
            context = Context(
                wanted,
                _UncachedClients(clusters, index or {}),
                log=ReconcileLog(logging.getLogger("kubewright.controllers"), reconciling),
                recorder=clusters.own.recorder.named(_NAME),
            )
            result = await reconcile(context, wanted)
    finally:
        RECONCILING.reset(tokens[0])
        RECONCILE_CLOCK.reset(tokens[1])
    error = outcome_of(result).error
    if error is not None:
        raise error
    return result


class _UncachedClients(ReconcileClients):
    """Those of a reconcile whose reads all go to the server, but for those of indexes, which it has not."""

    def __init__(
        self, clusters: Clusters, index: Mapping[type[Any], Mapping[str, IndexFunction[Any]]]
    ) -> None:
        self._index: Final = index
        super().__init__(clusters, clusters.own)

    def _made(self, cluster: ManagedCluster) -> CachedClient:
        cache = _Uncached(cluster.client, cluster.informers)
        for kind, functions in self._index.items():
            cache.index(kind, functions)
        writes = OwnWrites(cache)
        client = CachedClient(cluster.client, cache, writes)
        self._clients[cluster.name] = client, writes
        return client


class _Uncached(Cache):
    def holds(self, api: Api[Any]) -> bool:
        """Nothing."""
        return False

    def has_indexes(self, api: Api[Any]) -> bool:
        """Those that were given: the server has none."""
        return True
