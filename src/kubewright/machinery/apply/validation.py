"""Whether a value has the structure that a schema asks for, and where it has not.

Scalars are not told apart: a string where a number is declared is the business of validation proper, not of
ownership.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from kubewright.machinery.apply.nodes import ObjectNode, node_of
from kubewright.machinery.apply.path_element import PathElement, format_element, index_element
from kubewright.machinery.apply.screening import screen_of
from kubewright.machinery.apply.values import (
    SCALAR_TYPES,
    JSONObject,
    MisfitError,
    is_associative,
    list_element,
    member_schemas,
)
from kubewright.machinery.go_format import go_text
from kubewright.machinery.schema import ANY, SCALAR, Schema

__all__ = ["validate"]


def validate(value: object, schema: Schema, *, allow_duplicates: bool = False, known: object = None) -> None:
    """Raises ParseError, which names the path, unless `value` has the structure of `schema`.

    Checked are: objects, lists and scalars where they are declared, no undeclared fields, elements of sets
    and list-maps that can be told apart. `allow_duplicates` accepts several elements with the same key, which
    an object in storage may have. Null is accepted everywhere but as such an element. What equals the same
    part of `known`, a value that was found to fit before, is not looked at again.
    """
    if allow_duplicates and screen_of(schema).passes(value):
        return
    node = node_of(schema)
    if isinstance(node, ObjectNode) and isinstance(value, dict) and isinstance(known, dict):
        fits = node.fits_beside(value, known)
    else:
        fits = node.fits(value)
    if not fits:
        # Nearly every value fits. The walk that can tell what is wrong, and that knows of duplicates, is for
        # the others.
        _validate(value, schema, allow_duplicates, known)


def _validate(value: Any, schema: Schema, allow_duplicates: bool, known: Any) -> None:
    kind = schema.kind
    if isinstance(value, dict):
        if kind not in ("object", "any"):
            raise MisfitError(_misfit(schema, value))
        _validate_members(value, schema, allow_duplicates, known if isinstance(known, dict) else {})
    elif isinstance(value, list):
        if kind not in ("array", "any"):
            raise MisfitError(_misfit(schema, value))
        if is_associative(schema):
            _validate_elements(value, schema, allow_duplicates)
        else:
            _validate_positions(value, schema, allow_duplicates)
    elif value is not None and kind not in ("scalar", "any"):
        raise MisfitError(_misfit(schema, value))


def _misfit(schema: Schema, value: Any) -> str:
    """Upstream's words, which show the value as Go prints it; which scalar is wanted is not known here."""
    expected = {"object": "map", "array": "list", "scalar": "a string, number or boolean"}[schema.kind]
    return f"expected {expected}, got &{{{go_text(value):.100}}}"


def _validate_members(value: JSONObject, schema: Schema, allow_duplicates: bool, known: JSONObject) -> None:
    fields, values = member_schemas(schema)
    if not fields and (values is ANY or (values is SCALAR and _only_scalars(value.values()))):
        return
    name = ""
    try:
        for name, member in value.items():
            declared = fields.get(name, values)
            if declared is SCALAR:
                if member.__class__ in SCALAR_TYPES:
                    continue
            elif declared is ANY:
                continue
            elif declared is None:
                _refuse_undeclared()
            elif known and known.get(name) == member:
                continue
            _validate(member, declared, allow_duplicates, known.get(name) if known else None)
    except MisfitError as misfit:
        misfit.elements.append("f:" + name)
        raise


def _only_scalars(values: Iterable[Any]) -> bool:
    return SCALAR_TYPES.issuperset(map(type, values))


def _refuse_undeclared() -> NoReturn:
    raise MisfitError("field not declared in schema")


def _validate_elements(value: list[Any], schema: Schema, allow_duplicates: bool) -> None:
    seen: set[PathElement] = set()
    items = schema.items
    for position, item in enumerate(value):
        try:
            element = list_element(item, schema)
        except MisfitError as misfit:
            raise MisfitError(f"element {position}: {misfit.problem}") from None
        if element in seen and not allow_duplicates:
            raise MisfitError(f"duplicate entries for key {format_element(element)}")
        seen.add(element)
        if items is not SCALAR:
            try:
                _validate(item, items, allow_duplicates, None)
            except MisfitError as misfit:
                misfit.elements.append(element)
                raise


def _validate_positions(value: list[Any], schema: Schema, allow_duplicates: bool) -> None:
    items = schema.items
    if items is ANY or (items is SCALAR and _only_scalars(value)):
        return
    for position, item in enumerate(value):
        try:
            _validate(item, items, allow_duplicates, None)
        except MisfitError as misfit:
            misfit.elements.append(index_element(position))
            raise
