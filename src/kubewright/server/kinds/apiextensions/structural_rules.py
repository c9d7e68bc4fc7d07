"""The rules that make a schema structural: each field's type is said once, and clauses only restrict.

As k8s.io/apiextensions-apiserver/pkg/apiserver/schema's ValidateStructural; the errors are sorted, as there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kubewright.crd.go_regexp import matcher
from kubewright.crd.go_values import invalid
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import forbidden, required
from kubewright.server.kinds.kind import Errors

__all__ = ["structural_errors"]

Schema = Mapping[str, Any]

_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]
_ROOT, _ITEM, _FIELD = "at the root", "for specified array items", "for specified object fields"
_NESTED: Final = (
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
)
"""What clauses of allOf, anyOf, oneOf and not may not have."""

_GENERATED_METADATA: Final = frozenset({"name", "generateName"})


def structural_errors(schema: Schema, path: str) -> Errors:
    """All that keeps a schema from being structural."""
    found = _node(schema, _ROOT, path) + _completeness(schema, schema, path, path)
    return sorted(found, key=str)


def _node(schema: Schema, level: str, path: str) -> Errors:
    found: Errors = []
    items = schema.get("items")
    if schema.get("type") == "array" and items is None:
        found.append(required(f"{path}.items", "must be specified"))
    if isinstance(items, dict):
        found += _node(items, _ITEM, f"{path}.items")
    properties = schema.get("properties") or {}
    for name, member in properties.items():
        found += _node(member, _FIELD, f"{path}.properties[{name}]")
    additional = schema.get("additionalProperties")
    if additional is not None:
        if level == _ROOT:
            found.append(forbidden(f"{path}.additionalProperties", "must not be used at the root"))
        if isinstance(additional, dict):
            found += _node(additional, _FIELD, f"{path}.additionalProperties")
    found += _extensions(schema, path)
    found += _values(schema, path, skip_any_of=_is_any_of(schema), skip_first=_is_all_of(schema))
    found += _types(schema, level, path)
    return found


def _is_any_of(schema: Schema) -> bool:
    return schema.get("anyOf") == _INT_OR_STRING


def _is_all_of(schema: Schema) -> bool:
    clauses: list[Schema] = schema.get("allOf") or []
    return bool(clauses) and clauses[0].get("anyOf") == _INT_OR_STRING


def _extensions(schema: Schema, path: str) -> Errors:
    if not schema.get("x-kubernetes-int-or-string"):
        return []
    return [
        invalid(f"{path}.{name}", True, "must be false if x-kubernetes-int-or-string is true")
        for name in ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource")
        if schema.get(name)
    ]


def _types(schema: Schema, level: str, path: str) -> Errors:
    found: Errors = []
    type_ = schema.get("type") or ""
    embedded = bool(schema.get("x-kubernetes-embedded-resource"))
    kept = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    if embedded and type_ != "object":
        told = "must be object if x-kubernetes-embedded-resource is true"
        found.append(invalid(f"{path}.type", type_, told) if type_ else required(f"{path}.type", told))
    elif not type_ and not kept and not schema.get("x-kubernetes-int-or-string"):
        found.append(required(f"{path}.type", f"must not be empty {level}"))
    if embedded and schema.get("additionalProperties") is not None:
        told = "must not be used if x-kubernetes-embedded-resource is set"
        found.append(forbidden(f"{path}.additionalProperties", told))
    if level == _ROOT and type_ and type_ != "object":
        found.append(invalid(f"{path}.type", type_, "must be object at the root"))
    properties = schema.get("properties") or {}
    is_object = level == _ROOT or embedded
    for name in ("kind", "apiVersion"):
        if is_object and name in properties and properties[name].get("type") != "string":
            given = properties[name].get("type") or ""
            found.append(invalid(f"{path}.properties[{name}].type", given, "must be string"))
    if "metadata" in properties:
        found += _metadata(properties["metadata"], level, f"{path}.properties[metadata]", is_object=is_object)
    if embedded and not kept and not properties:
        told = (
            "must not be empty if x-kubernetes-embedded-resource is true without "
            "x-kubernetes-preserve-unknown-fields"
        )
        found.append(required(f"{path}.properties", told))
    return found


def _metadata(schema: Schema, level: str, path: str, *, is_object: bool) -> Errors:
    found: Errors = []
    if is_object and schema.get("type") != "object":
        found.append(invalid(f"{path}.type", schema.get("type") or "", "must be object"))
    if level == _ROOT:
        more = set(schema) - {"type", "default"}
        if schema.get("properties") and set(schema["properties"]) <= _GENERATED_METADATA:
            more.discard("properties")
        if more:
            told = (
                "must not specify anything other than name and generateName, but metadata is implicitly "
                "specified"
            )
            found.append(forbidden(path, told))
    return found


def _values(schema: Schema, path: str, *, skip_any_of: bool = False, skip_first: bool = False) -> Errors:
    found: Errors = []
    if not skip_any_of:
        for index, clause in enumerate(schema.get("anyOf") or ()):
            found += _clause(clause, f"{path}.anyOf[{index}]")
    for index, clause in enumerate(schema.get("allOf") or ()):
        found += _clause(clause, f"{path}.allOf[{index}]", skip_any_of=skip_first and index == 0)
    for index, clause in enumerate(schema.get("oneOf") or ()):
        found += _clause(clause, f"{path}.oneOf[{index}]")
    if schema.get("not") is not None:
        found += _clause(schema["not"], f"{path}.not")
    pattern = schema.get("pattern")
    if pattern:
        try:
            matcher(pattern)
        except ParseError as error:
            told = f"must be a valid regular expression, but isn't: {error}"
            found.append(invalid(f"{path}.pattern", pattern, told))
    return found


def _clause(schema: Schema, path: str, *, skip_any_of: bool = False) -> Errors:
    found = _values(schema, path, skip_any_of=skip_any_of)
    if isinstance(schema.get("items"), dict):
        found += _clause(schema["items"], f"{path}.items")
    properties = schema.get("properties") or {}
    for name, member in properties.items():
        found += _clause(member, f"{path}.properties[{name}]")
    if schema.get("type"):
        found.append(forbidden(f"{path}.type", "must be empty to be structural"))
    # `false` says nothing in a clause; anything else, also an empty schema, says something.
    if schema.get("additionalProperties") is not None and schema["additionalProperties"] is not False:
        found.append(forbidden(f"{path}.additionalProperties", "must be undefined to be structural"))
    found += [forbidden(f"{path}.{name}", told) for name, told in _NESTED if schema.get(name)]
    if schema.get("default") is not None and not schema.get("default"):
        found.append(forbidden(f"{path}.default", "must be undefined to be structural"))
    if "metadata" in properties:
        told = "must not be specified in a nested context"
        found.append(forbidden(f"{path}.properties[metadata]", told))
    return found


def _completeness(clause: Schema, schema: Schema | None, path: str, clause_path: str) -> Errors:
    """What clauses restrict must be specified outside of them."""
    found: Errors = []
    nested = [("not", schema_not)] if (schema_not := clause.get("not")) is not None else []
    for name in ("allOf", "anyOf", "oneOf"):
        nested += [(f"{name}[{index}]", inner) for index, inner in enumerate(clause.get(name) or ())]
    for name, inner in nested:
        found += _clause_completeness(inner, schema, path, f"{clause_path}.{name}")
    return found


def _clause_completeness(clause: Schema, schema: Schema | None, path: str, clause_path: str) -> Errors:
    if schema is None:
        return [required(path, f"because it is defined in {clause_path}")]
    found = _completeness(clause, schema, path, clause_path)
    if isinstance(clause.get("items"), dict):
        items = schema.get("items") if isinstance(schema.get("items"), dict) else None
        found += _clause_completeness(clause["items"], items, f"{path}.items", f"{clause_path}.items")
    properties = schema.get("properties") or {}
    for name, member in (clause.get("properties") or {}).items():
        where, clause_where = f"{path}.properties[{name}]", f"{clause_path}.properties[{name}]"
        found += _clause_completeness(member, properties.get(name), where, clause_where)
    return found
