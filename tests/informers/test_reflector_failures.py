"""What a reflector does about errors, refusals and kinds that are not served, without a connection."""

from __future__ import annotations

import pytest

from kubewright.machinery.errors import (
    ClientClosed,
    DecodeError,
    Expired,
    KubewrightError,
    RequestTimeout,
    TransportError,
)
from tests.informers.objects import bookmark, data_of, frame, refusal
from tests.informers.reflecting import A_AND_B, Setup, following


def test_what_came_before_an_error_of_the_watch_counts() -> None:
    setup = following()
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 410, "reason": "Expired"}
    with pytest.raises(Expired):
        setup.follow(
            frame("MODIFIED", data_of("a", 13)), frame("ERROR", status), frame("ADDED", data_of("c", 14))
        )
    assert setup.states == {"a": ("uid of a", 13), "b": ("uid of b", 12)}
    assert setup.reflector.revision == "13"
    assert setup.fail(refusal(410, "Expired")) == 0
    assert not setup.reflector.options().watch


def test_what_cannot_be_decoded_means_a_list_and_no_end() -> None:
    setup = following()
    bad = data_of("a", 13)
    bad["metadata"]["name"] = 5
    with pytest.raises(DecodeError) as raised:
        setup.follow(frame("MODIFIED", bad))
    assert setup.states == A_AND_B
    setup.fail(raised.value)
    assert setup.reflector.revision == "12"
    assert not setup.reflector.requests.unproven
    setup.list(14, data_of("a", 13), data_of("b", 12))
    assert setup.told.take() == [("MODIFIED", "default/a", 13)]


def test_a_page_that_cannot_be_decoded_changes_nothing() -> None:
    setup = following()
    setup.relist()
    setup.list(20, data_of("c", 13), more="next")
    for _ in range(3):
        setup.reflector.options()
        with pytest.raises(DecodeError):
            setup.reflector.page(b'{"items": [{"metadata": {"name": 5}}]}')
        setup.fail(DecodeError("bad"))
    assert setup.states == A_AND_B
    setup.list(21, data_of("a", 11))
    assert setup.states == {"a": ("uid of a", 11)}


def test_only_a_closed_client_ends_it() -> None:
    setup = following()
    setup.relist()
    setup.list(13, data_of("c", 13), more="next")
    with pytest.raises(ClientClosed):
        setup.fail(ClientClosed())
    assert setup.states == A_AND_B
    for error in (
        refusal(401, "Unauthorized"),
        refusal(403, "Forbidden"),
        refusal(400),
        refusal(405),
        refusal(422),
        refusal(500),
        TransportError("certificate", lasting=True),
        TransportError("refused"),
        RequestTimeout("silent"),
        KubewrightError("anything"),
    ):
        assert 0 <= setup.fail(error) <= 30, error
    assert setup.states == A_AND_B
    assert setup.told.take() == []


def test_pauses_grow_also_for_what_no_retry_mends() -> None:
    setup = following()
    pauses = [setup.fail(refusal(403, "Forbidden")) for _ in range(200)]
    assert all(pause <= 0.05 * 2**attempt for attempt, pause in enumerate(pauses))
    assert 10 < max(pauses) <= 30


def test_a_connection_that_fell_silent_is_replaced_at_once() -> None:
    setup = following()
    assert setup.reflector.failed(RequestTimeout("silent"), lasted=150, at_once=True) == 0
    assert setup.reflector.requests.unproven
    assert setup.reflector.options().resource_version == "12"
    setup.follow(bookmark(13))
    assert not setup.reflector.requests.unproven


NOT_SERVED = refusal(404, "NotFound")


def test_a_kind_that_is_not_served_for_long_has_no_objects() -> None:
    setup = following()
    setup.fail(NOT_SERVED)
    setup.clock.advance(9.99)
    setup.fail(NOT_SERVED)
    assert setup.states == A_AND_B
    assert setup.told.take() == []
    assert not setup.reflector.seems_gone
    setup.clock.advance(0.01)
    setup.fail(NOT_SERVED)
    assert setup.reflector.seems_gone
    assert setup.states == A_AND_B
    setup.reflector.gone()
    assert setup.states == {}
    assert setup.values == {}
    assert setup.told.take() == [("DELETED", "default/a", 11), ("DELETED", "default/b", 12)]
    for _ in range(3):
        setup.clock.advance(60)
        setup.fail(NOT_SERVED)
        assert not setup.reflector.seems_gone
    assert setup.told.take() == []
    setup.list(5, data_of("a", 4, "another"))
    assert setup.told.take() == [("ADDED", "default/a", 4)]
    assert setup.reflector.revision == "5"
    setup.follow(frame("MODIFIED", data_of("a", 6, "another")))
    assert setup.states == {"a": ("another", 6)}


def test_one_that_comes_back_soon_has_the_objects_that_are_listed_then() -> None:
    setup = following()
    setup.fail(NOT_SERVED)
    setup.clock.advance(9)
    setup.list(15, data_of("a", 11), data_of("b", 14))
    assert setup.told.take() == [("MODIFIED", "default/b", 14)]
    setup.fail(NOT_SERVED)
    setup.clock.advance(9)
    setup.fail(NOT_SERVED)
    assert setup.states == {"a": ("uid of a", 11), "b": ("uid of b", 14)}
    assert not setup.reflector.seems_gone, "counted from the first time"


def test_what_is_refused_otherwise_in_between_counts_anew() -> None:
    setup = following()
    setup.fail(NOT_SERVED)
    setup.clock.advance(60)
    setup.fail(refusal(503, "ServiceUnavailable"))
    setup.fail(NOT_SERVED)
    assert not setup.reflector.seems_gone


def test_a_kind_that_is_not_served_is_looked_for_often() -> None:
    setup = Setup()
    pauses = []
    for _ in range(300):
        assert not setup.reflector.options().watch
        pauses.append(setup.fail(NOT_SERVED))
        setup.clock.advance(pauses[-1])
    assert max(pauses) == 5
    assert not setup.reflector.is_complete
    setup.list(3, data_of("a", 2))
    assert setup.told.take() == [("ADDED", "default/a", 2)]


def test_a_server_that_was_set_back_is_believed() -> None:
    """Its objects are older now, and what it says then is no late event."""
    setup = following()
    setup.handlers.clear()
    setup.follow(frame("MODIFIED", data_of("a", 40)), frame("ADDED", data_of("c", 41)))
    setup.relist()
    setup.list(20, data_of("a", 11), data_of("b", 12))
    assert setup.states == A_AND_B
    assert setup.reflector.revision == setup.reflector.options().resource_version == "20"
    setup.follow(frame("MODIFIED", data_of("a", 21)))
    assert setup.states["a"] == ("uid of a", 21)
