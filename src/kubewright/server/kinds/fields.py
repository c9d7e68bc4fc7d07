"""How the rules of a kind fill in, take back and clear the fields of an object."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.kind import Context, Object

__all__ = ["clear_status", "keep_metadata", "keep_spec", "keep_status", "set_default", "take_back"]

_METADATA: Final = (
    "deletionTimestamp",
    "generation",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
)
"""The metadata that upstream's ResetObjectMetaForStatus takes back."""


def set_default(obj: Object, field: str, value: object) -> None:
    """Give a field its default, if it has no value; the empty text counts as none."""
    if obj.get(field) in (None, ""):
        obj[field] = value


def take_back(obj: Object, old: Object, field: str) -> None:
    """Give a field the value that it had, for endpoints that do not write it."""
    if field in old:
        obj[field] = old[field]
    else:
        obj.pop(field, None)


def clear_status(obj: Object, context: Context) -> None:
    """Before a create: the status is the server's."""
    obj.pop("status", None)


def keep_status(obj: Object, old: Object, context: Context) -> None:
    """Before an update: the status has an endpoint of its own."""
    take_back(obj, old, "status")


def keep_spec(obj: Object, old: Object, context: Context) -> None:
    """Before an update of the status: the spec is not written there."""
    take_back(obj, old, "spec")


def keep_metadata(obj: Object, old: Object) -> None:
    """Before an update of the status of those kinds whose metadata is not written there."""
    metadata, before = obj.setdefault("metadata", {}), old.get("metadata") or {}
    for field in _METADATA:
        take_back(metadata, before, field)
