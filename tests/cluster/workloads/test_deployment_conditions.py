"""The conditions of Deployments: when they change, and when a rollout is late."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from kubewright.cluster.workloads.deployment_conditions import (
    AVAILABLE,
    NEW_AVAILABLE,
    PAUSED,
    PROGRESSING,
    REPLICA_FAILURE,
    TIMED_OUT,
    UPDATED,
    condition,
    drop_condition,
    from_replica_set,
    has_deadline,
    is_timed_out,
    progress_check_in,
    put_condition,
)
from kubewright.models.apps_v1 import Deployment, DeploymentStatus, ReplicaSetCondition
from tests.cluster.workloads.objects import NOW, ago, deployment


def rolling(reason: str, seconds_ago: float, **spec: Any) -> Deployment:
    """A Deployment that has said so long ago how its rollout goes; its deadline is ten seconds."""
    said = condition(PROGRESSING, "True", reason, "", ago(seconds_ago))
    return deployment(**{"progressDeadlineSeconds": 10, **spec}, status={"conditions": [said.to_dict()]})


def late(owner: Deployment, after: float = 0) -> bool:
    return is_timed_out(owner, owner.status, NOW + timedelta(seconds=after))


def test_a_condition_changes_now() -> None:
    assert condition(AVAILABLE, "False", "Why", "so", NOW).to_dict() == {
        "type": "Available",
        "status": "False",
        "reason": "Why",
        "message": "so",
        "lastUpdateTime": "2026-01-01T12:00:00Z",
        "lastTransitionTime": "2026-01-01T12:00:00Z",
    }


def test_one_that_says_the_same_stays_as_it_is() -> None:
    status = DeploymentStatus()
    first = condition(PROGRESSING, "True", UPDATED, "first", ago(9))
    put_condition(status, first)
    put_condition(status, condition(AVAILABLE, "True", "Enough", "", ago(9)))
    put_condition(status, condition(PROGRESSING, "True", UPDATED, "another message", NOW))
    assert [each.type for each in status.conditions] == [PROGRESSING, AVAILABLE]
    assert status.conditions[0] == first
    assert status.conditions[0].last_update_time == ago(9)


def test_another_reason_is_no_transition_and_another_status_is_one() -> None:
    status = DeploymentStatus()
    put_condition(status, condition(PROGRESSING, "True", UPDATED, "", ago(9)))
    put_condition(status, condition(AVAILABLE, "True", "Enough", "", ago(9)))
    put_condition(status, condition(PROGRESSING, "True", NEW_AVAILABLE, "", ago(5)))
    # What has changed last stands last.
    assert [each.type for each in status.conditions] == [AVAILABLE, PROGRESSING]
    (_, changed) = status.conditions
    assert (changed.reason, changed.last_update_time) == (NEW_AVAILABLE, ago(5))
    assert changed.last_transition_time == ago(9)
    put_condition(status, condition(PROGRESSING, "False", NEW_AVAILABLE, "", NOW))
    assert status.conditions[-1].last_transition_time == NOW
    assert len(status.conditions) == 2


def test_conditions_are_dropped_by_type() -> None:
    status = DeploymentStatus()
    for each in (PROGRESSING, AVAILABLE, REPLICA_FAILURE):
        put_condition(status, condition(each, "True", "Why", "", NOW))
    drop_condition(status, REPLICA_FAILURE)
    drop_condition(status, "Absent")
    assert [each.type for each in status.conditions] == [PROGRESSING, AVAILABLE]


def test_the_condition_of_a_replica_set() -> None:
    failure = ReplicaSetCondition(
        type=REPLICA_FAILURE,
        status="True",
        reason="FailedCreate",
        message="there is no room",
        last_transition_time=ago(7),
    )
    # It changed when that of the ReplicaSet did, or each look at it would be an update.
    assert from_replica_set(failure) == condition(
        REPLICA_FAILURE, "True", "FailedCreate", "there is no room", ago(7)
    )


def test_who_has_a_deadline() -> None:
    assert has_deadline(deployment(progressDeadlineSeconds=1))
    assert not has_deadline(deployment(progressDeadlineSeconds=2**31 - 1))
    without = deployment()
    without.spec.progress_deadline_seconds = None
    assert not has_deadline(without)


def test_a_deadline_is_exceeded_after_it_and_not_at_it() -> None:
    owner = rolling(UPDATED, 4)
    assert not late(owner)
    assert not late(owner, 6)
    assert late(owner, 6.001)


def test_the_look_at_a_deadline_comes_when_it_is_exceeded() -> None:
    owner = rolling(UPDATED, 4)
    wait = progress_check_in(owner, NOW)
    assert wait is not None
    assert 6 < wait < 6.1
    assert late(owner, wait)
    # One that has passed is looked at again soon, and not in the past.
    overdue = progress_check_in(rolling(UPDATED, 99), NOW)
    assert overdue is not None
    assert 0 < overdue < 0.1


@pytest.mark.parametrize("seconds_ago", [0, 9, 9999])
def test_a_rollout_that_has_ended_is_not_late(seconds_ago: float) -> None:
    """However long ago: it is the next one that is waited for, and that begins with a reason of its own."""
    owner = rolling(NEW_AVAILABLE, seconds_ago)
    assert not late(owner)
    assert progress_check_in(owner, NOW) is None


def test_what_was_late_stays_so_and_is_not_looked_at_again() -> None:
    owner = rolling(TIMED_OUT, 0)
    assert late(owner)
    assert progress_check_in(owner, NOW) is None


@pytest.mark.parametrize("reason", [UPDATED, TIMED_OUT])
def test_without_a_deadline_nothing_is_late(reason: str) -> None:
    owner = rolling(reason, 9999, progressDeadlineSeconds=2**31 - 1)
    assert not late(owner)
    assert progress_check_in(owner, NOW) is None


def test_before_anything_is_said_nothing_is_late() -> None:
    owner = deployment(progressDeadlineSeconds=10)
    assert not late(owner, 9999)
    assert progress_check_in(owner, NOW) is None
    # Others may have left out when it was.
    (said,) = (undated := rolling(PAUSED, 9999)).status.conditions
    said.last_update_time = None
    assert not late(undated)
