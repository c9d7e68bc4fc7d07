"""A first look at values, in C: what looks like the values before it has the structure of its schema.

msgspec checks plain data against types some six times faster than Python can walk it. So of what the nodes
of a schema have seen, types are made, with the fields that occurred and no others. That keeps the types small
(a pod could have a thousand fields, but has a hundred), and so making them costs less than the walks it
saves. A value that does not pass is not wrong: it is then walked, and by that its fields become known.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import msgspec

from kubewright.machinery.apply.nodes import ANY_NODE, SCALAR_NODE, ListNode, Node, ObjectNode, node_of
from kubewright.machinery.schema import Schema
from kubewright.machinery.type_lock import TYPE_LOCK

__all__ = ["Screen", "screen_of"]

# Making the types of a pod takes as long as some hundred walks over one.
_WALKS_BEFORE_TYPES: Final = 100

# The most recently written kinds and versions whose types are kept.
_MAX_SCREENS: Final = 512

_SCALAR: Final[Any] = str | int | float | bool | None
_SCALAR_ITEM: Final[Any] = str | int | float | bool


class Screen:
    """Tells of most values of one schema quickly that they have its structure."""

    def __init__(self, node: Node) -> None:
        self._node: Final = node
        self._type: Any = None
        self._walks = 0
        self._patience = _WALKS_BEFORE_TYPES

    def passes(self, value: object) -> bool:
        """Whether the value has the structure of the schema for certain, but for duplicates in lists."""
        if self._type is not None:
            try:
                msgspec.convert(value, self._type)
            except (TypeError, ValueError, OverflowError, RecursionError):
                pass
            else:
                return True
        self._walks += 1
        if self._walks >= self._patience:
            self._walks = 0
            # Values that will not look alike are not worth making types again and again.
            self._patience *= 2
            made = _type_of(self._node, {})
            with TYPE_LOCK:
                msgspec.json.Decoder(made)  # so that its classes are complete when another thread sees them
            self._type = made
        return False


@lru_cache(_MAX_SCREENS)
def screen_of(schema: Schema) -> Screen:
    """The screen of a schema; it learns from the values that are walked with `node_of(schema)`."""
    return Screen(node_of(schema))


def _type_of(node: Node, made: dict[Node, Any]) -> Any:
    """A type of values that fit; where there is none that says it, a type of null alone."""
    if node is ANY_NODE:
        return Any
    if node is SCALAR_NODE:
        return _SCALAR
    if node not in made:
        # What a type of recursive values has inside itself is left to the walk.
        made[node] = None
        if isinstance(node, ObjectNode):
            made[node] = _object_type(node, (), made) | None
        elif isinstance(node, ListNode):
            made[node] = _list_type(node, made)
    return made[node]


def _object_type(node: ObjectNode, keys: tuple[str, ...], made: dict[Node, Any]) -> Any:
    declared, values = node.declared, node.values
    if not declared:
        return dict[str, _type_of(values or ANY_NODE, made)]  # type: ignore[misc]
    wire_names = [name for name in declared if name in node.seen_names() or name in keys]
    # Struct fields that must be there come first; the Python names only have to be names.
    wire_names.sort(key=lambda name: name not in keys)
    fields: list[Any] = [
        (f"f{position}", _type_of(declared[name], made), *(() if name in keys else (None,)))
        for position, name in enumerate(wire_names)
    ]
    renamed = {f"f{position}": name for position, name in enumerate(wire_names)}
    return msgspec.defstruct("Seen", fields, rename=renamed, forbid_unknown_fields=True, gc=False)


def _list_type(node: ListNode, made: dict[Node, Any]) -> Any:
    items = node.items
    if not node.associative:
        return list[_type_of(items, made)] | None  # type: ignore[misc]
    if node.told.is_set:
        return list[_SCALAR_ITEM] | None if items is SCALAR_NODE else None
    if not isinstance(items, ObjectNode) or not items.declared.keys() >= set(node.told.keys):
        return None
    return list[_object_type(items, node.told.required_keys, made)] | None  # type: ignore[misc]
