"""The Endpoints kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.machinery.field_errors import invalid, not_supported, required
from kubewright.machinery.names import (
    is_dns1123_label,
    is_qualified_name,
    is_valid_port_num,
    name_is_dns_subdomain,
)
from kubewright.server.kinds.core.ip_rules import ip_warnings, validate_endpoint_ip, validate_legacy_ip
from kubewright.server.kinds.kind import Errors, Kind, Object

__all__ = ["ENDPOINTS", "PORT_PROTOCOLS", "validate_app_protocol"]

PORT_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
"""The protocols that ports may have, in the order in which messages name them."""

_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
_CONTROLLER: Final = "endpoint-controller"
_DEPRECATED: Final = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"


def _default(obj: Object) -> None:
    for subset in obj.get("subsets") or ():
        for port in subset.get("ports") or ():
            if not port.get("protocol"):
                port["protocol"] = "TCP"


def _validate(obj: Object) -> Errors:
    errors: Errors = []
    for index, subset in enumerate(obj.get("subsets") or ()):
        path = f"subsets[{index}]"
        addresses, not_ready = subset.get("addresses") or (), subset.get("notReadyAddresses") or ()
        if not addresses and not not_ready:
            errors.append(required(path, "must specify `addresses` or `notReadyAddresses`"))
        errors += _validate_addresses(addresses, f"{path}.addresses")
        errors += _validate_addresses(not_ready, f"{path}.notReadyAddresses")
        ports = subset.get("ports") or ()
        for number, port in enumerate(ports):
            errors += _validate_port(port, f"{path}.ports[{number}]", require_name=len(ports) > 1)
    return errors


def _validate_addresses(addresses: Sequence[Object], path: str) -> Errors:
    errors: Errors = []
    for index, address in enumerate(addresses):
        place = f"{path}[{index}]"
        ip = address.get("ip") or ""
        errors += validate_legacy_ip(ip, f"{place}.ip")
        hostname = address.get("hostname")
        if hostname:
            errors += [invalid(f"{place}.hostname", hostname, text) for text in is_dns1123_label(hostname)]
        node = address.get("nodeName")
        if node is not None:
            errors += [invalid(f"{place}.nodeName", node, text) for text in name_is_dns_subdomain(node)]
        errors += validate_endpoint_ip(ip, f"{place}.ip")
    return errors


def _validate_port(port: Object, path: str, *, require_name: bool) -> Errors:
    errors: Errors = []
    name = port.get("name")
    if name:
        errors += [invalid(f"{path}.name", name, message) for message in is_dns1123_label(name)]
    elif require_name:
        errors.append(required(f"{path}.name"))
    number = port.get("port") or 0
    errors += [invalid(f"{path}.port", number, message) for message in is_valid_port_num(number)]
    protocol = port.get("protocol")
    if not protocol:
        errors.append(required(f"{path}.protocol"))
    elif protocol not in PORT_PROTOCOLS:
        errors.append(not_supported(f"{path}.protocol", protocol, PORT_PROTOCOLS))
    return errors + validate_app_protocol(port, path)


def validate_app_protocol(port: Object, path: str) -> Errors:
    """What is wrong with the `appProtocol` of a port at `path`."""
    protocol = port.get("appProtocol")
    if protocol is None:
        return []
    return [invalid(f"{path}.appProtocol", protocol, message) for message in is_qualified_name(protocol)]


def _validate_update(obj: Object, old: Object) -> Errors:
    if (obj.get("subsets") or []) == (old.get("subsets") or []):
        # What is stored and stays may be as bad as older servers let it be.
        return []
    return _validate(obj)


def _warnings(obj: Object, old: Object | None) -> list[str]:
    labels = (obj.get("metadata") or {}).get("labels") or {}
    if labels.get(_MANAGED_BY) == _CONTROLLER:
        return [_DEPRECATED]
    warnings = [_DEPRECATED]
    for index, subset in enumerate(obj.get("subsets") or ()):
        for field in ("addresses", "notReadyAddresses"):
            for number, address in enumerate(subset.get(field) or ()):
                path = f"subsets[{index}].{field}[{number}].ip"
                warnings += ip_warnings(address.get("ip") or "", path)
    return warnings


ENDPOINTS: Final = Kind(
    default=_default,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    allow_create_on_update=True,
    resets=(),
    metadata_checks=2,
)
