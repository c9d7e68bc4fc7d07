"""What a reconcile has written, so that the next one of the same key does not see what was before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from kubewright.controllers.cache import Cache
from kubewright.informers import Informer
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.meta import ObjectMeta

__all__ = ["OwnWrites"]


class _Written(NamedTuple):
    namespace: str
    name: str
    revision: str
    """Empty for an object that is gone."""
    uid: str

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class OwnWrites:
    """The last write of each object by one reconcile."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: Final[dict[tuple[GroupVersionKind, str, str], _Written]] = {}

    def __bool__(self) -> bool:
        return bool(self._last)

    def wrote(self, gvk: GroupVersionKind, metadata: ObjectMeta) -> None:
        """Note the metadata of an object as a write returned it."""
        written = _Written(metadata.namespace, metadata.name, metadata.resource_version, metadata.uid)
        self._last[gvk, written.namespace, written.name] = written

    def deleted(self, gvk: GroupVersionKind, namespace: str, name: str, uid: str) -> None:
        """Note that an object is gone."""
        self._last[gvk, namespace, name] = _Written(namespace, name, "", uid)

    def are_seen(self, cache: Cache) -> bool:
        """Whether the caches have all of it; kinds that are not cached are read from the server anyway."""
        return not any(True for _ in self._unseen(cache))

    async def seen(self, cache: Cache) -> None:
        """Wait until the caches have all of it. Raises WaitTimeout, and NotSynced when they are closed."""
        for informer, written in list(self._unseen(cache)):
            if written.revision:
                await informer.seen(written.revision, namespace=written.namespace)
            else:
                await informer.gone(written.key, written.uid)

    def _unseen(self, cache: Cache) -> Iterator[tuple[Informer[Any], _Written]]:
        for (gvk, _, _), written in self._last.items():
            for informer in cache.running(gvk):
                if not _is_seen(informer, written):
                    yield informer, written


def _is_seen(informer: Informer[Any], written: _Written) -> bool:
    if written.revision:
        return informer.has_seen(written.revision, namespace=written.namespace)
    kept = informer.get(written.key)
    return kept is None or kept.metadata.uid != written.uid
