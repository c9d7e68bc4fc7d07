"""Decoding what the strict decoder refuses although the API allows it.

Three things: fields that the model lacks (a newer server's, or a custom resource's), null where the model has
a value (Go writes nil slices and zero times as null), and a required list or map that is absent (the same nil
slice, with omitempty). Everything else stays an error.

Unknown fields live on the object they came with, so that they follow it wherever the program moves it: a
struct that has some is an instance of a subclass with one hidden field more. Structs without any, which is
nearly all, pay nothing.
"""

from __future__ import annotations

import os
import types
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar, Union, get_args, get_origin

import msgspec

__all__ = [
    "HIDDEN",
    "Unknown",
    "decode",
    "known_type",
    "merge_unknown",
    "slot_value",
    "slots_of",
    "unknown_fields",
]

T = TypeVar("T")
_Path: TypeAlias = tuple[str | int, ...]

HIDDEN: Final = "unknown_fields_"
"""The hidden field's Python name. Generated names end in an underscore only to avoid a keyword."""

_HIDDEN_WIRE: Final = f"unknown fields {os.urandom(16).hex()}"
"""Its wire name, which only `merge_unknown` ever sees. It is random, so that no data can pretend to be it."""


class Unknown:
    """The fields of one JSON object that its type does not know, as plain data."""

    __slots__ = ("fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields: Final = fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unknown) and self.fields == other.fields

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.fields)


class _Shape(NamedTuple):
    """What the cleaning pass knows of a value: at most one of the first three is set."""

    struct: type[msgspec.Struct] | None = None
    items: _Shape | None = None
    values: _Shape | None = None
    is_bytes: bool = False
    nullable: bool = False
    collection: type | None = None


class _Member(NamedTuple):
    attribute: str
    shape: _Shape
    required: bool


_OPAQUE: Final = _Shape(nullable=True)
_SCALAR: Final = _Shape()


def decode(data: Any, wanted: type[T], decoder: msgspec.json.Decoder[T]) -> T:
    """Decode tolerantly. Raises msgspec's errors, which name the place."""
    plain = msgspec.json.decode(data)
    found: list[tuple[_Path, dict[str, Any]]] = []
    annotation: Any = wanted
    shape = _shape_of(annotation)
    _clean(plain, shape, (), found)
    value: Any = decoder.decode(msgspec.json.encode(plain))
    # Deepest first: a struct that is replaced takes its already replaced members along.
    for path, fields in found:
        value = _attach(value, path, fields)
    return value  # type: ignore[no-any-return]


def _clean(plain: Any, shape: _Shape, path: _Path, found: list[tuple[_Path, dict[str, Any]]]) -> None:
    """Take out of plain data, in place, what the strict decoder would refuse and the API allows."""
    if shape.struct is not None and isinstance(plain, dict):
        _clean_struct(plain, shape.struct, path, found)
    elif shape.items is not None and isinstance(plain, list):
        _clean_inside(plain, enumerate(plain), shape.items, path, found)
    elif shape.values is not None and isinstance(plain, dict):
        _clean_inside(plain, plain.items(), shape.values, path, found)


def _clean_inside(
    plain: Any,
    members: Iterable[tuple[str | int, Any]],
    shape: _Shape,
    path: _Path,
    found: list[tuple[_Path, dict[str, Any]]],
) -> None:
    """Clean the elements of a list, or the values of a map, which all have one shape."""
    if shape.is_bytes:
        for key, value in members:
            plain[key] = _without_line_ends(value)
    elif shape is not _SCALAR and shape is not _OPAQUE:
        for key, value in members:
            _clean(value, shape, (*path, key), found)


def _clean_struct(
    plain: dict[str, Any],
    struct: type[msgspec.Struct],
    path: _Path,
    found: list[tuple[_Path, dict[str, Any]]],
) -> None:
    members = _members_of(struct)
    unknown: dict[str, Any] = {}
    for name in list(plain):
        member = members.get(name)
        value = plain[name]
        if member is None:
            unknown[name] = plain.pop(name)
        elif value is None:
            if not member.shape.nullable:
                del plain[name]
        elif member.shape.is_bytes:
            plain[name] = _without_line_ends(value)
        elif member.shape is not _SCALAR:
            _clean(value, member.shape, (*path, member.attribute), found)
    for name, collection in _required_collections_of(struct):
        if name not in plain:
            plain[name] = collection()
    if unknown:
        found.append((path, unknown))


def _without_line_ends(value: Any) -> Any:
    """Base64 as Go's decoder takes it, which skips line ends; YAML block scalars have them."""
    return value.replace("\n", "").replace("\r", "") if isinstance(value, str) else value


def _attach(root: Any, path: _Path, fields: dict[str, Any]) -> Any:
    """Put unknown fields onto the struct at `path`; returns the root, which may be a new object."""
    if not path:
        return _with_unknown(root, fields)
    parent = root
    for step in path[:-1]:
        parent = getattr(parent, str(step)) if isinstance(parent, msgspec.Struct) else parent[step]
    last = path[-1]
    if isinstance(parent, msgspec.Struct):
        setattr(parent, str(last), _with_unknown(getattr(parent, str(last)), fields))
    else:
        parent[last] = _with_unknown(parent[last], fields)
    return root


def _with_unknown(struct: msgspec.Struct, fields: dict[str, Any]) -> msgspec.Struct:
    keeper = _keeper_of(type(struct))
    values = {name: slot.__get__(struct) for name, slot in slots_of(type(struct)).items()}
    return msgspec.StructMeta.__call__(keeper, **values, **{HIDDEN: Unknown(fields)})  # type: ignore[no-any-return]


def slot_value(struct: msgspec.Struct, name: str) -> Any:
    """What a field's slot holds, without the conversions that reading it does."""
    return slots_of(type(struct))[name].__get__(struct)


@lru_cache(None)
def slots_of(cls: type[msgspec.Struct]) -> dict[str, Any]:
    """The member descriptors of a struct type's fields, also of those that a reader wraps."""
    slots = {}
    for name in cls.__struct_fields__:
        descriptor = next(base.__dict__[name] for base in cls.__mro__ if name in base.__dict__)
        slots[name] = getattr(descriptor, "slot", descriptor)
    return slots


@lru_cache(None)
def _keeper_of(known: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """The subclass of a struct type whose instances carry unknown fields."""
    namespace = {
        "__annotations__": {HIDDEN: Unknown},
        HIDDEN: msgspec.field(name=_HIDDEN_WIRE),
        "__module__": known.__module__,
        "__qualname__": known.__qualname__,
        "__doc__": known.__doc__,
    }
    metaclass: Any = type(known)
    keeper: type[msgspec.Struct] = metaclass(known.__name__, (known,), namespace)
    return keeper


def known_type(struct: msgspec.Struct) -> type[msgspec.Struct]:
    """The declared type of a struct, whether or not it carries unknown fields."""
    cls = type(struct)
    return cls.__bases__[0] if HIDDEN in cls.__struct_fields__ else cls


def unknown_fields(struct: msgspec.Struct) -> dict[str, Any]:
    """The fields of this very struct that its type does not know; empty for nearly all."""
    unknown = getattr(struct, HIDDEN, None)
    return unknown.fields if isinstance(unknown, Unknown) else {}


def merge_unknown(plain: Any) -> Any:
    """Put each struct's unknown fields, which stand under the hidden name, back beside the known ones."""
    stack = [plain]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            unknown = value.pop(_HIDDEN_WIRE, None)
            stack.extend(value.values())
            if unknown:
                value.update(unknown)
        elif isinstance(value, list):
            stack.extend(value)
    return plain


def is_compound(cls: type[msgspec.Struct], name: str) -> bool:
    """Whether a field can hold a struct, a list or a map."""
    member = next(member for member in _members_of(cls).values() if member.attribute == name)
    shape = member.shape
    return shape is _OPAQUE or shape.struct is not None or shape.items is not None or shape.values is not None


@lru_cache(None)
def _members_of(struct: type[msgspec.Struct]) -> dict[str, _Member]:
    return {
        field.encode_name: _Member(field.name, _shape_of(field.type), field.required)
        for field in msgspec.structs.fields(struct)
    }


@lru_cache(None)
def _required_collections_of(struct: type[msgspec.Struct]) -> list[tuple[str, type]]:
    return [
        (name, member.shape.collection)
        for name, member in _members_of(struct).items()
        if member.required and member.shape.collection is not None
    ]


@lru_cache(None)
def _shape_of(annotation: Any) -> _Shape:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _shape_of(get_args(annotation)[0])
    if origin is Union or origin is types.UnionType:
        return _shape_of_union(get_args(annotation))
    if origin is list:
        return _Shape(items=_shape_of(get_args(annotation)[0]), collection=list)
    if origin is dict:
        return _Shape(values=_shape_of(get_args(annotation)[1]), collection=dict)
    if annotation is bytes:
        return _Shape(is_bytes=True)
    if isinstance(origin or annotation, type) and issubclass(origin or annotation, msgspec.Struct):
        return _Shape(struct=annotation)
    return _OPAQUE if annotation is Any or annotation is msgspec.Raw else _SCALAR


def _shape_of_union(members: tuple[Any, ...]) -> _Shape:
    shapes = [_shape_of(member) for member in members if member is not type(None)]
    nullable = type(None) in members
    merged = _Shape(nullable=nullable)
    for shape in shapes:
        merged = _Shape(
            struct=merged.struct or shape.struct,
            items=merged.items or shape.items,
            values=merged.values or shape.values,
            is_bytes=merged.is_bytes or shape.is_bytes,
            nullable=nullable,
            collection=shape.collection if len(shapes) == 1 else None,
        )
    return merged
