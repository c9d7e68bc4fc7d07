"""The kinds of storage.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.client.api import Api
from kubewright.client.has_api import HasApi
from kubewright.models.storage_v1 import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    StorageClass,
    VolumeAttachment,
    VolumeAttributesClass,
)

__all__ = ["StorageV1"]


class StorageV1:
    """The kinds of storage.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def csi_drivers(self) -> Api[CSIDriver]:
        """`csidrivers` of the cluster."""
        return self._client.api(CSIDriver)

    def csi_nodes(self) -> Api[CSINode]:
        """`csinodes` of the cluster."""
        return self._client.api(CSINode)

    def csi_storage_capacities(self, namespace: str | None = None) -> Api[CSIStorageCapacity]:
        """`csistoragecapacities` of a namespace."""
        return self._client.api(CSIStorageCapacity, namespace)

    def storage_classes(self) -> Api[StorageClass]:
        """`storageclasses` of the cluster."""
        return self._client.api(StorageClass)

    def volume_attachments(self) -> Api[VolumeAttachment]:
        """`volumeattachments` of the cluster."""
        return self._client.api(VolumeAttachment)

    def volume_attributes_classes(self) -> Api[VolumeAttributesClass]:
        """`volumeattributesclasses` of the cluster."""
        return self._client.api(VolumeAttributesClass)
