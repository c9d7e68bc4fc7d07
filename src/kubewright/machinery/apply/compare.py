"""Which fields differ between two values of one schema."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from kubewright.machinery.apply.fieldset import FieldSet
from kubewright.machinery.apply.path_element import PathElement
from kubewright.machinery.apply.tree import LEAF, Tree, add_member, union, without_member
from kubewright.machinery.apply.typed import (
    JSONObject,
    is_associative,
    list_element,
    member_schemas,
    same_value,
)
from kubewright.machinery.schema import ANY, Schema

__all__ = ["Comparison", "compare"]


class Comparison(NamedTuple):
    """The fields that differ; no field is in more than one of the three, and equal values have none."""

    added: FieldSet
    modified: FieldSet
    removed: FieldSet

    def is_same(self) -> bool:
        """Whether nothing differs."""
        return not (self.added or self.modified or self.removed)


def compare(left: object, right: object, schema: Schema) -> Comparison:
    """The fields that `right` adds to, changes in and removes from `left`; raises ParseError.

    A container that comes or goes is added or removed itself, with all that lies below it. Elements of
    associative lists are compared by their keys, whatever their order; several elements with one key are
    compared as one value.
    """
    out = _Trees({}, {}, {})
    _compare("", left, right, schema, out)
    return Comparison(*(FieldSet.of_tree(without_member(tree.get("", LEAF)) or {}) for tree in out))


class _Absent:
    """The other side of a field that only one side has; null is a value."""


_ABSENT: Final = _Absent()


class _Trees(NamedTuple):
    """Trees that are being built, for the level that a walk is at."""

    added: Tree
    modified: Tree
    removed: Tree


def _compare(element: PathElement, left: Any, right: Any, schema: Schema, out: _Trees) -> None:
    """Compares the values that both sides have at `element`, and puts what differs into `out`."""
    if left is right:
        return
    kind = schema.kind
    if kind == "any":
        _compare_any(element, left, right, schema, out)
    elif kind == "object":
        _compare_objects(element, left, right, schema, out)
    elif kind == "array":
        _compare_lists(element, left, right, schema, out)
    else:
        _compare_leaves(element, left, right, out)


def _compare_any(element: PathElement, left: Any, right: Any, schema: Schema, out: _Trees) -> None:
    """Values whose kinds may differ: each side is looked at as what it is, null as an object."""
    shapes = [_shape(left)]
    if _shape(right) != shapes[0]:
        shapes.append(_shape(right))
    for shape in shapes:
        if shape in ("object", "null"):
            _compare_objects(element, left, right, schema, out)
        elif shape == "array":
            _compare_lists(element, left, right, schema, out)
        else:
            _compare_leaves(element, left, right, out)


def _shape(value: Any) -> str:
    if isinstance(value, dict):
        return "object"
    if isinstance(value, list):
        return "array"
    return "null" if value is None else "scalar"


def _compare_leaves(element: PathElement, left: Any, right: Any, out: _Trees) -> None:
    if not same_value(left, right):
        add_member(out.modified, element)


def _compare_objects(element: PathElement, left: Any, right: Any, schema: Schema, out: _Trees) -> None:
    ours: JSONObject = left if isinstance(left, dict) else {}
    theirs: JSONObject = right if isinstance(right, dict) else {}
    if schema.map_type == "atomic" or not (ours or theirs):
        _compare_leaves(element, left, right, out)
        return
    if same_value(ours, theirs):
        return
    fields, values = member_schemas(schema)
    below = _Trees({}, {}, {})
    for name, member in ours.items():
        other = theirs.get(name, _ABSENT)
        if other is member:
            continue
        inner = fields.get(name) or values or ANY
        if other is _ABSENT:
            below.removed["f:" + name] = _whole(member, inner)
        else:
            _compare("f:" + name, member, other, inner, below)
    for name, member in theirs.items():
        if name not in ours:
            below.added["f:" + name] = _whole(member, fields.get(name) or values or ANY)
    _attach(element, below, out)


def _compare_lists(element: PathElement, left: Any, right: Any, schema: Schema, out: _Trees) -> None:
    ours: list[Any] = left if isinstance(left, list) else []
    theirs: list[Any] = right if isinstance(right, list) else []
    if not is_associative(schema) or not (ours or theirs):
        _compare_leaves(element, left, right, out)
        return
    if same_value(ours, theirs):
        return
    before = _by_element(ours, schema)
    after = _by_element(theirs, schema)
    below = _Trees({}, {}, {})
    for key, found in before.items():
        _compare_elements(key, found, after.get(key, []), schema.items, below)
    for key, found in after.items():
        if key not in before:
            _compare_elements(key, [], found, schema.items, below)
    _attach(element, below, out)


def _by_element(items: list[Any], schema: Schema) -> dict[PathElement, list[Any]]:
    found: dict[PathElement, list[Any]] = {}
    for item in items:
        found.setdefault(list_element(item, schema), []).append(item)
    return found


def _compare_elements(
    key: PathElement, ours: list[Any], theirs: list[Any], items: Schema, out: _Trees
) -> None:
    """Compares the elements of one key, of which a list in storage may have several."""
    if len(ours) > 1 and len(theirs) > 1:
        if not same_value(ours, theirs):
            add_member(out.modified, key)
    elif len(ours) > 1:
        out.removed[key] = LEAF
        if theirs:
            out.added[key] = _whole(theirs[0], items)
    elif len(theirs) > 1:
        out.added[key] = LEAF
        if ours:
            out.removed[key] = _whole(ours[0], items)
    elif not theirs:
        out.removed[key] = _whole(ours[0], items)
    elif not ours:
        out.added[key] = _whole(theirs[0], items)
    else:
        _compare(key, ours[0], theirs[0], items, out)


def _attach(element: PathElement, below: _Trees, out: _Trees) -> None:
    for tree, target in zip(below, out, strict=True):
        if tree:
            found = target.get(element)
            if found is None:
                target[element] = tree
            else:
                target.update(union({element: found}, {element: tree}))


def _whole(value: Any, schema: Schema) -> Tree:
    """The subtree of a value that only one side has: every path in it is a member."""
    kind = schema.kind
    if isinstance(value, dict):
        if value and kind in ("object", "any") and schema.map_type != "atomic":
            fields, values = member_schemas(schema)
            out: Tree = {".": LEAF}
            for name, member in value.items():
                if member.__class__ is str:
                    out["f:" + name] = LEAF
                else:
                    out["f:" + name] = _whole(member, fields.get(name) or values or ANY)
            return out
    elif isinstance(value, list) and value and kind in ("array", "any") and is_associative(schema):
        out = {".": LEAF}
        items = schema.items
        for item in value:
            element = list_element(item, schema)
            out[element] = LEAF if element in out else _whole(item, items)
        return out
    return LEAF
