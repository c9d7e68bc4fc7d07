"""`Context`: what a reconciler works with."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any, Final

from kubewright.controllers.cached_client import CachedClient
from kubewright.controllers.events import EventRecorder
from kubewright.controllers.reconciling import Reconciling
from kubewright.controllers.requests import Request

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

    __slots__ = ("client", "events", "log", "request")

    def __init__(
        self,
        request: Request,
        client: CachedClient,
        *,
        log: ReconcileLog,
        recorder: EventRecorder,
    ) -> None:
        self.request: Final = request
        self.client: Final = client
        """Reads from the cache and writes to the server; `client.uncached` reads from the server."""
        self.log: Final = log
        self.events: Final = recorder
        """Records events about objects, as `kubectl describe` shows them."""

    @property
    def reconcile_id(self) -> str:
        """Stands in every line of the log of this reconcile."""
        return self.log.reconciling.reconcile_id
