"""apiregistration.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated

from kubewright.machinery.field import EMPTY, Field, field
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time

__all__ = [
    "APIService",
    "APIServiceCondition",
    "APIServiceList",
    "APIServiceSpec",
    "APIServiceStatus",
    "ServiceReference",
]


class APIService(
    Resource,
    api_version="apiregistration.k8s.io/v1",
    kind="APIService",
    plural="apiservices",
    namespaced=False,
):
    """Served cluster-wide as `apiservices`."""

    spec: APIServiceSpec = EMPTY
    status: APIServiceStatus = EMPTY


class APIServiceCondition(Struct):
    status: str
    type: str
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""


class APIServiceList(
    ResourceList[APIService], api_version="apiregistration.k8s.io/v1", kind="APIServiceList"
):
    """A list of APIService."""


class APIServiceSpec(Struct):
    group_priority_minimum: int
    version_priority: int
    ca_bundle: bytes = b""
    group: str = ""
    insecure_skip_tls_verify: bool | None = field(default=None, name="insecureSkipTLSVerify")
    service: ServiceReference | None = None
    version: str = ""


class APIServiceStatus(Struct):
    conditions: Annotated[
        list[APIServiceCondition],
        Field(list_type="map", map_keys=("type",), patch_strategy=("merge",), patch_merge_key="type"),
    ] = []


class ServiceReference(Struct):
    name: str = ""
    namespace: str = ""
    port: int | None = None
