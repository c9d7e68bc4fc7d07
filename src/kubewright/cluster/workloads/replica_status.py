"""The status of a ReplicaSet or a ReplicationController, from its pods."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubewright.cluster.workloads.pods import is_available, is_ready
from kubewright.controllers.conditions import find_condition, remove_condition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubewright.models.apps_v1 import ReplicaSetCondition, ReplicaSetStatus
    from kubewright.models.core_v1 import Pod, ReplicationControllerCondition, ReplicationControllerStatus

__all__ = ["REPLICA_FAILURE", "Counts", "Failure", "count_pods", "update_status"]

REPLICA_FAILURE: Final = "ReplicaFailure"


class Counts(NamedTuple):
    """The pods of a controller, counted."""

    replicas: int
    fully_labeled: int
    ready: int
    available: int
    terminating: int | None
    """None where the kind does not say it."""


class Failure(NamedTuple):
    """Why pods could not be created or deleted."""

    reason: str
    message: str


def count_pods(
    active: Sequence[Pod],
    labels: Mapping[str, str],
    *,
    min_ready_seconds: int,
    now: datetime,
    terminating: int | None,
) -> Counts:
    """Count the active pods; `labels` are those of the template."""
    wanted = labels.items()
    ready = [pod for pod in active if is_ready(pod)]
    return Counts(
        replicas=len(active),
        fully_labeled=sum(wanted <= pod.metadata.labels.items() for pod in active),
        ready=len(ready),
        available=sum(is_available(pod, min_ready_seconds, now) for pod in ready),
        terminating=terminating,
    )


def update_status(
    status: ReplicaSetStatus | ReplicationControllerStatus,
    condition: type[ReplicaSetCondition | ReplicationControllerCondition],
    counts: Counts,
    failure: Failure | None,
    *,
    generation: int,
    now: datetime,
) -> bool:
    """Bring a status up to date; whether that changed it.

    A failure that is reported already keeps its reason, its message and its time, as upstream's does.
    """
    before = status.copy()
    status.replicas = counts.replicas
    # What is 0 is not said, as in Go; only the count of terminating pods is.
    status.fully_labeled_replicas = counts.fully_labeled or None
    status.ready_replicas = counts.ready or None
    status.available_replicas = counts.available or None
    if counts.terminating is not None:
        status.terminating_replicas = counts.terminating  # type: ignore[union-attr]
    status.observed_generation = generation
    conditions: list[Any] = status.conditions
    reported = find_condition(conditions, REPLICA_FAILURE)
    if failure is not None and reported is None:
        made = condition(
            type=REPLICA_FAILURE,
            status="True",
            reason=failure.reason,
            message=failure.message,
            last_transition_time=now,
        )
        conditions.append(made)
    elif failure is None:
        remove_condition(conditions, REPLICA_FAILURE)
    return status != before
