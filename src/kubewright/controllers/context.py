"""`Context`: what a reconciler works with."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from kubewright.controllers.cached_client import CachedClient
from kubewright.controllers.clock import current_time
from kubewright.controllers.events import EventRecorder
from kubewright.controllers.reconcile_clients import ReconcileClients
from kubewright.controllers.reconciling import Reconciling
from kubewright.controllers.requests import Request

if TYPE_CHECKING:
    from kubewright.controllers.managed_cluster import ManagedCluster

__all__ = ["Context", "ReconcileLog"]


class ReconcileLog(logging.LoggerAdapter[logging.Logger]):
    """A logger whose records carry which controller, object and reconcile they are about."""

    def __init__(self, logger: logging.Logger, reconciling: Reconciling) -> None:
        super().__init__(logger)
        self.reconciling: Final = reconciling

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Add them to what the caller gives as `extra`."""
        kwargs["extra"] = {**self.reconciling.extra(), **(kwargs.get("extra") or {})}
        return msg, kwargs


class Context:
    """What one reconcile works with; each has its own."""

    __slots__ = ("_clients", "client", "events", "log", "request")

    def __init__(
        self,
        request: Request,
        clients: ReconcileClients,
        *,
        log: ReconcileLog,
        recorder: EventRecorder,
    ) -> None:
        self.request: Final = request
        self._clients: Final = clients
        self.client: Final = clients.own
        """Reads from the cache and writes to the server; `client.uncached` reads from the server."""
        self.log: Final = log
        self.events: Final = recorder
        """Records events about objects, as `kubectl describe` shows them, in the cluster of `client`."""

    def cluster(self, which: ManagedCluster | str) -> CachedClient:
        """The client of another cluster of the manager, or of its own (""), by itself or by its name.

        It is as `client` is: what is written through it is in the caches before the next reconcile of the
        same key begins, and nothing is written when another manager may lead by now. Raises LookupError.
        """
        return self._clients.of(which)

    def now(self) -> datetime:
        """The date and time, in UTC: that of the manager's clock, which tests can stop."""
        return current_time()

    @property
    def reconcile_id(self) -> str:
        """Stands in every line of the log of this reconcile."""
        return self.log.reconciling.reconcile_id
