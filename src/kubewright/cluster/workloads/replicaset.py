"""ReplicaSets: as many pods of a template as they ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kubewright.cluster.workloads.indexes import CONTROLLED, index_by_controller
from kubewright.cluster.workloads.replicas import ReplicaKind, Replicas
from kubewright.controllers.owners import controller_of
from kubewright.machinery.label_selectors import Selector
from kubewright.models.apps_v1 import ReplicaSet, ReplicaSetCondition

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager

__all__ = ["setup"]


def setup(manager: Manager, parts: Parts) -> None:
    """Have ReplicaSets kept, and pods that match one adopted."""
    kind = ReplicaKind(
        kind=ReplicaSet,
        condition=ReplicaSetCondition,
        component="replicaset-controller",
        counts_terminating=True,
        selector=selector_of,
        siblings=_siblings,
    )
    index_by_controller(manager, ReplicaSet)
    Replicas(kind).watch(manager, name="replicaset-controller")


def selector_of(replica_set: ReplicaSet) -> Selector:
    """Which pods are meant. Raises ParseError."""
    return Selector.from_label_selector(replica_set.spec.selector.to_dict())


async def _siblings(ctx: Context, replica_set: ReplicaSet) -> Sequence[ReplicaSet]:
    """The ReplicaSets of the same Deployment; none for one without."""
    controller = controller_of(replica_set)
    if controller is None:
        return []
    return await ctx.client.api(ReplicaSet, replica_set.metadata.namespace).by(CONTROLLED, controller.uid)
