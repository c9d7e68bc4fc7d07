"""coordination.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from kubewright.machinery.field import EMPTY
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import MicroTime

__all__ = [
    "Lease",
    "LeaseList",
    "LeaseSpec",
]


class Lease(Resource, api_version="coordination.k8s.io/v1", kind="Lease", plural="leases", namespaced=True):
    """Served in a namespace as `leases`."""

    spec: LeaseSpec = EMPTY


class LeaseList(ResourceList[Lease], api_version="coordination.k8s.io/v1", kind="LeaseList"):
    """A list of Lease."""


class LeaseSpec(Struct):
    acquire_time: MicroTime | None = None
    holder_identity: str = ""
    lease_duration_seconds: int | None = None
    lease_transitions: int | None = None
    preferred_holder: str = ""
    renew_time: MicroTime | None = None
    strategy: str = ""
