"""Binding, eviction, ephemeral containers, resize, logs and streams of pods; tokens of service accounts."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import pod
from tests.conformance.statuses import assert_conflict, assert_failure, assert_invalid, cause, not_found

STRATEGIC = "strategic-merge-patch+json"
CREATED = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def created(namespace: Namespace, spec: dict[str, Any] | None = None, **fields: Any) -> str:
    """A pod "a": its path."""
    namespace.create(namespace.pods, pod("a", spec, **fields))
    return f"{namespace.pods}/a"


def binding(**meta: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "a", **meta},
        "target": {"kind": "Node", "name": "n1"},
    }


def eviction(name: str = "a", version: str = "policy/v1") -> dict[str, Any]:
    return {"apiVersion": version, "kind": "Eviction", "metadata": {"name": name}}


def test_binding(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    response = client.post(f"{path}/binding", binding(annotations={"x": "y"}))
    assert (response.status, response.json()) == (201, CREATED)
    bound = client.get(path).json()
    assert bound["spec"]["nodeName"] == "n1"
    assert bound["metadata"]["annotations"] == {"x": "y"}
    (condition,) = bound["status"]["conditions"]
    assert condition.pop("lastTransitionTime")
    assert condition == {"type": "PodScheduled", "status": "True", "lastProbeTime": None}


def test_binding_ends_a_nomination(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    assert client.patch(f"{path}/status", {"status": {"nominatedNodeName": "n2"}}).status == 200
    assert client.get(path).json()["status"]["nominatedNodeName"] == "n2"
    assert client.post(f"{path}/binding", binding()).status == 201
    assert "nominatedNodeName" not in client.get(path).json()["status"]


def test_binding_by_the_other_path(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    response = client.post(namespace.path("bindings"), binding())
    assert (response.status, response.json()) == (201, CREATED)
    assert client.get(path).json()["spec"]["nodeName"] == "n1"


def test_binding_dry(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    assert client.post(f"{path}/binding", binding(), dryRun="All").json() == CREATED
    assert "nodeName" not in client.get(path).json()["spec"]


def test_binding_twice(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    client.post(f"{path}/binding", binding())
    response = client.post(f"{path}/binding", binding())
    assert_conflict(response, "pods/binding", "a", 'pod a is already assigned to node "n1"')


def test_bindings_that_cannot_be(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    response = client.post(f"{path}/binding", {**binding(), "target": {}})
    assert_failure(response, 500, None, "target.name: Required value")
    response = client.post(f"{path}/binding", binding(name="other"))
    assert_failure(response, 400, "BadRequest", "name in URL does not match name in Binding object")
    response = client.post(f"{namespace.pods}/absent/binding", binding(name="absent"))
    assert response.json() == not_found("pods", "absent")
    message = "the server does not allow this method on the requested resource"
    assert_failure(client.get(f"{path}/binding"), 405, "MethodNotAllowed", message, {})


def test_binding_another_pod_of_the_name(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    uid = client.get(path).json()["metadata"]["uid"]
    why = (
        f"StorageError: invalid object, Code: 4, Key: /registry/pods/{namespace.name}/a, ResourceVersion: 0, "
        f"AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: {uid}"
    )
    assert_conflict(client.post(f"{path}/binding", binding(uid="x")), "pods", "a", why)


@pytest.mark.parametrize("version", ["policy/v1", "policy/v1beta1"])
def test_eviction(client: Client, namespace: Namespace, version: str) -> None:
    path = created(namespace)
    response = client.post(f"{path}/eviction", eviction(version=version))
    assert (response.status, response.json()) == (201, CREATED)
    assert client.get(path).json() == not_found("pods", "a")


def test_eviction_of_a_pod_on_a_node(client: Client, namespace: Namespace) -> None:
    path = created(namespace, {"nodeName": "n1"})
    client.post(f"{path}/eviction", eviction())
    found = client.get(path).json()
    assert found["metadata"]["deletionGracePeriodSeconds"] == 30
    (condition,) = found["status"]["conditions"]
    assert condition.pop("lastTransitionTime")
    assert condition == {
        "type": "DisruptionTarget",
        "status": "True",
        "lastProbeTime": None,
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }


def test_evictions_that_cannot_be(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    response = client.post(f"{path}/eviction", eviction("other"))
    assert_failure(response, 400, "BadRequest", "name in URL does not match name in Eviction object")
    response = client.post(f"{namespace.pods}/absent/eviction", eviction("absent"))
    assert response.json() == not_found("pods", "absent")
    assert client.post(f"{path}/eviction", eviction(), dryRun="All").json() == CREATED
    assert client.get(path).status == 200


def test_a_disruption_budget_forbids(client: Client, namespace: Namespace) -> None:
    path = created(namespace, {"nodeName": "n1"}, labels={"app": "x"})
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    assert client.patch(f"{path}/status", {"status": ready}).status == 200
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}},
    }
    namespace.create(namespace.path("poddisruptionbudgets", "policy/v1"), budget)
    response = client.post(f"{path}/eviction", eviction())
    told = "The disruption budget b is still being processed by the server."
    details = {"causes": [{"reason": "DisruptionBudget", "message": told}], "retryAfterSeconds": 10}
    message = "Cannot evict pod as it would violate the pod's disruption budget."
    assert_failure(response, 429, "TooManyRequests", message, details)
    assert response.headers["Retry-After"] == "10"
    assert "deletionTimestamp" not in client.get(path).json()["metadata"]


def test_ephemeral_containers(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    patch = {
        "spec": {"ephemeralContainers": [{"name": "debug", "image": "b", "targetContainerName": "main"}]}
    }
    response = client.patch(f"{path}/ephemeralcontainers", patch, kind=STRATEGIC)
    assert response.status == 200
    assert response.json()["spec"]["ephemeralContainers"] == [
        {
            "name": "debug",
            "image": "b",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "imagePullPolicy": "Always",
            "targetContainerName": "main",
        }
    ]
    assert response.json()["metadata"]["generation"] == 2
    assert client.get(f"{path}/ephemeralcontainers").json() == response.json()


def test_ephemeral_containers_stay(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    patch = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "b"}]}}
    client.patch(f"{path}/ephemeralcontainers", patch, kind=STRATEGIC)
    response = client.patch(f"{path}/ephemeralcontainers", {"spec": {"ephemeralContainers": []}})
    message = 'Forbidden: existing ephemeral containers "debug" may not be removed\n'
    expected = cause("FieldValueForbidden", message, "spec.ephemeralContainers")
    assert_invalid(response, "Pod", "a", expected)


def test_ephemeral_containers_are_not_written_with_the_pod(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    patch = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "b"}]}}
    response = client.patch(path, patch, kind=STRATEGIC)
    assert response.status == 422
    assert "pod updates may not change fields other than" in response.json()["message"]


def resized(**requests: str) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "main", "resources": {"requests": requests}}]}}


def test_resize(client: Client, namespace: Namespace) -> None:
    container = {
        "name": "main",
        "image": "example.com/main:1",
        "resources": {"requests": {"cpu": "100m", "memory": "1Gi"}},
    }
    path = created(namespace, {"containers": [container]})
    response = client.patch(f"{path}/resize", resized(cpu="200m"), kind=STRATEGIC)
    assert response.status == 200
    found = response.json()
    assert found["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "200m", "memory": "1Gi"}}
    assert found["metadata"]["generation"] == 2
    assert found["status"]["qosClass"] == "Burstable"


def test_resizing_keeps_the_quality_of_service(client: Client, namespace: Namespace) -> None:
    path = created(namespace)
    response = client.patch(f"{path}/resize", resized(cpu="1"), kind=STRATEGIC)
    message = 'Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing'
    assert_invalid(response, "Pod", "a", cause("FieldValueInvalid", message, "spec"))


def test_the_log_of_a_pod_without_a_node(client: Client, namespace: Namespace) -> None:
    response = client.get(f"{created(namespace)}/log")
    assert (response.status, response.body) == (204, b"")


def test_the_log_of_a_pod_on_a_node_that_is_not_there(client: Client, namespace: Namespace) -> None:
    path = created(namespace, {"nodeName": "n1"})
    response = client.get(f"{path}/log")
    # The error names the node but calls it a pod.
    assert (response.status, response.json()) == (404, not_found("pods", "n1"))


def test_logs_that_cannot_be(client: Client, namespace: Namespace) -> None:
    path = created(namespace, {"nodeName": "n1"})
    assert client.get(f"{namespace.pods}/absent/log").json() == not_found("pods", "absent")
    response = client.get(f"{path}/log", container="other")
    assert_failure(response, 400, "BadRequest", "container other is not valid for pod a")
    response = client.get(f"{path}/log", tailLines="-1")
    message = "Invalid value: -1: must be greater than or equal to 0"
    assert_invalid(response, "PodLogOptions", "a", cause("FieldValueInvalid", message, "tailLines"))


def test_the_log_of_one_of_several_containers(client: Client, namespace: Namespace) -> None:
    containers = [{"name": name, "image": "x"} for name in ("one", "two")]
    path = created(namespace, {"containers": containers, "nodeName": "n1"})
    message = "a container name must be specified for pod a, choose one of: [one two]"
    assert_failure(client.get(f"{path}/log"), 400, "BadRequest", message)


@pytest.mark.parametrize("stream", ["exec", "attach", "portforward"])
def test_streams_of_a_pod_without_a_node(client: Client, namespace: Namespace, stream: str) -> None:
    path = created(namespace)
    response = client.post(f"{path}/{stream}", None, command="ls")
    assert_failure(response, 400, "BadRequest", "pod a does not have a host assigned")


def test_a_token_of_a_service_account(client: Client, namespace: Namespace) -> None:
    path = namespace.path("serviceaccounts")
    account = namespace.create(path, {"metadata": {"name": "a"}})
    body = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"audiences": ["x"], "expirationSeconds": 600},
    }
    response = client.post(f"{path}/a/token", body)
    assert response.status == 201
    made = response.json()
    assert made["kind"] == "TokenRequest"
    assert made["spec"] == {"audiences": ["x"], "expirationSeconds": 600, "boundObjectRef": None}
    payload = made["status"]["token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert claims["aud"] == ["x"]
    assert claims["sub"] == f"system:serviceaccount:{namespace.name}:a"
    assert claims["exp"] - claims["iat"] == 600
    assert claims["kubernetes.io"]["serviceaccount"] == {"name": "a", "uid": account["metadata"]["uid"]}


def test_tokens_that_cannot_be(client: Client, namespace: Namespace) -> None:
    path = namespace.path("serviceaccounts")
    namespace.create(path, {"metadata": {"name": "a"}})
    response = client.post(f"{path}/a/token", {"spec": {"expirationSeconds": 5}})
    message = "Invalid value: 5: may not specify a duration less than 10 minutes"
    expected = cause("FieldValueInvalid", message, "spec.expirationSeconds")
    assert_invalid(response, "TokenRequest.authentication.k8s.io", "", expected)
    response = client.post(f"{path}/absent/token", {"spec": {}})
    assert response.json() == not_found("serviceaccounts", "absent")


def test_a_token_authenticates(client: Client, namespace: Namespace) -> None:
    path = namespace.path("serviceaccounts")
    namespace.create(path, {"metadata": {"name": "a"}})
    token = client.post(f"{path}/a/token", {}).json()["status"]["token"]
    review = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenReview",
        "spec": {"token": token},
    }
    found = client.post("/apis/authentication.k8s.io/v1/tokenreviews", review).json()["status"]
    assert found["authenticated"] is True
    assert found["user"]["username"] == f"system:serviceaccount:{namespace.name}:a"
    assert found["user"]["groups"] == [
        "system:serviceaccounts",
        f"system:serviceaccounts:{namespace.name}",
        "system:authenticated",
    ]
