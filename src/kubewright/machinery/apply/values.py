"""Plain JSON values as their schema sees them: members, elements of lists, and when two are the same.

A schema of kind `any` describes every kind of value: with nothing else said, objects are granular and lists
are atomic. An object schema that declares no fields and no values is as free as `any`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import msgspec

from kubewright.machinery.apply.path_element import (
    PathElement,
    canonical_json,
    canonical_string,
    format_element,
    key_element,
)
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.schema import ANY, Schema

__all__ = [
    "SCALAR_TYPES",
    "JSONObject",
    "MisfitError",
    "is_associative",
    "is_identical",
    "list_element",
    "member_schemas",
    "same_value",
]

JSONObject: TypeAlias = dict[str, Any]

SCALAR_TYPES: Final = frozenset((str, int, float, bool, type(None)))
"""What JSON decoders make of scalars and null."""

_PLAIN_TYPES: Final = frozenset((str, int, bool))

_encode: Final = msgspec.msgpack.Encoder().encode


_NO_SET_ELEMENT: Final[dict[type, str]] = {
    dict: "associative list without keys has an element that's a map type",
    list: "not supported: associative list with lists as elements",
    type(None): "associative list without keys has an element that's an explicit null",
}
"""Upstream's words for what a set cannot hold."""


class MisfitError(ParseError):
    """A value that does not fit; the path is put together while the walk unwinds."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.elements: list[PathElement] = []

    def __str__(self) -> str:
        path = "".join(map(format_element, reversed(self.elements)))
        return f"{path}: {self.problem}" if path else self.problem


def member_schemas(schema: Schema) -> tuple[Mapping[str, Schema], Schema | None]:
    """The declared fields of an object, and the schema of all others (None: there must not be others)."""
    fields = schema.fields
    values = schema.values
    return fields, (ANY if values is None and not fields else values)


def is_associative(schema: Schema) -> bool:
    """Whether the elements of a list are owned one by one."""
    return schema.list_type != "atomic"


def list_element(item: Any, schema: Schema) -> PathElement:
    """The path element that tells `item` from the others in an associative list; raises ParseError."""
    keys = schema.map_keys
    if schema.list_type == "set" or not keys:
        if isinstance(item, str):
            return "v:" + canonical_string(item)
        if item is None or isinstance(item, dict | list):
            raise MisfitError(_NO_SET_ELEMENT[type(item)])
        return "v:" + canonical_json(item)
    if not isinstance(item, dict):
        kind = "a null element" if item is None else "non-map elements"
        raise MisfitError(f"associative list with keys may not have {kind}")
    if len(keys) == 1:
        key = keys[0]
        value = item.get(key)
        if isinstance(value, str):
            return f'k:{{"{key}":{canonical_string(value)}}}'
    return _keyed_element(item, schema)


def _keyed_element(item: JSONObject, schema: Schema) -> PathElement:
    found: JSONObject = {}
    for key in schema.map_keys:
        if key in item:
            found[key] = item[key]
        else:
            declared = schema.items.fields.get(key)
            if declared is not None and declared.default is not None:
                found[key] = declared.default
    if not found:
        keys = " ".join(map(go_quote, schema.map_keys))
        raise MisfitError(
            f"associative list with keys has an element that omits all key fields [{keys}] (and doesn't have "
            "default values for any key fields)"
        )
    return key_element(found)


def same_value(left: Any, right: Any) -> bool:
    """Whether two values are equal as JSON: `1` is `1.0` but not `true`, and lists have an order."""
    if left is right:
        return True
    if left != right:
        return False
    # Python holds True for equal to 1, JSON does not. Most equal values are also written alike, which an
    # encoder in C finds out much faster than a walk.
    if isinstance(left, dict | list):
        return _same_bytes(left, right) or _same_booleans(left, right)
    return isinstance(left, bool) == isinstance(right, bool)


def is_identical(left: Any, right: Any) -> bool:
    """Whether two values are certainly written alike, with the same members in the same order."""
    if left is right:
        return True
    kind = left.__class__
    if kind is not right.__class__:
        return False
    if kind is dict or kind is list:
        return _same_bytes(left, right)
    # Floats are left out: -0.0 equals 0.0.
    return kind in _PLAIN_TYPES and bool(left == right)


def _same_bytes(left: Any, right: Any) -> bool:
    try:
        return _encode(left) == _encode(right)
    except (TypeError, ValueError, OverflowError, RecursionError):
        # Integers beyond 64 bits and lone surrogates have no such encoding, but are values all the same.
        return False


def _same_booleans(left: Any, right: Any) -> bool:
    if isinstance(left, dict):
        for name, ours in left.items():
            theirs = right[name]
            if ours is not theirs and ours.__class__ is not str and not _same_booleans(ours, theirs):
                return False
        return True
    if isinstance(left, list):
        return all(map(_same_booleans, left, right))
    return isinstance(left, bool) == isinstance(right, bool)
