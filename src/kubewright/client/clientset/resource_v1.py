"""The kinds of resource.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.client.api import Api
from kubewright.client.has_api import HasApi
from kubewright.models.resource_v1 import DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice

__all__ = ["ResourceV1"]


class ResourceV1:
    """The kinds of resource.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def device_classes(self) -> Api[DeviceClass]:
        """`deviceclasses` of the cluster."""
        return self._client.api(DeviceClass)

    def resource_claim_templates(self, namespace: str | None = None) -> Api[ResourceClaimTemplate]:
        """`resourceclaimtemplates` of a namespace."""
        return self._client.api(ResourceClaimTemplate, namespace)

    def resource_claims(self, namespace: str | None = None) -> Api[ResourceClaim]:
        """`resourceclaims` of a namespace."""
        return self._client.api(ResourceClaim, namespace)

    def resource_slices(self) -> Api[ResourceSlice]:
        """`resourceslices` of the cluster."""
        return self._client.api(ResourceSlice)
