"""JSON merge patch (RFC 7386), applied and made as kube-apiserver and kubectl do.

In one point their library goes beyond the RFC, and so does this: when a patch brings a list where there was
none or another list, null members of objects inside the new list are dropped; the RFC leaves lists alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubewright.machinery.patch.errors import MalformedPatchError, PatchError
from kubewright.machinery.patch.preconditions import Precondition, check_preconditions
from kubewright.machinery.patch.values import copy_json, json_equal, own_object, quote

__all__ = ["apply_merge_patch", "make_merge_patch", "make_three_way_merge_patch"]


def apply_merge_patch(document: object, patch: object) -> Any:
    """The document with the patch merged in: null removes a member, objects merge, all else replaces.

    The result shares nothing with the document or the patch, and neither is changed. A patch that is a list
    becomes the result, and so does an object where the document is none. Raises MalformedPatchError when
    the patch is neither an object nor a list, and PatchError when the document is null or not JSON data.
    """
    if not isinstance(patch, dict | list):
        raise MalformedPatchError(f"the patch is {quote(patch)}; a merge patch is an object")
    if document is None:
        raise PatchError("the document is null; a merge patch applies to an object")
    target = copy_json(document, "the document")
    changes = copy_json(patch, "the patch")
    if isinstance(target, dict) and isinstance(changes, dict):
        _merge(target, changes)
        return target
    _drop_nulls(changes)
    return changes


def make_merge_patch(a: object, b: object) -> dict[str, Any]:
    """The smallest patch such that `apply_merge_patch(a, patch)` gives b; {} when they are equal.

    Numbers are compared by value: 1 and 1.0 need no change. The result shares nothing with a or b. Raises
    PatchError when either is not an object, and when b holds a null that the patch would have to write,
    which a merge patch cannot: there null means "remove". The message names the place.
    """
    before = own_object(a, "document a")
    after = own_object(b, "document b")
    patch = _difference(before, after)
    _check_writable(patch, before, after, "")
    return patch


def make_three_way_merge_patch(
    original: object, modified: object, current: object, *, preconditions: Iterable[Precondition] = ()
) -> dict[str, Any]:
    """The patch that kubectl apply sends for a custom resource.

    It brings `current`, the live object, to what `modified` says, and removes what `original`, the
    configuration applied last, had and `modified` has no more; everything else that is in `current` stays.
    None for `original` or `current` stands for an empty object. The result shares nothing with the inputs.
    A null in `modified` asks for removal. Raises PatchError when an input is not an object, and
    PatchPreconditionError when a precondition does not hold.
    """
    before = own_object({} if original is None else original, "the original document")
    wanted = own_object(modified, "the modified document")
    live = own_object({} if current is None else current, "the current document")
    additions = _without_nulls(_difference(live, wanted))
    removals = _only_nulls(_difference(before, wanted))
    # They cannot contradict each other: what is removed is not in the modified document, what is set is.
    patch = own_object(removals, "the patch")
    _merge(patch, own_object(additions, "the patch"))
    check_preconditions(patch, preconditions)
    return patch


def _merge(target: dict[str, Any], patch: dict[str, Any]) -> None:
    """Merge in place; parts of the patch become parts of the target."""
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
            continue
        found = target.get(key)
        if not isinstance(found, dict):
            _drop_nulls(value)
            target[key] = value
        elif isinstance(value, dict):
            _merge(found, value)
        else:
            target[key] = value


def _drop_nulls(value: Any) -> None:
    """Drop null members in place, also of objects in lists; null elements of lists stay."""
    if isinstance(value, dict):
        for key in [key for key, member in value.items() if member is None]:
            del value[key]
        for member in value.values():
            _drop_nulls(member)
    elif isinstance(value, list):
        for element in value:
            _drop_nulls(element)


def _difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    for key, value in after.items():
        if key not in before:
            patch[key] = value
            continue
        found = before[key]
        if isinstance(found, dict) and isinstance(value, dict):
            inner = _difference(found, value)
            if inner:
                patch[key] = inner
        elif not json_equal(found, value, numbers_alike=True):
            patch[key] = value
    for key in before:
        if key not in after:
            patch[key] = None
    return patch


def _check_writable(patch: Any, before: Any, after: Any, path: str) -> None:
    """Refuse nulls that the patch would write rather than remove by."""
    if isinstance(patch, list) and not isinstance(before, dict):
        for index, element in enumerate(patch):
            _check_writable(element, None, element, f"{path}[{index}]")
    elif isinstance(patch, dict):
        for key, value in patch.items():
            place = f"{path}.{key}" if path else key
            if value is not None:
                found = before.get(key) if isinstance(before, dict) else None
                _check_writable(value, found, after[key], place)
            elif key in after:
                raise PatchError(f'"{place}" is null in document b; a merge patch can only remove it')


def _without_nulls(patch: dict[str, Any]) -> dict[str, Any]:
    """What a patch adds and changes; an empty object is a value, an object emptied here is none."""
    kept: dict[str, Any] = {}
    for key, value in patch.items():
        if isinstance(value, dict) and value:
            inner = _without_nulls(value)
            if inner:
                kept[key] = inner
        elif value is not None:
            kept[key] = value
    return kept


def _only_nulls(patch: dict[str, Any]) -> dict[str, Any]:
    """What a patch removes."""
    kept: dict[str, Any] = {}
    for key, value in patch.items():
        if value is None:
            kept[key] = None
        elif isinstance(value, dict):
            inner = _only_nulls(value)
            if inner:
                kept[key] = inner
    return kept
