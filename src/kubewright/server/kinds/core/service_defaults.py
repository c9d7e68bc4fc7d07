"""The defaults of services."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.core.service_types import is_externally_accessible
from kubewright.server.kinds.kind import Object

__all__ = ["default_service"]

_AFFINITY_SECONDS: Final = 10800
"""Upstream's DefaultClientIPServiceAffinitySeconds: three hours."""


def default_service(obj: Object) -> None:
    """Fill in the defaults of a service, but for what is given out."""
    spec = obj.setdefault("spec", {})
    _default_affinity(spec)
    kind = spec.get("type")
    if not kind:
        kind = spec["type"] = "ClusterIP"
    for port in spec.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
        if not port.get("targetPort"):
            port["targetPort"] = port.get("port") or 0
    if not spec.get("externalTrafficPolicy") and is_externally_accessible(spec):
        spec["externalTrafficPolicy"] = "Cluster"
    if spec.get("internalTrafficPolicy") is None and kind in {"ClusterIP", "LoadBalancer", "NodePort"}:
        spec["internalTrafficPolicy"] = "Cluster"
    if kind == "LoadBalancer":
        if spec.get("allocateLoadBalancerNodePorts") is None:
            spec["allocateLoadBalancerNodePorts"] = True
        _default_status(obj.get("status") or {})


def _default_affinity(spec: Object) -> None:
    affinity = spec.get("sessionAffinity")
    if not affinity:
        affinity = spec["sessionAffinity"] = "None"
    if affinity == "None":
        spec.pop("sessionAffinityConfig", None)
    elif affinity == "ClientIP":
        client_ip = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if client_ip.get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _AFFINITY_SECONDS}}


def _default_status(status: Object) -> None:
    for ingress in (status.get("loadBalancer") or {}).get("ingress") or ():
        if ingress.get("ip") and ingress.get("ipMode") is None:
            ingress["ipMode"] = "VIP"
