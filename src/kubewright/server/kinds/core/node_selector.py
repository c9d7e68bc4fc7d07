"""Selectors of nodes: the affinity of volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, required
from kubewright.machinery.names import is_valid_label_value, name_is_dns_subdomain
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import validate_label_name

__all__ = ["has_invalid_values", "node_selector_warnings", "validate_node_selector", "with_current_labels"]

# Labels of nodes that were beta, and what they are called now.
_CURRENT_LABELS: Final = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}

# Labels of nodes that have other names by now, and what upstream says of them.
_DEPRECATED: Final = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": (
        'deprecated since v1.17; use "topology.kubernetes.io/region" instead'
    ),
    "failure-domain.beta.kubernetes.io/zone": (
        'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
    ),
    "beta.kubernetes.io/instance-type": (
        'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'
    ),
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": (
        "deprecated since v1.22; use Taints and Tolerations instead"
    ),
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}


def validate_node_selector(selector: Object, path: str, *, allow_invalid_values: bool = False) -> Errors:
    """All that is wrong with a selector of nodes."""
    path = f"{path}.nodeSelectorTerms"
    terms: Sequence[Object] = selector.get("nodeSelectorTerms") or ()
    if not terms:
        return [required(path, "must have at least one node selector term")]
    errors: Errors = []
    for index, term in enumerate(terms):
        for number, requirement in enumerate(term.get("matchExpressions") or ()):
            place = f"{path}[{index}].matchExpressions[{number}]"
            errors += _validate_expression(requirement, place, allow_invalid_values=allow_invalid_values)
        for number, requirement in enumerate(term.get("matchFields") or ()):
            errors += _validate_field(requirement, f"{path}[{index}].matchFields[{number}]")
    return errors


def _validate_expression(requirement: Object, path: str, *, allow_invalid_values: bool) -> Errors:
    errors: Errors = []
    operator, values = requirement.get("operator") or "", requirement.get("values") or ()
    if operator in {"In", "NotIn"}:
        if not values:
            detail = "must be specified when `operator` is 'In' or 'NotIn'"
            errors.append(required(f"{path}.values", detail))
    elif operator in {"Exists", "DoesNotExist"}:
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(forbidden(f"{path}.values", detail))
    elif operator in {"Gt", "Lt"}:
        if len(values) != 1:
            detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            errors.append(required(f"{path}.values", detail))
    else:
        errors.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    errors += validate_label_name(requirement.get("key") or "", f"{path}.key")
    if not allow_invalid_values:
        for index, value in enumerate(values):
            for message in is_valid_label_value(value):
                errors.append(invalid(f"{path}.values[{index}]", value, message))
    return errors


def _validate_field(requirement: Object, path: str) -> Errors:
    errors: Errors = []
    operator, values = requirement.get("operator") or "", requirement.get("values") or ()
    key = requirement.get("key") or ""
    if operator not in {"In", "NotIn"}:
        errors.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    elif len(values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        errors.append(required(f"{path}.values", detail))
    if key != "metadata.name":
        errors.append(invalid(f"{path}.key", key, "not a valid field selector key"))
        return errors
    for index, value in enumerate(values):
        for message in name_is_dns_subdomain(value):
            errors.append(invalid(f"{path}.values[{index}]", value, message))
    return errors


def has_invalid_values(selector: Object) -> bool:
    """Whether a selector, stored by an older server, has values that labels cannot have."""
    return any(
        is_valid_label_value(value)
        for term in selector.get("nodeSelectorTerms") or ()
        for requirement in term.get("matchExpressions") or ()
        for value in requirement.get("values") or ()
    )


def node_selector_warnings(selector: Object, path: str) -> list[str]:
    """Warnings about labels that nodes have only for the sake of older programs."""
    warnings: list[str] = []
    for index, term in enumerate(selector.get("nodeSelectorTerms") or ()):
        for number, requirement in enumerate(term.get("matchExpressions") or ()):
            key = requirement.get("key") or ""
            if key in _DEPRECATED:
                place = f"{path}.nodeSelectorTerms[{index}].matchExpressions[{number}].key"
                warnings.append(f"{place}: {key} is {_DEPRECATED[key]}")
    return warnings


def with_current_labels(affinity: Object, wanted: Object) -> Object:
    """The affinity of a volume with labels that were beta renamed where `wanted` has the new names."""
    terms = (affinity.get("required") or {}).get("nodeSelectorTerms") or ()
    wanted_terms = (wanted.get("required") or {}).get("nodeSelectorTerms") or ()
    if len(terms) != len(wanted_terms):
        return affinity
    renamed = [_renamed(term, other) for term, other in zip(terms, wanted_terms, strict=True)]
    return {**affinity, "required": {**(affinity.get("required") or {}), "nodeSelectorTerms": renamed}}


def _renamed(term: Object, wanted: Object) -> Object:
    made = dict(term)
    for field in ("matchExpressions", "matchFields"):
        requirements, others = term.get(field) or (), wanted.get(field) or ()
        if requirements and len(requirements) == len(others):
            made[field] = [
                {**requirement, "key": other.get("key")}
                if _CURRENT_LABELS.get(requirement.get("key") or "") == other.get("key")
                else requirement
                for requirement, other in zip(requirements, others, strict=True)
            ]
    return made
