"""The conditions that the server sets on CustomResourceDefinitions, with upstream's reasons and messages.

Functions that end in `_condition` give a condition without a time, or None where there is to be none;
`set_condition` puts it into a definition.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from kubewright.crd.go_values import invalid
from kubewright.crd.structural import parse_schema
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import FieldError, aggregate
from kubewright.machinery.time import format_time
from kubewright.server.kinds.apiextensions.api_approval import approval_state, is_protected_group
from kubewright.server.kinds.apiextensions.conversion_rules import ca_bundle_errors
from kubewright.server.kinds.apiextensions.definition_rules import is_condition_true
from kubewright.server.kinds.apiextensions.structural_rules import structural_errors
from kubewright.server.kinds.kind import Object

__all__ = [
    "CLEANUP_FINALIZER",
    "api_approval_condition",
    "condition",
    "deletion_failed_condition",
    "established_condition",
    "find_condition",
    "is_condition_true",
    "is_equivalent",
    "non_structural_schema_condition",
    "remove_condition",
    "set_condition",
    "terminating_condition",
]

CLEANUP_FINALIZER: Final = "customresourcecleanup.apiextensions.k8s.io"
"""Keeps a definition until its custom resources are deleted."""

_APPROVALS: Final = {
    "Invalid": ("False", "InvalidAnnotation"),
    "Missing": ("False", "MissingAnnotation"),
    "Approved": ("True", "ApprovedAnnotation"),
    "Bypassed": ("False", "UnapprovedAnnotation"),
}
_TERMINATING: Final = {
    "InstanceDeletionInProgress": ("True", "CustomResource deletion is in progress"),
    "InstanceDeletionCompleted": ("False", "removed all instances"),
    "NeverEstablished": ("False", "resource was never established"),
    "OverlappingBuiltInResource": ("False", "instances overlap with built-in resources in storage"),
}


def condition(kind: str, status: str, reason: str, message: str) -> Object:
    """A condition, without the time of its last transition."""
    return {"type": kind, "status": status, "reason": reason, "message": message}


def find_condition(crd: Object, kind: str) -> Object | None:
    """A definition's condition of a type."""
    conditions: list[Object] = (crd.get("status") or {}).get("conditions") or []
    return next((one for one in conditions if one.get("type") == kind), None)


def is_equivalent(one: Object | None, other: Object | None) -> bool:
    """Whether two conditions say the same, whenever they came about."""
    if one is None or other is None:
        return one is other
    return all(one.get(name) == other.get(name) for name in ("type", "status", "reason", "message"))


def set_condition(crd: Object, new: Object, now: datetime) -> None:
    """Put a condition into a definition, in place of the one of its type or at the end.

    The time of the last transition is `now`, unless the status is what it was.
    """
    status = crd.setdefault("status", {})
    conditions = [dict(one) for one in status.get("conditions") or ()]
    status["conditions"] = conditions
    time = format_time(now)
    for one in conditions:
        if one.get("type") == new["type"]:
            if one.get("status") != new["status"] or not one.get("lastTransitionTime"):
                one["lastTransitionTime"] = time
            one.update({name: new[name] for name in ("status", "reason", "message")})
            return
    conditions.append({"lastTransitionTime": time, **new})


def remove_condition(crd: Object, kind: str) -> None:
    """Take the condition of a type away."""
    status = crd.setdefault("status", {})
    status["conditions"] = [one for one in status.get("conditions") or () if one.get("type") != kind]


def established_condition(crd: Object) -> Object | None:
    """The Established condition of a definition whose names are accepted and which can be served from now on;
    None if there is nothing to do: names are not accepted, or it is established."""
    if not is_condition_true(crd, "NamesAccepted") or is_condition_true(crd, "Established"):
        return None
    webhook = ((crd.get("spec") or {}).get("conversion") or {}).get("webhook") or {}
    bundle = (webhook.get("clientConfig") or {}).get("caBundle")
    if ca_bundle_errors(bundle, ""):
        message = "The conversion webhook CABundle is invalid"
        return condition("Established", "False", "InvalidCABundle", message)
    message = "the initial names have been accepted"
    return condition("Established", "True", "InitialNamesAccepted", message)


def non_structural_schema_condition(crd: Object) -> Object | None:
    """The NonStructuralSchema condition; None if all schemas are structural."""
    spec = crd.get("spec") or {}
    found: list[FieldError] = []
    if spec.get("preserveUnknownFields"):
        found.append(invalid("spec.preserveUnknownFields", True, "must be false"))
    for index, version in enumerate(spec.get("versions") or ()):
        schema: Any = (version.get("schema") or {}).get("openAPIV3Schema")
        if schema is None:
            continue
        try:
            parse_schema(schema)
        except ParseError as error:
            message = f"failed to check validation schema for version {version.get('name')}: {error}"
            return condition("NonStructuralSchema", "Unknown", "StructuralError", message)
        found += structural_errors(schema, f"spec.versions[{index}].schema.openAPIV3Schema")
    if not found:
        return None
    return condition("NonStructuralSchema", "True", "Violations", aggregate(found))


def api_approval_condition(crd: Object) -> Object | None:
    """The KubernetesAPIApprovalPolicyConformant condition; None for groups that need no approval."""
    if not is_protected_group((crd.get("spec") or {}).get("group") or ""):
        return None
    state, reason = approval_state(crd)
    status, short = _APPROVALS[state]
    return condition("KubernetesAPIApprovalPolicyConformant", status, short, reason)


def terminating_condition(reason: str) -> Object:
    """The Terminating condition while a definition is deleted, by its reason: `InstanceDeletionInProgress`,
    then `InstanceDeletionCompleted`, `NeverEstablished` or `OverlappingBuiltInResource`."""
    status, message = _TERMINATING[reason]
    return condition("Terminating", status, reason, message)


def deletion_failed_condition(problem: str, *, while_waiting: bool = False) -> Object:
    """The Terminating condition of a deletion that failed: `problem` says why not all could be deleted, or,
    `while_waiting`, why nobody knows whether they are."""
    if while_waiting:
        message = f"could not confirm zero CustomResources remaining: {problem}"
        return condition("Terminating", "True", "InstanceDeletionCheck", message)
    return condition("Terminating", "True", "InstanceDeletionFailed", problem)
