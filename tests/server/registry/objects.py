"""A registry on a store in memory, for tests without sockets."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from kubewright.server.registry.create import create
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.update import update
from kubewright.server.registry.write import User, Write
from kubewright.server.storage import MemoryStorage

__all__ = ["NOW", "config_map", "made", "new_store", "replaced", "write"]

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def new_store(resource: str = "configmaps", group: str = "", version: str = "v1") -> Store:
    """The store of a resource in a registry of its own, without admission."""
    found = Registry(MemoryStorage(), admission=[]).find(group, version, resource)
    assert found is not None
    return found


def write(namespace: str = "ns") -> Write:
    return Write(user=User(name="me", groups=()), now=NOW, namespace=namespace)


def config_map(name: str, namespace: str = "ns", **labels: str) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "namespace": namespace}
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


async def made(store: Store, *objects: dict[str, Any]) -> None:
    """Creates objects, in this order."""
    for obj in objects:
        await create(store, obj, write(obj["metadata"].get("namespace", "")))


async def replaced(store: Store, obj: dict[str, Any]) -> None:
    """Puts an object in the place of the one with its name."""

    async def change(live: object) -> dict[str, Any]:
        return obj

    await update(store, obj["metadata"]["name"], change, write(obj["metadata"]["namespace"]))
