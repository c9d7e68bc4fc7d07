"""Which pods count, and which go first."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kubewright.cluster.workloads.deletion_order import deletion_cost, pods_to_delete
from kubewright.cluster.workloads.pod_creation import create_pods, pod_from_template
from kubewright.cluster.workloads.pods import (
    is_active,
    is_available,
    is_ready,
    is_terminating,
    next_availability,
)
from kubewright.machinery.errors import Forbidden
from kubewright.machinery.status import Status
from kubewright.models.core_v1 import Pod
from tests.cluster.workloads.objects import NOW, ago, pod, replica_set


def test_ended_and_deleted_pods_are_not_active() -> None:
    assert is_active(pod(phase="Pending"))
    assert not is_active(pod(phase="Failed"))
    assert not is_active(pod(phase="Succeeded"))
    assert not is_active(pod(deleted=NOW))


def test_a_pod_that_has_ended_is_not_terminating() -> None:
    assert is_terminating(pod(deleted=NOW))
    assert not is_terminating(pod())
    assert not is_terminating(pod(phase="Failed", deleted=NOW))


def test_a_pod_is_available_when_it_has_been_ready_for_long_enough() -> None:
    ready = pod(ready=ago(10))
    assert is_ready(ready)
    assert is_available(ready, 0, NOW)
    assert is_available(ready, 10, NOW)
    assert not is_available(ready, 11, NOW)
    assert not is_available(pod(), 0, NOW)


def test_a_pod_that_became_ready_on_the_last_date_that_there_is() -> None:
    late = pod(ready=datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC))
    assert not is_available(late, 10, NOW)
    assert (next_availability([late], 10, NOW) or 0) > 1e9


def test_when_the_next_pod_becomes_available() -> None:
    pods = [pod("a", ready=ago(10)), pod("b", ready=ago(3)), pod("c", ready=ago(4)), pod("d")]
    assert next_availability(pods, 10, NOW) == 6.0
    assert next_availability(pods, 0, NOW) is None
    assert next_availability(pods, 3, NOW) is None


@pytest.mark.parametrize(
    ("said", "cost"),
    [
        ("", 0),
        ("5", 5),
        ("-5", -5),
        ("0", 0),
        ("+5", 0),
        ("008", 0),
        ("-008", -8),
        ("five", 0),
        ("2147483647", 2147483647),
        ("2147483648", 0),
        ("9" * 5000, 0),
    ],
)
def test_deletion_costs_are_read_as_upstream_reads_them(said: str, cost: int) -> None:
    assert deletion_cost(pod(cost=said)) == cost


@pytest.mark.parametrize(
    ("goes", "stays"),
    [
        (pod("z", node=""), pod("a", ready=ago(99), cost="-9")),
        (pod("z", phase="Pending"), pod("a", phase="Unknown")),
        (pod("z", phase="Unknown"), pod("a")),
        (pod("z", cost="9"), pod("a", ready=ago(99), cost="-9")),
        (pod("z", ready=ago(999), cost="1"), pod("a", ready=ago(1), cost="2")),
        (pod("z", ready=ago(1)), pod("a", ready=ago(99), restarts=9)),
        (pod("z", restarts=2), pod("a", restarts=1, created=ago(-1))),
        (pod("z", created=ago(1)), pod("a", created=ago(99))),
        # About as old as one another: by uid.
        (pod("a", created=ago(100)), pod("z", created=ago(101))),
        (pod("a", created=ago(101)), pod("z", created=ago(100))),
    ],
)
def test_which_of_two_pods_goes(goes: Pod, stays: Pod) -> None:
    assert pods_to_delete([stays, goes], [], 1, NOW) == [goes]
    assert pods_to_delete([goes, stays], [], 1, NOW) == [goes]


def test_pods_that_share_a_node_go_before_those_alone() -> None:
    crowded = [pod("a", node="n1", ready=ago(99)), pod("b", node="n1", ready=ago(99))]
    alone = pod("c", node="n2", ready=ago(99))
    others = [pod("d", node="n2", phase="Failed")]
    chosen = pods_to_delete([alone, *crowded], [alone, *crowded, *others], 2, NOW)
    assert {each.metadata.name for each in chosen} == {"a", "b"}
    # Without a Deployment it does not matter.
    younger = pod("e", node="n2", ready=NOW - timedelta(seconds=1))
    assert pods_to_delete([*crowded, younger], [], 1, NOW) == [younger]


def test_no_more_are_chosen_than_there_are() -> None:
    pods = [pod("a"), pod("b")]
    assert pods_to_delete(pods, [], 2, NOW) == pods
    assert pods_to_delete(pods, [], 0, NOW) == []


def test_pods_are_called_by_their_owner() -> None:
    owner = replica_set("web")
    owner.spec.template.metadata.annotations = {"a": "b"}
    made = pod_from_template(owner, owner.spec.template)
    assert made.metadata.generate_name == "web-"
    assert made.metadata.labels == {"app": "web"}
    assert made.metadata.annotations == {"a": "b"}
    # There is no room for the dash.
    long = replica_set("w" * 253)
    assert pod_from_template(long, long.spec.template).metadata.generate_name == "w" * 253


class Quota:
    """Stands for the pods of a server that takes only so many."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.asked = 0

    async def create(self, wanted: Pod) -> Pod:
        self.asked += 1
        if self.asked > self.room:
            raise Forbidden(Status(message="no room", reason="Forbidden", code=403))
        return pod(f"web-{self.asked}")


class Told:
    """Stands for a recorder of events."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def normal(self, _: object, reason: str, message: str) -> None:
        self.reasons.append(reason)

    warning = normal


@pytest.mark.parametrize(("room", "asked"), [(0, 1), (1, 3), (3, 7), (20, 20)])
def test_the_first_failure_ends_the_creation(room: int, asked: int) -> None:
    owner = replica_set("web")
    quota: Any = Quota(room)
    told: Any = Told()
    created = asyncio.run(create_pods(quota, owner, owner.spec.template, 20, told))
    assert len(created.pods) == min(room, 20)
    assert quota.asked == asked
    assert (created.error is None) == (room == 20)
    assert told.reasons.count("SuccessfulCreate") == min(room, 20)
    assert told.reasons.count("FailedCreate") == asked - min(room, 20)
