"""The rules of ResourceSlices: the devices that a driver offers, of a node or of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from kubewright.machinery.field_errors import go_quote, invalid, required
from kubewright.machinery.names import name_is_dns_subdomain
from kubewright.machinery.time import format_time
from kubewright.server.kinds.core.internal_json import internal_json
from kubewright.server.kinds.core.node_selector import validate_node_selector
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, same_spec_generation
from kubewright.server.kinds.metadata_rules import validate_immutable
from kubewright.server.kinds.resource.devices import validate_counter_set, validate_device
from kubewright.server.kinds.resource.names import validate_driver, validate_pool, validate_set

__all__ = ["RESOURCE_SLICE"]

_MAX_DEVICES: Final = 128
_MAX_SPECIAL_DEVICES: Final = 64
"""Upstream's ResourceSliceMaxDevicesWithAdvancedFeatures: with taints or counters."""

_MAX_COUNTER_SETS: Final = 8
_LISTS: Final = ("ints", "bools", "strings", "versions")
"""Attributes of the gate DRAListTypeAttributes, which is off by default in 1.36."""

_ONE_PLACE: Final = (
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
)


def _devices(obj: Object) -> Sequence[Object]:
    found: Sequence[Object] = (obj.get("spec") or {}).get("devices") or ()
    return found


def _default(obj: Object) -> None:
    now = ""
    for device in _devices(obj):
        for taint in device.get("taints") or ():
            if taint.get("timeAdded") is None:
                # The one default that is not always the same, upstream as well.
                now = now or format_time(datetime.now(UTC))
                taint["timeAdded"] = now


def _drop_disabled(obj: Object) -> None:
    for device in _devices(obj):
        device.pop("nodeAllocatableResourceMappings", None)
        for attribute in (device.get("attributes") or {}).values():
            for field in _LISTS:
                attribute.pop(field, None)


def _prepare_create(obj: Object, context: Context) -> None:
    _drop_disabled(obj)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    _drop_disabled(obj)


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj.get("spec") or {}, None)


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate_spec(obj.get("spec") or {}, old.get("spec") or {})


def _validate_spec(spec: Object, old: Object | None) -> Errors:
    driver, pool = spec.get("driver") or "", spec.get("pool") or {}
    errors = validate_driver(driver, "spec.driver") + _validate_pool(pool)
    if old is not None:
        old_pool = old.get("pool") or {}
        errors += validate_immutable(pool.get("name") or "", old_pool.get("name") or "", "spec.pool.name")
        errors += validate_immutable(driver, old.get("driver") or "", "spec.driver")
        errors += validate_immutable(spec.get("nodeName"), old.get("nodeName"), "spec.nodeName")
    errors += _validate_place(spec)
    devices, counters = spec.get("devices") or (), spec.get("sharedCounters") or ()
    if devices and counters:
        errors.append(invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed"))
    special = any(each.get("taints") or each.get("consumesCounters") for each in devices)
    before = {each.get("name") or "": each for each in reversed((old or {}).get("devices") or ())}
    placed = bool(spec.get("perDeviceNodeSelection"))
    errors += validate_set(
        devices,
        _MAX_SPECIAL_DEVICES if special else _MAX_DEVICES,
        lambda device, path: validate_device(
            device, path, old=before.get(device.get("name") or ""), placed=placed
        ),
        _name,
        "spec.devices",
    )
    return errors + validate_set(
        counters, _MAX_COUNTER_SETS, validate_counter_set, _name, "spec.sharedCounters"
    )


def _name(obj: Object) -> str:
    name: str = obj.get("name") or ""
    return name


def _validate_pool(pool: Object) -> Errors:
    errors = validate_pool(_name(pool), "spec.pool.name")
    count, generation = pool.get("resourceSliceCount") or 0, pool.get("generation") or 0
    if count <= 0:
        errors.append(invalid("spec.pool.resourceSliceCount", count, "must be greater than zero"))
    if generation < 0:
        detail = "must be greater than or equal to zero"
        errors.append(invalid("spec.pool.generation", generation, detail))
    return errors


def _validate_place(spec: Object) -> Errors:
    errors: Errors = []
    given: list[str] = []
    node, selector = spec.get("nodeName"), spec.get("nodeSelector")
    if node:
        given.append("`nodeName`")
        errors += [invalid("spec.nodeName", node, message) for message in name_is_dns_subdomain(node)]
    elif node is not None:
        errors.append(invalid("spec.nodeName", node, "must be either unset or set to a non-empty string"))
    if selector is not None:
        given.append("`nodeSelector`")
        errors += validate_node_selector(selector, "spec.nodeSelector")
        if len(selector.get("nodeSelectorTerms") or ()) != 1:
            shown = internal_json(selector, "NodeSelector")["NodeSelectorTerms"]
            detail = "must have exactly one node selector term"
            errors.append(invalid("spec.nodeSelector.nodeSelectorTerms", shown, detail))
    for field in ("allNodes", "perDeviceNodeSelection"):
        value = spec.get(field)
        if value:
            given.append(f"`{field}`")
        elif value is not None:
            errors.append(invalid(f"spec.{field}", value, "must be either unset or set to true"))
    if not given:
        errors.append(required("spec", _ONE_PLACE))
    elif len(given) > 1:
        detail = f"{_ONE_PLACE}, but multiple fields are set"
        errors.append(invalid("spec", f"{{{', '.join(given)}}}", detail))
    return errors


def _warnings(obj: Object, old: Object | None) -> list[str]:
    driver = (obj.get("spec") or {}).get("driver") or ""
    if driver == driver.lower():
        return []
    return [
        f"spec.driver: driver names should be lowercase; {go_quote(driver)} contains uppercase characters"
    ]


def _fields(obj: Object) -> Mapping[str, str]:
    spec = obj.get("spec") or {}
    return {"spec.nodeName": spec.get("nodeName") or "", "spec.driver": spec.get("driver") or ""}


RESOURCE_SLICE: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    generation=same_spec_generation,
    fields=_fields,
    resets=(),
)
