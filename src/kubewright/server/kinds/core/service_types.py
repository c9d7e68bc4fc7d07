"""Which fields of a service its type needs, and what becomes of them when the type changes."""

from __future__ import annotations

from kubewright.server.kinds.kind import Object

__all__ = [
    "drop_type_dependent_fields",
    "is_externally_accessible",
    "is_headless",
    "needs_cluster_ip",
    "needs_health_check",
    "node_ports",
]


def is_headless(spec: Object) -> bool:
    """Whether a service has no cluster IP on purpose."""
    ips = spec.get("clusterIPs")
    return ips is not None and len(ips) == 1 and ips[0] == "None"


def is_externally_accessible(spec: Object) -> bool:
    """Whether traffic reaches a service from outside of the cluster."""
    kind = spec.get("type")
    return kind in {"LoadBalancer", "NodePort"} or (kind == "ClusterIP" and bool(spec.get("externalIPs")))


def needs_health_check(spec: Object) -> bool:
    """Whether a load balancer asks the nodes whether they have pods of a service."""
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def needs_cluster_ip(spec: Object) -> bool:
    """Whether a service has a cluster IP, or "None" for one."""
    return spec.get("type") != "ExternalName"


def node_ports(spec: Object) -> list[int]:
    """The node ports that a service has."""
    return [port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")]


def _uses_node_ports(spec: Object) -> bool:
    return spec.get("type") in {"LoadBalancer", "NodePort"}


def drop_type_dependent_fields(obj: Object, old: Object) -> None:
    """Remove what the new type of a service has no use for, unless the user changed it as well."""
    spec, old_spec = obj.setdefault("spec", {}), old.get("spec") or {}
    if needs_cluster_ip(old_spec) and not needs_cluster_ip(spec):
        _drop_cluster_ips(spec, old_spec)
    lost_node_ports = _uses_node_ports(old_spec) and not _uses_node_ports(spec)
    if lost_node_ports and set(node_ports(spec)) <= set(node_ports(old_spec)):
        for port in spec.get("ports") or ():
            port.pop("nodePort", None)
    if needs_health_check(old_spec) and not needs_health_check(spec):
        _drop_same(spec, old_spec, "healthCheckNodePort")
    if old_spec.get("type") == "LoadBalancer" and spec.get("type") != "LoadBalancer":
        _drop_same(spec, old_spec, "allocateLoadBalancerNodePorts")
        _drop_same(spec, old_spec, "loadBalancerClass")
    if is_externally_accessible(old_spec) and not is_externally_accessible(spec):
        _drop_same(spec, old_spec, "externalTrafficPolicy")
    if spec.get("type") != "LoadBalancer" and (obj.get("status") or {}).get("loadBalancer"):
        obj["status"] = {**obj["status"], "loadBalancer": {}}


def _drop_cluster_ips(spec: Object, old: Object) -> None:
    if _same(spec, old, "clusterIP", "") and _same(spec, old, "clusterIPs", []):
        spec.pop("clusterIP", None)
        spec.pop("clusterIPs", None)
    if _same(spec, old, "ipFamilies", []):
        spec.pop("ipFamilies", None)
    if _same(spec, old, "ipFamilyPolicy", ""):
        spec.pop("ipFamilyPolicy", None)


def _same(spec: Object, old: Object, field: str, empty: object) -> bool:
    return (spec.get(field) or empty) == (old.get(field) or empty)


def _drop_same(spec: Object, old: Object, field: str) -> None:
    if spec.get(field) == old.get(field):
        spec.pop(field, None)
