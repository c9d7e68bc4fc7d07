"""The kinds of discovery.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.client.api import Api
from kubewright.client.has_api import HasApi
from kubewright.models.discovery_v1 import EndpointSlice

__all__ = ["DiscoveryV1"]


class DiscoveryV1:
    """The kinds of discovery.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def endpoint_slices(self, namespace: str | None = None) -> Api[EndpointSlice]:
        """`endpointslices` of a namespace."""
        return self._client.api(EndpointSlice, namespace)
