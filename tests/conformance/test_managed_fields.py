"""managedFields: who wrote what, after each verb."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.managed_fields import entry, managers
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment, pod

KEY: dict[str, Any] = {"f:data": {".": {}, "f:k": {}}}


def test_create(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", {"k": "v"}), fieldManager="me")
    assert managers(response) == [entry("me", "Update", KEY)]


def test_the_fields_of_metadata_that_are_recorded(client: Client, namespace: Namespace) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
    body = config_map(
        "a", labels={"a": "1"}, annotations={"x": "y"}, finalizers=["x.io/a"], ownerReferences=[owner]
    )
    fields: dict[str, Any] = {
        "f:metadata": {
            "f:annotations": {".": {}, "f:x": {}},
            "f:finalizers": {".": {}, 'v:"x.io/a"': {}},
            "f:labels": {".": {}, "f:a": {}},
            "f:ownerReferences": {".": {}, 'k:{"uid":"u"}': {}},
        }
    }
    response = client.post(namespace.config_maps, body, fieldManager="me")
    assert managers(response) == [entry("me", "Update", fields)]


@pytest.mark.parametrize(
    ("agent", "expected"),
    [("kubectl/v1.36.0 (linux/amd64)", "kubectl"), ("simple", "simple"), ("a b/c", "a b"), ("", "unknown")],
)
def test_without_a_manager_the_user_agent_gives_the_name(
    client: Client, namespace: Namespace, agent: str, expected: str
) -> None:
    headers = {"User-Agent": agent} if agent else {}
    response = client.post(namespace.config_maps, config_map("a", {"k": "v"}), headers=headers)
    assert managers(response) == [entry(expected, "Update", KEY)]


def test_update_by_the_same(client: Client, namespace: Namespace) -> None:
    client.post(namespace.config_maps, config_map("a", {"k": "v"}), fieldManager="me")
    path = f"{namespace.config_maps}/a"
    response = client.put(path, config_map("a", {"l": "v"}), fieldManager="me")
    assert managers(response) == [entry("me", "Update", {"f:data": {".": {}, "f:l": {}}})]


def test_update_by_another(client: Client, namespace: Namespace) -> None:
    client.post(namespace.config_maps, config_map("a", {"k": "v"}), fieldManager="me")
    path = f"{namespace.config_maps}/a"
    response = client.put(path, config_map("a", {"k": "v", "l": "v"}), fieldManager="other")
    assert managers(response) == [
        entry("me", "Update", KEY),
        entry("other", "Update", {"f:data": {"f:l": {}}}),
    ]


def test_a_changed_value_changes_hands(client: Client, namespace: Namespace) -> None:
    client.post(namespace.config_maps, config_map("a", {"k": "v", "l": "v"}), fieldManager="me")
    path = f"{namespace.config_maps}/a"
    response = client.patch(path, {"data": {"k": "w"}}, fieldManager="other")
    assert managers(response) == [
        entry("me", "Update", {"f:data": {".": {}, "f:l": {}}}),
        entry("other", "Update", {"f:data": {"f:k": {}}}),
    ]


def test_a_removed_field_is_nobodys(client: Client, namespace: Namespace) -> None:
    client.apply(f"{namespace.config_maps}/a", config_map("a", {"k": "v", "l": "v"}))
    response = client.patch(f"{namespace.config_maps}/a", {"data": {"k": None}}, fieldManager="other")
    assert managers(response) == [entry("applier", "Apply", {"f:data": {"f:l": {}}})]


@pytest.mark.parametrize("kind", ["merge-patch+json", "strategic-merge-patch+json", "json-patch+json"])
def test_patches(client: Client, namespace: Namespace, kind: str) -> None:
    namespace.create(namespace.config_maps, config_map("a", labels={"x": "y"}), fieldManager="creator")
    patch: object = {"data": {"k": "v"}}
    if kind == "json-patch+json":
        patch = [{"op": "add", "path": "/data", "value": {"k": "v"}}]
    response = client.patch(f"{namespace.config_maps}/a", patch, kind=kind, fieldManager="me")
    assert entry("me", "Update", KEY) in managers(response)


def test_where_nobody_is_recorded_only_apply_begins(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    namespace.create(namespace.config_maps, config_map("a"))
    assert managers(client.patch(path, {"data": {"k": "v"}}, fieldManager="me")) == []
    assert managers(client.put(path, config_map("a", {"k": "w"}), fieldManager="me")) == []
    response = client.apply(path, config_map("a", {"l": "v"}))
    assert managers(response) == [
        entry("applier", "Apply", {"f:data": {"f:l": {}}}),
        entry("before-first-apply", "Update", KEY),
    ]


def test_the_subresource_is_recorded(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.deployments, deployment("a", 1), fieldManager="me")
    made["status"] = {"replicas": 1, "observedGeneration": 1}
    response = client.put(f"{namespace.deployments}/a/status", made, fieldManager="me")
    fields: dict[str, Any] = {"f:status": {"f:observedGeneration": {}, "f:replicas": {}}}
    expected = entry("me", "Update", fields, version="apps/v1", subresource="status")
    assert managers(response)[1] == expected


def test_scaling_is_recorded_as_a_subresource(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.deployments}/a"
    client.apply(path, deployment("a", 1))
    client.patch(f"{path}/scale", {"spec": {"replicas": 3}}, fieldManager="scaler")
    found = managers(client.get(path))
    assert "f:replicas" not in found[0]["fieldsV1"]["f:spec"]
    fields: dict[str, Any] = {"f:spec": {"f:replicas": {}}}
    assert found[1] == entry("scaler", "Update", fields, version="apps/v1", subresource="scale")


def test_defaults_are_owned_by_who_creates(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.pods, pod("a"), fieldManager="me")
    container: dict[str, Any] = {
        ".": {},
        "f:image": {},
        "f:imagePullPolicy": {},
        "f:name": {},
        "f:resources": {},
        "f:terminationMessagePath": {},
        "f:terminationMessagePolicy": {},
    }
    fields = {
        "f:spec": {
            "f:containers": {'k:{"name":"main"}': container},
            "f:dnsPolicy": {},
            "f:enableServiceLinks": {},
            "f:restartPolicy": {},
            "f:schedulerName": {},
            "f:securityContext": {},
            "f:terminationGracePeriodSeconds": {},
        }
    }
    assert managers(response) == [entry("me", "Update", fields)]


def test_managed_fields_can_be_cleared(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    path = f"{namespace.config_maps}/a"
    response = client.patch(path, {"metadata": {"managedFields": [{}]}})
    assert "managedFields" not in response.json()["metadata"]
    # Nothing is recorded until somebody applies.
    assert managers(client.patch(path, {"data": {"l": "v"}}, fieldManager="me")) == []


def test_an_empty_list_does_not_clear(client: Client, namespace: Namespace) -> None:
    made = client.post(namespace.config_maps, config_map("a", {"k": "v"}), fieldManager="me")
    body = made.json()
    body["metadata"]["managedFields"] = []
    response = client.put(f"{namespace.config_maps}/a", body, fieldManager="me")
    assert response.status == 200
    assert response.json()["metadata"].get("managedFields", []) in (
        [],
        made.json()["metadata"]["managedFields"],
    )


def test_a_time_is_kept_while_nothing_changes(client: Client, namespace: Namespace) -> None:
    made = client.post(namespace.config_maps, config_map("a", {"k": "v"}), fieldManager="me").json()
    path = f"{namespace.config_maps}/a"
    changed = client.patch(path, {"data": {"l": "v"}}, fieldManager="other").json()
    assert changed["metadata"]["managedFields"][0] == made["metadata"]["managedFields"][0]


def test_entries_have_times(client: Client, namespace: Namespace) -> None:
    before = dt.datetime.now(dt.UTC).replace(microsecond=0)
    made = client.post(namespace.config_maps, config_map("a", {"k": "v"})).json()["metadata"]
    # Two looks at the clock, between which a second may end.
    written, created = (
        dt.datetime.fromisoformat(each)
        for each in (made["managedFields"][0]["time"], made["creationTimestamp"])
    )
    assert before <= written <= created <= dt.datetime.now(dt.UTC)


def test_applying_what_is_there_already_leaves_no_time(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    client.post(namespace.config_maps, config_map("a", {"k": "v"}), fieldManager="me")
    found = client.apply(path, config_map("a", {"k": "v"})).json()["metadata"]["managedFields"]
    assert [(each["manager"], "time" in each) for each in found] == [("applier", False), ("me", True)]


def test_nothing_is_recorded_for_deleting(client: Client, namespace: Namespace) -> None:
    namespace.create(
        namespace.config_maps, config_map("a", finalizers=["example.com/hold"]), fieldManager="me"
    )
    response = client.delete(f"{namespace.config_maps}/a")
    fields: dict[str, Any] = {"f:metadata": {"f:finalizers": {".": {}, 'v:"example.com/hold"': {}}}}
    assert managers(response) == [entry("me", "Update", fields)]
