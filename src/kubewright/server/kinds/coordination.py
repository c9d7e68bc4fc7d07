"""The kinds of coordination.k8s.io: leases, by which one of many is elected and nodes say that they live."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.machinery.field_errors import invalid
from kubewright.server.kinds.kind import Context, Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import IS_NEGATIVE

__all__ = ["KINDS"]

_COORDINATED: Final = ("strategy", "preferredHolder")
"""The fields of the gate CoordinatedLeaderElection, which is off by default in 1.36."""


def _prepare_create(obj: Object, context: Context) -> None:
    spec = obj.get("spec") or {}
    for field in _COORDINATED:
        spec.pop(field, None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    spec, old_spec = obj.get("spec") or {}, old.get("spec") or {}
    for field in _COORDINATED:
        if old_spec.get(field) is None:
            spec.pop(field, None)


def _validate(obj: Object) -> Errors:
    spec = obj.get("spec") or {}
    errors: Errors = []
    seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if seconds is not None and seconds <= 0:
        errors.append(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"))
    if transitions is not None and transitions < 0:
        errors.append(invalid("spec.leaseTransitions", transitions, IS_NEGATIVE))
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate(obj)


KINDS: Final[Mapping[str, Kind]] = {
    "leases": Kind(
        prepare_create=_prepare_create,
        prepare_update=_prepare_update,
        validate=_validate,
        validate_update=_validate_update,
        allow_create_on_update=True,
        allow_unconditional_update=False,
        resets=(),
    )
}
