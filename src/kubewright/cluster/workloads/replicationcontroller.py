"""ReplicationControllers: what there was before ReplicaSets, kept by the same code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kubewright.cluster.workloads.replicas import ReplicaKind, Replicas
from kubewright.machinery.label_selectors import Selector
from kubewright.models.core_v1 import ReplicationController, ReplicationControllerCondition

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager

__all__ = ["setup"]


def setup(manager: Manager, parts: Parts) -> None:
    """Have ReplicationControllers kept, and pods that match one adopted."""
    kind = ReplicaKind(
        kind=ReplicationController,
        condition=ReplicationControllerCondition,
        component="replication-controller",
        counts_terminating=False,
        selector=_selector_of,
        siblings=_no_siblings,
    )
    Replicas(kind).watch(manager, name="replicationcontroller-controller")


def _selector_of(controller: ReplicationController) -> Selector:
    """Which pods are meant: none where it does not say, as an empty selector would mean all."""
    labels = controller.spec.selector
    return Selector.from_labels(labels) if labels else Selector.nothing()


async def _no_siblings(ctx: Context, controller: ReplicationController) -> Sequence[ReplicationController]:
    """None: nothing controls ReplicationControllers."""
    return []
