"""What a Lease says about who leads."""

from __future__ import annotations

from datetime import UTC, timedelta

import pytest

from kubewright.controllers.leader_election import LeaderElection
from kubewright.controllers.leases import Observed, claimed, released
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.time import MicroTime
from kubewright.models.coordination_v1 import Lease, LeaseSpec

NOON = MicroTime(2026, 1, 1, 12, tzinfo=UTC)
LATER = MicroTime(2026, 1, 1, 13, tzinfo=UTC)


def lease(spec: LeaseSpec) -> Lease:
    return Lease(metadata=ObjectMeta(name="app"), spec=spec)


def observed(spec: LeaseSpec, now: float, before: Observed | None = None) -> Observed:
    return Observed.of(lease(spec), before, now)


def test_a_first_claim() -> None:
    spec = claimed(None, "a", 15, NOON)
    assert (spec.holder_identity, spec.lease_duration_seconds, spec.lease_transitions) == ("a", 15, 0)
    assert spec.acquire_time == spec.renew_time == NOON


def test_a_renewal_keeps_when_it_began() -> None:
    spec = claimed(claimed(None, "a", 15, NOON), "a", 15, LATER)
    assert (spec.acquire_time, spec.renew_time, spec.lease_transitions) == (NOON, LATER, 0)


def test_another_leader_counts_as_a_transition() -> None:
    spec = claimed(claimed(None, "a", 15, NOON), "b", 15, LATER)
    assert (spec.holder_identity, spec.acquire_time, spec.lease_transitions) == ("b", LATER, 1)
    after = claimed(released(spec, LATER), "a", 15, LATER)
    assert after.lease_transitions == 2


def test_a_part_of_a_second_is_rounded_up() -> None:
    assert claimed(None, "a", 1.4, NOON).lease_duration_seconds == 2


def test_it_is_taken_until_it_has_not_changed_for_its_duration() -> None:
    seen = observed(claimed(None, "a", 15, NOON), 100.0)
    assert seen.is_taken("b", 114.9)
    assert not seen.is_taken("b", 115.0)
    assert not seen.is_taken("a", 100.0), "its holder may go on"


def test_the_times_in_it_do_not_matter() -> None:
    spec = claimed(None, "a", 15, MicroTime(1999, 1, 1, tzinfo=UTC))
    assert observed(spec, 100.0).is_taken("b", 114.9)


def test_a_renewal_makes_it_new_and_a_second_look_does_not() -> None:
    first = observed(claimed(None, "a", 15, NOON), 100.0)
    again = observed(claimed(None, "a", 15, NOON), 110.0, first)
    assert again.since == 100.0
    renewed = observed(claimed(None, "a", 15, LATER), 110.0, again)
    assert renewed.is_taken("b", 124.9)


def test_a_lease_that_was_given_up_is_free() -> None:
    spec = released(claimed(None, "a", 15, NOON), NOON)
    assert not observed(spec, 100.0).is_taken("b", 100.0)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"name": ""}, "needs the name"),
        ({"name": "a", "lease_duration": 10.0}, "there could be two leaders"),
        ({"name": "a", "retry_period": 9.0}, "renew_deadline must be more than 1.2 times"),
        ({"name": "a", "retry_period": 0.0}, "more than 0 seconds"),
    ],
)
def test_durations_that_would_not_do(options: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        LeaderElection(**options)  # type: ignore[arg-type]


def test_the_durations_are_those_of_client_go() -> None:
    election = LeaderElection(name="a")
    assert (election.lease_duration, election.renew_deadline, election.retry_period) == (15, 10, 2)
    assert timedelta(seconds=election.lease_duration) > timedelta(seconds=election.renew_deadline)
