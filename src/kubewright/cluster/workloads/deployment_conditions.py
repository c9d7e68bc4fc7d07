"""The conditions of a Deployment: upstream's types, reasons and rules of when they change."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from kubewright.controllers.conditions import find_condition
from kubewright.models.apps_v1 import DeploymentCondition

if TYPE_CHECKING:
    from kubewright.models.apps_v1 import Deployment, DeploymentStatus, ReplicaSetCondition

__all__ = [
    "AVAILABLE",
    "CREATE_ERROR",
    "FOUND",
    "NEW_AVAILABLE",
    "NEW_CREATED",
    "PAUSED",
    "PROGRESSING",
    "REPLICA_FAILURE",
    "RESUMED",
    "TIMED_OUT",
    "UPDATED",
    "condition",
    "drop_condition",
    "from_replica_set",
    "has_deadline",
    "is_timed_out",
    "progress_check_in",
    "put_condition",
]

AVAILABLE: Final = "Available"
PROGRESSING: Final = "Progressing"
REPLICA_FAILURE: Final = "ReplicaFailure"

UPDATED: Final = "ReplicaSetUpdated"
CREATE_ERROR: Final = "ReplicaSetCreateError"
NEW_CREATED: Final = "NewReplicaSetCreated"
FOUND: Final = "FoundNewReplicaSet"
NEW_AVAILABLE: Final = "NewReplicaSetAvailable"
TIMED_OUT: Final = "ProgressDeadlineExceeded"
PAUSED: Final = "DeploymentPaused"
RESUMED: Final = "DeploymentResumed"

_NO_DEADLINE: Final = 2**31 - 1
"""What a progress deadline is set to by those who want none."""

_PAST: Final = 0.01
"""Seconds past a deadline: it is exceeded after it, not at it."""


def condition(
    type: str,  # noqa: A002 - as in the API
    status: str,
    reason: str,
    message: str,
    now: datetime,
) -> DeploymentCondition:
    """A condition that changes now."""
    return DeploymentCondition(
        type=type,
        status=status,
        reason=reason,
        message=message,
        last_update_time=now,
        last_transition_time=now,
    )


def put_condition(status: DeploymentStatus, new: DeploymentCondition) -> None:
    """Set a condition, as the last one, unless it is there with the same status and reason.

    The time of transition stays where the status does.
    """
    current = find_condition(status.conditions, new.type)
    if current is not None and current.status == new.status:
        if current.reason == new.reason:
            return
        new.last_transition_time = current.last_transition_time
    drop_condition(status, new.type)
    status.conditions.append(new)


def drop_condition(status: DeploymentStatus, type: str) -> None:  # noqa: A002 - as in the API
    """Have no condition of a type."""
    status.conditions = [each for each in status.conditions if each.type != type]


def from_replica_set(failure: ReplicaSetCondition) -> DeploymentCondition:
    """The condition of a ReplicaSet as one of its Deployment."""
    return DeploymentCondition(
        type=failure.type,
        status=failure.status,
        reason=failure.reason,
        message=failure.message,
        last_update_time=failure.last_transition_time,
        last_transition_time=failure.last_transition_time,
    )


def has_deadline(deployment: Deployment) -> bool:
    """Whether a rollout that gets nowhere is to be reported."""
    return deployment.spec.progress_deadline_seconds not in (None, _NO_DEADLINE)


def is_timed_out(deployment: Deployment, status: DeploymentStatus, now: datetime) -> bool:
    """Whether a rollout has got nowhere for longer than its deadline allows, or was reported so before."""
    current = find_condition(status.conditions, PROGRESSING)
    if not has_deadline(deployment) or current is None or current.reason == NEW_AVAILABLE:
        return False
    return current.reason == TIMED_OUT or _left(deployment, current, now) < 0


def progress_check_in(deployment: Deployment, now: datetime) -> float | None:
    """In how many seconds a rollout that makes no progress by then exceeds its deadline; None for never."""
    current = find_condition(deployment.status.conditions, PROGRESSING)
    if not has_deadline(deployment) or current is None or current.reason in (TIMED_OUT, NEW_AVAILABLE):
        return None
    return max(_left(deployment, current, now), 0.0) + _PAST


def _left(deployment: Deployment, progressing: DeploymentCondition, now: datetime) -> float:
    since = progressing.last_update_time or now
    return (deployment.spec.progress_deadline_seconds or 0) - (now - since).total_seconds()
