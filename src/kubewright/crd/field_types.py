"""What an annotation says: the types that a value can have, its `Field`, and whether it may be None."""

from __future__ import annotations

import sys
import types
from typing import Annotated, Any, Final, NamedTuple, NewType, Union, get_args, get_origin

import msgspec

from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.field import Field, merged

__all__ = ["FieldType", "field_type", "is_built_in", "shown_type"]

_CONSTRAINTS: Final = {
    "ge": "minimum",
    "gt": "minimum and exclusive_minimum",
    "le": "maximum",
    "lt": "maximum and exclusive_maximum",
    "multiple_of": "multiple_of",
    "pattern": "pattern",
    "min_length": "min_length, min_items or min_properties",
    "max_length": "max_length, max_items or max_properties",
}
"""What `msgspec.Meta` would check in Python alone, and the options of `Field` that the server knows too."""


class FieldType(NamedTuple):
    """An annotation taken apart."""

    members: tuple[Any, ...]
    """The types of a union, None left out; one for all other types."""
    field: Field
    optional: bool
    """Whether None is among the types."""


def field_type(annotation: Any, where: str) -> FieldType:
    """Take an annotation apart. Raises DeclarationError for constraints that a schema would not get."""
    fields: list[Field] = []
    optional = False
    while True:
        if isinstance(annotation, NewType):
            annotation = annotation.__supertype__
        elif not isinstance(annotation, type) and hasattr(annotation, "__value__"):
            annotation = annotation.__value__  # a `type X = ...` statement of Python 3.12
        elif get_origin(annotation) is Annotated:
            annotation, *extras = get_args(annotation)
            _check_meta(extras, where)
            # Found from the outside in, and merged with the outer ones last.
            fields[:0] = [extra for extra in extras if isinstance(extra, Field)]
        elif get_origin(annotation) in (Union, types.UnionType):
            members = tuple(each for each in get_args(annotation) if each is not type(None))
            optional |= len(members) < len(get_args(annotation))
            if len(members) != 1:
                return FieldType(members, merged(fields), optional)
            annotation = members[0]
        else:
            return FieldType((annotation,), merged(fields), optional)


def _check_meta(extras: list[Any], where: str) -> None:
    for extra in extras:
        if isinstance(extra, msgspec.Meta):
            for name, options in _CONSTRAINTS.items():
                if getattr(extra, name) is not None:
                    raise DeclarationError(
                        f"{where}: msgspec.Meta({name}=...) would not be in the schema; use Field({options})"
                    )


def shown_type(annotation: Any) -> str:
    """A type as its author would write it."""
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__name__
    return str(annotation).replace("typing.", "")


def is_built_in(cls: type) -> bool:
    """Whether a class is a type of the API itself.

    Some of its fields must be given but read as None, because Go writes null for a zero time.
    """
    if not cls.__module__.startswith(("kubewright.models.", "kubewright.machinery.")):
        return False
    # A class that a program makes without saying where it belongs has the module of its metaclass.
    return getattr(sys.modules.get(cls.__module__), cls.__name__, None) is cls
