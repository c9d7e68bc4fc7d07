"""Sizes during a rollout: what upstream does, and what must hold whatever pods do."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.cluster.workloads.rolling import (
    Limits,
    Scaling,
    Share,
    Size,
    in_proportion,
    limits_of,
    new_size,
    resolve_fenceposts,
    rolling_step,
    scale_down_old,
)
from kubewright.cluster.workloads.rollout import largest_first
from tests.cluster.workloads.objects import ago, deployment, replica_set


@pytest.mark.parametrize(
    ("surge", "unavailable", "desired", "expected"),
    [
        ("25%", "25%", 3, (1, 0)),
        ("25%", "25%", 100, (25, 25)),
        ("0%", "1%", 2, (0, 1)),
        ("1%", "0%", 1, (1, 0)),
        (0, 0, 5, (0, 1)),
        (3, 2, 10, (3, 2)),
        (None, None, 10, (0, 1)),
    ],
)
def test_percentages_of_surge_are_rounded_up_and_of_unavailability_down(
    surge: int | str | None, unavailable: int | str | None, desired: int, expected: tuple[int, int]
) -> None:
    assert resolve_fenceposts(surge, unavailable, desired) == expected


def test_limits_of_deployments() -> None:
    assert limits_of(deployment(replicas=10)) == Limits(10, 3, 2)
    assert limits_of(deployment(replicas=10, strategy={"type": "Recreate"})) == Limits(10, 0, 0)
    # No more can be unavailable than there are.
    rolling = {"maxSurge": 0, "maxUnavailable": 5}
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    assert limits_of(deployment(replicas=2, strategy=strategy)) == Limits(2, 0, 2)
    assert limits_of(deployment(replicas=0)).max_unavailable == 0


@pytest.mark.parametrize(
    ("limits", "new", "old", "expected"),
    [
        (Limits(10, 2, 0), 0, [], 10),
        (Limits(10, 2, 0), 0, [10], 2),
        (Limits(10, 0, 2), 0, [10], 0),
        (Limits(10, 0, 2), 0, [8], 2),
        (Limits(10, 2, 0), 5, [7], 5),
        (Limits(10, 20, 0), 5, [10], 10),
        (Limits(3, 2, 0), 5, [], 3),
    ],
)
def test_the_new_one_grows_as_the_total_allows(
    limits: Limits, new: int, old: list[int], expected: int
) -> None:
    olds = [Size(f"old-{number}", size, size) for number, size in enumerate(old)]
    assert new_size(limits, Size("new", new, 0), olds) == expected


def test_unavailable_old_pods_go_first() -> None:
    # Upstream's example of ten replicas, two of which may be unavailable, with a surge of three.
    limits = Limits(10, 3, 2)
    assert scale_down_old(limits, Size("new", 5, 0), [Size("old", 8, 8)]) == []
    assert scale_down_old(limits, Size("new", 5, 0), [Size("old", 8, 7)]) == []
    # After an undo the crashing pods are the old ones: four of them may go.
    assert scale_down_old(limits, Size("good", 8, 7), [Size("bad", 5, 0)]) == [Scaling("bad", 1)]
    # After one more template, all five may.
    new, old = Size("third", 0, 0), [Size("first", 8, 8), Size("second", 5, 0)]
    assert scale_down_old(limits, new, old) == [Scaling("second", 0)]


def test_the_oldest_shrinks_first() -> None:
    limits = Limits(10, 0, 4)
    old = [Size("first", 3, 3), Size("second", 7, 7)]
    assert scale_down_old(limits, Size("new", 0, 0), old) == [Scaling("first", 0), Scaling("second", 6)]


def test_one_may_shrink_twice_as_upstream_says_it_in_two_events() -> None:
    limits = Limits(10, 0, 5)
    steps = scale_down_old(limits, Size("new", 0, 0), [Size("old", 10, 8)])
    assert steps == [Scaling("old", 8), Scaling("old", 5)]


def test_pods_that_are_about_to_go_do_not_count() -> None:
    # The old one was asked to shrink to 6, and its status still has the 8 that were available.
    assert scale_down_old(Limits(10, 0, 2), Size("new", 4, 4), [Size("old", 6, 8)]) == [Scaling("old", 4)]


@pytest.mark.parametrize(
    ("limits", "shares", "expected"),
    [
        # Grows: the share of each, and the rest to the largest.
        (Limits(12, 0, 0), [("old", 6, 10), ("new", 4, 10)], [7, 5]),
        (Limits(20, 0, 0), [("old", 5, 10), ("new", 5, 10)], [10, 10]),
        (Limits(11, 0, 0), [("new", 5, 10), ("old", 5, 10)], [6, 5]),
        # Shrinks.
        (Limits(5, 0, 0), [("old", 8, 10), ("new", 2, 10)], [4, 1]),
        (Limits(0, 0, 0), [("old", 8, 10), ("new", 2, 10)], [0, 0]),
        # No change of the total: sizes stay.
        (Limits(8, 2, 0), [("old", 8, 10), ("new", 2, 10)], [8, 2]),
        # Without the annotation, by the pods that there are.
        (Limits(20, 0, 0), [("old", 6, None), ("new", 4, None)], [12, 8]),
    ],
)
def test_sizes_stay_in_proportion(
    limits: Limits, shares: list[tuple[str, int, int | None]], expected: list[int]
) -> None:
    scaled = in_proportion(limits, [Share(*share) for share in shares], 10)
    assert [each.replicas for each in scaled] == expected
    assert [each.name for each in scaled] == [name for name, _, _ in shares]


def test_of_equal_ones_the_younger_grows_and_the_older_shrinks() -> None:
    old = replica_set("old", replicas=2, created=ago(9))
    young = replica_set("young", replicas=2, created=ago(1))
    large = replica_set("large", replicas=3, created=ago(5))
    assert largest_first([old, young, large], grows=True) == [large, young, old]
    assert largest_first([young, old, large], grows=False) == [large, old, young]


@given(
    desired=st.integers(0, 60),
    surge=st.integers(0, 20),
    shares=st.lists(st.tuples(st.integers(1, 50), st.none() | st.integers(0, 80)), min_size=1, max_size=5),
    now=st.integers(0, 80),
)
def test_scaling_in_proportion_reaches_the_total_that_is_allowed(
    desired: int, surge: int, shares: list[tuple[int, int | None]], now: int
) -> None:
    ordered = sorted(shares, key=lambda share: -share[0])
    given_shares = [Share(str(number), size, most) for number, (size, most) in enumerate(ordered)]
    sizes = in_proportion(Limits(desired, surge, 0), given_shares, now)
    assert all(each.replicas >= 0 for each in sizes)
    wanted = desired + surge if desired else 0
    total = sum(each.replicas for each in sizes)
    # Rounding may leave more to take away than the largest one has.
    assert total == wanted or sizes[0].replicas == 0


@dataclass
class Pods:
    """The pods of one ReplicaSet, and what its status says, which may be behind."""

    wanted: int
    ready: int = 0
    unready: int = 0
    reported: int = 0

    def settle(self) -> None:
        """What the ReplicaSet controller does: creates, or deletes those first that are not ready."""
        missing = self.wanted - self.ready - self.unready
        if missing > 0:
            self.unready += missing
        surplus = -missing
        if surplus > 0:
            unready = min(surplus, self.unready)
            self.unready -= unready
            self.ready -= surplus - unready


@dataclass
class Simulation:
    """A Deployment with ReplicaSets, the oldest first and the new one last."""

    limits: Limits
    sets: dict[str, Pods] = field(default_factory=dict)

    @property
    def ready(self) -> int:
        return sum(pods.ready for pods in self.sets.values())

    @property
    def total(self) -> int:
        return sum(pods.ready + pods.unready for pods in self.sets.values())

    def step(self) -> bool:
        *old, new = [Size(name, pods.wanted, pods.reported) for name, pods in self.sets.items()]
        steps = rolling_step(self.limits, new, old)
        for name, replicas in steps:
            self.sets[name].wanted = replicas
        return bool(steps)

    def is_done(self) -> bool:
        new = self.sets["new"]
        return new.ready == self.limits.desired == self.total


limits = st.builds(
    lambda desired, surge, unavailable: Limits(
        desired, surge, min(unavailable if surge or unavailable else 1, desired)
    ),
    st.integers(1, 12),
    st.integers(0, 5),
    st.integers(0, 5),
)


@st.composite
def rollouts(draw: st.DrawFn) -> Simulation:
    """Somewhere in a rollout: within its limits, with some old pods that were never ready."""
    made = Simulation(draw(limits))
    for name in ("first", "second"):
        made.sets[name] = Pods(0)
    made.sets["new"] = Pods(0)
    room = made.limits.most
    enough = made.limits.min_available
    first = draw(st.integers(0, room))
    sizes = {"first": first, "second": draw(st.integers(0, room - first))}
    for name, size in sizes.items():
        made.sets[name] = Pods(size, ready=size, reported=size)
    spare = max(sum(sizes.values()) - enough, 0)
    for name, size in sizes.items():
        unready = draw(st.integers(0, min(spare, size)))
        spare -= unready
        made.sets[name] = Pods(size, ready=size - unready, unready=unready, reported=size - unready)
    return made


actions = st.lists(
    st.tuples(
        st.sampled_from(["step", "settle", "ready", "report"]), st.sampled_from(["first", "second", "new"])
    ),
    max_size=60,
)


@given(rollouts(), actions)
def test_a_rollout_stays_within_its_limits_and_ends(
    rollout: Simulation, actions: list[tuple[str, str]]
) -> None:
    enough = min(rollout.ready, rollout.limits.min_available)

    def check() -> None:
        assert rollout.ready >= enough
        assert sum(pods.wanted for pods in rollout.sets.values()) <= rollout.limits.most

    for action, name in actions:
        pods = rollout.sets[name]
        match action:
            case "step":
                rollout.step()
            case "settle":
                pods.settle()
            case "ready" if name == "new" and pods.unready:
                pods.ready += 1
                pods.unready -= 1
            case "report":
                pods.reported = pods.ready
        check()
    for _ in range(200):
        rollout.step()
        for name, pods in rollout.sets.items():
            pods.settle()
            if name == "new" and pods.unready:
                pods.ready += 1
                pods.unready -= 1
            pods.reported = pods.ready
        check()
        if rollout.is_done():
            return
    raise AssertionError(f"it does not end: {rollout}")


@given(rollouts(), st.integers(0, 12), st.integers(0, 12))
def test_old_pods_that_fail_give_no_licence_to_remove_others(
    rollout: Simulation, lost_first: int, lost_second: int
) -> None:
    for name, failing in (("first", lost_first), ("second", lost_second)):
        pods = rollout.sets[name]
        lost = min(failing, pods.ready)
        pods.ready -= lost
        pods.unready += lost
        pods.reported = pods.ready
    before = rollout.ready
    rollout.step()
    for pods in rollout.sets.values():
        pods.settle()
    assert rollout.ready >= min(before, rollout.limits.min_available)
