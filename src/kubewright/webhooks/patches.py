"""The patch that a defaulting function's changes are, made so that nothing else changes.

What a type does not know, and what it writes in other words than the client did (null, an empty list), must
stay as it came. So three documents are compared: the request's object as it came, the typed object before
the function ran and after it. Only what differs between the latter two is changed in the first.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Raw

from kubewright.machinery.depth import decode_json
from kubewright.machinery.patch import make_json_patch
from kubewright.machinery.patch.values import check_depth, json_equal

__all__ = ["changed_document", "make_patch", "patch_of"]

_ABSENT: Final = object()

_members: Final = msgspec.json.Decoder(dict[str, Raw])


def patch_of(raw: Raw, before: bytes, after: bytes) -> list[dict[str, Any]]:
    """The patch of encoded objects; see `make_patch`. What is the same before and after is not decoded.

    Raises PatchError for documents that are nested too deeply.
    """
    came, was, became = _members.decode(raw), _members.decode(before), _members.decode(after)
    changed = [key for key in {**was, **became} if was.get(key) != became.get(key)]
    documents = [
        {key: decode_json(document[key]) for key in changed if key in document}
        for document in (came, was, became)
    ]
    return make_patch(*documents)


def make_patch(raw: Any, before: Any, after: Any) -> list[dict[str, Any]]:
    """Operations that make of `raw` what was made of `before` when it became `after`; see the module.

    Raises PatchError for documents that are nested too deeply.
    """
    for document, name in ((raw, "the object"), (after, "the changed object")):
        check_depth(document, name)
    return make_json_patch(raw, changed_document(raw, before, after))


def changed_document(raw: Any, before: Any, after: Any) -> Any:
    """The document `raw` with the changes from `before` to `after`."""
    if isinstance(raw, dict) and isinstance(before, dict) and isinstance(after, dict):
        return _changed_object(raw, before, after)
    if isinstance(raw, list) and isinstance(before, list) and isinstance(after, list):
        return _changed_list(raw, before, after)
    return raw if json_equal(before, after) else after


def _changed_object(raw: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in raw.items():
        if key in after:
            old = before.get(key, _ABSENT)
            made[key] = after[key] if old is _ABSENT else changed_document(value, old, after[key])
        elif key not in before:
            made[key] = value
    return made | {
        key: value
        for key, value in after.items()
        if key not in raw and not (key in before and json_equal(before[key], value))
    }


def _changed_list(raw: list[Any], before: list[Any], after: list[Any]) -> list[Any]:
    """Elements are paired from both ends, as `make_json_patch` does; those in between by their places."""
    if len(raw) != len(before):
        return raw if json_equal(before, after) else after
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and json_equal(before[start], after[start]):
        start += 1
    end = 0
    while end < shorter - start and json_equal(before[-1 - end], after[-1 - end]):
        end += 1
    paired = shorter - end
    middle = [changed_document(raw[at], before[at], after[at]) for at in range(start, paired)]
    return [
        *raw[:start],
        *middle,
        *after[paired : len(after) - end],
        *raw[len(raw) - end :],
    ]
