"""The parts of validation that a server's answers do not show: the hooks, and hostile objects and schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from kubewright.crd.defaulting import default
from kubewright.crd.go_values import as_stored, go_float, go_json, go_print, may_have_whole_floats
from kubewright.crd.object_meta import coerce_metadata, is_clean_metadata
from kubewright.crd.pruning import prune
from kubewright.crd.schema_check import checker
from kubewright.crd.schema_report import schema_errors
from kubewright.crd.structural import MAX_DEPTH, parse_schema
from kubewright.crd.validation import validate, validate_status
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import FieldError, invalid

SCHEMA = parse_schema({
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 2}}}},
})  # fmt: skip


class Rules:
    """CEL rules that always complain, and remember what they were asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Any, str]] = []

    def validate(self, obj: Any, old: Any, path: str) -> list[FieldError]:
        self.asked.append((obj, old, path))
        return [invalid("spec", "x", "no")]


def test_rules_are_asked_after_the_schema() -> None:
    rules, obj, old = Rules(), {"spec": {"a": "b"}}, {"spec": {}}
    assert validate(obj, SCHEMA, old=old, rules=rules) == [invalid("spec", "x", "no")]
    assert validate_status(obj, SCHEMA, old=old, rules=rules) == [invalid("spec", "x", "no")]
    assert rules.asked == [(obj, old, ""), (obj, old, "")]


def test_rules_are_not_asked_about_what_has_no_known_types_or_sizes() -> None:
    rules = Rules()
    found = validate({"spec": {"a": "long"}}, SCHEMA, rules=rules)
    assert rules.asked == []
    assert found[0].reason == "FieldValueTooLong"
    assert found[1].field == "<nil>"
    assert "some validation rules were not checked" in found[1].message


def test_a_value_that_json_has_not_is_invalid() -> None:
    found = validate({"spec": {"a": (1, 2)}}, SCHEMA)
    assert [error.reason for error in found] == ["FieldValueTypeInvalid"]


def test_clauses_are_not_asked_about_an_allowed_null() -> None:
    schema = parse_schema({"type": "string", "nullable": True, "allOf": [{"enum": ["a"]}]})
    assert checker(schema)(None)
    assert schema_errors(None, schema) == []
    assert not checker(schema)("b")


def _nested(depth: int, leaf: Any) -> Any:
    value = leaf
    for _ in range(depth):
        value = [value]
    return value


def test_deeply_nested_lists_are_pruned_and_refused() -> None:
    obj = {"spec": {"a": _nested(50_000, {"b": 1})}}
    assert len(prune(obj, SCHEMA)) == 1
    found = validate(obj, SCHEMA)
    assert [error.reason for error in found] == ["FieldValueTypeInvalid"]
    obj["spec"]["a"] = None  # so that freeing it does not recurse


def test_deep_values_without_schema_count_as_changed() -> None:
    schema = parse_schema({"type": "object", "properties": {
        "a": {"x-kubernetes-preserve-unknown-fields": True, "maxItems": 0}}})  # fmt: skip
    obj, old = {"a": _nested(50_000, 1)}, {"a": _nested(50_000, 1)}
    assert [error.reason for error in validate(obj, schema, old=old)] == ["FieldValueTooMany"]
    obj.clear()
    old.clear()


def test_a_schema_may_not_nest_without_end() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(MAX_DEPTH + 1):
        schema = {"type": "array", "items": schema}
    with pytest.raises(ParseError, match=f"nests more than {MAX_DEPTH} levels"):
        parse_schema(schema)


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"$ref": "x"}, "OpenAPIV3Schema '$ref' is not supported"),
        ({"properties": {"a": {"id": "x"}}}, "OpenAPIV3Schema 'id' is not supported"),
        ({"items": [{}]}, "OpenAPIV3Schema 'items' must be a schema, but is an array"),
        ({"additionalItems": False}, "OpenAPIV3Schema 'additionalItems' is not supported"),
        (
            {"x-kubernetes-preserve-unknown-fields": False},
            "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
        ),
    ],
)
def test_schemas_that_no_custom_resource_has(schema: dict[str, Any], told: str) -> None:
    with pytest.raises(ParseError) as error:
        parse_schema(schema)
    assert str(error.value) == told


def test_defaults_are_not_shared_between_objects() -> None:
    schema = parse_schema({"type": "object", "properties": {"a": {"type": "object", "default": {"b": [1]}}}})
    one: dict[str, Any] = {}
    other: dict[str, Any] = {}
    default(one, schema)
    one["a"]["b"].append(2)
    default(other, schema)
    assert other == {"a": {"b": [1]}}


def test_stored_metadata_of_the_wrong_types_is_dropped() -> None:
    obj = {"metadata": {"name": "a", "labels": {"b": 1}, "generation": "x"}, "spec": {"a": "b"}}
    with pytest.raises(ParseError, match="of type int64"):
        prune({"metadata": dict(obj["metadata"])}, SCHEMA)
    prune(obj, SCHEMA, drop_invalid_metadata=True)
    assert obj == {"metadata": {"name": "a"}, "spec": {"a": "b"}}


def test_unknown_fields_may_be_kept_by_the_definition() -> None:
    obj = {"metadata": {"name": "a", "foo": 1}, "bar": {"c": None}}
    assert prune(obj, SCHEMA, preserve_unknown_fields=True) == ['unknown field "metadata.foo"']
    assert obj == {"metadata": {"name": "a"}, "bar": {"c": None}}


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "a", "labels": {"b": "c"}, "uid": "u", "generation": 1, "resourceVersion": "1"},
        {"creationTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["a/b"]},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "b", "uid": "c", "controller": True}]},
        {"managedFields": [{"manager": "a", "operation": "Apply", "fieldsV1": {"f:a": {}}}]},
    ],
)
def test_clean_metadata_is_left_as_it_is(metadata: dict[str, Any]) -> None:
    assert is_clean_metadata(metadata)
    assert coerce_metadata(metadata) == metadata


@pytest.mark.parametrize(
    "metadata",
    [
        {"foo": 1},
        {"name": ""},
        {"labels": {}},
        {"labels": {"a": 1}},
        {"generation": 0},
        {"uid": None},
        {"finalizers": []},
    ],
)
def test_metadata_that_is_not_clean_is_looked_at(metadata: dict[str, Any]) -> None:
    assert not is_clean_metadata(metadata)


@pytest.mark.parametrize(
    ("number", "printed", "written"),
    [
        (1.0, "1", "1"), (1e6, "1e+06", "1000000"), (999999.5, "999999.5", "999999.5"),
        (1e-5, "1e-05", "0.00001"),
        (123456789.5, "1.234567895e+08", "123456789.5"), (1e21, "1e+21", "1e+21"), (-0.25, "-0.25", "-0.25"),
        (1e-7, "1e-07", "1e-07"), (2.0**63, "9.223372036854776e+18", "9223372036854776000"),
    ],
)  # fmt: skip
def test_numbers_as_go_prints_them(number: float, printed: str, written: str) -> None:
    assert go_float(number) == printed
    assert go_json(number) == written


def test_values_as_go_prints_them() -> None:
    value = {"b": [1.0, None, True], "a": "<&>"}
    assert go_json(value) == '{"a":"\\u003c\\u0026\\u003e","b":[1,null,true]}'
    assert go_print(value) == "map[a:<&> b:[1 <nil> true]]"
    assert as_stored([1.0, 1.5, {"a": 1e30}]) == [1, 1.5, {"a": 1e30}]
    assert isinstance(as_stored(2.0), int)


@pytest.mark.parametrize("number", [1.0, -2.0, 0.0, 1e15, 1e16, -1.5e17, 9e18, 123456789012345678.0])
@pytest.mark.parametrize("where", [lambda n: {"a": n}, lambda n: ["x", n, 1], lambda n: {"a": {"b": [n]}}])
def test_whole_floats_are_found_in_what_is_written(number: float, where: Callable[[float], object]) -> None:
    assert may_have_whole_floats(msgspec.json.encode(where(number)))
    assert not may_have_whole_floats(msgspec.json.encode(as_stored(where(number))))


def test_most_objects_have_no_whole_floats() -> None:
    value = {"a": 1, "b": 1.5, "c": "1.0.0", "d": "10.0.0.1", "e": [1e30, 0.05], "f": "x e16", "g": "v1.0"}
    assert not may_have_whole_floats(msgspec.json.encode(value))
