"""How claims and volumes are written: each only if that changes it, and only if nobody else has.

All raise Conflict when the object has changed since it was read, which has the reconcile repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kubewright.cluster.volumes.matching import is_bound_to, reference_to
from kubewright.cluster.volumes.names import (
    BETA_STORAGE_PROVISIONER,
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    STORAGE_PROVISIONER,
)
from kubewright.models.core_v1 import PersistentVolume, PersistentVolumeClaim

if TYPE_CHECKING:
    from kubewright.client.client import Client

__all__ = ["bind", "bind_volume", "set_claim_phase", "set_provisioner", "set_volume_phase", "unbind"]

_YES = "yes"
"""What annotations have as their value that need none: upstream's."""


async def bind(client: Client, claim: PersistentVolumeClaim, volume: PersistentVolume) -> None:
    """Bind both to each other, the volume first; whatever of that is done already is left."""
    volume = await bind_volume(client, volume, claim)
    volume = await set_volume_phase(client, volume, "Bound")
    claim = await _bind_claim(client, claim, volume.metadata.name)
    await set_claim_phase(client, claim, "Bound", volume)


async def unbind(client: Client, volume: PersistentVolume) -> PersistentVolume:
    """Offer a volume again; one that a user has bound to a claim stays meant for that name."""
    if BOUND_BY_CONTROLLER in volume.metadata.annotations:
        volume.spec.claim_ref = None
        volume.metadata.annotations = _without(volume.metadata.annotations, BOUND_BY_CONTROLLER)
    elif volume.spec.claim_ref is not None:
        volume.spec.claim_ref.uid = ""
    volume = await client.api(PersistentVolume).update(volume)
    return await set_volume_phase(client, volume, "Available")


async def set_volume_phase(
    client: Client,
    volume: PersistentVolume,
    phase: Literal["Available", "Bound", "Released", "Failed"],
    message: str = "",
) -> PersistentVolume:
    """Give a volume a phase, and say why."""
    if volume.status.phase == phase:
        return volume
    volume.status.phase = phase
    del volume.status.message
    if message:
        volume.status.message = message
    return await client.api(PersistentVolume).update_status(volume)


async def set_claim_phase(
    client: Client,
    claim: PersistentVolumeClaim,
    phase: Literal["Pending", "Bound", "Lost"],
    volume: PersistentVolume | None = None,
) -> PersistentVolumeClaim:
    """Give a claim a phase, and what its volume has; without a volume it has nothing."""
    status, before = claim.status, claim.status.copy()
    if volume is None:
        del status.access_modes, status.capacity, status.current_volume_attributes_class_name
    else:
        status.access_modes = list(volume.spec.access_modes)
        # Later changes of the size are not the binder's.
        if status.phase != phase:
            status.capacity = dict(volume.spec.capacity)
        attributes = volume.spec.volume_attributes_class_name
        if status.phase == "Pending" and attributes:
            status.current_volume_attributes_class_name = attributes
    status.phase = phase
    if status == before:
        return claim
    return await client.api(PersistentVolumeClaim, claim.metadata.namespace).update_status(claim)


async def set_provisioner(client: Client, claim: PersistentVolumeClaim, name: str) -> PersistentVolumeClaim:
    """Write down who is to make a volume for a claim."""
    annotations = claim.metadata.annotations
    if annotations.get(STORAGE_PROVISIONER) == name:
        return claim
    added = {BETA_STORAGE_PROVISIONER: name, STORAGE_PROVISIONER: name}
    claim.metadata.annotations = {**annotations, **added}
    return await client.api(PersistentVolumeClaim, claim.metadata.namespace).update(claim)


async def bind_volume(
    client: Client, volume: PersistentVolume, claim: PersistentVolumeClaim, *, manager: str = ""
) -> PersistentVolume:
    """Have a volume name a claim, which is the first half of their binding; `manager` is who does it."""
    reference = volume.spec.claim_ref
    if is_bound_to(volume, claim) and reference is not None and reference.uid:
        return volume
    if not is_bound_to(volume, claim):
        # Not by a user: for those the annotation is left out.
        volume.metadata.annotations = {BOUND_BY_CONTROLLER: _YES, **volume.metadata.annotations}
    volume.spec.claim_ref = reference_to(claim)
    return await client.api(PersistentVolume).update(volume, manager=manager)


async def _bind_claim(client: Client, claim: PersistentVolumeClaim, volume: str) -> PersistentVolumeClaim:
    annotations = dict(claim.metadata.annotations)
    if claim.spec.volume_name != volume:
        claim.spec.volume_name = volume
        annotations.setdefault(BOUND_BY_CONTROLLER, _YES)
    elif BIND_COMPLETED in annotations:
        return claim
    annotations.setdefault(BIND_COMPLETED, _YES)
    claim.metadata.annotations = annotations
    return await client.api(PersistentVolumeClaim, claim.metadata.namespace).update(claim)


def _without(annotations: dict[str, str], name: str) -> dict[str, str]:
    return {key: value for key, value in annotations.items() if key != name}
