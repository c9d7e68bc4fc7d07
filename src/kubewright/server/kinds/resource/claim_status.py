"""The status of ResourceClaims: what was allocated, for whom, and how the devices are."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Final

from kubewright.machinery.field_errors import (
    forbidden,
    go_quote,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from kubewright.server.kinds.core.ip_rules import parse_cidr
from kubewright.server.kinds.core.node_selector import validate_node_selector
from kubewright.server.kinds.fields import keep_metadata, keep_spec
from kubewright.server.kinds.kind import Context, Errors, Object, Subresource
from kubewright.server.kinds.metadata_rules import FIELD_IMMUTABLE, byte_length, validate_conditions
from kubewright.server.kinds.resource.claim_spec import (
    MAX_REQUESTS,
    RequestNames,
    default_tolerations,
    request_names,
    validate_request_reference,
    validate_request_references,
)
from kubewright.server.kinds.resource.device_class import MAX_CONFIGURATIONS, validate_configuration
from kubewright.server.kinds.resource.internal_form import allocation_as_go
from kubewright.server.kinds.resource.names import (
    validate_binding_conditions,
    validate_driver,
    validate_label,
    validate_list,
    validate_pool,
    validate_raw,
    validate_set,
    validate_uid,
)

__all__ = ["CLAIM_STATUS", "default_claim_status"]

_MAX_CONSUMERS: Final = 256
"""Upstream's ResourceClaimReservedForMaxSize."""

_MAX_CONDITIONS: Final = 8
_MAX_DATA: Final = 10 * 1024
_MAX_IPS: Final = 16
_INTERFACE_LENGTH: Final = 256
_HARDWARE_LENGTH: Final = 128
_SOURCES: Final = ("FromClaim", "FromClass")
_NO_LIMIT: Final = 2**31

_Device = tuple[str, str, str, str]
"""Driver, pool, device and share: what tells allocated devices apart."""


def _results(status: Object) -> list[Object]:
    allocation = status.get("allocation") or {}
    found: list[Object] = (allocation.get("devices") or {}).get("results") or []
    return found


def default_claim_status(status: Object) -> None:
    """Fill in the defaults of what was allocated."""
    for result in _results(status):
        default_tolerations(result)


def _device(device: Object) -> _Device:
    return (
        device.get("driver") or "",
        device.get("pool") or "",
        device.get("device") or "",
        device.get("shareID") or "",
    )


def _prepare(obj: Object, old: Object, context: Context) -> None:
    keep_spec(obj, old, context)
    keep_metadata(obj, old)
    status, old_status = obj.get("status") or {}, old.get("status") or {}
    gone = {_device(each) for each in _results(old_status)} - {_device(each) for each in _results(status)}
    devices = status.get("devices")
    if gone and devices:
        status["devices"] = [each for each in devices if _device(each) not in gone]
        if not status["devices"]:
            del status["devices"]


def _validate(obj: Object, old: Object) -> Errors:
    status, old_status = obj.get("status") or {}, old.get("status") or {}
    consumers, allocation = status.get("reservedFor") or (), status.get("allocation")
    errors = validate_set(consumers, _MAX_CONSUMERS, _validate_consumer, _consumer_uid, "status.reservedFor")
    allocated = {_device(each) for each in _results(status)}
    errors += validate_set(
        status.get("devices") or (),
        _NO_LIMIT,
        partial(_validate_device, allocated=allocated),
        _device,
        "status.devices",
        shown=_device_as_go,
    )
    if consumers and allocation is None:
        detail = "may not be specified when `allocated` is not set"
        errors.append(forbidden("status.reservedFor", detail))
    elif consumers and (obj.get("metadata") or {}).get("deletionTimestamp"):
        before = old_status.get("reservedFor") or ()
        if any(consumer not in before for consumer in consumers):
            detail = (
                "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"
            )
            errors.append(forbidden("status.reservedFor", detail))
    if allocation is None:
        return errors
    before = old_status.get("allocation")
    if before is None:
        names = request_names(obj.get("spec") or {})
        return errors + _validate_allocation(allocation, "status.allocation", names)
    if allocation != before:
        errors.append(invalid("status.allocation", allocation_as_go(allocation), FIELD_IMMUTABLE))
    return errors


def _consumer_uid(consumer: Object) -> str:
    uid: str = consumer.get("uid") or ""
    return uid


def _validate_consumer(consumer: Object, path: str) -> Errors:
    return [required(f"{path}.{field}") for field in ("resource", "name", "uid") if not consumer.get(field)]


def _validate_allocation(allocation: Object, path: str, names: RequestNames) -> Errors:
    devices, selector = allocation.get("devices") or {}, allocation.get("nodeSelector")
    errors = validate_list(
        devices.get("results") or (),
        MAX_REQUESTS,
        partial(_validate_result, names=names),
        f"{path}.devices.results",
    )
    # Those of the class and those of the claim.
    errors += validate_list(
        devices.get("config") or (),
        2 * MAX_CONFIGURATIONS,
        partial(_validate_configuration, names=names),
        f"{path}.devices.config",
    )
    if selector is not None:
        errors += validate_node_selector(selector, f"{path}.nodeSelector")
    return errors


def _validate_result(result: Object, path: str, *, names: RequestNames) -> Errors:
    errors = validate_request_reference(result.get("request") or "", f"{path}.request", names=names)
    errors += validate_driver(result.get("driver") or "", f"{path}.driver")
    errors += validate_pool(result.get("pool") or "", f"{path}.pool")
    errors += validate_label(result.get("device") or "", f"{path}.device")
    conditions = result.get("bindingConditions") or ()
    errors += validate_binding_conditions(conditions, result.get("bindingFailureConditions") or (), path)
    share = result.get("shareID")
    return errors if share is None else errors + validate_uid(share, f"{path}.shareID")


def _validate_configuration(configuration: Object, path: str, *, names: RequestNames) -> Errors:
    source = configuration.get("source") or ""
    errors: Errors = []
    if not source:
        errors.append(required(f"{path}.source"))
    elif source not in _SOURCES:
        errors.append(not_supported(f"{path}.source", source, _SOURCES))
    errors += validate_request_references(configuration, path, names)
    return errors + validate_configuration(configuration, path)


def _device_as_go(device: Object) -> Object:
    return dict(zip(("Driver", "Pool", "Device", "ShareID"), _device(device), strict=True))


def _validate_device(device: Object, path: str, *, allocated: Collection[_Device]) -> Errors:
    errors = validate_driver(device.get("driver") or "", f"{path}.driver")
    errors += validate_pool(device.get("pool") or "", f"{path}.pool")
    errors += validate_label(device.get("device") or "", f"{path}.device")
    if device.get("shareID") is not None:
        errors += validate_uid(device["shareID"], f"{path}.shareID")
    if _device(device) not in allocated:
        errors.append(invalid(path, _device_as_go(device), "must be an allocated device in the claim"))
    conditions = device.get("conditions") or ()
    if len(conditions) > _MAX_CONDITIONS:
        errors.append(too_many(f"{path}.conditions", len(conditions), _MAX_CONDITIONS))
    errors += validate_conditions(conditions, f"{path}.conditions")
    if device.get("data") is not None:
        errors += validate_raw(device["data"], f"{path}.data", most=_MAX_DATA)
    network = device.get("networkData")
    return errors if network is None else errors + _validate_network(network, f"{path}.networkData")


def _validate_network(network: Object, path: str) -> Errors:
    errors: Errors = []
    for field, most in (("interfaceName", _INTERFACE_LENGTH), ("hardwareAddress", _HARDWARE_LENGTH)):
        if byte_length(network.get(field) or "") > most:
            errors.append(too_long(f"{path}.{field}", most))
    return errors + validate_set(network.get("ips") or (), _MAX_IPS, _validate_address, str, f"{path}.ips")


def _validate_address(text: str, path: str) -> Errors:
    parsed = parse_cidr(text)
    if parsed is None:
        detail = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"
        return [invalid(path, text, detail)]
    address, network = parsed
    length = network.prefixlen
    if address.version == 4 and length > 32:
        length -= 96
    usual = f"{address}/{length}"
    if text == usual:
        return []
    return [invalid(path, text, f"must be in canonical form ({go_quote(usual)})")]


CLAIM_STATUS: Final = Subresource(prepare=_prepare, validate=_validate, resets=("metadata", "spec"))
