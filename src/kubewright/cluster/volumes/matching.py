"""Which volume is for which claim; nothing here asks a server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kubewright.cluster.volumes.classes import class_of
from kubewright.machinery.label_selectors import Selector
from kubewright.machinery.quantity import Quantity
from kubewright.models.core_v1 import ObjectReference, PersistentVolume, PersistentVolumeClaim

__all__ = [
    "best_volume",
    "is_bound_to",
    "mode_differs",
    "reference_to",
    "requested",
    "size_of",
    "unsatisfied",
    "wanted_by",
]

_NOTHING: Final = Quantity(0)
_FILESYSTEM: Final = "Filesystem"
"""The volumeMode of claims and volumes that name none."""


def best_volume(
    claim: PersistentVolumeClaim, volumes: Iterable[PersistentVolume], *, delayed: bool
) -> PersistentVolume | None:
    """The volume that a claim is bound to, if there is one for it.

    Volumes with fewer access modes come first, among them one that a user has bound to the claim, then the
    smallest, then the first by name. A `delayed` claim, which waits for a consumer, gets none but one that
    was bound to it beforehand: the scheduler chooses.
    """
    fits = Selector.from_label_selector(claim.spec.selector.to_dict()) if claim.spec.selector else None
    found = []
    for volume in volumes:
        if not _may_have(claim, volume):
            continue
        bound = is_bound_to(volume, claim)
        if not bound and (delayed or not _is_free(claim, volume, fits)):
            continue
        modes = len(set(volume.spec.access_modes))
        found.append(((modes, not bound, size_of(volume), volume.metadata.name), volume))
    return min(found, key=lambda each: each[0])[1] if found else None


def wanted_by(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    """Whether a volume may be what a claim waits for."""
    if is_bound_to(volume, claim) or claim.spec.volume_name == volume.metadata.name:
        return True
    return volume.spec.claim_ref is None and not unsatisfied(volume, claim)


def unsatisfied(volume: PersistentVolume, claim: PersistentVolumeClaim) -> str:
    """Why a volume that a claim asks for by its name is not for it, in upstream's words; empty if it is."""
    if volume.metadata.deletion_timestamp is not None:
        return f'the volume is marked for deletion "{volume.metadata.name}"'
    if size_of(volume) < requested(claim):
        return "requested PV is too small"
    if class_of(volume) != class_of(claim):
        return "storageClassName does not match"
    if volume.spec.volume_attributes_class_name != claim.spec.volume_attributes_class_name:
        return "volumeAttributesClassName does not match"
    if mode_differs(claim, volume):
        return "incompatible volumeMode"
    if not set(volume.spec.access_modes).issuperset(claim.spec.access_modes):
        return "incompatible accessMode"
    return ""


def is_bound_to(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether a volume names a claim: by its name and namespace, and by its uid if it names one."""
    reference, metadata = volume.spec.claim_ref, claim.metadata
    return (
        reference is not None
        and (reference.namespace, reference.name) == (metadata.namespace, metadata.name)
        and reference.uid in {"", metadata.uid}
    )


def mode_differs(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    """Whether one wants a file system where the other is a block device."""
    return (claim.spec.volume_mode or _FILESYSTEM) != (volume.spec.volume_mode or _FILESYSTEM)


def reference_to(claim: PersistentVolumeClaim) -> ObjectReference:
    """What a volume says of the claim that it is bound to."""
    metadata = claim.metadata
    return ObjectReference(
        api_version="v1",
        kind="PersistentVolumeClaim",
        namespace=metadata.namespace,
        name=metadata.name,
        uid=metadata.uid,
        resource_version=metadata.resource_version,
    )


def size_of(volume: PersistentVolume) -> Quantity:
    """How much a volume holds."""
    return volume.spec.capacity.get("storage", _NOTHING)


def requested(claim: PersistentVolumeClaim) -> Quantity:
    """How much a claim asks for."""
    return claim.spec.resources.requests.get("storage", _NOTHING)


def _may_have(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    """What is asked of volumes that were bound to the claim beforehand, too."""
    return (
        (volume.spec.claim_ref is None or is_bound_to(volume, claim))
        and size_of(volume) >= requested(claim)
        and not mode_differs(claim, volume)
        and volume.spec.volume_attributes_class_name == claim.spec.volume_attributes_class_name
        and volume.metadata.deletion_timestamp is None
        and set(volume.spec.access_modes).issuperset(claim.spec.access_modes)
    )


def _is_free(claim: PersistentVolumeClaim, volume: PersistentVolume, selector: Selector | None) -> bool:
    return (
        volume.status.phase == "Available"
        and (selector is None or selector.matches(volume.metadata.labels))
        and class_of(volume) == class_of(claim)
    )
