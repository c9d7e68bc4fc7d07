"""Field sets and typed values against sigs.k8s.io/structured-merge-diff itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.apply import (
    FieldSet,
    compare,
    extract_items,
    format_path,
    merge,
    remove_items,
    to_field_set,
    validate,
)
from kubewright.machinery.apply.typed import name_members, reconcile
from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import ANY, Schema
from tests.conftest import Oracle, OracleRefusal
from tests.machinery.apply.things import DEFINITIONS, FIELDS_V1, FREE, SCHEMA, values

pytestmark = pytest.mark.oracle


def shown(fields: FieldSet) -> dict[str, Any]:
    """A set as the oracle shows it, order and all."""
    text = json.dumps(fields.to_json(), separators=(",", ":"), ensure_ascii=False)
    return {"json": text, "paths": [format_path(path) for path in fields], "size": len(fields)}


def normal(answer: dict[str, Any]) -> dict[str, Any]:
    """The oracle's answer with its JSON in Python's spelling of strings."""
    text = json.dumps(json.loads(answer["json"]), separators=(",", ":"), ensure_ascii=False)
    return {**answer, "json": text}


@given(fields=FIELDS_V1)
def test_a_set_is_read_and_printed_as_upstream_does(oracle: Oracle, fields: dict[str, Any]) -> None:
    assert shown(FieldSet.from_json(fields)) == normal(oracle.ask("apply.set", {"op": "read", "a": fields}))


@given(left=FIELDS_V1, right=FIELDS_V1)
def test_the_algebra_is_upstreams(oracle: Oracle, left: dict[str, Any], right: dict[str, Any]) -> None:
    a, b = FieldSet.from_json(left), FieldSet.from_json(right)
    for op, result in {
        "union": a | b,
        "intersection": a & b,
        "difference": a - b,
        "recursive": a.recursive_difference(b),
        "leaves": a.leaves(),
    }.items():
        assert shown(result) == normal(oracle.ask("apply.set", {"op": op, "a": left, "b": right})), op
    equal = oracle.ask("apply.set", {"op": "equals", "a": left, "b": right})["equal"]
    assert (a == b) == equal


@pytest.mark.parametrize(
    "fields",
    [
        {'k:{"b":1,"a":2}': {}},
        {"v:1.0": {}, "v:1e3": {}, "v:0.00001": {}, "v:1e-7": {}, "v:123456789012345": {}},
        {"v:1e21": {}, "v:2.5e25": {}, "v:-0.000012": {}},
        {"i:007": {}, "i:+3": {}, "i:-1": {}},
        {"x:future": {}, "f:a": {"y:future": {}}},
        {"f:": {}, "f:a.b": {}, "f:ü<>": {}},
        {'v:{"b":[1,true]}': {}, "v:[1,2]": {}, "v:[]": {}},
        {'v:"<>&\\u2028\\n\\t\\u0001\\""': {}},
        {'k:{"name":"\\u00e9\\u0007\\u200b"}': {"f:name": {}}},
        {"f:a": None},
        {"f:a": {".": {}}},
        {"k:{}": {}},
    ],
)
def test_odd_elements_are_spelled_as_upstream_spells_them(oracle: Oracle, fields: dict[str, Any]) -> None:
    assert shown(FieldSet.from_json(fields)) == normal(oracle.ask("apply.set", {"op": "read", "a": fields}))


@pytest.mark.parametrize(
    "fields",
    [{"a": {}}, {"fa": {}}, {"": {}}, {"v:{": {}}, {"k:5": {}}, {"i:x": {}}, {"f:a": 5}, {"f:a": []}],
)
def test_what_upstream_refuses_is_refused(oracle: Oracle, fields: dict[str, Any]) -> None:
    with pytest.raises(OracleRefusal):
        oracle.ask("apply.set", {"op": "read", "a": fields})
    with pytest.raises(ParseError):
        FieldSet.from_json(fields)


def ask(oracle: Oracle, op: str, schema: Schema = SCHEMA, **arguments: Any) -> Any:
    type_ = "Thing" if schema is SCHEMA else ""
    return oracle.ask("apply.typed", {"op": op, "definitions": DEFINITIONS, "type": type_, **arguments})


@given(value=values(duplicates=True))
def test_the_fields_of_a_value_are_upstreams(oracle: Oracle, value: Any) -> None:
    answer = ask(oracle, "fields", a=value, duplicates=True)
    validate(value, SCHEMA, allow_duplicates=True)
    assert shown(to_field_set(value, SCHEMA)) == normal(answer)


@given(value=values(duplicates=True))
def test_what_fits_the_schema_is_upstreams_view(oracle: Oracle, value: Any) -> None:
    try:
        accepted = ask(oracle, "validate", a=value)
    except OracleRefusal:
        accepted = False
    try:
        validate(value, SCHEMA)
    except ParseError:
        assert not accepted
    else:
        assert accepted


@given(left=values(duplicates=True), right=values(duplicates=True))
def test_comparisons_are_upstreams(oracle: Oracle, left: Any, right: Any) -> None:
    check_comparison(oracle, left, right, SCHEMA)


@given(left=FREE, right=FREE)
def test_comparisons_of_values_without_schema_are_upstreams(oracle: Oracle, left: Any, right: Any) -> None:
    check_comparison(oracle, {"x": left}, {"x": right}, ANY)


def check_comparison(oracle: Oracle, left: Any, right: Any, schema: Schema) -> None:
    answer = ask(oracle, "compare", schema, a=left, b=right, duplicates=True)
    found = compare(left, right, schema)
    assert {name: shown(fields) for name, fields in found._asdict().items()} == {
        name: normal(fields) for name, fields in answer.items()
    }


@given(data=st.data(), left=values(duplicates=True), right=values())
def test_merges_are_upstreams(oracle: Oracle, data: st.DataObject, left: Any, right: Any) -> None:
    answer = ask(oracle, "merge", a=left, b=right, duplicates=True)
    assert merge(left, right, SCHEMA) == answer.get("value")
    free = data.draw(FREE), data.draw(FREE)
    answer = ask(oracle, "merge", ANY, a={"x": free[0]}, b={"x": free[1]})
    assert merge({"x": free[0]}, {"x": free[1]}, ANY) == answer.get("value")


LIST = st.lists(st.sampled_from("abcdef"), max_size=6)


@given(left=LIST, right=st.lists(st.sampled_from("abcdef"), max_size=6, unique=True))
def test_merged_lists_are_in_upstreams_order(oracle: Oracle, left: list[str], right: list[str]) -> None:
    a = {"spec": {"set": left, "containers": [{"name": name, "image": "l"} for name in left]}}
    b = {"spec": {"set": right, "containers": [{"name": name, "args": ["r"]} for name in right]}}
    answer = ask(oracle, "merge", a=a, b=b, duplicates=True)
    assert merge(a, b, SCHEMA) == answer["value"]


@given(value=values(), other=values(), pick=st.integers(0, 2))
def test_items_are_removed_and_extracted_as_upstream_does(
    oracle: Oracle, value: Any, other: Any, pick: int
) -> None:
    fields = to_field_set(value, SCHEMA)
    if pick:
        fields = fields & to_field_set(other, SCHEMA) if pick == 1 else fields - to_field_set(other, SCHEMA)
    for chosen in (fields, fields.leaves()):
        sent = chosen.to_json()
        answer = ask(oracle, "remove", a=value, set=sent)
        assert remove_items(value, chosen, SCHEMA) == answer.get("value")
        answer = ask(oracle, "extract", a=value, set=sent)
        assert extract_items(value, chosen, SCHEMA) == answer.get("value")
        answer = ask(oracle, "extract", a=value, set=sent, keys=True)
        assert extract_items(value, chosen, SCHEMA, append_keys=True) == answer.get("value")
        answer = ask(oracle, "named", a=value, set=sent)
        assert shown(FieldSet.of_tree(name_members(chosen.tree, SCHEMA))) == normal(answer)


@given(value=values(), fields=FIELDS_V1)
def test_sets_are_reconciled_as_upstream_does(oracle: Oracle, value: Any, fields: dict[str, Any]) -> None:
    names = [
        "atomicStruct",
        "strings",
        "set",
        "containers",
        "free",
        "struct",
        "points",
        "anything",
        "objects",
    ]
    sent = {"f:spec": {f"f:{name}": fields for name in names}}
    answer = ask(oracle, "reconcile", a=value, set=sent)
    found = reconcile(FieldSet.from_json(sent).tree, SCHEMA)
    assert shown(FieldSet.of_tree(found)) == normal(answer)
