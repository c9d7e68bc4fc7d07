"""The kinds of coordination.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.coordination_v1 import Lease
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["CoordinationV1"]


class CoordinationV1:
    """The kinds of coordination.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def leases(self, namespace: str | None = None) -> Api[Lease]:
        """`leases` of a namespace."""
        return self._client.api(Lease, namespace)
