"""The roles and bindings that every cluster has: made when they are missing, completed when they lack some.

What they are was recorded from kube-apiserver 1.36 and is in bootstrap_policy.json.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from typing import Final

from kubewright.machinery.errors import NotFound
from kubewright.server.authorization.aggregation import Aggregation
from kubewright.server.authorization.bootstrap_objects import bootstrap_objects
from kubewright.server.authorization.reconciliation import reconciled
from kubewright.server.errors import not_found
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.delete import DeleteRequest, delete
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.update import update
from kubewright.server.registry.write import User, Write
from kubewright.server.storage import KeyExists, MemoryStorage, Value

__all__ = ["BootstrapPolicy"]

_GROUP: Final = "rbac.authorization.k8s.io"
_MANAGER: Final = "kube-apiserver"
_SERVER: Final = User(name="system:apiserver", groups=("system:masters",))


class BootstrapPolicy:
    """Brings the policy into a store: `create_missing` before others may write, `run` beside them."""

    def __init__(self, registry: Registry) -> None:
        self._registry: Final = registry
        self._found: list[tuple[Store, str, Value]] = []
        self._revision = 0

    async def create_missing(self) -> None:
        """Create what is missing. Cheap: the objects are good, and nobody else may write yet."""
        storage = self._registry.storage
        missing = []
        for made in bootstrap_objects(datetime.now(UTC), self._store("clusterroles").random):
            store = self._store(made.resource)
            key = store.key(made.namespace, made.name)
            if storage.get(key) is None:
                missing.append((key, made.value))
            else:
                self._found.append((store, made.namespace, made.value))
        if type(storage) is MemoryStorage:
            # Nothing is waited for there, so that tasks would cost more than the writes.
            for key, value in missing:
                await storage.create(key, value)
        else:
            # All at once: a store on disk writes them together.
            await asyncio.gather(*(storage.create(key, value) for key, value in missing))
        self._revision = storage.revision

    async def run(self) -> None:
        """Complete what was there before; then keep the roles that gather others' rules, until cancelled."""
        for store, namespace, value in self._found:
            try:
                await _reconcile(store, namespace, value)
            except (NotFound, KeyExists):
                # Somebody who may is at it.
                continue
        await Aggregation(self._registry).run(after_revision=self._revision, behind=bool(self._found))

    def _store(self, resource: str) -> Store:
        store = self._registry.find(_GROUP, "v1", resource)
        assert store is not None  # noqa: S101 - built in
        return store


async def _reconcile(store: Store, namespace: str, value: Value) -> None:
    """Give an object all rules and subjects that it lacks, unless its annotation forbids."""
    wanted = store.type.decode(value.before + value.after)
    name = wanted["metadata"]["name"]
    live = await store.load(store.get(namespace, name).value)
    if reconciled(live, wanted) is None:
        return
    now = datetime.now(UTC)
    write = Write(user=_SERVER, now=now, namespace=namespace, manager=_MANAGER, path_name=name)
    if live.get("roleRef") != wanted.get("roleRef"):
        # Upstream too makes such a binding anew: what it refers to cannot be changed.
        await delete(store, name, DeleteRequest(), write, admission=False)
        await store.storage.create(store.key(namespace, name), value)
        return
    manager = store.type.manager("")

    async def change(present: Object | None) -> Object:
        if present is None:
            raise not_found(store.type.group_resource, name)
        obj = reconciled(present, wanted) or present
        return await store.type.managed(
            partial(manager.update_no_errors, present, obj, manager=_MANAGER, now=now), present, obj
        )

    await update(store, name, change, write)
