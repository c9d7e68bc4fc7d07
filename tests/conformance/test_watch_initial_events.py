"""Watches that begin with what is there, and bookmarks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, pod
from tests.conformance.statuses import assert_invalid, cause, failure
from tests.conformance.waiting import caught_up, eventually, watched

INITIAL: dict[str, Any] = {
    "sendInitialEvents": "true",
    "resourceVersionMatch": "NotOlderThan",
    "allowWatchBookmarks": "true",
}
END = {"k8s.io/initial-events-end": "true"}


def assert_end(event: tuple[str, Any], kind: str = "ConfigMap", **fields: Any) -> str:
    """The event is the bookmark that ends the initial events; gives its revision."""
    kind_of_event, obj = event
    revision: str = obj["metadata"].pop("resourceVersion")
    assert kind_of_event == "BOOKMARK"
    assert obj == {"kind": kind, "apiVersion": "v1", "metadata": {"annotations": END}, **fields}
    return revision


@pytest.mark.parametrize("revision", [None, "0", "1", "current"])
def test_what_is_there_then_a_bookmark_then_what_happens(
    client: Client, namespace: Namespace, revision: str | None
) -> None:
    made = [namespace.create(namespace.config_maps, config_map(name)) for name in ("a", "b")]
    current = made[1]["metadata"]["resourceVersion"]
    query: dict[str, Any] = (
        {} if revision is None else {"resourceVersion": current if revision == "current" else revision}
    )
    # From an old revision a cache may tell what it has.
    caught_up(client, namespace.config_maps)
    with client.watch(namespace.config_maps, **INITIAL, **query) as watch:
        assert watch.take(2) == [("ADDED", made[0]), ("ADDED", made[1])]
        assert int(assert_end(watch.next())) >= int(current)
        later = namespace.create(namespace.config_maps, config_map("c"))
        assert watch.next() == ("ADDED", later)


def test_nothing_is_there(client: Client, namespace: Namespace) -> None:
    with client.watch(namespace.config_maps, **INITIAL) as watch:
        assert_end(watch.next())


def test_a_bookmark_of_a_kind_has_the_fields_that_go_always_writes(
    client: Client, namespace: Namespace
) -> None:
    with client.watch(namespace.pods, **INITIAL) as watch:
        assert_end(watch.next(), "Pod", spec={"containers": None}, status={})


def test_with_a_selector(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    made = namespace.create(namespace.config_maps, config_map("b", labels={"x": "y"}))
    with client.watch(namespace.config_maps, **INITIAL, labelSelector="x=y") as watch:
        assert watch.next() == ("ADDED", made)
        assert_end(watch.next())


def test_without_bookmarks_nothing_says_where_the_beginning_ends(
    client: Client, namespace: Namespace
) -> None:
    made = namespace.create(namespace.config_maps, config_map("a"))
    query: dict[str, Any] = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
    lines = watched(client, namespace.config_maps, **query).body.splitlines()
    assert [json.loads(line) for line in lines] == [{"type": "ADDED", "object": made}]


def test_bookmarks_without_a_revision_bring_the_end_as_well(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a"))
    caught_up(client, namespace.config_maps)
    with client.watch(namespace.config_maps, allowWatchBookmarks="true") as watch:
        assert watch.next() == ("ADDED", made)
        assert_end(watch.next())


def test_no_initial_events(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    query: dict[str, Any] = {"sendInitialEvents": "false", "resourceVersionMatch": "NotOlderThan"}
    with client.watch(namespace.config_maps, **query) as watch:
        later = namespace.create(namespace.config_maps, config_map("b"))
        assert watch.next() == ("ADDED", later)


def test_no_initial_events_from_a_revision(client: Client, namespace: Namespace) -> None:
    made = [namespace.create(namespace.config_maps, config_map(name)) for name in ("a", "b")]
    query = {
        "sendInitialEvents": "false",
        "resourceVersionMatch": "NotOlderThan",
        "resourceVersion": made[0]["metadata"]["resourceVersion"],
    }
    with client.watch(namespace.config_maps, **query) as watch:
        assert watch.next() == ("ADDED", made[1])


def test_a_revision_to_come(client: Client, namespace: Namespace) -> None:
    with client.watch(namespace.config_maps, **INITIAL, resourceVersion="99999999") as watch:
        assert watch.status == 200
        kind, status = watch.next()
    assert kind == "ERROR"
    assert status.pop("message").startswith("Timeout: Too large resource version: 99999999, current: ")
    details = {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
    expected = failure(504, "Timeout", "", details)
    del expected["message"]
    assert status == expected


def test_a_bookmark_comes_before_the_end_of_a_watch(client: Client, namespace: Namespace) -> None:
    made: list[Any] = []
    events: list[tuple[str, Any]] = []

    def marked() -> bool:
        # A real server sends it two seconds before the end, and none when it is too busy, or when nothing
        # has happened since the watch began.
        start = client.get(namespace.config_maps).json()["metadata"]["resourceVersion"]
        query = {"resourceVersion": start, "allowWatchBookmarks": "true", "timeoutSeconds": "4"}
        events.clear()
        with client.watch(namespace.config_maps, **query) as watch:
            made.append(namespace.create(namespace.config_maps, config_map(f"a{len(made)}")))
            for event in watch:
                events.append(event)
                if event[0] == "BOOKMARK":
                    break
        return [kind for kind, _ in events] == ["ADDED", "BOOKMARK"]

    eventually(marked, "no bookmark comes")
    (_, obj), (_, mark) = events
    assert obj == made[-1]
    assert int(mark["metadata"].pop("resourceVersion")) >= int(obj["metadata"]["resourceVersion"])
    assert mark == {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {}}


def test_no_bookmark_comes_unasked(client: Client, namespace: Namespace) -> None:
    start = client.get(namespace.pods).json()["metadata"]["resourceVersion"]
    namespace.create(namespace.pods, pod("a"))
    caught_up(client, namespace.pods)
    with client.watch(namespace.pods, resourceVersion=start, timeoutSeconds="4") as watch:
        assert [kind for kind, _ in watch] == ["ADDED"]


FORBIDDEN = "FieldValueForbidden"
REQUIRES = cause(
    FORBIDDEN,
    "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    "resourceVersionMatch",
)
UNLESS = cause(
    FORBIDDEN,
    "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    "resourceVersionMatch",
)
ONLY = cause(
    "FieldValueNotSupported",
    'Unsupported value: "Exact": supported values: "NotOlderThan"',
    "resourceVersionMatch",
)
CONTINUE = cause(
    FORBIDDEN,
    "Forbidden: resourceVersionMatch is forbidden when continue is provided",
    "resourceVersionMatch",
)


@pytest.mark.parametrize(
    ("query", "causes"),
    [
        ({"sendInitialEvents": "true"}, [REQUIRES]),
        ({"sendInitialEvents": "true", "resourceVersionMatch": "Exact"}, [REQUIRES, ONLY]),
        ({"resourceVersionMatch": "NotOlderThan", "resourceVersion": "1"}, [UNLESS]),
        ({"resourceVersionMatch": "Exact", "resourceVersion": "1"}, [UNLESS, ONLY]),
        ({"continue": "x"}, [CONTINUE]),
    ],
    ids=["no match", "exactly", "match only", "exactly only", "continue"],
)
def test_options_that_cannot_be(
    client: Client, namespace: Namespace, query: dict[str, Any], causes: list[dict[str, str]]
) -> None:
    with client.watch(namespace.config_maps, **query) as watch:
        assert_invalid(watch.response(), "ListOptions.meta.k8s.io", "", *causes)
