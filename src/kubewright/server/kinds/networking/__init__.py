"""The rules of the kinds in networking.k8s.io: who may reach pods, from outside and from one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.kind import Kind
from kubewright.server.kinds.networking.ingress import INGRESS
from kubewright.server.kinds.networking.ingress_class import INGRESS_CLASS
from kubewright.server.kinds.networking.network_policy import NETWORK_POLICY
from kubewright.server.kinds.networking.service_networks import IP_ADDRESS, SERVICE_CIDR

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, Kind]] = {
    "ingressclasses": INGRESS_CLASS,
    "ingresses": INGRESS,
    "ipaddresses": IP_ADDRESS,
    "networkpolicies": NETWORK_POLICY,
    "servicecidrs": SERVICE_CIDR,
}
