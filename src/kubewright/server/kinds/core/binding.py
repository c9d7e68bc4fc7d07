"""The Binding kind, which is never stored: it sets the node of a pod."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import not_supported, required
from kubewright.server.kinds.kind import Errors, Kind, Object

__all__ = ["BINDING"]


def _validate(obj: Object) -> Errors:
    errors: Errors = []
    target = obj.get("target") or {}
    kind = target.get("kind")
    if kind and kind != "Node":
        errors.append(not_supported("target.kind", kind, ("Node", "<empty>")))
    if not target.get("name"):
        errors.append(required("target.name"))
    return errors


BINDING: Final = Kind(validate=_validate, resets=(), always={"target": {}})
