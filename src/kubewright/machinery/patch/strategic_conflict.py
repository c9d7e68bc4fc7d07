"""Whether two strategic merge patches say different things of the same field."""

from __future__ import annotations

from typing import Any

from kubewright.machinery.patch.strategic_fields import (
    DELETE_FROM_LIST,
    PATCH,
    RETAIN_KEYS,
    element_key,
    element_kind,
    join,
    strategy_of,
)
from kubewright.machinery.patch.values import json_equal
from kubewright.machinery.schema import Schema

__all__ = ["find_conflict"]


def find_conflict(left: dict[str, Any], right: dict[str, Any], schema: Schema) -> str | None:
    """The first place where two patches differ, or None; fields that only one of them has do not count.

    Lists of scalars that merge never conflict, and neither do deletions from them (for which upstream fails
    with an error about an unknown field). Raises PatchError for lists that cannot be compared.
    """
    return _objects(left, right, schema, "", False)


def _values(left: Any, right: Any, schema: Schema, path: str) -> str | None:
    if isinstance(left, dict):
        if not isinstance(right, dict):
            return path
        return _objects(left, right, schema, path, strategy_of(schema, path).replace)
    if isinstance(left, list):
        return _lists(left, right, schema, path) if isinstance(right, list) else path
    return None if json_equal(left, right) else path


def _objects(
    left: dict[str, Any], right: dict[str, Any], schema: Schema, path: str, replaced: bool
) -> str | None:
    if not json_equal(left.get(PATCH), right.get(PATCH)):
        return path
    if replaced:
        return None
    for key, value in left.items():
        if key in right and key not in {PATCH, RETAIN_KEYS} and not key.startswith(DELETE_FROM_LIST):
            place = _values(value, right[key], schema.field(key), join(path, key))
            if place is not None:
                return place
    return None


def _lists(left: list[Any], right: list[Any], schema: Schema, path: str) -> str | None:
    of_objects = element_kind(path, left, right) == "object"
    if strategy_of(schema, path).merge:
        return _merged_lists(left, right, schema, path) if of_objects else None
    if len(left) != len(right):
        return path
    if not of_objects:
        # Upstream compares such lists without regard to order and repetition.
        same = {element_key(element, "", path) for element in left} == {
            element_key(element, "", path) for element in right
        }
        return None if same else path
    for index, (one, other) in enumerate(zip(left, right, strict=True)):
        place = _objects(one, other, schema.items, f"{path}[{index}]", False)
        if place is not None:
            return place
    return None


def _merged_lists(left: list[Any], right: list[Any], schema: Schema, path: str) -> str | None:
    merge_key = schema.patch_merge_key
    others = {element_key(element, merge_key, path): element for element in right}
    for key, element in {element_key(element, merge_key, path): element for element in left}.items():
        if key in others:
            inner = f"{path}[{merge_key}={element[merge_key]}]"
            place = _objects(element, others[key], schema.items, inner, False)
            if place is not None:
                return place
    return None
