"""Values by their schema: what fits, which fields there are, how they differ, merge and come apart."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given

from kubewright.machinery.apply import (
    FieldSet,
    compare,
    extract_items,
    merge,
    remove_items,
    to_field_set,
    validate,
)
from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import ANY
from tests.machinery.apply.things import FEW, FREE, SCHEMA, SPEC, values, without_empty


def spec(**fields: Any) -> dict[str, Any]:
    return {"spec": fields}


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (spec(nope=1), ".spec.nope: field not declared in schema"),
        (spec(set=["a", "a"]), '.spec.set: duplicate entries for key [="a"]'),
        (
            spec(set=["a", None]),
            ".spec.set: element 1: associative list without keys has an element that's an explicit null",
        ),
        (
            spec(set=[{}]),
            ".spec.set: element 0: associative list without keys has an element that's a map type",
        ),
        (
            spec(containers=[{"name": "a"}, {"name": "a"}]),
            '.spec.containers: duplicate entries for key [name="a"]',
        ),
        (
            spec(containers=[{"image": "x"}]),
            ".spec.containers: element 0: associative list with keys has an element that omits all key",
        ),
        (
            spec(containers=["x"]),
            ".spec.containers: element 0: associative list with keys may not have non-map elements",
        ),
        (
            spec(containers=[{"name": "a", "ports": [{"port": 1}, {"port": 1, "protocol": "TCP"}]}]),
            '.spec.containers[name="a"].ports: duplicate entries for key [port=1,protocol="TCP"]',
        ),
        (spec(objects=[{"x": 1}, {"z": 1}]), ".spec.objects[1].z: field not declared"),
        (spec(labels=[]), ".spec.labels: expected map, got &{[]}"),
        (spec(labels={"a": {}}), ".spec.labels.a: expected a string, number or boolean, got &{map[]}"),
        (spec(replicas=[1]), ".spec.replicas: expected a string, number or boolean, got &{[1]}"),
        (spec(set={}), ".spec.set: expected list, got &{map[]}"),
        (spec(struct="x"), ".spec.struct: expected map, got &{x}"),
        (spec(strings=[["x"]]), ".spec.strings[0]: expected a string"),
    ],
)
def test_what_does_not_fit_is_named(value: Any, complaint: str) -> None:
    with pytest.raises(ParseError) as refusal:
        validate(value, SCHEMA)
    assert complaint in str(refusal.value)
    with pytest.raises(ParseError):
        validate({"spec": {}, "x": 1}, SCHEMA, known={"x": 1})


def test_duplicates_are_accepted_where_they_are_asked_for() -> None:
    validate(spec(set=["a", "a"], containers=[{"name": "a"}, {"name": "a"}]), SCHEMA, allow_duplicates=True)


def test_what_is_known_to_fit_is_not_looked_at_again() -> None:
    wrong = spec(struct={"wrong": 1})
    validate(wrong, SCHEMA, known=copy.deepcopy(wrong))
    with pytest.raises(ParseError):
        validate(wrong, SCHEMA, known=spec(struct={"wrong": 2}))


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (spec(replicas=1), {"f:replicas": {}}),
        (spec(struct={"a": "x", "inner": {"c": "y"}}), {"f:struct": {"f:a": {}, "f:inner": {"f:c": {}}}}),
        (spec(struct={}), {"f:struct": {}}),
        (spec(struct=None), {"f:struct": {}}),
        (spec(labels={"a": "x"}), {"f:labels": {"f:a": {}}}),
        (spec(points={"p": {"x": 1}}), {"f:points": {"f:p": {".": {}, "f:x": {}}}}),
        (spec(atomicStruct={"x": 1}), {"f:atomicStruct": {}}),
        (spec(atomicPoint={"x": 1}), {"f:atomicPoint": {}}),
        (spec(strings=["a"]), {"f:strings": {}}),
        (spec(set=["b", "a"]), {"f:set": {'v:"a"': {}, 'v:"b"': {}}}),
        (spec(numbers=[1]), {"f:numbers": {"v:1": {}}}),
        (
            spec(ports=[{"port": 80, "name": "n"}]),
            {"f:ports": {'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:name": {}, "f:port": {}}}},
        ),
        (spec(free={"a": {"b": [1]}}), {"f:free": {"f:a": {".": {}, "f:b": {}}}}),
        (
            spec(containers=[{"name": "a", "image": "x"}, {"name": "b"}, {"name": "b"}]),
            {
                "f:containers": {
                    'k:{"name":"a"}': {".": {}, "f:image": {}, "f:name": {}},
                    'k:{"name":"b"}': {},
                }
            },
        ),
        (
            spec(tree={"children": [{"name": "a", "children": [{"name": "b"}]}]}),
            {
                "f:tree": {
                    "f:children": {
                        'k:{"name":"a"}': {
                            ".": {},
                            "f:children": {'k:{"name":"b"}': {".": {}, "f:name": {}}},
                            "f:name": {},
                        }
                    }
                }
            },
        ),
    ],
)
def test_the_fields_of_a_value(value: Any, fields: dict[str, Any]) -> None:
    assert to_field_set(value, SCHEMA).to_json() == {"f:spec": fields}


def differences(left: Any, right: Any) -> tuple[Any, ...]:
    return tuple(fields.with_prefix(("f:spec",)).to_json() for fields in compare(left, right, SCHEMA))


@pytest.mark.parametrize(
    ("left", "right", "added", "modified", "removed"),
    [
        ({"replicas": 1}, {"replicas": 2}, {}, {"f:replicas": {}}, {}),
        ({"anything": 1}, {"anything": True}, {}, {"f:anything": {}}, {}),
        ({"anything": 1}, {"anything": 1.0}, {}, {}, {}),
        ({}, {"labels": {"a": "x"}}, {"f:labels": {".": {}, "f:a": {}}}, {}, {}),
        ({"labels": {}}, {"labels": {"a": "x"}}, {"f:labels": {"f:a": {}}}, {}, {}),
        ({"labels": None}, {"labels": {}}, {}, {"f:labels": {}}, {}),
        ({"labels": {"a": "x"}}, {"labels": None}, {}, {}, {"f:labels": {"f:a": {}}}),
        ({"set": ["a", "b"]}, {"set": ["b", "a"]}, {}, {}, {}),
        ({"strings": ["a", "b"]}, {"strings": ["b", "a"]}, {}, {"f:strings": {}}, {}),
        ({"set": ["a"]}, {"set": ["a", "a"]}, {"f:set": {'v:"a"': {}}}, {}, {"f:set": {'v:"a"': {}}}),
        ({"set": ["a", "a"]}, {"set": ["a", "a"]}, {}, {}, {}),
        ({"set": ["a", "a"]}, {"set": ["a", "a", "a"]}, {}, {"f:set": {'v:"a"': {}}}, {}),
        (
            {"containers": [{"name": "a", "image": "x"}]},
            {"containers": [{"name": "b"}, {"name": "a", "image": "y"}]},
            {"f:containers": {'k:{"name":"b"}': {".": {}, "f:name": {}}}},
            {"f:containers": {'k:{"name":"a"}': {"f:image": {}}}},
            {},
        ),
        ({"anything": 1}, {"anything": {"a": 1}}, {"f:anything": {"f:a": {}}}, {"f:anything": {}}, {}),
    ],
)
def test_differences(left: Any, right: Any, added: Any, modified: Any, removed: Any) -> None:
    assert differences(spec(**left), spec(**right)) == (added, modified, removed)


def test_merging_keeps_what_is_not_applied() -> None:
    live = spec(
        replicas=1,
        labels={"a": "x", "b": "y"},
        strings=["a"],
        set=["a", "b"],
        containers=[{"name": "a", "image": "x"}, {"name": "b", "image": "y"}, {"name": "c"}],
    )
    config = spec(
        labels={"b": "z"},
        strings=["b"],
        set=["c", "b"],
        containers=[{"name": "d"}, {"name": "b", "args": ["v"]}],
    )
    before = copy.deepcopy((live, config))
    assert merge(live, config, SCHEMA) == spec(
        replicas=1,
        labels={"a": "x", "b": "z"},
        strings=["b"],
        set=["a", "c", "b"],
        containers=[
            {"name": "a", "image": "x"},
            {"name": "d"},
            {"name": "b", "image": "y", "args": ["v"]},
            {"name": "c"},
        ],
    )
    assert (live, config) == before


@pytest.mark.parametrize(
    ("live", "config", "merged"),
    [
        ("abc", "ca", "bca"),
        ("abc", "b", "abc"),
        ("abc", "xb", "axbc"),
        ("abcd", "db", "acdb"),
        ("abc", "cba", "cba"),
        ("axb", "ba", "xba"),
        ("", "ba", "ba"),
        ("ab", "", "ab"),
    ],
)
def test_shared_elements_come_in_the_order_applied(live: str, config: str, merged: str) -> None:
    assert merge(spec(set=list(live)), spec(set=list(config)), SCHEMA) == spec(set=list(merged))


def test_null_does_not_empty_what_merges() -> None:
    live = spec(labels={"a": "x"}, set=["a"], strings=["a"], replicas=1)
    nothing = dict.fromkeys(live["spec"])
    assert merge(live, spec(**nothing), SCHEMA) == spec(
        labels={"a": "x"}, set=["a"], strings=None, replicas=None
    )


def test_duplicates_in_storage_give_way_to_what_is_applied() -> None:
    live = spec(containers=[{"name": "a", "image": "x"}, {"name": "a", "image": "y"}, {"name": "b"}])
    config = spec(containers=[{"name": "a", "args": []}])
    assert merge(live, config, SCHEMA) == spec(containers=[{"name": "a", "args": []}, {"name": "b"}])
    with pytest.raises(ParseError, match="duplicate entries"):
        merge(config, live, SCHEMA)


def test_removing_all_members_leaves_null() -> None:
    value = spec(set=["a"], labels={"a": "x", "b": "y"}, strings=["a"])
    fields = FieldSet.from_json(
        {"f:spec": {"f:set": {'v:"a"': {}}, "f:labels": {"f:a": {}}, "f:strings": {}}}
    )
    assert remove_items(value, fields, SCHEMA) == spec(set=None, labels={"b": "y"})


def test_extracting_adds_keys_when_asked() -> None:
    value = spec(containers=[{"name": "a", "image": "x", "args": ["v"]}], replicas=1)
    fields = FieldSet.from_json({"f:spec": {"f:containers": {'k:{"name":"a"}': {"f:image": {}}}}})
    assert extract_items(value, fields, SCHEMA) == spec(containers=[{"image": "x"}])
    assert extract_items(value, fields, SCHEMA, append_keys=True) == spec(
        containers=[{"name": "a", "image": "x"}]
    )


@FEW
@given(value=values(SPEC))
def test_the_leaves_of_a_value_extract_it(value: Any) -> None:
    value = {"spec": value}
    extracted = extract_items(value, to_field_set(value, SCHEMA).leaves(), SCHEMA)
    assert without_empty(extracted or {}) == without_empty(value)


@FEW
@given(value=values(duplicates=True), other=values())
def test_merging_in_gives_all_that_is_merged_in(value: Any, other: Any) -> None:
    merged = merge(value, other, SCHEMA)
    assert merge(merged, other, SCHEMA) == merged
    named = to_field_set(other, SCHEMA)
    assert not compare(other, merged, SCHEMA).modified & named
    assert not compare(other, merged, SCHEMA).removed & named.leaves()


@FEW
@given(left=values(duplicates=True), right=values(duplicates=True))
def test_comparing_both_ways_is_symmetric(left: Any, right: Any) -> None:
    there, back = compare(left, right, SCHEMA), compare(right, left, SCHEMA)
    assert (there.added, there.modified, there.removed) == (back.removed, back.modified, back.added)
    assert compare(left, copy.deepcopy(left), SCHEMA).is_same()


@given(value=FREE, other=FREE)
def test_values_without_schema_work_too(value: Any, other: Any) -> None:
    wrapped = {"x": value}
    validate(wrapped, ANY)
    assert compare(wrapped, copy.deepcopy(wrapped), ANY).is_same()
    everything = remove_items(wrapped, to_field_set(wrapped, ANY), ANY)
    assert everything is None
    assert merge(wrapped, merge(wrapped, {"x": other}, ANY), ANY) == merge(wrapped, {"x": other}, ANY)
