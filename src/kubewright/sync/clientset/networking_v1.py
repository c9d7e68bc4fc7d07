"""The kinds of networking.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.networking_v1 import Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["NetworkingV1"]


class NetworkingV1:
    """The kinds of networking.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def ingress_classes(self) -> Api[IngressClass]:
        """`ingressclasses` of the cluster."""
        return self._client.api(IngressClass)

    def ingresses(self, namespace: str | None = None) -> Api[Ingress]:
        """`ingresses` of a namespace."""
        return self._client.api(Ingress, namespace)

    def ip_addresses(self) -> Api[IPAddress]:
        """`ipaddresses` of the cluster."""
        return self._client.api(IPAddress)

    def network_policies(self, namespace: str | None = None) -> Api[NetworkPolicy]:
        """`networkpolicies` of a namespace."""
        return self._client.api(NetworkPolicy, namespace)

    def service_cidrs(self) -> Api[ServiceCIDR]:
        """`servicecidrs` of the cluster."""
        return self._client.api(ServiceCIDR)
