"""Values that few clients send: empty managedFields, null bytes, whole floats, times that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.custom_resources import Widgets, define, definition, new_group, version
from tests.conformance.managed_fields import entry, managers
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment, pod, service
from tests.conformance.statuses import assert_failure, assert_invalid, cause

NOT_CHECKED = cause(
    "FieldValueInvalid",
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the "
    "existing errors to complete validation",
    "<nil>",
)
NO_NAME = cause("FieldValueRequired", "Required value: name or generateName is required", "metadata.name")
NO_NUMBER = 'strconv.ParseUint: parsing "x": invalid syntax'


@pytest.fixture(scope="module")
def numbers(client: Client) -> Widgets:
    """Widgets with numbers of all kinds, some of which a rule looks at."""
    spec = {
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "ruled": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0"}]},
            "half": {"type": "number", "multipleOf": 0.5},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "either": {"x-kubernetes-int-or-string": True},
        },
    }
    return define(
        client, definition(new_group(), version(schema={"type": "object", "properties": {"spec": spec}}))
    )


def test_an_empty_list_of_managers_makes_the_server_forget_them(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a", {"k": "v"}), fieldManager="alice")
    made["metadata"]["managedFields"] = []
    path = f"{namespace.config_maps}/a"
    assert managers(client.put(path, {**made, "data": {"k": "w"}}, fieldManager="bob")) == []
    assert managers(client.patch(path, {"data": {"l": "x"}}, fieldManager="bob")) == []
    applied = client.apply(path, config_map("a", {"l": "x"}))
    assert [each["manager"] for each in managers(applied)] == ["applier", "before-first-apply"]


@pytest.mark.parametrize("kind", ["merge-patch+json", "strategic-merge-patch+json"])
def test_an_empty_list_of_managers_in_a_patch(client: Client, namespace: Namespace, kind: str) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    body = {"metadata": {"managedFields": []}, "data": {"l": "x"}}
    assert managers(client.patch(f"{namespace.config_maps}/a", body, kind=kind)) == []


def test_an_empty_list_of_managers_of_a_new_object(client: Client, namespace: Namespace) -> None:
    body = config_map("a", {"k": "v"}, managedFields=[])
    response = client.post(namespace.config_maps, body, fieldManager="alice")
    assert managers(response) == [entry("alice", "Update", {"f:data": {".": {}, "f:k": {}}})]


def test_reviews_have_managers(client: Client) -> None:
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}},
    }
    response = client.post(
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body, fieldManager="alice"
    )
    fields = {"f:spec": {"f:nonResourceAttributes": {".": {}, "f:path": {}, "f:verb": {}}}}
    assert managers(response) == [entry("alice", "Update", fields, version="authorization.k8s.io/v1")]


def test_null_bytes_are_no_bytes(client: Client, namespace: Namespace) -> None:
    secrets = namespace.path("secrets")
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"k": None}}
    assert namespace.create(secrets, secret)["data"] == {"k": ""}
    assert client.get(f"{secrets}/a").json()["data"] == {"k": ""}
    operations = [{"op": "add", "path": "/data/l", "value": None}]
    response = client.patch(f"{secrets}/a", operations, kind="json-patch+json")
    assert response.json()["data"] == {"k": "", "l": ""}
    binary = {**config_map("a"), "binaryData": {"b": None}}
    assert namespace.create(namespace.config_maps, binary)["binaryData"] == {"b": ""}


def test_null_bytes_are_another_value_than_no_bytes(client: Client, namespace: Namespace) -> None:
    secrets = namespace.path("secrets")
    secret: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "a"},
        "immutable": True,
    }
    namespace.create(secrets, {**secret, "data": {"k": ""}})
    response = client.put(f"{secrets}/a", {**secret, "data": {"k": None}})
    told = "Forbidden: field is immutable when `immutable` is set"
    assert_invalid(response, "Secret", "a", cause("FieldValueForbidden", told, "data"))


@pytest.mark.differs("empty maps")
def test_an_empty_map_is_another_value_than_none(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, {**config_map("a", {"k": "v"}), "immutable": True})
    response = client.patch(f"{namespace.config_maps}/a", {"binaryData": {}})
    told = "Forbidden: field is immutable when `immutable` is set"
    assert_invalid(response, "ConfigMap", "a", cause("FieldValueForbidden", told, "binaryData"))


def test_whole_floats_are_stored_as_integers(client: Client, namespace: Namespace, numbers: Widgets) -> None:
    path = numbers.path(namespace.name)
    spec = {"count": 2.0, "half": 1.0, "free": {"a": [3.0, 1.5, 1e16]}, "either": 4.0}
    wanted = '{"count":2,"either":4,"free":{"a":[3,1.5,10000000000000000]},"half":1}'
    assert _text(namespace.create(path, numbers.widget("a", **spec))["spec"]) == wanted
    assert _text(client.get(f"{path}/a").json()["spec"]) == wanted
    assert _text(client.post(path, numbers.widget("b", **spec), dryRun="All").json()["spec"]) == wanted


def test_a_whole_float_is_no_integer_to_a_rule(
    client: Client, namespace: Namespace, numbers: Widgets
) -> None:
    path = numbers.path(namespace.name)
    response = client.post(path, numbers.widget("a", ruled=1.0))
    told = 'Invalid value: "integer": invalid data, expected int, got float64 evaluating rule: '
    (only,) = response.json()["details"]["causes"]
    assert (only["field"], only["message"][: len(told)]) == ("spec.ruled", told)
    applied = client.apply(f"{path}/a", numbers.widget("a", ruled=1.0))
    assert (applied.status, applied.json()["spec"]) == (201, {"ruled": 1})


def test_an_integer_is_no_multiple_of_a_fraction(
    client: Client, namespace: Namespace, numbers: Widgets
) -> None:
    # The factor is rounded to an integer before an integer is divided by it.
    response = client.post(numbers.path(namespace.name), numbers.widget("a", half=1))
    told = "Invalid value: 0: factor MultipleOf declared for spec.half must be positive: 0"
    assert_invalid(response, f"Widget.{numbers.group}", "a", cause("FieldValueInvalid", told, "spec.half"))


def test_a_whole_float_is_a_new_generation(client: Client, namespace: Namespace, numbers: Widgets) -> None:
    path = numbers.path(namespace.name)
    namespace.create(path, numbers.widget("a", count=2))
    response = client.patch(f"{path}/a", {"spec": {"count": 2.0}})
    assert response.json()["metadata"]["generation"] == 2
    assert client.patch(f"{path}/a", {"spec": {"count": 2}}).json()["metadata"]["generation"] == 2


@pytest.mark.parametrize("kind", ["merge-patch+json", "json-patch+json"])
def test_a_whole_float_is_no_integer_of_a_built_in_kind(
    client: Client, namespace: Namespace, kind: str
) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    merge = {"spec": {"replicas": 3.0}}
    operations = [{"op": "replace", "path": "/spec/replicas", "value": 3.0}]
    body = merge if kind.startswith("merge") else operations
    response = client.patch(f"{namespace.deployments}/a", body, kind=kind)
    assert response.status == 422
    number = "number 3.0 into Go struct field DeploymentSpec.spec.replicas of type int32"
    assert f"json: cannot unmarshal {number}" in response.json()["message"]


@pytest.mark.parametrize("time", ["yesterday", 5, ""])
def test_times_that_are_none_are_dropped_when_applied(
    client: Client, namespace: Namespace, widgets: Widgets, time: object
) -> None:
    path = f"{widgets.path(namespace.name)}/a"
    body = widgets.widget("a", size=1)
    body["metadata"] |= {"creationTimestamp": time, "deletionTimestamp": time}
    response = client.apply(path, body)
    assert response.status == 201
    metadata = client.get(path).json()["metadata"]
    assert metadata["creationTimestamp"] not in (time, None)
    assert "deletionTimestamp" not in metadata


@pytest.mark.parametrize("validation", ["Strict", "Warn"])
def test_null_is_applied_where_anything_may_stand(
    client: Client, namespace: Namespace, widgets: Widgets, validation: str
) -> None:
    path = f"{widgets.path(namespace.name)}/a"
    response = client.apply(path, widgets.widget("a", size=1, limit=None), fieldValidation=validation)
    told = 'Invalid value: "null": spec.limit in body must be of type integer,string: "null"'
    wrong = cause("FieldValueTypeInvalid", told, "spec.limit")
    assert_invalid(response, f"Widget.{widgets.group}", "a", wrong, NOT_CHECKED)
    # What is below such a value is not looked at.
    response = client.apply(path, widgets.widget("a", size=1, limit={"a": 1}), fieldValidation=validation)
    assert response.status == 422
    assert response.warnings == []
    assert response.json()["details"]["causes"][0]["field"] == "spec.limit"


def test_applied_items_without_their_key(client: Client, namespace: Namespace) -> None:
    response = client.apply(f"{namespace.pods}/a", pod("a", {"containers": [{}]}))
    name, image = (
        cause("FieldValueRequired", "Required value", f"spec.containers[0].{each}")
        for each in ("name", "image")
    )
    assert_invalid(response, "Pod", "a", name, image)
    response = client.apply(f"{namespace.pods}/a", pod("a", {"containers": [{}, {}]}))
    assert response.status == 500
    assert response.json()["message"].startswith("failed to create typed patch object (")


@pytest.mark.parametrize("revision", ["x", "-1", "0", "00", "9" * 30])
def test_a_revision_that_is_no_number_does_not_hinder_a_create(
    client: Client, namespace: Namespace, revision: str
) -> None:
    body = config_map("a", resourceVersion=revision)
    assert client.post(namespace.config_maps, body).status == 201


def test_a_revision_that_is_no_number_hinders_an_apply(client: Client, namespace: Namespace) -> None:
    response = client.apply(f"{namespace.config_maps}/a", config_map("a", resourceVersion="x"))
    assert_failure(response, 500, None, NO_NUMBER)
    assert client.get(f"{namespace.config_maps}/a").status == 404


def test_self_links_show_in_dry_runs(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    namespace.create(namespace.config_maps, config_map("a", selfLink="/x"))
    assert "selfLink" not in client.get(path).json()["metadata"]
    body = {"metadata": {"selfLink": "/x"}}
    assert client.patch(path, body, dryRun="All").json()["metadata"]["selfLink"] == "/x"
    assert "selfLink" not in client.patch(path, body).json()["metadata"]


def test_a_custom_resource_without_a_name(client: Client, namespace: Namespace, widgets: Widgets) -> None:
    body = widgets.widget("a", size=9)
    del body["metadata"]["name"]
    response = client.post(widgets.path(namespace.name), body)
    assert_invalid(response, f"Widget.{widgets.group}", "", NO_NAME, NOT_CHECKED)


def test_the_rules_are_not_asked_when_annotations_are_too_long(
    client: Client, namespace: Namespace, widgets: Widgets
) -> None:
    body = widgets.widget("a", size=9)
    body["metadata"]["annotations"] = {"a": "x" * 300_000}
    response = client.post(widgets.path(namespace.name), body)
    told = "Too long: may not be more than 262144 bytes"
    wrong = cause("FieldValueTooLong", told, "metadata.annotations")
    assert_invalid(response, f"Widget.{widgets.group}", "a", wrong, NOT_CHECKED)


def test_a_service_without_a_name_gets_no_address(client: Client, namespace: Namespace) -> None:
    body = service("a")
    del body["metadata"]["name"]
    assert_invalid(client.post(namespace.services, body), "Service", "", NO_NAME)
    del body["spec"]["clusterIP"]
    (only,) = client.post(namespace.services, body).json()["details"]["causes"]
    assert only["field"] == "spec.clusterIPs"
    assert only["message"].startswith(
        'Invalid value: [""]: failed to allocate IP: IPAddress.networking.k8s.io'
    )
    assert only["message"].endswith("is invalid: spec.parentRef.name: Required value")


def test_budgets_take_any_finalizer(client: Client, namespace: Namespace) -> None:
    body = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "a", "finalizers": ["nodots"]},
        "spec": {"minAvailable": 1},
    }
    assert client.post(namespace.path("poddisruptionbudgets", "policy/v1"), body).status == 201


@pytest.mark.parametrize(
    ("resource", "group_version", "kind", "rest", "times"),
    [
        ("roles", "rbac.authorization.k8s.io/v1", "Role", {}, 4),
        ("serviceaccounts", "v1", "ServiceAccount", {}, 4),
        ("endpoints", "v1", "Endpoints", {}, 4),
        ("limitranges", "v1", "LimitRange", {}, 3),
        ("poddisruptionbudgets", "policy/v1", "PodDisruptionBudget", {"spec": {"minAvailable": 1}}, 2),
    ],
)
def test_how_often_metadata_is_looked_at(
    client: Client,
    namespace: Namespace,
    resource: str,
    group_version: str,
    kind: str,
    rest: dict[str, Any],
    times: int,
) -> None:
    path = namespace.path(resource, group_version)
    namespace.create(path, {"apiVersion": group_version, "kind": kind, "metadata": {"name": "a"}, **rest})
    response = client.patch(f"{path}/a", {"metadata": {"labels": {"a": "not valid!"}}})
    assert [each["field"] for each in response.json()["details"]["causes"]] == ["metadata.labels"] * times


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
