"""What the server says of mistakes, whole: messages that scripts and upstream's tests match."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client, Response
from tests.conformance.custom_resources import Widgets
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment
from tests.conformance.waiting import eventually

YAML = {"Content-Type": "application/yaml"}
REPEATED = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
data:
  foo: "1"
  foo: "2"
"""
LINE = 'line 7: key "foo" already set in map'
ERRORS = f"yaml: unmarshal errors:\n  {LINE}"


def said(response: Response) -> tuple[int, str]:
    """The code and the message of a refusal."""
    return response.status, response.json()["message"]


def test_repeated_keys_in_yaml(client: Client, namespace: Namespace) -> None:
    def create(text: str, validation: str) -> Response:
        return client.post(
            namespace.config_maps, text, headers=YAML, fieldValidation=validation, dryRun="All"
        )

    head = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: '
    assert said(create(REPEATED, "Strict")) == (400, head + ERRORS)
    assert said(create(f"{REPEATED}bar: 1\n", "Strict")) == (400, f'{head}{ERRORS}, unknown field "bar"')
    warned = create(f"{REPEATED}bar: 1\n", "Warn")
    assert (warned.status, warned.warnings) == (201, [LINE, 'unknown field "bar"'])
    ignored = create(REPEATED, "Ignore")
    assert (ignored.status, ignored.warnings, ignored.json()["data"]) == (201, [], {"foo": "2"})


def test_repeated_keys_within_repeated_keys(client: Client, namespace: Namespace) -> None:
    text = "metadata:\n  name: a\n  labels:\n    x: y\n  labels:\n    x: y\n    x: z\n"
    response = client.post(namespace.config_maps, text, headers=YAML, dryRun="All")
    # The inner one comes first, and the outer one is where its value begins.
    lines = ['line 7: key "x" already set in map', 'line 6: key "labels" already set in map']
    assert (response.status, response.warnings) == (201, lines)
    assert response.json()["metadata"]["labels"] == {"x": "z"}


def test_repeated_keys_in_what_is_applied(client: Client, namespace: Namespace) -> None:
    def apply(text: str, validation: str) -> Response:
        return client.apply(f"{namespace.config_maps}/a", text, fieldValidation=validation, dryRun="All")

    head = "error strict decoding YAML: error converting YAML to JSON: "
    assert said(apply(REPEATED, "Strict")) == (400, head + ERRORS)
    warned = apply(REPEATED, "Warn")
    assert (warned.status, warned.warnings, warned.json()["data"]) == (201, [LINE], {"foo": "2"})
    assert apply(REPEATED, "Ignore").warnings == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: b: c\n", "yaml: mapping values are not allowed in this context"),
        ("a:\n\tb: 1\n", "yaml: line 2: found character that cannot start any token"),
        ("a: [1\n", "yaml: line 1: did not find expected ',' or ']'"),
        ("a: 1\nb: 'x\n", "yaml: line 3: found unexpected end of stream"),
    ],
)
def test_yaml_that_does_not_parse(client: Client, namespace: Namespace, text: str, problem: str) -> None:
    response = client.post(namespace.config_maps, text, headers=YAML)
    head = "the object provided is unrecognized (must be of type ConfigMap): "
    assert said(response) == (400, f"{head}{problem} ({text.encode().hex()})")
    response = client.apply(f"{namespace.config_maps}/a", text)
    assert said(response) == (400, f"error decoding YAML: error converting YAML to JSON: {problem}")


def test_yaml_of_something_else(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    head = "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
    for text, kind in (("- 1\n", "array"), ("x\n", "string"), ("1\n", "number")):
        response = client.apply(path, text)
        assert said(response) == (400, f"{head}{kind} into Go value of type map[string]interface {{}}")
    assert said(client.apply(path, "")) == (400, "invalid object type: /, Kind=")
    other = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    assert said(client.apply(path, other)) == (400, "invalid object type: /v1, Kind=Pod")
    # Only the first document counts.
    two = "metadata:\n  name: a\n---\nmetadata:\n  name: b\n"
    created = client.post(namespace.config_maps, two, headers=YAML, dryRun="All")
    assert (created.status, created.json()["metadata"]["name"]) == (201, "a")


@pytest.mark.parametrize(
    ("patch", "shown", "why"),
    [
        ({"metadata": "x"}, "map[metadata:x]", "cannot restore struct from: string"),
        ({"metadata": []}, "map[metadata:[]]", "cannot restore struct from: slice"),
        ({"metadata": {"labels": "x"}}, "map[metadata:map[labels:x]]", "cannot restore map from string"),
        ({"metadata": {"labels": [1]}}, "map[metadata:map[labels:[1]]]", "cannot restore map from slice"),
        (
            {"metadata": {"labels": {"a": 1}}},
            "map[metadata:map[labels:map[a:1]]]",
            "cannot convert int64 to string",
        ),
        (
            {"metadata": {"labels": {"a": True}}},
            "map[metadata:map[labels:map[a:true]]]",
            "unrecognized type: string",
        ),
        (
            {"metadata": {"labels": {"a": 1.5}}},
            "map[metadata:map[labels:map[a:1.5]]]",
            "unrecognized type: string",
        ),
        ({"spec": "x"}, "map[spec:x]", "cannot restore struct from: string"),
        ({"spec": 7}, "map[spec:7]", "cannot restore struct from: int64"),
        ({"spec": {"replicas": "x"}}, "map[spec:map[replicas:x]]", "unrecognized type: int32"),
        ({"spec": {"replicas": 1.5}}, "map[spec:map[replicas:1.5]]", "cannot convert float64 to int32"),
        ({"spec": {"paused": "x"}}, "map[spec:map[paused:x]]", "unrecognized type: bool"),
        (
            {"spec": {"template": {"spec": {"containers": {"a": 1}}}}},
            "map[spec:map[template:map[spec:map[containers:map[a:1]]]]]",
            "cannot restore slice from map",
        ),
        (
            {"metadata": {"creationTimestamp": "x"}},
            "map[metadata:map[creationTimestamp:x]]",
            'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
        ),
    ],
)
def test_strategic_patches_of_the_wrong_type(
    client: Client, namespace: Namespace, patch: dict[str, Any], shown: str, why: str
) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    response = client.patch(f"{namespace.deployments}/a", patch, kind="strategic-merge-patch+json")
    assert said(response) == (422, f' "" is invalid: patch: Invalid value: "{shown}": {why}')


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({"$patch": "x"}, "unknown patch type: x in map: map[$patch:x]"),
        (
            {"spec": {"template": {"spec": {"containers": [{"image": "x"}]}}}},
            "map: map[image:x] does not contain declared merge key: name",
        ),
    ],
)
def test_strategic_patches_that_do_not_apply(
    client: Client, namespace: Namespace, patch: dict[str, Any], message: str
) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    response = client.patch(f"{namespace.deployments}/a", patch, kind="strategic-merge-patch+json")
    assert said(response) == (500, message)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"data": "x"}, ".data: expected map, got &{x}"),
        ({"data": ["x"]}, ".data: expected map, got &{[x]}"),
        ({"metadata": {"name": "a", "labels": 1}}, ".metadata.labels: expected map, got &{1}"),
        ({"metadata": {"name": "a", "finalizers": "x"}}, ".metadata.finalizers: expected list, got &{x}"),
        ({"nope": 1}, ".nope: field not declared in schema"),
    ],
)
def test_applies_of_the_wrong_type(
    client: Client, namespace: Namespace, fields: dict[str, Any], problem: str
) -> None:
    response = client.apply(f"{namespace.config_maps}/a", {**config_map("a"), **fields})
    assert said(response) == (
        500,
        f"failed to create typed patch object (/a; /v1, Kind=ConfigMap): {problem}",
    )


def test_numbers_in_queries(client: Client, namespace: Namespace) -> None:
    response = client.get(namespace.config_maps, limit="x")
    assert said(response) == (400, 'strconv.ParseInt: parsing "x": invalid syntax')
    response = client.get(namespace.config_maps, limit="9" * 20)
    assert said(response) == (400, f'strconv.ParseInt: parsing "{"9" * 20}": value out of range')


def test_every_custom_resource_is_described(client: Client, widgets: Widgets) -> None:
    path = f"/openapi/v3/apis/{widgets.group}/v1"
    eventually(lambda: client.get(path).status == 200, "the document is not published")
    schemas = client.get(path).json()["components"]["schemas"]
    kind, listed = (
        next(schemas[name] for name in schemas if name.endswith(end)) for end in (".Widget", ".WidgetList")
    )
    described = {name: member.get("description", "") for name, member in kind["properties"].items()}
    assert described["apiVersion"].startswith(
        "APIVersion defines the versioned schema of this representation"
    )
    assert described["kind"].startswith("Kind is a string value representing the REST resource")
    assert described["metadata"].startswith("Standard object's metadata. More info: ")
    assert listed["description"] == "WidgetList is a list of Widget"
    assert listed["properties"]["items"]["description"].startswith("List of widgets. More info: ")
    assert listed["properties"]["metadata"]["description"].startswith("Standard list metadata. More info: ")
