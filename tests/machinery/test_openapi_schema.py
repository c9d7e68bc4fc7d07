"""Schemas as read from OpenAPI."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright.machinery.errors import ParseError
from kubewright.machinery.openapi_schema import OBJECT_META, schema_from_crd, schema_from_openapi
from kubewright.machinery.schema import ANY, SCALAR, Schema

STRING = {"type": "string"}


def field(openapi: dict[str, Any], definitions: dict[str, Any] | None = None) -> Schema:
    """The schema of one property."""
    return schema_from_openapi({"type": "object", "properties": {"f": openapi}}, definitions or {}).fields[
        "f"
    ]


@pytest.mark.parametrize("type_", ["string", "integer", "number", "boolean"])
def test_scalars(type_: str) -> None:
    assert schema_from_openapi({"type": type_}) is SCALAR
    assert schema_from_openapi({"type": type_, "default": 5}).default == 5


@pytest.mark.parametrize(
    "openapi",
    [
        {},
        {"description": "x"},
        {"x-kubernetes-int-or-string": True},
        {"x-kubernetes-preserve-unknown-fields": True},
    ],
)
def test_no_type_is_any(openapi: dict[str, Any]) -> None:
    assert schema_from_openapi(openapi) is ANY


def test_no_type_with_more_to_say_is_still_any() -> None:
    schema = schema_from_openapi({"properties": {"a": STRING}, "x-kubernetes-map-type": "atomic"})
    assert (schema.kind, schema.map_type, schema.fields) == ("any", "atomic", {"a": SCALAR})


def test_objects_without_properties_are_free() -> None:
    assert schema_from_openapi({"type": "object"}).values is ANY
    assert schema_from_openapi({"type": "object", "additionalProperties": True}).values is ANY
    assert schema_from_openapi({"type": "object", "additionalProperties": STRING}).values is SCALAR


def test_objects_with_properties_are_closed_unless_they_preserve() -> None:
    closed: dict[str, Any] = {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": STRING}}},
    }
    assert schema_from_openapi(closed).values is None
    kept = schema_from_openapi({**closed, "x-kubernetes-preserve-unknown-fields": True})
    assert kept.values is ANY
    assert kept.fields["a"].values is ANY  # inherited by what is written inline
    everywhere = schema_from_openapi(closed, preserve_unknown=True)
    assert everywhere.fields["a"].values is ANY


@pytest.mark.parametrize(
    ("extra", "list_type", "keys"),
    [
        ({}, "atomic", ()),
        ({"x-kubernetes-list-type": "atomic"}, "atomic", ()),
        ({"x-kubernetes-list-type": "set"}, "set", ()),
        ({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"]}, "map", ("a", "b")),
        ({"x-kubernetes-patch-strategy": "merge"}, "set", ()),
        ({"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "a"}, "map", ("a",)),
        (
            {"x-kubernetes-patch-strategy": "merge,retainKeys", "x-kubernetes-patch-merge-key": "a"},
            "map",
            ("a",),
        ),
        ({"x-kubernetes-patch-strategy": "retainKeys"}, "atomic", ()),
        (
            {
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k"],
                "x-kubernetes-patch-strategy": "merge",
                "x-kubernetes-patch-merge-key": "a",
            },
            "map",
            ("k",),
        ),
    ],
)
def test_lists(extra: dict[str, Any], list_type: str, keys: tuple[str, ...]) -> None:
    schema = schema_from_openapi({"type": "array", "items": STRING, **extra})
    assert (schema.kind, schema.list_type, schema.map_keys, schema.items) == (
        "array",
        list_type,
        keys,
        SCALAR,
    )


def test_patch_strategies_and_keys_are_kept() -> None:
    schema = schema_from_openapi(
        {
            "type": "array",
            "items": {"type": "object"},
            "x-kubernetes-patch-strategy": "merge,retainKeys",
            "x-kubernetes-patch-merge-key": "name",
        }
    )
    assert schema.patch_strategies == ("merge", "retainKeys")
    assert schema.patch_merge_key == "name"


DEFINITIONS: dict[str, Any] = {
    "Point": {"type": "object", "properties": {"x": {"type": "integer", "default": 3}}},
    "Tree": {"type": "object", "properties": {"child": {"$ref": "#/definitions/Tree"}}},
    "Alias": {"$ref": "#/definitions/Point"},
    "Loop": {"$ref": "#/definitions/Loop"},
    "io.k8s.apimachinery.pkg.runtime.RawExtension": {"type": "object"},
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"oneOf": []},
}


@pytest.mark.parametrize(
    "openapi",
    [
        {"$ref": "#/definitions/Point"},
        {"$ref": "#/components/schemas/Point"},
        {"allOf": [{"$ref": "#/components/schemas/Point"}]},
        {"$ref": "#/definitions/Alias"},
    ],
)
def test_references(openapi: dict[str, Any]) -> None:
    schema = field(openapi, DEFINITIONS)
    assert schema.kind == "object"
    assert schema.fields["x"].default == 3


def test_what_stands_beside_a_reference_counts() -> None:
    schema = field(
        {
            "allOf": [{"$ref": "#/definitions/Point"}],
            "default": {},
            "x-kubernetes-map-type": "atomic",
            "x-kubernetes-patch-strategy": "retainKeys",
        },
        DEFINITIONS,
    )
    assert (schema.default, schema.map_type, schema.patch_strategies) == ({}, "atomic", ("retainKeys",))
    assert list(schema.fields) == ["x"]


def test_definitions_may_refer_to_themselves() -> None:
    schema = field({"$ref": "#/definitions/Tree"}, DEFINITIONS)
    assert schema.fields["child"].fields["child"] is schema


def test_types_that_upstream_knows_by_name() -> None:
    raw = field({"$ref": "#/definitions/io.k8s.apimachinery.pkg.runtime.RawExtension"}, DEFINITIONS)
    assert (raw.kind, raw.map_type) == ("any", "atomic")
    assert (
        field({"$ref": "#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity"}, DEFINITIONS) is SCALAR
    )


def test_embedded_resources_have_metadata() -> None:
    schema = field({"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": STRING}})
    assert schema.fields["metadata"] is OBJECT_META
    assert schema.fields["kind"] is SCALAR


def test_custom_resources_have_type_and_metadata() -> None:
    schema = schema_from_crd(
        {"type": "object", "properties": {"spec": STRING, "metadata": {"type": "object"}}}
    )
    assert schema.fields["metadata"] is OBJECT_META
    assert schema.fields["spec"] is SCALAR
    assert schema.values is None
    assert schema_from_crd({"type": "object", "x-kubernetes-preserve-unknown-fields": True}).values is ANY
    assert OBJECT_META.fields["ownerReferences"].map_keys == ("uid",)


@pytest.mark.parametrize(
    ("openapi", "complaint"),
    [
        ({"type": "text"}, "type 'text'"),
        ({"$ref": "#/definitions/Nothing"}, "'Nothing'"),
        ({"$ref": "#/definitions/Loop"}, "'Loop' refers to itself"),
        ({"type": "array", "x-kubernetes-list-type": "bag"}, "'bag'"),
        ({"type": "array", "x-kubernetes-list-type": "map"}, "x-kubernetes-list-map-keys is None"),
        ({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [1]}, "[1]"),
        ({"type": "object", "x-kubernetes-map-type": "loose"}, "'loose'"),
        ({"type": "array", "x-kubernetes-patch-strategy": 1}, "x-kubernetes-patch-strategy"),
        ({"type": "array", "items": 5}, "'items'"),
    ],
)
def test_bad_schemas_are_refused(openapi: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ParseError) as refusal:
        schema_from_openapi(openapi, DEFINITIONS)
    assert complaint in str(refusal.value)


def test_bad_members_are_refused_when_they_are_looked_at() -> None:
    with pytest.raises(ParseError, match="properties"):
        _ = schema_from_openapi({"type": "object", "properties": 5}).fields
    with pytest.raises(ParseError, match="'f'"):
        field(5)  # type: ignore[arg-type]
