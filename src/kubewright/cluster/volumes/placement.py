"""Where a pod can be, by its volumes, and the binding of claims that wait for that to be known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from kubewright.cluster.scheduler.fit import matches_terms
from kubewright.cluster.volumes.classes import class_of, find_class
from kubewright.cluster.volumes.matching import best_volume, is_bound_to, requested
from kubewright.cluster.volumes.names import NO_PROVISIONER, SELECTED_NODE
from kubewright.cluster.volumes.writes import bind_volume
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import Node, PersistentVolume, PersistentVolumeClaim
from kubewright.models.storage_v1 import StorageClass

if TYPE_CHECKING:
    from kubewright.client.client import Client

__all__ = ["Delayed", "Placement", "placement_of", "reserve"]

_MANAGER: Final = "kube-scheduler"
"""Who is recorded as the manager of what is written here."""

_ABSENT: Final = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
_ELSEWHERE: Final = "node(s) didn't match PersistentVolume's node affinity"
_NONE_TO_BIND: Final = "node(s) didn't find available persistent volumes to bind"
"""kube-scheduler's words."""


class Delayed(NamedTuple):
    """A claim that is bound when it is known where its pod is going to be."""

    claim: PersistentVolumeClaim
    storage_class: StorageClass | None
    volumes: Sequence[PersistentVolume]
    """Those that it may have."""


class Placement(NamedTuple):
    """What the volumes of a pod ask of its node."""

    bound: Sequence[PersistentVolume | None] = ()
    """Of its bound claims; None for one that is not there."""
    delayed: Sequence[Delayed] = ()

    def misfit(self, node: Node) -> list[str]:
        """Why a pod with these volumes cannot be on a node; nothing when it can."""
        reasons = []
        if any(each is not None and not _reaches(each, node) for each in self.bound):
            reasons.append(_ELSEWHERE)
        if self.plan(node) is None:
            reasons.append(_NONE_TO_BIND)
        if None in self.bound:
            reasons.append(_ABSENT)
        return reasons

    def plan(self, node: Node) -> list[tuple[PersistentVolumeClaim, PersistentVolume | None]] | None:
        """The volume of each delayed claim on a node, None for one that is made; None if one has none."""
        planned: list[tuple[PersistentVolumeClaim, PersistentVolume | None]] = []
        taken: set[str] = set()
        for each in sorted(self.delayed, key=lambda each: requested(each.claim)):
            selected = each.claim.metadata.annotations.get(SELECTED_NODE, node.metadata.name)
            volume = None if SELECTED_NODE in each.claim.metadata.annotations else _volume(each, node, taken)
            if selected != node.metadata.name or (volume is None and not _can_be_made(each, node)):
                return None
            if volume is not None:
                taken.add(volume.metadata.name)
            planned.append((each.claim, volume))
        return planned


async def placement_of(
    client: Client, bound: Sequence[PersistentVolumeClaim], delayed: Sequence[PersistentVolumeClaim]
) -> Placement:
    """What the claims of a pod ask of its node: those that are bound, and those that wait for it."""
    volumes = client.api(PersistentVolume)
    found: list[PersistentVolume | None] = []
    for name in (each.spec.volume_name for each in bound):
        try:
            found += [await volumes.get(name)] if name else []
        except NotFound:
            found.append(None)
    if not delayed:
        return Placement(found)
    there = [each async for each in volumes.list()]
    waiting = [
        Delayed(
            claim,
            await find_class(client, class_of(claim)),
            [each for each in there if each.spec.claim_ref is None or is_bound_to(each, claim)],
        )
        for claim in delayed
    ]
    return Placement(found, waiting)


async def reserve(client: Client, placement: Placement, node: Node) -> None:
    """Have the delayed claims of a pod bound for a node: each gets a volume, or says where it wants one."""
    for claim, volume in placement.plan(node) or ():
        if volume is not None:
            await bind_volume(client, volume, claim, manager=_MANAGER)
        elif claim.metadata.annotations.get(SELECTED_NODE) != node.metadata.name:
            claim.metadata.annotations = {**claim.metadata.annotations, SELECTED_NODE: node.metadata.name}
            claims = client.api(PersistentVolumeClaim, claim.metadata.namespace)
            await claims.update(claim, manager=_MANAGER)


def _volume(delayed: Delayed, node: Node, taken: set[str]) -> PersistentVolume | None:
    """The volume that a claim gets on a node; none if one that is meant for it is elsewhere."""
    claim = delayed.claim
    free = [each for each in delayed.volumes if each.metadata.name not in taken]
    meant = [each for each in free if is_bound_to(each, claim)]
    return best_volume(claim, [each for each in meant or free if _reaches(each, node)], delayed=False)


def _can_be_made(delayed: Delayed, node: Node) -> bool:
    found = delayed.storage_class
    if found is None or found.provisioner in {"", NO_PROVISIONER}:
        return False
    labels, terms = node.metadata.labels, found.allowed_topologies
    return not terms or any(
        term.match_label_expressions
        and all(labels.get(each.key) in each.values for each in term.match_label_expressions)
        for term in terms
    )


def _reaches(volume: PersistentVolume, node: Node) -> bool:
    affinity = volume.spec.node_affinity
    required = affinity.required if affinity is not None else None
    return required is None or matches_terms(required.node_selector_terms, node)
