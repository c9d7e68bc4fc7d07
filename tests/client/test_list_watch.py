"""What is asked for next, as far as `test_watch_state` does not go through it: the proof of a revision."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.list_watch import ListWatch, compared
from kubewright.machinery.errors import ApiError, TransportError, error_from_status
from kubewright.machinery.status import Status, StatusCause, StatusDetails


def requests(**arguments: Any) -> ListWatch:
    return ListWatch(random=Random(1), **arguments)  # noqa: S311 - the same in every run


def refusal(code: int, reason: str = "", **details: Any) -> ApiError:
    made = StatusDetails(**details) if details else None
    return error_from_status(Status(status="Failure", code=code, reason=reason, details=made))


TOO_LARGE = refusal(504, "Timeout", causes=[StatusCause(reason="ResourceVersionTooLarge")])


def test_a_revision_is_taken_on_trust_until_a_connection_is_over() -> None:
    made = requests(start="5")
    made.options()
    assert not made.unproven
    made.ended(lasted=300)
    assert made.unproven
    made.followed("6")
    assert not made.unproven


@pytest.mark.parametrize(
    "error", [TransportError("cut"), refusal(500), refusal(429)], ids=["cut", "500", "429"]
)
def test_after_a_failure_it_is_unproven_until_something_comes(error: Any) -> None:
    made = requests(start="5")
    made.failed(error, lasted=100)
    assert made.unproven
    made.failed(error, lasted=0)
    made.ended(lasted=0)
    assert made.unproven
    made.options()
    assert made.unproven
    made.followed("6")
    assert not made.unproven
    assert made.revision == "6"


def test_an_event_without_a_revision_proves_as_well_and_moves_nothing() -> None:
    made = requests(start="5")
    made.interrupted(lasted=0)
    made.followed("")
    assert not made.unproven
    assert made.revision == "5"


def test_without_a_revision_there_is_nothing_to_prove() -> None:
    made = requests()
    made.options()
    made.failed(TransportError("refused"), lasted=0)
    assert not made.unproven


def test_the_proof_is_a_list_of_one_that_is_not_older() -> None:
    made = requests(labels="app=web", fields="metadata.name=a", start="5")
    assert dict(made.proof().to_query()) == {
        "labelSelector": "app=web",
        "fieldSelector": "metadata.name=a",
        "limit": "1",
        "resourceVersion": "5",
        "resourceVersionMatch": "NotOlderThan",
    }
    assert dict(made.options().to_query()).get("limit") is None, "the proof has changed what is asked for"


@pytest.mark.parametrize(
    "error", [TOO_LARGE, refusal(410, "Gone"), refusal(410)], ids=["too large", "gone", "410"]
)
def test_a_refused_proof_means_a_pass_with_nothing_left_to_prove(error: ApiError) -> None:
    made = requests(start="5", streams=False)
    made.interrupted(lasted=0)
    made.failed(error, lasted=100)
    assert (made.revision, made.unproven) == ("", False)
    assert not made.options().watch
    made.pass_done("3")
    assert (made.revision, made.unproven, made.in_pass) == ("3", False, False)


def test_a_timeout_of_another_cause_keeps_the_revision() -> None:
    made = requests(start="5")
    made.failed(refusal(504, "Timeout", causes=[StatusCause(reason="Other")]), lasted=0)
    assert made.revision == "5"
    assert made.unproven


def test_a_pass_proves_its_revision() -> None:
    made = requests(start="5")
    made.interrupted(lasted=0)
    made.pass_done("9")
    assert not made.unproven


def test_without_streams_a_pass_is_pages_from_the_start() -> None:
    made = requests(streams=False)
    assert made.options().to_query() == [("limit", "500")]
    made.page_done("next")
    assert dict(made.options().to_query()) == {"limit": "500", "continue": "next"}
    made.failed(TransportError("cut"), lasted=0)
    assert made.options().to_query() == [("limit", "500")]
    assert made.in_pass


def test_a_pass_in_pages_is_not_refused_for_streams() -> None:
    made = requests(streams=False)
    made.options()
    with pytest.raises(ApiError):
        made.failed(refusal(400), lasted=0)


def test_broken_pages_do_not_make_a_stream_of_it() -> None:
    made = requests(streams=False)
    for _ in range(10):
        assert not made.options().watch
        made.failed(TransportError("cut"), lasted=0)


def test_a_late_page_is_followed_by_one_whole_list_and_pages_again() -> None:
    made = requests(streams=False)
    made.options()
    made.page_done("next")
    made.options()
    made.failed(refusal(410, "Expired"), lasted=0)
    assert made.options().to_query() == []
    made.pass_done("9")
    made.failed(refusal(410, "Expired"), lasted=0)
    assert made.options().to_query() == [("limit", "500")]


def test_an_interruption_that_wants_no_pause_gets_none_once() -> None:
    made = requests(start="5")
    assert made.interrupted(lasted=150, at_once=True) == 0
    assert made.interrupted(lasted=0, at_once=True) > 0
    assert made.interrupted(lasted=0, retry_after=4) == 4


@given(st.integers(0, 2**70), st.integers(0, 2**70))
def test_revisions_are_compared_as_numbers_of_any_size(one: int, other: int) -> None:
    assert compared(str(one), str(other)) == (one > other) - (one < other)
    assert compared(str(one), str(one)) == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [("", "5"), ("5", ""), ("", ""), ("a", "b"), ("5", "v6"), ("-1", "5"), ("1.5", "1"), (" 5", "6")],
)
def test_of_revisions_that_are_no_numbers_nothing_is_told(one: str, other: str) -> None:
    assert compared(one, other) == compared(other, one) == 0
