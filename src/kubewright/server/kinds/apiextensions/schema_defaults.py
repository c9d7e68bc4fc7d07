"""The defaults in a definition's schema must be values that the schema takes, and prunes nothing of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kubewright.crd.defaulting import copy_json
from kubewright.crd.embedded import embedded_errors
from kubewright.crd.go_values import deep_equal, invalid
from kubewright.crd.pruning import META_FIELDS, coerce_embedded, drop_unknown_fields
from kubewright.crd.schema_report import schema_errors
from kubewright.crd.structural import MISSING, StructuralSchema, parse_schema
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import aggregate
from kubewright.machinery.names import is_path_segment_name, is_path_segment_prefix
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import validate_object_meta

__all__ = ["default_errors", "embedded_metadata_errors", "has_unpruned_defaults"]

_Surround = Callable[[Any], Any]
"""Puts a default into the object that it would stand in."""


def embedded_metadata_errors(metadata: Object, path: str) -> Errors:
    """All that is wrong with the metadata of an embedded object, whose names only have to fit in a path."""
    return validate_object_meta(
        metadata, namespaced=bool(metadata.get("namespace")), name_rule=_segment, path=path
    )


def _segment(name: str, *, prefix: bool = False) -> list[str]:
    return is_path_segment_prefix(name) if prefix else is_path_segment_name(name)


def default_errors(schema: StructuralSchema, path: str, *, require_pruned: bool = True) -> Errors:
    """All that is wrong with the defaults of an object's schema."""
    return _errors(schema, path, schema, _object, inside_meta=False, pruned=require_pruned, root=True)


def _object(value: Any) -> Any:
    if isinstance(value, dict):
        value.setdefault("kind", "Validation")
        value.setdefault("apiVersion", "validation/v1")
    return value


def _errors(
    schema: StructuralSchema,
    path: str,
    root_schema: StructuralSchema,
    surround: _Surround,
    *,
    inside_meta: bool,
    pruned: bool,
    root: bool = False,
) -> Errors:
    embedded = root or schema.embedded_resource
    if embedded:
        inside_meta, surround, root_schema = False, _object, schema
    found: Errors = []
    if schema.default is not MISSING:
        where = f"{path}.default"
        if inside_meta:
            found += _metadata_default(schema, where, root_schema, surround)
        else:
            found += _default(schema, where, embedded=embedded, pruned=pruned)
    if schema.items is not None:
        found += _errors(
            schema.items,
            f"{path}.items",
            root_schema,
            lambda value: surround([value]),
            inside_meta=inside_meta,
            pruned=pruned,
        )
    for name, member in schema.properties.items():
        found += _errors(
            member,
            f"{path}.properties[{name}]",
            root_schema,
            lambda value, name=name: surround({name: value}),  # type: ignore[misc]
            inside_meta=inside_meta or (embedded and name in META_FIELDS),
            pruned=pruned,
        )
    return found


def _metadata_default(
    schema: StructuralSchema, path: str, root_schema: StructuralSchema, surround: _Surround
) -> Errors:
    """A default within metadata must make good metadata of the object that it stands in."""
    obj = surround(copy_json(schema.default))
    try:
        coerce_embedded(obj, root_schema, resource=True)
    except ParseError as error:
        return [invalid(path, schema.default, f"must result in valid metadata: {error}")]
    errors = embedded_errors(obj, root_schema, embedded_metadata_errors, resource=True)
    if errors:
        return [invalid(path, schema.default, f"must result in valid metadata: {aggregate(errors)}")]
    return _value_errors(schema, path)


def _default(schema: StructuralSchema, path: str, *, embedded: bool, pruned: bool) -> Errors:
    found: Errors = []
    value = copy_json(schema.default)
    if pruned and drop_unknown_fields(value, schema, resource=embedded):
        found.append(invalid(path, schema.default, "must not have unknown fields"))
    value = copy_json(schema.default)
    try:
        coerce_embedded(value, schema, path=path, resource=embedded)
    except ParseError as error:
        field, _, rest = str(error).partition(": ")
        shown, _, told = rest.removeprefix("Invalid value: ").rpartition(": ")
        return [*found, invalid(field, None, told)._replace(message=f"Invalid value: {shown}: {told}")]
    errors = embedded_errors(value, schema, embedded_metadata_errors, path=path, resource=embedded)
    return found + (errors or _value_errors(schema, path))


def _value_errors(schema: StructuralSchema, path: str) -> Errors:
    found = schema_errors(schema.default, schema.prepared(_without_int_or_string), path=path)
    return found or _rule_errors(schema, path)


def _without_int_or_string(schema: StructuralSchema) -> StructuralSchema:
    # Where defaults are checked, upstream does not give integers or texts their two types.
    return parse_schema(_stripped(schema.source))


def _stripped(schema: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in schema.items() if name != "x-kubernetes-int-or-string"}
    for name in ("items", "additionalProperties", "not"):
        if isinstance(found.get(name), dict):
            found[name] = _stripped(found[name])
    for name in ("allOf", "anyOf", "oneOf"):
        if found.get(name):
            found[name] = [_stripped(clause) for clause in found[name]]
    if found.get("properties"):
        found["properties"] = {name: _stripped(member) for name, member in found["properties"].items()}
    return found


def _rule_errors(schema: StructuralSchema, path: str) -> Errors:
    """What the CEL rules say of a default, as of a new object and as of one that did not change."""
    if not _has_rules(schema):
        return []
    from kubewright.crd.cel import compile_schema  # noqa: PLC0415 - heavy, and few schemas have rules

    rules = compile_schema(schema.source, is_resource_root=False)
    if rules is None:
        return []
    return rules.validate(schema.default, schema.default, path) or rules.validate(schema.default, None, path)


def _has_rules(schema: StructuralSchema) -> bool:
    return bool(schema.rules) or any(map(_has_rules, schema.children()))


def has_unpruned_defaults(schema: Mapping[str, Any]) -> bool:
    """Whether a schema has defaults with fields that it prunes, which were allowed before 1.20."""
    try:
        parsed = parse_schema(schema)
    except ParseError:
        return False
    return _has_unpruned(parsed, root=True)


def _has_unpruned(schema: StructuralSchema, *, root: bool = False) -> bool:
    if schema.default is not MISSING:
        value = copy_json(schema.default)
        drop_unknown_fields(value, schema, resource=root or schema.embedded_resource)
        if not deep_equal(value, schema.default):
            return True
    return any(map(_has_unpruned, schema.children()))
