"""What a reconcile has written, so that the next one of the same key does not see what was before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any, Final, NamedTuple, TypeAlias

from kubewright.controllers.cache import Cache
from kubewright.informers import Informer
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.meta import ObjectMeta

__all__ = ["NoWrites", "OwnWrites", "Shows"]

Shows: TypeAlias = Callable[[Any], bool]
"""Whether an object of a cache, or None for one that it has not, shows that a write was done."""


class _Written(NamedTuple):
    namespace: str
    name: str
    revision: str
    """Empty for an object that is gone."""
    uid: str
    at: float
    """When the answer had come, by the clock of the caches: what was lost since is not waited for."""
    or_marked: bool = False
    """Of an object that is gone: whether one will do whose deletion has begun."""

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class OwnWrites:
    """The last write of each object of one cluster by one reconcile."""

    __slots__ = ("_cache", "_last", "_unsure")

    def __init__(self, cache: Cache) -> None:
        """`cache` is that of the cluster."""
        self._cache: Final = cache
        self._last: Final[dict[tuple[GroupVersionKind, str, str], _Written]] = {}
        self._unsure: Final[dict[tuple[GroupVersionKind, str], Shows | None]] = {}
        """Writes of which no revision is known, by the key of the object; empty for any of a kind."""

    def __bool__(self) -> bool:
        return bool(self._last or self._unsure)

    def names(self) -> list[str]:
        """What was written, as `ConfigMap default/web`; with ` (deleted)` if it is gone."""
        known = [
            f"{gvk.kind} {each.key}" + ("" if each.revision else " (deleted)")
            for (gvk, _, _), each in self._last.items()
        ]
        return known + [f"{gvk.kind} {key}".rstrip() for gvk, key in self._unsure]

    def wrote(self, gvk: GroupVersionKind, metadata: ObjectMeta) -> None:
        """Note the metadata of an object as a write returned it."""
        written = _Written(
            metadata.namespace, metadata.name, metadata.resource_version, metadata.uid, monotonic()
        )
        self._last[gvk, written.namespace, written.name] = written
        if self._unsure:
            # Whoever sees this one sees what was before.
            self._unsure.pop((gvk, written.key), None)

    def deleted(
        self, gvk: GroupVersionKind, namespace: str, name: str, uid: str, *, or_marked: bool = False
    ) -> None:
        """Note that an object is gone; with `or_marked`, that it is, or that its deletion has begun."""
        self._last[gvk, namespace, name] = _Written(namespace, name, "", uid, monotonic(), or_marked)

    def unsure(self, gvk: GroupVersionKind, namespace: str, name: str, *, shows: Shows | None = None) -> None:
        """Note a write whose revision is not known, or not even whether it was done.

        The server is asked for the object before the next reconcile begins, unless `shows` says of what the
        cache has that it is in there. Without a `name` it may be any object of the kind.
        """
        key = f"{namespace}/{name}" if namespace and name else name
        self._unsure[gvk, key] = shows

    def are_seen(self) -> bool:
        """Whether the caches have all of it; kinds that are not cached are read from the server anyway."""
        return not any(True for _ in self._unseen()) and not any(True for _ in self._to_ask())

    async def seen(self) -> None:
        """Wait until the caches have all of it.

        Raises WaitTimeout, NotSynced when they are closed, and what the server refuses with that is asked
        for what is not known.
        """
        for informer, written in list(self._unseen()):
            if written.revision:
                await informer.seen(written.revision, namespace=written.namespace, at=written.at)
            else:
                await informer.gone(written.key, written.uid, or_marked=written.or_marked, at=written.at)
        for informer, key in list(self._to_ask()):
            await (informer.current(key) if key else informer.caught_up())

    def _unseen(self) -> Iterator[tuple[Informer[Any], _Written]]:
        for (gvk, _, _), written in self._last.items():
            for informer in self._cache.running(gvk):
                if not _is_seen(informer, written):
                    yield informer, written

    def _to_ask(self) -> Iterator[tuple[Informer[Any], str]]:
        for (gvk, key), shows in self._unsure.items():
            for informer in self._cache.running(gvk):
                if shows is None or not shows(informer.get(key)):
                    yield informer, key


class NoWrites(OwnWrites):
    """For clients that no reconcile follows, and that may live as long as the manager: it keeps nothing."""

    __slots__ = ()

    def wrote(self, gvk: GroupVersionKind, metadata: ObjectMeta) -> None:
        """Keep nothing."""

    def deleted(
        self, gvk: GroupVersionKind, namespace: str, name: str, uid: str, *, or_marked: bool = False
    ) -> None:
        """Keep nothing."""

    def unsure(self, gvk: GroupVersionKind, namespace: str, name: str, *, shows: Shows | None = None) -> None:
        """Keep nothing."""


def _is_seen(informer: Informer[Any], written: _Written) -> bool:
    if written.revision:
        return informer.has_seen(written.revision, namespace=written.namespace, at=written.at)
    return informer.has_gone(written.key, written.uid, or_marked=written.or_marked, at=written.at)
