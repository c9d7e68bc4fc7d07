"""Requests of all sorts: a server's events compared with those that were recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.audit.recorded import audited_server, observed, recorded
from tests.conformance.audit.requests import POLICY

EVENTS = recorded()


@pytest.fixture(scope="module", params=["embedded", pytest.param("real", marks=pytest.mark.real)])
def events(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """The events of one server, by the names of the requests."""
    with audited_server(request.param, POLICY) as (server, log):
        yield observed(server, log)


@pytest.mark.parametrize("name", EVENTS)
def test_a_request_gives_the_recorded_events(events: dict[str, Any], name: str) -> None:
    assert events.get(name) == EVENTS[name]


def test_others_give_none(events: dict[str, Any]) -> None:
    assert list(events) == list(EVENTS)
    assert not [name for name in events if name in {"quiet-get", "quiet-path", "request-get", "request-list"}]


def test_no_credentials_are_told(events: dict[str, Any]) -> None:
    assert "nobody-knows-it" not in str(events)
    assert "Bearer" not in str(events)
