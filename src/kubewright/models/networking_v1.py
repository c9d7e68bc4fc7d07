"""networking.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated, Literal

from kubewright.machinery.field import EMPTY, Field, OpenEnum
from kubewright.machinery.intstr import IntOrString
from kubewright.machinery.meta import Condition, LabelSelector
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.models.core_v1 import TypedLocalObjectReference

__all__ = [
    "HTTPIngressPath",
    "HTTPIngressRuleValue",
    "IPAddress",
    "IPAddressList",
    "IPAddressSpec",
    "IPBlock",
    "Ingress",
    "IngressBackend",
    "IngressClass",
    "IngressClassList",
    "IngressClassParametersReference",
    "IngressClassSpec",
    "IngressList",
    "IngressLoadBalancerIngress",
    "IngressLoadBalancerStatus",
    "IngressPortStatus",
    "IngressRule",
    "IngressServiceBackend",
    "IngressSpec",
    "IngressStatus",
    "IngressTLS",
    "NetworkPolicy",
    "NetworkPolicyEgressRule",
    "NetworkPolicyIngressRule",
    "NetworkPolicyList",
    "NetworkPolicyPeer",
    "NetworkPolicyPort",
    "NetworkPolicySpec",
    "ParentReference",
    "ServiceBackendPort",
    "ServiceCIDR",
    "ServiceCIDRList",
    "ServiceCIDRSpec",
    "ServiceCIDRStatus",
]


class HTTPIngressPath(Struct):
    backend: IngressBackend
    path_type: OpenEnum[Literal["Exact", "ImplementationSpecific", "Prefix"]]
    path: str = ""


class HTTPIngressRuleValue(Struct):
    paths: list[HTTPIngressPath]


class IPAddress(
    Resource, api_version="networking.k8s.io/v1", kind="IPAddress", plural="ipaddresses", namespaced=False
):
    """Served cluster-wide as `ipaddresses`."""

    spec: IPAddressSpec


class IPAddressList(ResourceList[IPAddress], api_version="networking.k8s.io/v1", kind="IPAddressList"):
    """A list of IPAddress."""


class IPAddressSpec(Struct):
    parent_ref: ParentReference


class IPBlock(Struct):
    cidr: str
    except_: list[str] = []


class Ingress(
    Resource, api_version="networking.k8s.io/v1", kind="Ingress", plural="ingresses", namespaced=True
):
    """Served in a namespace as `ingresses`."""

    spec: IngressSpec = EMPTY
    status: IngressStatus = EMPTY


class IngressBackend(Struct):
    resource: TypedLocalObjectReference | None = None
    service: IngressServiceBackend | None = None


class IngressClass(
    Resource,
    api_version="networking.k8s.io/v1",
    kind="IngressClass",
    plural="ingressclasses",
    namespaced=False,
):
    """Served cluster-wide as `ingressclasses`."""

    spec: IngressClassSpec = EMPTY


class IngressClassList(
    ResourceList[IngressClass], api_version="networking.k8s.io/v1", kind="IngressClassList"
):
    """A list of IngressClass."""


class IngressClassParametersReference(Struct):
    kind: str
    name: str
    api_group: str = ""
    namespace: str = ""
    scope: str = ""


class IngressClassSpec(Struct):
    controller: str = ""
    parameters: IngressClassParametersReference | None = None


class IngressList(ResourceList[Ingress], api_version="networking.k8s.io/v1", kind="IngressList"):
    """A list of Ingress."""


class IngressLoadBalancerIngress(Struct):
    hostname: str = ""
    ip: str = ""
    ports: list[IngressPortStatus] = []


class IngressLoadBalancerStatus(Struct):
    ingress: list[IngressLoadBalancerIngress] = []


class IngressPortStatus(Struct):
    port: int
    protocol: OpenEnum[Literal["SCTP", "TCP", "UDP"]]
    error: str = ""


class IngressRule(Struct):
    host: str = ""
    http: HTTPIngressRuleValue | None = None


class IngressServiceBackend(Struct):
    name: str
    port: ServiceBackendPort = EMPTY


class IngressSpec(Struct):
    default_backend: IngressBackend | None = None
    ingress_class_name: str = ""
    rules: list[IngressRule] = []
    tls: list[IngressTLS] = []


class IngressStatus(Struct):
    load_balancer: IngressLoadBalancerStatus = EMPTY


class IngressTLS(Struct):
    hosts: list[str] = []
    secret_name: str = ""


class NetworkPolicy(
    Resource,
    api_version="networking.k8s.io/v1",
    kind="NetworkPolicy",
    plural="networkpolicies",
    namespaced=True,
):
    """Served in a namespace as `networkpolicies`."""

    spec: NetworkPolicySpec = EMPTY


class NetworkPolicyEgressRule(Struct):
    ports: list[NetworkPolicyPort] = []
    to: list[NetworkPolicyPeer] = []


class NetworkPolicyIngressRule(Struct):
    from_: list[NetworkPolicyPeer] = []
    ports: list[NetworkPolicyPort] = []


class NetworkPolicyList(
    ResourceList[NetworkPolicy], api_version="networking.k8s.io/v1", kind="NetworkPolicyList"
):
    """A list of NetworkPolicy."""


class NetworkPolicyPeer(Struct):
    ip_block: IPBlock | None = None
    namespace_selector: LabelSelector | None = None
    pod_selector: LabelSelector | None = None


class NetworkPolicyPort(Struct):
    end_port: int | None = None
    port: IntOrString | None = None
    protocol: OpenEnum[Literal["", "SCTP", "TCP", "UDP"]] = ""


class NetworkPolicySpec(Struct):
    egress: list[NetworkPolicyEgressRule] = []
    ingress: list[NetworkPolicyIngressRule] = []
    pod_selector: LabelSelector = EMPTY
    policy_types: list[OpenEnum[Literal["Egress", "Ingress"]]] = []


class ParentReference(Struct):
    name: str
    resource: str
    group: str = ""
    namespace: str = ""


class ServiceBackendPort(Struct, map_type="atomic"):
    name: str = ""
    number: int | None = None


class ServiceCIDR(
    Resource, api_version="networking.k8s.io/v1", kind="ServiceCIDR", plural="servicecidrs", namespaced=False
):
    """Served cluster-wide as `servicecidrs`."""

    spec: ServiceCIDRSpec = EMPTY
    status: ServiceCIDRStatus = EMPTY


class ServiceCIDRList(ResourceList[ServiceCIDR], api_version="networking.k8s.io/v1", kind="ServiceCIDRList"):
    """A list of ServiceCIDR."""


class ServiceCIDRSpec(Struct):
    cidrs: list[str] = []


class ServiceCIDRStatus(Struct):
    conditions: Annotated[
        list[Condition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []
