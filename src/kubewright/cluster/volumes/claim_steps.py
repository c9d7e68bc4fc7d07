"""What is to be done next for a claim; nothing here asks a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from kubewright.cluster.volumes.classes import class_of, has_class, waits_for_consumer
from kubewright.cluster.volumes.matching import is_bound_to, unsatisfied
from kubewright.cluster.volumes.names import BIND_COMPLETED, BOUND_BY_CONTROLLER, SELECTED_NODE
from kubewright.models.core_v1 import PersistentVolume, PersistentVolumeClaim
from kubewright.models.storage_v1 import StorageClass

__all__ = [
    "AssignClass",
    "Bind",
    "ClaimStep",
    "Lose",
    "Notice",
    "Provision",
    "Tell",
    "Wait",
    "step_for_bound",
    "step_for_named",
    "step_for_unbound",
]


class Notice(NamedTuple):
    """An event, in upstream's words."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str


class Bind(NamedTuple):
    """Bind the claim and a volume to each other, or finish that."""

    volume: PersistentVolume


class Wait(NamedTuple):
    """The claim is Pending; the event says for what."""

    notice: Notice | None


class Tell(NamedTuple):
    """Nothing but an event."""

    notice: Notice


class Lose(NamedTuple):
    """The claim is Lost, which is told once."""

    notice: Notice


class AssignClass(NamedTuple):
    """The claim names no class, and there is a default one by now."""

    name: str


class Provision(NamedTuple):
    """Have a volume made for the claim."""


ClaimStep: TypeAlias = Bind | Wait | Tell | Lose | AssignClass | Provision

_NO_CLASS: Final = Notice(
    "Normal", "FailedBinding", "no persistent volumes available for this claim and no storage class is set"
)
_NO_CONSUMER: Final = Notice(
    "Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding"
)


def step_for_unbound(
    claim: PersistentVolumeClaim,
    volume: PersistentVolume | None,
    *,
    storage_class: StorageClass | None,
    default: StorageClass | None,
    pods: Sequence[str],
) -> ClaimStep:
    """For a claim that was never bound and names no volume.

    `volume` is the best there is for it, `storage_class` its own class, `default` that of claims without
    one, and `pods` are the names of those that use the claim and have no node.
    """
    if volume is not None:
        return Bind(volume)
    if default is not None and not has_class(claim):
        return AssignClass(default.metadata.name)
    if waits_for_consumer(storage_class) and SELECTED_NODE not in claim.metadata.annotations:
        return Wait(_awaited(pods))
    return Provision() if class_of(claim) else Wait(_NO_CLASS)


def step_for_named(claim: PersistentVolumeClaim, volume: PersistentVolume | None) -> ClaimStep:
    """For a claim that was never bound and names a volume, which may not be there."""
    if volume is None:
        return Wait(None)
    name = volume.metadata.name
    if volume.spec.claim_ref is None:
        why = unsatisfied(volume, claim)
        if not why:
            return Bind(volume)
        return Wait(Notice("Warning", "VolumeMismatch", f'Cannot bind to requested volume "{name}": {why}'))
    if is_bound_to(volume, claim):
        return Bind(volume)
    taken = Notice("Warning", "FailedBinding", f'volume "{name}" already bound to a different claim.')
    # What a controller has bound should not come to this; only people are told to wait.
    return Tell(taken) if BOUND_BY_CONTROLLER in claim.metadata.annotations else Wait(taken)


def step_for_bound(claim: PersistentVolumeClaim, volume: PersistentVolume | None) -> ClaimStep:
    """For a claim that was bound once, and the volume that it names, if that is there."""
    if BIND_COMPLETED not in claim.metadata.annotations:
        raise ValueError(f"{claim} was never bound; ask for the step of one that was not")
    if not claim.spec.volume_name:
        return Lose(_lost("Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"))
    if volume is None:
        return Lose(_lost("Bound claim has lost its PersistentVolume. Data on the volume is lost!"))
    reference = volume.spec.claim_ref
    if reference is None or reference.uid == claim.metadata.uid:
        return Bind(volume)
    message = "Two claims are bound to the same volume, this one is bound incorrectly"
    return Lose(Notice("Warning", "ClaimMisbound", message))


def _lost(message: str) -> Notice:
    return Notice("Warning", "ClaimLost", message)


def _awaited(pods: Sequence[str]) -> Notice:
    """Whom a claim waits for that is bound when a pod wants it."""
    if not pods:
        return _NO_CONSUMER
    who = f"pods {','.join(pods)}" if len(pods) > 1 else f"pod {pods[0]}"
    return Notice("Normal", "WaitForPodScheduled", f"waiting for {who} to be scheduled")
