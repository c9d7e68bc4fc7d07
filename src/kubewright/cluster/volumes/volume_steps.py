"""What is to be done next for a volume; nothing here asks a server."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from kubewright.cluster.volumes.claim_steps import Notice
from kubewright.cluster.volumes.matching import mode_differs
from kubewright.cluster.volumes.names import PROVISIONED_BY
from kubewright.models.core_v1 import PersistentVolume, PersistentVolumeClaim

__all__ = ["Reclaim", "VolumeStep", "how_to_reclaim", "step_for_volume"]

_IN_TREE: Final = "kubernetes.io/"
"""How the names of the provisioners begin that are part of Kubernetes."""

_HOST_PATH: Final = re.compile("/tmp/.+")  # noqa: S108 - a fact of upstream's; nothing is deleted here
"""The only directories that upstream's deleter of hostPath volumes takes away."""


class VolumeStep(Enum):
    """What a volume calls for."""

    AVAILABLE = auto()
    BOUND = auto()
    RELEASE = auto()
    """Its claim is gone, or has another volume: it is Released, and reclaimed."""
    UNBIND = auto()
    """Its claim has another volume, and it can be offered again."""
    SYNC_CLAIM = auto()
    """Its claim is to be bound to it."""
    MISMATCH = auto()
    """Its claim wants another volumeMode."""


def step_for_volume(volume: PersistentVolume, claim: PersistentVolumeClaim | None) -> VolumeStep:
    """The step for a volume, by the claim that it names, with its name and uid, if that is there."""
    if volume.spec.claim_ref is None or not volume.spec.claim_ref.uid:
        return VolumeStep.AVAILABLE
    if claim is None:
        return VolumeStep.RELEASE
    if not claim.spec.volume_name:
        return VolumeStep.MISMATCH if mode_differs(claim, volume) else VolumeStep.SYNC_CLAIM
    if claim.spec.volume_name == volume.metadata.name:
        return VolumeStep.BOUND
    was_made = PROVISIONED_BY in volume.metadata.annotations
    is_deleted = volume.spec.persistent_volume_reclaim_policy == "Delete"
    return VolumeStep.RELEASE if was_made and is_deleted else VolumeStep.UNBIND


class Reclaim(Enum):
    """What becomes of a volume whose claim is gone, if nothing is wrong with it."""

    KEEP = auto()
    """Nothing, or it is somebody else's to do."""
    DELETE = auto()
    RECYCLE = auto()


def how_to_reclaim(volume: PersistentVolume) -> Reclaim | Notice:
    """What to do with a released volume; an event for one that cannot be reclaimed, which is Failed then.

    What upstream knows of each kind of volume by its plugins stands here.
    """
    match volume.spec.persistent_volume_reclaim_policy:
        case "Delete":
            return _how_to_delete(volume)
        case "Recycle":
            if volume.spec.host_path is not None or volume.spec.nfs is not None:
                return Reclaim.RECYCLE
            return Notice("Warning", "VolumeFailedRecycle", "No recycler plugin found for the volume!")
        case _:
            return Reclaim.KEEP


def _how_to_delete(volume: PersistentVolume) -> Reclaim | Notice:
    maker, spec = volume.metadata.annotations.get(PROVISIONED_BY, ""), volume.spec
    if maker and not maker.startswith(_IN_TREE):
        return Reclaim.KEEP
    if spec.csi is not None and not maker:
        return Reclaim.KEEP
    if maker and maker != "kubernetes.io/host-path":
        return Notice("Warning", "VolumeFailedDelete", f"no volume plugin matched name: {maker}")
    if spec.host_path is None:
        why = "no deletable volume plugin matched" if spec.nfs is not None else "no volume plugin matched"
        message = f'error getting deleter volume plugin for volume "{volume.metadata.name}": {why}'
        return Notice("Warning", "VolumeFailedDelete", message)
    if not _HOST_PATH.search(spec.host_path.path):
        message = f"host_path deleter only supports /tmp/.+ but received provided {spec.host_path.path}"
        return Notice("Warning", "VolumeFailedDelete", message)
    return Reclaim.DELETE
