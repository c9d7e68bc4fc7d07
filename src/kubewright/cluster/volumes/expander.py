"""Lets volumes grow with what their claims ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubewright.cluster.volumes.matching import requested, size_of
from kubewright.cluster.volumes.names import PROVISIONED_BY, PROVISIONER
from kubewright.machinery.errors import NotFound
from kubewright.machinery.quantity import Quantity
from kubewright.models.core_v1 import PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager
    from kubewright.controllers.requests import Request
    from kubewright.informers import Change

__all__ = ["grow", "setup", "wants_more"]

_COMPONENT: Final = "volume_expand"
"""Who says that somebody else is to do it: upstream's."""

_RESIZER: Final = f"external-resizer {PROVISIONER}"
"""Who events about our volumes are from: as upstream's resizer of any driver calls itself."""

_RESIZING: Final = frozenset(
    {"Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"}
)
"""The conditions of a claim that grows, all of which are gone when it has grown."""

_NOTHING: Final = Quantity(0)


def setup(manager: Manager, parts: Parts) -> None:
    """Have claims looked at that ask for more than they have."""
    manager.controller(
        PersistentVolumeClaim, reconcile, name="persistentvolume-expander-controller", predicates=[_has_grown]
    )


def _has_grown(change: Change[PersistentVolumeClaim]) -> bool:
    """Whether a claim that wants more has not been looked at yet: when it, or what it has, has grown."""
    old, new = change.old, change.new
    if new is None or not wants_more(new):
        return False
    if old is None:
        return True
    return requested(new) > requested(old) or _has(new) > _has(old)


def wants_more(claim: PersistentVolumeClaim) -> bool:
    """Whether a bound claim asks for more than its volume has."""
    return claim.status.phase == "Bound" and requested(claim) > _has(claim)


def grow(status: PersistentVolumeClaimStatus, size: Quantity) -> None:
    """What the status of a claim is when it has grown: nothing is under way any more."""
    status.capacity = {**status.capacity, "storage": size}
    status.allocated_resources = {**status.allocated_resources, "storage": size}
    left = {name: each for name, each in status.allocated_resource_statuses.items() if name != "storage"}
    conditions = [each for each in status.conditions if each.type not in _RESIZING]
    del status.allocated_resource_statuses, status.conditions
    if left:
        status.allocated_resource_statuses = left
    if conditions:
        status.conditions = conditions


async def reconcile(ctx: Context, request: Request) -> None:
    """Let the volume of a claim grow, if it is one of ours."""
    claims, volumes = (
        ctx.client.api(PersistentVolumeClaim, request.namespace),
        ctx.client.api(PersistentVolume),
    )
    try:
        claim = await claims.get(request.name)
        if not wants_more(claim):
            return
        volume = await volumes.get(claim.spec.volume_name)
    except NotFound:
        return
    reference, size = volume.spec.claim_ref, requested(claim)
    if reference is None or reference.uid != claim.metadata.uid:
        return
    if volume.metadata.annotations.get(PROVISIONED_BY) != PROVISIONER:
        told = "waiting for an external controller to expand this PVC"
        ctx.events.named(_COMPONENT).normal(claim, "ExternalExpanding", told)
        return
    events, name = ctx.events.named(_RESIZER), volume.metadata.name
    if size_of(volume) < size:
        events.normal(claim, "Resizing", f"External resizer is resizing volume {name}")
        volume.spec.capacity = {**volume.spec.capacity, "storage": size}
        await volumes.update(volume)
    grow(claim.status, size)
    claim = await claims.update_status(claim)
    events.normal(claim, "VolumeResizeSuccessful", "Resize volume succeeded")


def _has(claim: PersistentVolumeClaim) -> Quantity:
    return claim.status.capacity.get("storage", _NOTHING)
