"""GET of a collection: its form, its order, its revision."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client, Response
from tests.conformance.namespaces import Namespace, new_namespace, unique
from tests.conformance.objects import config_map, deployment
from tests.conformance.statuses import assert_failure, assert_invalid, assert_too_large, cause


def names(response: Response) -> list[str]:
    assert response.status == 200, response.text
    return [item["metadata"]["name"] for item in response.json()["items"]]


def filled(namespace: Namespace, *wanted: str) -> int:
    """Creates config maps and gives the revision of the last."""
    made: dict[str, Any] = {}
    for name in wanted:
        made = namespace.create(namespace.config_maps, config_map(name))
    return int(made["metadata"]["resourceVersion"])


def test_an_empty_list(client: Client, namespace: Namespace) -> None:
    made = client.get(namespace.config_maps).json()
    assert int(made["metadata"].pop("resourceVersion")) > 0
    assert made == {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {}, "items": []}


def test_a_namespace_that_is_not_there_is_empty(client: Client) -> None:
    response = client.get("/apis/apps/v1/namespaces/nowhere/deployments")
    made = response.json()
    del made["metadata"]
    assert made == {"kind": "DeploymentList", "apiVersion": "apps/v1", "items": []}


def test_items_of_built_in_kinds_do_not_say_their_kind(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.deployments, deployment("a"))
    response = client.get(namespace.deployments)
    assert response.status == 200
    expected = {key: value for key, value in made.items() if key not in {"kind", "apiVersion"}}
    assert response.json()["items"] == [expected]


def test_the_form_of_a_list_on_the_wire(client: Client, namespace: Namespace) -> None:
    filled(namespace, "a")
    text = client.get(namespace.config_maps).text
    assert text.startswith('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"')
    assert '"},"items":[{"metadata":{"name":"a","namespace":"' in text
    assert text.endswith("]}\n")


def test_names_in_the_order_of_their_bytes(client: Client, namespace: Namespace) -> None:
    filled(namespace, "b", "a-1", "a", "a.b", "aa", "10", "9")
    assert names(client.get(namespace.config_maps)) == ["10", "9", "a", "a-1", "a.b", "aa", "b"]


def test_all_namespaces_in_the_order_of_namespaces(client: Client, namespace: Namespace) -> None:
    other = new_namespace(client)
    label = unique("label")
    for each in (namespace, other):
        for name in ("b", "a"):
            each.create(each.config_maps, config_map(name, labels={"test": label}))
    found = client.get("/api/v1/configmaps", labelSelector=f"test={label}").json()["items"]
    places = [(item["metadata"]["namespace"], item["metadata"]["name"]) for item in found]
    assert places == sorted((each.name, name) for each in (namespace, other) for name in "ab")


def test_a_list_has_the_newest_revision(client: Client, namespace: Namespace) -> None:
    last = filled(namespace, "a", "b")
    client.delete(f"{namespace.config_maps}/a")
    assert int(client.get(namespace.config_maps).json()["metadata"]["resourceVersion"]) > last


def test_not_older_than(client: Client, namespace: Namespace) -> None:
    revision = filled(namespace, "a")
    last = filled(namespace, "b")
    for asked, query in (
        (revision, {"resourceVersion": revision}),
        (revision, {"resourceVersion": revision, "resourceVersionMatch": "NotOlderThan"}),
        (last, {"resourceVersion": last, "resourceVersionMatch": "NotOlderThan"}),
    ):
        response = client.get(namespace.config_maps, **query)
        found = int(response.json()["metadata"]["resourceVersion"])
        assert found >= asked
        # A cache that is behind may answer with what it has, if that is not older than what was asked for.
        assert names(response) == (["a", "b"] if found >= last else ["a"])


def test_any_revision(client: Client, namespace: Namespace) -> None:
    filled(namespace, "a")
    for query in (
        {"resourceVersion": "0"},
        {"resourceVersion": "0", "resourceVersionMatch": "NotOlderThan"},
        {"resourceVersion": "0", "limit": 1},
    ):
        response = client.get(namespace.config_maps, **query)
        assert "continue" not in response.json()["metadata"]


def test_exactly(client: Client, namespace: Namespace) -> None:
    first = filled(namespace, "a")
    second = filled(namespace, "b")
    client.delete(f"{namespace.config_maps}/a")
    # Not the next one, which may be that of something that the server writes for itself.
    last = int(client.get(namespace.config_maps).json()["metadata"]["resourceVersion"])
    for revision, expected in ((first - 1, []), (first, ["a"]), (second, ["a", "b"]), (last, ["b"])):
        query: dict[str, Any] = {"resourceVersion": revision, "resourceVersionMatch": "Exact"}
        response = client.get(namespace.config_maps, **query)
        assert names(response) == expected
        assert response.json()["metadata"] == {"resourceVersion": str(revision)}


def test_exactly_gives_the_objects_of_that_time(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a", {"k": "old"}))
    client.put(f"{namespace.config_maps}/a", config_map("a", {"k": "new"}))
    query = {"resourceVersion": made["metadata"]["resourceVersion"], "resourceVersionMatch": "Exact"}
    (item,) = client.get(namespace.config_maps, **query).json()["items"]
    assert item["data"] == {"k": "old"}
    assert item["metadata"] == made["metadata"]


@pytest.mark.parametrize("match", [None, "NotOlderThan", "Exact"])
def test_a_revision_to_come(client: Client, namespace: Namespace, match: str | None) -> None:
    query: dict[str, Any] = {"resourceVersion": "99999999"} | (
        {"resourceVersionMatch": match} if match else {}
    )
    assert_too_large(client.get(namespace.config_maps, **query), 99999999)


@pytest.mark.parametrize("revision", ["x", "-1"])
def test_a_revision_that_is_none(client: Client, namespace: Namespace, revision: str) -> None:
    response = client.get(namespace.config_maps, resourceVersion=revision)
    message = (
        f'invalid resource version: resourceVersion: Invalid value: "{revision}": '
        f'strconv.ParseUint: parsing "{revision}": invalid syntax'
    )
    assert_failure(response, 400, "BadRequest", message)


UNLESS = "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"


@pytest.mark.parametrize(
    ("query", "reason", "message"),
    [
        ({"resourceVersionMatch": "Exact"}, "FieldValueForbidden", UNLESS),
        ({"resourceVersionMatch": "NotOlderThan"}, "FieldValueForbidden", UNLESS),
        (
            {"resourceVersionMatch": "Exact", "resourceVersion": "0"},
            "FieldValueForbidden",
            'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
        (
            {"resourceVersionMatch": "Newest", "resourceVersion": "1"},
            "FieldValueNotSupported",
            'Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
        ),
    ],
    ids=["exactly nothing", "not older than nothing", "exactly any", "unknown"],
)
def test_matches_that_cannot_be(
    client: Client, namespace: Namespace, query: dict[str, Any], reason: str, message: str
) -> None:
    response = client.get(namespace.config_maps, **query)
    assert_invalid(response, "ListOptions.meta.k8s.io", "", cause(reason, message, "resourceVersionMatch"))


@pytest.mark.parametrize("value", ["true", "false"])
def test_initial_events_are_for_watches(client: Client, namespace: Namespace, value: str) -> None:
    response = client.get(namespace.config_maps, sendInitialEvents=value)
    message = "Forbidden: sendInitialEvents is forbidden for list"
    assert_invalid(
        response, "ListOptions.meta.k8s.io", "", cause("FieldValueForbidden", message, "sendInitialEvents")
    )


def test_bookmarks_are_not_looked_at_in_lists(client: Client, namespace: Namespace) -> None:
    filled(namespace, "a")
    assert names(client.get(namespace.config_maps, allowWatchBookmarks="true")) == ["a"]


@pytest.mark.parametrize("option", ["limit", "timeoutSeconds"])
def test_numbers_that_are_none(client: Client, namespace: Namespace, option: str) -> None:
    response = client.get(f"{namespace.config_maps}?{option}=x")
    assert_failure(response, 400, "BadRequest", 'strconv.ParseInt: parsing "x": invalid syntax')


def test_watch_false_is_a_list(client: Client, namespace: Namespace) -> None:
    for value in ("false", "0"):
        assert client.get(namespace.config_maps, watch=value).json()["kind"] == "ConfigMapList"


def test_unknown_parameters_are_not_looked_at(client: Client, namespace: Namespace) -> None:
    assert client.get(namespace.config_maps, unheard="of").status == 200
