"""Which changes of an object are worth a reconcile: functions of a `Change`, joined with `&`, `|` and `~`.

    manager.controller(App, reconcile, predicates=[generation_changed | annotations_changed])

Additions and deletions pass those that compare two states, as with controller-runtime's predicates of the
same names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kubewright.client.objects import Labels, label_text
from kubewright.informers.changes import Change
from kubewright.machinery.label_selectors import parse_label_selector

__all__ = [
    "Predicate",
    "annotations_changed",
    "generation_changed",
    "has_labels",
    "labels_changed",
    "resource_version_changed",
]


class Predicate:
    """A test of a change, which can be joined with others."""

    __slots__ = ("_test",)

    def __init__(self, test: Callable[[Change[Any]], bool]) -> None:
        """`test` says whether a change is worth a reconcile. It is used as a decorator too."""
        self._test: Final = test

    def __call__(self, change: Change[Any]) -> bool:
        return self._test(change)

    def __and__(self, other: Callable[[Change[Any]], bool]) -> Predicate:
        return Predicate(lambda change: self(change) and other(change))

    def __or__(self, other: Callable[[Change[Any]], bool]) -> Predicate:
        return Predicate(lambda change: self(change) or other(change))

    def __invert__(self) -> Predicate:
        return Predicate(lambda change: not self(change))


def _changed(part: Callable[[Any], object]) -> Predicate:
    def test(change: Change[Any]) -> bool:
        old, new = change.old, change.new
        return old is None or new is None or part(old.metadata) != part(new.metadata)

    return Predicate(test)


generation_changed: Final = _changed(lambda metadata: metadata.generation)
"""The spec has changed: status, metadata and resyncs alone do not count."""

resource_version_changed: Final = _changed(lambda metadata: metadata.resource_version)
"""Anything has changed: resyncs do not count."""

labels_changed: Final = _changed(lambda metadata: metadata.labels)
"""The labels have changed."""

annotations_changed: Final = _changed(lambda metadata: metadata.annotations)
"""The annotations have changed."""


def has_labels(labels: Labels) -> Predicate:
    """The object has, or had until now, labels that a selector picks. Raises ParseError for what is none."""
    selector = parse_label_selector(label_text(labels))

    def test(change: Change[Any]) -> bool:
        states = [state for state in (change.old, change.new) if state is not None]
        return any(selector.matches(state.metadata.labels) for state in states)

    return Predicate(test)
