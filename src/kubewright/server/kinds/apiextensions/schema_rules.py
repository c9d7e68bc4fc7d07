"""What a schema of a CustomResourceDefinition may say, beside being structural.

As upstream's ValidateCustomResourceDefinitionOpenAPISchema. The rules that CEL expressions must keep are in
`kubewright.crd.cel`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from kubewright.crd.go_values import invalid
from kubewright.machinery.field_errors import forbidden, not_supported, required
from kubewright.server.kinds.kind import Errors

__all__ = ["SchemaOptions", "list_key_errors", "schema_has", "schema_rule_errors"]

Schema = Mapping[str, Any]

OPENAPI_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_META_FIELDS: Final = frozenset({"apiVersion", "kind", "metadata"})


class SchemaOptions(NamedTuple):
    """Which rules hold: an update does not tighten what the old definition broke already."""

    valid_types: bool = True
    atomic_sets: bool = True
    list_keys: bool = True


class _Place(NamedTuple):
    is_root: bool = False
    inside_meta: bool = False
    no_defaults: str | None = None
    """Why there may be no default; None where there may."""


def schema_rule_errors(schema: Schema, path: str, options: SchemaOptions) -> Errors:
    """All that is wrong with a schema, with all below it."""
    return _errors(schema, path, _Place(is_root=True), options)


def _errors(schema: Schema, path: str, place: _Place, options: SchemaOptions) -> Errors:
    found = _own(schema, path, place, options)
    if schema.get("uniqueItems"):
        told = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        found.append(forbidden(f"{path}.uniqueItems", told))
    within = place._replace(is_root=False)
    additional = schema.get("additionalProperties")
    properties = schema.get("properties") or {}
    if additional is not None:
        if properties and (additional is False or isinstance(additional, dict)):
            told = "additionalProperties and properties are mutual exclusive"
            found.append(forbidden(f"{path}.additionalProperties", told))
        if isinstance(additional, dict):
            inner = within
            if place.inside_meta:
                inner = within._replace(no_defaults="inside additionalProperties applying to object metadata")
            found += _errors(additional, f"{path}.additionalProperties", inner, options)
    embedded = place.is_root or bool(schema.get("x-kubernetes-embedded-resource"))
    for name, member in properties.items():
        inner = within
        if embedded and name in _META_FIELDS:
            inner = inner._replace(inside_meta=True)
            if place.is_root:
                inner = inner._replace(no_defaults=f"in top-level {name}")
        found += _errors(member, f"{path}.properties[{name}]", inner, options)
    for where, clause in _clauses(schema):
        found += _errors(clause, f"{path}.{where}", within, options)
    found += _extension_errors(schema, path, options)
    return found


def _clauses(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The other schemas within a schema, with where they stand."""
    if schema.get("not") is not None:
        yield "not", schema["not"]
    for name in ("allOf", "oneOf", "anyOf"):
        for index, clause in enumerate(schema.get(name) or ()):
            yield f"{name}[{index}]", clause
    for name, clause in (schema.get("definitions") or {}).items():
        yield f"definitions[{name}]", clause
    items = schema.get("items")
    if isinstance(items, dict):
        yield "items", items
    elif isinstance(items, list):
        for index, clause in enumerate(items):
            yield f"items[{index}]", clause
    for name, clause in (schema.get("dependencies") or {}).items():
        if isinstance(clause, dict):
            yield f"dependencies[{name}]", clause


def _own(schema: Schema, path: str, place: _Place, options: SchemaOptions) -> Errors:
    found: Errors = []
    type_ = schema.get("type") or ""
    if options.valid_types and type_ and type_ not in OPENAPI_TYPES:
        found.append(not_supported(f"{path}.type", type_, OPENAPI_TYPES))
    if schema.get("default") is not None and place.no_defaults is not None:
        found.append(forbidden(f"{path}.default", f"must not be set {place.no_defaults}"))
    if schema.get("id"):
        found.append(forbidden(f"{path}.id", "id is not supported"))
    if schema.get("additionalItems") is not None:
        found.append(forbidden(f"{path}.additionalItems", "additionalItems is not supported"))
    if schema.get("patternProperties"):
        found.append(forbidden(f"{path}.patternProperties", "patternProperties is not supported"))
    if schema.get("definitions"):
        found.append(forbidden(f"{path}.definitions", "definitions is not supported"))
    if schema.get("dependencies"):
        found.append(forbidden(f"{path}.dependencies", "dependencies is not supported"))
    if schema.get("$ref") is not None:
        found.append(forbidden(f"{path}.$ref", "$ref is not supported"))
    if type_ == "null":
        told = "type cannot be set to null, use nullable as an alternative"
        found.append(forbidden(f"{path}.type", told))
    if isinstance(schema.get("items"), list) and schema["items"]:
        found.append(forbidden(f"{path}.items", "items must be a schema object and not an array"))
    if place.inside_meta and schema.get("x-kubernetes-embedded-resource"):
        told = "must not be used inside of resource meta"
        found.append(forbidden(f"{path}.x-kubernetes-embedded-resource", told))
    return found


def _extension_errors(schema: Schema, path: str, options: SchemaOptions) -> Errors:
    found: Errors = []
    type_ = schema.get("type") or ""
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        where = f"{path}.x-kubernetes-preserve-unknown-fields"
        found.append(invalid(where, False, "must be true or undefined"))
    map_type = schema.get("x-kubernetes-map-type")
    if map_type is not None:
        if type_ != "object":
            found.append(_wrong_type(path, type_, "must be object if x-kubernetes-map-type is specified"))
        if map_type not in {"atomic", "granular"}:
            found.append(not_supported(f"{path}.x-kubernetes-map-type", map_type, ("atomic", "granular")))
    list_type = schema.get("x-kubernetes-list-type")
    if list_type is not None:
        if type_ != "array":
            found.append(_wrong_type(path, type_, "must be array if x-kubernetes-list-type is specified"))
        elif options.atomic_sets:
            found += _set_errors(schema, path)
        if list_type not in {"atomic", "set", "map"}:
            found.append(not_supported(f"{path}.x-kubernetes-list-type", list_type, ("atomic", "set", "map")))
    if schema.get("x-kubernetes-list-map-keys") and list_type != "map":
        told = "must be map if x-kubernetes-list-map-keys is non-empty"
        where = f"{path}.x-kubernetes-list-type"
        found.append(required(where, told) if list_type is None else invalid(where, list_type, told))
    if list_type == "map":
        found += _map_errors(schema, path)
    if options.list_keys:
        found += list_key_errors(schema, path)
    return found


def _wrong_type(path: str, type_: str, told: str) -> Any:
    return invalid(f"{path}.type", type_, told) if type_ else required(f"{path}.type", told)


def _set_errors(schema: Schema, path: str) -> Errors:
    """The elements of a set are atoms."""
    items = schema.get("items")
    if schema.get("x-kubernetes-list-type") != "set" or not isinstance(items, dict):
        return []
    told = "must be atomic as item of a list with x-kubernetes-list-type=set"
    list_type = items.get("x-kubernetes-list-type")
    if items.get("type") == "array" and list_type not in {None, "atomic"}:
        # Upstream hands over a pointer here, which prints as the JSON of what it points to.
        return [invalid(f"{path}.items.x-kubernetes-list-type", list_type, told)]
    if items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic":
        return [invalid(f"{path}.items.x-kubernetes-map-type", list_type, told)]
    return []


def _map_errors(schema: Schema, path: str) -> Errors:
    found: Errors = []
    keys = schema.get("x-kubernetes-list-map-keys") or []
    items = schema.get("items")
    if not keys:
        told = "must not be empty if x-kubernetes-list-type is map"
        found.append(required(f"{path}.x-kubernetes-list-map-keys", told))
    if items is None:
        found.append(required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map"))
    if not isinstance(items, dict):
        return found
    type_ = items.get("type") or ""
    if type_ != "object":
        told = "must be object if parent array's x-kubernetes-list-type is map"
        return [*found, invalid(f"{path}.items.type", type_, told)]
    seen: set[str] = set()
    properties = items.get("properties") or {}
    where = f"{path}.x-kubernetes-list-map-keys"
    for key in keys:
        if key not in properties:
            found.append(invalid(where, keys, "entries must all be names of item properties"))
        elif properties[key].get("type") in {"array", "object"}:
            told = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            found.append(invalid(f"{path}.items.properties[{key}].type", type_, told))
        if key in seen:
            found.append(invalid(where, keys, "must not contain duplicate entries"))
        seen.add(key)
    return found


def list_key_errors(schema: Schema, path: str) -> Errors:
    """The elements of sets and maps are not null, and neither are their keys, which always have a value."""
    items, list_type = schema.get("items"), schema.get("x-kubernetes-list-type")
    if not isinstance(items, dict) or list_type not in {"set", "map"}:
        return []
    found: Errors = []
    if items.get("nullable"):
        told = f"cannot be nullable when x-kubernetes-list-type is {list_type}"
        found.append(forbidden(f"{path}.items.nullable", told))
    if list_type == "set":
        return found
    properties = items.get("properties") or {}
    for key in schema.get("x-kubernetes-list-map-keys") or ():
        if key not in properties:
            continue
        where = f"{path}.items.properties[{key}]"
        told = "this property is in x-kubernetes-list-map-keys, so it"
        if key not in (items.get("required") or ()) and properties[key].get("default") is None:
            found.append(
                required(f"{where}.default", f"{told} must have a default or be a required property")
            )
        if properties[key].get("nullable"):
            found.append(forbidden(f"{where}.nullable", f"{told} cannot be nullable"))
    return found


def schema_has(schema: Schema, test: Callable[[Schema], bool]) -> bool:
    """Whether a schema, or one within it, passes the test."""
    return any(map(test, _all_schemas(schema)))


def _all_schemas(schema: Schema) -> Iterator[Schema]:
    """A schema and all within it, in upstream's order."""
    yield schema
    items = schema.get("items")
    within: list[Any] = items if isinstance(items, list) else [items]
    for name in ("allOf", "anyOf", "oneOf"):
        within += schema.get(name) or ()
    within.append(schema.get("not"))
    within += (schema.get("properties") or {}).values()
    within.append(schema.get("additionalProperties"))
    within += (schema.get("patternProperties") or {}).values()
    within.append(schema.get("additionalItems"))
    within += (schema.get("definitions") or {}).values()
    within += (schema.get("dependencies") or {}).values()
    for inner in within:
        if isinstance(inner, dict):
            yield from _all_schemas(inner)
