"""The structural schema of a custom resource: an `openAPIV3Schema`, read once, checked and immutable.

A schema has two halves. The structural one (type, properties, items, additionalProperties, default, nullable
and the x-kubernetes-* extensions) says which fields there are: pruning and defaulting follow it. The value
validations (bounds, patterns, enums, allOf and its like) say which values they may have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from kubewright.crd.go_values import as_stored
from kubewright.machinery.errors import ParseError

__all__ = ["MAX_DEPTH", "MISSING", "StructuralSchema", "parse_schema"]

T = TypeVar("T")

MISSING: Final = object()
"""Stands for a default that is not given; null is upstream's word for the same."""

MAX_DEPTH: Final = 100
"""How deep a schema may nest. Upstream has no limit but the size of the object; the deepest CRDs in use nest
some thirty levels, and each level here costs a Python frame."""

_UNSUPPORTED: Final = (
    ("id", "id"),
    ("$schema", "schema"),
    ("$ref", "$ref"),
    ("patternProperties", "patternProperties"),
    ("dependencies", "dependencies"),
    ("additionalItems", "additionalItems"),
    ("definitions", "definitions"),
)
"""The wire names of what no structural schema has, with the names that upstream's messages give them, in the
order in which it looks for them."""


class StructuralSchema(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """One node of a schema, with all below it. Made by `parse_schema`; never changes."""

    type: str = ""
    format: str = ""
    nullable: bool = False
    default: Any = MISSING
    properties: Mapping[str, StructuralSchema] = {}
    additional_properties: StructuralSchema | bool | None = None
    """A schema, whether any others are allowed, or None where the schema does not say."""
    items: StructuralSchema | None = None

    preserve_unknown_fields: bool = False
    embedded_resource: bool = False
    int_or_string: bool = False
    list_type: str | None = None
    list_map_keys: Sequence[str] = ()
    map_type: str | None = None
    rules: Sequence[Mapping[str, Any]] = ()
    """x-kubernetes-validations, as they were written."""

    maximum: float | None = None
    exclusive_maximum: bool = False
    minimum: float | None = None
    exclusive_minimum: bool = False
    multiple_of: float | None = None
    max_length: int | None = None
    min_length: int | None = None
    pattern: str = ""
    max_items: int | None = None
    min_items: int | None = None
    unique_items: bool = False
    max_properties: int | None = None
    min_properties: int | None = None
    required: Sequence[str] = ()
    enum: Sequence[Any] = ()
    all_of: Sequence[StructuralSchema] = ()
    any_of: Sequence[StructuralSchema] = ()
    one_of: Sequence[StructuralSchema] = ()
    not_: StructuralSchema | None = None

    source: Mapping[str, Any] = {}
    """The schema as it was given."""
    memo: dict[Any, Any] = {}
    """What `prepared` made already."""

    def prepared(self, prepare: Callable[[StructuralSchema], T]) -> T:
        """What `prepare` makes of this schema, made at the first call."""
        found: T | None = self.memo.get(prepare)
        if found is None:
            found = self.memo[prepare] = prepare(self)
        return found

    def children(self) -> list[StructuralSchema]:
        """The schemas of the members and elements, which pruning and defaulting follow."""
        found = list(self.properties.values())
        if isinstance(self.additional_properties, StructuralSchema):
            found.append(self.additional_properties)
        if self.items is not None:
            found.append(self.items)
        return found


def parse_schema(schema: Mapping[str, Any]) -> StructuralSchema:
    """Read an `openAPIV3Schema`. Raises ParseError, with upstream's sentence, for one that no custom resource
    can have: `$ref`, a list of item schemas, x-kubernetes-preserve-unknown-fields: false and their like.

    Other rules of structural schemas, which a CustomResourceDefinition must keep, are checked where one is
    written, not here.
    """
    try:
        return _parse(schema, 0)
    except RecursionError:  # in a default or an enum
        raise ParseError("the schema has values that nest too deeply") from None


def _parse(schema: Mapping[str, Any], depth: int) -> StructuralSchema:
    if depth > MAX_DEPTH:
        raise ParseError(f"the schema nests more than {MAX_DEPTH} levels deep")
    if not isinstance(schema, Mapping):
        raise ParseError("a schema must be an object")
    for name, told in _UNSUPPORTED:
        if schema.get(name) or (name == "additionalItems" and name in schema):
            raise ParseError(f"OpenAPIV3Schema '{told}' is not supported")
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        raise ParseError("internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined")
    items = schema.get("items")
    if isinstance(items, list):
        raise ParseError("OpenAPIV3Schema 'items' must be a schema, but is an array")
    additional = schema.get("additionalProperties")
    below = depth + 1
    default = schema.get("default")
    not_ = schema.get("not")
    return StructuralSchema(
        type=schema.get("type") or "",
        format=schema.get("format") or "",
        nullable=bool(schema.get("nullable")),
        default=MISSING if default is None else as_stored(default),
        properties={name: _parse(member, below) for name, member in (schema.get("properties") or {}).items()},
        additional_properties=_parse(additional, below) if isinstance(additional, Mapping) else additional,
        items=None if items is None else _parse(items, below),
        preserve_unknown_fields=bool(schema.get("x-kubernetes-preserve-unknown-fields")),
        embedded_resource=bool(schema.get("x-kubernetes-embedded-resource")),
        int_or_string=bool(schema.get("x-kubernetes-int-or-string")),
        list_type=schema.get("x-kubernetes-list-type"),
        list_map_keys=tuple(schema.get("x-kubernetes-list-map-keys") or ()),
        map_type=schema.get("x-kubernetes-map-type"),
        rules=tuple(schema.get("x-kubernetes-validations") or ()),
        maximum=_number(schema, "maximum"),
        exclusive_maximum=bool(schema.get("exclusiveMaximum")),
        minimum=_number(schema, "minimum"),
        exclusive_minimum=bool(schema.get("exclusiveMinimum")),
        multiple_of=_number(schema, "multipleOf"),
        max_length=schema.get("maxLength"),
        min_length=schema.get("minLength"),
        pattern=schema.get("pattern") or "",
        max_items=schema.get("maxItems"),
        min_items=schema.get("minItems"),
        unique_items=bool(schema.get("uniqueItems")),
        max_properties=schema.get("maxProperties"),
        min_properties=schema.get("minProperties"),
        required=tuple(schema.get("required") or ()),
        enum=tuple(map(as_stored, schema.get("enum") or ())),
        all_of=tuple(_parse(clause, below) for clause in schema.get("allOf") or ()),
        any_of=tuple(_parse(clause, below) for clause in schema.get("anyOf") or ()),
        one_of=tuple(_parse(clause, below) for clause in schema.get("oneOf") or ()),
        not_=None if not_ is None else _parse(not_, below),
        source=schema,
        memo={},
    )


def _number(schema: Mapping[str, Any], name: str) -> float | None:
    value = schema.get(name)
    return None if value is None else float(value)
