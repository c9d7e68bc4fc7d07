"""Statuses and conditions, computed without a server."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from kubewright.cluster.workloads.deployment_conditions import (
    PROGRESSING,
    condition,
    is_timed_out,
    progress_check_in,
    put_condition,
)
from kubewright.cluster.workloads.deployment_status import (
    compute_status,
    is_complete,
    note_pause,
    report_progress,
)
from kubewright.cluster.workloads.replica_status import Counts, Failure, count_pods, update_status
from kubewright.controllers.conditions import find_condition
from kubewright.models.apps_v1 import DeploymentStatus, ReplicaSetCondition, ReplicaSetStatus
from tests.cluster.workloads.objects import NOW, ago, deployment, pod, replica_set


def progress(status: DeploymentStatus) -> tuple[str, str, str]:
    found = find_condition(status.conditions, PROGRESSING)
    assert found is not None
    return found.status, found.reason, found.message


def progressing(reason: str, seconds_ago: float, status: str = "True") -> dict[str, Any]:
    made = condition(PROGRESSING, status, reason, "", ago(seconds_ago))
    return {"conditions": [made.to_dict()]}


def test_pods_are_counted() -> None:
    pods = [pod("a", ready=ago(9)), pod("b", ready=ago(1)), pod("c")]
    pods[1].metadata.labels = {}
    counts = count_pods(pods, {"app": "web"}, min_ready_seconds=5, now=NOW, terminating=2)
    assert counts == Counts(replicas=3, fully_labeled=2, ready=2, available=1, terminating=2)


def test_a_status_changes_only_when_it_says_something_else() -> None:
    status = ReplicaSetStatus(replicas=0)
    none = Counts(0, 0, 0, 0, 0)
    assert update_status(status, ReplicaSetCondition, none, None, generation=1, now=NOW)
    assert status.to_dict() == {"replicas": 0, "terminatingReplicas": 0, "observedGeneration": 1}
    assert not update_status(status, ReplicaSetCondition, none, None, generation=1, now=NOW)
    assert update_status(status, ReplicaSetCondition, none, None, generation=2, now=NOW)


def test_a_failure_is_reported_once_and_goes_when_it_is_over() -> None:
    status = ReplicaSetStatus(replicas=0)
    none = Counts(0, 0, 0, 0, None)
    failure = Failure("FailedCreate", "no")
    assert update_status(status, ReplicaSetCondition, none, failure, generation=1, now=ago(9))
    again = Failure("FailedCreate", "no, again")
    assert not update_status(status, ReplicaSetCondition, none, again, generation=1, now=NOW)
    (reported,) = status.conditions
    assert (reported.type, reported.status, reported.reason) == ("ReplicaFailure", "True", "FailedCreate")
    assert (reported.message, reported.last_transition_time) == ("no", ago(9))
    assert update_status(status, ReplicaSetCondition, none, None, generation=1, now=NOW)
    assert status.conditions == []


def test_a_condition_keeps_its_transition_with_its_status() -> None:
    status = DeploymentStatus()
    put_condition(status, condition("Other", "True", "A", "", ago(9)))
    put_condition(status, condition(PROGRESSING, "True", "A", "first", ago(9)))
    put_condition(status, condition(PROGRESSING, "True", "A", "second", NOW))
    assert progress(status)[2] == "first"
    put_condition(status, condition("Other", "True", "B", "", NOW))
    assert [each.type for each in status.conditions] == [PROGRESSING, "Other"]
    assert status.conditions[1].last_transition_time == ago(9)
    assert status.conditions[1].last_update_time == NOW
    put_condition(status, condition("Other", "False", "B", "", NOW))
    assert status.conditions[1].last_transition_time == NOW


def test_the_status_of_a_deployment_sums_up_its_replica_sets() -> None:
    new, old = replica_set("new", replicas=2, available=1), replica_set("old", replicas=2, available=2)
    old.status.terminating_replicas = 3
    status = compute_status(deployment(), [old, new], new, NOW)
    said = status.to_dict()
    (enough,) = said.pop("conditions")
    assert said == {
        "observedGeneration": 1,
        "replicas": 4,
        "updatedReplicas": 2,
        "readyReplicas": 3,
        "availableReplicas": 3,
        "unavailableReplicas": 1,
        "terminatingReplicas": 3,
    }
    assert (enough["type"], enough["status"], enough["reason"]) == (
        "Available",
        "True",
        "MinimumReplicasAvailable",
    )
    old.status.available_replicas = 1
    status = compute_status(deployment(), [old, new], new, NOW)
    assert status.conditions[0].reason == "MinimumReplicasUnavailable"


def test_terminating_pods_are_not_summed_up_where_somebody_does_not_say() -> None:
    silent = replica_set("silent")
    del silent.status.terminating_replicas
    assert compute_status(deployment(), [silent], None, NOW).terminating_replicas is None
    silent.status.observed_generation = None
    assert compute_status(deployment(), [silent], None, NOW).terminating_replicas == 0


def reported(status: dict[str, Any] | None, *, available: int = 0) -> DeploymentStatus:
    """What is said of a rollout, from a status to the next."""
    owner = deployment(status=status)
    new = replica_set("web-1", replicas=3, available=available)
    found = compute_status(owner, [new], new, NOW)
    report_progress(owner, found, [new], new, NOW)
    return found


def test_progress_is_reported() -> None:
    assert progress(reported(None)) == ("True", "ReplicaSetUpdated", 'ReplicaSet "web-1" is progressing.')
    complete = reported(None, available=3)
    assert is_complete(deployment(), complete)
    message = 'ReplicaSet "web-1" has successfully progressed.'
    assert progress(complete) == ("True", "NewReplicaSetAvailable", message)


def test_a_rollout_that_gets_nowhere_exceeds_its_deadline() -> None:
    stuck = {"replicas": 3, "updatedReplicas": 3}
    waiting = reported({**progressing("ReplicaSetUpdated", 600), **stuck})
    assert progress(waiting)[1] == "ReplicaSetUpdated"
    late = reported({**progressing("ReplicaSetUpdated", 601), **stuck})
    message = 'ReplicaSet "web-1" has timed out progressing.'
    assert progress(late) == ("False", "ProgressDeadlineExceeded", message)
    # Progress counts, however late it comes.
    moved = reported({**progressing("ReplicaSetUpdated", 601), **stuck}, available=1)
    assert progress(moved)[1] == "ReplicaSetUpdated"
    assert find_condition(moved.conditions, PROGRESSING).last_update_time == NOW  # type: ignore[union-attr]


def test_pods_that_go_after_a_rollout_are_none() -> None:
    done = {**progressing("NewReplicaSetAvailable", 9999), "replicas": 3, "updatedReplicas": 3}
    assert progress(reported(done))[1] == "NewReplicaSetAvailable"
    assert progress_check_in(deployment(status=done), NOW) is None
    # Also not when the next rollout has begun, and its condition is not there yet.
    rolling = {**done, "updatedReplicas": 0}
    assert not is_timed_out(deployment(status=rolling), deployment(status=rolling).status, NOW)


def test_without_a_deadline_there_is_no_progress() -> None:
    owner = deployment(progressDeadlineSeconds=2**31 - 1, status=progressing("ReplicaSetUpdated", 9999))
    status = compute_status(owner, [], None, NOW)
    assert not is_timed_out(owner, status, NOW)
    report_progress(owner, status, [], None, NOW)
    assert find_condition(status.conditions, PROGRESSING) is None
    assert progress_check_in(owner, NOW) is None


def test_when_the_deadline_has_to_be_looked_at() -> None:
    owner = deployment(status=progressing("ReplicaSetUpdated", 590))
    wait = progress_check_in(owner, NOW)
    assert wait is not None
    assert 10 < wait < 10.1
    assert is_timed_out(owner, owner.status, NOW + timedelta(seconds=wait))
    assert progress_check_in(deployment(status=progressing("ProgressDeadlineExceeded", 9)), NOW) is None


def test_failures_of_replica_sets_are_those_of_the_deployment() -> None:
    new, old = replica_set("new"), replica_set("old")
    for each in (old, new):
        failure = Failure("FailedCreate", f"of {each.metadata.name}")
        counts = Counts(0, 0, 0, 0, 0)
        update_status(each.status, ReplicaSetCondition, counts, failure, generation=1, now=ago(5))
    status = compute_status(deployment(), [old, new], new, NOW)
    report_progress(deployment(), status, [old, new], new, NOW)
    found = find_condition(status.conditions, "ReplicaFailure")
    assert found is not None
    assert (found.reason, found.message) == ("FailedCreate", "of new")
    assert found.last_update_time == found.last_transition_time == ago(5)
    report_progress(deployment(), status, [], None, NOW)
    assert find_condition(status.conditions, "ReplicaFailure") is None


def test_pausing_stops_the_deadline() -> None:
    owner = deployment(paused=True, status=progressing("ReplicaSetUpdated", 590))
    note_pause(owner, NOW)
    assert progress(owner.status) == ("Unknown", "DeploymentPaused", "Deployment is paused")
    owner.spec.paused = False
    note_pause(owner, NOW)
    assert progress(owner.status) == ("Unknown", "DeploymentResumed", "Deployment is resumed")
    assert find_condition(owner.status.conditions, PROGRESSING).last_update_time == NOW  # type: ignore[union-attr]
    late = deployment(paused=True, status=progressing("ProgressDeadlineExceeded", 9, "False"))
    note_pause(late, NOW)
    assert progress(late.status)[1] == "ProgressDeadlineExceeded"
