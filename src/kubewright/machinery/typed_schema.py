"""The `Schema` of a typed class, so that patches and server-side apply know its lists and maps."""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Union, get_args, get_origin

import msgspec

from kubewright.machinery.field import Field, merged
from kubewright.machinery.schema import ANY, SCALAR, MapType, Schema
from kubewright.machinery.struct import Struct, declared_default, declared_type

__all__ = ["schema_of"]

_NO_FIELD: Final = Field()


@lru_cache(None)
def schema_of(cls: type[Struct]) -> Schema:
    """The shape of a struct type, made once; nested types are looked at only when they are asked for."""
    return _object(cls, getattr(cls, "__map_type__", "granular"), _NO_FIELD, None)


def _object(cls: type[Struct], map_type: MapType, marker: Field, default: object) -> Schema:
    return Schema(
        "object",
        fields=lambda: _fields_of(cls),
        map_type=map_type,
        patch_strategies=marker.patch_strategy,
        patch_merge_key=marker.patch_merge_key,
        default=default,
    )


@lru_cache(None)
def _fields_of(cls: type[Struct]) -> Mapping[str, Schema]:
    return {
        wire_name: _schema(declared_type(cls, name), _NO_FIELD, _default_of(cls, name))
        for name, wire_name in zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True)
    }


def _default_of(cls: type[Struct], name: str) -> object:
    """The default that the API states, which for a required field is Go's zero: see kube-apiserver's OpenAPI.

    An element of a list that lacks a key is told by it.
    """
    default = declared_default(cls, name)
    if default is None and isinstance(cls.__dict__.get(name), types.MemberDescriptorType):
        annotation = declared_type(cls, name)
        scalar = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
        return "" if scalar is str else 0 if scalar is int else None
    return default


def _schema(annotation: Any, marker: Field, default: object) -> Schema:
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *extras = get_args(annotation)
        marks = [extra for extra in extras if isinstance(extra, Field)]
        return _schema(inner, merged(marks) if marks else marker, default)
    if origin is Union or origin is types.UnionType:
        members = [member for member in get_args(annotation) if member is not type(None)]
        return _schema(members[0], marker, default) if len(members) == 1 else _union(members, default)
    if origin is list:
        return _array(get_args(annotation)[0], marker)
    if origin in (set, frozenset):
        return Schema("array", items=lambda: SCALAR, list_type="set")
    if origin is dict:
        return _map(get_args(annotation)[1], marker)
    if annotation is Any or annotation is msgspec.Raw:
        return ANY
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        return _object(annotation, marker.map_type or annotation.__map_type__, marker, default)
    return Schema("scalar", default=default) if default is not None else SCALAR


def _union(members: list[Any], default: object) -> Schema:
    """Of several types: scalars stay one (int-or-string); with anything else in it nothing is known."""
    kinds = {_schema(member, _NO_FIELD, None).kind for member in members}
    if kinds == {"scalar"}:
        return Schema("scalar", default=default) if default is not None else SCALAR
    return ANY


def _array(element: Any, marker: Field) -> Schema:
    return Schema(
        "array",
        items=lambda: _schema(element, _NO_FIELD, None),
        list_type=marker.list_type or "atomic",
        map_keys=marker.map_keys,
        patch_strategies=marker.patch_strategy,
        patch_merge_key=marker.patch_merge_key,
    )


def _map(value: Any, marker: Field) -> Schema:
    return Schema(
        "object",
        values=lambda: _schema(value, _NO_FIELD, None),
        map_type=marker.map_type or "granular",
        patch_strategies=marker.patch_strategy,
        patch_merge_key=marker.patch_merge_key,
    )
