"""What holds of all schemas and values."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings

from kubewright.crd.defaulting import copy_json, default
from kubewright.crd.go_values import deep_equal
from kubewright.crd.pruning import prune
from kubewright.crd.schema_check import checker
from kubewright.crd.schema_report import schema_errors
from kubewright.crd.structural import parse_schema
from kubewright.crd.validation import validate
from tests.crd.schemas import SCHEMAS, VALUES


@settings(max_examples=250, deadline=None)
@given(SCHEMAS, VALUES)
def test_the_quick_half_of_validation_agrees_with_the_exact_one(schema: dict[str, Any], value: Any) -> None:
    parsed = parse_schema(schema)
    assert checker(parsed)(value) == (schema_errors(value, parsed) == [])


def _object(value: Any) -> dict[str, Any]:
    return {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a"}, "field": copy.deepcopy(value)}


@settings(max_examples=150, deadline=None)
@given(SCHEMAS, VALUES)
def test_what_is_pruned_stays_as_it_is(schema: dict[str, Any], value: Any) -> None:
    parsed = parse_schema({"type": "object", "properties": {"field": schema}})
    obj = _object(value)
    prune(obj, parsed)
    once = copy.deepcopy(obj)
    assert prune(obj, parsed) == []
    assert obj == once


@settings(max_examples=150, deadline=None)
@given(SCHEMAS, VALUES)
def test_what_has_its_defaults_stays_as_it_is(schema: dict[str, Any], value: Any) -> None:
    parsed = parse_schema(
        {"type": "object", "properties": {"field": {**schema, "default": copy_json(value)}}}
    )
    obj = _object(None)
    default(obj, parsed)
    once = copy.deepcopy(obj)
    default(obj, parsed)
    assert deep_equal(obj, once)


@settings(max_examples=150, deadline=None)
@given(SCHEMAS, VALUES)
def test_an_update_that_changes_nothing_the_schema_knows_is_good(schema: dict[str, Any], value: Any) -> None:
    parsed = parse_schema({"type": "object", "properties": {"field": {**schema, "anyOf": []}}})
    obj = _object(value)
    prune(obj, parsed)
    if _has_unknown(schema):
        return
    assert validate(obj, parsed, old=copy.deepcopy(obj)) == []


def _has_unknown(schema: dict[str, Any]) -> bool:
    """Whether values may have fields without a schema, which are never taken for unchanged."""
    return bool(schema.get("x-kubernetes-preserve-unknown-fields"))


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_a_value_equals_its_copy_and_no_other_type(value: Any) -> None:
    assert deep_equal(value, copy_json(value))
    assert not deep_equal([value], {"a": value})
    assert not deep_equal(1, 1.0)
    assert not deep_equal(True, 1)
