"""Status, scale and finalize, and generations."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.custom_resources import Widgets
from tests.conformance.namespaces import Namespace, new_namespace
from tests.conformance.objects import config_map, deployment, pod
from tests.conformance.statuses import assert_conflict, assert_failure, assert_invalid, cause, not_found

NOT_ALLOWED = "the server does not allow this method on the requested resource"


def created(namespace: Namespace, replicas: int = 2) -> tuple[str, Any]:
    """A deployment "a": its path, and itself."""
    made = namespace.create(namespace.deployments, deployment("a", replicas))
    return f"{namespace.deployments}/a", made


def scale(replicas: int | None, **meta: str) -> dict[str, Any]:
    spec = {} if replicas is None else {"replicas": replicas}
    return {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a", **meta}, "spec": spec}


def test_the_status_is_read_as_the_whole_object(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    assert client.get(f"{path}/status").json() == made


def test_writing_the_status_writes_nothing_else(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    body = {**made, "status": {"replicas": 3, "observedGeneration": 1}}
    body["spec"] = {**made["spec"], "replicas": 9}
    body["metadata"] = {**made["metadata"], "labels": {"x": "y"}}
    changed = client.put(f"{path}/status", body).json()
    assert changed["status"] == {"observedGeneration": 1, "replicas": 3}
    assert changed["spec"] == made["spec"]
    assert "labels" not in changed["metadata"]
    assert changed["metadata"]["generation"] == 1
    assert client.get(path).json() == changed


def test_writing_the_object_does_not_write_the_status(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    client.patch(f"{path}/status", {"status": {"replicas": 3}})
    changed = client.put(path, {**deployment("a", 4), "status": {"replicas": 77}}).json()
    assert changed["status"] == {"replicas": 3}
    assert (changed["spec"]["replicas"], changed["metadata"]["generation"]) == (4, 2)


def test_patching_the_status(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    patch = {"status": {"replicas": 1, "readyReplicas": 1}, "spec": {"replicas": 100}}
    changed = client.patch(f"{path}/status", patch).json()
    assert changed["status"] == {"replicas": 1, "readyReplicas": 1}
    assert changed["spec"] == made["spec"]


def test_a_status_that_breaks_rules(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    response = client.patch(f"{path}/status", {"status": {"replicas": 1, "readyReplicas": 2}})
    message = "Invalid value: 2: cannot be greater than status.replicas"
    assert_invalid(
        response, "Deployment.apps", "a", cause("FieldValueInvalid", message, "status.readyReplicas")
    )


def test_a_status_with_an_old_revision(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    client.patch(path, {"metadata": {"labels": {"x": "y"}}})
    assert_conflict(client.put(f"{path}/status", made), "deployments.apps", "a")


def test_the_status_of_what_is_not_there(client: Client, namespace: Namespace) -> None:
    response = client.get(f"{namespace.deployments}/a/status")
    assert response.json() == not_found("deployments", "a", "apps")
    response = client.patch(f"{namespace.deployments}/a/status", {"status": {}})
    assert response.json() == not_found("deployments", "a", "apps")


def test_a_status_is_neither_made_nor_deleted(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    assert_failure(client.post(f"{path}/status", made), 405, "MethodNotAllowed", NOT_ALLOWED, {})
    assert_failure(client.delete(f"{path}/status"), 405, "MethodNotAllowed", NOT_ALLOWED, {})


def test_subresources_that_are_not_there(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    namespace.create(namespace.config_maps, config_map("a"))
    for missing in (f"{path}/foo", f"{namespace.config_maps}/a/status", f"{namespace.config_maps}/a/scale"):
        message = "the server could not find the requested resource"
        assert_failure(client.get(missing), 404, "NotFound", message, {})


def test_reading_the_scale(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    client.patch(f"{path}/status", {"status": {"replicas": 1}})
    meta = client.get(path).json()["metadata"]
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    assert client.get(f"{path}/scale").json() == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {key: meta[key] for key in kept},
        "spec": {"replicas": 2},
        "status": {"replicas": 1, "selector": "app=a"},
    }
    assert made["metadata"]["uid"] == meta["uid"]


def test_writing_the_scale(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    response = client.put(f"{path}/scale", scale(7))
    assert response.status == 200
    assert response.json()["spec"] == {"replicas": 7}
    found = client.get(path).json()
    assert (found["spec"]["replicas"], found["metadata"]["generation"]) == (7, 2)
    assert found["metadata"]["resourceVersion"] == response.json()["metadata"]["resourceVersion"]


@pytest.mark.parametrize("kind", ["merge-patch+json", "strategic-merge-patch+json"])
def test_patching_the_scale(client: Client, namespace: Namespace, kind: str) -> None:
    path, _ = created(namespace)
    response = client.patch(f"{path}/scale", {"spec": {"replicas": 5}}, kind=kind)
    assert response.json()["spec"] == {"replicas": 5}
    assert client.get(path).json()["spec"]["replicas"] == 5


def owners_of_replicas(client: Client, path: str) -> list[str]:
    """The managers of the number of replicas."""
    entries = client.get(path).json()["metadata"]["managedFields"]
    return [each["manager"] for each in entries if "f:replicas" in each["fieldsV1"].get("f:spec", {})]


@pytest.mark.parametrize("verb", ["put", "patch"])
def test_a_number_that_was_scaled_to_zero_is_nobodys(client: Client, namespace: Namespace, verb: str) -> None:
    path = f"{namespace.deployments}/a"
    assert client.apply(path, deployment("a", 2)).status == 201
    send = getattr(client, verb)
    assert send(f"{path}/scale", scale(3), fieldManager="scaler").status == 200
    assert owners_of_replicas(client, path) == ["scaler"]
    assert send(f"{path}/scale", scale(0), fieldManager="scaler").status == 200
    assert owners_of_replicas(client, path) == []
    # So whoever applied the object once has no conflict when they do it again.
    again = client.apply(path, deployment("a", 2))
    assert (again.status, again.json()["spec"]["replicas"]) == (200, 2)
    assert owners_of_replicas(client, path) == ["applier"]


def test_a_number_that_is_zero_already_stays_whose_it_is(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.deployments}/a"
    assert client.apply(path, deployment("a", 0)).status == 201
    assert client.put(f"{path}/scale", scale(0), fieldManager="scaler").status == 200
    assert owners_of_replicas(client, path) == ["applier"]


def test_a_custom_number_that_was_scaled_to_zero_is_nobodys(
    client: Client, namespace: Namespace, widgets: Widgets
) -> None:
    path = f"{widgets.path(namespace.name)}/a"
    assert client.apply(path, widgets.widget("a", size=1, replicas=2)).status == 201
    assert client.patch(f"{path}/scale", {"spec": {"replicas": 0}}, fieldManager="scaler").status == 200
    assert owners_of_replicas(client, path) == []


def test_applying_the_scale(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    assert client.apply(f"{path}/scale", scale(8), force="true").json()["spec"] == {"replicas": 8}


def test_who_applies_no_number_to_the_scale_sets_it_to_zero(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    assert client.apply(f"{path}/scale", scale(8), force="true").status == 200
    assert client.apply(f"{path}/scale", scale(None)).json()["spec"] == {}
    assert client.get(path).json()["spec"]["replicas"] == 0


def test_applying_a_bad_scale(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    response = client.apply(f"{path}/scale", scale(-1), force="true")
    wrong = cause(
        "FieldValueInvalid", "Invalid value: -1: must be greater than or equal to 0", "spec.replicas"
    )
    assert_invalid(response, "Scale.autoscaling", "a", wrong)
    response = client.apply(f"{path}/scale", {**scale(1), "spec": {"replicas": "x"}}, force="true")
    assert response.status == 500
    assert response.json()["message"].startswith("failed to create typed patch object")
    response = client.apply(f"{path}/scale", scale(7, resourceVersion="1"), force="true")
    assert_conflict(response, "deployments.apps", "a")
    assert client.get(path).json()["spec"]["replicas"] == 2


def test_the_scale_of_a_custom_resource_takes_no_strategic_patch(
    client: Client, namespace: Namespace, widgets: Widgets
) -> None:
    path = widgets.path(namespace.name)
    namespace.create(path, widgets.widget("a", size=1, replicas=2))
    response = client.patch(f"{path}/a/scale", {"spec": {"replicas": 3}}, kind="strategic-merge-patch+json")
    assert (response.status, response.json()["reason"]) == (415, "UnsupportedMediaType")


@pytest.mark.differs("scales of custom resources")
def test_applying_the_scale_of_a_custom_resource(
    client: Client, namespace: Namespace, widgets: Widgets
) -> None:
    path = widgets.path(namespace.name)
    namespace.create(path, widgets.widget("a", size=1, replicas=2))
    response = client.apply(f"{path}/a/scale", scale(3), force="true")
    assert response.status == 500
    assert "request to convert CR to an invalid group/version: autoscaling/v1" in response.json()["message"]


def test_a_scale_without_a_number_is_zero(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    assert client.put(f"{path}/scale", scale(None)).json()["spec"] == {}
    assert client.get(path).json()["spec"]["replicas"] == 0


def test_a_scale_with_an_old_revision(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    response = client.put(f"{path}/scale", scale(7, resourceVersion="1"))
    assert_conflict(response, "deployments.apps", "a")


def test_a_negative_scale(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    response = client.patch(f"{path}/scale", {"spec": {"replicas": -1}})
    message = "Invalid value: -1: must be greater than or equal to 0"
    assert_invalid(response, "Scale.autoscaling", "a", cause("FieldValueInvalid", message, "spec.replicas"))


def test_bodies_that_are_no_scale(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    message = (
        'Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to '
        "(autoscaling.Scale): unknown conversion"
    )
    assert_failure(client.put(f"{path}/scale", deployment("a")), 400, "BadRequest", message)
    message = "the name of the object (z) does not match the name on the URL (a)"
    assert_failure(client.put(f"{path}/scale", scale(1, name="z")), 400, "BadRequest", message)


def test_the_scale_of_what_is_not_there(client: Client, namespace: Namespace) -> None:
    response = client.get(f"{namespace.deployments}/a/scale")
    assert response.json() == not_found("deployments", "a", "apps")


def test_generations_count_changes_of_the_spec(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    assert made["metadata"]["generation"] == 1

    def generation(patch: dict[str, Any]) -> int:
        found: int = client.patch(path, patch).json()["metadata"]["generation"]
        return found

    assert generation({"metadata": {"labels": {"x": "y"}}}) == 1
    assert generation({"metadata": {"annotations": {"x": "y"}}}) == 2
    assert generation({"spec": {"replicas": 5}}) == 3
    assert generation({"spec": {"replicas": 5}}) == 3
    assert generation({"metadata": {"generation": 50}}) == 3


def test_kinds_without_a_generation(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    assert "generation" not in made["metadata"]
    changed = client.patch(f"{namespace.config_maps}/a", {"data": {"k": "w"}}).json()
    assert "generation" not in changed["metadata"]


def test_a_pod_has_a_generation(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.pods, pod("a"))
    assert made["metadata"]["generation"] == 1
    patch = {"status": {"phase": "Running"}}
    changed = client.patch(f"{namespace.pods}/a/status", patch).json()
    assert (changed["status"]["phase"], changed["metadata"]["generation"]) == ("Running", 1)


def test_finalizing_a_namespace(client: Client) -> None:
    namespace = new_namespace(client)
    path = f"/api/v1/namespaces/{namespace.name}"
    body = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": namespace.name},
        "spec": {"finalizers": []},
    }
    client.delete(path)
    response = client.put(f"{path}/finalize", body)
    assert response.status == 200
    assert response.json()["spec"] == {}
    assert client.get(path).json() == not_found("namespaces", namespace.name)


def test_finalizers_of_a_namespace_are_written_there_only(client: Client, namespace: Namespace) -> None:
    path = f"/api/v1/namespaces/{namespace.name}"
    changed = client.patch(path, {"spec": {"finalizers": ["example.com/a"]}})
    assert changed.json()["spec"] == {"finalizers": ["kubernetes"]}
    assert_failure(client.get(f"{path}/finalize"), 405, "MethodNotAllowed", NOT_ALLOWED, {})
