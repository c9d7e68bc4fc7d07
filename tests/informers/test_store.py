"""The store of an informer: keys, parts, and lookups that always say what a look at all objects would."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.informers.store import Store
from kubewright.machinery.label_selectors import parse_label_selector
from kubewright.models.core_v1 import ConfigMap
from tests.informers.objects import kept

SELECTORS = ("app=web", "app!=web", "!app", "app in (web,api),tier", "")


def by_data(obj: ConfigMap) -> list[str]:
    return list(obj.data.values())


def by_tier(obj: ConfigMap) -> list[str]:
    return [obj.metadata.labels["tier"]]


def check(store: Store[ConfigMap], model: dict[str, ConfigMap]) -> None:
    """Compare all lookups with what the objects themselves say."""
    read = {key: obj.copy() for key, obj in model.items()}
    assert dict(store.items()) == model
    assert len(store) == len(model)
    for key in (*model, "one/none", "none", "three/none"):
        assert store.get(key) is model.get(key)
    for namespace in ("one", "two", "three"):
        wanted = {key for key in model if key.startswith(f"{namespace}/")}
        found = list(store.keys_in(namespace))
        assert len(found) == len(set(found))
        assert set(found) == wanted
    for text in SELECTORS:
        selector = parse_label_selector(text)
        found = list(store.keys_selected(selector))
        assert len(found) == len(set(found))
        assert set(found) == {key for key, obj in read.items() if selector.matches(obj.metadata.labels)}
    for index in store.indexes.values():
        values: dict[str, set[str]] = {}
        for key, obj in read.items():
            for value in (
                by_data(obj) if index.name == "data" else filter(None, [obj.metadata.labels.get("tier")])
            ):
                values.setdefault(value, set()).add(key)
        assert {value: set(index.keys(value)) for value in index.values()} == values


KEYS = st.sampled_from(["one/a", "one/b", "one/c", "two/a", "two/b"])
LABELS = st.dictionaries(st.sampled_from(["app", "tier"]), st.sampled_from(["web", "api", "db"]))
FIELDS = st.tuples(LABELS, st.dictionaries(st.sampled_from("xyz"), st.sampled_from("123"), max_size=3))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), KEYS, FIELDS),
        st.tuples(st.just("pop"), KEYS, st.none()),
        st.tuples(st.just("replace"), st.none(), st.dictionaries(KEYS, st.none() | FIELDS)),
        st.tuples(st.just("break"), st.none(), st.dictionaries(KEYS, FIELDS)),
        st.tuples(st.just("index"), st.sampled_from(["data", "tier"]), st.none()),
        st.tuples(st.just("look"), st.none(), st.none()),
    ),
    max_size=25,
)


@given(STEPS, st.booleans())
def test_every_lookup_says_what_a_look_at_all_objects_would(steps: Any, everywhere: bool) -> None:
    store = Store[ConfigMap]([""] if everywhere else ["one", "two"])
    model: dict[str, ConfigMap] = {}
    revision = 0

    def made(key: str, fields: Any) -> ConfigMap:
        nonlocal revision
        revision += 1
        namespace, _, name = key.partition("/")
        return kept(name, revision, namespace=namespace, labels=fields[0], data=fields[1])

    for step, key, argument in steps:
        if step == "look":
            check(store, model)
        elif step == "index":
            store.add_index(key, by_data if key == "data" else by_tier)
        elif step == "put":
            obj = made(key, argument)
            assert store.parts["" if everywhere else key[:3]].put(key, obj) is model.get(key)
            model[key] = obj
        elif step == "pop":
            assert store.parts["" if everywhere else key[:3]].pop(key) is model.pop(key, None)
        else:
            for namespace, part in store.parts.items():
                # None keeps the object that is there.
                found = {
                    key: model[key] if fields is None else made(key, fields)
                    for key, fields in argument.items()
                    if key.startswith(namespace) and (fields is not None or key in model)
                }
                for each, obj in found.items():
                    if obj is not model.get(each):
                        part.stage(each, obj)
                if step == "break":
                    part.unstage()
                    continue
                before = {key: obj for key, obj in model.items() if key.startswith(namespace)}
                assert part.replace(dict(found)) == before
                for each in before:
                    del model[each]
                model |= found
    for name, function in (("data", by_data), ("tier", by_tier)):
        store.add_index(name, function)
    check(store, model)


def test_an_index_that_comes_later_has_what_is_there_and_what_comes() -> None:
    store = Store[ConfigMap]([""])
    store.parts[""].put("one/a", kept("a", 1, namespace="one", data={"x": "1"}))
    store.add_index("data", by_data)
    store.parts[""].put("one/b", kept("b", 2, namespace="one", data={"x": "1"}))
    assert list(store.indexes["data"].keys("1")) == ["one/a", "one/b"]


def test_an_index_has_one_function() -> None:
    store = Store[ConfigMap]([""])
    store.add_index("data", by_data)
    store.add_index("data", by_data)
    assert len(store.groups) == 1
    with pytest.raises(
        ValueError, match=r"there is another index 'data' already; give this one another name"
    ):
        store.add_index("data", by_tier)
    assert store.indexes["data"].function is by_data


def test_what_was_staged_and_broken_off_is_not_what_comes_later() -> None:
    store = Store[ConfigMap]([""])
    store.add_index("data", by_data)
    part = store.parts[""]
    part.stage("one/a", kept("a", 1, namespace="one", data={"x": "1"}))
    part.unstage()
    part.put("one/a", kept("a", 2, namespace="one", data={"x": "2"}))
    assert store.indexes["data"].values() == ["2"]


def test_what_was_staged_and_did_not_come_leaves_nothing_behind() -> None:
    store = Store[ConfigMap]([""])
    store.add_index("data", by_data)
    part = store.parts[""]
    part.stage("one/a", kept("a", 1, namespace="one", data={"x": "1"}))
    part.replace({})
    assert store.indexes["data"].values() == []
    part.put("one/a", kept("a", 2, namespace="one", data={"x": "2"}))
    assert store.indexes["data"].values() == ["2"]


def test_keys_of_namespaces_that_are_not_known_are_none() -> None:
    store = Store[ConfigMap](["one"])
    store.parts["one"].put("one/a", kept("a", 1, namespace="one"))
    assert list(store.keys_in("one")) == ["one/a"]
    assert list(store.keys_in("two")) == []
    assert store.get("two/a") is None


def test_a_cleared_store_holds_nothing() -> None:
    store = Store[ConfigMap](["one", "two"])
    store.add_index("data", by_data)
    store.parts["one"].put("one/a", kept("a", 1, namespace="one", data={"x": "1"}))
    assert list(store.keys_selected(parse_label_selector(""))) == ["one/a"]
    store.clear()
    assert (len(store), list(store.items()), store.indexes, store.groups) == (0, [], {}, [])
    assert list(store.keys_selected(parse_label_selector(""))) == []
