"""Changing a stored object as the server itself does it: no rules, no admission, no managers."""

from __future__ import annotations

from collections.abc import Callable

from kubewright.server.kinds.kind import Object
from kubewright.server.registry.store import Store
from kubewright.server.storage import KeyMissing, RevisionMismatch

__all__ = ["modify"]


async def modify(
    store: Store, namespace: str, name: str, change: Callable[[Object], None], *, dry_run: bool = False
) -> bytes:
    """Let `change` change an object, and store it when it did; returns its stored form.

    `change` is called again when somebody else was faster. Raises NotFound, and what `change` raises.
    """
    resource = store.type
    while True:
        entry = store.get(namespace, name)
        obj = await store.load(entry.value)
        change(obj)
        if resource.converts:
            obj = await resource.convert_to_storage(obj)
        if dry_run:
            return resource.encode_unstored(obj)
        value = resource.encode(obj)
        if value.before + str(entry.revision).encode() + value.after == entry.value:
            return entry.value
        try:
            updated = await store.storage.update(entry.key, value, expected_revision=entry.revision)
        except (RevisionMismatch, KeyMissing):
            continue
        return updated.value
