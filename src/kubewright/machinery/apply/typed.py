"""Sets of fields by a schema: which fields a value names, and what a schema makes of a recorded set."""

from __future__ import annotations

from kubewright.machinery.apply.fieldset import FieldSet
from kubewright.machinery.apply.nodes import node_of
from kubewright.machinery.apply.tree import Tree
from kubewright.machinery.schema import Schema

__all__ = ["name_members", "reconcile", "reconcile_set", "to_field_set", "to_named_field_set"]


def to_field_set(value: object, schema: Schema) -> FieldSet:
    """The fields that `value` names: its leaves, the elements of its lists, and the members of its maps.

    Declared fields of objects that have something below them are not members. Raises ParseError.
    """
    return FieldSet.of_tree(node_of(schema).tree(value, False) or {}, ordered=True)


def to_named_field_set(value: object, schema: Schema) -> FieldSet:
    """As `to_field_set`, and with the declared fields that have something below them; see `name_members`."""
    return FieldSet.of_tree(node_of(schema).tree(value, True) or {}, ordered=True)


def name_members(tree: Tree, schema: Schema) -> Tree:
    """The tree with the declared fields made members that have something below them."""
    return node_of(schema).named(tree) if tree else tree


def reconcile(tree: Tree, schema: Schema) -> Tree:
    """The tree with what lies below atomic objects and lists replaced by these.

    Sets that were recorded when a field was still granular are brought up to a schema that made it atomic.
    The other way round nothing is done, as upstream does nothing. The same tree comes back when nothing
    changes.
    """
    return node_of(schema).reconciled(tree) if tree else tree


def reconcile_set(fields: FieldSet, schema: Schema) -> FieldSet:
    """As `reconcile`; sets that were read from the same FieldsV1 are looked at once."""
    read = fields.read
    if read is not None and read.settled_by is schema:
        return fields
    tree = fields.tree
    reconciled = reconcile(tree, schema)
    if reconciled is not tree:
        return fields.made(reconciled)
    if read is not None:
        read.settled_by = schema
    return fields
