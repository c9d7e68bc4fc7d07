"""Conditions: what is set is found, and transition times mean what they say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.controllers.conditions import (
    find_condition,
    is_false,
    is_true,
    remove_condition,
    set_condition,
)
from kubewright.machinery.meta import Condition
from kubewright.machinery.time import format_time
from kubewright.models.core_v1 import Pod
from tests.conftest import Oracle

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

types = st.sampled_from(["Ready", "Synced", "example.com/Paid"])
statuses = st.sampled_from(["True", "False", "Unknown"])
calls = st.tuples(
    types,
    statuses,
    st.sampled_from(["Working", "Done"]),
    st.sampled_from(["", "3 of 3"]),
    st.sampled_from([None, 0, 1, 2]),
)


def plain(conditions: list[Condition]) -> list[dict[str, Any]]:
    return [each.to_dict() for each in conditions]


def test_a_condition_is_appended_changed_and_removed() -> None:
    conditions: list[Condition] = []
    assert set_condition(conditions, "Ready", False, reason="Starting", observed_generation=1, now=NOON)
    assert not is_true(conditions, "Ready")
    assert is_false(conditions, "Ready")
    later = NOON + timedelta(hours=1)
    assert set_condition(conditions, "Ready", "False", reason="Waiting", observed_generation=1, now=later)
    assert conditions[0].last_transition_time == NOON, "the status is the same"
    assert set_condition(conditions, "Ready", True, reason="Done", observed_generation=2, now=later)
    assert not set_condition(conditions, "Ready", True, reason="Done", observed_generation=2)
    assert plain(conditions) == [
        {
            "type": "Ready",
            "status": "True",
            "lastTransitionTime": "2026-01-01T13:00:00Z",
            "reason": "Done",
            "message": "",
            "observedGeneration": 2,
        }
    ]
    assert remove_condition(conditions, "Ready")
    assert not remove_condition(conditions, "Ready")
    assert not is_true(conditions, "Ready")
    assert not is_false(conditions, "Ready")


def test_a_message_alone_is_a_change() -> None:
    conditions: list[Condition] = []
    set_condition(conditions, "Ready", True, reason="Done", message="1", now=NOON)
    assert set_condition(conditions, "Ready", True, reason="Done", message="2")
    assert set_condition(conditions, "Ready", True, reason="Done", message="2", observed_generation=7)
    assert set_condition(conditions, "Ready", True, reason="Done", message="2")
    assert (conditions[0].message, conditions[0].observed_generation) == ("2", None)
    set_condition(conditions, "Ready", True, reason="Done", message="2", observed_generation=7)
    assert set_condition(conditions, "Ready", True, reason="Done", message="2", observed_generation=0)
    assert "observedGeneration" not in plain(conditions)[0], "to the API it is absent"
    assert conditions[0].last_transition_time == NOON


def test_the_time_is_now_in_whole_seconds() -> None:
    conditions: list[Condition] = []
    before = datetime.now(UTC).replace(microsecond=0)
    set_condition(conditions, "Ready", True, reason="Done")
    moment = conditions[0].last_transition_time
    assert moment is not None
    assert before <= moment <= datetime.now(UTC)
    assert moment.microsecond == 0


@pytest.mark.parametrize(
    ("type_", "status", "reason", "why"),
    [
        ("", True, "Done", "needs a type"),
        ("Ready", "Yes", "Done", "is 'Yes'; give True, False or 'Unknown'"),
        ("Ready", True, "", "Ready needs a reason"),
    ],
)
def test_what_no_server_takes(type_: str, status: Any, reason: str, why: str) -> None:
    conditions: list[Condition] = []
    with pytest.raises(ValueError, match=why):
        set_condition(conditions, type_, status, reason=reason)
    assert not conditions


def test_conditions_of_built_in_kinds_are_found() -> None:
    pod = Pod.from_dict({"status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    assert is_true(pod.status.conditions, "Ready")
    found = find_condition(pod.status.conditions, "Ready")
    assert found is not None
    assert remove_condition(pod.status.conditions, "Ready")


@given(st.lists(calls, max_size=12))
def test_laws(asked: list[Any]) -> None:
    conditions: list[Condition] = []
    for step, (type_, status, reason, message, generation) in enumerate(asked):
        now = NOON + timedelta(seconds=step)
        before = {each["type"]: each for each in plain(conditions)}
        changed = set_condition(
            conditions, type_, status, reason=reason, message=message, observed_generation=generation, now=now
        )
        after = {each["type"]: each for each in plain(conditions)}
        assert len(after) == len(conditions), "one of each type"
        assert list(after)[: len(before)] == list(before), "in their places"
        assert {key: value for key, value in after.items() if key != type_} == {
            key: value for key, value in before.items() if key != type_
        }, "others are left alone"
        assert changed == (before != after)
        moved = type_ not in before or before[type_]["status"] != status
        assert (after[type_]["lastTransitionTime"] == format_time(now)) == moved
        found = find_condition(conditions, type_)
        assert found is not None
        assert (found.status, found.reason, found.message) == (status, reason, message)
        assert (found.observed_generation or 0) == (generation or 0)
        again = set_condition(
            conditions, type_, status, reason=reason, message=message, observed_generation=generation
        )
        assert not again


@pytest.mark.oracle
@given(asked=st.lists(calls, max_size=12))
def test_as_upstream(oracle: Oracle, asked: list[Any]) -> None:
    conditions: list[Condition] = []
    own = []
    questions = []
    for step, (type_, status, reason, message, generation) in enumerate(asked):
        now = NOON + timedelta(seconds=step)
        changed = set_condition(
            conditions, type_, status, reason=reason, message=message, observed_generation=generation, now=now
        )
        own.append({"changed": changed, "conditions": plain(conditions)})
        questions.append(
            {
                "type": type_,
                "status": status,
                "lastTransitionTime": format_time(now),
                "reason": reason,
                "message": message,
                **({"observedGeneration": generation} if generation is not None else {}),
            }
        )
    assert own == oracle.ask("conditions.set", questions)
