"""The claims of a pod, as far as they decide when and where it is assigned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kubewright.cluster.scheduler.fit import Misfit
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import Node, PersistentVolumeClaim, Pod, Volume

if TYPE_CHECKING:
    from kubewright.cluster.volumes.placement import Placement
    from kubewright.controllers.context import Context

__all__ = ["NeededClaims", "claims_of"]


class NeededClaims(NamedTuple):
    """What a pod waits for."""

    problem: str = ""
    """Why it can be assigned nowhere yet, in the words of kube-scheduler; empty when it can."""
    unbound: Sequence[PersistentVolumeClaim] = ()
    """Those that are bound when it is known where the pod is going to be."""
    placement: Placement | None = None
    """What its volumes ask of its node; None for a pod without claims."""

    def misfit(self, node: Node) -> Misfit | None:
        """Why a node cannot have the volumes; None when it can."""
        reasons = self.placement.misfit(node) if self.placement is not None else []
        return Misfit(reasons) if reasons else None

    async def reserve(self, ctx: Context, node: Node) -> None:
        """Have what is unbound bound for a node."""
        from kubewright.cluster.volumes.placement import reserve  # noqa: PLC0415 - few pods have such claims

        if self.placement is not None:
            await reserve(ctx.client, self.placement, node)


async def claims_of(ctx: Context, pod: Pod) -> NeededClaims:
    """The claims of a pod that are not bound, or what is wrong with one."""
    found: list[PersistentVolumeClaim] = []
    for volume in pod.spec.volumes:
        name = _claim_name(pod, volume)
        if not name:
            continue
        try:
            claim = await ctx.client.api(PersistentVolumeClaim, pod.metadata.namespace).get(name)
        except NotFound:
            if volume.ephemeral is None:
                return NeededClaims(f'persistentvolumeclaim "{name}" not found')
            waits = "waiting for ephemeral volume controller to create the persistentvolumeclaim"
            return NeededClaims(f'{waits} "{name}"')
        problem = _problem(claim)
        if problem:
            return NeededClaims(problem)
        found.append(claim)
    return await _placed(ctx, found) if found else NeededClaims()


def _claim_name(pod: Pod, volume: Volume) -> str:
    if volume.persistent_volume_claim is not None:
        return volume.persistent_volume_claim.claim_name
    return f"{pod.metadata.name}-{volume.name}" if volume.ephemeral is not None else ""


def _problem(claim: PersistentVolumeClaim) -> str:
    name = claim.metadata.name
    if claim.status.phase == "Lost":
        volume = claim.spec.volume_name
        return f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume}"'
    if claim.metadata.deletion_timestamp is not None:
        return f'persistentvolumeclaim "{name}" is being deleted'
    return ""


async def _placed(ctx: Context, claims: Sequence[PersistentVolumeClaim]) -> NeededClaims:
    """What claims ask of a node, if all that are unbound are of classes that wait for a pod."""
    # Only for pods with claims, since these load the models of storage.
    from kubewright.cluster.volumes.classes import class_of, find_class, waits_for_consumer  # noqa: PLC0415
    from kubewright.cluster.volumes.placement import placement_of  # noqa: PLC0415

    bound = [each for each in claims if _is_bound(each)]
    unbound = [each for each in claims if not _is_bound(each)]
    for claim in unbound:
        if claim.spec.volume_name or not waits_for_consumer(await find_class(ctx.client, class_of(claim))):
            return NeededClaims("pod has unbound immediate PersistentVolumeClaims")
    return NeededClaims(unbound=unbound, placement=await placement_of(ctx.client, bound, unbound))


def _is_bound(claim: PersistentVolumeClaim) -> bool:
    """Whether a claim has its volume; the annotation comes before the phase."""
    annotated = "pv.kubernetes.io/bind-completed" in claim.metadata.annotations
    return claim.status.phase == "Bound" or (annotated and bool(claim.spec.volume_name))
