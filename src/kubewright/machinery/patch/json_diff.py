"""Making JSON patches: the operations that turn one document into another."""

from __future__ import annotations

from typing import Any

from kubewright.machinery.patch.errors import PatchError
from kubewright.machinery.patch.json_patch import MAX_OPERATIONS
from kubewright.machinery.patch.json_pointer import pointer_token
from kubewright.machinery.patch.values import copy_json, json_equal, kind_of, quote

__all__ = ["make_json_patch"]


def make_json_patch(a: object, b: object) -> list[dict[str, Any]]:
    """Operations such that `apply_json_patch(a, operations)` gives b; none when they are equal.

    Only add, remove and replace are used. Lists are compared from both ends, so that one element put in or
    taken out is one operation. Where that would take more than MAX_OPERATIONS operations, one replaces the
    whole document. The result shares nothing with a or b. Raises PatchError when either is not an object or
    a list, or not plain JSON data.
    """
    for document, name in ((a, "a"), (b, "b")):
        if not isinstance(document, dict | list):
            raise PatchError(
                f"document {name} is {quote(document)}; a JSON patch applies to an object or a list"
            )
    before = copy_json(a, "document a")
    after = copy_json(b, "document b")
    operations: list[dict[str, Any]] = []
    _diff(before, after, "", operations)
    if len(operations) > MAX_OPERATIONS:
        return [{"op": "replace", "path": "", "value": after}]
    return operations


def _diff(before: Any, after: Any, path: str, operations: list[dict[str, Any]]) -> None:
    if isinstance(before, dict) and isinstance(after, dict):
        _diff_objects(before, after, path, operations)
    elif isinstance(before, list) and isinstance(after, list):
        _diff_lists(before, after, path, operations)
    elif kind_of(before) != kind_of(after) or before != after:
        operations.append({"op": "replace", "path": path, "value": after})


def _diff_objects(
    before: dict[str, Any], after: dict[str, Any], path: str, operations: list[dict[str, Any]]
) -> None:
    operations.extend(
        {"op": "remove", "path": f"{path}/{pointer_token(key)}"} for key in before if key not in after
    )
    for key, value in after.items():
        place = f"{path}/{pointer_token(key)}"
        if key in before:
            _diff(before[key], value, place, operations)
        else:
            operations.append({"op": "add", "path": place, "value": value})


def _diff_lists(before: list[Any], after: list[Any], path: str, operations: list[dict[str, Any]]) -> None:
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and json_equal(before[start], after[start]):
        start += 1
    same_end = 0
    while same_end < shorter - start and json_equal(before[-1 - same_end], after[-1 - same_end]):
        same_end += 1
    before_end, after_end = len(before) - same_end, len(after) - same_end
    paired = min(before_end, after_end)
    for index in range(start, paired):
        _diff(before[index], after[index], f"{path}/{index}", operations)
    # From the back, so that no removal shifts the next one's index.
    operations.extend(
        {"op": "remove", "path": f"{path}/{index}"} for index in range(before_end - 1, paired - 1, -1)
    )
    operations.extend(
        {"op": "add", "path": f"{path}/{index}", "value": after[index]} for index in range(paired, after_end)
    )
