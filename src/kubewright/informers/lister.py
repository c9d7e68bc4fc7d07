"""`Lister`: reads from memory what an informer knows."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Final, Generic, TypeVar

from kubewright.client.objects import Labels, label_text
from kubewright.informers.store import Store
from kubewright.machinery.errors import NotSynced
from kubewright.machinery.kept import private
from kubewright.machinery.label_selectors import parse_label_selector
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Lister"]

K = TypeVar("K", bound=Resource | Unstructured)


class Lister(Generic[K]):
    """Reads out of an informer's memory; an `Informer` is one, and functions that only read can ask for one.

    Every object that is handed out is the reader's own: it may be changed, and nobody else sees it. Reads are
    of one moment, and none shows a part of a list that is taken over. They raise NotSynced until all that is
    there is known, because an empty answer would be a wrong one: `await informers.synced()` first.
    """

    def __init__(self, store: Store[K], what: str) -> None:
        self._store: Final = store
        self._what: Final = what
        self._unreadable = f"the informer of {what} is not synced yet; await its synced() first"
        """Why nothing can be read; empty when it can."""

    def get(self, key: str) -> K | None:
        """The object at `namespace/name`, or at `name` of a kind without namespaces, or None."""
        if self._unreadable:
            raise NotSynced(self._unreadable)
        kept = self._store.get(key)
        return private(kept) if kept is not None else None

    def list(self, namespace: str | None = None, *, labels: Labels = "") -> builtins.list[K]:
        """The objects of a namespace, or of all, in no order; those with certain labels.

        Raises ParseError for labels that are no selector.
        """
        if self._unreadable:
            raise NotSynced(self._unreadable)
        selected = label_text(labels)
        if not namespace and not selected:
            return [private(kept) for _, kept in self._store.items()]
        return self._objects(self._keys(namespace, selected))

    def by(self, index: str, value: str) -> builtins.list[K]:
        """The objects that an index has under a value, in no order. Raises LookupError for no such index."""
        if self._unreadable:
            raise NotSynced(self._unreadable)
        found = self._store.indexes.get(index)
        if found is None:
            known = ", ".join(map(repr, self._store.indexes)) or "none"
            raise LookupError(
                f"the informer of {self._what} has no index {index!r}; it has {known}. Add it with "
                f"manager.index({self._what}, ...) or informers.of({self._what}, index=...)"
            )
        return self._objects(found.keys(value))

    def keys(self, namespace: str | None = None, *, labels: Labels = "") -> builtins.list[str]:
        """The keys of the objects that `list` would give."""
        if self._unreadable:
            raise NotSynced(self._unreadable)
        return builtins.list(self._keys(namespace, label_text(labels)))

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.get(key) is not None

    def __len__(self) -> int:
        if self._unreadable:
            raise NotSynced(self._unreadable)
        return len(self._store)

    def __bool__(self) -> bool:
        return True

    def _keys(self, namespace: str | None, selected: str) -> Iterable[str]:
        if not selected:
            if not namespace:
                return (key for key, _ in self._store.items())
            return self._store.keys_in(namespace)
        keys = self._store.keys_selected(parse_label_selector(selected))
        if not namespace:
            return keys
        start = f"{namespace}/"
        return (key for key in keys if key.startswith(start))

    def _objects(self, keys: Iterable[str]) -> builtins.list[K]:
        get = self._store.get
        return [private(kept) for key in keys if (kept := get(key)) is not None]
