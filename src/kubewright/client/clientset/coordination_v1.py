"""The kinds of coordination.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.client.api import Api
from kubewright.client.has_api import HasApi
from kubewright.models.coordination_v1 import Lease

__all__ = ["CoordinationV1"]


class CoordinationV1:
    """The kinds of coordination.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def leases(self, namespace: str | None = None) -> Api[Lease]:
        """`leases` of a namespace."""
        return self._client.api(Lease, namespace)
