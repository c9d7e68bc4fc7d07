"""Keeps volumes that are deleted until no claim is bound to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubewright.cluster.volumes.names import VOLUME_PROTECTION
from kubewright.cluster.volumes.protection import is_to_be_freed, lacks
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import PersistentVolume

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager
    from kubewright.controllers.requests import Request
    from kubewright.informers import Change

__all__ = ["setup"]


def setup(manager: Manager, parts: Parts) -> None:
    """Have volumes looked at that are deleted, or have no finalizer."""
    name = "persistentvolume-protection-controller"
    manager.controller(PersistentVolume, reconcile, name=name, predicates=[_matters])


def _matters(change: Change[Any]) -> bool:
    new = change.new
    return new is not None and (is_to_be_freed(new, VOLUME_PROTECTION) or lacks(new, VOLUME_PROTECTION))


async def reconcile(ctx: Context, request: Request) -> None:
    """Give a volume its finalizer, or take it away when no claim is bound to it."""
    volumes = ctx.client.api(PersistentVolume)
    try:
        volume = await volumes.get(request.name)
    except NotFound:
        return
    finalizers = volume.metadata.finalizers
    if lacks(volume, VOLUME_PROTECTION):
        volume.metadata.finalizers = [*finalizers, VOLUME_PROTECTION]
    elif is_to_be_freed(volume, VOLUME_PROTECTION) and volume.status.phase != "Bound":
        volume.metadata.finalizers = [each for each in finalizers if each != VOLUME_PROTECTION]
    else:
        return
    await volumes.update(volume)
