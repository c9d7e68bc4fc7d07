"""Dropping what a schema does not know: unknown fields, nulls that are not allowed, foreign metadata."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from kubewright.crd.go_values import invalid
from kubewright.crd.object_meta import coerce_metadata, is_clean_metadata
from kubewright.crd.structural import MISSING, StructuralSchema
from kubewright.machinery.errors import ParseError

__all__ = ["META_FIELDS", "coerce_embedded", "drop_nulls", "drop_unknown_fields", "prune"]

META_FIELDS: Final = frozenset({"apiVersion", "kind", "metadata"})
"""The fields that every object has, whether its schema says so or not."""

_Clean: TypeAlias = Callable[[Any], bool]


def prune(
    obj: dict[str, Any],
    schema: StructuralSchema,
    *,
    preserve_unknown_fields: bool = False,
    drop_invalid_metadata: bool = False,
) -> list[str]:
    """Make of a decoded custom resource what its schema knows, in place.

    Drops the fields that the schema does not have, nulls where neither null nor a default is allowed, and
    what Go's ObjectMeta does not know in `metadata`, here and in embedded objects. Gives a sentence for each
    unknown field, such as `unknown field "spec.foo"`, in upstream's order: first those of `metadata`, then
    those of the object, then those of embedded metadata.

    `preserve_unknown_fields` is the definition's old `spec.preserveUnknownFields`: only metadata is coerced.
    `drop_invalid_metadata` is for what is stored: metadata of the wrong types is dropped, not refused.

    Raises ParseError, with the text that the server answers with, for metadata of the wrong types.
    """
    clean = is_clean_metadata(obj.get("metadata", MISSING)) or "metadata" not in obj
    if clean and schema.prepared(_root_clean)(obj):
        return []
    found: list[str] = []
    metadata = obj.get("metadata", MISSING)
    if metadata is not MISSING:
        unknown: list[str] = []
        metadata = coerce_metadata(metadata, drop_invalid=drop_invalid_metadata, unknown=unknown)
        found += [f"metadata.{path}" for path in unknown]
    if not preserve_unknown_fields:
        found += drop_unknown_fields(obj, schema, resource=True)
        drop_nulls(obj, schema)
    found += coerce_embedded(obj, schema, drop_invalid=drop_invalid_metadata)
    if metadata is not MISSING:
        obj["metadata"] = metadata
    return [f'unknown field "{path}"' for path in found]


def drop_unknown_fields(value: object, schema: StructuralSchema, *, resource: bool = False) -> list[str]:
    """Drop the fields that a schema does not have, in place, and give their paths, sorted.

    With `resource`, the value is an object of the API, whose own fields are kept.
    """
    unknown: list[str] = []
    _prune(value, schema, "", unknown, embedded=resource or schema.embedded_resource)
    return sorted(unknown)


def _prune(
    value: object, schema: StructuralSchema | None, path: str, unknown: list[str], *, embedded: bool = False
) -> None:
    if schema is None:
        _prune_all(value, path, unknown)
    elif isinstance(value, dict):
        _prune_object(value, schema, path, unknown, embedded=embedded)
    elif isinstance(value, list):
        for index, element in enumerate(value):
            if not isinstance(element, dict | list):
                continue
            items = schema.items
            if schema.preserve_unknown_fields:
                if items is not None:
                    _keep(element, items, f"{path}[{index}]", unknown)
            else:
                _prune(element, items, f"{path}[{index}]", unknown, embedded=_is_embedded(items))


def _keep(value: object, schema: StructuralSchema, path: str, unknown: list[str]) -> None:
    """An element below preserved fields: it is preserved as well, whatever its own schema says."""
    if isinstance(value, dict):
        _prune_members(value, schema, path, unknown, embedded=schema.embedded_resource, keep=True)
    elif isinstance(value, list) and schema.items is not None:
        for index, element in enumerate(value):
            _keep(element, schema.items, f"{path}[{index}]", unknown)


def _is_embedded(schema: StructuralSchema | None) -> bool:
    return schema is not None and schema.embedded_resource


def _prune_object(
    value: dict[str, Any], schema: StructuralSchema, path: str, unknown: list[str], *, embedded: bool
) -> None:
    _prune_members(value, schema, path, unknown, embedded=embedded, keep=schema.preserve_unknown_fields)


def _prune_members(
    value: dict[str, Any],
    schema: StructuralSchema,
    path: str,
    unknown: list[str],
    *,
    embedded: bool,
    keep: bool,
) -> None:
    additional = schema.additional_properties
    for name in list(value):
        if embedded and name in META_FIELDS:
            continue
        member_path = f"{path}.{name}" if path else name
        member = schema.properties.get(name)
        if member is not None:
            _prune(value[name], member, member_path, unknown, embedded=member.embedded_resource)
        elif additional is not None:
            others = additional if isinstance(additional, StructuralSchema) else None
            _prune(value[name], others, member_path, unknown, embedded=_is_embedded(others))
        elif not keep:
            if path or name not in META_FIELDS:
                unknown.append(member_path)
            del value[name]


def _prune_all(value: object, path: str, unknown: list[str]) -> None:
    """Where there is no schema, all members of objects go; lists keep their elements. Lists may nest as
    deeply as the client likes, so this does not recurse."""
    waiting = [(value, path)]
    while waiting:
        inner, place = waiting.pop()
        if isinstance(inner, dict):
            unknown.extend(f"{place}.{name}" if place else name for name in inner)
            inner.clear()
        elif isinstance(inner, list):
            waiting.extend((element, f"{place}[{index}]") for index, element in enumerate(inner))


def drop_nulls(value: object, schema: StructuralSchema) -> None:
    """Drop members that are null, in place, where the schema allows neither null nor has a default."""
    if isinstance(value, dict):
        additional = schema.additional_properties
        others = additional if isinstance(additional, StructuralSchema) else None
        for name in list(value):
            of_member = schema.properties.get(name, others)
            if of_member is None:
                continue
            if value[name] is None:
                if not of_member.nullable and of_member.default is MISSING:
                    del value[name]
            else:
                drop_nulls(value[name], of_member)
    elif isinstance(value, list) and schema.items is not None:
        for element in value:
            drop_nulls(element, schema.items)


def coerce_embedded(
    value: object,
    schema: StructuralSchema,
    *,
    path: str = "",
    drop_invalid: bool = False,
    resource: bool = False,
) -> list[str]:
    """Coerce the metadata of embedded objects in place, and give the paths of what was dropped, sorted.

    With `resource`, the value is an object of the API itself. Raises ParseError with upstream's sentence for
    values of the wrong types, unless they are to be dropped.
    """
    unknown: list[str] = []
    if resource or schema.prepared(has_embedded):
        _coerce(value, schema, path, unknown, drop_invalid=drop_invalid, embedded=resource)
    return sorted(unknown)


def has_embedded(schema: StructuralSchema) -> bool:
    """Whether there are embedded objects anywhere in values of the schema."""
    return schema.embedded_resource or any(child.prepared(has_embedded) for child in schema.children())


def _coerce(
    value: object,
    schema: StructuralSchema,
    path: str,
    unknown: list[str],
    *,
    drop_invalid: bool,
    embedded: bool = False,
) -> None:
    if isinstance(value, dict):
        if embedded or schema.embedded_resource:
            _coerce_meta(value, path, unknown, drop_invalid=drop_invalid)
        additional = schema.additional_properties
        others = additional if isinstance(additional, StructuralSchema) else None
        for name, member in value.items():
            of_member = schema.properties.get(name)
            if of_member is not None:
                where = f"{path}.{name}" if path else name
                _coerce(member, of_member, where, unknown, drop_invalid=drop_invalid)
            elif others is not None:
                _coerce(member, others, f"{path}[{name}]", unknown, drop_invalid=drop_invalid)
    elif isinstance(value, list) and schema.items is not None:
        for index, element in enumerate(value):
            _coerce(element, schema.items, f"{path}[{index}]", unknown, drop_invalid=drop_invalid)


def _coerce_meta(value: dict[str, Any], path: str, unknown: list[str], *, drop_invalid: bool) -> None:
    for name in ("apiVersion", "kind"):
        if name in value and not isinstance(value[name], str):
            if not drop_invalid:
                raise ParseError(
                    str(invalid(f"{path}.{name}" if path else name, value[name], "must be a string"))
                )
            del value[name]
    if "metadata" not in value or is_clean_metadata(value["metadata"]):
        return
    where = f"{path}.metadata" if path else "metadata"
    dropped: list[str] = []
    try:
        value["metadata"] = coerce_metadata(value["metadata"], drop_invalid=drop_invalid, unknown=dropped)
    except ParseError as error:
        if not drop_invalid:
            raise ParseError(str(invalid(where, value["metadata"], str(error)))) from error
    unknown += [f"{where}.{name}" for name in dropped]


# The good case: nothing to drop. One prepared function per node tells so, without paths.


def _root_clean(schema: StructuralSchema) -> _Clean:
    return _clean(schema, embedded=True, root=True)


def _clean(schema: StructuralSchema, *, embedded: bool, root: bool = False) -> _Clean:
    """What tells whether a dict or list needs nothing dropped; False has to be looked at."""
    if embedded and not root:
        return lambda value: False
    additional = schema.additional_properties
    if additional is not None:
        return _clean_map(additional)
    keeps = schema.preserve_unknown_fields
    members = {
        name: _clean(child, embedded=child.embedded_resource) for name, child in schema.properties.items()
    }
    no_null = {
        name for name, child in schema.properties.items() if not child.nullable and child.default is MISSING
    }
    if root:
        # Metadata is checked apart; kind and apiVersion are texts, which the decoder saw to.
        members |= dict.fromkeys(META_FIELDS, lambda _: True)
        no_null -= META_FIELDS
    check_of = members.get
    element = _clean_element(schema)

    def clean(value: Any) -> bool:
        if value.__class__ is dict:
            for name, member in value.items():
                check = check_of(name)
                if check is None:
                    if keeps:
                        continue
                    return False
                kind = member.__class__
                if kind is str:
                    continue
                if kind is dict or kind is list:
                    if not check(member):
                        return False
                elif member is None and name in no_null:
                    return False
            return True
        for inner in value:
            kind = inner.__class__
            if (kind is dict or kind is list) and not element(inner):
                return False
        return True

    return clean


def _clean_element(schema: StructuralSchema) -> _Clean:
    items, keeps = schema.items, schema.preserve_unknown_fields
    if items is None:
        return lambda value: keeps
    # Elements of a list that preserves unknown fields have rules of their own.
    return (lambda value: False) if keeps else _clean(items, embedded=items.embedded_resource)


def _clean_map(additional: StructuralSchema | bool) -> _Clean:
    if not isinstance(additional, StructuralSchema):
        return lambda value: value.__class__ is dict and all(_is_scalar(member) for member in value.values())
    check = _clean(additional, embedded=additional.embedded_resource)
    null = additional.nullable or additional.default is not MISSING

    def clean(value: Any) -> bool:
        if value.__class__ is not dict:
            return False
        for member in value.values():
            kind = member.__class__
            if kind is dict or kind is list:
                if not check(member):
                    return False
            elif member is None and not null:
                return False
        return True

    return clean


def _is_scalar(value: object) -> bool:
    return value.__class__ is not dict and value.__class__ is not list
