"""Walks that are prepared by schema: the same as plain ones, in order, bounded, and sharing nothing."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.apply import FieldManager, FieldSet, compare, merge, to_field_set
from kubewright.machinery.apply import validation as validation_module
from kubewright.machinery.apply.nodes import ObjectNode, node_of
from kubewright.machinery.apply.path_element import element_order
from kubewright.machinery.apply.screening import Screen
from kubewright.machinery.apply.tree import copy_tree, ordered
from kubewright.machinery.apply.typed import name_members, to_named_field_set
from kubewright.machinery.apply.values import is_associative, list_element, member_schemas, same_value
from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import ANY, SCALAR, Schema
from tests.machinery.apply.things import FEW, FREE, NAMES, SCHEMA, SPEC, values

NOW = datetime(2001, 1, 1, tzinfo=UTC)


def plainly_fits(value: Any, *, allow_duplicates: bool) -> bool:
    try:
        validation_module._validate(value, SCHEMA, allow_duplicates, None)
    except ParseError:
        return False
    return True


def plain_whole(value: Any, schema: Schema) -> dict[str, Any]:
    """Every path of a value, without preparation."""
    out: dict[str, Any] = {}
    if isinstance(value, dict) and schema.kind in ("object", "any") and schema.map_type != "atomic":
        fields, others = member_schemas(schema)
        for name, member in value.items():
            out["f:" + name] = plain_whole(member, fields.get(name) or others or ANY)
    elif isinstance(value, list) and schema.kind in ("array", "any") and is_associative(schema):
        for item in value:
            element = list_element(item, schema)
            out[element] = {} if element in out else plain_whole(item, schema.items)
    return {".": {}, **out} if out else {}


def in_order(tree: dict[str, Any]) -> dict[str, Any]:
    """A tree sorted by an order that is stated on its own."""
    elements = sorted((e for e in tree if e != "."), key=lambda e: ("fkvi".index(e[0]), element_order(e)))
    dot: dict[str, Any] = {".": {}} if "." in tree else {}
    return {**dot, **{element: in_order(tree[element]) for element in elements}}


def is_in_order(tree: dict[str, Any]) -> bool:
    return json.dumps(tree) == json.dumps(in_order(tree))


@st.composite
def doubtful(draw: st.DrawFn) -> Any:
    """A value that may have something in it that does not fit."""
    value = draw(values(duplicates=True))
    places: list[tuple[Any, Any]] = []

    def gather(inner: Any) -> None:
        if isinstance(inner, dict | list):
            for key, member in inner.items() if isinstance(inner, dict) else enumerate(inner):
                places.append((inner, key))
                gather(member)

    gather(value)
    spoils: bool = draw(st.booleans())
    if places and spoils:
        container, key = draw(st.sampled_from(places))
        container[key] = draw(FREE)
        if isinstance(container, dict) and draw(st.booleans()):
            container[draw(NAMES)] = draw(FREE)
    return value


@given(value=doubtful())
def test_what_fits_for_certain_fits(value: Any) -> None:
    if node_of(SCHEMA).fits(value):
        assert plainly_fits(value, allow_duplicates=False)


@FEW
@given(value=values())
def test_what_fits_is_known_to_fit(value: Any) -> None:
    assert node_of(SCHEMA).fits(value) == plainly_fits(value, allow_duplicates=False)


def trained(samples: list[Any], schema: Schema = SCHEMA) -> Screen:
    """A screen that has seen the samples, often enough to have types of them."""
    screen = Screen(node_of(schema))
    for sample in samples * (200 // len(samples) + 1):
        if not screen.passes(sample):
            node_of(schema).fits(sample)
    return screen


@FEW
@given(samples=st.lists(doubtful(), min_size=1, max_size=4), value=doubtful())
def test_what_passes_the_screen_fits(samples: list[Any], value: Any) -> None:
    screen = trained(samples)
    for tried in (value, *samples):
        if screen.passes(tried):
            assert plainly_fits(tried, allow_duplicates=True)


THING: dict[str, Any] = {
    "metadata": {"name": "x", "labels": {"a": "b"}, "finalizers": ["f"]},
    "spec": {
        "replicas": 1,
        "containers": [{"name": "a", "ports": [{"port": 1}], "args": ["x"]}],
        "atomicStruct": {"x": 1},
        "free": {"a": [1]},
        "tree": {"name": "t"},
    },
}


def test_what_was_seen_often_passes_the_screen() -> None:
    screen = trained([THING])
    assert screen.passes(THING)
    assert screen.passes(copy.deepcopy(THING) | {"spec": None})
    assert screen.passes({})


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        ("spec", []),
        ("spec", {"unknown": 1}),
        ("spec", {"replicas": {}}),
        ("spec", {"containers": {}}),
        ("spec", {"containers": [{"image": "x"}]}),
        ("spec", {"containers": [None]}),
        ("spec", {"containers": [{"name": "a", "args": [{}]}]}),
        ("metadata", {"labels": {"a": {}}}),
        ("metadata", {"finalizers": [None]}),
    ],
)
def test_what_is_wrong_does_not_pass_the_screen(place: str, wrong: Any) -> None:
    screen = trained([THING])
    assert not screen.passes({**THING, place: wrong})
    assert not plainly_fits({**THING, place: wrong}, allow_duplicates=True)


def test_types_that_hold_themselves_are_walked() -> None:
    value: dict[str, Any] = {"spec": {"tree": {"name": "a", "children": [{"name": "b", "children": []}]}}}
    screen = trained([value])
    assert not screen.passes(value)
    assert node_of(SCHEMA).fits(value)


@given(value=values(duplicates=True))
def test_every_path_is_found_in_order(value: Any) -> None:
    whole = node_of(SCHEMA).whole(value)
    assert whole == plain_whole(value, SCHEMA)
    assert is_in_order(whole)


@FEW
@given(value=values(duplicates=True))
def test_named_fields_are_the_fields_with_names(value: Any) -> None:
    fields = to_field_set(value, SCHEMA)
    named = to_named_field_set(value, SCHEMA)
    assert named.tree == name_members(fields.tree, SCHEMA)
    assert is_in_order(fields.tree)
    assert is_in_order(named.tree)


@FEW
@given(left=values(duplicates=True), right=values(duplicates=True))
def test_sets_stay_in_order(left: Any, right: Any) -> None:
    changes = compare(left, right, SCHEMA)
    ours, theirs = to_field_set(left, SCHEMA), to_field_set(right, SCHEMA)
    results = (ours | theirs, ours & theirs, ours - theirs, ours.recursive_difference(theirs), *changes)
    for fields in (*results, ours.leaves(), changes.added | changes.modified | ours):
        assert is_in_order(fields.tree)
        assert is_in_order(fields.to_json())


@FEW
@given(base=values(duplicates=True), applied=values())
def test_merging_what_is_there_gives_the_same_object(base: Any, applied: Any) -> None:
    merged = merge(base, applied, SCHEMA)
    again = merge(merged, copy.deepcopy(applied), SCHEMA)
    assert same_value(again, merged)
    assert json.dumps(again) == json.dumps(merged)


def spoil(tree: Any) -> None:
    for below in list(tree.values()):
        spoil(below)
    tree.clear()
    tree["f:spoilt"] = {}


@FEW
@given(specs=st.lists(st.tuples(values(SPEC), st.sampled_from(["ann", "bob"])), min_size=1, max_size=3))
def test_results_are_in_order_and_share_nothing_with_the_next(specs: list[tuple[Any, str]]) -> None:
    """What a caller does with managedFields is not seen by anybody else."""

    def write() -> tuple[str, list[dict[str, Any]]]:
        manager = FieldManager(SCHEMA, api_version="v1", kind="Thing")
        live: dict[str, Any] | None = None
        for spec, name in copy.deepcopy(specs):
            body = {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "x"}, "spec": spec}
            live = manager.update(live, body, manager=name, now=NOW)
            live = manager.apply(live, body, manager=name, now=NOW, force=True)
        assert live is not None
        return json.dumps(live), live["metadata"].get("managedFields", [])

    first, entries = write()
    for entry in entries:
        assert is_in_order(entry["fieldsV1"])
        spoil(entry["fieldsV1"])
    assert write()[0] == first


def test_a_set_that_was_read_does_not_follow_what_it_was_read_from() -> None:
    wire: dict[str, Any] = {"f:spec": {"f:a": {}}}
    FieldSet.from_json(wire)
    text = json.dumps(wire)
    wire["f:spec"]["f:b"] = {}
    assert FieldSet.from_json(json.loads(text)).to_json() == {"f:spec": {"f:a": {}}}


def test_names_without_end_are_not_remembered() -> None:
    schema = Schema("object", values=SCALAR)
    node = node_of(schema)
    assert isinstance(node, ObjectNode)
    for number in range(1000):
        node.whole({f"name-{number}": "x"})
    node.whole({"long" * 5000: "x"})
    assert len(node.seen_names()) <= 128
    assert "long" * 5000 not in node.seen_names()
    assert node.whole({"long" * 5000: "x"}) == {".": {}, "f:" + "long" * 5000: {}}


def test_the_empty_tree_is_in_order() -> None:
    assert ordered({}) == {}
    assert FieldSet().to_json() == {}


def test_names_that_have_no_encoding_are_copied_all_the_same() -> None:
    tree: dict[str, Any] = {"f:a\ud800": {}, "f:b": {"f:c": {}}}
    copied = copy_tree(tree)
    assert copied == tree
    assert copied["f:b"] is not tree["f:b"]
    assert FieldSet.from_json(tree).to_json() == tree


@pytest.mark.parametrize(("left", "right"), [(2**70, 2**70), ("\ud800", "\ud800")])
def test_values_that_have_no_encoding_are_compared_all_the_same(left: object, right: object) -> None:
    assert same_value({"a": [left]}, {"a": [right]})
    assert not same_value({"a": [left], "b": 1}, {"a": [right], "b": True})


def test_keys_of_other_types_are_other_elements() -> None:
    items = Schema("object", fields={"port": SCALAR, "protocol": SCALAR})
    schema = Schema("array", items=items, list_type="map", map_keys=("port", "protocol"))
    for port, spelled in ((1, "1"), (True, "true"), ("1", '"1"'), (1, "1"), (1.5, "1.5")):
        found = to_field_set([{"port": port, "protocol": "TCP"}], schema)
        assert list(found.tree) == [f'k:{{"port":{spelled},"protocol":"TCP"}}']
