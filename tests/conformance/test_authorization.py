"""Who may do what: the anonymous, others by impersonation, and asking beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.client import Client, ServerUnderTest
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.objects import config_map
from tests.conformance.statuses import assert_failure
from tests.conformance.waiting import eventually

RBAC = "rbac.authorization.k8s.io/v1"


@pytest.fixture
def nobody(server: ServerUnderTest) -> Iterator[Client]:
    """Has no credentials."""
    made = Client(server, authenticated=False)
    yield made
    made.close()


def refused(user: str, rest: str) -> str:
    return f'is forbidden: User "{user}" cannot {rest}'


def test_the_anonymous_may_read_little(nobody: Client) -> None:
    for path in ("/version", "/healthz", "/livez", "/readyz"):
        # Not at once for a real server whose etcd is busy.
        eventually(lambda path=path: nobody.get(path).status == 200, f"{path} is not there")  # type: ignore[misc]


@pytest.mark.parametrize("path", ["/apis", "/api", "/unheard"])
def test_the_anonymous_may_not_read_other_paths(nobody: Client, path: str) -> None:
    message = f'forbidden: User "system:anonymous" cannot get path "{path}"'
    response = nobody.get(path)
    assert_failure(response, 403, "Forbidden", message, {})
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_the_anonymous_and_objects(nobody: Client, namespace: Namespace) -> None:
    who = "system:anonymous"
    message = f'pods {refused(who, "list resource")} "pods" in API group "" at the cluster scope'
    assert_failure(nobody.get("/api/v1/pods"), 403, "Forbidden", message, {"kind": "pods"})
    where = f'in API group "" in the namespace "{namespace.name}"'
    message = f'configmaps {refused(who, "create resource")} "configmaps" {where}'
    response = nobody.post(namespace.config_maps, config_map("a"))
    assert_failure(response, 403, "Forbidden", message, {"kind": "configmaps"})
    message = f'pods "a" {refused(who, "get resource")} "pods/log" {where}'
    response = nobody.get(f"{namespace.pods}/a/log")
    assert_failure(response, 403, "Forbidden", message, {"name": "a", "kind": "pods"})


@pytest.mark.parametrize(
    ("method", "tail", "query", "what", "verb", "resource"),
    [
        ("GET", "", {}, "deployments.apps", "list", "deployments"),
        ("GET", "", {"watch": "1"}, "deployments.apps", "watch", "deployments"),
        ("DELETE", "", {}, "deployments.apps", "deletecollection", "deployments"),
        ("POST", "", {}, "deployments.apps", "create", "deployments"),
        ("GET", "/a", {}, 'deployments.apps "a"', "get", "deployments"),
        ("PUT", "/a", {}, 'deployments.apps "a"', "update", "deployments"),
        ("PATCH", "/a", {}, 'deployments.apps "a"', "patch", "deployments"),
        ("DELETE", "/a", {}, 'deployments.apps "a"', "delete", "deployments"),
        ("GET", "/a/status", {}, 'deployments.apps "a"', "get", "deployments/status"),
    ],
    ids=["list", "watch", "deletecollection", "create", "get", "update", "patch", "delete", "subresource"],
)
def test_verbs(
    client: Client,
    namespace: Namespace,
    method: str,
    tail: str,
    query: dict[str, str],
    what: str,
    verb: str,
    resource: str,
) -> None:
    path = f"{namespace.deployments}{tail}"
    response = client.request(method, path, headers={"Impersonate-User": "alice"}, **query)
    where = f'in API group "apps" in the namespace "{namespace.name}"'
    message = f'{what} {refused("alice", verb + " resource")} "{resource}" {where}'
    details = {"name": "a", "group": "apps", "kind": "deployments"}
    if not tail:
        del details["name"]
    assert_failure(response, 403, "Forbidden", message, details)


def test_impersonation(client: Client) -> None:
    headers = {"Impersonate-User": "alice", "Impersonate-Group": "friends"}
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    response = client.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", body, headers=headers)
    assert response.json()["status"]["userInfo"] == {
        "username": "alice",
        "groups": ["friends", "system:authenticated"],
    }


def test_a_role_allows(client: Client, namespace: Namespace) -> None:
    user = unique("user")
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}
    role = {"apiVersion": RBAC, "kind": "Role", "metadata": {"name": "reader"}, "rules": [rule]}
    binding = {
        "apiVersion": RBAC,
        "kind": "RoleBinding",
        "metadata": {"name": "reader"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
    }
    namespace.create(namespace.path("roles", RBAC), role)
    namespace.create(namespace.path("rolebindings", RBAC), binding)
    namespace.create(namespace.config_maps, config_map("a"))
    headers = {"Impersonate-User": user}
    path = f"{namespace.config_maps}/a"
    eventually(lambda: client.get(path, headers=headers).status == 200, "the role is not in force")
    assert client.get(namespace.config_maps, headers=headers).status == 200
    assert client.delete(path, headers=headers).status == 403
    assert client.get(namespace.pods, headers=headers).status == 403


def review(client: Client, **spec: Any) -> Any:
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    response = client.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", body)
    assert response.status == 201
    return response.json()["status"]


def test_asking_for_others(client: Client) -> None:
    attributes = {"verb": "get", "resource": "pods"}
    assert review(client, user="alice", resourceAttributes=attributes) == {"allowed": False}
    allowed = review(client, user="root", groups=["system:masters"], resourceAttributes=attributes)
    assert allowed["allowed"] is True
    path = {"verb": "get", "path": "/healthz"}
    assert review(
        client, user="system:anonymous", groups=["system:unauthenticated"], nonResourceAttributes=path
    )["allowed"]


def test_asking_for_oneself(client: Client) -> None:
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}},
    }
    response = client.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body)
    assert response.status == 201
    made = response.json()
    assert made["status"]["allowed"] is True
    assert {key: made[key] for key in body} == body
