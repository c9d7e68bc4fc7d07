"""The rules of what a claim asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from kubewright.machinery.field_errors import invalid, not_supported, required
from kubewright.machinery.names import is_dns1123_subdomain, is_valid_label_value
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import validate_label_name
from kubewright.server.kinds.resource.device_class import (
    MAX_CONFIGURATIONS,
    MAX_SELECTORS,
    validate_configuration,
    validate_selector,
)
from kubewright.server.kinds.resource.names import (
    validate_fully_qualified_name,
    validate_label,
    validate_list,
    validate_set,
)

__all__ = [
    "EFFECTS",
    "MAX_REQUESTS",
    "RequestNames",
    "default_claim_spec",
    "default_tolerations",
    "request_names",
    "validate_claim_spec",
    "validate_request_reference",
    "validate_request_references",
]

MAX_REQUESTS: Final = 32
"""Upstream's DeviceRequestsMaxSize, and that of results."""

EFFECTS: Final = ("NoExecute", "NoSchedule", "None")
"""What taints of devices do."""

_MAX_ALTERNATIVES: Final = 8
_MAX_CONSTRAINTS: Final = 32
_MODES: Final = ("All", "ExactCount")
_OPERATORS: Final = ("Equal", "Exists")
_NO_REQUEST: Final = (
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
)

RequestNames = Mapping[str, frozenset[str]]
"""The requests of a claim, each with the alternatives that it has."""


def _requests(spec: Object) -> Iterator[Object]:
    """All that asks for devices: requests, and alternatives within them."""
    for request in (spec.get("devices") or {}).get("requests") or ():
        if request.get("exactly") is not None:
            yield request["exactly"]
        yield from request.get("firstAvailable") or ()


def default_claim_spec(spec: Object) -> None:
    """Fill in the defaults of what a claim asks for."""
    for request in _requests(spec):
        if not request.get("allocationMode"):
            request["allocationMode"] = "ExactCount"
        if request["allocationMode"] == "ExactCount" and not request.get("count"):
            request["count"] = 1
        default_tolerations(request)


def default_tolerations(request: Object) -> None:
    """Fill in how a request, or what came of it, tolerates taints."""
    for toleration in request.get("tolerations") or ():
        if not toleration.get("operator"):
            toleration["operator"] = "Equal"


def request_names(spec: Object) -> RequestNames:
    """The names that the rest of a claim may refer to."""
    return {
        request.get("name") or "": frozenset(
            each.get("name") or "" for each in request.get("firstAvailable") or ()
        )
        for request in (spec.get("devices") or {}).get("requests") or ()
    }


def validate_claim_spec(spec: Object, path: str) -> Errors:
    """All that is wrong with what a claim asks for."""
    devices, names = spec.get("devices") or {}, request_names(spec)
    path = f"{path}.devices"
    errors = validate_set(
        devices.get("requests") or (), MAX_REQUESTS, _validate_request, _name, f"{path}.requests"
    )
    errors += validate_list(
        devices.get("constraints") or (),
        _MAX_CONSTRAINTS,
        partial(_validate_constraint, names=names),
        f"{path}.constraints",
    )
    return errors + validate_list(
        devices.get("config") or (),
        MAX_CONFIGURATIONS,
        partial(_validate_claim_configuration, names=names),
        f"{path}.config",
    )


def _name(request: Object) -> str:
    name: str = request.get("name") or ""
    return name


def _validate_request(request: Object, path: str) -> Errors:
    errors = validate_label(_name(request), f"{path}.name")
    exactly, alternatives = request.get("exactly"), request.get("firstAvailable") or ()
    told = "exactly one of `exactly` or `firstAvailable` is required"
    if exactly is not None and alternatives:
        errors.append(invalid(path, None, f"{told}, but multiple fields are set"))
    elif exactly is not None:
        errors += _validate_exact(exactly, f"{path}.exactly")
    elif alternatives:
        place = f"{path}.firstAvailable"
        errors += validate_set(alternatives, _MAX_ALTERNATIVES, _validate_alternative, _name, place)
    else:
        errors.append(required(path, told))
    return errors


def _validate_alternative(request: Object, path: str) -> Errors:
    return validate_label(_name(request), f"{path}.name") + _validate_exact(request, path)


def _validate_exact(request: Object, path: str) -> Errors:
    errors: Errors = []
    name, mode, count = (
        request.get("deviceClassName") or "",
        request.get("allocationMode") or "",
        request.get("count") or 0,
    )
    if not name:
        errors.append(required(f"{path}.deviceClassName"))
    else:
        messages = is_dns1123_subdomain(name)
        errors += [invalid(f"{path}.deviceClassName", name, message) for message in messages]
    selectors = request.get("selectors") or ()
    errors += validate_list(selectors, MAX_SELECTORS, validate_selector, f"{path}.selectors")
    if mode == "All":
        if count:
            detail = "must not be specified when allocationMode is 'All'"
            errors.append(invalid(f"{path}.count", count, detail))
    elif mode == "ExactCount":
        if count <= 0:
            errors.append(invalid(f"{path}.count", count, "must be greater than zero"))
    else:
        errors.append(not_supported(f"{path}.allocationMode", mode, _MODES))
    for index, toleration in enumerate(request.get("tolerations") or ()):
        errors += _validate_toleration(toleration, f"{path}.tolerations[{index}]")
    return errors


def _validate_toleration(toleration: Object, path: str) -> Errors:
    key, operator, value, effect = (
        toleration.get(field) or "" for field in ("key", "operator", "value", "effect")
    )
    errors = validate_label_name(key, f"{path}.key") if key else []
    if operator == "Exists":
        if value:
            errors.append(invalid(f"{path}.value", value, "must be empty for operator `Exists`"))
    elif operator == "Equal":
        errors += [invalid(f"{path}.value", value, message) for message in is_valid_label_value(value)]
    elif not operator:
        errors.append(required(f"{path}.operator"))
    else:
        errors.append(not_supported(f"{path}.operator", operator, _OPERATORS))
    if effect and effect not in EFFECTS:
        errors.append(not_supported(f"{path}.effect", effect, EFFECTS))
    return errors


def _validate_constraint(constraint: Object, path: str, *, names: RequestNames) -> Errors:
    errors = validate_request_references(constraint, path, names)
    for field in ("matchAttribute", "distinctAttribute"):
        name = constraint.get(field)
        if name is not None:
            return errors + validate_fully_qualified_name(name, f"{path}.{field}")
    detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    return [*errors, required(path, detail)]


def _validate_claim_configuration(configuration: Object, path: str, *, names: RequestNames) -> Errors:
    errors = validate_request_references(configuration, path, names)
    return errors + validate_configuration(configuration, path)


def validate_request_references(obj: Object, path: str, names: RequestNames) -> Errors:
    """What is wrong with the `requests` that a part of a claim is about."""
    return validate_set(
        obj.get("requests") or (),
        MAX_REQUESTS,
        partial(validate_request_reference, names=names),
        str,
        f"{path}.requests",
    )


def validate_request_reference(name: str, path: str, *, names: RequestNames) -> Errors:
    """What is wrong with the name of a request, or of an alternative within one."""
    request, *rest = name.split("/")
    if len(rest) > 1:
        return [invalid(path, name, _NO_REQUEST)]
    errors: Errors = []
    for part in (request, *rest):
        errors += validate_label(part, path)
    if request not in names or (rest and rest[0] not in names[request]):
        errors.append(invalid(path, name, _NO_REQUEST))
    return errors
