"""The clients of one reconcile, one for each cluster that it works with."""

from __future__ import annotations

from typing import Final

from kubewright.controllers.cached_client import CachedClient
from kubewright.controllers.managed_cluster import Clusters, ManagedCluster
from kubewright.controllers.own_writes import OwnWrites

__all__ = ["ReconcileClients"]


class ReconcileClients:
    """Makes the clients of one reconcile as they are asked for, and knows what was written through them."""

    __slots__ = ("_clients", "_clusters", "own")

    def __init__(self, clusters: Clusters, own: ManagedCluster) -> None:
        """`own` is the cluster of the reconciled object."""
        self._clusters: Final = clusters
        self._clients: Final[dict[str, tuple[CachedClient, OwnWrites]]] = {}
        self.own: Final = self._made(own)

    def of(self, which: ManagedCluster | str) -> CachedClient:
        """The client of a cluster. Raises LookupError for one that the manager does not have."""
        cluster = self._clusters.of(which)
        known = self._clients.get(cluster.name)
        return known[0] if known is not None else self._made(cluster)

    def writes(self) -> tuple[OwnWrites, ...]:
        """What was written so far, for each cluster."""
        return tuple(writes for _, writes in self._clients.values() if writes)

    def _made(self, cluster: ManagedCluster) -> CachedClient:
        writes = OwnWrites(cluster.cache)
        client = CachedClient(cluster.client, cluster.cache, writes)
        self._clients[cluster.name] = client, writes
        return client
