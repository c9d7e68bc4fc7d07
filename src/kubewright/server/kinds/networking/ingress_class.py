"""The rules of IngressClasses."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, not_supported, required, too_long
from kubewright.machinery.names import name_is_dns_label
from kubewright.server.kinds.kind import Errors, Kind, Object, same_spec_generation
from kubewright.server.kinds.metadata_rules import byte_length, validate_immutable
from kubewright.server.kinds.networking.references import validate_reference
from kubewright.server.kinds.prefixed_paths import validate_domain_prefixed_path

__all__ = ["INGRESS_CLASS"]

_CONTROLLER_LENGTH: Final = 250
"""Upstream's maxLenIngressClassController."""

_SCOPES: Final = ("Cluster", "Namespace")


def _default(obj: Object) -> None:
    parameters = (obj.get("spec") or {}).get("parameters")
    if parameters is not None and parameters.get("scope") is None:
        parameters["scope"] = "Cluster"


def _validate(obj: Object) -> Errors:
    spec = obj.get("spec") or {}
    controller = spec.get("controller") or ""
    errors: Errors = []
    if byte_length(controller) > _CONTROLLER_LENGTH:
        errors.append(too_long("spec.controller", _CONTROLLER_LENGTH))
    errors += validate_domain_prefixed_path(controller, "spec.controller")
    parameters = spec.get("parameters")
    return errors if parameters is None else errors + _validate_parameters(parameters, "spec.parameters")


def _validate_parameters(parameters: Object, path: str) -> Errors:
    errors = validate_reference(parameters, path)
    scope, namespace = parameters.get("scope"), parameters.get("namespace")
    if scope is None:
        errors.append(required(f"{path}.scope"))
    elif scope not in _SCOPES:
        errors.append(not_supported(f"{path}.scope", scope, _SCOPES))
    elif scope == "Cluster":
        if namespace is not None:
            errors.append(forbidden(f"{path}.namespace", "`parameters.scope` is set to 'Cluster'"))
    elif namespace is None:
        errors.append(required(f"{path}.namespace", "`parameters.scope` is set to 'Namespace'"))
    else:
        messages = name_is_dns_label(namespace)
        errors += [invalid(f"{path}.namespace", namespace, message) for message in messages]
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    controller = (obj.get("spec") or {}).get("controller") or ""
    before = (old.get("spec") or {}).get("controller") or ""
    return validate_immutable(controller, before, "spec.controller") + _validate(obj)


INGRESS_CLASS: Final = Kind(
    default=_default,
    validate=_validate,
    validate_update=_validate_update,
    generation=same_spec_generation,
    resets=(),
)
