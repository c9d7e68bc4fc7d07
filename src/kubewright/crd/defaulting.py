"""Filling in the defaults of a schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from kubewright.crd.structural import MISSING, StructuralSchema

__all__ = ["copy_json", "default"]

_Fill: TypeAlias = Callable[[Any], None]


def default(obj: object, schema: StructuralSchema) -> None:
    """Fill in the defaults, in place: of fields that are missing, and of nulls where null is not allowed.

    A default is filled in where its object is there, so an object without a default of its own stays away,
    with all the defaults in it. To be called after `prune`, as the server does. Each object gets its own copy
    of a default, and what is missing in a default is filled in from the schema below it.
    """
    fill = schema.prepared(_prepare)
    if fill is not _nothing:
        fill(obj)


def _nothing(value: Any) -> None:
    pass


def _prepare(schema: StructuralSchema) -> _Fill:
    fill = _filler(schema)
    return _nothing if fill is None else fill


def _filler(schema: StructuralSchema) -> _Fill | None:
    """What fills in the defaults of a value of the schema; None where there are none at all."""
    members = [
        (name, fill) for name, child in schema.properties.items() if (fill := _filler(child)) is not None
    ]
    own = [
        (name, _maker(child.default), child.nullable)
        for name, child in schema.properties.items()
        if child.default is not MISSING
    ]
    items = None if schema.items is None else _element_filler(schema.items)
    additional = schema.additional_properties
    others = _element_filler(additional) if isinstance(additional, StructuralSchema) else None
    if not (members or own or items or others):
        return None
    known = schema.properties.keys()

    def fill_in(value: Any) -> None:
        if value.__class__ is dict:
            for name, make, nullable in own:
                if name not in value or (not nullable and value[name] is None):
                    value[name] = make()
            for name, fill in members:
                member = value.get(name)
                if member is not None:
                    fill(member)
            if others is not None:
                for name, member in value.items():
                    if name not in known:
                        value[name] = others(member)
        elif value.__class__ is list and items is not None:
            for index, element in enumerate(value):
                value[index] = items(element)

    return fill_in


def _element_filler(schema: StructuralSchema) -> Callable[[Any], Any] | None:
    """As `_filler`, of an element or a value of a map: gives the value, which may have been a null."""
    fill = _filler(schema)
    if schema.default is MISSING or schema.nullable:
        if fill is None:
            return None
        inner = fill

        def filled(value: Any) -> Any:
            inner(value)
            return value

        return filled
    make = _maker(schema.default)

    def made(value: Any) -> Any:
        found = make() if value is None else value
        if fill is not None:
            fill(found)
        return found

    return made


def _maker(value: Any) -> Callable[[], Any]:
    if isinstance(value, dict | list):
        return lambda: copy_json(value)
    return lambda: value


def copy_json(value: Any) -> Any:
    """A copy of a JSON value that shares nothing with it."""
    if value.__class__ is dict:
        return {name: copy_json(member) for name, member in value.items()}
    if value.__class__ is list:
        return [copy_json(element) for element in value]
    return value
