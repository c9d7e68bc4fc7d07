"""Watches: which events come, in which order, with which objects."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace, new_namespace, unique
from tests.conformance.objects import config_map, deployment
from tests.conformance.statuses import assert_failure
from tests.conformance.waiting import caught_up, watched


def revision_of(client: Client, path: str) -> str:
    found: str = client.get(path).json()["metadata"]["resourceVersion"]
    return found


def told(events: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    return [(kind, obj["metadata"]["name"]) for kind, obj in events]


def test_from_a_revision(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("before"))
    start = revision_of(client, namespace.config_maps)
    made = namespace.create(namespace.config_maps, config_map("a", {"k": "1"}))
    changed = client.put(f"{namespace.config_maps}/a", config_map("a", {"k": "2"})).json()
    client.delete(f"{namespace.config_maps}/a")
    with client.watch(namespace.config_maps, resourceVersion=start) as watch:
        assert watch.status == 200
        assert watch.headers["Content-Type"] == "application/json"
        assert watch.headers["Transfer-Encoding"] == "chunked"
        assert watch.next() == ("ADDED", made)
        assert watch.next() == ("MODIFIED", changed)
        kind, last = watch.next()
    assert kind == "DELETED"
    gone = int(last["metadata"].pop("resourceVersion"))
    assert gone > int(changed["metadata"].pop("resourceVersion"))
    assert last == changed


def test_events_as_they_happen(client: Client, namespace: Namespace) -> None:
    start = revision_of(client, namespace.config_maps)
    with client.watch(namespace.config_maps, resourceVersion=start) as watch:
        made = namespace.create(namespace.config_maps, config_map("a"))
        assert watch.next() == ("ADDED", made)
        client.delete(f"{namespace.config_maps}/a")
        assert watch.next()[0] == "DELETED"


@pytest.mark.parametrize("query", [{}, {"resourceVersion": "0"}, {"resourceVersion": ""}])
def test_without_a_revision_what_is_there_comes_first(
    client: Client, namespace: Namespace, query: dict[str, Any]
) -> None:
    made = [namespace.create(namespace.config_maps, config_map(name)) for name in ("b", "a")]
    client.delete(f"{namespace.config_maps}/b")
    # From revision 0 a cache may tell what it has.
    caught_up(client, namespace.config_maps)
    with client.watch(namespace.config_maps, **query) as watch:
        assert watch.next() == ("ADDED", made[1])
        namespace.create(namespace.config_maps, config_map("c"))
        assert told([watch.next()]) == [("ADDED", "c")]


def test_revisions_only_rise(client: Client, namespace: Namespace) -> None:
    start = revision_of(client, namespace.config_maps)
    for number in range(30):
        namespace.create(namespace.config_maps, config_map(f"a{number}"))
    with client.watch(namespace.config_maps, resourceVersion=start) as watch:
        events = watch.take(30)
    assert told(events) == [("ADDED", f"a{number}") for number in range(30)]
    revisions = [int(obj["metadata"]["resourceVersion"]) for _, obj in events]
    assert revisions == sorted(set(revisions))


def test_a_watch_ends_after_its_timeout(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a"))
    events = [json.loads(line) for line in watched(client, namespace.config_maps).body.splitlines()]
    assert events == [{"type": "ADDED", "object": made}]


def test_any_value_but_false_and_zero_is_a_watch(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    with client.watch(namespace.config_maps, watch="maybe") as watch:
        assert told([watch.next()]) == [("ADDED", "a")]


def test_only_this_namespace(client: Client, namespace: Namespace) -> None:
    other = new_namespace(client)
    start = revision_of(client, namespace.config_maps)
    other.create(other.config_maps, config_map("theirs"))
    namespace.create(namespace.config_maps, config_map("ours"))
    with client.watch(namespace.config_maps, resourceVersion=start) as watch:
        assert told([watch.next()]) == [("ADDED", "ours")]


def test_all_namespaces(client: Client, namespace: Namespace) -> None:
    other = new_namespace(client)
    # By a label, since a real server has config maps of its own.
    label = unique("label")
    start = revision_of(client, namespace.config_maps)
    other.create(other.config_maps, config_map("theirs", labels={"test": label}))
    namespace.create(namespace.config_maps, config_map("ours", labels={"test": label}))
    query: dict[str, Any] = {"resourceVersion": start, "labelSelector": f"test={label}"}
    with client.watch("/api/v1/configmaps", **query) as watch:
        assert told(watch.take(2)) == [("ADDED", "theirs"), ("ADDED", "ours")]


def test_a_namespace_that_is_not_there(client: Client) -> None:
    with client.watch("/api/v1/namespaces/nowhere/configmaps", timeoutSeconds=1) as watch:
        assert list(watch) == []


def test_objects_that_come_to_match_are_added_and_those_that_cease_to_are_deleted(
    client: Client, namespace: Namespace
) -> None:
    start = revision_of(client, namespace.config_maps)
    path = f"{namespace.config_maps}/a"
    namespace.create(namespace.config_maps, config_map("a", {"v": "1"}))
    written = [
        client.put(path, config_map("a", {"v": value}, labels={"app": app})).json()
        for value, app in [("2", "yes"), ("3", "yes"), ("4", "no"), ("5", "yes")]
    ]
    client.delete(path)
    with client.watch(namespace.config_maps, resourceVersion=start, labelSelector="app=yes") as watch:
        assert watch.next() == ("ADDED", written[0])
        assert watch.next() == ("MODIFIED", written[1])
        # The object as it matched last, with the revision at which it ceased to.
        written[1]["metadata"]["resourceVersion"] = written[2]["metadata"]["resourceVersion"]
        assert watch.next() == ("DELETED", written[1])
        assert watch.next() == ("ADDED", written[3])
        assert watch.next()[0] == "DELETED"


def test_deleting_what_never_matched_is_silent(client: Client, namespace: Namespace) -> None:
    start = revision_of(client, namespace.config_maps)
    namespace.create(namespace.config_maps, config_map("a"))
    client.delete(f"{namespace.config_maps}/a")
    namespace.create(namespace.config_maps, config_map("b", labels={"app": "yes"}))
    with client.watch(namespace.config_maps, resourceVersion=start, labelSelector="app=yes") as watch:
        assert told([watch.next()]) == [("ADDED", "b")]


def test_one_object_by_a_field_selector(client: Client, namespace: Namespace) -> None:
    start = revision_of(client, namespace.config_maps)
    for name in ("a", "b"):
        namespace.create(namespace.config_maps, config_map(name))
    query: dict[str, Any] = {"resourceVersion": start, "fieldSelector": "metadata.name=b"}
    with client.watch(namespace.config_maps, **query) as watch:
        assert told([watch.next()]) == [("ADDED", "b")]


def test_the_path_of_one_object_is_not_watched(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a"))
    assert client.get(f"{namespace.config_maps}/a", watch="true").json() == made


def test_the_old_watch_paths(client: Client, namespace: Namespace) -> None:
    for name in ("a", "b"):
        namespace.create(namespace.config_maps, config_map(name))
    root = f"/api/v1/watch/namespaces/{namespace.name}/configmaps"
    for path, expected in ((root, ["a", "b"]), (f"{root}/b", ["b"])):
        with client.watch(path) as watch:
            assert told(watch.take(len(expected))) == [("ADDED", name) for name in expected]


def test_an_object_with_finalizers_is_modified_before_it_is_deleted(
    client: Client, namespace: Namespace
) -> None:
    namespace.create(namespace.config_maps, config_map("a", finalizers=["example.com/hold"]))
    start = revision_of(client, namespace.config_maps)
    client.delete(f"{namespace.config_maps}/a")
    client.patch(f"{namespace.config_maps}/a", {"metadata": {"finalizers": None}})
    with client.watch(namespace.config_maps, resourceVersion=start) as watch:
        (first, marked), (second, gone) = watch.take(2)
    assert (first, second) == ("MODIFIED", "DELETED")
    assert marked["metadata"]["finalizers"] == ["example.com/hold"]
    assert "deletionTimestamp" in marked["metadata"]
    # The object as it was stored last: the write that took the finalizer away was never stored.
    assert gone["metadata"]["finalizers"] == ["example.com/hold"]
    assert gone["metadata"]["deletionTimestamp"] == marked["metadata"]["deletionTimestamp"]


def test_a_write_that_changes_nothing_is_no_event(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.deployments, deployment("a"))
    client.put(f"{namespace.deployments}/a", made)
    namespace.create(namespace.deployments, deployment("b"))
    start = made["metadata"]["resourceVersion"]
    with client.watch(namespace.deployments, resourceVersion=start) as watch:
        assert told([watch.next()]) == [("ADDED", "b")]


def test_a_limit_is_not_looked_at(client: Client, namespace: Namespace) -> None:
    for name in ("a", "b"):
        namespace.create(namespace.config_maps, config_map(name))
    with client.watch(namespace.config_maps, limit=1) as watch:
        assert told(watch.take(2)) == [("ADDED", "a"), ("ADDED", "b")]


def test_a_revision_to_come_is_waited_for(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    with client.watch(namespace.config_maps, resourceVersion="99999999", timeoutSeconds=1) as watch:
        assert watch.status == 200
        assert list(watch) == []


@pytest.mark.parametrize("revision", ["x", "-1"])
def test_a_revision_that_is_none(client: Client, namespace: Namespace, revision: str) -> None:
    with client.watch(namespace.config_maps, resourceVersion=revision) as watch:
        message = (
            f'resourceVersion: Invalid value: "{revision}": strconv.ParseUint: parsing '
            f'"{revision}": invalid syntax'
        )
        assert_failure(watch.response(), 500, None, message)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            {"labelSelector": "a b"},
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
        ),
        (
            {"fieldSelector": "spec.x=1"},
            '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
    ],
    ids=["label", "field"],
)
def test_selectors_that_are_none(
    client: Client, namespace: Namespace, query: dict[str, Any], message: str
) -> None:
    with client.watch(namespace.config_maps, **query) as watch:
        assert_failure(watch.response(), 400, "BadRequest", message)


def test_the_form_of_an_event_on_the_wire(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    text = watched(client, namespace.config_maps).text
    assert text.startswith(
        '{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a",'
    )
    assert text.endswith("}}\n")
