"""`Store`: the objects that an informer knows, by key, with what finds them faster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Generic, TypeVar

from kubewright.informers.index import Index, IndexFunction, LabelGroups, NamespaceGroups
from kubewright.machinery.label_selectors import Selector
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Part", "Store"]

K = TypeVar("K", bound=Resource | Unstructured)


class Part(Generic[K]):
    """What one reflector knows: the objects of one namespace, or of all.

    Each method is one step for readers: none of them sees a part of what it does.
    """

    def __init__(self, store: Store[K]) -> None:
        self._store: Final = store
        self.objects: dict[str, K] = {}
        """The kept objects; replaced as a whole by `replace`."""

    def put(self, key: str, kept: K) -> K | None:
        """Have an object at a key; returns the one that was there."""
        old = self.objects.get(key)
        self.objects[key] = kept
        for group in self._store.groups:
            group.enter(key, old, kept)
        return old

    def pop(self, key: str) -> K | None:
        """Have no object at a key; returns the one that was there."""
        old = self.objects.pop(key, None)
        if old is not None:
            for group in self._store.groups:
                group.leave(key, old)
        return old

    def stage(self, key: str, kept: K) -> None:
        """Do what can be done ahead for an object that `replace` is going to bring."""
        for index in self._store.indexes.values():
            index.stage(key, kept)

    def unstage(self) -> None:
        """There will be no `replace` for what was staged."""
        for index in self._store.indexes.values():
            index.unstage()

    def replace(self, objects: dict[str, K]) -> dict[str, K]:
        """Have these objects and no others; returns those that were there before."""
        before, self.objects = self.objects, objects
        for group in self._store.groups:
            for key, old in before.items():
                if key not in objects:
                    group.leave(key, old)
            for key, new in objects.items():
                known = before.get(key)
                if known is not new:
                    group.enter(key, known, new)
        self.unstage()
        return before


class Store(Generic[K]):
    """The objects of an informer. It has a part for each namespace, or one ("") for all.

    Lookups by namespace and by labels make their groups when they are first asked for, and keep them.
    """

    def __init__(self, namespaces: Iterable[str]) -> None:
        self.groups: Final[list[Index[K] | NamespaceGroups[K] | LabelGroups[K]]] = []
        self.indexes: Final[dict[str, Index[K]]] = {}
        self.parts: Final = {namespace: Part(self) for namespace in namespaces}
        self._all: Final = self.parts.get("")
        self._by_namespace: NamespaceGroups[K] | None = None
        self._by_labels: LabelGroups[K] | None = None

    def get(self, key: str) -> K | None:
        """The kept object at a key."""
        if self._all is not None:
            return self._all.objects.get(key)
        part = self.parts.get(key.partition("/")[0])
        return part.objects.get(key) if part is not None else None

    def __len__(self) -> int:
        return sum(len(part.objects) for part in self.parts.values())

    def items(self) -> Iterator[tuple[str, K]]:
        """All keys and kept objects."""
        for part in self.parts.values():
            yield from part.objects.items()

    def add_index(self, name: str, function: IndexFunction[K]) -> None:
        """Have an index from now on. Raises ValueError when there is another one of that name."""
        known = self.indexes.get(name)
        if known is None:
            self.indexes[name] = index = Index(name, function)
            self._begin(index)
        elif known.function != function:
            raise ValueError(f"there is another index {name!r} already; give this one another name")

    def keys_in(self, namespace: str) -> Iterable[str]:
        """The keys of the objects in a namespace."""
        part = self.parts.get(namespace)
        if part is not None and part is not self._all:
            return part.objects
        if self._all is None:
            return ()
        if self._by_namespace is None:
            self._by_namespace = NamespaceGroups()
            self._begin(self._by_namespace)
        return self._by_namespace.keys(namespace)

    def keys_selected(self, selector: Selector) -> Iterable[str]:
        """The keys of the objects with certain labels."""
        if self._by_labels is None:
            self._by_labels = LabelGroups()
            self._begin(self._by_labels)
        return self._by_labels.keys(selector)

    def clear(self) -> None:
        """Let go of everything."""
        self.groups.clear()
        self.indexes.clear()
        self._by_namespace = self._by_labels = None
        for part in self.parts.values():
            part.objects = {}

    def _begin(self, group: Index[K] | NamespaceGroups[K] | LabelGroups[K]) -> None:
        for key, kept in self.items():
            group.enter(key, None, kept)
        self.groups.append(group)
