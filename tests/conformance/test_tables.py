"""Answers as a Table, which is what kubectl prints, and as metadata only."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment, pod
from tests.conformance.statuses import assert_failure, not_found

TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
OLD_TABLE = {"Accept": "application/json;as=Table;v=v1beta1;g=meta.k8s.io"}
METADATA = {"Accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}
METADATA_LIST = {"Accept": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}
INITIAL = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}


def created(namespace: Namespace, name: str = "a", data: dict[str, str] | None = None) -> tuple[str, Any]:
    made = namespace.create(namespace.config_maps, config_map(name, data or {"k": "v"}))
    return f"{namespace.config_maps}/{name}", made


def as_metadata(obj: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": obj["metadata"],
    }


def cells(table: dict[str, Any]) -> list[Any]:
    """The cells of all rows, without the last, which is an age."""
    return [row["cells"][:-1] for row in table["rows"]]


def test_a_list_as_a_table(client: Client, namespace: Namespace) -> None:
    _, first = created(namespace)
    _, second = created(namespace, "b", {"k": "v", "l": "v"})
    response = client.get(namespace.config_maps, headers=TABLE)
    assert (response.status, response.content_type) == (200, "application/json")
    table = response.json()
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert int(table["metadata"]["resourceVersion"]) >= int(second["metadata"]["resourceVersion"])
    assert cells(table) == [["a", 1], ["b", 2]]
    assert [row["object"] for row in table["rows"]] == [as_metadata(first), as_metadata(second)]
    assert [set(row) for row in table["rows"]] == [{"cells", "object"}] * 2
    assert all(row["cells"][-1].endswith("s") for row in table["rows"])


@pytest.mark.differs("descriptions")
def test_the_columns(client: Client, namespace: Namespace) -> None:
    columns = client.get(namespace.config_maps, headers=TABLE).json()["columnDefinitions"]
    assert [(each["name"], each["type"], each["format"], each["priority"]) for each in columns] == [
        ("Name", "string", "name", 0),
        ("Data", "string", "", 0),
        ("Age", "string", "", 0),
    ]
    assert columns[0]["description"].startswith("Name must be unique within a namespace. Is required when ")
    assert columns[1]["description"].startswith(
        "Data contains the configuration data. Each key must consist "
    )


def test_nothing_in_a_table(client: Client, namespace: Namespace) -> None:
    table = client.get(namespace.path("secrets"), headers=TABLE).json()
    assert table["rows"] == []
    assert [each["name"] for each in table["columnDefinitions"]] == ["Name", "Type", "Data", "Age"]


@pytest.mark.parametrize("include", ["", "Metadata", "Object", "None"])
def test_what_the_rows_include(client: Client, namespace: Namespace, include: str) -> None:
    _, made = created(namespace)
    response = client.get(namespace.config_maps, headers=TABLE, includeObject=include)
    (row,) = response.json()["rows"]
    expected = {"": as_metadata(made), "Metadata": as_metadata(made), "Object": made, "None": None}
    assert row["object"] == expected[include]


def test_including_something_else(client: Client, namespace: Namespace) -> None:
    response = client.get(namespace.config_maps, headers=TABLE, includeObject="Everything")
    message = (
        'Unable to convert to Table as requested: includeObject: Invalid value: "Everything": '
        "must be 'Metadata', 'Object', 'None', or empty"
    )
    assert_failure(response, 400, "BadRequest", message)


def test_one_object_as_a_table(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    table = client.get(path, headers=TABLE).json()
    assert table["metadata"] == {"resourceVersion": made["metadata"]["resourceVersion"]}
    assert cells(table) == [["a", 1]]


def test_pages_of_a_table(client: Client, namespace: Namespace) -> None:
    created(namespace)
    created(namespace, "b")
    first = client.get(namespace.config_maps, headers=TABLE, limit=1).json()
    assert cells(first) == [["a", 1]]
    assert first["metadata"]["remainingItemCount"] == 1
    token = first["metadata"]["continue"]
    second = client.get(namespace.config_maps, headers=TABLE, limit=1, continue_=token).json()
    assert cells(second) == [["b", 1]]


def test_writes_answer_with_tables_as_well(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", {"k": "v"}), headers=TABLE)
    assert (response.status, cells(response.json())) == (201, [["a", 1]])
    path = f"{namespace.config_maps}/a"
    response = client.patch(path, {"data": {"l": "v"}}, headers=TABLE)
    assert (response.status, cells(response.json())) == (200, [["a", 2]])


def test_a_status_is_no_table(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    assert client.delete(path, headers=TABLE).json()["kind"] == "Status"
    assert client.get(path, headers=TABLE).json() == not_found("configmaps", "a")


def test_the_old_version(client: Client, namespace: Namespace) -> None:
    created(namespace)
    assert client.get(namespace.config_maps, headers=OLD_TABLE).json()["apiVersion"] == "meta.k8s.io/v1beta1"


def test_what_kubectl_accepts(client: Client, namespace: Namespace) -> None:
    created(namespace)
    accept = f"{TABLE['Accept']},{OLD_TABLE['Accept']},application/json"
    table = client.get(namespace.config_maps, headers={"Accept": accept}).json()
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")


def test_the_table_of_pods(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.pods, pod("a", {"nodeName": "n1"}))
    table = client.get(namespace.pods, headers=TABLE).json()
    columns = [(each["name"], each["priority"]) for each in table["columnDefinitions"]]
    assert columns == [
        ("Name", 0),
        ("Ready", 0),
        ("Status", 0),
        ("Restarts", 0),
        ("Age", 0),
        ("IP", 1),
        ("Node", 1),
        ("Nominated Node", 1),
        ("Readiness Gates", 1),
    ]
    (row,) = table["rows"]
    del row["cells"][4]
    assert row["cells"] == ["a", "0/1", "Pending", "0", "<none>", "n1", "<none>", "<none>"]


def test_the_table_of_deployments(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.deployments, deployment("a", 2))
    (row,) = client.get(namespace.deployments, headers=TABLE).json()["rows"]
    del row["cells"][4]
    assert row["cells"] == ["a", "0/2", 0, 0, "main", "example.com/main:1", "app=a"]


def test_a_watch_of_tables(client: Client, namespace: Namespace) -> None:
    _, made = created(namespace)
    with client.watch(namespace.config_maps, headers=TABLE, **INITIAL) as watch:
        kind, first = watch.next()
        assert (kind, cells(first)) == ("ADDED", [["a", 1]])
        assert first["metadata"] == {"resourceVersion": made["metadata"]["resourceVersion"]}
        assert [each["name"] for each in first["columnDefinitions"]] == ["Name", "Data", "Age"]
        kind, mark = watch.next()
        assert kind == "BOOKMARK"
        # Columns are told once.
        assert mark["columnDefinitions"] is None
        (row,) = mark["rows"]
        assert row["cells"] == ["", 0, "<unknown>"]
        assert row["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
        client.delete(f"{namespace.config_maps}/a")
        kind, last = watch.next()
        assert (kind, cells(last), last["columnDefinitions"]) == ("DELETED", [["a", 1]], None)


def test_metadata_of_one_object(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    response = client.get(path, headers=METADATA)
    assert (response.status, response.content_type) == (200, "application/json")
    assert response.json() == as_metadata(made)


def test_metadata_of_a_list(client: Client, namespace: Namespace) -> None:
    _, made = created(namespace)
    found = client.get(namespace.config_maps, headers=METADATA_LIST).json()
    assert (found["kind"], found["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert found["items"] == [as_metadata(made)]
    assert found["metadata"]["resourceVersion"]


def test_metadata_of_what_is_written(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", {"k": "v"}), headers=METADATA)
    path = f"{namespace.config_maps}/a"
    assert (response.status, response.json()) == (201, as_metadata(client.get(path).json()))
    response = client.patch(path, {"data": {"k": "w"}}, headers=METADATA)
    assert (response.status, response.json()) == (200, as_metadata(client.get(path).json()))
    assert client.delete(path, headers=METADATA).json()["kind"] == "Status"


def test_a_list_is_not_one_and_one_is_no_list(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    message = "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)"
    response = client.get(namespace.config_maps, headers=METADATA)
    assert_failure(response, 406, "NotAcceptable", message)
    message = (
        "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)"
    )
    assert_failure(client.get(path, headers=METADATA_LIST), 406, "NotAcceptable", message)


def test_a_watch_of_metadata(client: Client, namespace: Namespace) -> None:
    _, made = created(namespace)
    with client.watch(namespace.config_maps, headers=METADATA, **INITIAL) as watch:
        assert watch.next() == ("ADDED", as_metadata(made))
        kind, mark = watch.next()
    assert kind == "BOOKMARK"
    assert (mark["kind"], mark["apiVersion"]) == ("PartialObjectMetadata", "meta.k8s.io/v1")
    assert mark["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_component_statuses_in_every_form(client: Client) -> None:
    path = "/api/v1/componentstatuses"
    table = client.get(path, headers=TABLE).json()
    assert (table["kind"], table["metadata"]) == ("Table", {})
    assert [each["name"] for each in table["columnDefinitions"]] == ["Name", "Status", "Message", "Error"]
    metadata = client.get(path, headers=METADATA_LIST).json()
    assert (metadata["kind"], metadata["metadata"]) == ("PartialObjectMetadataList", {})
    plain = client.get(path).json()
    assert (plain["kind"], plain["metadata"]) == ("ComponentStatusList", {})
    refused = client.get(path, headers=METADATA)
    assert refused.status == 406
    assert refused.json()["message"] == (
        "you requested PartialObjectMetadata, but the requested object is a list (*core.ComponentStatusList)"
    )
