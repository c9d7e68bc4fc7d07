"""What comes of a reconcile, and where its key goes."""

from __future__ import annotations

import asyncio

import pytest

from kubewright.controllers.outcomes import OutcomeKind, outcome_of
from kubewright.controllers.requests import Request, Result, Terminal
from kubewright.machinery.errors import AlreadyExists, Conflict, NotFound
from kubewright.machinery.status import Status
from kubewright.testing.clock import ManualClock
from kubewright.workqueue import WorkQueue

WEB = Request("default", "web")


@pytest.mark.parametrize(
    ("returned", "kind"),
    [
        (None, OutcomeKind.SUCCESS),
        (Result(requeue_after=3), OutcomeKind.REQUEUE_AFTER),
        (Conflict(Status()), OutcomeKind.CONFLICT),
        (AlreadyExists(Status()), OutcomeKind.ERROR),
        (NotFound(Status()), OutcomeKind.ERROR),
        (ValueError("x"), OutcomeKind.ERROR),
        (Terminal("x"), OutcomeKind.TERMINAL),
        (True, OutcomeKind.TERMINAL),
        (Request("a", "b"), OutcomeKind.TERMINAL),
    ],
)
def test_what_an_answer_means(returned: object, kind: OutcomeKind) -> None:
    assert outcome_of(returned).kind is kind


def test_an_answer_that_is_none_says_what_was_expected() -> None:
    error = outcome_of({"requeue": True}).error
    assert str(error) == "a reconciler returns None or a Result, not dict"


async def worked(queue: WorkQueue[Request]) -> None:
    while WEB in queue:
        async with queue.take():
            pass


def settled(returned: object, *, failures: int = 0) -> tuple[WorkQueue[Request], ManualClock]:
    clock = ManualClock()
    queue = WorkQueue[Request](clock=clock)
    for _ in range(failures):
        queue.add_rate_limited(WEB)
    clock.advance(10)
    asyncio.run(worked(queue))
    outcome_of(returned).settle(queue, WEB, priority=0)
    return queue, clock


def test_success_forgets_the_failures() -> None:
    queue, clock = settled(None, failures=3)
    assert queue.retries(WEB) == 0
    clock.advance(10_000)
    assert WEB not in queue


def test_requeue_after_waits_and_forgets_the_failures() -> None:
    queue, clock = settled(Result(requeue_after=30), failures=3)
    assert queue.retries(WEB) == 0
    clock.advance(29)
    assert WEB not in queue
    clock.advance(1)
    assert WEB in queue


@pytest.mark.parametrize("error", [ValueError("x"), Conflict(Status())])
def test_what_fails_is_retried_later_and_later(error: Exception) -> None:
    queue, clock = settled(error, failures=3)
    assert queue.retries(WEB) == 4
    assert WEB not in queue
    clock.advance(1)
    assert WEB in queue


def test_what_is_terminal_is_not_retried() -> None:
    queue, clock = settled(Terminal("no"), failures=2)
    assert queue.retries(WEB) == 0
    clock.advance(10_000)
    assert WEB not in queue


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_a_result_wants_seconds(seconds: float) -> None:
    with pytest.raises(ValueError, match="give more than 0 seconds"):
        Result(requeue_after=seconds)


def test_requests() -> None:
    assert Request.parse("default/web") == WEB
    assert Request.parse("node-1") == Request("", "node-1")
    assert str(WEB) == "default/web"
    assert Request("", "node-1").key == "node-1"
