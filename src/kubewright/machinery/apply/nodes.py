"""Schemas made ready for walking values fast: one node per schema, made once.

Every write of an object walks all of it, so that what can be known beforehand is. Objects of one type come
with the same few combinations of fields: for each of them a node keeps a `_Shape`, which has the path
elements spelled and sorted, and names the members that are worth looking at. What is left to do for an
object of forty scalars is a dict lookup and a copy.

The trees that nodes make are in canonical order and share parts with the nodes; they are never to be changed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any, Final, NamedTuple

from kubewright.machinery.apply.list_items import REPEATED, ListItems
from kubewright.machinery.apply.path_element import PathElement
from kubewright.machinery.apply.tree import LEAF, Tree
from kubewright.machinery.apply.values import SCALAR_TYPES, JSONObject, is_associative, member_schemas
from kubewright.machinery.schema import ANY, Schema

__all__ = ["ANY_NODE", "SCALAR_NODE", "AnyNode", "ListNode", "Node", "ObjectNode", "Shape", "node_of"]

# Bounds of what nodes remember, so that objects with ever new names, or with huge ones, cost time and not
# memory. A type has some hundred nodes, most of which see one to three shapes.
_MAX_NODES: Final = 8192
_MAX_SHAPES: Final = 128
_MAX_SHAPE_LENGTH: Final = 4096


class Node(ABC):
    """How to walk values of one schema."""

    @abstractmethod
    def fits(self, value: Any) -> bool:
        """Whether the value has the structure of the schema for certain; if not, it may have it still.

        Left open are values with several list elements of one key, and of types that JSON decoders do not
        make.
        """

    @abstractmethod
    def whole(self, value: Any) -> Tree:
        """The subtree of a value with every path in it as a member; raises ParseError."""

    @abstractmethod
    def tree(self, value: Any, named: bool) -> Tree | None:
        """The subtree of the fields that a value names; None when neither it nor anything in it is one.

        `named` makes members of the declared fields, too, that have something below them. Raises ParseError.
        """

    @abstractmethod
    def named(self, tree: Tree) -> Tree:
        """A recorded subtree with the declared fields made members that have something below them."""

    @abstractmethod
    def reconciled(self, tree: Tree) -> Tree:
        """A recorded subtree with what lies below atomic objects and lists replaced by these.

        The same tree comes back when nothing changes.
        """


class _ScalarNode(Node):
    def fits(self, value: Any) -> bool:
        return value.__class__ in SCALAR_TYPES

    def whole(self, value: Any) -> Tree:
        return LEAF

    def tree(self, value: Any, named: bool) -> Tree | None:
        return LEAF

    def named(self, tree: Tree) -> Tree:
        return tree

    def reconciled(self, tree: Tree) -> Tree:
        return tree


class _Member(NamedTuple):
    """A member of an object that is more than a leaf."""

    name: str
    element: PathElement
    node: Node
    is_declared: bool


class Shape(NamedTuple):
    """What there is to know of the objects that have the same fields."""

    whole: Tree
    """All members as leaves, in canonical order, and the object itself."""
    inner: tuple[_Member, ...]
    """The members that may not be leaves."""
    leaves: Tree
    """All members as leaves."""
    scalars: Callable[[JSONObject], tuple[object, ...]] | None
    """Gives the members that must be scalars; None when there are none."""
    others: tuple[tuple[str, Callable[[Any], bool]], ...]
    """The other members that have to fit a schema, with what tells whether they do."""
    is_declared: bool
    """Whether all members may be there."""


class ObjectNode(Node):
    """Objects and maps."""

    def __init__(self, schema: Schema) -> None:
        self._schema: Final = schema
        self.granular: Final = schema.map_type != "atomic"
        self._shapes: Final[dict[tuple[str, ...], Shape]] = {}

    @cached_property
    def declared(self) -> Mapping[str, Node]:
        """The nodes of the declared fields."""
        return {name: node_of(schema) for name, schema in self._schema.fields.items()}

    @cached_property
    def values(self) -> Node | None:
        """The node of all other members; None: there must not be others."""
        values = member_schemas(self._schema)[1]
        return None if values is None else node_of(values)

    @cached_property
    def _any_members(self) -> bool:
        return not self.declared and self.values is ANY_NODE

    @cached_property
    def _deduced_members(self) -> bool:
        values = member_schemas(self._schema)[1]
        return not self.declared and values is not None and _is_deduced(values)

    @cached_property
    def _by_element(self) -> Mapping[PathElement, Node]:
        return {"f:" + name: node for name, node in self.declared.items()}

    @cached_property
    def _scalar_members(self) -> bool:
        return not self.declared and self.values is SCALAR_NODE

    def fits(self, value: Any) -> bool:
        if value.__class__ is not dict:
            return value is None
        if self._any_members:
            return True
        if self._scalar_members:
            return SCALAR_TYPES.issuperset(map(type, value.values()))
        shape = self._shapes.get(tuple(value)) or self._new_shape(value)
        if not shape.is_declared:
            return False
        for name, fits in shape.others:
            if not fits(value[name]):
                return False
        return shape.scalars is None or SCALAR_TYPES.issuperset(map(type, shape.scalars(value)))

    def fits_beside(self, value: JSONObject, known: JSONObject) -> bool:
        """As `fits`, but what equals the same part of `known`, which fits, is not looked at."""
        if tuple(value) not in self._shapes:
            self._new_shape(value)
        for name, member in value.items():
            node = self.declared.get(name, self.values)
            if node is None:
                return False
            other = known.get(name)
            if other == member:
                continue
            if member.__class__ is dict and other.__class__ is dict and isinstance(node, ObjectNode):
                if not node.fits_beside(member, other):
                    return False
            elif not node.fits(member):
                return False
        return True

    def whole(self, value: Any) -> Tree:
        if not value or not self.granular or not isinstance(value, dict):
            return LEAF
        shape = self._shapes.get(tuple(value)) or self._new_shape(value)
        whole, inner = shape.whole, shape.inner
        if not inner:
            return whole
        out = whole.copy()
        for name, element, node, _ in inner:
            member = value[name]
            if member:
                out[element] = node.whole(member)
        return out

    def below(self, value: JSONObject) -> Tree:
        """As `whole` for an object that is granular, but the object itself is no member."""
        shape = self._shapes.get(tuple(value)) or self._new_shape(value)
        out = shape.leaves.copy()
        for name, element, node, _ in shape.inner:
            out[element] = node.whole(value[name])
        return out

    def member(self, name: str) -> Node:
        """The node of one member, whether it may be there or not."""
        return self.declared.get(name) or self.values or ANY_NODE

    def tree(self, value: Any, named: bool) -> Tree | None:
        if not self.granular:
            return LEAF
        if not value or not isinstance(value, dict):
            return None
        shape = self._shapes.get(tuple(value)) or self._new_shape(value)
        if not shape.inner:
            return shape.leaves
        out = shape.leaves.copy()
        for name, element, node, is_declared in shape.inner:
            member = value[name]
            below = node.tree(member, named)
            is_member = not is_declared or member is None or member == {}
            if is_member or (named and below is not None):
                out[element] = _as_member(below)
            elif below is None:
                del out[element]
            else:
                out[element] = below
        return out or None

    def named(self, tree: Tree) -> Tree:
        out = tree.copy()
        for element, below in tree.items():
            if below:
                declared = self._by_element.get(element)
                if declared is not None:
                    out[element] = _as_member(declared.named(below))
                elif element[0] == "f" and self.values is not None:
                    out[element] = self.values.named(below)
        return out

    def reconciled(self, tree: Tree) -> Tree:
        if self._deduced_members:
            return tree
        if not self.granular:
            return LEAF
        changed: Tree = {}
        for element, below in tree.items():
            if below:
                node = self._by_element.get(element, self.values)
                if node is not None and (reconciled := node.reconciled(below)) is not below:
                    changed[element] = reconciled
        return {**tree, **changed} if changed else tree

    def seen_names(self) -> set[str]:
        """The names of the members that objects lately had."""
        return {name for names in tuple(self._shapes) for name in names}

    def shape(self, value: JSONObject) -> Shape:
        """What there is to know of objects with the fields of this one."""
        return self._shapes.get(tuple(value)) or self._new_shape(value)

    def _new_shape(self, value: JSONObject) -> Shape:
        names = tuple(value)
        shape = self._make_shape(names)
        if sum(map(len, names)) <= _MAX_SHAPE_LENGTH:
            if len(self._shapes) >= _MAX_SHAPES:
                self._shapes.clear()
            self._shapes[names] = shape
        return shape

    def _make_shape(self, names: tuple[str, ...]) -> Shape:
        leaves: Tree = {}
        inner: list[_Member] = []
        scalars: list[str] = []
        others: list[tuple[str, Callable[[Any], bool]]] = []
        for name in sorted(names):
            element = "f:" + name
            declared = self.declared.get(name)
            node = declared or self.values or ANY_NODE
            leaves[element] = LEAF
            if node is SCALAR_NODE:
                scalars.append(name)
                continue
            if not _is_atomic(node):
                inner.append(_Member(name, element, node, declared is not None))
            if node is not ANY_NODE:
                others.append((name, node.fits))
        return Shape(
            {".": LEAF, **leaves},
            tuple(inner),
            leaves,
            # Of one name a getter would give no tuple.
            itemgetter(*scalars, scalars[0]) if scalars else None,
            tuple(others),
            self.values is not None or self.declared.keys() >= set(names),
        )


class ListNode(Node):
    """Lists: atomic ones, sets and list-maps."""

    def __init__(self, schema: Schema) -> None:
        self._schema: Final = schema
        self.associative: Final = is_associative(schema)
        self.told: Final = ListItems(schema)
        """How the elements of an associative list are told apart."""

    @cached_property
    def items(self) -> Node:
        """The node of the elements."""
        return node_of(self._schema.items)

    def fits(self, value: Any) -> bool:
        if value.__class__ is not list:
            return value is None
        if self.associative and not self.told.are_distinct(value):
            return False
        items = self.items
        if items is ANY_NODE:
            return True
        if items is SCALAR_NODE:
            return SCALAR_TYPES.issuperset(map(type, value))
        return all(map(items.fits, value))

    def whole(self, value: Any) -> Tree:
        if not value or not self.associative or not isinstance(value, list):
            return LEAF
        out: Tree = {".": LEAF}
        items = self.items
        for element, item in self.told.by_element(value):
            out[element] = LEAF if item is REPEATED else items.whole(item)
        return out

    def tree(self, value: Any, named: bool) -> Tree | None:
        if not self.associative:
            return LEAF
        if not value or not isinstance(value, list):
            return None
        out: Tree = {}
        items = self.items
        for element, item in self.told.by_element(value):
            # Of elements with the same key nothing is owned but the key.
            out[element] = LEAF if item is REPEATED else _as_member(items.tree(item, named))
        return out

    def named(self, tree: Tree) -> Tree:
        items = self.items
        return {
            element: items.named(below) if below and element[0] == "k" else below
            for element, below in tree.items()
        }

    def reconciled(self, tree: Tree) -> Tree:
        if not self.associative:
            return LEAF
        changed: Tree = {}
        items = self.items
        for element, below in tree.items():
            if below and (reconciled := items.reconciled(below)) is not below:
                changed[element] = reconciled
        return {**tree, **changed} if changed else tree


class AnyNode(Node):
    """Values of any kind: each is walked as what it is."""

    def __init__(self, schema: Schema) -> None:
        self.as_object: Final = ObjectNode(schema)
        self.as_list: Final = ListNode(schema)

    def fits(self, value: Any) -> bool:
        if value.__class__ is dict:
            return self.as_object.fits(value)
        if value.__class__ is list:
            return self.as_list.fits(value)
        return value.__class__ in SCALAR_TYPES

    def whole(self, value: Any) -> Tree:
        if isinstance(value, dict):
            return self.as_object.whole(value)
        return self.as_list.whole(value) if isinstance(value, list) else LEAF

    def tree(self, value: Any, named: bool) -> Tree | None:
        if value is None or isinstance(value, dict):
            return self.as_object.tree(value, named)
        return self.as_list.tree(value, named) if isinstance(value, list) else LEAF

    def named(self, tree: Tree) -> Tree:
        return tree if self is ANY_NODE else self.as_list.named(self.as_object.named(tree))

    def reconciled(self, tree: Tree) -> Tree:
        return self.as_object.reconciled(tree)


def _is_atomic(node: Node) -> bool:
    if isinstance(node, ObjectNode):
        return not node.granular
    return isinstance(node, ListNode) and not node.associative


def _as_member(node: Tree | None) -> Tree:
    if not node:
        return LEAF
    return node if "." in node else {".": LEAF, **node}


def _is_deduced(schema: Schema) -> bool:
    return schema is ANY or (
        schema.kind == "any"
        and not schema.fields
        and schema.values is None
        and schema.map_type == "granular"
        and schema.list_type == "atomic"
    )


@lru_cache(_MAX_NODES)
def node_of(schema: Schema) -> Node:
    """The node of a schema; what lies below it is made when it is first walked."""
    if schema is ANY:
        return ANY_NODE
    if schema.kind == "object":
        return ObjectNode(schema)
    if schema.kind == "array":
        return ListNode(schema)
    return AnyNode(schema) if schema.kind == "any" else SCALAR_NODE


ANY_NODE: Final = AnyNode(ANY)
SCALAR_NODE: Final = _ScalarNode()
