"""The rules of CSIDrivers, CSINodes and CSIStorageCapacities: what drivers of volumes say of themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.machinery.field_errors import duplicate, invalid, not_supported, required
from kubewright.machinery.names import is_qualified_name, name_is_dns_subdomain
from kubewright.server.kinds.core.resource_rules import quantity
from kubewright.server.kinds.core.volume_sources import check_csi_driver_name
from kubewright.server.kinds.fields import set_default
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, same_spec_generation
from kubewright.server.kinds.metadata_rules import (
    FIELD_IMMUTABLE,
    IS_NEGATIVE,
    byte_length,
    validate_immutable,
    validate_label_selector,
    validate_non_negative,
)
from kubewright.server.kinds.node_labels import DEPRECATED_NODE_LABELS

__all__ = ["CSI_DRIVER", "CSI_NODE", "CSI_STORAGE_CAPACITY"]

_GROUP_POLICIES: Final = ("File", "None", "ReadWriteOnceWithFSType")
_LIFECYCLE_MODES: Final = ("Persistent", "Ephemeral")
_SHORTEST_TOKEN: Final = 600
_LONGEST_TOKEN: Final = 1 << 32
_SHORTEST_PERIOD: Final = 10
_NODE_ID_LENGTH: Final = 256
"""Upstream's csiNodeIDMaxLength; the CSI specification allows no more."""

_TOKENS_IN_SECRETS: Final = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent "
    "possible logging of tokens in volume attributes"
)


def _default_driver(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    set_default(spec, "attachRequired", True)
    set_default(spec, "podInfoOnMount", False)
    set_default(spec, "storageCapacity", False)
    if spec.get("fsGroupPolicy") is None:
        spec["fsGroupPolicy"] = "ReadWriteOnceWithFSType"
    if not spec.get("volumeLifecycleModes"):
        spec["volumeLifecycleModes"] = ["Persistent"]
    set_default(spec, "requiresRepublish", False)
    set_default(spec, "seLinuxMount", False)


def _prepare_driver(obj: Object, context: Context) -> None:
    # Upstream counts the generations of drivers from 0; and the gate VolumeLimitScaling is off in 1.36.
    (obj.get("metadata") or {}).pop("generation", None)
    (obj.get("spec") or {}).pop("preventPodSchedulingIfMissing", None)


def _prepare_driver_update(obj: Object, old: Object, context: Context) -> None:
    if (old.get("spec") or {}).get("preventPodSchedulingIfMissing") is None:
        (obj.get("spec") or {}).pop("preventPodSchedulingIfMissing", None)


def _validate_driver(obj: Object) -> Errors:
    spec = obj.get("spec") or {}
    errors: Errors = []
    policy, tokens = spec.get("fsGroupPolicy"), spec.get("tokenRequests") or ()
    if policy is not None and policy not in _GROUP_POLICIES:
        errors.append(not_supported("spec.fsGroupPolicy", policy, _GROUP_POLICIES))
    errors += _validate_tokens(tokens, "spec.tokenRequests")
    for mode in spec.get("volumeLifecycleModes") or ():
        if mode not in _LIFECYCLE_MODES:
            errors.append(not_supported("spec.volumeLifecycleModes", mode, _LIFECYCLE_MODES))
    period = spec.get("nodeAllocatableUpdatePeriodSeconds")
    if period is not None and period < _SHORTEST_PERIOD:
        detail = "must be greater than or equal to 10 seconds"
        errors.append(invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, detail))
    in_secrets = spec.get("serviceAccountTokenInSecrets")
    if in_secrets is not None and not tokens:
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        errors.append(invalid("spec.serviceAccountTokenInSecrets", in_secrets, detail))
    return errors


def _validate_tokens(tokens: Sequence[Object], path: str) -> Errors:
    errors: Errors = []
    audiences: set[str] = set()
    for index, token in enumerate(tokens):
        audience, seconds = token.get("audience") or "", token.get("expirationSeconds")
        if audience in audiences:
            errors.append(duplicate(f"{path}[{index}].audience", audience))
            continue
        audiences.add(audience)
        if seconds is None:
            continue
        place = f"{path}[{index}].expirationSeconds"
        if seconds < _SHORTEST_TOKEN:
            errors.append(invalid(place, seconds, "may not specify a duration less than 10 minutes"))
        if seconds > _LONGEST_TOKEN:
            errors.append(invalid(place, seconds, "may not specify a duration larger than 2^32 seconds"))
    return errors


def _validate_driver_update(obj: Object, old: Object) -> Errors:
    spec, old_spec = obj.get("spec") or {}, old.get("spec") or {}
    errors = _validate_driver(obj)
    # Upstream names the field so.
    attach, old_attach = spec.get("attachRequired"), old_spec.get("attachRequired")
    errors += validate_immutable(attach, old_attach, "spec.attachedRequired")
    modes, old_modes = spec.get("volumeLifecycleModes"), old_spec.get("volumeLifecycleModes")
    return errors + validate_immutable(modes, old_modes, "spec.volumeLifecycleModes")


def _driver_warnings(obj: Object, old: Object | None) -> list[str]:
    spec = obj.get("spec") or {}
    tokens = spec.get("tokenRequests")
    if not tokens or spec.get("serviceAccountTokenInSecrets") is not None:
        return []
    if old is not None and (old.get("spec") or {}).get("tokenRequests") == tokens:
        return []
    return [_TOKENS_IN_SECRETS]


CSI_DRIVER: Final = Kind(
    default=_default_driver,
    prepare_create=_prepare_driver,
    prepare_update=_prepare_driver_update,
    validate=_validate_driver,
    validate_update=_validate_driver_update,
    warnings=_driver_warnings,
    generation=same_spec_generation,
    allow_unconditional_update=False,
    resets=(),
)


def _drivers(obj: Object) -> Sequence[Object]:
    found: Sequence[Object] = (obj.get("spec") or {}).get("drivers") or ()
    return found


def _validate_node(obj: Object) -> Errors:
    errors: Errors = []
    names: set[str] = set()
    for index, driver in enumerate(_drivers(obj)):
        path = f"spec.drivers[{index}]"
        name, node = driver.get("name") or "", driver.get("nodeID") or ""
        check_csi_driver_name(errors, name, f"{path}.name")
        if not node:
            errors.append(required(f"{path}.nodeID"))
        if byte_length(node) > _NODE_ID_LENGTH:
            detail = f"must be {_NODE_ID_LENGTH} characters or less"
            errors.append(invalid(f"{path}.nodeID", node, detail))
        count = (driver.get("allocatable") or {}).get("count")
        if count is not None:
            errors += validate_non_negative(count, f"{path}.allocatable.count")
        if name in names:
            errors.append(duplicate(f"{path}.name", name))
        names.add(name)
        errors += _validate_keys(driver.get("topologyKeys") or (), path)
    return errors


def _validate_keys(keys: Sequence[str], path: str) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for key in keys:
        if not key:
            errors.append(required(path))
        if key in seen:
            errors.append(duplicate(path, key))
        seen.add(key)
        errors += [invalid(path, key, message) for message in is_qualified_name(key)]
    return errors


def _validate_node_update(obj: Object, old: Object) -> Errors:
    errors = _validate_node(obj)
    drivers = [_driver_as_go(driver) for driver in _drivers(obj)]
    for before in map(_driver_as_go, _drivers(old)):
        for driver in drivers:
            if driver["Name"] == before["Name"] and driver != before:
                errors.append(invalid("spec.drivers", driver, FIELD_IMMUTABLE))
    return errors


def _driver_as_go(driver: Object) -> Object:
    # What a node can take may change, so upstream leaves it out of the comparison.
    return {
        "Name": driver.get("name") or "",
        "NodeID": driver.get("nodeID") or "",
        "TopologyKeys": driver.get("topologyKeys") or None,
        "Allocatable": None,
    }


CSI_NODE: Final = Kind(
    validate=_validate_node,
    validate_update=_validate_node_update,
    allow_unconditional_update=False,
    resets=(),
)


def _validate_capacity(obj: Object, *, allow_invalid_values: bool = False) -> Errors:
    errors = validate_label_selector(
        obj.get("nodeTopology"), "nodeTopology", allow_invalid_values=allow_invalid_values
    )
    name, capacity = obj.get("storageClassName") or "", obj.get("capacity")
    errors += [invalid("storageClassName", name, message) for message in name_is_dns_subdomain(name)]
    if capacity is not None and quantity(capacity) < 0:
        errors.append(invalid("capacity", str(quantity(capacity)), IS_NEGATIVE))
    return errors


def _validate_capacity_update(obj: Object, old: Object) -> Errors:
    topology, before = obj.get("nodeTopology"), old.get("nodeTopology")
    errors = _validate_capacity(obj, allow_invalid_values=bool(validate_label_selector(before, "")))
    if topology != before:
        from kubewright.server.kinds.apps.workloads import selector_as_go  # noqa: PLC0415 - for refusals only

        errors.append(invalid("nodeTopology", selector_as_go(topology), FIELD_IMMUTABLE))
    name, old_name = obj.get("storageClassName") or "", old.get("storageClassName") or ""
    return errors + validate_immutable(name, old_name, "storageClassName")


def _capacity_warnings(obj: Object, old: Object | None) -> list[str]:
    topology = obj.get("nodeTopology") or {}
    warnings: list[str] = []
    for index, expression in enumerate(topology.get("matchExpressions") or ()):
        key = expression.get("key") or ""
        if key in DEPRECATED_NODE_LABELS:
            path = f"nodeTopology.matchExpressions[{index}].key"
            warnings.append(f"{path}: {key} is {DEPRECATED_NODE_LABELS[key]}")
    return warnings + [
        f"nodeTopology.matchLabels.{key}: {DEPRECATED_NODE_LABELS[key]}"
        for key in topology.get("matchLabels") or ()
        if key in DEPRECATED_NODE_LABELS
    ]


CSI_STORAGE_CAPACITY: Final = Kind(
    validate=_validate_capacity,
    validate_update=_validate_capacity_update,
    warnings=_capacity_warnings,
    allow_unconditional_update=False,
    resets=(),
)
