"""PATCH with JSON patches."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map
from tests.conformance.statuses import assert_failure

KIND = "json-patch+json"
REJECTED = "the server rejected our request due to an error in our request"


def created(namespace: Namespace) -> str:
    namespace.create(namespace.config_maps, config_map("a", {"z": "1"}))
    return f"{namespace.config_maps}/a"


def test_all_operations(client: Client, namespace: Namespace) -> None:
    patch = [
        {"op": "test", "path": "/data/z", "value": "1"},
        {"op": "replace", "path": "/data/z", "value": "2"},
        {"op": "add", "path": "/data/q", "value": "w"},
        {"op": "copy", "from": "/data/q", "path": "/data/r"},
        {"op": "move", "from": "/data/r", "path": "/data/s"},
        {"op": "remove", "path": "/data/q"},
    ]
    response = client.patch(created(namespace), patch, kind=KIND)
    assert response.status == 200
    assert response.json()["data"] == {"z": "2", "s": "w"}


def test_escapes(client: Client, namespace: Namespace) -> None:
    patch = [
        {"op": "add", "path": "/metadata/annotations", "value": {}},
        {"op": "add", "path": "/metadata/annotations/example.com~1key", "value": "1"},
    ]
    response = client.patch(created(namespace), patch, kind=KIND)
    assert response.json()["metadata"]["annotations"] == {"example.com/key": "1"}


def test_replacing_what_is_not_there_adds_it(client: Client, namespace: Namespace) -> None:
    patch = [{"op": "replace", "path": "/data/new", "value": "1"}]
    response = client.patch(created(namespace), patch, kind=KIND)
    assert response.json()["data"] == {"z": "1", "new": "1"}


def test_a_copy_of_what_is_not_there_is_null(client: Client, namespace: Namespace) -> None:
    patch = [{"op": "copy", "from": "/data/absent", "path": "/data/z"}]
    assert client.patch(created(namespace), patch, kind=KIND).json()["data"] == {"z": ""}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/data/z", "value": "other"},
        {"op": "test", "path": "/data/absent", "value": "other"},
        {"op": "remove", "path": "/data/absent"},
        {"op": "add", "path": "/absent/key", "value": "1"},
        {"op": "replace", "path": "/absent/key", "value": "1"},
        {"op": "move", "from": "/data/absent", "path": "/data/z"},
        {"op": "frobnicate", "path": "/data/z", "value": "1"},
        {"op": "add", "value": "1"},
        {"op": "add", "path": "/metadata/finalizers/5", "value": "1"},
    ],
    ids=str,
)
def test_operations_that_cannot_be_done(
    client: Client, namespace: Namespace, operation: dict[str, Any]
) -> None:
    path = created(namespace)
    assert_failure(client.patch(path, [operation], kind=KIND), 422, "Invalid", REJECTED, {})
    assert client.get(path).json()["data"] == {"z": "1"}


def test_all_or_nothing(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    patch = [{"op": "add", "path": "/data/q", "value": "1"}, {"op": "remove", "path": "/data/absent"}]
    assert client.patch(path, patch, kind=KIND).status == 422
    assert client.get(path).json()["data"] == {"z": "1"}


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("{}", "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
        ("[", "unexpected end of JSON input"),
    ],
    ids=["object", "half"],
)
def test_bodies_that_are_no_json_patch(
    client: Client, namespace: Namespace, body: str, complaint: str
) -> None:
    response = client.patch(created(namespace), body, kind=KIND)
    assert_failure(response, 400, "BadRequest", f"error decoding patch: {complaint}")


def test_too_many_operations(client: Client, namespace: Namespace) -> None:
    patch = [{"op": "test", "path": "/data/z", "value": "1"}] * 10001
    response = client.patch(created(namespace), patch, kind=KIND)
    message = "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    assert_failure(response, 413, "RequestEntityTooLarge", message)


def test_removing_the_name(client: Client, namespace: Namespace) -> None:
    response = client.patch(created(namespace), [{"op": "remove", "path": "/metadata"}], kind=KIND)
    message = "the name of the object (a based on URL) was undeterminable: name must be provided"
    assert_failure(response, 400, "BadRequest", message)
