"""DELETE of a collection."""

from __future__ import annotations

from tests.conformance.client import Client, Response
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment
from tests.conformance.statuses import assert_conflict, assert_failure


def names(response: Response) -> list[str]:
    assert response.status == 200, response.text
    return [item["metadata"]["name"] for item in response.json()["items"]]


def filled(namespace: Namespace) -> None:
    """a0 to a3, odd or not."""
    for number in range(4):
        namespace.create(namespace.config_maps, config_map(f"a{number}", labels={"odd": str(number % 2)}))


def test_what_was_deleted_comes_back(client: Client, namespace: Namespace) -> None:
    filled(namespace)
    before = client.get(namespace.config_maps).json()
    response = client.delete(namespace.config_maps)
    assert response.status == 200
    assert response.json()["kind"] == "ConfigMapList"
    assert response.json()["items"] == before["items"]
    assert names(client.get(namespace.config_maps)) == []


def test_by_labels(client: Client, namespace: Namespace) -> None:
    filled(namespace)
    assert names(client.delete(namespace.config_maps, labelSelector="odd=1")) == ["a1", "a3"]
    assert names(client.get(namespace.config_maps)) == ["a0", "a2"]


def test_by_fields(client: Client, namespace: Namespace) -> None:
    filled(namespace)
    assert names(client.delete(namespace.config_maps, fieldSelector="metadata.name=a2")) == ["a2"]
    assert names(client.get(namespace.config_maps)) == ["a0", "a1", "a3"]


def test_nothing_to_delete(client: Client, namespace: Namespace) -> None:
    response = client.delete(namespace.deployments)
    assert names(response) == []
    assert response.json()["kind"] == "DeploymentList"


def test_dry_run(client: Client, namespace: Namespace) -> None:
    filled(namespace)
    assert len(names(client.delete(namespace.config_maps, dryRun="All"))) == 4
    assert len(names(client.get(namespace.config_maps))) == 4


def test_finalizers_hold(client: Client, namespace: Namespace) -> None:
    filled(namespace)
    namespace.create(namespace.config_maps, config_map("held", finalizers=["example.com/hold"]))
    client.delete(namespace.config_maps)
    (held,) = client.get(namespace.config_maps).json()["items"]
    assert held["metadata"]["name"] == "held"
    assert "deletionTimestamp" in held["metadata"]


def test_options_in_the_body(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    client.delete(namespace.deployments, {"propagationPolicy": "Foreground"})
    (held,) = client.get(namespace.deployments).json()["items"]
    assert held["metadata"]["finalizers"] == ["foregroundDeletion"]


def test_a_page_at_a_time(client: Client, namespace: Namespace) -> None:
    filled(namespace)
    response = client.delete(namespace.config_maps, limit=3)
    assert names(response) == ["a0", "a1", "a2"]
    assert names(client.get(namespace.config_maps)) == ["a3"]


def test_preconditions(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a"))
    response = client.delete(namespace.config_maps, {"preconditions": {"uid": "x"}})
    why = (
        f"the UID in the precondition (x) does not match the UID in record "
        f"({made['metadata']['uid']}). The object might have been deleted and then recreated"
    )
    assert_conflict(response, "ConfigMap", "a", why)


def test_a_selector_that_is_none(client: Client, namespace: Namespace) -> None:
    message = "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"
    assert_failure(client.delete(namespace.config_maps, labelSelector="a b"), 400, "BadRequest", message)


def test_all_namespaces_cannot_be_emptied(client: Client) -> None:
    message = "the server does not allow this method on the requested resource"
    response = client.delete("/api/v1/configmaps", labelSelector="nobody=has")
    assert_failure(response, 405, "MethodNotAllowed", message, {})


def test_services_are_deleted_as_a_collection_as_well(client: Client, namespace: Namespace) -> None:
    assert names(client.delete(namespace.services)) == []
