"""The form of stored documents: no descriptions, one order, and lines that a diff can show."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from facts import KUBERNETES
from facts.normal_form import normalize_openapi, render_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=40,
)


@given(VALUES)
def test_rendering_loses_nothing_and_keeps_the_order_of_keys(value: object) -> None:
    assert json.dumps(json.loads(render_json(value))) == json.dumps(value)


def test_what_fits_is_on_one_line() -> None:
    assert render_json({"a": [1, {"b": None}], "c": {}}) == '{"a": [1, {"b": null}], "c": {}}\n'


def test_what_does_not_fit_has_a_line_per_member() -> None:
    long = "x" * 100
    assert render_json({"a": [long, "y"], "b": 1}) == f'{{\n "a": [\n  "{long}",\n  "y"\n ],\n "b": 1\n}}\n'


def test_lines_are_as_long_as_those_of_sources() -> None:
    too_long = [
        line
        for path in KUBERNETES.rglob("*.json")
        for line in path.read_text().splitlines()
        # A label with a value that cannot be broken may be longer.
        if len(line) > 110 and line.rstrip(",").endswith(("}", "]"))
    ]
    assert too_long == []


def test_descriptions_are_left_out() -> None:
    document = {
        "description": "A pod.",
        "properties": {"a": {"description": "A.", "type": "string"}},
        "responses": {"200": {"description": "OK"}},
    }
    assert normalize_openapi(document) == {
        "properties": {"a": {"type": "string"}},
        "responses": {"200": {}},
    }


def test_a_property_of_that_name_is_kept() -> None:
    properties = {"description": {"type": "string"}, "properties": {"type": "object", "description": "All."}}
    assert normalize_openapi({"properties": properties}) == {
        "properties": {"description": {"type": "string"}, "properties": {"type": "object"}}
    }


def test_the_order_of_keys_and_parameters_means_nothing() -> None:
    one = {
        "get": {"parameters": [{"name": "b", "in": "query"}, {"in": "path", "name": "a"}], "tags": ["z", "y"]}
    }
    other = {
        "get": {"tags": ["z", "y"], "parameters": [{"name": "a", "in": "path"}, {"in": "query", "name": "b"}]}
    }
    assert render_json(normalize_openapi(one)) == render_json(normalize_openapi(other))
    assert normalize_openapi(one)["get"]["tags"] == ["z", "y"]
