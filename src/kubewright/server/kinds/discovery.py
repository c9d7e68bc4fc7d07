"""The kinds of discovery.k8s.io: EndpointSlices, the addresses behind a service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kubewright.machinery.field_errors import duplicate, go_quote, invalid, not_supported, required, too_many
from kubewright.machinery.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_qualified_name,
    is_valid_label_value,
    name_is_dns_subdomain,
)
from kubewright.server.kinds.core.ip_rules import (
    ip_warnings,
    is_ipv6,
    parse_ip,
    validate_endpoint_ip,
    validate_legacy_ip,
)
from kubewright.server.kinds.kind import Context, Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import validate_immutable

__all__ = ["KINDS"]

_ADDRESS_TYPES: Final = ("FQDN", "IPv4", "IPv6")
_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
_CONTROLLERS: Final = frozenset(
    {"endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"}
)

# Upstream's limits, pkg/apis/discovery/validation.
_MAX_ENDPOINTS: Final = 1000
_MAX_ADDRESSES: Final = 100
_MAX_PORTS: Final = 20000
_MAX_HINTS: Final = 8


def _default(obj: Object) -> None:
    for port in obj.get("ports") or ():
        if port.get("name") is None:
            port["name"] = ""
        if port.get("protocol") is None:
            port["protocol"] = "TCP"


def _drop_topology(obj: Object) -> None:
    # The field of v1beta1; v1 reads it but never writes it.
    for endpoint in obj.get("endpoints") or ():
        endpoint.pop("deprecatedTopology", None)


def _prepare_create(obj: Object, context: Context) -> None:
    _drop_topology(obj)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    _drop_topology(obj)


def _is_new_generation(obj: Object, old: Object) -> bool:
    labels = (obj.get("metadata") or {}).get("labels") or {}
    if labels != ((old.get("metadata") or {}).get("labels") or {}):
        return True
    return any((obj.get(field) or None) != (old.get(field) or None) for field in ("endpoints", "ports"))


def _validate(obj: Object) -> Errors:
    kind = obj.get("addressType") or ""
    errors = _validate_slice(obj)
    return errors + _validate_endpoints(obj.get("endpoints") or (), kind)


def _validate_update(obj: Object, old: Object) -> Errors:
    kind, endpoints = obj.get("addressType") or "", obj.get("endpoints") or []
    errors = _validate_slice(obj)
    if endpoints != (old.get("endpoints") or []):
        # What is stored and stays may be as bad as older servers let it be.
        errors += _validate_endpoints(endpoints, kind)
    return errors + validate_immutable(kind, old.get("addressType") or "", "addressType")


def _validate_slice(obj: Object) -> Errors:
    errors: Errors = []
    kind = obj.get("addressType") or ""
    if not kind:
        errors.append(required("addressType"))
    elif kind not in _ADDRESS_TYPES:
        errors.append(not_supported("addressType", kind, _ADDRESS_TYPES))
    return errors + _validate_ports(obj.get("ports") or ())


def _validate_ports(ports: Sequence[Object]) -> Errors:
    if len(ports) > _MAX_PORTS:
        return [too_many("ports", len(ports), _MAX_PORTS)]
    errors: Errors = []
    names: set[str] = set()
    for index, port in enumerate(ports):
        path = f"ports[{index}]"
        name, protocol, application = port.get("name") or "", port.get("protocol"), port.get("appProtocol")
        if name:
            errors += [invalid(f"{path}.name", name, message) for message in is_dns1123_label(name)]
        if name in names:
            errors.append(duplicate(f"{path}.name", name))
        names.add(name)
        if protocol is None:
            errors.append(required(f"{path}.protocol"))
        elif protocol not in _PROTOCOLS:
            errors.append(not_supported(f"{path}.protocol", protocol, _PROTOCOLS))
        if application is not None:
            messages = is_qualified_name(application)
            errors += [invalid(f"{path}.appProtocol", application, message) for message in messages]
    return errors


def _validate_endpoints(endpoints: Sequence[Object], kind: str) -> Errors:
    if len(endpoints) > _MAX_ENDPOINTS:
        return [too_many("endpoints", len(endpoints), _MAX_ENDPOINTS)]
    errors: Errors = []
    for index, endpoint in enumerate(endpoints):
        path = f"endpoints[{index}]"
        errors += _validate_addresses(endpoint.get("addresses") or (), kind, f"{path}.addresses")
        node, host, hints = endpoint.get("nodeName"), endpoint.get("hostname"), endpoint.get("hints")
        if node is not None:
            errors += [invalid(f"{path}.nodeName", node, message) for message in name_is_dns_subdomain(node)]
        if host is not None:
            errors += [invalid(f"{path}.hostname", host, message) for message in is_dns1123_label(host)]
        if hints is not None:
            errors += _validate_hints(hints, f"{path}.hints")
    return errors


def _validate_addresses(addresses: Sequence[str], kind: str, path: str) -> Errors:
    errors: Errors = []
    if not addresses:
        errors.append(required(path, "must contain at least 1 address"))
    elif len(addresses) > _MAX_ADDRESSES:
        errors.append(too_many(path, len(addresses), _MAX_ADDRESSES))
    for index, address in enumerate(addresses):
        place = f"{path}[{index}]"
        if kind == "FQDN":
            errors += _validate_domain(address, place)
        elif kind in {"IPv4", "IPv6"}:
            wrong = validate_legacy_ip(address, place)
            if kind == "IPv6" and not wrong and str(parse_ip(address)) != address:
                shown = go_quote(str(parse_ip(address)))
                wrong = [invalid(place, address, f"must be in canonical form ({shown})")]
            if not wrong:
                if is_ipv6(address) != (kind == "IPv6"):
                    wrong.append(invalid(path, address, f"must be an {kind} address"))
                wrong += validate_endpoint_ip(address, place)
            errors += wrong
    return errors


def _validate_domain(name: str, path: str) -> Errors:
    if not name:
        return [required(path)]
    name = name.removesuffix(".")
    messages = is_dns1123_subdomain(name)
    if messages:
        return [invalid(path, name, ",".join(messages))]
    labels = name.split(".")
    if len(labels) < 2:
        return [invalid(path, name, "should be a domain with at least two segments separated by dots")]
    for label in labels:
        messages = is_dns1123_label(label)
        if messages:
            return [invalid(path, label, ",".join(messages))]
    return []


def _validate_hints(hints: Object, path: str) -> Errors:
    errors: Errors = []
    for field, rule in (("forZones", is_valid_label_value), ("forNodes", name_is_dns_subdomain)):
        places = hints.get(field) or ()
        if len(places) > _MAX_HINTS:
            return [*errors, too_many(f"{path}.{field}", len(places), _MAX_HINTS)]
        names: set[str] = set()
        for index, each in enumerate(places):
            name, place = each.get("name") or "", f"{path}.{field}[{index}].name"
            if name in names:
                errors.append(duplicate(place, name))
            names.add(name)
            errors += [invalid(place, name, message) for message in rule(name)]
    return errors


def _warnings(obj: Object, old: Object | None) -> list[str]:
    warnings: list[str] = []
    if old is None and obj.get("addressType") == "FQDN":
        warnings.append("spec.addressType: FQDN endpoints are deprecated")
    if ((obj.get("metadata") or {}).get("labels") or {}).get(_MANAGED_BY) in _CONTROLLERS:
        return warnings
    for index, endpoint in enumerate(obj.get("endpoints") or ()):
        for number, address in enumerate(endpoint.get("addresses") or ()):
            warnings += ip_warnings(address, f"endpoints[{index}].addresses[{number}]")
    return warnings


KINDS: Final[Mapping[str, Kind]] = {
    "endpointslices": Kind(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update=_prepare_update,
        validate=_validate,
        validate_update=_validate_update,
        warnings=_warnings,
        generation=_is_new_generation,
        resets=(),
    )
}
