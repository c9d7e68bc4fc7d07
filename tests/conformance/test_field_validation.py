"""Fields that a kind does not have, fields that come twice, and the warnings about them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment, pod
from tests.conformance.statuses import assert_failure, assert_patch_refused

UNKNOWN = [
    'unknown field "spec.template.spec.containers[0].imgae"',
    'unknown field "spec.bar"',
    'unknown field "foo"',
]
DUPLICATES = (
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"b"},'
    '"data":{"k":"1","k":"2"},"foo":1}'
)
YAML_DUPLICATES = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: '1'\n  k: '2'\nfoo: 1\n"
YAML = {"Content-Type": "application/yaml"}


def misspelt() -> dict[str, Any]:
    made = {**deployment("a"), "foo": 1}
    made["spec"]["bar"] = 2
    made["spec"]["template"]["spec"]["containers"][0]["imgae"] = "x"
    return made


@pytest.mark.parametrize("query", [{}, {"fieldValidation": ""}, {"fieldValidation": "Warn"}], ids=str)
def test_warn_is_the_default(client: Client, namespace: Namespace, query: dict[str, Any]) -> None:
    response = client.post(namespace.deployments, misspelt(), **query)
    assert response.status == 201
    assert response.warnings == UNKNOWN
    assert not {"foo"} & set(response.json())
    assert "bar" not in response.json()["spec"]


def test_ignore(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.deployments, misspelt(), fieldValidation="Ignore")
    assert (response.status, response.warnings) == (201, [])


def test_strict(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.deployments, misspelt(), fieldValidation="Strict")
    message = (
        f'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: '
        f"{', '.join(UNKNOWN)}"
    )
    assert_failure(response, 400, "BadRequest", message)
    assert response.warnings == []
    assert client.get(f"{namespace.deployments}/a").status == 404


def test_update(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    path = f"{namespace.deployments}/a"
    assert client.put(path, misspelt()).warnings == UNKNOWN
    assert client.put(path, misspelt(), fieldValidation="Ignore").warnings == []
    assert client.put(path, misspelt(), fieldValidation="Strict").status == 400


def test_duplicates(client: Client, namespace: Namespace) -> None:
    told = ['duplicate field "metadata.name"', 'duplicate field "data.k"', 'unknown field "foo"']
    response = client.post(namespace.config_maps, DUPLICATES)
    assert response.warnings == told
    # The last one counts.
    assert response.json()["data"] == {"k": "2"}
    assert response.json()["metadata"]["name"] == "b"
    response = client.post(namespace.config_maps, DUPLICATES, fieldValidation="Strict")
    message = (
        f'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: '
        f"{', '.join(told)}"
    )
    assert_failure(response, 400, "BadRequest", message)


def test_duplicates_in_yaml(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, YAML_DUPLICATES, headers=YAML, dryRun="All")
    assert response.warnings == ['line 7: key "k" already set in map', 'unknown field "foo"']
    assert response.json()["data"] == {"k": "2"}
    response = client.post(namespace.config_maps, YAML_DUPLICATES, headers=YAML, fieldValidation="Strict")
    message = (
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: '
        'unmarshal errors:\n  line 7: key "k" already set in map, unknown field "foo"'
    )
    assert_failure(response, 400, "BadRequest", message)


def test_names_have_one_case(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, {**config_map("a"), "Data": {"k": "v"}})
    assert response.warnings == ['unknown field "Data"']
    assert "data" not in response.json()


def test_one_warning_for_each_field(client: Client, namespace: Namespace) -> None:
    body = {**config_map("a"), **{f"f{number}": 1 for number in range(60)}}
    response = client.post(namespace.config_maps, body)
    assert response.warnings == [f'unknown field "f{number}"' for number in range(60)]


def test_warnings_come_with_refusals_as_well(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, {**config_map("A_"), "foo": 1})
    assert (response.status, response.warnings) == (422, ['unknown field "foo"'])


def test_how_warnings_are_quoted(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, {**config_map("a"), 'quo"te\\': 1})
    assert response.headers.get_all("Warning") == ['299 - "unknown field \\"quo\\\\\\"te\\\\\\\\\\""']


@pytest.mark.parametrize("kind", ["merge-patch+json", "strategic-merge-patch+json"])
def test_patches(client: Client, namespace: Namespace, kind: str) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    path = f"{namespace.deployments}/a"
    patch = {"spec": {"bar": 1}}
    assert client.patch(path, patch, kind=kind).warnings == ['unknown field "spec.bar"']
    assert client.patch(path, patch, kind=kind, fieldValidation="Ignore").warnings == []
    response = client.patch(path, patch, kind=kind, fieldValidation="Strict")
    assert_patch_refused(response, "Invalid value: ", 'strict decoding error: unknown field "spec.bar"')


def test_duplicates_in_a_patch(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    body = '{"spec":{"replicas":1,"replicas":2}}'
    response = client.patch(f"{namespace.deployments}/a", body)
    assert response.warnings == ['duplicate field "spec.replicas"']
    assert response.json()["spec"]["replicas"] == 2
    response = client.patch(f"{namespace.deployments}/a", body, fieldValidation="Strict")
    assert_patch_refused(
        response, "Invalid value: ", 'strict decoding error: duplicate field "spec.replicas"'
    )


def test_json_patches(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    patch = [{"op": "add", "path": "/spec/bar", "value": 1, "zzz": 1}]
    kind = "json-patch+json"
    response = client.patch(f"{namespace.deployments}/a", patch, kind=kind)
    assert response.warnings == ['json patch unknown field "[0].zzz"', 'unknown field "spec.bar"']
    response = client.patch(f"{namespace.deployments}/a", patch, kind=kind, fieldValidation="Strict")
    assert_patch_refused(
        response,
        "Invalid value: ",
        'strict decoding error: json patch unknown field "[0].zzz", unknown field "spec.bar"',
    )


def test_apply_is_always_strict_about_fields(client: Client, namespace: Namespace) -> None:
    body = {**config_map("a"), "foo": 1}
    for mode in ("Ignore", "Warn", "Strict"):
        response = client.apply(f"{namespace.config_maps}/a", body, fieldValidation=mode)
        assert response.status == 500
        assert response.json()["message"].endswith(".foo: field not declared in schema")


def test_apply_of_duplicates(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: '1'\n  k: '2'\n"
    response = client.apply(path, body)
    assert response.warnings == ['line 7: key "k" already set in map']
    assert response.json()["data"] == {"k": "2"}
    response = client.apply(path, body, fieldValidation="Strict")
    message = (
        "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  "
        'line 7: key "k" already set in map'
    )
    assert_failure(response, 400, "BadRequest", message)


def test_old_kinds_warn(client: Client, namespace: Namespace) -> None:
    response = client.get(namespace.path("endpoints"))
    told = ["v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"]
    assert (response.status, response.warnings) == (200, told)


def test_kinds_have_warnings_of_their_own(client: Client, namespace: Namespace) -> None:
    container = {
        "name": "main",
        "image": "example.com/main:1",
        "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}],
        "ports": [{"containerPort": 80}, {"containerPort": 80}],
    }
    body = pod("a", {"containers": [container], "nodeSelector": {"beta.kubernetes.io/os": "linux"}})
    assert client.post(namespace.pods, body).warnings == [
        'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
        'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
        "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
    ]
