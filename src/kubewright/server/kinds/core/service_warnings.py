"""The warnings about services."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import go_quote
from kubewright.server.kinds.core.ip_rules import cidr_warnings, ip_warnings
from kubewright.server.kinds.kind import Object

__all__ = ["TOPOLOGY_HINTS", "TOPOLOGY_MODE", "service_warnings"]

TOPOLOGY_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
"""The annotation's old name."""

TOPOLOGY_MODE: Final = "service.kubernetes.io/topology-mode"
"""The annotation that keeps traffic within zones."""


def service_warnings(obj: Object, old: Object | None) -> list[str]:
    """The sentences for Warning headers about a service."""
    spec = obj.get("spec") or {}
    warnings: list[str] = []
    if TOPOLOGY_HINTS in ((obj.get("metadata") or {}).get("annotations") or {}):
        warnings.append(f"annotation {TOPOLOGY_HINTS} is deprecated, please use {TOPOLOGY_MODE} instead")
    if spec.get("clusterIP") not in {None, "", "None"}:
        for index, ip in enumerate(spec.get("clusterIPs") or ()):
            warnings += ip_warnings(ip, f"spec.clusterIPs[{index}]")
    external_ips, kind = spec.get("externalIPs") or (), spec.get("type")
    headless = kind == "ClusterIP" and spec.get("clusterIP") == "None"
    if headless:
        warnings += _headless_warnings(spec)
    for index, ip in enumerate(external_ips):
        warnings += ip_warnings(ip, f"spec.externalIPs[{index}]")
    if external_ips and not headless and kind != "ExternalName":
        warnings.append("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
    if spec.get("loadBalancerIP"):
        warnings += ip_warnings(spec["loadBalancerIP"], "spec.loadBalancerIP")
    for index, cidr in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        warnings += cidr_warnings(cidr, f"spec.loadBalancerSourceRanges[{index}]")
    if kind == "ExternalName" and external_ips:
        warnings.append('spec.externalIPs is ignored when spec.type is "ExternalName"')
    if kind != "ExternalName" and spec.get("externalName"):
        warnings.append('spec.externalName is ignored when spec.type is not "ExternalName"')
    if spec.get("trafficDistribution") == "PreferClose":
        one, other = go_quote("PreferClose"), go_quote("PreferSameZone")
        warnings.append(f"spec.trafficDistribution: {one} is deprecated; use {other}")
    return warnings


def _headless_warnings(spec: Object) -> list[str]:
    ignored = (
        ("loadBalancerIP", bool(spec.get("loadBalancerIP"))),
        ("externalIPs", bool(spec.get("externalIPs"))),
        ("SessionAffinity", spec.get("sessionAffinity") != "None"),
    )
    return [f"spec.{field} is ignored for headless services" for field, is_set in ignored if is_set]
