"""Set algebra on FieldsV1 trees, the form in which `managedFields` holds a set of paths.

A tree is a dict from path elements to subtrees. The subtree of a path that is in the set and has no longer
paths below it is empty; the subtree of a path that is in the set and has longer ones holds the key `.`;
without that key only the longer paths are in the set. So the wire form needs no translation, and dict
equality is set equality.

Trees are shared between sets and never changed once built; `LEAF` is the empty subtree that all of them
share. A root is a tree without `.`; the empty root is the empty set.

What is on the wire is in canonical order: `.`, then fields by name, then keys, values and positions. All
operations here keep that order, so that a set need not be sorted when it is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias, cast

import msgspec

from kubewright.machinery.apply.path_element import Path, PathElement, element_order, parse_element
from kubewright.machinery.errors import ParseError

__all__ = [
    "LEAF",
    "Tree",
    "add_member",
    "copy_tree",
    "difference",
    "has_below",
    "insert",
    "intersection",
    "is_canonical",
    "is_member",
    "leaves",
    "ordered",
    "parse_tree",
    "paths",
    "print_tree",
    "recursive_difference",
    "union",
    "without_member",
]

Tree: TypeAlias = dict[PathElement, Any]

LEAF: Final[Tree] = {}

# Kubernetes objects are nested some twenty levels deep. The bound keeps every walk over a tree inside
# Python's recursion limit, whatever a client sends.
_MAX_DEPTH: Final = 256

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder().decode


def is_member(node: Tree) -> bool:
    """Whether the path that leads to `node` is itself in the set."""
    return not node or "." in node


def add_member(tree: Tree, element: PathElement) -> None:
    """Puts the path `element` into a tree that is still being built."""
    node = tree.get(element)
    if node is None:
        tree[element] = LEAF
    elif node and "." not in node:
        tree[element] = {".": LEAF, **node}


def without_member(node: Tree) -> Tree | None:
    """`node` with its own path taken out of the set; None when nothing is left."""
    if not node:
        return None
    return {element: child for element, child in node.items() if element != "."} if "." in node else node


def insert(tree: Tree, path: Path) -> None:
    """Puts `path` into a tree that is still being built and shares nothing but leaves."""
    if not path:
        return
    for element in path[:-1]:
        node = tree.get(element)
        if node is None:
            node = tree[element] = {}
        elif not node:
            node = tree[element] = {".": LEAF}
        tree = node
    add_member(tree, path[-1])


def union(left: Tree, right: Tree) -> Tree:
    """The paths of either root."""
    if not left:
        return right
    if not right or left is right:
        return left
    return _merge(left, right)


def _merge(left: Tree, right: Tree) -> Tree:
    out = dict(left)
    for element, theirs in right.items():
        ours = out.get(element)
        if ours is None:
            out[element] = theirs
        elif ours is not theirs:
            out[element] = _union_nodes(ours, theirs)
    return ordered(out) if len(out) > len(left) else out


def ordered(tree: Tree) -> Tree:
    """A tree whose subtrees are in canonical order, in that order itself."""
    if len(tree) < 2:
        return tree
    elements = list(tree)
    # "." sorts before "f:" and fields sort as strings; only the rarer other kinds need more.
    wanted = sorted(elements)
    if not (wanted[-1].startswith("f:") and (wanted[0] == "." or wanted[0].startswith("f:"))):
        wanted.sort(key=_print_order)
    return tree if wanted == elements else {element: tree[element] for element in wanted}


def _union_nodes(left: Tree, right: Tree) -> Tree:
    if not left:
        return right if is_member(right) else {".": LEAF, **right}
    if not right:
        return left if "." in left else {".": LEAF, **left}
    return _merge(left, right)


def intersection(left: Tree, right: Tree) -> Tree:
    """The paths of both roots."""
    if left == right:
        return left
    if len(right) < len(left):
        left, right = right, left
    out: Tree = {}
    for element, ours in left.items():
        theirs = right.get(element)
        if theirs is None:
            continue
        if not ours or not theirs:
            if is_member(ours) and is_member(theirs):
                out[element] = LEAF
            continue
        both = intersection(ours, theirs)
        if both:
            out[element] = _tidy(both)
    return out


def difference(left: Tree, right: Tree) -> Tree:
    """The paths of `left` that are not in `right`: a longer path stays when a shorter one goes.

    The same tree comes back when nothing changes, as it is with most managers on most writes.
    """
    out: Tree | None = None
    for element, theirs in right.items():
        ours = left.get(element)
        if ours is None:
            continue
        rest = None if ours == theirs else _difference_nodes(ours, theirs)
        if rest is not ours:
            if out is None:
                out = dict(left)
            if rest is None:
                del out[element]
            else:
                out[element] = rest
    return left if out is None else out


def _difference_nodes(left: Tree, right: Tree) -> Tree | None:
    if not left:
        return None if is_member(right) else left
    if not right:
        return without_member(left)
    rest = difference(left, right)
    return _tidy(rest) if rest else None


def recursive_difference(left: Tree, right: Tree) -> Tree:
    """The paths of `left` that are not in `right` nor below a path in `right`."""
    out: Tree = {}
    for element, ours in left.items():
        theirs = right.get(element)
        if theirs is None:
            out[element] = ours
        elif not is_member(theirs):
            if not ours:
                out[element] = ours
            else:
                rest = recursive_difference(ours, theirs)
                if rest:
                    out[element] = _tidy(rest)
    return out


def _tidy(node: Tree) -> Tree:
    return LEAF if len(node) == 1 and "." in node else node


def has_below(tree: Tree, above: Tree) -> bool:
    """Whether a path of `tree` goes on after a path of `above` that is the longest one there."""
    for element, node in above.items():
        found = tree.get(element)
        if found and (not node or has_below(found, node)):
            return True
    return False


def leaves(tree: Tree) -> Tree:
    """The paths of which the set has no longer ones."""
    return {element: leaves(node) if node else LEAF for element, node in tree.items() if element != "."}


def paths(tree: Tree, prefix: Path = ()) -> Iterator[Path]:
    """All paths, in upstream's order: at each level first the members, then what lies below."""
    elements = sorted((element for element in tree if element != "."), key=element_order)
    for element in elements:
        if is_member(tree[element]):
            yield (*prefix, element)
    for element in elements:
        if tree[element]:
            yield from paths(tree[element], (*prefix, element))


def print_tree(tree: Tree) -> Tree:
    """A copy in canonical order, which may be kept and changed."""
    return {element: print_tree(node) if node else {} for element, node in ordered(tree).items()}


def copy_tree(tree: Tree) -> Tree:
    """A copy of a tree in canonical order, which may be kept and changed."""
    try:
        # Through an encoder in C is the fastest way to a deep copy.
        return cast("Tree", _decode(_encode(tree)))
    except (TypeError, ValueError, RecursionError):
        # A lone surrogate in a name, say, has no encoding.
        return print_tree(tree)


def _print_order(element: PathElement) -> tuple[object, ...]:
    return (-1,) if element == "." else element_order(element)


def is_canonical(fields: object, depth: int = 0) -> bool:
    """Whether FieldsV1 is spelled and ordered as Kubernetes does it, so that it is a tree as it stands."""
    if not isinstance(fields, dict) or depth > _MAX_DEPTH:
        return False
    if _are_ordered_fields(fields, depth):
        for below in fields.values():
            if (below or below != {}) and not is_canonical(below, depth + 1):
                return False
        return True
    last = ""
    for text, below in fields.items():
        if text[:2] == "f:":
            # Fields come after "." and before all else.
            if text <= last or (last and last[0] not in "f."):
                return False
        elif text == ".":
            if last or below != {} or len(fields) == 1 or not depth:
                return False
        elif not _follows(text, last):
            return False
        last = text
        if below != {} and not is_canonical(below, depth + 1):
            return False
    return True


def _are_ordered_fields(fields: Tree, depth: int) -> bool:
    """Whether the elements are fields, after "." if that is there: most often so, and quickly seen."""
    elements = list(fields)
    if not elements or elements != sorted(elements) or elements[-1][:2] != "f:":
        return False
    first = elements[0]
    if first == ".":
        if not depth or fields["."] != {}:
            return False
        first = elements[1]
    # What sorts between two strings that begin alike begins like them.
    return first[:2] == "f:"


def _follows(text: str, last: str) -> bool:
    """Whether an element that is not a field is spelled canonically and comes after `last`."""
    if text[:2] not in ("k:", "v:", "i:") or parse_element(text) != text:
        return False
    return last in ("", ".") or element_order(text) > element_order(last)


def parse_tree(fields: object) -> Tree:
    """The root that FieldsV1 JSON stands for; raises ParseError."""
    out = _parse_node(fields, 0)
    return without_member(out) or {}


def _parse_node(fields: object, depth: int) -> Tree:
    if fields is None:
        return LEAF
    if not isinstance(fields, dict):
        raise ParseError(f'FieldsV1 has {fields!r} where an object such as {{"f:name": {{}}}} should be')
    if not fields:
        return LEAF
    if depth > _MAX_DEPTH:
        raise ParseError(f"FieldsV1 is nested deeper than {_MAX_DEPTH} levels")
    out: Tree = {}
    for text, below in fields.items():
        if text == ".":
            out["."] = LEAF
            continue
        element = text if text.startswith("f:") else parse_element(text)
        if element is None:
            continue
        node = LEAF if below == {} else _parse_node(below, depth + 1)
        if element in out:
            node = _last_spelling(out[element], node)
        out[element] = node
    return _tidy(out) if out else LEAF


def _last_spelling(earlier: Tree, later: Tree) -> Tree:
    """One element in two spellings: a member if either is, with what lies below the last (else the first)."""
    below = later or earlier
    if not below or "." in below or not (is_member(earlier) or is_member(later)):
        return below
    return {".": LEAF, **below}
