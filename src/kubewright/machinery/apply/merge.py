"""Putting values of one schema together, and taking fields out of them."""

from __future__ import annotations

from collections import deque
from typing import Any

from kubewright.machinery.apply.fieldset import FieldSet
from kubewright.machinery.apply.path_element import PathElement, format_element
from kubewright.machinery.apply.tree import Tree, insert, is_member, paths, union
from kubewright.machinery.apply.typed import to_field_set
from kubewright.machinery.apply.values import (
    JSONObject,
    is_associative,
    is_identical,
    list_element,
    member_schemas,
)
from kubewright.machinery.depth import decode_json
from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import ANY, Schema

__all__ = ["extract_items", "merge", "remove_items"]


def merge(base: object, applied: object, schema: Schema) -> Any:
    """`base` with the fields of `applied` set in it; the result shares what it can with both.

    Nothing of `base` is removed: objects merge member by member, associative lists element by element.
    Elements that both have come in the order of `applied`, those of `base` alone keep their place between
    them. Null in `applied` does not empty an object or an associative list. Raises ParseError.
    """
    kind = schema.kind
    if isinstance(applied, dict) or (applied is None and isinstance(base, dict)):
        if kind in ("object", "any") and schema.map_type != "atomic":
            return _merge_objects(base, applied, schema)
    elif kind in ("array", "any") and is_associative(schema):
        if isinstance(applied, list):
            return _merge_lists(base if isinstance(base, list) else [], applied, schema)
        if applied is None and kind == "array" and isinstance(base, list):
            return base or None
    return applied


def _merge_objects(base: Any, applied: Any, schema: Schema) -> Any:
    if not isinstance(base, dict) or not base:
        return applied
    if not applied:
        return base
    fields, values = member_schemas(schema)
    changed: JSONObject = {}
    for name, member in applied.items():
        if name in base:
            mine = base[name]
            merged = merge(mine, member, fields.get(name) or values or ANY)
            if not is_identical(mine, merged):
                changed[name] = merged
        else:
            changed[name] = member
    # That what stays the same is the same object spares those who compare the result with `base`.
    return {**base, **changed} if changed else base


def _merge_lists(base: list[Any], applied: list[Any], schema: Schema) -> list[Any]:
    if not base:
        return applied
    if not applied:
        return base
    ours = [list_element(item, schema) for item in base]
    theirs = [list_element(item, schema) for item in applied]
    right = dict(zip(theirs, applied, strict=True))
    if len(right) != len(theirs):
        raise ParseError(f"duplicate entries for key {format_element(_first_repeated(theirs))}")
    left: dict[PathElement, Any] = {}
    for element, item in zip(ours, base, strict=True):
        # Several elements of one key give way to the applied one: there is no saying with which to merge it.
        left[element] = None if element in left else item
    merged = _interleave(ours, theirs, base, left, right, schema.items)
    same = len(merged) == len(base) and all(map(is_identical, base, merged))
    return base if same else merged


def _first_repeated(elements: list[PathElement]) -> PathElement:
    return next(element for position, element in enumerate(elements) if element in elements[:position])


def _interleave(
    ours: list[PathElement],
    theirs: list[PathElement],
    base: list[Any],
    left: dict[PathElement, Any],
    right: dict[PathElement, Any],
    items: Schema,
) -> list[Any]:
    """Upstream's order: applied elements in theirs, the others where they stood among the shared ones."""
    out: list[Any] = []
    shared = deque(element for element in theirs if element in left)
    merged: set[PathElement] = set()

    def take(element: PathElement) -> None:
        merged.add(element)
        mine = left.get(element)
        out.append(right[element] if mine is None else merge(mine, right[element], items))
        if shared and shared[0] == element:
            shared.popleft()

    i = j = 0
    while i < len(ours) or j < len(theirs):
        if i < len(ours):
            element = ours[i]
            if j < len(theirs) and element == theirs[j]:
                take(element)
                i += 1
                j += 1
                continue
            if j < len(theirs) and element in right and shared and shared[0] != element:
                i += 1
                continue
            if element not in right:
                out.append(base[i])
                i += 1
                continue
            if element in merged:
                i += 1
        if j < len(theirs):
            take(theirs[j])
            j += 1
    return out


def remove_items(value: object, fields: FieldSet, schema: Schema) -> Any:
    """`value` without the fields of the set; what it shares with the result is not copied.

    A container that loses all its members becomes null, as does an atomic one of which the set names a part.
    """
    return _remove(value, fields.tree, schema)


def _remove(value: Any, tree: Tree, schema: Schema) -> Any:
    kind = schema.kind
    if isinstance(value, dict):
        if kind not in ("object", "any") or schema.map_type == "atomic":
            return value if kind == "scalar" else None
        return _remove_members(value, tree, schema)
    if isinstance(value, list):
        if kind not in ("array", "any") or not is_associative(schema):
            return value if kind == "scalar" else None
        return _remove_elements(value, tree, schema)
    return value if kind in ("scalar", "any") else None


def _remove_members(value: JSONObject, tree: Tree, schema: Schema) -> JSONObject | None:
    declared, values = member_schemas(schema)
    out: JSONObject = {}
    for name, member in value.items():
        node = tree.get("f:" + name)
        if node is None:
            out[name] = member
        elif not is_member(node):
            out[name] = _remove(member, node, declared.get(name) or values or ANY)
    return out or None


def _remove_elements(value: list[Any], tree: Tree, schema: Schema) -> list[Any] | None:
    out: list[Any] = []
    for item in value:
        node = tree.get(list_element(item, schema))
        if node is None:
            out.append(item)
        elif not is_member(node):
            out.append(_remove(item, node, schema.items))
    return out or None


def extract_items(value: object, fields: FieldSet, schema: Schema, *, append_keys: bool = False) -> Any:
    """The part of `value` that the set names; null when it names nothing.

    Atomic containers are taken whole. `append_keys` adds the key fields of the elements that are on the way
    to a named field. As upstream has it, give `fields.leaves()`: below a path that is a member and names an
    object, the names are looked up as if they stood beside it.
    """
    tree = fields.tree
    if append_keys:
        tree = union(tree, _key_fields(tree, to_field_set(value, schema)))
    return _extract(value, tree, schema)


def _key_fields(tree: Tree, named: FieldSet) -> Tree:
    out: Tree = {}
    for path in paths(tree):
        if path not in named:
            continue
        for position, element in enumerate(path):
            if element.startswith("k:"):
                for key in decode_json(element[2:]):
                    insert(out, (*path[: position + 1], "f:" + key))
    return out


def _extract(value: Any, tree: Tree, schema: Schema) -> Any:
    kind = schema.kind
    if isinstance(value, dict) and value and kind in ("object", "any") and schema.map_type != "atomic":
        return _extract_members(value, tree, schema)
    if isinstance(value, list) and value and kind in ("array", "any") and is_associative(schema):
        return _extract_elements(value, tree, schema)
    return value


def _extract_members(value: JSONObject, tree: Tree, schema: Schema) -> JSONObject | None:
    declared, values = member_schemas(schema)
    out: JSONObject = {}
    for name, member in value.items():
        node = tree.get("f:" + name)
        if node is not None:
            inner = declared.get(name) or values or ANY
            out[name] = _extract(member, tree if is_member(node) else node, inner)
    return out or None


def _extract_elements(value: list[Any], tree: Tree, schema: Schema) -> list[Any] | None:
    out: list[Any] = []
    for item in value:
        node = tree.get(list_element(item, schema))
        if node is not None:
            out.append(_extract(item, node, schema.items) if node else item)
    return out or None
