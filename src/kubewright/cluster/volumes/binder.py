"""Binds claims and volumes to each other, and reclaims volumes whose claims are gone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

from kubewright.client.api import Api
from kubewright.cluster.volumes.claim_steps import (
    AssignClass,
    Bind,
    ClaimStep,
    Lose,
    Notice,
    Provision,
    Tell,
    Wait,
    step_for_bound,
    step_for_named,
    step_for_unbound,
)
from kubewright.cluster.volumes.classes import class_of, default_class, find_class, waits_for_consumer
from kubewright.cluster.volumes.indexes import Waiting, volumes_for
from kubewright.cluster.volumes.matching import best_volume
from kubewright.cluster.volumes.names import BIND_COMPLETED
from kubewright.cluster.volumes.pods import index_pods_by_claim, pods_using
from kubewright.cluster.volumes.volume_steps import Reclaim, VolumeStep, how_to_reclaim, step_for_volume
from kubewright.cluster.volumes.writes import bind, set_claim_phase, set_provisioner, set_volume_phase, unbind
from kubewright.controllers.requests import Request
from kubewright.controllers.sources import Source
from kubewright.machinery.errors import NotFound
from kubewright.machinery.resource import Resource
from kubewright.models.core_v1 import PersistentVolume, PersistentVolumeClaim, Pod
from kubewright.models.storage_v1 import StorageClass

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager

__all__ = ["setup"]

K = TypeVar("K", bound=Resource)

_COMPONENT: Final = "persistentvolume-controller"
"""Who events are from: upstream's."""

_OVER: Final = frozenset({"Succeeded", "Failed"})
_RELEASED: Final = frozenset({"Released", "Failed"})


def setup(manager: Manager, parts: Parts) -> None:
    """Have claims and volumes bound.

    One worker does both: requests without a namespace are for volumes.
    """
    index_pods_by_claim(manager)
    waiting = Waiting(manager)
    manager.controller(
        PersistentVolumeClaim,
        reconcile,
        name="persistentvolume-binder-controller",
        watches=[
            Source(PersistentVolume, lambda volume: [Request("", volume.metadata.name)]),
            Source(PersistentVolume, waiting.named_by_volume),
            Source(PersistentVolume, waiting.for_free_volume, predicates=[waiting.is_free]),
            Source(PersistentVolumeClaim, waiting.volumes_of_claim),
            Source(StorageClass, waiting.for_class),
            Source(Pod, waiting.for_pod, predicates=[waiting.is_new]),
        ],
    )


async def reconcile(ctx: Context, request: Request) -> None:
    """Take the next step for a claim or a volume."""
    if request.namespace:
        claim = await _get(ctx.client.api(PersistentVolumeClaim, request.namespace), request.name)
        if claim is not None:
            await _take(ctx, claim, await _step(ctx, claim))
        return
    volume = await _get(ctx.client.api(PersistentVolume), request.name)
    if volume is not None:
        await _sync_volume(ctx, volume)


async def _step(ctx: Context, claim: PersistentVolumeClaim) -> ClaimStep:
    """What is to be done next for a claim, by all that it depends on."""
    name = claim.spec.volume_name
    if BIND_COMPLETED in claim.metadata.annotations:
        return step_for_bound(claim, await _surely(ctx, name) if name else None)
    if name:
        return step_for_named(claim, await _get(ctx.client.api(PersistentVolume), name))
    storage_class = await find_class(ctx.client, class_of(claim))
    delayed = waits_for_consumer(storage_class)
    volumes = await volumes_for(ctx.client, claim)
    return step_for_unbound(
        claim,
        best_volume(claim, volumes, delayed=delayed),
        storage_class=storage_class,
        default=default_class([each async for each in ctx.client.api(StorageClass).list()]),
        pods=await _unassigned(ctx, claim) if delayed else (),
    )


async def _take(ctx: Context, claim: PersistentVolumeClaim, step: ClaimStep) -> None:
    match step:
        case Bind(volume):
            await bind(ctx.client, claim, volume)
        case AssignClass(name):
            claim.spec.storage_class_name = name
            await ctx.client.api(PersistentVolumeClaim, claim.metadata.namespace).update(claim)
        case Provision():
            await _provision(ctx, claim)
        case Wait(notice):
            if notice is not None:
                _tell(ctx, claim, notice)
            await set_claim_phase(ctx.client, claim, "Pending")
        case Tell(notice):
            _tell(ctx, claim, notice)
        case Lose(notice):
            if claim.status.phase != "Lost":
                claim = await set_claim_phase(ctx.client, claim, "Lost")
                _tell(ctx, claim, notice)


async def _provision(ctx: Context, claim: PersistentVolumeClaim) -> None:
    """Say who is to make a volume for a claim; whoever that is sees it."""
    name = class_of(claim)
    found = await find_class(ctx.client, name)
    if found is None:
        why = f'storageclass.storage.k8s.io "{name}" not found'
    elif found.provisioner.startswith("kubernetes.io/"):
        why = f"no volume plugin matched name: {found.provisioner}"
    else:
        claim = await set_provisioner(ctx.client, claim, found.provisioner)
        message = (
            f"Waiting for a volume to be created either by the external provisioner '{found.provisioner}' or "
            "manually by the system administrator. If volume creation is delayed, please verify that the "
            "provisioner is running and correctly registered."
        )
        _tell(ctx, claim, Notice("Normal", "ExternalProvisioning", message))
        return
    _tell(ctx, claim, Notice("Warning", "ProvisioningFailed", why))


async def _sync_volume(ctx: Context, volume: PersistentVolume) -> None:
    claim = await _claim_of(ctx, volume)
    match step_for_volume(volume, claim):
        case VolumeStep.AVAILABLE:
            await set_volume_phase(ctx.client, volume, "Available")
        case VolumeStep.BOUND:
            await set_volume_phase(ctx.client, volume, "Bound")
        case VolumeStep.UNBIND:
            await unbind(ctx.client, volume)
        case VolumeStep.RELEASE:
            if volume.status.phase not in _RELEASED:
                volume = await set_volume_phase(ctx.client, volume, "Released")
            await _reclaim(ctx, volume)
        case VolumeStep.MISMATCH if claim is not None:
            told = f'Cannot bind PersistentVolume to requested PersistentVolumeClaim "{claim.metadata.name}"'
            _tell(ctx, volume, Notice("Warning", "VolumeMismatch", f"{told} due to incompatible volumeMode."))
            told = f'Cannot bind PersistentVolume "{volume.metadata.name}" to requested PersistentVolumeClaim'
            _tell(ctx, claim, Notice("Warning", "VolumeMismatch", f"{told} due to incompatible volumeMode."))
        case _:
            # Its claim has heard of it, too.
            pass


async def _reclaim(ctx: Context, volume: PersistentVolume) -> None:
    match how_to_reclaim(volume):
        case Reclaim.DELETE:
            with suppress(NotFound):
                await ctx.client.api(PersistentVolume).delete(volume.metadata.name, uid=volume.metadata.uid)
        case Reclaim.RECYCLE:
            _tell(ctx, volume, Notice("Normal", "VolumeRecycled", "Volume recycled"))
            await unbind(ctx.client, volume)
        case Notice() as notice if volume.status.phase != "Failed":
            volume = await set_volume_phase(ctx.client, volume, "Failed", notice.message)
            _tell(ctx, volume, notice)
        case _:
            pass


async def _claim_of(ctx: Context, volume: PersistentVolume) -> PersistentVolumeClaim | None:
    """The claim that a volume names, if it has the uid that is named.

    That it is not there is asked of the server: the cache of volumes may be ahead of that of claims.
    """
    reference = volume.spec.claim_ref
    if reference is None or not reference.uid:
        return None
    found = await _get(ctx.client.api(PersistentVolumeClaim, reference.namespace), reference.name)
    if found is None or found.metadata.uid != reference.uid:
        server = ctx.client.uncached
        found = await _get(server.api(PersistentVolumeClaim, reference.namespace), reference.name)
    return found if found is not None and found.metadata.uid == reference.uid else None


async def _surely(ctx: Context, name: str) -> PersistentVolume | None:
    """A volume; that it is not there is asked of the server, as a claim is lost by it."""
    found = await _get(ctx.client.api(PersistentVolume), name)
    return found if found is not None else await _get(ctx.client.uncached.api(PersistentVolume), name)


async def _unassigned(ctx: Context, claim: PersistentVolumeClaim) -> Sequence[str]:
    """The pods that use a claim and have no node."""
    return [
        pod.metadata.name
        for pod in await pods_using(ctx.client, claim)
        if not pod.spec.node_name and pod.status.phase not in _OVER
    ]


async def _get(api: Api[K], name: str) -> K | None:
    try:
        return await api.get(name)
    except NotFound:
        return None


def _tell(ctx: Context, obj: Resource, notice: Notice) -> None:
    ctx.events.named(_COMPONENT).event(obj, notice.type, notice.reason, notice.message)
