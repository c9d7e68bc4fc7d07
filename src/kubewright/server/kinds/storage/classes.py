"""The rules of StorageClasses and VolumeAttributesClasses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kubewright.machinery.field_errors import duplicate, forbidden, invalid, not_supported, required, too_long
from kubewright.machinery.names import is_qualified_name
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import byte_length, validate_immutable, validate_label_name
from kubewright.server.kinds.node_labels import DEPRECATED_NODE_LABELS

__all__ = ["STORAGE_CLASS", "VOLUME_ATTRIBUTES_CLASS"]

_PARAMETERS: Final = 512
"""Upstream's maxProvisionerParameterLen: how many parameters there may be."""

_PARAMETERS_SIZE: Final = 256 * 1024
"""Upstream's maxProvisionerParameterSize, in bytes."""

_RECLAIM_POLICIES: Final = ("Delete", "Retain")
_BINDING_MODES: Final = ("Immediate", "WaitForFirstConsumer")


def _default(obj: Object) -> None:
    if obj.get("reclaimPolicy") is None:
        obj["reclaimPolicy"] = "Delete"
    if obj.get("volumeBindingMode") is None:
        obj["volumeBindingMode"] = "Immediate"


def _validate(obj: Object) -> Errors:
    errors = _validate_driver(obj.get("provisioner") or "", "provisioner")
    errors += _validate_parameters(obj.get("parameters") or {})
    policy, mode = obj.get("reclaimPolicy"), obj.get("volumeBindingMode")
    if policy and policy not in _RECLAIM_POLICIES:
        errors.append(not_supported("reclaimPolicy", policy, _RECLAIM_POLICIES))
    if mode is None:
        errors.append(required("volumeBindingMode"))
    elif mode not in _BINDING_MODES:
        errors.append(not_supported("volumeBindingMode", mode, _BINDING_MODES))
    return errors + _validate_topologies(obj.get("allowedTopologies") or ())


def _validate_driver(name: str, path: str) -> Errors:
    if not name:
        return [required(path)]
    lower = name.lower()
    return [invalid(path, lower, message) for message in is_qualified_name(lower)]


def _validate_parameters(parameters: Mapping[str, str]) -> Errors:
    if len(parameters) > _PARAMETERS:
        return [too_long("parameters", _PARAMETERS)]
    errors: Errors = []
    if "" in parameters:
        errors.append(invalid("parameters", "", "field can not be empty."))
    size = sum(byte_length(key) + byte_length(value) for key, value in parameters.items())
    if size > _PARAMETERS_SIZE:
        errors.append(too_long("parameters", _PARAMETERS_SIZE))
    return errors


def _validate_topologies(topologies: Sequence[Object]) -> Errors:
    errors: Errors = []
    # Upstream starts with a list of as many empty terms, so each empty one is a duplicate that often.
    seen: list[dict[str, set[str]]] = [{} for _ in topologies]
    for index, term in enumerate(topologies):
        path = f"allowedTopologies[{index}].matchLabelExpressions"
        values, wrong = _validate_term(term, path)
        errors += wrong
        errors += [duplicate(path, "")] * seen.count(values)
        seen.append(values)
    return errors


def _validate_term(term: Object, path: str) -> tuple[dict[str, set[str]], Errors]:
    errors: Errors = []
    found: dict[str, set[str]] = {}
    for index, expression in enumerate(term.get("matchLabelExpressions") or ()):
        place = f"{path}[{index}]"
        key, values = expression.get("key") or "", expression.get("values") or ()
        if not values:
            errors.append(required(f"{place}.values"))
        seen: set[str] = set()
        for number, value in enumerate(values):
            if value in seen:
                errors.append(duplicate(f"{place}.values[{number}]", value))
            seen.add(value)
        errors += validate_label_name(key, f"{place}.key")
        if key in found:
            errors.append(duplicate(f"{place}.key", key))
        found[key] = seen
    return found, errors


def _validate_update(obj: Object, old: Object) -> Errors:
    errors = _validate(obj)
    parameters, before = obj.get("parameters") or None, old.get("parameters") or None
    if parameters != before:
        shown = None if parameters is None else dict(sorted(parameters.items()))
        errors += validate_immutable(shown, before, "parameters")
    errors += validate_immutable(obj.get("provisioner") or "", old.get("provisioner") or "", "provisioner")
    for field in ("reclaimPolicy", "volumeBindingMode"):
        errors += validate_immutable(obj.get(field), old.get(field), field)
    return errors


def _warnings(obj: Object, old: Object | None) -> list[str]:
    warnings: list[str] = []
    for index, term in enumerate(obj.get("allowedTopologies") or ()):
        for number, expression in enumerate(term.get("matchLabelExpressions") or ()):
            advice = DEPRECATED_NODE_LABELS.get(expression.get("key") or "")
            if advice is not None:
                path = f"allowedTopologies[{index}].matchLabelExpressions[{number}].key"
                warnings.append(f"{path}: {advice}")
    return warnings


STORAGE_CLASS: Final = Kind(
    default=_default,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    resets=(),
)


def _validate_attributes(obj: Object) -> Errors:
    parameters = obj.get("parameters") or {}
    errors = _validate_driver(obj.get("driverName") or "", "driverName") + _validate_parameters(parameters)
    if not parameters:
        errors.append(required("parameters", "must contain at least one key/value pair"))
    return errors


def _validate_attributes_update(obj: Object, old: Object) -> Errors:
    errors: Errors = []
    if (obj.get("driverName") or "") != (old.get("driverName") or ""):
        errors.append(forbidden("driverName", "updates to driverName are forbidden."))
    if (obj.get("parameters") or {}) != (old.get("parameters") or {}):
        errors.append(forbidden("parameters", "updates to parameters are forbidden."))
    return errors + _validate_attributes(obj)


VOLUME_ATTRIBUTES_CLASS: Final = Kind(
    validate=_validate_attributes, validate_update=_validate_attributes_update, resets=()
)
