"""Strategic merge patch, applied as upstream's strategicpatch package does.

Like a merge patch, but the schema says which lists are merged element by element instead of replaced, and
the patch may carry directives (see `strategic_fields`). Where the schema knows nothing of a field, objects
are merged and lists are replaced; upstream, which knows the Go type of every document, refuses such fields.
"""

from __future__ import annotations

from typing import Any, Final

from kubewright.machinery.go_format import go_text
from kubewright.machinery.patch.errors import MalformedPatchError, PatchError
from kubewright.machinery.patch.strategic_fields import (
    DELETE,
    DELETE_FROM_LIST,
    ORDER,
    PATCH,
    REPLACE,
    RETAIN_KEYS,
    ElementKey,
    directive_field,
    element_key,
    element_keys,
    element_kind,
    join,
    strategy_of,
)
from kubewright.machinery.patch.strategic_order import is_deletion, order_elements
from kubewright.machinery.patch.values import json_equal, kind_of, own_object, quote
from kubewright.machinery.schema import Schema

__all__ = ["apply_strategic_patch", "merge_objects"]


def apply_strategic_patch(document: object, patch: object, schema: Schema) -> dict[str, Any]:
    """The document with the patch merged in, its lists and objects as the schema says.

    The result shares nothing with the document or the patch, and neither is changed. Where a list is patched
    both by `field` and by `$deleteFromPrimitiveList/field`, the deletion comes last (upstream's order is
    random unless `$setElementOrder/field` is there too). In an object that is new to the document,
    `$retainKeys`, `$setElementOrder` and `$deleteFromPrimitiveList` stay where they are, as upstream leaves
    them: a server drops them with other unknown fields when it decodes the result.

    Raises MalformedPatchError for directives that are none, and PatchError when the patch does not apply:
    elements without merge key, lists of mixed kinds, lists of lists, values that are not plain JSON data.
    """
    target = own_object(document, "the document")
    changes = own_object(patch, "the patch")
    return merge_objects(target, changes, schema, "", False)


def merge_objects(
    original: dict[str, Any], patch: dict[str, Any], schema: Schema, path: str, onto_patch: bool
) -> dict[str, Any]:
    """Merge a patch into an object, in place; both are used up, and parts of both make up the result.

    `onto_patch`: the object is itself a patch, so that directives and nulls are handed on, not acted upon.
    """
    if PATCH in patch:
        return _whole_object(patch, path)
    directives = [key for key in patch if key[:1] == "$"]
    if directives:
        if RETAIN_KEYS in patch:
            _retain_keys(original, patch, path, onto_patch)
        for key in directives:
            if key.startswith(ORDER):
                _set_order(original, patch, key, schema, path, onto_patch)
    deletions: list[str] = []
    for key, value in patch.items():
        if key.startswith(DELETE_FROM_LIST):
            deletions.append(key)
        else:
            _merge_member(original, key, value, schema, path, onto_patch)
    for key in deletions:
        if onto_patch:
            original[key] = patch[key]
        else:
            field = directive_field(key, DELETE_FROM_LIST, path)
            _delete_elements(original, field or key, patch[key], schema, path)
    return original


def _whole_object(patch: dict[str, Any], path: str) -> dict[str, Any]:
    directive = patch[PATCH]
    if directive == REPLACE:
        del patch[PATCH]
        return patch
    if directive == DELETE:
        return {}
    raise MalformedPatchError(f"unknown patch type: {go_text(directive)} in map: {go_text(patch)}")


def _merge_member(
    original: dict[str, Any], key: str, value: Any, schema: Schema, path: str, onto_patch: bool
) -> None:
    if value is None:
        original.pop(key, None)
        if onto_patch:
            original[key] = None
        return
    found = original.get(key)
    if found is None or kind_of(found) != kind_of(value):
        if not onto_patch:
            _drop_nulls(value)
        kept = _without_directives(value)
        if kept is _DROPPED:
            original.pop(key, None)
        else:
            original[key] = kept
    elif isinstance(value, dict):
        inner = schema.field(key)
        place = join(path, key)
        replace = strategy_of(inner, place).replace
        original[key] = value if replace else merge_objects(found, value, inner, place, onto_patch)
    elif isinstance(value, list):
        inner = schema.field(key)
        place = join(path, key)
        if strategy_of(inner, place).merge:
            original[key] = _merge_lists(found, value, inner, place, onto_patch)[0]
        else:
            original[key] = value
    else:
        original[key] = value


def _delete_elements(original: dict[str, Any], key: str, unwanted: Any, schema: Schema, path: str) -> None:
    place = join(path, key)
    if unwanted is None:
        original.pop(key, None)
        return
    if not isinstance(unwanted, list):
        raise MalformedPatchError(
            f'"{join(path, DELETE_FROM_LIST)}/{key}" is {quote(unwanted)}; it must be a list'
        )
    found = original.get(key)
    if not isinstance(found, list) or not (found or unwanted):
        return
    if element_kind(place, found, unwanted) == "object":
        # Upstream merges such a list as if it stood under the field's own name.
        original[key] = _merge_lists(found, unwanted, schema.field(key), place, False)[0]
        return
    gone = set(element_keys(unwanted, "", place))
    original[key] = [element for element in found if element_key(element, "", place) not in gone]


def _merge_lists(
    original: list[Any], patch: list[Any], schema: Schema, path: str, onto_patch: bool
) -> tuple[list[Any], list[Any]]:
    """Two lists merged and in order; and the list that `$setElementOrder` takes for the document's order."""
    if not original and not patch:
        return original, original
    merge_key = schema.patch_merge_key
    if element_kind(path, original, patch) != "object":
        seen: dict[ElementKey, Any] = {}
        for element in (*original, *patch):
            seen.setdefault(element_key(element, "", path), element)
        return order_elements(list(seen.values()), patch, original, merge_key, path), original
    if not merge_key:
        raise PatchError(f'"{path}" is a list of objects to merge, but its schema names no merge key')
    survivors, additions, replaced = _apply_element_directives(original, patch, merge_key, path)
    if replaced:
        return order_elements(additions, [], additions, merge_key, path), survivors
    merged = _merge_elements(survivors, additions, schema, path, onto_patch)
    # Upstream takes elements out of the list in place and appends to it, so that as many new elements as
    # were deleted look as if they had been in the document already.
    return order_elements(merged, additions, survivors, merge_key, path), merged[: len(original)]


def _apply_element_directives(
    original: list[Any], patch: list[Any], merge_key: str, path: str
) -> tuple[list[Any], list[Any], bool]:
    """What is left of the list, the elements to merge into it, and whether they replace it."""
    additions: list[Any] = []
    gone: set[ElementKey] = set()
    replaced = False
    for element in patch:
        if PATCH not in element:
            additions.append(element)
            continue
        directive = element[PATCH]
        if directive == DELETE:
            gone.add(element_key(element, merge_key, path))
        elif directive == REPLACE:
            replaced = True
        else:
            raise MalformedPatchError(
                f'an element of "{path}" has "{PATCH}" {quote(directive)}; it may be replace or delete'
            )
    if gone:
        # An element without merge key is no business of a deletion; merging will tell of it where it matters.
        original = [
            element
            for element in original
            if merge_key not in element or element_key(element, merge_key, path) not in gone
        ]
    return original, additions, replaced


def _merge_elements(
    original: list[Any], additions: list[Any], schema: Schema, path: str, onto_patch: bool
) -> list[Any]:
    """Merge each element into its first namesake, or append it."""
    merge_key = schema.patch_merge_key
    merged = list(original)
    places: dict[ElementKey, int] = {}
    for index, element in enumerate(merged):
        if merge_key in element:
            places.setdefault(element_key(element, merge_key, path), index)
    for element in additions:
        key = element_key(element, merge_key, path)
        place = places.get(key)
        if place is None:
            places[key] = len(merged)
            merged.append(element)
        else:
            inner = f"{path}[{merge_key}={element[merge_key]}]"
            merged[place] = merge_objects(merged[place], element, schema.items, inner, onto_patch)
    return merged


def _retain_keys(original: dict[str, Any], patch: dict[str, Any], path: str, onto_patch: bool) -> None:
    place = join(path, RETAIN_KEYS)
    listed = patch.pop(RETAIN_KEYS)
    if onto_patch:
        if not json_equal(original.setdefault(RETAIN_KEYS, listed), listed):
            raise PatchError(f'"{place}" differs between the patches to be merged')
        return
    if not isinstance(listed, list):
        raise MalformedPatchError(f'"{place}" is {quote(listed)}; it must be a list of member names')
    retained = set(element_keys(listed, "", place))
    for key, value in patch.items():
        if value is not None and key not in retained and not key.startswith((DELETE_FROM_LIST, ORDER)):
            raise MalformedPatchError(
                f'"{join(path, key)}" is set by the patch, but "{place}" does not list it'
            )
    for key in [key for key in original if key not in retained]:
        del original[key]


def _set_order(
    original: dict[str, Any], patch: dict[str, Any], key: str, schema: Schema, path: str, onto_patch: bool
) -> None:
    """Merge the list that `$setElementOrder/list` is about, and order it so."""
    order = patch.pop(key)
    if onto_patch and not json_equal(original.setdefault(key, order), order):
        raise MalformedPatchError(f'"{join(path, key)}" differs between the patches to be merged')
    field = directive_field(key, ORDER, path)
    place = join(path, field)
    found = original.get(field, _DROPPED)
    given = patch.get(field, _DROPPED)
    for value, name in ((order, join(path, key)), (found, place), (given, place)):
        if value is not _DROPPED and not isinstance(value, list):
            raise MalformedPatchError(f'"{name}" is {quote(value)}; with "{ORDER}" it must be a list')
    inner = schema.field(field)
    server_order: list[Any] = [] if found is _DROPPED else found
    additions: list[Any] = [] if given is _DROPPED else given
    _check_order(additions, order, inner.patch_merge_key, place)
    if found is _DROPPED and given is _DROPPED:
        return
    element_kind(place, server_order, additions)
    if given is _DROPPED:
        merged = server_order
    elif found is _DROPPED:
        merged = _without_directives(additions)
    elif strategy_of(inner, place).merge:
        merged, server_order = _merge_lists(server_order, additions, inner, place, onto_patch)
    else:
        merged = additions
    original[field] = order_elements(merged, order, server_order, inner.patch_merge_key, place)
    patch.pop(field, None)


def _check_order(additions: list[Any], order: list[Any], merge_key: str, path: str) -> None:
    """The elements of a patch must come in the order that the patch itself asks for."""
    if not additions or not order:
        return
    wanted = element_keys(order, merge_key, path)
    at = 0
    for element in additions:
        if merge_key and is_deletion(element):
            continue
        if not (isinstance(element, dict) and PATCH in element):
            key = element_key(element, merge_key, path)
            while at < len(wanted) and wanted[at] != key:
                at += 1
            at += 1
        elif at == len(wanted):
            at += 1
        if at > len(wanted):
            raise PatchError(f'the elements of "{path}" do not come in the order that "{ORDER}" gives for it')


_DROPPED: Final[Any] = object()
"""What is not there; None would be a value."""


def _without_directives(value: Any) -> Any:
    """A new value without the objects in it that carry `$patch`, or _DROPPED; changes it in place."""
    if isinstance(value, dict):
        if PATCH in value:
            return _DROPPED
        for key, member in list(value.items()):
            kept = _without_directives(member)
            if kept is _DROPPED:
                del value[key]
            elif kept is not member:
                value[key] = kept
        return value
    if isinstance(value, list):
        elements: list[Any] = []
        for element in value:
            kept = _without_directives(element)
            if kept is not _DROPPED:
                elements.append(kept)
        return elements
    return value


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
