"""The status of FlowSchemas and PriorityLevelConfigurations, which is written alike."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import duplicate, required
from kubewright.server.kinds.fields import keep_spec, take_back
from kubewright.server.kinds.kind import Context, Errors, Object, Subresource

__all__ = ["STATUS", "validate_status"]


def _prepare(obj: Object, old: Object, context: Context) -> None:
    keep_spec(obj, old, context)
    written = obj.get("metadata") or {}
    kept = dict(old.get("metadata") or {})
    # Who manages what has just been found out for this very update.
    take_back(kept, written, "managedFields")
    obj["metadata"] = kept


def validate_status(obj: Object) -> Errors:
    """What is wrong with the conditions of an object."""
    errors: Errors = []
    seen: set[str] = set()
    for index, condition in enumerate((obj.get("status") or {}).get("conditions") or ()):
        path, kind = f"status.conditions[{index}].type", condition.get("type") or ""
        if kind in seen:
            errors.append(duplicate(path, kind))
        seen.add(kind)
        if not kind:
            errors.append(required(path))
    return errors


def _validate(obj: Object, old: Object) -> Errors:
    return validate_status(obj)


STATUS: Final = Subresource(prepare=_prepare, validate=_validate, resets=("metadata", "spec"))
