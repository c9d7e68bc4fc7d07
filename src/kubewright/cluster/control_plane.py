"""Runs the controllers of a cluster on its server, in one manager with shared caches."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Final

from kubewright.cluster.loading import load_workload_rules
from kubewright.cluster.loopback import loopback_client
from kubewright.cluster.nodes.acting import NODE_STATUS, acting_node
from kubewright.cluster.nodes.pods_by_node import BY_NODE, node_of
from kubewright.cluster.parts import Parts
from kubewright.controllers.manager import Manager
from kubewright.controllers.reconciling import RECONCILING
from kubewright.models.core_v1 import Pod
from kubewright.server.registry.write import User

__all__ = ["control_plane"]

_STOP_WITHIN: Final = 1.0
"""Seconds that reconciles have to end when a cluster stops: theirs are a few requests."""

_AGENT: Final = "kube-controller-manager"
"""Who is recorded as the manager of fields, as upstream's controllers are."""

_ITSELF: Final = User(
    name="system:kube-controller-manager", groups=("system:masters", "system:authenticated")
)
"""Whoever asks outside of a reconcile: the caches, above all."""

_KUBELETS: Final = frozenset({"kubelet", NODE_STATUS})
"""The controllers that act in the names of nodes."""

_log: Final = logging.getLogger("kubewright.cluster")


@asynccontextmanager
async def control_plane(parts: Parts) -> AsyncIterator[Manager]:
    """A manager with the controllers of a cluster, which runs until the block is left."""
    identities = _Identities({entry.name: entry.account for entry in parts.controllers if entry.account})
    async with (
        loopback_client(parts.server, user=identities.current, user_agent=_AGENT) as client,
        Manager(client, signals=False, stop_timeout=_STOP_WITHIN) as manager,
    ):
        manager.index(Pod, {BY_NODE: node_of})
        for entry in parts.controllers:
            import_module(f"kubewright.cluster.{entry.module}").setup(manager, parts)
        running = asyncio.create_task(_run(manager), name="control plane")
        loading = asyncio.create_task(_load(parts), name="rules of workloads")
        try:
            yield manager
        finally:
            loading.cancel()
            manager.stop()
            await asyncio.gather(running, loading, return_exceptions=True)


async def _run(manager: Manager) -> None:
    """The manager, whose failure is told and leaves the server running."""
    try:
        await manager.run()
    except Exception:
        _log.exception("the controllers of the cluster have failed; the server goes on without them")


async def _load(parts: Parts) -> None:
    """What the first workloads need; what fails here fails in earnest when it is needed."""
    try:
        await load_workload_rules(parts.server.registry)
    except Exception:
        _log.exception("the rules of workloads could not be loaded ahead")


class _Identities:
    """Who a request is from: the service account of the controller that reconciles, or a node."""

    def __init__(self, accounts: Mapping[str, str]) -> None:
        self._users: Final = {name: _service_account(account) for name, account in accounts.items()}

    def current(self) -> User:
        """Whom the running code acts for."""
        reconciling = RECONCILING.get()
        if reconciling is None:
            return _ITSELF
        if reconciling.controller in _KUBELETS:
            return acting_node()
        return self._users.get(reconciling.controller, _ITSELF)


def _service_account(name: str) -> User:
    if ":" in name:
        return User(name=name, groups=("system:masters", "system:authenticated"))
    groups = ("system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated")
    return User(name=f"system:serviceaccount:kube-system:{name}", groups=groups)
