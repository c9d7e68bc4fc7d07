"""The Node kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from kubewright.machinery.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    go_quote,
    internal,
    invalid,
    not_supported,
    required,
)
from kubewright.machinery.names import is_valid_label_value
from kubewright.server.kinds.core.internal_json import internal_json
from kubewright.server.kinds.core.ip_rules import cidr_warnings, parse_cidr, validate_legacy_cidr
from kubewright.server.kinds.core.node_config import validate_annotations, validate_config
from kubewright.server.kinds.core.resource_rules import round_resources, validate_amount
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import byte_length, validate_label_name

__all__ = ["NODE", "validate_taints"]

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_POD_CIDR_CHANGED: Final = 'node updates may not change podCIDR except from "" to valid'
_PROVIDER_CHANGED: Final = 'node updates may not change providerID except from "" to valid'

_FEATURE: Final = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*")
_FEATURE_LENGTH: Final = 253
"""Upstream's DNS1123SubdomainMaxLength."""
_FEATURE_RULE: Final = (
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature "
    "or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
)

_NODE_INFO: Final = dict.fromkeys(
    (
        "architecture",
        "bootID",
        "containerRuntimeVersion",
        "kernelVersion",
        "kubeProxyVersion",
        "kubeletVersion",
        "machineID",
        "operatingSystem",
        "osImage",
        "systemUUID",
    ),
    "",
)


def _default(obj: Object) -> None:
    status = obj.get("status")
    if status:
        capacity = status.get("capacity")
        round_resources(capacity)
        if capacity and status.get("allocatable") is None:
            status["allocatable"] = dict(capacity)
        else:
            round_resources(status.get("allocatable"))
    spec = obj.get("spec")
    if spec:
        _default_pod_cidrs(spec)


def _default_pod_cidrs(spec: Object) -> None:
    one, many = spec.get("podCIDR"), spec.get("podCIDRs")
    if one and (not many or one != many[0]):
        # The older field wins, for the sake of older clients.
        spec["podCIDRs"] = [one]
    elif many and not one:
        spec["podCIDR"] = many[0]


def _prepare_create(obj: Object, context: Context) -> None:
    # A node may be created with its status, as kubelets do.
    (obj.get("spec") or {}).pop("configSource", None)
    (obj.get("status") or {}).pop("config", None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    obj["status"] = old.get("status") or {}
    if (old.get("spec") or {}).get("configSource") is None:
        (obj.get("spec") or {}).pop("configSource", None)


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    obj["spec"] = old.get("spec") or {}
    if (old.get("status") or {}).get("config") is None:
        (obj.get("status") or {}).pop("config", None)


def _validate(obj: Object) -> Errors:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    errors = validate_annotations(obj, validate_taints)
    if spec.get("taints"):
        # Upstream says metadata, although taints are in the spec.
        errors += validate_taints(spec["taints"], "metadata.taints")
    errors += _validate_resources(status)
    swap = (status.get("nodeInfo") or {}).get("swap") or {}
    if swap.get("capacity") is not None and swap["capacity"] <= 0:
        path = "metadata.nodeSwapStatus.capacity"
        errors.append(invalid(path, swap["capacity"], "must be greater than zero"))
    errors += _validate_features(status.get("declaredFeatures") or ())
    return errors + _validate_pod_cidrs(spec.get("podCIDRs") or [])


def _validate_pod_cidrs(cidrs: list[str]) -> Errors:
    errors: Errors = []
    for index, cidr in enumerate(cidrs):
        errors += validate_legacy_cidr(cidr, f"spec.podCIDRs[{index}]")
    if len(cidrs) < 2:
        return errors
    parsed = [parse_cidr(cidr) for cidr in cidrs]
    if None in parsed:
        bad = parsed.index(None)
        detail = f"invalid CIDR[{bad}]: <nil> (invalid CIDR address: {cidrs[bad]})"
        told = f"invalid PodCIDRs. failed to check with dual stack with error:{detail}"
        errors.append(internal("spec.podCIDRs", told))
    families = {network[1].version for network in parsed if network is not None}
    if None in parsed or len(families) < 2 or len(cidrs) > 2:
        detail = "may specify no more than one CIDR for each IP family"
        errors.append(invalid("spec.podCIDRs", cidrs, detail))
    return errors


def _validate_resources(status: Object) -> Errors:
    errors: Errors = []
    for field in ("capacity", "allocatable"):
        for name, amount in (status.get(field) or {}).items():
            errors += validate_amount(name, amount, f"status.{field}.{name}")
    return errors


def _validate_features(features: Sequence[str]) -> Errors:
    errors: Errors = []
    for index, feature in enumerate(features):
        path = f"status.declaredFeatures[{index}]"
        if index and feature == features[index - 1]:
            errors.append(duplicate(path, feature))
        elif index and feature < features[index - 1]:
            errors.append(invalid(path, feature, "list must be sorted alphabetically"))
        if byte_length(feature) > _FEATURE_LENGTH:
            detail = f"must be no more than {_FEATURE_LENGTH} characters"
        elif _FEATURE.fullmatch(feature) is None:
            detail = _FEATURE_RULE
        else:
            continue
        errors.append(invalid(path, feature, f"invalid feature name {go_quote(feature)}: {detail}"))
    return errors


def validate_taints(taints: Sequence[Object], path: str) -> Errors:
    """All that is wrong with the taints of a node."""
    errors: Errors = []
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        place = f"{path}[{index}]"
        key, effect = taint.get("key") or "", taint.get("effect") or ""
        errors += validate_label_name(key, f"{place}.key")
        wrong = is_valid_label_value(taint.get("value") or "")
        if wrong:
            errors.append(invalid(f"{place}.value", taint.get("value"), ";".join(wrong)))
        if not effect:
            errors.append(required(f"{place}.effect"))
        elif effect not in _EFFECTS:
            errors.append(not_supported(f"{place}.effect", effect, _EFFECTS))
        if (effect, key) in seen:
            error = duplicate(place, internal_json(taint, "Taint"))
            message = f"{error.message}: taints must be unique by key and effect pair"
            errors.append(FieldError(error.reason, error.field, message))
        seen.add((effect, key))
    return errors


def _validate_change(obj: Object, old: Object) -> Errors:
    """What holds for every update, of the object and of its status alike."""
    spec, old_spec, status = obj.get("spec") or {}, old.get("spec") or {}, obj.get("status") or {}
    errors = validate_annotations(obj, validate_taints)
    errors += _validate_resources(status)
    errors += _validate_features(status.get("declaredFeatures") or ())
    errors += _validate_addresses(status.get("addresses") or ())
    cidrs, old_cidrs = spec.get("podCIDRs") or [], old_spec.get("podCIDRs") or []
    if old_cidrs and len(cidrs) != len(old_cidrs):
        errors.append(forbidden("spec.podCIDRs", _POD_CIDR_CHANGED))
    elif old_cidrs:
        changed = sum(one != other for one, other in zip(cidrs, old_cidrs, strict=True))
        errors += [forbidden("spec.podCIDRs", _POD_CIDR_CHANGED)] * changed
    if old_spec.get("providerID") and spec.get("providerID") != old_spec["providerID"]:
        errors.append(forbidden("spec.providerID", _PROVIDER_CHANGED))
    errors += validate_config(spec, status)
    if spec.get("taints"):
        errors += validate_taints(spec["taints"], "metadata.taints")
    if (spec.get("externalID") or "") != (old_spec.get("externalID") or ""):
        errors.append(forbidden("spec.externalID", "may not be updated"))
    return errors


def _validate_addresses(addresses: Sequence[Object]) -> Errors:
    errors: Errors = []
    seen: set[tuple[str, str]] = set()
    for index, address in enumerate(addresses):
        known = (address.get("type") or "", address.get("address") or "")
        if known in seen:
            shown = internal_json(address, "NodeAddress")
            errors.append(duplicate(f"status.addresses[{index}]", shown))
        seen.add(known)
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate(obj) + _validate_change(obj, old)


def _warnings(obj: Object, old: Object | None) -> list[str]:
    spec = obj.get("spec") or {}
    warnings: list[str] = []
    if spec.get("configSource") is not None:
        warnings.append("spec.configSource: the feature is removed")
    if spec.get("externalID"):
        warnings.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
    for index, cidr in enumerate(spec.get("podCIDRs") or ()):
        warnings += cidr_warnings(cidr, f"spec.podCIDRs[{index}]")
    return warnings


def _fields(obj: Object) -> Mapping[str, str]:
    return {"spec.unschedulable": "true" if (obj.get("spec") or {}).get("unschedulable") else "false"}


NODE: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    fields=_fields,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=_validate_change, resets=("spec",))
    },
    always={
        "spec": {},
        "status": {"daemonEndpoints": {"kubeletEndpoint": {"Port": 0}}, "nodeInfo": _NODE_INFO},
    },
)
