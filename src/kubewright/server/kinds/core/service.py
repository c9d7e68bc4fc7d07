"""The Service kind.

Cluster IPs and node ports are given out by `service_allocation`, which runs between the defaults and all else
that is here, on a create and on an update, as upstream's storage does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kubewright.machinery.field_errors import (
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from kubewright.machinery.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_qualified_name,
    is_valid_port_num,
    name_is_dns_label,
)
from kubewright.server.kinds.core.endpoints import PORT_PROTOCOLS, validate_app_protocol
from kubewright.server.kinds.core.internal_json import internal_json
from kubewright.server.kinds.core.ip_rules import (
    validate_endpoint_ip,
    validate_legacy_cidr,
    validate_legacy_ip,
)
from kubewright.server.kinds.core.name_checks import check_port
from kubewright.server.kinds.core.service_cluster_ips import (
    validate_cluster_ips,
    validate_cluster_ips_update,
    validate_ip_families_update,
)
from kubewright.server.kinds.core.service_defaults import default_service
from kubewright.server.kinds.core.service_status import SERVICE_STATUS
from kubewright.server.kinds.core.service_types import (
    drop_type_dependent_fields,
    is_externally_accessible,
    is_headless,
    needs_health_check,
)
from kubewright.server.kinds.core.service_warnings import TOPOLOGY_HINTS, TOPOLOGY_MODE, service_warnings
from kubewright.server.kinds.kind import Context, Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import validate_labels

__all__ = ["SERVICE"]

_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_AFFINITIES: Final = ("ClientIP", "None")
_TRAFFIC_POLICIES: Final = ("Cluster", "Local")
_TRAFFIC_DISTRIBUTIONS: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")
_SOURCE_RANGES: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"
_ONLY_LOAD_BALANCER: Final = "may only be used when `type` is 'LoadBalancer'"

_MAX_AFFINITY_SECONDS: Final = 86400
"""Upstream's MaxClientIPServiceAffinitySeconds: a day."""


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = {"loadBalancer": {}}
    _drop_internal_policy(obj)


def _drop_internal_policy(obj: Object) -> None:
    # Upstream validates the policy of services that have no use for it, stores it, and never shows it.
    spec = obj.get("spec") or {}
    if spec.get("type") == "ExternalName" and spec.get("internalTrafficPolicy") in _TRAFFIC_POLICIES:
        del spec["internalTrafficPolicy"]


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    obj["status"] = old.get("status") or {"loadBalancer": {}}
    drop_type_dependent_fields(obj, old)
    _drop_internal_policy(obj)


def _validate(obj: Object) -> Errors:
    return _validate_service(obj, None)


def _validate_update(obj: Object, old: Object) -> Errors:
    spec, old_spec = obj.get("spec") or {}, old.get("spec") or {}
    errors = validate_cluster_ips_update(spec, old_spec)
    errors += validate_ip_families_update(spec, old_spec)
    errors += _validate_load_balancer_class(spec, old_spec)
    if needs_health_check(old_spec) and needs_health_check(spec):
        field = "healthCheckNodePort"
        if (spec.get(field) or 0) != (old_spec.get(field) or 0):
            errors.append(forbidden(f"spec.{field}", "field is immutable"))
    return errors + _validate_service(obj, old)


def _validate_service(obj: Object, old: Object | None) -> Errors:
    spec = obj.get("spec") or {}
    old_spec = (old.get("spec") or {}) if old is not None else None
    kind, ports = spec.get("type") or "", spec.get("ports") or ()
    errors = _validate_topology(obj)
    if not ports and kind != "ExternalName" and not is_headless(spec):
        errors.append(required("spec.ports"))
    errors += _validate_by_type(spec, kind)
    names: set[str] = set()
    for index, port in enumerate(ports):
        errors += _validate_port(port, f"spec.ports[{index}]", names, require_name=len(ports) > 1)
    if spec.get("selector"):
        errors += validate_labels(spec["selector"], "spec.selector")
    errors += _validate_affinity(spec)
    errors += validate_cluster_ips(spec, old_spec)
    errors += _validate_external_ips(spec, old_spec)
    if not kind:
        errors.append(required("spec.type"))
    elif kind not in _TYPES:
        errors.append(not_supported("spec.type", kind, _TYPES))
    errors += _validate_port_numbers(ports, kind)
    errors += _validate_source_ranges(obj, old)
    if spec.get("allocateLoadBalancerNodePorts") is not None:
        if kind != "LoadBalancer":
            errors.append(forbidden("spec.allocateLoadBalancerNodePorts", _ONLY_LOAD_BALANCER))
    elif kind == "LoadBalancer":
        errors.append(required("allocateLoadBalancerNodePorts"))
    errors += _validate_load_balancer_class(spec, None)
    return errors + _validate_traffic(spec, kind)


def _validate_topology(obj: Object) -> Errors:
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    mode, hints = annotations.get(TOPOLOGY_MODE), annotations.get(TOPOLOGY_HINTS)
    if mode is None or hints is None or mode == hints:
        return []
    detail = f"must match annotations[{TOPOLOGY_HINTS}] when both are specified"
    return [invalid(f"metadata.annotations[{TOPOLOGY_MODE}]", mode, detail)]


def _validate_by_type(spec: Object, kind: str) -> Errors:
    if kind in {"LoadBalancer", "NodePort"} and is_headless(spec):
        detail = f"may not be set to 'None' for {kind} services"
        return [invalid("spec.clusterIPs[0]", "None", detail)]
    if kind != "ExternalName":
        return []
    errors: Errors = []
    for field in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        value = spec.get(field)
        if value or (field == "ipFamilyPolicy" and value is not None):
            errors.append(forbidden(f"spec.{field}", "may not be set for ExternalName services"))
    name = (spec.get("externalName") or "").removesuffix(".")
    if not name:
        errors.append(required("spec.externalName"))
    return errors + [
        invalid("spec.externalName", name, message)
        for message in (is_dns1123_subdomain(name) if name else ())
    ]


def _validate_port(port: Object, path: str, names: set[str], *, require_name: bool) -> Errors:
    errors: Errors = []
    name = port.get("name")
    if name:
        errors += [invalid(f"{path}.name", name, message) for message in is_dns1123_label(name)]
        if name in names:
            errors.append(duplicate(f"{path}.name", name))
        names.add(name)
    elif require_name:
        errors.append(required(f"{path}.name"))
    number = port.get("port") or 0
    errors += [invalid(f"{path}.port", number, message) for message in is_valid_port_num(number)]
    protocol = port.get("protocol")
    if not protocol:
        errors.append(required(f"{path}.protocol"))
    elif protocol not in PORT_PROTOCOLS:
        errors.append(not_supported(f"{path}.protocol", protocol, PORT_PROTOCOLS))
    check_port(errors, port.get("targetPort") or 0, f"{path}.targetPort")
    return errors + validate_app_protocol(port, path)


def _validate_affinity(spec: Object) -> Errors:
    errors: Errors = []
    affinity, config = spec.get("sessionAffinity"), spec.get("sessionAffinityConfig")
    path = "spec.sessionAffinityConfig"
    if not affinity:
        errors.append(required("spec.sessionAffinity"))
    elif affinity not in _AFFINITIES:
        errors.append(not_supported("spec.sessionAffinity", affinity, _AFFINITIES))
    if affinity == "None" and config is not None:
        errors.append(forbidden(path, "must not be set when session affinity is None"))
    if affinity != "ClientIP":
        return errors
    detail = "when session affinity type is ClientIP"
    client_ip = config.get("clientIP") if config is not None else None
    seconds = client_ip.get("timeoutSeconds") if client_ip is not None else None
    if config is None:
        errors.append(required(path, detail))
    elif client_ip is None:
        errors.append(required(f"{path}.clientIP", detail))
    elif seconds is None:
        errors.append(required(f"{path}.clientIP.timeoutSeconds", detail))
    elif not 0 < seconds <= _MAX_AFFINITY_SECONDS:
        detail = f"must be greater than 0 and less than {_MAX_AFFINITY_SECONDS}"
        errors.append(invalid(f"{path}.clientIP.timeoutSeconds", seconds, detail))
    return errors


def _validate_external_ips(spec: Object, old: Object | None) -> Errors:
    errors: Errors = []
    known = frozenset((old.get("externalIPs") or ()) if old is not None else ())
    for index, ip in enumerate(spec.get("externalIPs") or ()):
        path = f"spec.externalIPs[{index}]"
        errors += validate_legacy_ip(ip, path, known) or validate_endpoint_ip(ip, path)
    return errors


def _validate_port_numbers(ports: Sequence[Object], kind: str) -> Errors:
    errors: Errors = []
    if kind == "ClusterIP":
        for index, port in enumerate(ports):
            if port.get("nodePort"):
                detail = "may not be used when `type` is 'ClusterIP'"
                errors.append(forbidden(f"spec.ports[{index}].nodePort", detail))
    seen: set[tuple[str | None, int]] = set()
    for index, port in enumerate(ports):
        number = port.get("nodePort")
        if number:
            if (port.get("protocol"), number) in seen:
                errors.append(duplicate(f"spec.ports[{index}].nodePort", number))
            seen.add((port.get("protocol"), number))
    seen = set()
    for index, port in enumerate(ports):
        known = (port.get("protocol"), port.get("port") or 0)
        if known in seen:
            shown = {"protocol": known[0] or "", "port": known[1]}
            errors.append(duplicate(f"spec.ports[{index}]", internal_json(shown, "ServicePort")))
        seen.add(known)
    return errors


def _validate_source_ranges(obj: Object, old: Object | None) -> Errors:
    spec = obj.get("spec") or {}
    ranges = spec.get("loadBalancerSourceRanges")
    annotation = ((obj.get("metadata") or {}).get("annotations") or {}).get(_SOURCE_RANGES)
    if not ranges and annotation is None:
        return []
    # The capital letter is upstream's.
    path = "spec.LoadBalancerSourceRanges" if ranges else f"metadata.annotations[{_SOURCE_RANGES}]"
    errors: Errors = []
    if spec.get("type") != "LoadBalancer":
        errors.append(forbidden(path, _ONLY_LOAD_BALANCER))
    old = old or {}
    if ranges:
        known = {text.strip() for text in (old.get("spec") or {}).get("loadBalancerSourceRanges") or ()}
        for index, text in enumerate(ranges):
            errors += validate_legacy_cidr(text.strip(), f"{path}[{index}]", known)
        return errors
    old_annotation = ((old.get("metadata") or {}).get("annotations") or {}).get(_SOURCE_RANGES)
    if annotation and annotation.strip() and annotation != old_annotation:
        for text in annotation.strip().split(","):
            errors += validate_legacy_cidr(text.strip(), path)
    return errors


def _validate_load_balancer_class(spec: Object, old: Object | None) -> Errors:
    errors: Errors = []
    path, name = "spec.loadBalancerClass", spec.get("loadBalancerClass")
    is_load_balancer = spec.get("type") == "LoadBalancer"
    was_load_balancer = old is not None and old.get("type") == "LoadBalancer"
    if old is not None and is_load_balancer and was_load_balancer and name != old.get("loadBalancerClass"):
        errors.append(invalid(path, name, "may not change once set"))
    if name is None:
        return errors
    if not is_load_balancer:
        return [*errors, forbidden(path, _ONLY_LOAD_BALANCER)]
    return errors + [invalid(path, name, message) for message in is_qualified_name(name)]


def _validate_traffic(spec: Object, kind: str) -> Errors:
    errors: Errors = []
    policy, path = spec.get("externalTrafficPolicy"), "spec.externalTrafficPolicy"
    if not is_externally_accessible(spec):
        if policy:
            errors.append(invalid(path, policy, "may only be set for externally-accessible services"))
    elif not policy:
        errors.append(required(path))
    elif policy not in _TRAFFIC_POLICIES:
        errors.append(not_supported(path, policy, _TRAFFIC_POLICIES))
    errors += _validate_health_check_port(spec)
    inner = spec.get("internalTrafficPolicy")
    if inner is None:
        if kind in {"ClusterIP", "LoadBalancer", "NodePort"}:
            errors.append(required("spec.internalTrafficPolicy"))
    elif inner not in _TRAFFIC_POLICIES:
        errors.append(not_supported("spec.internalTrafficPolicy", inner, _TRAFFIC_POLICIES))
    distribution = spec.get("trafficDistribution")
    if distribution is not None and distribution not in _TRAFFIC_DISTRIBUTIONS:
        errors.append(not_supported("spec.trafficDistribution", distribution, _TRAFFIC_DISTRIBUTIONS))
    return errors


def _validate_health_check_port(spec: Object) -> Errors:
    port, path = spec.get("healthCheckNodePort") or 0, "spec.healthCheckNodePort"
    if not needs_health_check(spec):
        detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        return [invalid(path, port, detail)] if port else []
    if not port:
        return [required(path)]
    return [invalid(path, port, message) for message in is_valid_port_num(port)]


def _fields(obj: Object) -> Mapping[str, str]:
    spec = obj.get("spec") or {}
    return {"spec.clusterIP": spec.get("clusterIP") or "", "spec.type": spec.get("type") or ""}


SERVICE: Final = Kind(
    default=default_service,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=service_warnings,
    name=name_is_dns_label,
    fields=_fields,
    allow_create_on_update=True,
    subresources={"status": SERVICE_STATUS},
    always={"spec": {}, "status": {"loadBalancer": {}}},
)
