"""Bodies, answers and watches in the protobuf form, which Go clients speak."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from kubewright.machinery.protobuf import CONTENT_TYPE, Messages, decode, decode_message, encode
from kubewright.models.protobuf_tables import builtin_messages
from tests.conformance.client import Client, Response
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment, pod
from tests.conformance.statuses import assert_failure
from tests.conformance.waiting import watched

BODY = {"Content-Type": CONTENT_TYPE}
ANSWER = {"Accept": CONTENT_TYPE}
UNRECOGNIZED = "the object provided is unrecognized (must be of type ConfigMap): "


@pytest.fixture(scope="module")
def messages() -> Messages:
    return builtin_messages()


def decoded(response: Response, messages: Messages) -> Any:
    assert response.content_type == CONTENT_TYPE, response.text
    return decode(response.body, messages)[2]


def test_a_body(client: Client, namespace: Namespace, messages: Messages) -> None:
    body = encode(config_map("a", {"k": "v"}, labels={"x": "y"}), messages)
    response = client.post(namespace.config_maps, body, headers=BODY)
    assert (response.status, response.json()["data"]) == (201, {"k": "v"})
    assert client.get(f"{namespace.config_maps}/a").json() == response.json()


def test_a_larger_body(client: Client, namespace: Namespace, messages: Messages) -> None:
    response = client.post(namespace.deployments, encode(deployment("a", 0), messages), headers=BODY)
    again = client.post(namespace.deployments, deployment("b", 0))
    spec, other = response.json()["spec"], again.json()["spec"]
    assert spec["replicas"] == 0
    for each in (spec, other):
        del each["selector"], each["template"]["metadata"]
    assert spec == other


def test_both_ways(client: Client, namespace: Namespace, messages: Messages) -> None:
    body = encode(config_map("a", {"k": "v"}), messages)
    response = client.post(namespace.config_maps, body, headers={**BODY, **ANSWER})
    assert response.status == 201
    assert decoded(response, messages) == client.get(f"{namespace.config_maps}/a").json()


def test_an_update(client: Client, namespace: Namespace, messages: Messages) -> None:
    made = namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    body = encode({**made, "data": {"k": "w"}}, messages)
    response = client.put(f"{namespace.config_maps}/a", body, headers=BODY)
    assert (response.status, response.json()["data"]) == (200, {"k": "w"})


def test_delete_options(client: Client, namespace: Namespace, messages: Messages) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Orphan"}
    response = client.delete(f"{namespace.config_maps}/a", encode(options, messages), headers=BODY)
    assert response.json()["metadata"]["finalizers"] == ["orphan"]


def test_an_answer(client: Client, namespace: Namespace, messages: Messages) -> None:
    made = namespace.create(namespace.pods, pod("a"))
    response = client.get(f"{namespace.pods}/a", headers=ANSWER)
    assert response.body.startswith(b"k8s\0")
    assert decoded(response, messages) == made


def test_a_list(client: Client, namespace: Namespace, messages: Messages) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    response = client.get(namespace.config_maps, headers=ANSWER)
    assert decoded(response, messages) == client.get(namespace.config_maps).json()


def test_a_status(client: Client, namespace: Namespace, messages: Messages) -> None:
    response = client.get(f"{namespace.config_maps}/a", headers=ANSWER)
    assert response.status == 404
    status = decoded(response, messages)
    assert (status["kind"], status["code"], status["reason"]) == ("Status", 404, "NotFound")
    assert status["message"] == 'configmaps "a" not found'


def test_metadata_only(client: Client, namespace: Namespace, messages: Messages) -> None:
    made = namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    accept = {"Accept": f"{CONTENT_TYPE};as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}
    found = decoded(client.get(f"{namespace.config_maps}/a", headers=accept), messages)
    assert (found["kind"], found["metadata"]) == ("PartialObjectMetadata", made["metadata"])


@pytest.mark.differs("protobuf answers")
def test_what_go_clients_accept(client: Client, namespace: Namespace, messages: Messages) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    accept = {"Accept": f"{CONTENT_TYPE},application/json"}
    assert client.get(namespace.config_maps, headers=accept).content_type == CONTENT_TYPE


def test_a_watch(client: Client, namespace: Namespace, messages: Messages) -> None:
    made = namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    accept = {"Accept": f"{CONTENT_TYPE};stream=watch"}
    response = watched(client, namespace.config_maps, headers=accept)
    assert response.content_type == f"{CONTENT_TYPE};stream=watch"
    (length,) = struct.unpack(">I", response.body[:4])
    assert len(response.body) == 4 + length
    event = decode_message(response.body[4:], "meta.v1.WatchEvent", messages)
    assert event["type"] == "ADDED"
    obj = event["object"]
    assert {key: obj[key] for key in ("kind", "data")} == {"kind": "ConfigMap", "data": {"k": "v"}}
    assert obj["metadata"] == made["metadata"]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (
            b"zzz",
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (7a7a7a)",
        ),
        (b"k8s\0zzzz", "unexpected EOF (6b3873007a7a7a7a)"),
        (b"", "empty data (<empty>)"),
    ],
    ids=["no magic", "cut off", "empty"],
)
def test_bodies_that_are_none(client: Client, namespace: Namespace, body: bytes, complaint: str) -> None:
    response = client.post(namespace.config_maps, body, headers=BODY)
    assert_failure(response, 400, "BadRequest", UNRECOGNIZED + complaint)


def test_another_kind_in_the_body(client: Client, namespace: Namespace, messages: Messages) -> None:
    response = client.post(namespace.config_maps, encode(pod("a"), messages), headers=BODY)
    message = (
        'Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to '
        "(core.ConfigMap): unknown conversion"
    )
    assert_failure(response, 400, "BadRequest", message)
