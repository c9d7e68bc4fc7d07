"""Groups of keys: by what a function says, by namespace, by labels."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import pytest

from kubewright.informers.index import Index, LabelGroups, NamespaceGroups
from kubewright.machinery.label_selectors import parse_label_selector
from kubewright.models.core_v1 import ConfigMap
from tests.informers.objects import kept


def by_data(obj: ConfigMap) -> list[str]:
    return list(obj.data.values())


def with_data(revision: int, **data: str) -> ConfigMap:
    return kept("a", revision, data=data)


def test_an_object_is_found_under_each_of_its_values_and_under_no_old_one() -> None:
    index = Index("data", by_data)
    one, two, three = with_data(1, x="1", y="2"), with_data(2, x="2", y="3", z="2"), with_data(3)
    index.enter("a", None, one)
    index.enter("b", None, one)
    assert {value: list(index.keys(value)) for value in index.values()} == {"1": ["a", "b"], "2": ["a", "b"]}
    index.enter("a", one, two)
    assert {value: set(index.keys(value)) for value in index.values()} == {
        "1": {"b"},
        "2": {"a", "b"},
        "3": {"a"},
    }
    index.enter("a", two, three)
    index.leave("b", one)
    assert index.values() == []
    assert list(index.keys("1")) == []
    index.leave("a", three)
    index.enter("a", None, one)
    assert list(index.keys("1")) == ["a"]


def test_none_counts_for_nothing_and_twice_for_once() -> None:
    index: Index[ConfigMap] = Index("data", lambda obj: [None, "x", "x", None, ""])
    index.enter("a", None, with_data(1))
    assert index.values() == ["x", ""]
    index.leave("a", with_data(1))
    assert index.values() == []


def raising(obj: ConfigMap) -> list[str]:
    raise KeyError(obj.data["x"])


def half(obj: ConfigMap) -> Iterable[str]:
    yield "before"
    raise KeyError("x")


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (raising, "KeyError"),
        (half, "KeyError"),
        (lambda obj: None, "not iterable"),
        (lambda obj: "text", "it returned a text; return a list of texts"),
        (lambda obj: [["unhashable"]], "unhashable"),
    ],
    ids=["raises", "raises late", "none", "text", "unhashable"],
)
def test_a_function_that_fails_leaves_the_object_out_and_is_reported(
    function: Any, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    index = Index("mine", function)
    with caplog.at_level(logging.ERROR, "kubewright.informers"):
        index.enter("default/a", None, with_data(1, x="1"))
    assert index.values() == []
    (record,) = caplog.records
    assert record.getMessage() == "index 'mine' leaves ConfigMap default/a out: its function failed"
    assert why in caplog.text
    index.leave("default/a", with_data(1))


def test_one_that_fails_later_leaves_the_object_out_from_then_on() -> None:
    index: Index[ConfigMap] = Index("x", lambda obj: [obj.data["x"]])
    one, two = with_data(1, x="1"), with_data(2)
    index.enter("a", None, one)
    index.enter("a", one, two)
    assert index.values() == []
    index.enter("a", two, one)
    assert list(index.keys("1")) == ["a"]


def test_a_function_may_do_to_its_object_what_it_likes() -> None:
    obj = with_data(1, x="1")
    before = obj.to_dict()

    def function(obj: ConfigMap) -> list[str]:
        obj.data["x"] = "2"
        obj.metadata.labels["mine"] = "yes"
        return [obj.data["x"]]

    index = Index("x", function)
    index.enter("a", None, obj)
    assert obj.to_dict() == before
    assert index.values() == ["2"]


def test_a_function_is_asked_once_about_what_was_staged() -> None:
    asked: list[str] = []

    def function(obj: ConfigMap) -> list[str]:
        asked.append(obj.metadata.resource_version)
        return by_data(obj)

    index = Index("x", function)
    index.stage("a", with_data(1, x="1"))
    index.stage("b", with_data(2, x="2"))
    assert index.values() == [], "seen before it took effect"
    index.enter("a", None, with_data(1, x="1"))
    assert asked == ["1", "2"]
    assert index.values() == ["1"]
    index.enter("a", with_data(1, x="1"), with_data(4, x="4"))
    assert asked == ["1", "2", "4"], "what was staged has come already"
    index.unstage()
    index.enter("b", None, with_data(3, x="3"))
    assert asked == ["1", "2", "4", "3"], "what was staged is not what came"
    assert set(index.values()) == {"3", "4"}


def test_namespaces_are_those_of_the_keys() -> None:
    groups = NamespaceGroups[ConfigMap]()
    obj = with_data(1)
    for key in ("one/a", "one/b", "two/a", "alone"):
        groups.enter(key, None, obj)
    groups.enter("one/a", obj, obj)
    assert list(groups.keys("one")) == ["one/a", "one/b"]
    assert list(groups.keys("")) == ["alone"]
    groups.leave("one/a", obj)
    groups.leave("two/a", obj)
    assert list(groups.keys("one")) == ["one/b"]
    assert list(groups.keys("two")) == []
    assert list(groups.keys("three")) == []


def test_labels_that_change_move_an_object() -> None:
    groups = LabelGroups[ConfigMap]()
    web, api, none = (
        kept("a", 1, labels={"app": "web"}),
        kept("a", 2, labels={"app": "api"}),
        kept("a", 3),
    )

    def keys(selector: str) -> list[str]:
        return sorted(groups.keys(parse_label_selector(selector)))

    groups.enter("a", None, web)
    groups.enter("b", None, web)
    groups.enter("c", None, none)
    assert keys("app=web") == ["a", "b"]
    assert keys("app!=web") == ["c"]
    groups.enter("a", web, api)
    groups.enter("b", web, web)
    assert (keys("app=web"), keys("app=api"), keys("app")) == (["b"], ["a"], ["a", "b"])
    groups.enter("c", none, web)
    groups.leave("b", web)
    assert (keys("app=web"), keys("!app")) == (["c"], [])
    groups.leave("a", api)
    groups.leave("c", web)
    assert keys("") == []


def test_a_selector_is_tried_once_for_objects_with_equal_labels() -> None:
    tried: list[Any] = []

    class Selector:
        def matches(self, labels: Any) -> bool:
            tried.append(labels)
            return True

    groups = LabelGroups[ConfigMap]()
    for number in range(100):
        groups.enter(str(number), None, kept("a", number, labels={"app": "web"}))
    selector: Any = Selector()
    assert len(list(groups.keys(selector))) == 100
    assert tried == [{"app": "web"}]
