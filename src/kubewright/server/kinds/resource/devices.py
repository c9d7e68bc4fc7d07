"""The rules of the devices of a ResourceSlice."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from kubewright.machinery.field_errors import (
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from kubewright.machinery.names import is_valid_label_value, name_is_dns_subdomain
from kubewright.machinery.quantity import Quantity
from kubewright.server.kinds.core.node_selector import validate_node_selector
from kubewright.server.kinds.core.resource_rules import quantity
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import byte_length, validate_label_name
from kubewright.server.kinds.resource.claim_spec import EFFECTS
from kubewright.server.kinds.resource.names import (
    validate_binding_conditions,
    validate_label,
    validate_list,
    validate_qualified_name,
    validate_set,
)

__all__ = ["validate_counter_set", "validate_device"]

# Upstream's limits, pkg/apis/resource/types.go.
_MAX_ATTRIBUTES: Final = 32
_MAX_VALUES: Final = 48
_MAX_TAINTS: Final = 16
_MAX_COUNTERS: Final = 32
_MAX_CONSUMPTIONS: Final = 2
_MAX_VALUE: Final = 64
_MAX_OPTIONS: Final = 10
_MAX_KEY: Final = 63 + 1 + 32
_MAX_COUNTER_KEY: Final = 63

_NUMBER: Final = r"(0|[1-9]\d*)"
_PRE_RELEASE: Final = r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_BUILD: Final = "[0-9a-zA-Z-]+"
_IS_VERSION: Final = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_PRE_RELEASE}(\.{_PRE_RELEASE})*)?(\+{_BUILD}(\.{_BUILD})*)?",
    re.ASCII,
).fullmatch
_VALUES: Final = {"int": "IntValue", "bool": "BoolValue", "string": "StringValue", "version": "VersionValue"}
_ONE_PLACE: Final = (
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is "
    "set to true in the ResourceSlice spec"
)
_NO_PLACE: Final = (
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in "
    "the ResourceSlice spec"
)


def validate_device(device: Object, path: str, *, old: Object | None, placed: bool) -> Errors:
    """All that is wrong with a device; `placed` says that devices name their nodes themselves."""
    errors = validate_label(device.get("name") or "", f"{path}.name")
    attributes, capacity = device.get("attributes") or {}, device.get("capacity") or {}
    if len(attributes) + len(capacity) > _MAX_ATTRIBUTES:
        detail = f"the total number of attributes and capacities must not exceed {_MAX_ATTRIBUTES}"
        errors.append(invalid(path, len(attributes) + len(capacity), detail))
    if len(attributes) > _MAX_VALUES:
        detail = f"the total number of attribute values must not exceed {_MAX_VALUES}"
        errors.append(invalid(path, len(attributes), detail))
    errors += _validate_map(
        attributes, validate_qualified_name, _validate_attribute, f"{path}.attributes", _MAX_KEY
    )
    check = _validate_shared_capacity if device.get("allowMultipleAllocations") else _validate_capacity
    errors += _validate_map(capacity, validate_qualified_name, check, f"{path}.capacity", _MAX_KEY)
    taints = device.get("taints") or ()
    if old is None or (old.get("taints") or ()) != taints:
        errors += validate_list(taints, _MAX_TAINTS, _validate_taint, f"{path}.taints")
    errors += validate_set(
        device.get("consumesCounters") or (),
        _MAX_CONSUMPTIONS,
        _validate_consumption,
        lambda each: each.get("counterSet") or "",
        f"{path}.consumesCounters",
    )
    errors += _validate_place(device, path, placed=placed)
    conditions = device.get("bindingConditions") or ()
    return errors + validate_binding_conditions(
        conditions, device.get("bindingFailureConditions") or (), path
    )


def _validate_map(
    values: Mapping[str, Any],
    validate_key: Callable[[str, str], Errors],
    validate_value: Callable[[Any, str], Errors],
    path: str,
    longest: int,
) -> Errors:
    errors: Errors = []
    for key, value in values.items():
        errors += validate_key(key, path)
        errors += validate_value(value, f"{path}[{_shortened(key, longest)}]")
    return errors


def _shortened(key: str, longest: int) -> str:
    if len(key) <= longest:
        return key
    rest = longest - 3
    return f"{key[: (rest + 1) // 2]}...{key[len(key) - rest // 2 :]}"


def _validate_attribute(attribute: Object, path: str) -> Errors:
    errors: Errors = []
    text, version = attribute.get("string"), attribute.get("version")
    if text is not None and byte_length(text) > _MAX_VALUE:
        errors.append(too_long(f"{path}.string", _MAX_VALUE))
    if version is not None:
        if _IS_VERSION(version) is None:
            detail = "must be a string compatible with semver.org spec 2.0.0"
            errors.append(invalid(f"{path}.version", version, detail))
        if byte_length(version) > _MAX_VALUE:
            errors.append(too_long(f"{path}.version", _MAX_VALUE))
    given = [field for field in _VALUES if attribute.get(field) is not None]
    detail = "exactly one value must be specified"
    if not given:
        errors.append(invalid(path, "", detail))
    elif len(given) > 1:
        lists = dict.fromkeys(f"{name}s" for name in _VALUES.values())
        shown = {name: attribute.get(field) for field, name in _VALUES.items()} | lists
        errors.append(invalid(path, shown, detail))
    return errors


def _validate_capacity(capacity: Object, path: str) -> Errors:
    if capacity.get("requestPolicy") is None:
        return []
    return [forbidden(f"{path}.requestPolicy", "allowMultipleAllocations must be true")]


def _validate_shared_capacity(capacity: Object, path: str) -> Errors:
    policy = capacity.get("requestPolicy")
    if policy is None:
        return []
    path = f"{path}.requestPolicy"
    values, bounds, default = policy.get("validValues") or (), policy.get("validRange"), policy.get("default")
    if values and bounds is not None:
        detail = (
            'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same '
            "time"
        )
        return [forbidden(path, detail)]
    if not values and bounds is None:
        return []
    field = "validValues" if values else "validRange"
    if default is None:
        return [required(f"{path}.default", f"required when {field} is defined")]
    most = quantity(capacity.get("value"))
    if values:
        found = [quantity(value) for value in values]
        return _validate_options(found, quantity(default), most, f"{path}.{field}")
    return _validate_range(bounds or {}, quantity(default), most, f"{path}.{field}")


def _validate_options(options: list[Quantity], default: Quantity, most: Quantity, path: str) -> Errors:
    errors: Errors = []
    for index in range(1, len(options)):
        if options[index - 1] > options[index]:
            detail = "values must be sorted in ascending order"
            errors.append(invalid(f"{path}[{index}]", str(options[index]), detail))
    if len(options) > _MAX_OPTIONS:
        errors.append(too_many(path, len(options), _MAX_OPTIONS))
        known = False
    else:
        for index, option in enumerate(options):
            if option > most:
                detail = f"option is larger than capacity value: {most}"
                errors.append(invalid(f"{path}[{index}]", str(option), detail))
        seen: set[int] = set()
        for index, option in enumerate(options):
            if option.value() in seen:
                errors.append(duplicate(f"{path}[{index}]", str(option.value())))
            seen.add(option.value())
        known = default in options
    if not known:
        detail = "default value is not valid according to the requestPolicy"
        errors.append(invalid(path, str(default), detail))
    return errors


def _validate_range(bounds: Object, default: Quantity, most: Quantity, path: str) -> Errors:
    if bounds.get("min") is None:
        return [required(f"{path}.min", "required when validRange is defined")]
    errors: Errors = []
    low = quantity(bounds["min"])
    high = None if bounds.get("max") is None else quantity(bounds["max"])
    if low > most:
        errors.append(invalid(f"{path}.min", str(low), f"min is larger than capacity value: {most}"))
    if default < low:
        errors.append(invalid(f"{path}.min", str(default), f"default is less than min: {low}"))
    if high is not None:
        if low > high:
            errors.append(invalid(f"{path}.max", str(low), f"min is larger than max: {high}"))
        if high > most:
            errors.append(invalid(f"{path}.max", str(high), f"max is larger than capacity value: {most}"))
        if default > high:
            errors.append(invalid(f"{path}.max", str(default), f"default is more than max: {high}"))
    if bounds.get("step") is not None:
        step, place = quantity(bounds["step"]), f"{path}.step"
        if low + step > most:
            detail = f"one step {low + step} is larger than capacity value: {most}"
            errors.append(invalid(place, str(step), detail))
        for value in (default, high):
            if value is not None and step.value() and (value.value() - low.value()) % step.value():
                detail = f"value is not a multiple of a given step ({step}) from ({low})"
                errors.append(invalid(place, str(value), detail))
    return errors


def _validate_taint(taint: Object, path: str) -> Errors:
    value, effect = taint.get("value") or "", taint.get("effect") or ""
    errors = validate_label_name(taint.get("key") or "", f"{path}.key")
    errors += [invalid(f"{path}.value", value, message) for message in is_valid_label_value(value)]
    if not effect:
        errors.append(required(f"{path}.effect"))
    elif effect not in EFFECTS:
        errors.append(not_supported(f"{path}.effect", effect, EFFECTS))
    return errors


def _validate_consumption(consumption: Object, path: str) -> Errors:
    return _validate_counters(consumption, "counterSet", path)


def validate_counter_set(counters: Object, path: str) -> Errors:
    """What is wrong with counters that devices share."""
    return _validate_counters(counters, "name", path)


def _validate_counters(counters: Object, field: str, path: str) -> Errors:
    name, values = counters.get(field) or "", counters.get("counters") or {}
    errors = validate_label(name, f"{path}.{field}") if name else [required(f"{path}.{field}")]
    path = f"{path}.counters"
    if not values:
        return [*errors, required(path)]
    if len(values) > _MAX_COUNTERS:
        return [*errors, too_many(path, len(values), _MAX_COUNTERS)]
    return errors + _validate_map(values, validate_label, _anything, path, _MAX_COUNTER_KEY)


def _anything(value: Any, path: str) -> Errors:
    return []


def _validate_place(device: Object, path: str, *, placed: bool) -> Errors:
    node, selector, everywhere = (device.get(field) for field in ("nodeName", "nodeSelector", "allNodes"))
    if not placed:
        if node is None and selector is None and everywhere is None:
            return []
        return [invalid(path, None, _NO_PLACE)]
    errors: Errors = []
    given: list[str] = []
    if node:
        given.append("`nodeName`")
        errors += [invalid(f"{path}.nodeName", node, message) for message in name_is_dns_subdomain(node)]
    elif node is not None:
        errors.append(invalid(f"{path}.nodeName", node, "must not be empty"))
    if selector is not None:
        given.append("`nodeSelector`")
        errors += validate_node_selector(selector, f"{path}.nodeSelector")
    if everywhere:
        given.append("`allNodes`")
    elif everywhere is not None:
        errors.append(invalid(f"{path}.allNodes", everywhere, "must be either unset or set to true"))
    if not given:
        errors.append(required(path, _ONE_PLACE))
    elif len(given) > 1:
        errors.append(invalid(path, f"{{{', '.join(given)}}}", _ONE_PLACE))
    return errors
