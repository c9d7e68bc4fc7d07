"""Keeps claims that are deleted until no pod uses them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kubewright.cluster.volumes.names import CLAIM_PROTECTION
from kubewright.cluster.volumes.pods import claim_name, claims_of, index_pods_by_claim, pods_using
from kubewright.cluster.volumes.protection import is_to_be_freed, lacks
from kubewright.controllers.owners import controller_of
from kubewright.controllers.sources import Source
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import PersistentVolumeClaim, Pod

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager
    from kubewright.controllers.requests import Request
    from kubewright.informers import Change

__all__ = ["is_used", "setup"]


def setup(manager: Manager, parts: Parts) -> None:
    """Have claims looked at that are deleted, and again when a pod that uses them is through."""
    index_pods_by_claim(manager)
    manager.controller(
        PersistentVolumeClaim,
        reconcile,
        name="persistentvolumeclaim-protection-controller",
        predicates=[_matters],
        watches=[Source(Pod, claims_of, predicates=[_lets_go])],
    )


def _matters(change: Change[Any]) -> bool:
    new = change.new
    return new is not None and (is_to_be_freed(new, CLAIM_PROTECTION) or lacks(new, CLAIM_PROTECTION))


def _lets_go(change: Change[Any]) -> bool:
    """Whether a pod may have been the last one to use its claims: it is gone, or another of its name came."""
    old, new = change.old, change.new
    if old is None or new is None:
        return new is None
    return old.metadata.uid != new.metadata.uid or _is_shut_down(new)


def is_used(claim: PersistentVolumeClaim, pods: Iterable[Pod]) -> bool:
    """Whether one of some pods uses a claim: one that has a node, however its containers have ended."""
    return any(_uses(pod, claim) for pod in pods if pod.spec.node_name)


def _uses(pod: Pod, claim: PersistentVolumeClaim) -> bool:
    for volume in pod.spec.volumes:
        if claim_name(pod, volume) != claim.metadata.name:
            continue
        if volume.persistent_volume_claim is not None:
            return True
        # Made for the pod: not one that merely has such a name, and not for a pod that waits to be collected.
        owner = controller_of(claim)
        if owner is not None and owner.uid == pod.metadata.uid and not _is_shut_down(pod):
            return True
    return False


def _is_shut_down(pod: Pod) -> bool:
    metadata = pod.metadata
    return metadata.deletion_timestamp is not None and metadata.deletion_grace_period_seconds == 0


async def reconcile(ctx: Context, request: Request) -> None:
    """Give a claim its finalizer, or take it away when nobody uses the claim."""
    claims = ctx.client.api(PersistentVolumeClaim, request.namespace)
    try:
        claim = await claims.get(request.name)
    except NotFound:
        return
    finalizers = claim.metadata.finalizers
    if lacks(claim, CLAIM_PROTECTION):
        claim.metadata.finalizers = [*finalizers, CLAIM_PROTECTION]
    elif is_to_be_freed(claim, CLAIM_PROTECTION) and not await _is_in_use(ctx, claim):
        claim.metadata.finalizers = [each for each in finalizers if each != CLAIM_PROTECTION]
    else:
        return
    await claims.update(claim)


async def _is_in_use(ctx: Context, claim: PersistentVolumeClaim) -> bool:
    """Whether a pod uses a claim, by the cache and then by the server, which may know of a newer pod."""
    if is_used(claim, await pods_using(ctx.client, claim)):
        return True
    pods = ctx.client.uncached.api(Pod, claim.metadata.namespace)
    return is_used(claim, [pod async for pod in pods.list()])
