"""discovery.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated, Literal

from kubewright.machinery.field import EMPTY, Field, OpenEnum
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.models.core_v1 import ObjectReference

__all__ = [
    "Endpoint",
    "EndpointConditions",
    "EndpointHints",
    "EndpointPort",
    "EndpointSlice",
    "EndpointSliceList",
    "ForNode",
    "ForZone",
]


class Endpoint(Struct):
    addresses: Annotated[list[str], Field(list_type="set")]
    conditions: EndpointConditions = EMPTY
    deprecated_topology: dict[str, str] = {}
    hints: EndpointHints | None = None
    hostname: str = ""
    node_name: str = ""
    target_ref: ObjectReference | None = None
    zone: str = ""


class EndpointConditions(Struct):
    ready: bool | None = None
    serving: bool | None = None
    terminating: bool | None = None


class EndpointHints(Struct):
    for_nodes: list[ForNode] = []
    for_zones: list[ForZone] = []


class EndpointPort(Struct, map_type="atomic"):
    app_protocol: str = ""
    name: str = ""
    port: int | None = None
    protocol: OpenEnum[Literal["", "SCTP", "TCP", "UDP"]] = ""


class EndpointSlice(
    Resource,
    api_version="discovery.k8s.io/v1",
    kind="EndpointSlice",
    plural="endpointslices",
    namespaced=True,
):
    """Served in a namespace as `endpointslices`."""

    address_type: OpenEnum[Literal["FQDN", "IPv4", "IPv6"]]
    endpoints: list[Endpoint] = []
    ports: list[EndpointPort] = []


class EndpointSliceList(
    ResourceList[EndpointSlice], api_version="discovery.k8s.io/v1", kind="EndpointSliceList"
):
    """A list of EndpointSlice."""


class ForNode(Struct):
    name: str


class ForZone(Struct):
    name: str
