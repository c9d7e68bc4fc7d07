"""The order of the elements of a merged list.

The elements that the patch knows come in the patch's order, those that only the document has in the
document's, and the second are put among the first where the document had them, as far as that can be.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any, Final

from kubewright.machinery.patch.strategic_fields import DELETE, PATCH, ElementKey, element_key, element_keys

__all__ = ["is_deletion", "order_elements", "sort_elements"]

_INSERTION_LENGTH: Final = 20
"""Up to this length Go's stable sort is an insertion sort."""


def is_deletion(element: object) -> bool:
    """Whether an element of a patch asks for the deletion of its namesake."""
    return isinstance(element, dict) and element.get(PATCH) == DELETE


def order_elements(
    elements: list[Any], wanted: list[Any], found: list[Any], merge_key: str, path: str
) -> list[Any]:
    """The elements of a merged list, in order.

    `wanted` is the order that the patch asks for, `found` the list as the document had it; either may know
    more or fewer elements than there are.
    """
    patch_positions = _positions(element_keys(wanted, merge_key, path))
    server_positions = _positions(element_keys(found, merge_key, path))
    patched: list[Any] = []
    server_only: list[Any] = []
    for element in elements:
        known = element_key(element, merge_key, path) in patch_positions
        (patched if known else server_only).append(element)
    return _interleave(
        _sort(server_only, server_positions, merge_key, path),
        _sort(patched, patch_positions, merge_key, path),
        server_positions,
        merge_key,
        path,
    )


def sort_elements(elements: list[Any], order: list[Any], merge_key: str, path: str) -> list[Any]:
    """The elements in the order of another list; deletions last."""
    return _sort(elements, _positions(element_keys(order, merge_key, path)), merge_key, path)


def _positions(keys: Iterable[ElementKey]) -> dict[ElementKey, int]:
    positions: dict[ElementKey, int] = {}
    for index, key in enumerate(keys):
        positions.setdefault(key, index)
    return positions


def _sort(elements: list[Any], positions: dict[ElementKey, int], merge_key: str, path: str) -> list[Any]:
    """Elements by position, deletions last."""
    deletions: list[Any] = []
    placed: list[tuple[int | None, Any]] = []
    for element in elements:
        if is_deletion(element):
            deletions.append(element)
        else:
            placed.append((positions.get(element_key(element, merge_key, path)), element))
    if any(position is None for position, _ in placed):
        placed = _sort_with_unknown(placed)
    else:
        placed.sort(key=itemgetter(0))
    return [*(element for _, element in placed), *deletions]


def _sort_with_unknown(placed: list[tuple[int | None, Any]]) -> list[tuple[int | None, Any]]:
    """Where upstream's sort leaves elements without a position, which occur only under an empty order.

    Its comparison calls anything less than such an element, and such an element less than anything, so that
    the result is what insertion makes of it. Past the length to which upstream sorts by insertion alone,
    the known elements come first and the unknown ones, backwards, after them.
    """
    if len(placed) > _INSERTION_LENGTH:
        known = sorted((item for item in placed if item[0] is not None), key=itemgetter(0))
        return [*known, *reversed([item for item in placed if item[0] is None])]
    ordered: list[tuple[int | None, Any]] = []
    for item in placed:
        at = len(ordered)
        while at and (item[0] is None or (before := ordered[at - 1][0]) is None or item[0] < before):
            at -= 1
        ordered.insert(at, item)
    return ordered


def _interleave(
    server_only: list[Any], patched: list[Any], positions: dict[ElementKey, int], merge_key: str, path: str
) -> list[Any]:
    """Put each server-only element before the first patched one that came after it in the document."""
    left = [positions.get(key) for key in element_keys(server_only, merge_key, path)]
    right = [positions.get(key) for key in element_keys(patched, merge_key, path)]
    ordered: list[Any] = []
    i = j = 0
    while i < len(left) and j < len(right):
        here, there = left[i], right[j]
        if here is not None and there is not None and here < there:
            ordered.append(server_only[i])
            i += 1
        else:
            ordered.append(patched[j])
            j += 1
    return [*ordered, *server_only[i:], *patched[j:]]
