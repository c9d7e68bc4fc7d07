"""Reads from memory: what they find, refuse, and hand out."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright.informers.lister import Lister
from kubewright.informers.store import Store
from kubewright.machinery.errors import NotSynced, ParseError
from kubewright.models.core_v1 import ConfigMap
from tests.informers.objects import kept, keys_of

OBJECTS = {
    "one/a": kept("a", 1, namespace="one", labels={"app": "web"}, data={"x": "1"}),
    "one/b": kept("b", 2, namespace="one", labels={"app": "api"}, data={"x": "1"}),
    "two/a": kept("a", 3, namespace="two", labels={"app": "web"}, data={"x": "2"}),
    "onemore/a": kept("a", 4, namespace="onemore", labels={"app": "web"}),
}


def lister(*namespaces: str, synced: bool = True) -> Lister[ConfigMap]:
    store = Store[ConfigMap](namespaces or [""])
    store.add_index("data", lambda obj: list(obj.data.values()))
    for key, obj in OBJECTS.items():
        part = store.parts.get(key.partition("/")[0]) or store.parts.get("")
        if part is not None:
            part.put(key, obj)
    made = Lister(store, "ConfigMap")
    if synced:
        made._unreadable = ""
    return made


BOTH = pytest.mark.parametrize("namespaces", [(), ("one", "onemore", "two")], ids=["all", "some"])


@BOTH
def test_it_finds_by_key_namespace_labels_and_index(namespaces: tuple[str, ...]) -> None:
    reader = lister(*namespaces)
    assert reader.get("one/a") == OBJECTS["one/a"]
    assert reader.get("one/c") is reader.get("a") is reader.get("three/a") is None
    assert keys_of(reader.list()) == sorted(OBJECTS)
    assert keys_of(reader.list("one")) == ["one/a", "one/b"]
    assert reader.list("three") == []
    assert keys_of(reader.list(labels="app=web")) == ["one/a", "onemore/a", "two/a"]
    assert keys_of(reader.list("one", labels={"app": "web"})) == ["one/a"]
    assert keys_of(reader.list("", labels="app=web")) == ["one/a", "onemore/a", "two/a"]
    assert keys_of(reader.list("")) == sorted(OBJECTS)
    assert keys_of(reader.by("data", "1")) == ["one/a", "one/b"]
    assert reader.by("data", "3") == []
    assert len(reader) == 4
    assert "one/a" in reader
    assert "one/c" not in reader
    assert 5 not in reader


@BOTH
@pytest.mark.parametrize("namespace", [None, "", "one", "three"])
@pytest.mark.parametrize("labels", ["", "app=web", {"app": "api"}, "!app"])
def test_keys_are_those_of_what_list_gives(namespaces: tuple[str, ...], namespace: Any, labels: Any) -> None:
    reader = lister(*namespaces)
    assert sorted(reader.keys(namespace, labels=labels)) == keys_of(reader.list(namespace, labels=labels))


@pytest.mark.parametrize(
    "read",
    [
        lambda reader: reader.get("one/a"),
        lambda reader: reader.list(),
        lambda reader: reader.list("one"),
        lambda reader: reader.by("data", "1"),
        lambda reader: reader.by("none", "1"),
        lambda reader: reader.keys(),
        len,
        lambda reader: "one/a" in reader,
    ],
)
def test_until_all_is_known_every_read_says_so(read: Any) -> None:
    reader = lister(synced=False)
    with pytest.raises(
        NotSynced, match=r"the informer of ConfigMap is not synced yet; await its synced\(\) first"
    ):
        read(reader)
    assert bool(reader), "a truth test is no read"


def test_an_index_that_is_not_there_is_an_error_that_names_those_that_are() -> None:
    with pytest.raises(LookupError, match=r"ConfigMap has no index 'node'; it has 'data'\. Add it with"):
        lister().by("node", "n1")
    bare = Lister(Store[ConfigMap]([""]), "ConfigMap")
    bare._unreadable = ""
    with pytest.raises(LookupError, match=r"it has none"):
        bare.by("node", "n1")


@pytest.mark.parametrize("namespace", [None, "one"])
def test_labels_that_are_no_selector_are_an_error(namespace: str | None) -> None:
    reader = lister()
    with pytest.raises(ParseError):
        reader.list(namespace, labels="app in web")
    with pytest.raises(ParseError):
        reader.keys(namespace, labels="app in web")


@pytest.mark.parametrize(
    "read",
    [
        lambda reader: reader.get("one/a"),
        lambda reader: reader.list()[0],
        lambda reader: reader.list("one")[0],
        lambda reader: reader.list(labels="app=web")[0],
        lambda reader: reader.by("data", "1")[0],
    ],
)
def test_every_object_that_is_handed_out_is_the_readers_own(read: Any) -> None:
    reader = lister()
    mine = read(reader)
    mine.metadata.labels["app"] = mine.data["x"] = mine.metadata.name = "mine"
    again = read(reader)
    assert again.key == "one/a"
    assert again.metadata.labels == {"app": "web"}
    assert again.data == {"x": "1"}
    assert keys_of(reader.list(labels="app=web")) == ["one/a", "onemore/a", "two/a"]


def test_an_empty_one_is_no_false_one() -> None:
    empty = Lister(Store[ConfigMap]([""]), "ConfigMap")
    empty._unreadable = ""
    assert len(empty) == 0
    assert bool(empty)
