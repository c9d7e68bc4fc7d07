"""POST: what is made, what is filled in."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.objects import config_map, deployment, node, pod
from tests.conformance.statuses import assert_failure, not_found

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def test_the_created_object_comes_back(client: Client, namespace: Namespace) -> None:
    body = config_map("a", {"key": "value"}, labels={"x": "y"}, annotations={"n": "o"})
    response = client.post(namespace.config_maps, body)
    assert response.status == 201
    made = response.json()
    meta = made.pop("metadata")
    assert made == {"kind": "ConfigMap", "apiVersion": "v1", "data": {"key": "value"}}
    assert UID.fullmatch(meta.pop("uid"))
    assert int(meta.pop("resourceVersion")) > 0
    assert SECONDS.fullmatch(meta.pop("creationTimestamp"))
    assert len(meta.pop("managedFields")) == 1
    assert meta == {
        "name": "a",
        "namespace": namespace.name,
        "labels": {"x": "y"},
        "annotations": {"n": "o"},
    }


def test_keys_come_in_the_order_of_go(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", {"key": "value"}))
    assert list(response.json()) == ["kind", "apiVersion", "metadata", "data"]
    assert list(response.json()["metadata"]) == [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "managedFields",
    ]


def test_get_gives_what_create_gave(client: Client, namespace: Namespace) -> None:
    made = client.post(namespace.config_maps, config_map("a", {"key": "value"}))
    assert client.get(f"{namespace.config_maps}/a").body == made.body


@pytest.mark.differs("flow control")
def test_headers_of_an_answer(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a"))
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "no-cache, private"
    assert UID.fullmatch(response.headers["Audit-Id"])
    assert UID.fullmatch(response.headers["X-Kubernetes-Pf-Flowschema-Uid"])
    assert UID.fullmatch(response.headers["X-Kubernetes-Pf-Prioritylevel-Uid"])


def test_generate_name(client: Client, namespace: Namespace) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "x-"}}
    first = client.post(namespace.config_maps, body).json()["metadata"]
    second = client.post(namespace.config_maps, body).json()["metadata"]
    # Neither vowels nor what looks like other characters.
    assert re.fullmatch(r"x-[bcdfghjklmnpqrstvwxz2456789]{5}", first["name"])
    assert first["generateName"] == "x-"
    assert first["name"] != second["name"]


def test_generate_name_is_cut_to_63_characters(client: Client, namespace: Namespace) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "x" * 80}}
    made = client.post(namespace.config_maps, body).json()["metadata"]
    assert re.fullmatch(r"x{58}[bcdfghjklmnpqrstvwxz2456789]{5}", made["name"])
    assert made["generateName"] == "x" * 80


def test_a_namespace_with_a_generated_name_has_it_as_a_label(client: Client) -> None:
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "x-"}}
    made = client.post("/api/v1/namespaces", body).json()["metadata"]
    assert made["labels"] == {"kubernetes.io/metadata.name": made["name"]}


def test_a_name_wins_over_generate_name(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a", generateName="x-"))
    assert made["metadata"]["name"] == "a"
    assert made["metadata"]["generateName"] == "x-"


def test_what_the_server_sets_cannot_be_sent(client: Client, namespace: Namespace) -> None:
    sent: dict[str, Any] = {
        "uid": "mine",
        "creationTimestamp": "2001-01-01T00:00:00Z",
        "selfLink": "/mine",
        "deletionTimestamp": "2001-01-01T00:00:00Z",
        "deletionGracePeriodSeconds": 4,
    }
    meta = namespace.create(namespace.config_maps, config_map("a", **sent))["metadata"]
    assert UID.fullmatch(meta["uid"])
    assert meta["creationTimestamp"] > "2020"
    assert not {"selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"} & set(meta)


def test_revision_zero_may_be_sent(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a", resourceVersion="0"))
    assert made["metadata"]["resourceVersion"] != "0"


def test_any_other_revision_may_not(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", resourceVersion="1"))
    assert_failure(response, 500, None, "resourceVersion should not be set on objects to be created")


def test_a_name_that_is_taken(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    response = client.post(namespace.config_maps, config_map("a", {"other": "data"}))
    details = {"name": "a", "kind": "configmaps"}
    assert_failure(response, 409, "AlreadyExists", 'configmaps "a" already exists', details)


def test_a_name_that_is_taken_in_a_group(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    response = client.post(namespace.deployments, deployment("a"))
    details = {"name": "a", "group": "apps", "kind": "deployments"}
    assert_failure(response, 409, "AlreadyExists", 'deployments.apps "a" already exists', details)


def test_the_name_is_taken_also_for_a_dry_run(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    response = client.post(namespace.config_maps, config_map("a"), dryRun="All")
    details = {"name": "a", "kind": "configmaps"}
    assert_failure(response, 409, "AlreadyExists", 'configmaps "a" already exists', details)


def test_dry_run_makes_nothing(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a"), dryRun="All")
    assert response.status == 201
    meta = response.json()["metadata"]
    assert "resourceVersion" not in meta
    assert UID.fullmatch(meta["uid"])
    assert client.get(f"{namespace.config_maps}/a").json() == not_found("configmaps", "a")


def test_the_namespace_may_be_left_out_of_kind_and_version(client: Client, namespace: Namespace) -> None:
    for name, body in {"a": {}, "b": {"apiVersion": "v1"}, "c": {"kind": "ConfigMap"}}.items():
        made = namespace.create(namespace.config_maps, {**body, "metadata": {"name": name}})
        assert (made["kind"], made["apiVersion"]) == ("ConfigMap", "v1")


def test_another_namespace_in_the_body(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", namespace="other"))
    message = "the namespace of the provided object does not match the namespace sent on the request"
    assert_failure(response, 400, "BadRequest", message)


def test_a_namespace_on_what_has_none_is_dropped(client: Client) -> None:
    response = client.post("/api/v1/nodes", node(unique("node"), namespace="somewhere"))
    assert response.status == 201
    assert "namespace" not in response.json()["metadata"]


def test_a_namespace_that_is_not_there(client: Client) -> None:
    response = client.post("/api/v1/namespaces/nowhere/configmaps", config_map("a"))
    assert response.status == 404
    assert response.json() == not_found("namespaces", "nowhere")


def test_a_namespace_that_is_being_deleted(client: Client, namespace: Namespace) -> None:
    assert client.delete(f"/api/v1/namespaces/{namespace.name}").json()["status"] == {"phase": "Terminating"}
    response = client.post(namespace.config_maps, config_map("d"))
    details = {
        "name": "d",
        "kind": "configmaps",
        "causes": [
            {
                "reason": "NamespaceTerminating",
                "message": f"namespace {namespace.name} is being terminated",
                "field": "metadata.namespace",
            }
        ],
    }
    message = (
        f'configmaps "d" is forbidden: unable to create new content in namespace {namespace.name} '
        "because it is being terminated"
    )
    assert_failure(response, 403, "Forbidden", message, details)


def test_a_namespace_gets_its_name_as_a_label_and_a_finalizer(client: Client, namespace: Namespace) -> None:
    made = client.get(f"/api/v1/namespaces/{namespace.name}").json()
    assert made["metadata"]["labels"] == {"kubernetes.io/metadata.name": namespace.name}
    assert made["spec"] == {"finalizers": ["kubernetes"]}
    assert made["status"] == {"phase": "Active"}


def test_pretty(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a"), pretty="true")
    assert response.text.startswith(
        '{\n  "kind": "ConfigMap",\n  "apiVersion": "v1",\n  "metadata": {\n    "name"'
    )
    assert not response.text.endswith("\n")


def test_without_pretty_there_is_one_line(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a"))
    assert response.text.startswith('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a",')
    assert response.text.endswith("}\n")
    assert response.text.count("\n") == 1


@pytest.mark.differs("key order")
def test_what_html_has_meanings_for_is_escaped(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", {"k": "<a&b> ü \u2028"}))
    assert r'"data":{"k":"\u003ca\u0026b\u003e ü \u2028"}' in response.text
    assert response.json()["data"] == {"k": "<a&b> ü \u2028"}


def test_a_pod_is_filled_in(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.pods, pod("a"))
    assert made["spec"] == {
        "containers": [
            {
                "name": "main",
                "image": "example.com/main:1",
                "resources": {},
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
                "imagePullPolicy": "IfNotPresent",
            }
        ],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "enableServiceLinks": True,
    }
    assert made["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert made["metadata"]["generation"] == 1


def test_a_status_that_is_sent_is_dropped(client: Client, namespace: Namespace) -> None:
    body = {**deployment("a"), "status": {"replicas": 5}}
    assert namespace.create(namespace.deployments, body)["status"] == {}
