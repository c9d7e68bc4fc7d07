"""What a schema says of a value: whether it fits, and which fields it names.

Values are plain JSON data. A schema of kind `any` describes every kind of value: with nothing else said,
objects are granular and lists are atomic. An object schema that declares no fields and no values is as free
as `any`.

Scalars are not told apart: a string where a number is declared is the business of validation, not of
ownership.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NoReturn, TypeAlias

from kubewright.machinery.apply.fieldset import FieldSet
from kubewright.machinery.apply.path_element import (
    PathElement,
    canonical_json,
    canonical_string,
    format_element,
    index_element,
    key_element,
)
from kubewright.machinery.apply.tree import LEAF, Tree
from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import ANY, SCALAR, Schema

__all__ = [
    "JSONObject",
    "is_associative",
    "list_element",
    "member_schemas",
    "name_members",
    "reconcile",
    "same_value",
    "to_field_set",
    "validate",
]

JSONObject: TypeAlias = dict[str, Any]

_SCALAR_TYPES: Final = frozenset((str, int, float, bool, type(None)))


class _MisfitError(ParseError):
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
            raise _MisfitError(
                f"a set may hold strings, numbers and booleans, but has an element {item!r:.100}"
            )
        return "v:" + canonical_json(item)
    if not isinstance(item, dict):
        raise _MisfitError(
            f"a list with the keys {_listed(keys)} must hold objects, but has an element {item!r:.100}"
        )
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
        raise _MisfitError(
            f"an element has none of the keys {_listed(schema.map_keys)} and there is no default for them"
        )
    return key_element(found)


def _listed(keys: tuple[str, ...]) -> str:
    return ", ".join(map(repr, keys))


def same_value(left: Any, right: Any) -> bool:
    """Whether two values are equal as JSON: `1` is `1.0` but not `true`, and lists have an order."""
    if left is right:
        return True
    # Python holds True for equal to 1, JSON does not.
    return bool(left == right) and _same_booleans(left, right)


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


def validate(value: object, schema: Schema, *, allow_duplicates: bool = False, known: object = None) -> None:
    """Raises ParseError, which names the path, unless `value` has the structure of `schema`.

    Checked are: objects, lists and scalars where they are declared, no undeclared fields, elements of sets
    and list-maps that can be told apart. `allow_duplicates` accepts several elements with the same key, which
    an object in storage may have. Null is accepted everywhere but as such an element. What equals the same
    part of `known`, a value that was found to fit before, is not looked at again.
    """
    _validate(value, schema, allow_duplicates, known)


def _validate(value: Any, schema: Schema, allow_duplicates: bool, known: Any) -> None:
    kind = schema.kind
    if isinstance(value, dict):
        if kind not in ("object", "any"):
            raise _MisfitError(f"expected {_expected(schema)}, got an object")
        _validate_members(value, schema, allow_duplicates, known if isinstance(known, dict) else {})
    elif isinstance(value, list):
        if kind not in ("array", "any"):
            raise _MisfitError(f"expected {_expected(schema)}, got a list")
        if is_associative(schema):
            _validate_elements(value, schema, allow_duplicates)
        else:
            _validate_positions(value, schema, allow_duplicates)
    elif value is not None and kind not in ("scalar", "any"):
        raise _MisfitError(f"expected {_expected(schema)}, got {value!r:.100}")


def _expected(schema: Schema) -> str:
    return {"object": "an object", "array": "a list", "scalar": "a string, number or boolean"}[schema.kind]


def _validate_members(value: JSONObject, schema: Schema, allow_duplicates: bool, known: JSONObject) -> None:
    fields, values = member_schemas(schema)
    if not fields and (values is ANY or (values is SCALAR and _only_scalars(value.values()))):
        return
    name = ""
    try:
        for name, member in value.items():
            declared = fields.get(name, values)
            if declared is SCALAR:
                if member.__class__ in _SCALAR_TYPES:
                    continue
            elif declared is ANY:
                continue
            elif declared is None:
                _refuse_undeclared()
            elif known and known.get(name) == member:
                continue
            _validate(member, declared, allow_duplicates, known.get(name) if known else None)
    except _MisfitError as misfit:
        misfit.elements.append("f:" + name)
        raise


def _only_scalars(values: Iterable[Any]) -> bool:
    return _SCALAR_TYPES.issuperset(map(type, values))


def _refuse_undeclared() -> NoReturn:
    raise _MisfitError("field not declared in schema")


def _validate_elements(value: list[Any], schema: Schema, allow_duplicates: bool) -> None:
    seen: set[PathElement] = set()
    items = schema.items
    for position, item in enumerate(value):
        try:
            element = list_element(item, schema)
        except _MisfitError as misfit:
            raise _MisfitError(f"element {position}: {misfit.problem}") from None
        if element in seen and not allow_duplicates:
            raise _MisfitError(f"duplicate entries for key {format_element(element)}")
        seen.add(element)
        if items is not SCALAR:
            try:
                _validate(item, items, allow_duplicates, None)
            except _MisfitError as misfit:
                misfit.elements.append(element)
                raise


def _validate_positions(value: list[Any], schema: Schema, allow_duplicates: bool) -> None:
    items = schema.items
    if items is ANY or (items is SCALAR and _only_scalars(value)):
        return
    for position, item in enumerate(value):
        try:
            _validate(item, items, allow_duplicates, None)
        except _MisfitError as misfit:
            misfit.elements.append(index_element(position))
            raise


def to_field_set(value: object, schema: Schema) -> FieldSet:
    """The fields that `value` names: its leaves, the elements of its lists, and the members of its maps.

    Declared fields of objects that have something below them are not members. Raises ParseError.
    """
    return FieldSet.of_tree(_field_tree(value, schema) or {})


def _field_tree(value: Any, schema: Schema) -> Tree | None:
    """The subtree of the path that leads to `value`; None when the path and all below it are no members."""
    kind = schema.kind
    if kind == "scalar":
        return LEAF
    if kind == "array" or (kind == "any" and isinstance(value, list)):
        if not is_associative(schema):
            return LEAF
        return _elements_tree(value, schema) if isinstance(value, list) else None
    if kind == "any" and value is not None and not isinstance(value, dict):
        return LEAF
    if schema.map_type == "atomic":
        return LEAF
    return _members_tree(value, schema) if isinstance(value, dict) else None


def _members_tree(value: JSONObject, schema: Schema) -> Tree | None:
    fields, values = member_schemas(schema)
    out: Tree = {}
    for name, member in value.items():
        declared = fields.get(name)
        inner = declared or values or ANY
        if inner is SCALAR:
            out["f:" + name] = LEAF
            continue
        below = _field_tree(member, inner)
        if declared is None or member is None or member == {}:
            below = _as_member(below)
        if below is not None:
            out["f:" + name] = below
    return out or None


def _elements_tree(value: list[Any], schema: Schema) -> Tree | None:
    out: Tree = {}
    items = schema.items
    for item in value:
        element = list_element(item, schema)
        # Of elements with the same key nothing is owned but the key.
        out[element] = LEAF if element in out else _as_member(_field_tree(item, items))
    return out or None


def _as_member(node: Tree | None) -> Tree:
    if not node:
        return LEAF
    return node if "." in node else {".": LEAF, **node}


def name_members(tree: Tree, schema: Schema | None) -> Tree:
    """The tree with the declared fields made members that have something below them."""
    if schema is None or schema is ANY or not tree:
        return tree
    has_members = schema.kind in ("object", "any")
    fields, values = member_schemas(schema) if has_members else ({}, None)
    items = schema.items if schema.kind in ("array", "any") else None
    out: Tree = {}
    for element, node in tree.items():
        below = node
        if node:
            declared = fields.get(element[2:]) if element[0] == "f" else None
            inner = declared or (values if element[0] == "f" else items if element[0] == "k" else None)
            below = name_members(node, inner)
            if declared is not None and "." not in below:
                below = {".": LEAF, **below}
        out[element] = below
    return out


def reconcile(tree: Tree, schema: Schema) -> Tree:
    """The tree with what lies below atomic objects and lists replaced by these.

    Sets that were recorded when a field was still granular are brought up to a schema that made it atomic.
    The other way round nothing is done, as upstream does nothing. The same tree comes back when nothing
    changes.
    """
    kind = schema.kind
    if kind == "scalar" or not tree:
        return tree
    if kind == "array":
        return _reconcile_elements(tree, schema.items) if is_associative(schema) else LEAF
    fields, values = member_schemas(schema)
    if not fields and values is not None and _is_deduced(values):
        return tree
    if schema.map_type == "atomic":
        return LEAF
    changed: Tree = {}
    for element, node in tree.items():
        if node:
            declared = fields.get(element[2:], values) if element[0] == "f" else values
            if declared is not None:
                reconciled = reconcile(node, declared)
                if reconciled is not node:
                    changed[element] = reconciled
    return {**tree, **changed} if changed else tree


def _reconcile_elements(tree: Tree, items: Schema) -> Tree:
    changed: Tree = {}
    for element, node in tree.items():
        if node:
            reconciled = reconcile(node, items)
            if reconciled is not node:
                changed[element] = reconciled
    return {**tree, **changed} if changed else tree


def _is_deduced(schema: Schema) -> bool:
    return schema is ANY or (
        schema.kind == "any"
        and not schema.fields
        and schema.values is None
        and schema.map_type == "granular"
        and schema.list_type == "atomic"
    )
