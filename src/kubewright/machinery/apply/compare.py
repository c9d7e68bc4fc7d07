"""Which fields differ between two values of one schema."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from kubewright.machinery.apply.fieldset import EMPTY, FieldSet
from kubewright.machinery.apply.nodes import AnyNode, ListNode, Node, ObjectNode, node_of
from kubewright.machinery.apply.path_element import PathElement
from kubewright.machinery.apply.tree import LEAF, Tree, add_member, ordered, union, without_member
from kubewright.machinery.apply.values import JSONObject, same_value
from kubewright.machinery.schema import Schema

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
    _compare("", left, right, node_of(schema), out)
    return Comparison(*map(_root, out))


def _root(tree: Tree) -> FieldSet:
    return FieldSet.of_tree(without_member(tree.get("", LEAF)) or {}, ordered=True) if tree else EMPTY


class _Absent:
    """The other side of a field that only one side has; null is a value."""


_ABSENT: Final = _Absent()


class _Trees(NamedTuple):
    """Trees that are being built, for the level that a walk is at."""

    added: Tree
    modified: Tree
    removed: Tree


def _compare(element: PathElement, left: Any, right: Any, node: Node, out: _Trees) -> None:
    """Compares the values that both sides have at `element`, and puts what differs into `out`."""
    if left is right:
        return
    if isinstance(node, ObjectNode):
        _compare_objects(element, left, right, node, out)
    elif isinstance(node, ListNode):
        _compare_lists(element, left, right, node, out)
    elif isinstance(node, AnyNode):
        _compare_any(element, left, right, node, out)
    else:
        _compare_leaves(element, left, right, out)


def _compare_any(element: PathElement, left: Any, right: Any, node: AnyNode, out: _Trees) -> None:
    """Values whose kinds may differ: each side is looked at as what it is, null as an object."""
    shapes = [_shape(left)]
    if _shape(right) != shapes[0]:
        shapes.append(_shape(right))
    for shape in shapes:
        if shape in ("object", "null"):
            _compare_objects(element, left, right, node.as_object, out)
        elif shape == "array":
            _compare_lists(element, left, right, node.as_list, out)
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


def _compare_objects(element: PathElement, left: Any, right: Any, node: ObjectNode, out: _Trees) -> None:
    ours: JSONObject = left if isinstance(left, dict) else {}
    theirs: JSONObject = right if isinstance(right, dict) else {}
    if not node.granular or not (ours or theirs):
        _compare_leaves(element, left, right, out)
        return
    if not ours:
        _attach(element, _Trees(node.below(theirs), {}, {}), out)
        return
    if same_value(ours, theirs):
        return
    below = _Trees({}, {}, {})
    for name, member in ours.items():
        other = theirs.get(name, _ABSENT)
        if other is member:
            continue
        if other is _ABSENT:
            below.removed["f:" + name] = node.member(name).whole(member)
        elif member.__class__ is str and other.__class__ is str:
            if member != other:
                below.modified["f:" + name] = LEAF
        else:
            _compare("f:" + name, member, other, node.member(name), below)
    for name, member in theirs.items():
        if name not in ours:
            below.added["f:" + name] = node.member(name).whole(member)
    _attach(element, below, out)


def _compare_lists(element: PathElement, left: Any, right: Any, node: ListNode, out: _Trees) -> None:
    ours: list[Any] = left if isinstance(left, list) else []
    theirs: list[Any] = right if isinstance(right, list) else []
    if not node.associative or not (ours or theirs):
        _compare_leaves(element, left, right, out)
        return
    if same_value(ours, theirs):
        return
    before = _by_element(ours, node)
    after = _by_element(theirs, node)
    below = _Trees({}, {}, {})
    for key, found in before.items():
        _compare_elements(key, found, after.get(key, []), node.items, below)
    for key, found in after.items():
        if key not in before:
            _compare_elements(key, [], found, node.items, below)
    _attach(element, below, out)


def _by_element(items: list[Any], node: ListNode) -> dict[PathElement, list[Any]]:
    found: dict[PathElement, list[Any]] = {}
    for item in items:
        found.setdefault(node.told.element(item), []).append(item)
    return found


def _compare_elements(key: PathElement, ours: list[Any], theirs: list[Any], items: Node, out: _Trees) -> None:
    """Compares the elements of one key, of which a list in storage may have several."""
    if len(ours) > 1 and len(theirs) > 1:
        if not same_value(ours, theirs):
            add_member(out.modified, key)
    elif len(ours) > 1:
        out.removed[key] = LEAF
        if theirs:
            out.added[key] = items.whole(theirs[0])
    elif len(theirs) > 1:
        out.added[key] = LEAF
        if ours:
            out.removed[key] = items.whole(ours[0])
    elif not theirs:
        out.removed[key] = items.whole(ours[0])
    elif not ours:
        out.added[key] = items.whole(theirs[0])
    else:
        _compare(key, ours[0], theirs[0], items, out)


def _attach(element: PathElement, below: _Trees, out: _Trees) -> None:
    for tree, target in zip(below, out, strict=True):
        if tree:
            found = target.get(element)
            if found is None:
                target[element] = ordered(tree)
            else:
                target.update(union({element: found}, {element: ordered(tree)}))
