"""The status of a Deployment, from its ReplicaSets."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from kubewright.cluster.workloads.deployment_conditions import (
    AVAILABLE,
    NEW_AVAILABLE,
    PAUSED,
    PROGRESSING,
    REPLICA_FAILURE,
    RESUMED,
    TIMED_OUT,
    UPDATED,
    condition,
    drop_condition,
    from_replica_set,
    has_deadline,
    is_timed_out,
    put_condition,
)
from kubewright.cluster.workloads.rolling import limits_of
from kubewright.controllers.conditions import find_condition
from kubewright.machinery.field_errors import go_quote
from kubewright.models.apps_v1 import DeploymentStatus

if TYPE_CHECKING:
    from kubewright.models.apps_v1 import Deployment, ReplicaSet

__all__ = ["compute_status", "is_complete", "note_pause", "report_progress"]


def compute_status(
    deployment: Deployment, replica_sets: Sequence[ReplicaSet], new: ReplicaSet | None, now: datetime
) -> DeploymentStatus:
    """Its status but for the progress of a rollout; `replica_sets` are all of them, `new` among them.

    The other conditions and the count of collisions are those that it has.
    """
    available = sum(each.status.available_replicas or 0 for each in replica_sets)
    asked_for = sum(each.spec.replicas or 0 for each in replica_sets)
    ready = sum(each.status.ready_replicas or 0 for each in replica_sets)
    # What is 0 is not said, as in Go; only the count of terminating pods is.
    status = DeploymentStatus(
        observed_generation=deployment.metadata.generation,
        replicas=sum(each.status.replicas for each in replica_sets) or None,
        updated_replicas=(new.status.replicas if new is not None else 0) or None,
        ready_replicas=ready or None,
        available_replicas=available or None,
        unavailable_replicas=max(asked_for - available, 0) or None,
        terminating_replicas=_terminating(replica_sets),
        collision_count=deployment.status.collision_count,
        conditions=list(deployment.status.conditions),
    )
    if available >= limits_of(deployment).min_available:
        enough = "True", "MinimumReplicasAvailable", "Deployment has minimum availability."
    else:
        enough = "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
    put_condition(status, condition(AVAILABLE, *enough, now))
    return status


def is_complete(deployment: Deployment, status: DeploymentStatus) -> bool:
    """Whether all pods that are wanted are of the present template and available, and there are no others."""
    desired = limits_of(deployment).desired
    counts = (status.updated_replicas or 0, status.replicas or 0, status.available_replicas or 0)
    observed = (status.observed_generation or 0) >= (deployment.metadata.generation or 0)
    return observed and all(count == desired for count in counts)


def report_progress(
    deployment: Deployment,
    status: DeploymentStatus,
    replica_sets: Sequence[ReplicaSet],
    new: ReplicaSet | None,
    now: datetime,
) -> None:
    """Say in a new status of a Deployment how its rollout goes: compared with the status that it has."""
    if has_deadline(deployment):
        _report_rollout(deployment, status, new, now)
    else:
        drop_condition(status, PROGRESSING)
    failures = [
        each
        for replica_set in ([new] if new is not None else []) + list(replica_sets)
        for each in replica_set.status.conditions
        if each.type == REPLICA_FAILURE
    ]
    if failures:
        put_condition(status, from_replica_set(failures[0]))
    else:
        drop_condition(status, REPLICA_FAILURE)


def note_pause(deployment: Deployment, now: datetime) -> None:
    """Say in the status that a Deployment was paused or resumed, so that its deadline counts from then.

    What has exceeded its deadline already stays so.
    """
    status = deployment.status
    current = find_condition(status.conditions, PROGRESSING)
    if not has_deadline(deployment) or (current is not None and current.reason == TIMED_OUT):
        return
    was_paused = current is not None and current.reason == PAUSED
    if deployment.spec.paused and not was_paused:
        put_condition(status, condition(PROGRESSING, "Unknown", PAUSED, "Deployment is paused", now))
    elif was_paused and not deployment.spec.paused:
        put_condition(status, condition(PROGRESSING, "Unknown", RESUMED, "Deployment is resumed", now))


def _report_rollout(
    deployment: Deployment, status: DeploymentStatus, new: ReplicaSet | None, now: datetime
) -> None:
    current = find_condition(deployment.status.conditions, PROGRESSING)
    was_complete = current is not None and current.reason == NEW_AVAILABLE
    if was_complete and status.replicas == status.updated_replicas:
        # Nothing is rolled out: pods come and go.
        return
    about = "Deployment" if new is None else "ReplicaSet"
    about += f" {go_quote((new or deployment).metadata.name)}"
    if is_complete(deployment, status):
        message = f"{about} has successfully progressed."
        put_condition(status, condition(PROGRESSING, "True", NEW_AVAILABLE, message, now))
    elif _has_progressed(deployment.status, status):
        made = condition(PROGRESSING, "True", UPDATED, f"{about} is progressing.", now)
        if current is not None:
            if current.status == "True":
                made.last_transition_time = current.last_transition_time
            # Put anew also with the same reason: the deadline counts from its last update.
            drop_condition(status, PROGRESSING)
        put_condition(status, made)
    elif is_timed_out(deployment, status, now):
        message = f"{about} has timed out progressing."
        put_condition(status, condition(PROGRESSING, "False", TIMED_OUT, message, now))


def _has_progressed(old: DeploymentStatus, new: DeploymentStatus) -> bool:
    updated, updated_before = new.updated_replicas or 0, old.updated_replicas or 0
    return (
        updated > updated_before
        or (new.replicas or 0) - updated < (old.replicas or 0) - updated_before
        or (new.ready_replicas or 0) > (old.ready_replicas or 0)
        or (new.available_replicas or 0) > (old.available_replicas or 0)
    )


def _terminating(replica_sets: Sequence[ReplicaSet]) -> int | None:
    """How many pods are being deleted; None when a ReplicaSet that was looked at does not say."""
    total = 0
    for each in replica_sets:
        if each.status.terminating_replicas is None and each.status.observed_generation:
            return None
        total += each.status.terminating_replicas or 0
    return total
