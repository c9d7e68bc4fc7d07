"""Which forms bodies and answers may have: JSON, YAML, gzip, and refusals of all others."""

from __future__ import annotations

import gzip
import json

import pytest
import yaml

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map
from tests.conformance.statuses import assert_failure, not_found

FORMS = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
STREAMS = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
YAML = {"Content-Type": "application/yaml"}


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        "",
        "application/json",
        "application/json; charset=utf-8",
        "application/json;q=0",
        "text/html, application/json;q=0.1",
    ],
)
def test_json(client: Client, namespace: Namespace, accept: str) -> None:
    response = client.get(namespace.config_maps, headers={"Accept": accept})
    assert (response.status, response.content_type) == (200, "application/json")


@pytest.mark.parametrize("accept", ["text/html", "application/*", "application/cbor", "image/png, text/*"])
def test_forms_that_there_are_not(client: Client, namespace: Namespace, accept: str) -> None:
    response = client.get(namespace.config_maps, headers={"Accept": accept})
    message = f"406: Not Acceptable\n\nAvailable representations: {FORMS}, {STREAMS}"
    assert_failure(response, 406, "NotAcceptable", message, {})


@pytest.mark.parametrize(
    "accept",
    [
        "application/json;as=Song;v=v1;g=meta.k8s.io",
        "application/json;as=Table;v=v9;g=meta.k8s.io",
        "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
    ],
)
def test_conversions_that_there_are_not(client: Client, namespace: Namespace, accept: str) -> None:
    response = client.get(namespace.config_maps, headers={"Accept": accept})
    assert_failure(response, 406, "NotAcceptable", f"only the following media types are accepted: {FORMS}")


def test_the_one_with_the_most_weight(client: Client, namespace: Namespace) -> None:
    accept = "text/xml, application/json;q=0.4, application/yaml;q=0.5"
    response = client.get(namespace.config_maps, headers={"Accept": accept})
    assert (response.status, response.content_type) == (200, "application/yaml")


@pytest.mark.differs("key order")
def test_yaml_answers(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a", {"k": "v"}, labels={"x": "y"}))
    response = client.get(f"{namespace.config_maps}/a", headers={"Accept": "application/yaml"})
    assert (response.status, response.content_type) == (200, "application/yaml")
    assert response.text.startswith(
        "apiVersion: v1\ndata:\n  k: v\nkind: ConfigMap\nmetadata:\n  creationTimestamp: "
    )
    # What YAML 1.1 takes for a boolean is quoted.
    assert '\n  labels:\n    x: "y"\n' in response.text
    assert yaml.safe_load(response.body) == made


def test_yaml_lists(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    response = client.get(namespace.config_maps, headers={"Accept": "application/yaml"})
    assert response.content_type == "application/yaml"
    assert yaml.safe_load(response.body) == client.get(namespace.config_maps).json()


def test_yaml_statuses(client: Client, namespace: Namespace) -> None:
    response = client.get(f"{namespace.config_maps}/a", headers={"Accept": "application/yaml"})
    assert (response.status, response.content_type) == (404, "application/yaml")
    assert yaml.safe_load(response.body) == not_found("configmaps", "a")


def test_yaml_bodies(client: Client, namespace: Namespace) -> None:
    body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"
    response = client.post(namespace.config_maps, body, headers=YAML)
    assert (response.status, response.json()["data"]) == (201, {"k": "v"})
    response = client.put(f"{namespace.config_maps}/a", body.replace("k: v", "k: w"), headers=YAML)
    assert (response.status, response.json()["data"]) == (200, {"k": "w"})


def test_json_is_yaml(client: Client, namespace: Namespace) -> None:
    assert client.post(namespace.config_maps, config_map("a"), headers=YAML).status == 201


def test_yaml_that_is_none(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, "a: [", headers=YAML)
    message = (
        "the object provided is unrecognized (must be of type ConfigMap): yaml: line 1: did not "
        "find expected node content (613a205b)"
    )
    assert_failure(response, 400, "BadRequest", message)


def test_watches_are_not_in_yaml(client: Client, namespace: Namespace) -> None:
    response = client.get(
        namespace.config_maps, headers={"Accept": "application/yaml"}, watch="1", timeoutSeconds="1"
    )
    assert (response.status, response.content_type) == (406, "application/yaml")
    streams = STREAMS.replace(", ", ", ")
    assert (
        yaml.safe_load(response.body)["message"] == f"only the following media types are accepted: {streams}"
    )


def test_a_stream_of_json(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    with client.watch(namespace.config_maps, headers={"Accept": "application/json;stream=watch"}) as watch:
        assert watch.headers["Content-Type"] == "application/json"
        assert watch.next()[0] == "ADDED"


@pytest.mark.parametrize(
    "form", ["text/plain", "application/xml", "garbage;;;", "application/merge-patch+json"]
)
def test_bodies_of_other_forms(client: Client, namespace: Namespace, form: str) -> None:
    message = f"the body of the request was in an unknown format - accepted media types include: {FORMS}"
    headers = {"Content-Type": form}
    path = f"{namespace.config_maps}/a"
    namespace.create(namespace.config_maps, config_map("a"))
    for response in (
        client.post(namespace.config_maps, config_map("b"), headers=headers),
        client.put(path, config_map("a"), headers=headers),
        client.delete(path, {}, headers=headers),
    ):
        assert_failure(response, 415, "UnsupportedMediaType", message)


@pytest.mark.parametrize("form", ["", "application/json; charset=utf-8"])
def test_bodies_of_json(client: Client, namespace: Namespace, form: str) -> None:
    response = client.post(namespace.config_maps, config_map("a"), headers={"Content-Type": form})
    assert response.status == 201


def test_large_answers_are_compressed_for_who_can_read_them(client: Client, namespace: Namespace) -> None:
    for number in range(3):
        namespace.create(namespace.config_maps, config_map(f"a{number}", {"k": "x" * 60_000}))
    plain = client.get(namespace.config_maps)
    assert plain.headers["Content-Encoding"] is None
    packed = client.get(namespace.config_maps, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == "Accept-Encoding"
    assert len(packed.body) < len(plain.body) / 10
    assert json.loads(gzip.decompress(packed.body))["items"] == plain.json()["items"]


def test_small_answers_are_not_compressed(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"k": "x" * 60_000}))
    response = client.get(f"{namespace.config_maps}/a", headers={"Accept-Encoding": "gzip"})
    assert response.headers["Content-Encoding"] is None


def test_no_other_compression(client: Client, namespace: Namespace) -> None:
    for number in range(3):
        namespace.create(namespace.config_maps, config_map(f"a{number}", {"k": "x" * 60_000}))
    response = client.get(namespace.config_maps, headers={"Accept-Encoding": "br, deflate"})
    assert response.headers["Content-Encoding"] is None


def test_compressed_bodies_are_not_read(client: Client, namespace: Namespace) -> None:
    body = gzip.compress(json.dumps(config_map("a")).encode())
    response = client.post(namespace.config_maps, body, headers={"Content-Encoding": "gzip"})
    assert response.status == 400
    start = (
        "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json "
        "parse error: invalid character '\\x1f' looking for beginning of value (1f8b08"
    )
    assert response.json()["message"].startswith(start)
