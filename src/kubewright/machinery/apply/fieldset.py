"""Sets of field paths: what a manager owns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, final

import msgspec

from kubewright.machinery.apply import tree as trees
from kubewright.machinery.apply.path_element import Path, PathElement, format_path
from kubewright.machinery.apply.tree import LEAF, Tree
from kubewright.machinery.depth import decode_json
from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import Schema

__all__ = ["ANY_ELEMENT", "EMPTY", "FieldSet", "ReadTree"]

ANY_ELEMENT: Final[PathElement] = "*"
"""Stands for every element of one level in the patterns of `FieldSet.matching`."""


# Bounds of what is remembered of sets that were read: an entry has up to some hundred kilobytes of tree.
_MAX_TEXTS: Final = 128
_MAX_TEXT: Final = 16 * 1024

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder().decode


@final
class ReadTree:
    """Canonical FieldsV1 that was read; shared by all sets that were read from the same."""

    __slots__ = ("settled_by", "tree")

    def __init__(self, tree: Tree) -> None:
        self.tree: Final = tree
        self.settled_by: Schema | None = None
        """The schema that was last seen to ask for no change of the tree."""


@final
class FieldSet:
    """An immutable set of field paths.

    A path and its prefixes are members each on their own: owning `.spec.replicas` does not mean owning
    `.spec`. The path of no elements, the whole object, is never a member. `|`, `&`, `-` and the comparisons
    `==` and `in` work as for a set.
    """

    __slots__ = ("_ordered", "_wire", "read", "tree")

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self.tree: Tree = {}
        """The paths as FieldsV1; shared, so never to be changed. `to_json` gives a copy."""
        self._ordered = False
        self._wire: Tree | None = None
        self.read: ReadTree | None = None
        """What is known of the FieldsV1 that the set was read from."""
        for path in paths:
            trees.insert(self.tree, path)

    @classmethod
    def of_tree(cls, tree: Tree, *, ordered: bool = False) -> FieldSet:
        """The set that holds `tree`, which must not change any more; `ordered`: it is in canonical order."""
        made = cls.__new__(cls)
        made.tree = tree
        made._ordered = ordered
        made._wire = None
        made.read = None
        return made

    @classmethod
    def from_json(cls, fields: object) -> FieldSet:
        """The set that FieldsV1 stands for, given as JSON text or as a dict, which must not change any more.

        Elements of unknown kinds are dropped, as Kubernetes drops them. Raises ParseError.
        """
        if isinstance(fields, str | bytes):
            try:
                fields = decode_json(fields)
            except (msgspec.DecodeError, RecursionError) as error:
                raise ParseError(f"FieldsV1 is not JSON: {error}") from None
        if isinstance(fields, dict):
            read = _read(fields)
            if read is not None:
                made = cls.of_tree(read.tree, ordered=True)
                made._wire = fields
                made.read = read
                return made
        return cls.of_tree(trees.parse_tree(fields))

    def to_json(self) -> Tree:
        """The set as FieldsV1 in Kubernetes' own order; the caller may keep and change it."""
        return trees.copy_tree(self.tree) if self._ordered else trees.print_tree(self.tree)

    def to_shared_json(self) -> Tree:
        """As `to_json`, but the JSON that the set was read from, if it was in order; not to be changed."""
        return self.to_json() if self._wire is None else self._wire

    def __or__(self, other: FieldSet) -> FieldSet:
        return self.made(trees.union(self.tree, other.tree), other)

    def __and__(self, other: FieldSet) -> FieldSet:
        return self.made(trees.intersection(self.tree, other.tree), other)

    def __sub__(self, other: FieldSet) -> FieldSet:
        """The paths that `other` lacks; what lies below a path of `other` stays."""
        rest = trees.difference(self.tree, other.tree)
        return self if rest is self.tree else self.made(rest)

    union = __or__
    intersection = __and__
    difference = __sub__

    def recursive_difference(self, other: FieldSet) -> FieldSet:
        """The paths that are neither in `other` nor below a path of `other`."""
        return self.made(trees.recursive_difference(self.tree, other.tree))

    def without(self, *prefixes: Path) -> FieldSet:
        """The paths that do not begin with any of `prefixes`."""
        return self.recursive_difference(FieldSet(prefixes))

    def with_prefix(self, prefix: Path) -> FieldSet:
        """The rests of the paths that go on after `prefix`."""
        node = self._node(prefix)
        return self.made(trees.without_member(node) or {}) if node else EMPTY

    def matching(self, *patterns: Path) -> FieldSet:
        """The paths that begin with one of `patterns`, or that lead to one, level by level.

        `ANY_ELEMENT` in a pattern stands for every element, and rules out the other patterns at its level, as
        upstream's matchers do it.
        """
        return self.made(_matching(self.tree, patterns))

    def leaves(self) -> FieldSet:
        """The paths of which the set has no longer ones."""
        return self.made(trees.leaves(self.tree))

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

    def made(self, tree: Tree, other: FieldSet | None = None) -> FieldSet:
        """A set that was made of this one, and of `other`: in order if both are."""
        return FieldSet.of_tree(tree, ordered=self._ordered and (other is None or other._ordered))

    def _node(self, path: Path) -> Tree | None:
        node: Tree | None = self.tree
        for element in path:
            if not node:
                return None
            node = node.get(element)
        return node


EMPTY: Final = FieldSet.of_tree({}, ordered=True)
"""The set of no fields."""


def _read(fields: Tree) -> ReadTree | None:
    """What is known of FieldsV1 that is canonical; None for other FieldsV1."""
    try:
        text = _encode(fields)
        return _read_cached(text) if len(text) <= _MAX_TEXT else _read_text(text)
    except (TypeError, ValueError, RecursionError):
        # What has no encoding is not canonical, or is nested too deeply.
        return None


def _read_text(text: bytes) -> ReadTree | None:
    tree = _decode(text)
    return ReadTree(tree) if trees.is_canonical(tree) else None


# The objects of one owner have the same managers with the same fields, so that few sets are read in earnest.
_read_cached: Final = lru_cache(_MAX_TEXTS)(_read_text)


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
