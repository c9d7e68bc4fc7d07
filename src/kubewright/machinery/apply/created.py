"""The fields of a new object: what its writer comes to own by creating it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kubewright.machinery.apply.fieldset import FieldSet
from kubewright.machinery.apply.nodes import SCALAR_NODE, ListNode, Node, ObjectNode, node_of
from kubewright.machinery.apply.tree import LEAF, Tree, without_member
from kubewright.machinery.apply.values import SCALAR_TYPES, JSONObject, same_value
from kubewright.machinery.schema import Schema

__all__ = ["created_fields"]

_NOTHING: Final[Tree] = {}
"""Stands for the subtree of a member that is as it always is; an empty one says that the member is owned."""


def created_fields(new: JSONObject, always: Mapping[str, Any], schema: Schema) -> FieldSet | None:
    """The fields that `new` has beyond `always`, which every object of the kind holds; raises ParseError.

    The same as what `compare` says was added or modified, in one walk; None where it takes a comparison to
    tell, which is rare.
    """
    node = node_of(schema)
    if not isinstance(node, ObjectNode):
        return None
    tree = _beyond(new, always, node)
    return None if tree is None else FieldSet.of_tree(tree, ordered=True)


def _beyond(value: JSONObject, always: Mapping[str, Any], node: ObjectNode) -> Tree | None:
    shape = node.shape(value)
    out = shape.leaves.copy()
    for name, element, inner, _ in shape.inner:
        if name not in always and (member := value[name]):
            out[element] = inner.whole(member)
    for name, default in always.items():
        member = value.get(name, default)
        below = _NOTHING if member is default else _changed(member, default, node.member(name))
        if below is None:
            return None
        if below is _NOTHING:
            out.pop("f:" + name, None)
        else:
            out["f:" + name] = below
    return out


def _changed(member: Any, default: Any, node: Node) -> Tree | None:
    """The subtree of a member that may be as it always is; None where a comparison has to tell."""
    if same_value(member, default):
        return _NOTHING
    if isinstance(node, ObjectNode):
        if member.__class__ is not dict:
            return None
        if node.granular and default.__class__ is dict:
            below = _beyond(member, default, node)
            return _NOTHING if below == {} else below
        if default:
            return None
        return _beyond(member, {}, node) if member and node.granular else LEAF
    if isinstance(node, ListNode):
        if member.__class__ is not list or default is not None:
            return None
        return without_member(node.whole(member)) or LEAF
    return LEAF if node is SCALAR_NODE and member.__class__ in SCALAR_TYPES else None
