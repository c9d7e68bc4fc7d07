"""Sets of field paths: what a manager owns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, final

import msgspec

from kubewright.machinery.apply import tree as trees
from kubewright.machinery.apply.path_element import Path, PathElement, format_path
from kubewright.machinery.apply.tree import LEAF, Tree
from kubewright.machinery.errors import ParseError

__all__ = ["ANY_ELEMENT", "EMPTY", "FieldSet"]

ANY_ELEMENT: Final[PathElement] = "*"
"""Stands for every element of one level in the patterns of `FieldSet.matching`."""


@final
class FieldSet:
    """An immutable set of field paths.

    A path and its prefixes are members each on their own: owning `.spec.replicas` does not mean owning
    `.spec`. The path of no elements, the whole object, is never a member. `|`, `&`, `-` and the comparisons
    `==` and `in` work as for a set.
    """

    __slots__ = ("_printed", "tree")

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self.tree: Tree = {}
        """The paths as FieldsV1; shared, so never to be changed. `to_json` gives a copy."""
        self._printed = False
        for path in paths:
            trees.insert(self.tree, path)

    @classmethod
    def of_tree(cls, tree: Tree, *, printed: bool = False) -> FieldSet:
        """The set that holds `tree`, which must not change any more; `printed`: it is in canonical order."""
        made = cls.__new__(cls)
        made.tree = tree
        made._printed = printed
        return made

    @classmethod
    def from_json(cls, fields: object) -> FieldSet:
        """The set that FieldsV1 stands for, given as JSON text or as a dict, which must not change any more.

        Elements of unknown kinds are dropped, as Kubernetes drops them. Raises ParseError.
        """
        if isinstance(fields, str | bytes):
            try:
                fields = msgspec.json.decode(fields)
            except (msgspec.DecodeError, RecursionError) as error:
                raise ParseError(f"FieldsV1 is not JSON: {error}") from None
        if isinstance(fields, dict) and trees.is_canonical(fields):
            return cls.of_tree(fields, printed=True)
        return cls.of_tree(trees.parse_tree(fields))

    def to_json(self) -> Tree:
        """The set as FieldsV1 in Kubernetes' own order; the caller may keep and change it."""
        return trees.print_tree(self.tree)

    def to_shared_json(self) -> Tree:
        """As `to_json`, but the JSON that the set was read from, if it was in order; not to be changed."""
        return self.tree if self._printed else trees.print_tree(self.tree)

    def __or__(self, other: FieldSet) -> FieldSet:
        return FieldSet.of_tree(trees.union(self.tree, other.tree))

    def __and__(self, other: FieldSet) -> FieldSet:
        return FieldSet.of_tree(trees.intersection(self.tree, other.tree))

    def __sub__(self, other: FieldSet) -> FieldSet:
        """The paths that `other` lacks; what lies below a path of `other` stays."""
        rest = trees.difference(self.tree, other.tree)
        return self if rest is self.tree else FieldSet.of_tree(rest)

    union = __or__
    intersection = __and__
    difference = __sub__

    def recursive_difference(self, other: FieldSet) -> FieldSet:
        """The paths that are neither in `other` nor below a path of `other`."""
        return FieldSet.of_tree(trees.recursive_difference(self.tree, other.tree))

    def without(self, *prefixes: Path) -> FieldSet:
        """The paths that do not begin with any of `prefixes`."""
        return self.recursive_difference(FieldSet(prefixes))

    def with_prefix(self, prefix: Path) -> FieldSet:
        """The rests of the paths that go on after `prefix`."""
        node = self._node(prefix)
        return FieldSet.of_tree(trees.without_member(node) or {}) if node else EMPTY

    def matching(self, *patterns: Path) -> FieldSet:
        """The paths that begin with one of `patterns`, or that lead to one, level by level.

        `ANY_ELEMENT` in a pattern stands for every element, and rules out the other patterns at its level, as
        upstream's matchers do it.
        """
        return FieldSet.of_tree(_matching(self.tree, patterns))

    def leaves(self) -> FieldSet:
        """The paths of which the set has no longer ones."""
        return FieldSet.of_tree(trees.leaves(self.tree))

    def has(self, path: Path) -> bool:
        """Whether `path` is a member."""
        node = self._node(path)
        return node is not None and bool(path) and trees.is_member(node)

    __contains__ = has

    def __iter__(self) -> Iterator[Path]:
        """All paths: at each level first the members in order, then what lies below them."""
        return trees.paths(self.tree)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self.tree)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldSet) and self.tree == other.tree

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return "\n".join(map(format_path, self))

    def __repr__(self) -> str:
        return f"FieldSet({', '.join(map(format_path, self))})"

    def _node(self, path: Path) -> Tree | None:
        node: Tree | None = self.tree
        for element in path:
            if not node:
                return None
            node = node.get(element)
        return node


EMPTY: Final = FieldSet()
"""The set of no fields."""


def _matching(tree: Tree, patterns: Iterable[Path]) -> Tree:
    below: dict[PathElement, list[Path]] = {}
    for pattern in patterns:
        if not pattern:
            return tree
        below.setdefault(pattern[0], []).append(pattern[1:])
    everything = below.get(ANY_ELEMENT)
    out: Tree = {}
    for element, node in tree.items():
        rests = everything if everything is not None else below.get(element)
        if element == "." or rests is None:
            continue
        kept = _matching(trees.without_member(node) or {}, rests)
        if trees.is_member(node):
            out[element] = {".": LEAF, **kept} if kept else LEAF
        elif kept:
            out[element] = kept
    return out
