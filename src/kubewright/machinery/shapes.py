"""What a type looks like on the wire, as far as decoding and encoding around msgspec need to know."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final, NamedTuple, NewType, Union, get_args, get_origin

import msgspec

from kubewright.machinery.quantity import Quantity

__all__ = ["OPAQUE", "SCALAR", "Member", "Shape", "is_compound", "members_of", "shape_of", "slots_of"]

_LISTS: Final = (list, tuple, set, frozenset, Sequence)
_MAPS: Final = (dict, Mapping)


class Shape(NamedTuple):
    """The wire form of a type's values."""

    structs: tuple[type[msgspec.Struct], ...] = ()
    """The struct types that an object can be; several are told apart by their tag."""
    items: Shape | None = None
    values: Shape | None = None
    is_bytes: bool = False
    nullable: bool = False
    zero: Any = None
    """What Go makes of null in a list or map of these; None when it makes nothing of it."""

    def struct_of(self, plain: Mapping[str, Any]) -> type[msgspec.Struct] | None:
        """The struct type that a plain object is."""
        if len(self.structs) == 1:
            return self.structs[0]
        for struct in self.structs:
            config = struct.__struct_config__
            if config.tag_field is not None and plain.get(config.tag_field) == config.tag:
                return struct
        return None


class Member(NamedTuple):
    """A field of a struct type."""

    attribute: str
    shape: Shape
    required: bool


OPAQUE: Final = Shape(nullable=True)
"""Any plain data, or bytes that are not decoded yet."""

SCALAR: Final = Shape()

_ZEROS: Final[dict[Any, Any]] = {str: "", int: 0, float: 0.0, bool: False, Quantity: "0"}
_SCALARS: Final = {kind: Shape(zero=zero) for kind, zero in _ZEROS.items()}


def is_compound(annotation: Any) -> bool:
    """Whether a value of this type can hold structs, lists or maps."""
    shape = shape_of(annotation)
    return shape is OPAQUE or bool(shape.structs) or shape.items is not None or shape.values is not None


@lru_cache(None)
def members_of(struct: type[msgspec.Struct]) -> dict[str, Member]:
    """The fields of a struct type by wire name; a tag counts as one."""
    config = struct.__struct_config__
    tag = {config.tag_field: Member("", SCALAR, required=False)} if config.tag_field is not None else {}
    fields = msgspec.structs.fields(struct)
    return {
        **tag,
        **{info.encode_name: Member(info.name, shape_of(info.type), info.required) for info in fields},
    }


@lru_cache(None)
def slots_of(cls: type[msgspec.Struct]) -> dict[str, Any]:
    """The member descriptors of a struct type's fields, also of those that a reader wraps."""
    slots = {}
    for name in cls.__struct_fields__:
        descriptor = next(base.__dict__[name] for base in cls.__mro__ if name in base.__dict__)
        slots[name] = getattr(descriptor, "slot", descriptor)
    return slots


@lru_cache(None)
def shape_of(annotation: Any) -> Shape:
    """The shape of a type."""
    if isinstance(annotation, NewType):
        return shape_of(annotation.__supertype__)
    if hasattr(annotation, "__value__"):  # a `type X = ...` statement of Python 3.12
        return shape_of(annotation.__value__)
    origin = get_origin(annotation) or annotation
    arguments = get_args(annotation)
    if origin is Annotated:
        return shape_of(arguments[0])
    if origin is Union or origin is types.UnionType:
        return _shape_of_union(arguments)
    if origin in _LISTS:
        return Shape(items=shape_of(arguments[0]) if arguments else OPAQUE, zero=[])
    if origin in _MAPS:
        return Shape(values=shape_of(arguments[1]) if arguments else OPAQUE, zero={})
    if annotation is bytes:
        return Shape(is_bytes=True, zero="")
    if isinstance(origin, type) and issubclass(origin, msgspec.Struct):
        return Shape(structs=(annotation,), zero={})
    return OPAQUE if annotation is Any or annotation is msgspec.Raw else _SCALARS.get(annotation, SCALAR)


def _shape_of_union(members: tuple[Any, ...]) -> Shape:
    shapes = [shape_of(member) for member in members if member is not type(None)]
    nullable = type(None) in members
    if len(shapes) == 1 and shapes[0] is not OPAQUE:
        return shapes[0]._replace(nullable=nullable)
    return Shape(
        structs=tuple(struct for shape in shapes for struct in shape.structs),
        items=next((shape.items for shape in shapes if shape.items is not None), None),
        values=next((shape.values for shape in shapes if shape.values is not None), None),
        is_bytes=any(shape.is_bytes for shape in shapes),
        nullable=nullable,
    )
