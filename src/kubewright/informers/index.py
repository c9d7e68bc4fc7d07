"""Groups of keys: by the values of an index function, by namespace, by labels."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Generic, TypeVar

from kubewright.machinery.kept import decode_labels, labels_of, private
from kubewright.machinery.label_selectors import Selector
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Index", "IndexFunction", "LabelGroups", "NamespaceGroups"]

K = TypeVar("K", bound=Resource | Unstructured)

IndexFunction = Callable[[K], Iterable[str | None]]
"""The values under which an object is found; None among them counts for nothing."""

_log: Final = logging.getLogger("kubewright.informers")

Groups = dict[str, dict[str, None]]
"""The keys of each group, in the order in which they came."""


def _enter(groups: Groups, group: str, key: str) -> None:
    members = groups.get(group)
    if members is None:
        groups[group] = {key: None}
    else:
        members[key] = None


def _leave(groups: Groups, group: str, key: str) -> None:
    members = groups[group]
    del members[key]
    if not members:
        del groups[group]


class Index(Generic[K]):
    """The keys of objects by what a function says of them.

    A function that raises leaves the object out of the index, and is reported in the log.
    """

    def __init__(self, name: str, function: IndexFunction[K]) -> None:
        self.name: Final = name
        self.function: Final = function
        self._groups: Final[Groups] = {}
        self._values: Final[dict[str, tuple[str, ...]]] = {}
        self._staged: Final[dict[str, tuple[str, ...]]] = {}

    def stage(self, key: str, kept: K) -> None:
        """Ask the function about an object that is going to be entered."""
        self._staged[key] = self._ask(kept)

    def unstage(self) -> None:
        """Forget the objects that were going to be entered."""
        self._staged.clear()

    def enter(self, key: str, old: K | None, new: K) -> None:
        """Have an object at a key, in place of another one there."""
        staged = self._staged.pop(key, None)
        values = self._ask(new) if staged is None else staged
        known = self._values.get(key, ())
        if values == known:
            return
        for value in known:
            _leave(self._groups, value, key)
        for value in values:
            _enter(self._groups, value, key)
        if values:
            self._values[key] = values
        else:
            self._values.pop(key, None)

    def leave(self, key: str, old: K) -> None:
        """Have no object at a key any more."""
        for value in self._values.pop(key, ()):
            _leave(self._groups, value, key)

    def keys(self, value: str) -> Iterable[str]:
        """The keys of the objects with a value."""
        return self._groups.get(value, ())

    def values(self) -> list[str]:
        """The values that objects have."""
        return list(self._groups)

    def _ask(self, kept: K) -> tuple[str, ...]:
        obj = private(kept)
        try:
            values = self.function(obj)
            if isinstance(values, str):
                # Not which: it may be of a Secret, and this is logged.
                raise TypeError("it returned a text; return a list of texts")  # noqa: TRY301
            return tuple(dict.fromkeys(value for value in values if value is not None))
        except Exception:
            _log.exception("index %r leaves %s out: its function failed", self.name, obj)
            return ()


class NamespaceGroups(Generic[K]):
    """The keys of objects by namespace, as their keys say it."""

    def __init__(self) -> None:
        self._groups: Final[Groups] = {}

    def enter(self, key: str, old: K | None, new: K) -> None:
        """Have an object at a key."""
        if old is None:
            _enter(self._groups, _namespace(key), key)

    def leave(self, key: str, old: K) -> None:
        """Have no object at a key any more."""
        _leave(self._groups, _namespace(key), key)

    def keys(self, namespace: str) -> Iterable[str]:
        """The keys of a namespace."""
        return self._groups.get(namespace, ())


def _namespace(key: str) -> str:
    namespace, slash, _ = key.partition("/")
    return namespace if slash else ""


class LabelGroups(Generic[K]):
    """The keys of objects by their labels: a selector is tried once on each set of labels that occurs.

    The replicas of a workload have the same labels, so that these are far fewer than the objects.
    """

    def __init__(self) -> None:
        self._groups: Final[dict[bytes, tuple[Mapping[str, str], dict[str, None]]]] = {}

    def enter(self, key: str, old: K | None, new: K) -> None:
        """Have an object at a key, in place of another one there."""
        labels = labels_of(new)
        if old is not None:
            if labels_of(old) == labels:
                return
            self.leave(key, old)
        group = self._groups.get(labels)
        if group is None:
            group = self._groups[labels] = (decode_labels(labels), {})
        group[1][key] = None

    def leave(self, key: str, old: K) -> None:
        """Have no object at a key any more."""
        labels = labels_of(old)
        _, members = self._groups[labels]
        del members[key]
        if not members:
            del self._groups[labels]

    def keys(self, selector: Selector) -> Iterable[str]:
        """The keys of the objects that a selector selects."""
        for labels, members in self._groups.values():
            if selector.matches(labels):
                yield from members
