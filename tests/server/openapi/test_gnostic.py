"""The protobuf form: read back with nothing but the numbers of gnostic's protobuf definitions."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from kubewright.machinery.protobuf.varint import read_varint
from kubewright.server.openapi.documents import OpenAPI
from tests.server.openapi.facts import recorded_crds, served_with


@pytest.fixture(scope="module")
def openapi() -> OpenAPI:
    crds = recorded_crds()
    resources = served_with(crds)
    return OpenAPI(lambda: resources, lambda: crds)


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Number and value of every field; texts and messages as bytes."""
    pos = 0
    while pos < len(data):
        tag, pos = read_varint(data, pos)
        if tag & 7 == 0:
            value, pos = read_varint(data, pos)
            yield tag >> 3, value
        elif tag & 7 == 1:
            yield tag >> 3, struct.unpack_from("<d", data, pos)[0]
            pos += 8
        else:
            assert tag & 7 == 2
            size, pos = read_varint(data, pos)
            yield tag >> 3, data[pos : pos + size]
            pos += size
    assert pos == len(data)


def one(data: bytes, *numbers: int) -> Any:
    """The only value at a path of field numbers."""
    value: Any = data
    for number in numbers:
        (value,) = [item for found, item in fields(value) if found == number]
    return value


def every(data: bytes, number: int) -> list[Any]:
    return [item for found, item in fields(data) if found == number]


def pairs(data: bytes, number: int) -> dict[str, bytes]:
    """A mapping, which is a list of names and values."""
    return {one(item, 1).decode(): one(item, 2) for item in every(data, number)}


class TestV2:
    def test_the_head(self, openapi: OpenAPI) -> None:
        body = openapi.v2_protobuf().body
        assert one(body, 1) == b"2.0"
        assert one(body, 2, 1) == b"Kubernetes"
        assert pairs(one(body, 12), 1) == {"BearerToken": b""}
        assert one(pairs(one(body, 13), 1)["BearerToken"], 2, 2) == b"authorization"

    def test_it_has_all_paths_definitions_and_parameters(self, openapi: OpenAPI) -> None:
        body, document = openapi.v2_protobuf().body, json.loads(openapi.v2().body)
        assert list(pairs(one(body, 8), 2)) == list(document["paths"])
        assert list(pairs(one(body, 9), 1)) == list(document["definitions"])
        assert list(pairs(one(body, 10), 1)) == list(document["parameters"])

    def test_a_definition(self, openapi: OpenAPI) -> None:
        definitions = pairs(one(openapi.v2_protobuf().body, 9), 1)
        pod = definitions["io.k8s.api.core.v1.Pod"]
        assert one(pod, 22, 1) == b"object"
        properties = pairs(one(pod, 25), 1)
        assert one(properties["spec"], 1) == b"#/definitions/io.k8s.api.core.v1.PodSpec"
        extensions = pairs(pod, 31)
        (kind,) = json.loads(one(extensions["x-kubernetes-group-version-kind"], 2))
        assert kind == {"group": "", "kind": "Pod", "version": "v1"}
        spec = pairs(one(definitions["io.k8s.api.core.v1.PodSpec"], 25), 1)
        assert one(spec["containers"], 23, 1, 1) == b"#/definitions/io.k8s.api.core.v1.Container"
        selector = spec["nodeSelector"]
        assert one(selector, 21, 1, 22, 1) == b"string"

    def test_an_operation(self, openapi: OpenAPI) -> None:
        item = pairs(one(openapi.v2_protobuf().body, 8), 2)["/api/v1/namespaces/{namespace}/pods/{name}"]
        patch = one(item, 8)
        assert one(patch, 5) == b"patchCoreV1NamespacedPod"
        assert b"application/apply-patch+yaml" in every(patch, 7)
        assert one(pairs(one(patch, 9), 1)["200"], 1, 2, 1, 1) == b"#/definitions/io.k8s.api.core.v1.Pod"
        first, *_ = every(patch, 8)
        assert one(first, 2, 1) == b"#/parameters/body-78PwaGsr"
        put = one(item, 3)
        assert one(every(put, 8)[0], 1, 1, 4) == 1, "the body is required"
        name = every(item, 9)[0]
        assert one(name, 1, 2, 4, 4) == b"name"


class TestV3:
    def test_what_kubectl_looks_for(self, openapi: OpenAPI) -> None:
        """Whether PATCH takes `fieldValidation` and `dryRun`, by the kind of the operation."""
        made = openapi.v3_protobuf("apis/oa.example.com/v1")
        assert made is not None
        paths = pairs(one(made.body, 4), 1)
        patch = one(paths["/apis/oa.example.com/v1/namespaces/{namespace}/widgets/{name}"], 10)
        names = [one(item, 1, 1) for item in every(patch, 6)]
        assert names == [b"dryRun", b"fieldManager", b"fieldValidation", b"force"]
        kind = json.loads(one(pairs(patch, 13)["x-kubernetes-group-version-kind"], 2))
        assert kind == {"group": "oa.example.com", "kind": "Widget", "version": "v1"}
        assert one(patch, 7, 1, 3) == 1, "the body is required"
        assert list(pairs(one(patch, 8), 2)) == ["200", "401"]

    def test_a_schema(self, openapi: OpenAPI) -> None:
        made = openapi.v3_protobuf("apis/oa.example.com/v1")
        assert made is not None
        schemas = pairs(one(made.body, 5, 1), 1)
        widget = one(schemas["com.example.oa.v1.Widget"], 1)
        assert one(widget, 34) == b"A widget."
        members = {name: one(item, 1) for name, item in pairs(one(widget, 31), 1).items()}
        assert one(members["metadata"], 26, 2, 1).endswith(b".ObjectMeta")
        spec = {name: one(item, 1) for name, item in pairs(one(members["spec"], 31), 1).items()}
        replicas = spec["replicas"]
        assert (one(replicas, 11), one(replicas, 12), one(replicas, 33, 1)) == (100.0, 1, 1.0)
        assert one(spec["mult"], 10) == 0.5
        assert [json.loads(one(item, 2)) for item in every(spec["note"], 24)] == ["a", "ab"]
        assert one(spec["note"], 1) == 1
        assert [one(item, 1, 25) for item in every(spec["port"], 28)] == [b"integer", b"string"]
        assert every(one(spec["alts"], 29), 23) == [b"c"]
        part = one(schemas["com.example.oa.v1.Part"], 1)
        part_spec = one(pairs(one(part, 31), 1)["spec"], 1)
        members = {name: one(item, 1) for name, item in pairs(one(part_spec, 31), 1).items()}
        assert one(members["open"], 32, 2) == 1
        deepest = one(members["deep"], 30, 1, 1, 30, 1, 1, 31)
        assert one(pairs(deepest, 1)["x"], 1, 33, 2) == 0, "a default that is false is there"

    def test_built_in_documents_have_security_and_custom_ones_have_none(self, openapi: OpenAPI) -> None:
        for name, expected in (("apis/apps/v1", 1), ("apis/oa.example.com/v1", 0)):
            made = openapi.v3_protobuf(name)
            assert made is not None
            assert len(every(one(made.body, 5), 7)) == expected
