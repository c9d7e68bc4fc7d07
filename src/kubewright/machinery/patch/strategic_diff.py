"""The difference of two documents, as a strategic merge patch."""

from __future__ import annotations

from typing import Any, NamedTuple

from kubewright.machinery.patch.errors import PatchError
from kubewright.machinery.patch.strategic_fields import (
    DELETE,
    DELETE_FROM_LIST,
    ORDER,
    PATCH,
    RETAIN_KEYS,
    element_key,
    element_keys,
    element_kind,
    join,
    strategy_of,
)
from kubewright.machinery.patch.strategic_order import sort_elements
from kubewright.machinery.patch.values import json_equal, quote
from kubewright.machinery.schema import Schema

__all__ = ["Wanted", "diff_objects"]


class Wanted(NamedTuple):
    """What a difference shall say."""

    changes: bool = True
    """What was added or changed."""
    deletions: bool = True
    """What was deleted."""
    order: bool = True
    """In which order the elements of merged lists shall be."""


def diff_objects(
    original: dict[str, Any],
    modified: dict[str, Any],
    schema: Schema,
    path: str,
    wanted: Wanted,
    retain_keys: bool = False,
) -> dict[str, Any]:
    """The patch that turns one object into the other; it holds parts of both, and changes neither."""
    patch: dict[str, Any] = {}
    for key, value in modified.items():
        if key not in original:
            if wanted.changes:
                patch[key] = value
            continue
        found = original[key]
        if key == PATCH:
            _diff_directive(found, value, patch, path)
        elif isinstance(value, dict) and isinstance(found, dict):
            _diff_member_object(key, found, value, patch, schema, path, wanted)
        elif isinstance(value, list) and isinstance(found, list):
            _diff_member_list(key, found, value, patch, schema, path, wanted)
        elif wanted.changes and (type(found) is not type(value) or found != value):
            patch[key] = value
    if wanted.deletions:
        patch.update((key, None) for key in original if key not in modified)
    if retain_keys:
        retained = sorted(key for key, value in modified.items() if value is not None)
        if retained and (patch or _lost_member(original, modified)):
            patch[RETAIN_KEYS] = retained
    return patch


def _diff_directive(found: object, value: object, patch: dict[str, Any], path: str) -> None:
    if not isinstance(found, str) or not isinstance(value, str):
        raise PatchError(
            f'"{join(path, PATCH)}" is {quote(value)}; as a member of a document it must be a string'
        )
    if found != value:
        patch[PATCH] = value


def _lost_member(original: dict[str, Any], modified: dict[str, Any]) -> bool:
    return any(value is not None and key not in modified for key, value in original.items())


def _diff_member_object(
    key: str,
    original: dict[str, Any],
    modified: dict[str, Any],
    patch: dict[str, Any],
    schema: Schema,
    path: str,
    wanted: Wanted,
) -> None:
    inner = schema.field(key)
    place = join(path, key)
    strategy = strategy_of(inner, place)
    if strategy.replace:
        # Unchanged or not: upstream always sends an object that is replaced whole.
        if wanted.changes:
            patch[key] = modified
        return
    difference = diff_objects(original, modified, inner, place, wanted, strategy.retain_keys)
    if difference:
        patch[key] = difference


def _diff_member_list(
    key: str,
    original: list[Any],
    modified: list[Any],
    patch: dict[str, Any],
    schema: Schema,
    path: str,
    wanted: Wanted,
) -> None:
    inner = schema.field(key)
    place = join(path, key)
    if not strategy_of(inner, place).merge:
        if wanted.changes and not json_equal(original, modified):
            patch[key] = modified
        return
    if not original:
        if modified and wanted.changes:
            patch[key] = modified
        return
    if element_kind(place, original, modified) == "object":
        changes, order = _diff_object_lists(original, modified, inner, place, wanted)
    else:
        changes, deletions, order = _diff_scalar_lists(original, modified, place, wanted)
        if deletions:
            patch[f"{DELETE_FROM_LIST}/{key}"] = deletions
    if changes:
        patch[key] = changes
    if order:
        patch[f"{ORDER}/{key}"] = order


def _diff_object_lists(
    original: list[Any], modified: list[Any], schema: Schema, path: str, wanted: Wanted
) -> tuple[list[Any], list[Any]]:
    """The elements of the patch, deletions last, and the order to ask for."""
    merge_key = schema.patch_merge_key
    if not merge_key:
        raise PatchError(f'"{path}" is a list of objects to merge, but its schema names no merge key')
    same_order = element_keys(original, merge_key, path) == element_keys(modified, merge_key, path)
    before = _by_text(original, merge_key)
    after = _by_text(modified, merge_key)
    retain_keys = strategy_of(schema, path).retain_keys
    changes: list[Any] = []
    deletions: list[Any] = []
    i = j = 0
    while i < len(before) or j < len(after):
        if i < len(before) and (j == len(after) or before[i][0] < after[j][0]):
            if wanted.deletions:
                deletions.append({merge_key: before[i][1][merge_key], PATCH: DELETE})
            i += 1
        elif j < len(after) and (i == len(before) or after[j][0] < before[i][0]):
            if wanted.changes:
                changes.append(after[j][1])
            j += 1
        else:
            text, element = after[j]
            inner = f"{path}[{merge_key}={text}]"
            difference = diff_objects(before[i][1], element, schema.items, inner, wanted, retain_keys)
            if difference:
                difference[merge_key] = element[merge_key]
                changes.append(difference)
            i += 1
            j += 1
    patch = sort_elements(changes, modified, merge_key, path) + deletions
    tell_order = wanted.order and bool(
        (wanted.changes and (patch or not same_order)) or (wanted.deletions and patch)
    )
    return patch, [{merge_key: element[merge_key]} for element in modified] if tell_order else []


def _diff_scalar_lists(
    original: list[Any], modified: list[Any], path: str, wanted: Wanted
) -> tuple[list[Any], list[Any], list[Any]]:
    """The elements to add, those to delete, and the order to ask for."""
    before = sorted(original, key=_text)
    after = sorted(modified, key=_text)
    changes: list[Any] = []
    deletions: list[Any] = []
    i = j = 0
    while i < len(before) or j < len(after):
        if i < len(before) and (j == len(after) or _text(before[i]) < _text(after[j])):
            deletions.append(before[i])
            i += 1
        elif j < len(after) and (i == len(before) or _text(after[j]) < _text(before[i])):
            changes.append(after[j])
            j += 1
        else:
            i += 1
            j += 1
    if not wanted.changes:
        changes = []
    if not wanted.deletions:
        deletions = []
    # Upstream has sorted the original by now: an unsorted list makes it ask for an order without need.
    tell_order = wanted.order and bool(deletions or (wanted.changes and not json_equal(before, modified)))
    unique = {element_key(element, "", path): element for element in deletions}
    return (
        sort_elements(changes, modified, "", path),
        list(unique.values()),
        modified if tell_order else [],
    )


def _by_text(elements: list[Any], merge_key: str) -> list[tuple[str, Any]]:
    """Elements sorted by merge key; of namesakes the last comes first, as upstream has it up to 12."""
    pairs = [(_text(element[merge_key]), element) for element in reversed(elements)]
    pairs.sort(key=lambda pair: pair[0])
    return pairs


def _text(value: object) -> str:
    """A scalar as Go prints it: upstream tells elements apart by this when it makes patches."""
    if isinstance(value, str):
        return value
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)
