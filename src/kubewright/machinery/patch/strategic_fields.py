"""What a strategic merge patch says besides values: its directives, and what a schema says of a field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from kubewright.machinery.go_format import go_text
from kubewright.machinery.patch.errors import MalformedPatchError, PatchError
from kubewright.machinery.patch.values import ValueKind, kind_of, quote
from kubewright.machinery.schema import Schema

__all__ = [
    "DELETE",
    "DELETE_FROM_LIST",
    "MERGE",
    "ORDER",
    "PATCH",
    "REPLACE",
    "RETAIN_KEYS",
    "ElementKey",
    "Strategy",
    "directive_field",
    "element_key",
    "element_keys",
    "element_kind",
    "join",
    "strategy_of",
]

PATCH: Final = "$patch"
"""In an object: what to do with the object it stands in."""
DELETE: Final = "delete"
REPLACE: Final = "replace"
MERGE: Final = "merge"

RETAIN_KEYS: Final = "$retainKeys"
"""In an object: the only members that may be left after the patch."""
DELETE_FROM_LIST: Final = "$deleteFromPrimitiveList"
"""`$deleteFromPrimitiveList/finalizers`: the elements to take out of `finalizers`."""
ORDER: Final = "$setElementOrder"
"""`$setElementOrder/containers`: the order that the elements of `containers` shall have."""

ElementKey: TypeAlias = str | tuple[ValueKind, object]
"""What tells an element of a merged list from the others; a string stands for itself, for speed."""


class Strategy(NamedTuple):
    """How a field is patched."""

    merge: bool
    replace: bool
    retain_keys: bool


_NONE: Final = Strategy(merge=False, replace=False, retain_keys=False)


def strategy_of(schema: Schema, path: str) -> Strategy:
    """How a field of this shape is patched; raises PatchError when its schema contradicts itself."""
    names = schema.patch_strategies
    if not names:
        return _NONE
    others = [name for name in names if name != "retainKeys"]
    if len(names) > 2 or len(others) > 1:
        raise PatchError(
            f'the schema of "{path}" has the patch strategies {",".join(names)}, of which only one can hold'
        )
    other = others[0] if others else ""
    return Strategy(merge=other == MERGE, replace=other == REPLACE, retain_keys=len(others) < len(names))


def join(path: str, key: str) -> str:
    """The place of a member, as messages name it."""
    return f"{path}.{key}" if path else key


def directive_field(key: str, directive: str, path: str) -> str:
    """The field that `$directive/field` is about."""
    prefix, slash, field = key.partition("/")
    if prefix != directive or not slash:
        raise MalformedPatchError(f'"{join(path, key)}" should be "{directive}/" and the name of a list')
    return field


def element_key(element: Any, merge_key: str, path: str) -> ElementKey:
    """What tells an element from the others: its merge key, or the element itself in a list of scalars."""
    if merge_key:
        if not isinstance(element, dict):
            raise PatchError(
                f'"{path}" holds {quote(element)}; its elements are objects, told apart by "{merge_key}"'
            )
        if merge_key not in element:
            # Upstream's words, which kubectl users search for.
            raise PatchError(f"map: {go_text(element)} does not contain declared merge key: {merge_key}")
        value = element[merge_key]
    else:
        value = element
    if isinstance(value, str):
        return value
    kind = kind_of(value)
    if kind in {"object", "list"}:
        reason = f'the merge key "{merge_key}" must be a scalar' if merge_key else "it merges scalars only"
        raise PatchError(f'an element of "{path}" has {quote(value)}, but {reason}')
    return kind, value


def element_keys(elements: Iterable[Any], merge_key: str, path: str) -> list[ElementKey]:
    """The keys of all elements of a list."""
    return [element_key(element, merge_key, path) for element in elements]


def element_kind(path: str, *lists: Sequence[Any]) -> ValueKind:
    """The one kind that all elements of these lists have; PatchError when there is no such kind."""
    found: ValueKind | None = None
    for elements in lists:
        for element in elements:
            kind = kind_of(element)
            if kind in {"list", "null"}:
                raise PatchError(
                    f'"{path}" holds {quote(element)}; lists of objects or of scalars can be merged'
                )
            if found is None:
                found = kind
            elif kind != found:
                raise PatchError(f"list element types are not identical: {go_text(list(lists))}")
    if found is None:
        raise PatchError(f'"{path}" has no elements, neither in the document nor in the patch')
    return found
