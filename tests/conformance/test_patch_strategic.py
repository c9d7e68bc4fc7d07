"""PATCH with strategic merge patches, whose lists have keys."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment, service
from tests.conformance.statuses import assert_failure, assert_patch_refused

KIND = "strategic-merge-patch+json"


def created(namespace: Namespace) -> str:
    namespace.create(namespace.deployments, deployment("a"))
    return f"{namespace.deployments}/a"


def containers(*items: dict[str, Any]) -> dict[str, Any]:
    """A patch of the containers of a deployment."""
    return {"spec": {"template": {"spec": {"containers": list(items)}}}}


def images(response: Any) -> list[tuple[str, str]]:
    assert response.status == 200, response.text
    found = response.json()["spec"]["template"]["spec"]["containers"]
    return [(each["name"], each["image"]) for each in found]


def test_list_items_are_merged_by_their_key(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    patch = containers({"name": "main", "image": "other:1"})
    assert images(client.patch(path, patch, kind=KIND)) == [("main", "other:1")]


def test_new_items_come_first(client: Client, namespace: Namespace) -> None:
    patch = containers({"name": "side", "image": "side:1"})
    found = images(client.patch(created(namespace), patch, kind=KIND))
    assert found == [("side", "side:1"), ("main", "example.com/main:1")]


def test_items_are_deleted(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    client.patch(path, containers({"name": "side", "image": "side:1"}), kind=KIND)
    patch = containers({"name": "main", "$patch": "delete"})
    assert images(client.patch(path, patch, kind=KIND)) == [("side", "side:1")]


def test_lists_are_replaced(client: Client, namespace: Namespace) -> None:
    patch = containers({"$patch": "replace"}, {"name": "only", "image": "only:1"})
    assert images(client.patch(created(namespace), patch, kind=KIND)) == [("only", "only:1")]


def test_the_order_of_items_is_set(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    client.patch(path, containers({"name": "side", "image": "side:1"}), kind=KIND)
    patch = containers({"name": "main"}, {"name": "side"})
    patch["spec"]["template"]["spec"]["$setElementOrder/containers"] = [{"name": "main"}, {"name": "side"}]
    assert [name for name, _ in images(client.patch(path, patch, kind=KIND))] == ["main", "side"]


def test_plain_items_are_deleted_from_a_list(client: Client, namespace: Namespace) -> None:
    finalizers = ["example.com/a", "example.com/b"]
    namespace.create(namespace.config_maps, config_map("a", finalizers=finalizers))
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/a"]}}
    response = client.patch(f"{namespace.config_maps}/a", patch, kind=KIND)
    assert response.json()["metadata"]["finalizers"] == ["example.com/b"]


def test_plain_items_are_added_to_a_list(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", finalizers=["example.com/a"]))
    patch = {"metadata": {"finalizers": ["example.com/b"]}}
    response = client.patch(f"{namespace.config_maps}/a", patch, kind=KIND)
    assert sorted(response.json()["metadata"]["finalizers"]) == ["example.com/a", "example.com/b"]


def test_the_keys_of_a_union_are_retained(client: Client, namespace: Namespace) -> None:
    patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}
    response = client.patch(created(namespace), patch, kind=KIND)
    assert response.json()["spec"]["strategy"] == {"type": "Recreate"}


def test_a_merge_patch_replaces_lists_instead(client: Client, namespace: Namespace) -> None:
    patch = containers({"name": "side", "image": "side:1"})
    assert images(client.patch(created(namespace), patch)) == [("side", "side:1")]


def test_ports_of_a_service_are_keyed_by_number(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.services, service("a"))
    patch = {"spec": {"ports": [{"port": 80, "name": "web"}, {"port": 81, "name": "more"}]}}
    response = client.patch(f"{namespace.services}/a", patch, kind=KIND)
    found = [(port["name"], port["port"]) for port in response.json()["spec"]["ports"]]
    assert found == [("web", 80), ("more", 81)]


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (containers({"image": "x:1"}), "map: map[image:x:1] does not contain declared merge key: name"),
        ({"spec": {"$patch": "frob"}}, "unknown patch type: frob in map: map[$patch:frob]"),
    ],
    ids=["no key", "directive"],
)
def test_patches_that_cannot_be_merged(
    client: Client, namespace: Namespace, patch: dict[str, Any], message: str
) -> None:
    assert_failure(client.patch(created(namespace), patch, kind=KIND), 500, None, message)


def test_a_body_that_is_no_object(client: Client, namespace: Namespace) -> None:
    message = "json: cannot unmarshal array into Go value of type map[string]interface {}"
    assert_failure(client.patch(created(namespace), "[]", kind=KIND), 400, "BadRequest", message)


@pytest.mark.parametrize(
    ("patch", "query", "told"),
    [
        ({"spec": {"replicas": "x"}}, {}, '"map[spec:map[replicas:x]]": unrecognized type: int32'),
        ({"spec": "x"}, {}, '"map[spec:x]": cannot restore struct from: string'),
        (
            {"spec": {"foo": "x"}},
            {"fieldValidation": "Strict"},
            '"map[spec:map[foo:x]]": strict decoding error: unknown field "spec.foo"',
        ),
    ],
    ids=["type", "text for object", "strict"],
)
def test_patches_that_lead_to_no_object(
    client: Client, namespace: Namespace, patch: dict[str, Any], query: dict[str, Any], told: str
) -> None:
    response = client.patch(created(namespace), patch, kind=KIND, **query)
    assert_patch_refused(response, f"Invalid value: {told}", told)
