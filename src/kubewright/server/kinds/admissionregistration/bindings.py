"""The rules of ValidatingAdmissionPolicyBindings and MutatingAdmissionPolicyBindings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from kubewright.machinery.field_errors import duplicate, forbidden, invalid, not_supported, required
from kubewright.machinery.names import is_path_segment_name, name_is_dns_subdomain
from kubewright.server.kinds.admissionregistration.matching import (
    default_match_resources,
    name_warnings,
    validate_match_resources,
    validate_mutating_operations,
)
from kubewright.server.kinds.kind import Errors, Kind, Object, same_spec_generation
from kubewright.server.kinds.metadata_rules import validate_label_selector

__all__ = ["MUTATING_POLICY_BINDING", "VALIDATING_POLICY_BINDING"]

_ACTIONS: Final = ("Audit", "Deny", "Warn")
_NOT_FOUND_ACTIONS: Final = ("Deny", "Allow")
_EXCLUSIVE: Final = "name and selector are mutually exclusive"


def _default(obj: Object) -> None:
    default_match_resources((obj.get("spec") or {}).get("matchResources"))


def _validate_common(spec: Object) -> Errors:
    name = spec.get("policyName") or ""
    errors: Errors = []
    if not name:
        errors.append(required("spec.policyName"))
    else:
        errors += [invalid("spec.policyName", name, message) for message in name_is_dns_subdomain(name)]
    parameters, match = spec.get("paramRef"), spec.get("matchResources")
    if parameters is not None:
        errors += _validate_parameters(parameters, "spec.paramRef")
    if match is not None:
        errors += validate_match_resources(match, "spec.matchResources")
    return errors


def _validate_parameters(parameters: Object, path: str) -> Errors:
    errors: Errors = []
    name, selector = parameters.get("name") or "", parameters.get("selector")
    if name:
        errors += [invalid(f"{path}.name", name, message) for message in is_path_segment_name(name)]
        if selector is not None:
            errors.append(forbidden(f"{path}.name", _EXCLUSIVE))
    if selector is not None:
        errors += validate_label_selector(selector, f"{path}.selector")
        if name:
            errors.append(forbidden(f"{path}.selector", _EXCLUSIVE))
    elif not name:
        errors.append(required(path, "one of name or selector must be specified"))
    action = parameters.get("parameterNotFoundAction")
    if not action:
        errors.append(required(f"{path}.parameterNotFoundAction"))
    elif action not in _NOT_FOUND_ACTIONS:
        errors.append(not_supported(f"{path}.parameterNotFoundAction", action, _NOT_FOUND_ACTIONS))
    return errors


def _validate_validating(obj: Object) -> Errors:
    spec = obj.get("spec") or {}
    return _validate_common(spec) + _validate_actions(spec.get("validationActions") or ())


def _validate_actions(actions: Sequence[str]) -> Errors:
    path = "spec.validationActions"
    errors: Errors = []
    seen: set[str] = set()
    for index, action in enumerate(actions):
        if action not in _ACTIONS:
            errors.append(not_supported(f"{path}[{index}]", action, _ACTIONS))
        if action in seen:
            errors.append(duplicate(f"{path}[{index}]", action))
        seen.add(action)
    if {"Deny", "Warn"} <= seen:
        detail = (
            "must not contain both Deny and Warn (repeating the same validation failure information in the "
            "API response and headers serves no purpose)"
        )
        errors.append(invalid(path, actions, detail))
    if not seen:
        errors.append(required(path, "at least one validation action is required"))
    return errors


def _validate_mutating(obj: Object) -> Errors:
    spec = obj.get("spec") or {}
    match = spec.get("matchResources") or {}
    return _validate_common(spec) + validate_mutating_operations(match, "spec.matchResources")


def _binding(validate: Callable[[Object], Errors]) -> Kind:
    return Kind(
        default=_default,
        validate=validate,
        validate_update=lambda obj, old: validate(obj),
        warnings=name_warnings,
        generation=same_spec_generation,
        allow_unconditional_update=False,
        resets=(),
    )


VALIDATING_POLICY_BINDING: Final = _binding(_validate_validating)
MUTATING_POLICY_BINDING: Final = _binding(_validate_mutating)
