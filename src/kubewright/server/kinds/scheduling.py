"""The kinds of scheduling.k8s.io: PriorityClasses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.machinery.field_errors import forbidden, not_supported, required
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import validate_immutable

__all__ = ["KINDS"]

_HIGHEST: Final = 1_000_000_000
"""Upstream's HighestUserDefinablePriority."""

_SYSTEM_PREFIX: Final = "system-"
_SYSTEM_CLASSES: Final = {
    "system-node-critical": 2 * _HIGHEST + 1000,
    "system-cluster-critical": 2 * _HIGHEST,
}
"""The classes that every cluster has, with their values."""

_POLICIES: Final = ("PreemptLowerPriority", "Never")


def _default(obj: Object) -> None:
    if obj.get("preemptionPolicy") is None:
        obj["preemptionPolicy"] = "PreemptLowerPriority"


def _validate(obj: Object) -> Errors:
    errors: Errors = []
    name, value = (obj.get("metadata") or {}).get("name") or "", obj.get("value") or 0
    if name.startswith(_SYSTEM_PREFIX):
        wrong = _system_class_error(name, value, is_default=bool(obj.get("globalDefault")))
        if wrong:
            detail = f"priority class names with '{_SYSTEM_PREFIX}' prefix are reserved for system use only"
            errors.append(forbidden("metadata.name", f"{detail}. error: {wrong}"))
    elif value > _HIGHEST:
        detail = f"maximum allowed value of a user defined priority is {_HIGHEST}"
        errors.append(forbidden("value", detail))
    policy = obj.get("preemptionPolicy")
    if policy == "":
        errors.append(required("preemptionPolicy"))
    elif policy is not None and policy not in _POLICIES:
        errors.append(not_supported("preemptionPolicy", policy, _POLICIES))
    return errors


def _system_class_error(name: str, value: int, *, is_default: bool) -> str:
    if name not in _SYSTEM_CLASSES:
        return f"{name} is not a known system priority class"
    if value != _SYSTEM_CLASSES[name]:
        return f"value of {name} PriorityClass must be {_SYSTEM_CLASSES[name]}"
    return f"globalDefault of {name} PriorityClass must be false" if is_default else ""


def _validate_update(obj: Object, old: Object) -> Errors:
    errors: Errors = []
    if (obj.get("value") or 0) != (old.get("value") or 0):
        errors.append(forbidden("value", "may not be changed in an update."))
    policy, old_policy = obj.get("preemptionPolicy"), old.get("preemptionPolicy")
    return errors + validate_immutable(policy, old_policy, "preemptionPolicy")


def _never_new_generation(obj: Object, old: Object) -> bool:
    return False


KINDS: Final[Mapping[str, Kind]] = {
    "priorityclasses": Kind(
        default=_default,
        validate=_validate,
        validate_update=_validate_update,
        generation=_never_new_generation,
        resets=(),
    )
}
