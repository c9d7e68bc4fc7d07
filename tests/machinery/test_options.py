"""Options in queries and bodies."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.machinery.meta import Preconditions
from kubewright.machinery.options import CreateOptions, DeleteOptions, GetOptions, ListOptions, PatchOptions


def test_only_what_is_set_goes_into_the_query() -> None:
    assert GetOptions().to_query() == []
    options = ListOptions(label_selector="a=b", watch=True, limit=0, continue_="x", send_initial_events=False)
    assert options.to_query() == [
        ("labelSelector", "a=b"),
        ("watch", "true"),
        ("limit", "0"),
        ("continue", "x"),
        ("sendInitialEvents", "false"),
    ]
    assert PatchOptions(dry_run=["All"], force=True).to_query() == [("dryRun", "All"), ("force", "true")]


def test_delete_options_have_a_body_and_a_query() -> None:
    options = DeleteOptions(
        grace_period_seconds=0, preconditions=Preconditions(uid="u"), propagation_policy="Orphan"
    )
    assert options.to_dict() == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "gracePeriodSeconds": 0,
        "preconditions": {"uid": "u"},
        "propagationPolicy": "Orphan",
    }
    assert options.to_query() == [("gracePeriodSeconds", "0"), ("propagationPolicy", "Orphan")]


def test_reading_as_the_api_server_does() -> None:
    read = ListOptions.from_query(
        {"watch": [""], "limit": ["5", "6"], "pretty": ["true"], "timeoutSeconds": ["-1"]}
    )
    assert read == ListOptions(watch=True, limit=5, timeout_seconds=-1)
    assert ListOptions.from_query({"watch": ["FALSE"]}).watch is False
    assert ListOptions.from_query({"watch": ["0"]}).watch is False
    assert CreateOptions.from_query({"dryRun": ["All", "All"]}).dry_run == ["All", "All"]
    assert ListOptions.from_query({"limit": "50"}).limit == 50


def test_delete_options_of_any_group() -> None:
    read = DeleteOptions.from_json('{"kind":"DeleteOptions","apiVersion":"apps/v1","gracePeriodSeconds":0}')
    assert (read.api_version, read.grace_period_seconds) == ("apps/v1", 0)


@pytest.mark.parametrize(
    "text", ["x", "1.5", "", "9223372036854775808", " ", " 5", "1_000", "\u0665", "9" * 5000]
)
def test_bad_numbers(text: str) -> None:
    with pytest.raises(ParseError, match=r"strconv\.ParseInt: parsing "):
        ListOptions.from_query({"limit": [text]})


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "label_selector": st.text(min_size=1),
            "watch": st.booleans(),
            "limit": st.integers(-(2**63), 2**63 - 1),
            "continue_": st.text(min_size=1),
        },
    )
)
def test_round_trip(values: dict[str, Any]) -> None:
    options = ListOptions(**values)
    query: dict[str, list[str]] = {}
    for name, value in options.to_query():
        query.setdefault(name, []).append(value)
    assert ListOptions.from_query(query) == options
