"""The rules of DeviceClasses, and those of selectors and configurations, which claims have too."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import invalid, required, too_long
from kubewright.server.kinds.core.resource_rules import is_extended_resource
from kubewright.server.kinds.kind import Errors, Kind, Object, same_spec_generation
from kubewright.server.kinds.metadata_rules import byte_length
from kubewright.server.kinds.resource.names import validate_driver, validate_list, validate_raw

__all__ = [
    "DEVICE_CLASS",
    "MAX_CONFIGURATIONS",
    "MAX_SELECTORS",
    "validate_configuration",
    "validate_selector",
]

MAX_SELECTORS: Final = 32
"""Upstream's DeviceSelectorsMaxSize."""

MAX_CONFIGURATIONS: Final = 32
"""Upstream's DeviceConfigMaxSize."""

_EXPRESSION_LENGTH: Final = 10 * 1024
"""Upstream's CELSelectorExpressionMaxLength."""

_PARAMETERS_LENGTH: Final = 10 * 1024
"""Upstream's OpaqueParametersMaxLength."""


def validate_selector(selector: Object, path: str) -> Errors:
    """What is wrong with a selector of devices, but for its expression."""
    cel = selector.get("cel")
    if cel is None:
        return [required(f"{path}.cel")]
    if byte_length(cel.get("expression") or "") > _EXPRESSION_LENGTH:
        return [too_long(f"{path}.cel.expression", _EXPRESSION_LENGTH)]
    return []


def validate_configuration(configuration: Object, path: str) -> Errors:
    """What is wrong with a configuration of devices."""
    opaque = configuration.get("opaque")
    if opaque is None:
        return [required(f"{path}.opaque")]
    errors = validate_driver(opaque.get("driver") or "", f"{path}.opaque.driver")
    place = f"{path}.opaque.parameters"
    return errors + validate_raw(opaque.get("parameters"), place, most=_PARAMETERS_LENGTH)


def _validate(obj: Object) -> Errors:
    spec = obj.get("spec") or {}
    errors = validate_list(spec.get("selectors") or (), MAX_SELECTORS, validate_selector, "spec.selectors")
    errors += validate_list(
        spec.get("config") or (), MAX_CONFIGURATIONS, validate_configuration, "spec.config"
    )
    name = spec.get("extendedResourceName")
    if name is not None and not is_extended_resource(name):
        detail = "must be a valid extended resource name"
        errors.append(invalid("spec.extendedResourceName", name, detail))
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate(obj)


DEVICE_CLASS: Final = Kind(
    validate=_validate, validate_update=_validate_update, generation=same_spec_generation, resets=()
)
