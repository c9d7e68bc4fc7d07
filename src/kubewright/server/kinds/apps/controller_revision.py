"""The rules of ControllerRevisions: what a controller wants to remember of an earlier state."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import invalid, required
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import FIELD_IMMUTABLE, validate_non_negative

__all__ = ["CONTROLLER_REVISION"]


def _validate(obj: Object) -> Errors:
    errors = validate_non_negative(obj.get("revision") or 0, "revision")
    data = obj.get("data")
    if data is None:
        errors.append(required("data", "data is mandatory"))
    elif not isinstance(data, dict):
        errors.append(required("data", "data must be a valid JSON object"))
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    errors = validate_non_negative(obj.get("revision") or 0, "revision")
    data = obj.get("data")
    if data != old.get("data"):
        errors.append(invalid("data", data, FIELD_IMMUTABLE))
    return errors


CONTROLLER_REVISION: Final = Kind(
    validate=_validate,
    validate_update=_validate_update,
    resets=(),
    always={"revision": 0},
)
