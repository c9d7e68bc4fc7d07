"""`Change`: what happened to one object, as handlers are told."""

from __future__ import annotations

from typing import Any, Final, Generic, Literal, TypeVar

from kubewright.machinery.kept import private
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Change", "spanning", "then"]

K = TypeVar("K", bound=Resource | Unstructured)


class Change(Generic[K]):
    """One change: `type` (ADDED, MODIFIED or DELETED), `key`, and the object before and after it.

    Each read of `old`, `new` or `object` gives an object of one's own, and costs little; who needs the key
    alone pays for nothing else.
    """

    __slots__ = ("_new", "_old", "initial", "key", "resync")

    def __init__(
        self, key: str, old: K | None, new: K | None, *, initial: bool = False, resync: bool = False
    ) -> None:
        """`old` and `new` are kept objects; for a deletion, `old` is the last known state."""
        self.key: Final = key
        """`namespace/name`, or `name` for an object without a namespace."""
        self._old: Final = old
        self._new: Final = new
        self.initial: Final = initial
        """Whether the object was there when the informer, or the handler, began."""
        self.resync: Final = resync
        """Whether nothing happened, and the handler wanted to be told from time to time."""

    @property
    def type(self) -> Literal["ADDED", "MODIFIED", "DELETED"]:
        """What happened."""
        if self._old is None:
            return "ADDED"
        return "MODIFIED" if self._new is not None else "DELETED"

    @property
    def old(self) -> K | None:
        """The state that this handler was told before, or the last one of an object that was deleted.

        None for an object that was added.
        """
        return private(self._old) if self._old is not None else None

    @property
    def new(self) -> K | None:
        """The state now; None for an object that was deleted."""
        return private(self._new) if self._new is not None else None

    @property
    def object(self) -> K:
        """The state now, or the last one of an object that was deleted."""
        kept: Any = self._new if self._new is not None else self._old
        return private(kept)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"Change({self.type} {self.key})"


def then(first: Change[K], second: Change[K]) -> Change[K] | None:
    """Two changes of one object as one, for a handler that was told of neither; None if it must hear both.

    It must hear of each deletion, and before it of an object that it did not know, or knew in another state:
    of a deletion the last state is told, and whom only the one before concerned would never know.
    """
    if first._new is None:
        return None
    if second._new is None:
        return second if first.resync else None
    return Change(second.key, first._old, second._new, initial=first.initial)


def spanning(first: Change[K], second: Change[K]) -> Change[K]:
    """From before the first of two changes of one object to after the second, deletions left out."""
    return Change(second.key, first._old if first._old is not None else second._old, second._new)
