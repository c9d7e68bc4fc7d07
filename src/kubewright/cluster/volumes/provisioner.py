"""Makes volumes on the spot for claims whose class has our provisioner, and takes them away again.

It stands for the driver of a storage system, as one that comes from outside: it sees the annotation that
`binder` gives claims, and creates volumes. There is nothing behind them.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from kubewright.cluster.volumes.classes import class_of, find_class, is_default, waits_for_consumer
from kubewright.cluster.volumes.matching import reference_to
from kubewright.cluster.volumes.names import PROVISIONED_BY, PROVISIONER, SELECTED_NODE, STORAGE_PROVISIONER
from kubewright.controllers.requests import Request
from kubewright.controllers.sources import Source
from kubewright.machinery.errors import AlreadyExists, KubewrightError, NotFound
from kubewright.machinery.meta import ObjectMeta
from kubewright.models.core_v1 import (
    CSIPersistentVolumeSource,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
)
from kubewright.models.storage_v1 import StorageClass

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager
    from kubewright.informers import Change

__all__ = ["is_to_be_deleted", "is_to_be_made", "setup", "volume_for"]

_STANDARD: Final = "standard"
"""The name of the default class, as kind and minikube have it."""

_RELEASED: Final = frozenset({"Released", "Failed"})

_log: Final = logging.getLogger("kubewright.cluster")


def setup(manager: Manager, parts: Parts) -> None:
    """Have volumes made and deleted, and a default class made at the start if there is none.

    Requests without a namespace are for volumes.
    """

    async def make_default() -> None:
        classes = manager.client.api(StorageClass)
        try:
            if not any([is_default(each) async for each in classes.list()]):
                with suppress(AlreadyExists):
                    await classes.create(_standard())
        except KubewrightError as error:
            # A webhook may refuse it, which is no reason for all controllers to end.
            _log.warning("there is no default storage class, and none could be made: %s", error)

    manager.add(make_default)
    manager.controller(
        PersistentVolumeClaim,
        reconcile,
        name="persistentvolume-provisioner",
        predicates=[_is_ours],
        watches=[Source(PersistentVolume, _request, predicates=[_may_go])],
    )


def is_to_be_made(claim: PersistentVolumeClaim, storage_class: StorageClass) -> bool:
    """Whether a claim waits for a volume of ours."""
    annotations = claim.metadata.annotations
    if claim.spec.volume_name or claim.metadata.deletion_timestamp is not None:
        return False
    if annotations.get(STORAGE_PROVISIONER) != PROVISIONER or storage_class.provisioner != PROVISIONER:
        return False
    return not waits_for_consumer(storage_class) or SELECTED_NODE in annotations


def volume_for(claim: PersistentVolumeClaim, storage_class: StorageClass) -> PersistentVolume:
    """The volume that is made for a claim: as large as it asks for, and of its class."""
    name = f"pvc-{claim.metadata.uid}"
    spec = PersistentVolumeSpec(
        access_modes=list(claim.spec.access_modes),
        capacity={"storage": claim.spec.resources.requests["storage"]},
        claim_ref=reference_to(claim),
        csi=CSIPersistentVolumeSource(driver=PROVISIONER, volume_handle=name),
        persistent_volume_reclaim_policy=storage_class.reclaim_policy or "Delete",
        storage_class_name=storage_class.metadata.name,
        volume_mode=claim.spec.volume_mode or "Filesystem",
    )
    if storage_class.mount_options:
        spec.mount_options = list(storage_class.mount_options)
    if claim.spec.volume_attributes_class_name:
        # Set to "" it would not be taken for unset.
        spec.volume_attributes_class_name = claim.spec.volume_attributes_class_name
    metadata = ObjectMeta(name=name, annotations={PROVISIONED_BY: PROVISIONER})
    return PersistentVolume(metadata=metadata, spec=spec)


def is_to_be_deleted(volume: PersistentVolume) -> bool:
    """Whether a volume is one of ours that nobody is to have again."""
    return (
        volume.metadata.annotations.get(PROVISIONED_BY) == PROVISIONER
        and volume.spec.persistent_volume_reclaim_policy == "Delete"
        and volume.status.phase in _RELEASED
        and volume.metadata.deletion_timestamp is None
    )


async def reconcile(ctx: Context, request: Request) -> None:
    """Make the volume of a claim, or delete a volume."""
    try:
        if request.namespace:
            claims = ctx.client.api(PersistentVolumeClaim, request.namespace)
            await _provision(ctx, await claims.get(request.name))
        else:
            volumes = ctx.client.api(PersistentVolume)
            volume = await volumes.get(request.name)
            if is_to_be_deleted(volume):
                await volumes.delete(request.name, uid=volume.metadata.uid)
    except NotFound:
        return


async def _provision(ctx: Context, claim: PersistentVolumeClaim) -> None:
    storage_class = await find_class(ctx.client, class_of(claim))
    if storage_class is None or not is_to_be_made(claim, storage_class):
        return
    volumes, made = ctx.client.api(PersistentVolume), volume_for(claim, storage_class)
    with suppress(NotFound):
        await volumes.get(made.metadata.name)
        return
    events, name = ctx.events.named(PROVISIONER), Request.of(claim)
    events.normal(claim, "Provisioning", f'External provisioner is provisioning volume for claim "{name}"')
    if claim.spec.selector is not None:
        why = f'failed to provision volume with StorageClass "{storage_class.metadata.name}"'
        events.warning(claim, "ProvisioningFailed", f"{why}: claim Selector is not supported")
        return
    with suppress(AlreadyExists):
        await volumes.create(made)
    told = f"Successfully provisioned volume {made.metadata.name}"
    events.normal(claim, "ProvisioningSucceeded", told)


def _is_ours(change: Change[PersistentVolumeClaim]) -> bool:
    claim = change.object
    is_ours = claim.metadata.annotations.get(STORAGE_PROVISIONER) == PROVISIONER
    return is_ours and not claim.spec.volume_name


def _request(volume: PersistentVolume) -> list[Request]:
    return [Request.of(volume)]


def _may_go(change: Change[PersistentVolume]) -> bool:
    return change.new is not None and is_to_be_deleted(change.new)


def _standard() -> StorageClass:
    annotations = {"storageclass.kubernetes.io/is-default-class": "true"}
    return StorageClass(
        metadata=ObjectMeta(name=_STANDARD, annotations=annotations),
        provisioner=PROVISIONER,
        reclaim_policy="Delete",
        volume_binding_mode="Immediate",
        allow_volume_expansion=True,
    )
