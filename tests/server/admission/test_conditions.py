"""Match conditions: what holds, what fails, and what it may cost."""

from __future__ import annotations

import asyncio

import pytest

from kubewright.server.admission.policies.conditions import ConditionError
from kubewright.server.admission.webhooks.conditions import Conditions

OBJECT = {"metadata": {"name": "a"}, "data": {"x": "y"}, "many": list(range(2000))}


def judged(*expressions: str, ignore: bool = False) -> bool:
    conditions = [{"name": f"c{number}", "expression": each} for number, each in enumerate(expressions)]

    judging = Conditions(conditions, ignores_failures=ignore)
    return asyncio.run(judging.hold(OBJECT, None, {"operation": "CREATE"}, lambda: None))


def test_all_must_hold() -> None:
    assert judged("object.data.x == 'y'", "request.operation == 'CREATE'", "oldObject == null")
    assert not judged("object.data.x == 'y'", "false")


def test_one_that_fails() -> None:
    with pytest.raises(
        ConditionError, match=r"expression .object\.no == 1. resulted in error: no such key: no"
    ):
        judged("true", "object.no == 1")
    assert not judged("true", "object.no == 1", ignore=True)


def test_one_that_does_not_hold_settles_it() -> None:
    assert not judged("object.no == 1", "false")


def test_the_same_failure_is_told_once() -> None:
    with pytest.raises(
        ConditionError, match=r"^expression 'object.no == 1' resulted in error: no such key: no$"
    ):
        judged("object.no == 1", "object.no == 1")


def test_one_that_is_no_expression() -> None:
    with pytest.raises(
        ConditionError,
        match=r"^compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference",
    ):
        judged("nothing == 1")
    assert not judged("nothing == 1", ignore=True)


def test_one_that_is_no_yes_or_no() -> None:
    with pytest.raises(ConditionError, match="must evaluate to bool but got dyn"):
        judged("object.data.x")


def test_they_may_not_cost_too_much() -> None:
    long = "object.many.all(x, object.many.all(y, x + y >= 0))"
    with pytest.raises(ConditionError, match="operation cancelled: actual cost limit exceeded"):
        judged(long)
    # Three of them are more than all may cost together, whatever each of them comes to.
    with pytest.raises(ConditionError, match="running out of cost budget"):
        judged(long, long, long)
    assert not judged(long, long, long, ignore=True)
