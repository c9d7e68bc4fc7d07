"""Server-side apply: what is made, what is dropped, and who is in whose way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.client import Client, Response
from tests.conformance.managed_fields import entry, managers
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment
from tests.conformance.statuses import assert_conflict, assert_failure, assert_invalid, cause, not_found


def assert_conflicts(response: Response, message: str, *conflicts: tuple[str, str]) -> None:
    """409 with these managers and fields, in any order: upstream keeps managers in a map."""
    body = response.json()
    causes = body.pop("details").pop("causes")
    expected = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {manager}", "field": field}
        for manager, field in conflicts
    ]
    assert sorted(causes, key=str) == sorted(expected, key=str)
    assert (response.status, body["code"], body["reason"]) == (409, 409, "Conflict")
    assert body["message"] == message


def partial_deployment(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec}


def test_apply_creates(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    response = client.apply(path, config_map("a", {"k": "v"}))
    assert response.status == 201
    assert client.get(path).json() == response.json()
    assert managers(response) == [entry("applier", "Apply", {"f:data": {"f:k": {}}})]


def test_applying_the_same_keeps_the_revision(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    first = client.apply(path, config_map("a", {"k": "v"}))
    again = client.apply(path, config_map("a", {"k": "v"}))
    assert (again.status, again.json()) == (200, first.json())


def test_what_is_no_longer_applied_is_removed(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    client.apply(path, config_map("a", {"k": "v", "z": "v"}))
    response = client.apply(path, config_map("a", {"k": "v"}))
    assert response.json()["data"] == {"k": "v"}
    assert managers(response) == [entry("applier", "Apply", {"f:data": {"f:k": {}}})]


def test_what_another_applies_as_well_stays(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    client.apply(path, config_map("a", {"k": "v"}))
    client.apply(path, config_map("a", {"k": "v", "o": "v"}), manager="other")
    response = client.apply(path, config_map("a", {"z": "v"}))
    assert response.json()["data"] == {"k": "v", "o": "v", "z": "v"}
    assert managers(response) == [
        entry("applier", "Apply", {"f:data": {"f:z": {}}}),
        entry("other", "Apply", {"f:data": {"f:k": {}, "f:o": {}}}),
    ]


def test_applying_nothing_gives_everything_up(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    client.apply(path, config_map("a", {"k": "v"}))
    response = client.apply(path, config_map("a"))
    assert "data" not in response.json()
    assert managers(response) == []


def test_a_conflict(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    client.apply(path, config_map("a", {"k": "v"}))
    response = client.apply(path, config_map("a", {"k": "w"}), manager="other")
    message = 'Apply failed with 1 conflict: conflict with "applier": .data.k'
    assert_conflicts(response, message, ('"applier"', ".data.k"))
    assert client.get(path).json()["data"] == {"k": "v"}


def test_conflicts_with_several(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    client.apply(path, config_map("a", {"k": "v", "l": "v"}), manager="one")
    client.patch(path, {"data": {"u": "v"}}, fieldManager="two")
    response = client.apply(path, config_map("a", {"k": "w", "l": "w", "u": "w"}), manager="three")
    message = (
        'Apply failed with 3 conflicts: conflicts with "one":\n- .data.k\n- .data.l\n'
        'conflicts with "two" using v1:\n- .data.u'
    )
    assert_conflicts(
        response,
        message,
        ('"one"', ".data.k"),
        ('"one"', ".data.l"),
        ('"two" using v1', ".data.u"),
    )


def test_a_conflict_in_a_list_with_keys(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.deployments}/a"
    client.apply(path, deployment("a"))
    template = {"spec": {"containers": [{"name": "main", "image": "other:1"}]}}
    response = client.apply(path, partial_deployment(template=template), manager="other")
    field = '.spec.template.spec.containers[name="main"].image'
    message = f'Apply failed with 1 conflict: conflict with "applier": {field}'
    assert_conflicts(response, message, ('"applier"', field))


def test_force_takes_over(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    client.apply(path, config_map("a", {"k": "v", "l": "v"}))
    response = client.apply(path, config_map("a", {"k": "w"}), manager="other", force="true")
    assert response.json()["data"] == {"k": "w", "l": "v"}
    assert managers(response) == [
        entry("applier", "Apply", {"f:data": {"f:l": {}}}),
        entry("other", "Apply", {"f:data": {"f:k": {}}}),
    ]


def test_owning_together_is_no_conflict(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.deployments}/a"
    client.apply(path, deployment("a", 2))
    response = client.apply(path, partial_deployment(replicas=2), manager="scaler")
    assert managers(response)[1] == entry(
        "scaler", "Apply", {"f:spec": {"f:replicas": {}}}, version="apps/v1"
    )


def test_the_fields_of_a_deployment(client: Client, namespace: Namespace) -> None:
    response = client.apply(f"{namespace.deployments}/a", deployment("a", 2))
    fields = {
        "f:spec": {
            "f:replicas": {},
            "f:selector": {},
            "f:template": {
                "f:metadata": {"f:labels": {"f:app": {}}},
                "f:spec": {
                    "f:containers": {'k:{"name":"main"}': {".": {}, "f:image": {}, "f:name": {}}},
                },
            },
        }
    }
    assert managers(response) == [entry("applier", "Apply", fields, version="apps/v1")]


def test_the_fields_of_metadata(client: Client, namespace: Namespace) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
    body = config_map(
        "a", labels={"a": "1"}, annotations={"x": "y"}, finalizers=["x.io/a"], ownerReferences=[owner]
    )
    fields: dict[str, Any] = {
        "f:metadata": {
            "f:annotations": {"f:x": {}},
            "f:finalizers": {'v:"x.io/a"': {}},
            "f:labels": {"f:a": {}},
            "f:ownerReferences": {'k:{"uid":"u"}': {}},
        }
    }
    response = client.apply(f"{namespace.config_maps}/a", body)
    assert managers(response) == [entry("applier", "Apply", fields)]


def test_status_is_owned_apart(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.deployments}/a"
    client.apply(path, deployment("a", 2))
    body = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a"},
        "status": {"replicas": 5},
    }
    response = client.apply(f"{path}/status", body, manager="controller")
    assert response.json()["status"] == {"replicas": 5}
    fields: dict[str, Any] = {"f:status": {"f:replicas": {}}}
    expected = entry("controller", "Apply", fields, version="apps/v1", subresource="status")
    assert managers(response)[1] == expected
    # The status in an apply of the object itself is not looked at.
    body = {**deployment("a", 2), "status": {"replicas": 9}}
    assert client.apply(path, body).json()["status"] == {"replicas": 5}


def test_apply_to_what_somebody_wrote_before(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"k": "v"}), fieldManager="writer")
    path = f"{namespace.config_maps}/a"
    message = 'Apply failed with 1 conflict: conflict with "writer" using v1: .data.k'
    response = client.apply(path, config_map("a", {"k": "w"}))
    assert_conflicts(response, message, ('"writer" using v1', ".data.k"))
    response = client.apply(path, config_map("a", {"k": "v"}))
    assert managers(response) == [
        entry("applier", "Apply", {"f:data": {"f:k": {}}}),
        entry("writer", "Update", {"f:data": {".": {}, "f:k": {}}}),
    ]


def test_apply_to_what_nobody_manages(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    assert managers(client.patch(path, {"metadata": {"managedFields": [{}]}})) == []
    response = client.apply(path, config_map("a", {"k": "w"}))
    message = 'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k'
    assert_conflicts(response, message, ('"before-first-apply" using v1', ".data.k"))


def test_kubectl_comes_from_client_side_apply(client: Client, namespace: Namespace) -> None:
    last = json.dumps(config_map("a", {"a": "1", "b": "1"}))
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": last}
    body = config_map("a", {"a": "1", "b": "1"}, annotations=annotations)
    namespace.create(namespace.config_maps, body, fieldManager="kubectl-client-side-apply")
    response = client.apply(f"{namespace.config_maps}/a", config_map("a", {"a": "2"}), manager="kubectl")
    assert response.json()["data"] == {"a": "2", "b": "1"}
    assert [each["manager"] for each in managers(response)] == ["kubectl", "kubectl-client-side-apply"]


def test_dry_run(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    response = client.apply(path, config_map("a", {"k": "v"}), dryRun="All")
    assert response.status == 201
    assert "resourceVersion" not in response.json()["metadata"]
    assert client.get(path).json() == not_found("configmaps", "a")


def test_the_name_may_be_left_out_of_what_is_there(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    body = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "v"}}
    message = "the name of the object (a based on URL) was undeterminable: name must be provided"
    assert_failure(client.apply(path, body), 400, "BadRequest", message)
    client.apply(path, config_map("a"))
    assert client.apply(path, body).json()["data"] == {"k": "v"}


def test_yaml(client: Client, namespace: Namespace) -> None:
    body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"
    assert client.apply(f"{namespace.config_maps}/a", body).json()["data"] == {"k": "v"}


def test_a_revision_is_a_precondition(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    made = client.apply(path, config_map("a", {"k": "v"}, resourceVersion="1"))
    # Not for what is not there.
    assert made.status == 201
    response = client.apply(path, config_map("a", {"k": "w"}, resourceVersion="1"))
    assert_conflict(response, "configmaps", "a")
    revision = made.json()["metadata"]["resourceVersion"]
    assert client.apply(path, config_map("a", {"k": "w"}, resourceVersion=revision)).status == 200


def test_without_a_manager(client: Client, namespace: Namespace) -> None:
    response = client.apply(f"{namespace.config_maps}/a", config_map("a"), manager=None)
    expected = cause("FieldValueRequired", "Required value: is required for apply patch", "fieldManager")
    assert_invalid(response, "PatchOptions.meta.k8s.io", "", expected)


@pytest.mark.parametrize("fields", [[], [{"manager": "x", "operation": "Apply"}]], ids=["empty", "some"])
def test_with_managed_fields(client: Client, namespace: Namespace, fields: list[dict[str, str]]) -> None:
    response = client.apply(f"{namespace.config_maps}/a", config_map("a", managedFields=fields))
    if response.status == 201:
        # Of an object that is made, the sent ones are not looked at.
        response = client.apply(f"{namespace.config_maps}/a", config_map("a", managedFields=fields))
    assert_failure(response, 400, "BadRequest", "metadata.managedFields must be nil")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"metadata": {"name": "a"}}, "invalid object type: /, Kind="),
        ({**config_map("a"), "kind": "Secret"}, "invalid object type: /v1, Kind=Secret"),
        ({**config_map("a"), "apiVersion": "v2"}, "invalid object type: /v2, Kind=ConfigMap"),
        (config_map("b"), "the name of the object (b) does not match the name on the URL (a)"),
        (
            config_map("a", namespace="b"),
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            "a: [",
            (
                "error decoding YAML: error converting YAML to JSON: yaml: line 1: did not find expected "
                "node content"
            ),
        ),
        (
            "[]",
            (
                "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
                "array into Go value of type map[string]interface {}"
            ),
        ),
    ],
    ids=[
        "no kind",
        "another kind",
        "another version",
        "another name",
        "another namespace",
        "no yaml",
        "list",
    ],
)
def test_bodies_that_cannot_be_applied(
    client: Client, namespace: Namespace, body: object, message: str
) -> None:
    client.apply(f"{namespace.config_maps}/a", config_map("a"))
    assert_failure(client.apply(f"{namespace.config_maps}/a", body), 400, "BadRequest", message)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {**config_map("a"), "foo": "bar"},
            (
                "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .foo: field not declared in "
                "schema"
            ),
        ),
        (
            {**config_map("a"), "data": {"a": 1}},
            (
                "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.a: expected string, "
                "got &value.valueUnstructured{Value:1}"
            ),
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\n",
            (
                "failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.name: expected "
                "string, got &value.valueUnstructured{Value:true}"
            ),
        ),
    ],
    ids=["unknown field", "type", "yes"],
)
def test_objects_that_the_schema_does_not_know(
    client: Client, namespace: Namespace, body: object, message: str
) -> None:
    client.apply(f"{namespace.config_maps}/a", config_map("a"))
    assert_failure(client.apply(f"{namespace.config_maps}/a", body), 500, None, message)


def test_two_items_with_the_same_key(client: Client, namespace: Namespace) -> None:
    client.apply(f"{namespace.deployments}/a", deployment("a"))
    template = {"spec": {"containers": [{"name": "main"}, {"name": "main"}]}}
    response = client.apply(f"{namespace.deployments}/a", partial_deployment(template=template))
    message = (
        "failed to create typed patch object (/a; apps/v1, Kind=Deployment): "
        '.spec.template.spec.containers: duplicate entries for key [name="main"]'
    )
    assert_failure(response, 500, None, message)


def test_the_result_must_be_valid(client: Client, namespace: Namespace) -> None:
    client.apply(f"{namespace.deployments}/a", deployment("a"))
    response = client.apply(
        f"{namespace.deployments}/a", partial_deployment(replicas=-1), manager="scaler", force="true"
    )
    expected = cause(
        "FieldValueInvalid", "Invalid value: -1: must be greater than or equal to 0", "spec.replicas"
    )
    assert_invalid(response, "Deployment.apps", "a", expected)


def test_a_namespace_that_is_not_there(client: Client) -> None:
    response = client.apply("/api/v1/namespaces/nowhere/configmaps/a", config_map("a"))
    assert response.json() == not_found("namespaces", "nowhere")
