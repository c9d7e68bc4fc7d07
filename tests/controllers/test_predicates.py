"""Which changes count."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright.controllers.predicates import (
    Predicate,
    annotations_changed,
    generation_changed,
    has_labels,
    labels_changed,
    resource_version_changed,
)
from kubewright.informers import Change
from kubewright.machinery.errors import ParseError
from kubewright.models.core_v1 import ConfigMap


def state(**metadata: Any) -> ConfigMap:
    base = {"name": "a", "namespace": "b", "resourceVersion": "1", "generation": 1}
    return ConfigMap.from_dict({"metadata": base | metadata})


def changed(**metadata: Any) -> Change[ConfigMap]:
    return Change("b/a", state(), state(**metadata))


ADDED = Change("b/a", None, state())
DELETED = Change("b/a", state(), None)
SAME = changed()


@pytest.mark.parametrize(
    "predicate", [generation_changed, labels_changed, annotations_changed, resource_version_changed]
)
def test_additions_and_deletions_count_and_resyncs_do_not(predicate: Predicate) -> None:
    assert predicate(ADDED)
    assert predicate(DELETED)
    assert not predicate(SAME)


@pytest.mark.parametrize(
    ("predicate", "metadata", "other"),
    [
        (generation_changed, {"generation": 2}, {"resourceVersion": "2", "labels": {"a": "b"}}),
        (labels_changed, {"labels": {"a": "b"}}, {"generation": 2, "annotations": {"a": "b"}}),
        (annotations_changed, {"annotations": {"a": "b"}}, {"generation": 2, "labels": {"a": "b"}}),
        (resource_version_changed, {"resourceVersion": "2"}, {}),
    ],
)
def test_each_compares_its_part(
    predicate: Predicate, metadata: dict[str, Any], other: dict[str, Any]
) -> None:
    assert predicate(changed(**metadata))
    assert not predicate(changed(**other))


def test_joined() -> None:
    both = changed(generation=2, labels={"a": "b"})
    one = changed(generation=2)
    assert (generation_changed & labels_changed)(both)
    assert not (generation_changed & labels_changed)(one)
    assert (labels_changed | generation_changed)(one)
    assert not (labels_changed | generation_changed)(SAME)
    assert (~generation_changed)(SAME)
    assert not (~generation_changed)(one)


def test_labels_of_before_and_of_now_count() -> None:
    selected = has_labels("app=web")
    web = {"labels": {"app": "web"}}
    assert selected(changed(**web))
    assert selected(Change("b/a", state(**web), state()))
    assert selected(Change("b/a", state(**web), None))
    assert not selected(changed(labels={"app": "db"}))
    with pytest.raises(ParseError):
        has_labels("app in (")
