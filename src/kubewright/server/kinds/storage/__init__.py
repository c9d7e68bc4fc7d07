"""The rules of the kinds in storage.k8s.io: classes of volumes, the drivers behind them, attachments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.kind import Kind
from kubewright.server.kinds.storage.classes import STORAGE_CLASS, VOLUME_ATTRIBUTES_CLASS
from kubewright.server.kinds.storage.csi import CSI_DRIVER, CSI_NODE, CSI_STORAGE_CAPACITY
from kubewright.server.kinds.storage.volume_attachment import VOLUME_ATTACHMENT

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, Kind]] = {
    "csidrivers": CSI_DRIVER,
    "csinodes": CSI_NODE,
    "csistoragecapacities": CSI_STORAGE_CAPACITY,
    "storageclasses": STORAGE_CLASS,
    "volumeattachments": VOLUME_ATTACHMENT,
    "volumeattributesclasses": VOLUME_ATTRIBUTES_CLASS,
}
