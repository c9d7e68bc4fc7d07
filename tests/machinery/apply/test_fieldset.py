"""Field sets: paths, wire form and algebra."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.apply import (
    ANY_ELEMENT,
    FieldSet,
    format_path,
    index_element,
    key_element,
    make_path,
    value_element,
)
from kubewright.machinery.apply.tree import LEAF
from kubewright.machinery.errors import ParseError
from tests.machinery.apply.things import FIELDS_V1, PATH_ELEMENTS

SETS = FIELDS_V1.map(FieldSet.from_json)
DENSE = st.lists(
    st.lists(st.sampled_from(["f:a", "f:b", 'k:{"n":"a"}']), min_size=1, max_size=3).map(tuple), max_size=8
).map(FieldSet)
"""Sets that have much in common with each other."""
PATHS = st.lists(PATH_ELEMENTS, min_size=1, max_size=4).map(tuple)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (make_path("spec", "containers", {"name": "a"}, "image"), '.spec.containers[name="a"].image'),
        (make_path("spec", "ports", {"protocol": "TCP", "port": 80}), '.spec.ports[port=80,protocol="TCP"]'),
        ((*make_path("spec", "list"), value_element(1)), ".spec.list[=1]"),
        ((*make_path("spec", "list"), value_element("x")), '.spec.list[="x"]'),
        ((value_element(True),), "[=true]"),
        (make_path("list", 3), ".list[3]"),
        (make_path("metadata", "labels", "a.b/c"), ".metadata.labels.a.b/c"),
        ((key_element({"name": 'a"\n\u200b'}),), '[name="a\\"\\n\\u200b"]'),
        ((key_element({"port": 12345678}),), "[port=1.2345678e+07]"),
        ((value_element(1.5e-7),), "[=1.5e-07]"),
    ],
)
def test_paths_print_as_in_conflicts(path: tuple[str, ...], text: str) -> None:
    assert format_path(path) == text


@pytest.mark.parametrize(
    ("element", "text"),
    [
        (key_element({"b": 1, "a": "x"}), 'k:{"a":"x","b":1}'),
        (value_element("a<b>&"), 'v:"a\\u003cb\\u003e\\u0026"'),
        (value_element(1.0), "v:1"),
        (value_element(1.25), "v:1.25"),
        (value_element(None), "v:null"),
        (index_element(0), "i:0"),
    ],
)
def test_elements_are_canonical(element: str, text: str) -> None:
    assert element == text


def test_members_and_what_lies_below_them_are_told_apart() -> None:
    fields = FieldSet([make_path("a"), make_path("a", "b"), make_path("c", "d")])
    assert fields.to_json() == {"f:a": {".": {}, "f:b": {}}, "f:c": {"f:d": {}}}
    assert make_path("a") in fields
    assert make_path("a", "b") in fields
    assert make_path("c") not in fields
    assert make_path("a", "b", "c") not in fields
    assert () not in fields
    assert [format_path(path) for path in fields] == [".a", ".a.b", ".c.d"]
    assert len(fields) == 3


def test_the_wire_order_is_fields_keys_values_positions() -> None:
    elements = [
        "i:10",
        "i:9",
        'v:"a"',
        "v:10",
        "v:9",
        'k:{"n":"b"}',
        'k:{"n":"a!"}',
        'k:{"n":"a"}',
        "f:b",
        "f:a",
    ]
    assert list(FieldSet((element,) for element in elements).to_json()) == [
        "f:a",
        "f:b",
        'k:{"n":"a"}',
        'k:{"n":"a!"}',
        'k:{"n":"b"}',
        "v:9",
        "v:10",
        'v:"a"',
        "i:9",
        "i:10",
    ]


def test_json_may_be_given_as_text() -> None:
    assert FieldSet.from_json('{"f:a":{}}') == FieldSet([make_path("a")])
    assert FieldSet.from_json(b"{}") == FieldSet()
    assert FieldSet.from_json(None) == FieldSet()


def test_unknown_kinds_of_elements_are_dropped() -> None:
    assert FieldSet.from_json({"x:future": {}, "f:a": {"y:future": {}}}).to_json() == {"f:a": {}}


def test_other_spellings_are_brought_together() -> None:
    fields = FieldSet.from_json({'k:{"b":2, "a":1.0}': {"f:x": {}}, 'k:{"a":1,"b":2}': {}, "i:007": {}})
    assert fields.to_json() == {'k:{"a":1,"b":2}': {".": {}, "f:x": {}}, "i:7": {}}


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"spec": {}}, "'spec' is not \"kind:content\""),
        ({"": {}}, "'' is not"),
        ({"k:[1]": {}}, "no JSON object"),
        ({"v:": {}}, "no valid JSON"),
        ({"i:a": {}}, "no number"),
        ({"f:a": 0}, "has 0 where an object"),
        ([], "has [] where an object"),
        ("{", "is not JSON"),
    ],
)
def test_bad_fields_are_refused_with_what_is_wrong(fields: object, complaint: str) -> None:
    with pytest.raises(ParseError) as refusal:
        FieldSet.from_json(fields)
    assert complaint in str(refusal.value)


def test_nesting_is_bounded() -> None:
    fields: dict[str, Any] = {}
    for _ in range(5000):
        fields = {"f:a": fields}
    with pytest.raises(ParseError, match="nested deeper than"):
        FieldSet.from_json(fields)
    with pytest.raises(ParseError):
        FieldSet.from_json('{"f:a":' * 100000)


def test_prefixes_select_and_remove() -> None:
    fields = FieldSet.from_json({"f:spec": {"f:a": {"f:b": {}}, "f:c": {}}, "f:status": {"f:x": {}}})
    assert fields.without(make_path("status")).to_json() == {"f:spec": {"f:a": {"f:b": {}}, "f:c": {}}}
    assert fields.without(make_path("spec", "a")).to_json() == {
        "f:spec": {"f:c": {}},
        "f:status": {"f:x": {}},
    }
    assert fields.with_prefix(make_path("spec")).to_json() == {"f:a": {"f:b": {}}, "f:c": {}}
    assert not fields.with_prefix(make_path("nothing"))


def test_matching_keeps_what_patterns_name() -> None:
    fields = FieldSet.from_json(
        {
            "f:spec": {
                "f:containers": {'k:{"name":"a"}': {".": {}, "f:image": {}, "f:resources": {"f:cpu": {}}}}
            }
        }
    )
    pattern = (*make_path("spec", "containers"), ANY_ELEMENT, *make_path("resources"))
    assert fields.matching(pattern).to_json() == {
        "f:spec": {"f:containers": {'k:{"name":"a"}': {".": {}, "f:resources": {"f:cpu": {}}}}}
    }
    assert fields.matching(()) == fields
    assert not fields.matching(make_path("status"))


@given(fields=SETS)
def test_the_wire_form_comes_back(fields: FieldSet) -> None:
    wire = fields.to_json()
    again = FieldSet.from_json(wire)
    assert again == fields
    assert json.dumps(again.to_json()) == json.dumps(wire)
    assert json.dumps(again.to_shared_json()) == json.dumps(wire)
    assert FieldSet(fields) == fields


@given(a=DENSE, b=DENSE, c=DENSE)
def test_the_laws_of_sets(a: FieldSet, b: FieldSet, c: FieldSet) -> None:
    assert a | b == b | a
    assert a & b == b & a
    assert (a | b) | c == a | (b | c)
    assert (a & b) & c == a & (b & c)
    assert a & (b | c) == (a & b) | (a & c)
    assert a - (b | c) == (a - b) - c
    assert (a - b) | (a & b) == a
    assert not (a - b) & b
    assert a | a == a & a == a
    assert not a - a
    assert (a - b).recursive_difference(b) == a.recursive_difference(b)


@given(a=DENSE, b=DENSE)
def test_operations_are_those_on_sets_of_paths(a: FieldSet, b: FieldSet) -> None:
    ours, theirs = set(a), set(b)
    assert set(a | b) == ours | theirs
    assert set(a & b) == ours & theirs
    assert set(a - b) == ours - theirs
    below = {path for path in ours if not any(path[: i + 1] in theirs for i in range(len(path)))}
    assert set(a.recursive_difference(b)) == below
    assert set(a.leaves()) == {
        path for path in ours if not any(other != path and other[: len(path)] == path for other in ours)
    }
    assert len(a) == len(ours)
    assert bool(a) == bool(ours)


@given(paths=st.lists(PATHS))
def test_a_set_has_the_paths_it_was_made_of(paths: list[tuple[str, ...]]) -> None:
    fields = FieldSet(paths)
    assert set(fields) == set(paths)
    assert all(path in fields for path in paths)
    assert not LEAF
