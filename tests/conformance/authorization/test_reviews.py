"""Asking what one may: access reviews and rules reviews."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.authorization.policies import (
    GROUP,
    as_user,
    ask,
    binding,
    create,
    in_force,
    role,
    rule,
    subject,
)
from tests.conformance.client import Client, Response
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.statuses import assert_failure

API = "/apis/authorization.k8s.io/v1"
PODS = {"verb": "get", "resource": "pods"}


def review(client: Client, kind: str, spec: Any, *, namespace: str = "", **more: Any) -> Response:
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec, **more}
    place = f"namespaces/{namespace}/" if namespace else ""
    return client.post(f"{API}/{place}{kind.lower()}s", body)


def own_review(client: Client, user: str, kind: str, spec: Any) -> Any:
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec}
    response = client.post(f"{API}/{kind.lower()}s", body, headers=as_user(user))
    assert response.status == 201, response.text
    return response.json()


def test_reasons(client: Client, namespace: Namespace) -> None:
    user, group, name, ns = unique("user"), unique("group"), unique("r"), namespace.name
    pods = rule("get", "core", "pods")
    create(
        client,
        role(name, pods),
        role(name, rule("list", "core", "pods"), namespace=ns),
        binding(name, name, subject("User", user)),
        binding(f"{name}-g", name, subject("User", "other"), subject("Group", group)),
        binding(name, name, subject("User", user), namespace=ns, kind="Role"),
        binding(f"{name}-c", name, subject("ServiceAccount", "robot"), namespace=ns),
        binding(
            f"{name}-sa", name, subject("ServiceAccount", "robot", "elsewhere"), namespace=ns, kind="Role"
        ),
    )
    for who, groups, asked, reason in (
        (user, [], PODS, f'ClusterRoleBinding "{name}" of ClusterRole "{name}" to User "{user}"'),
        (
            "x",
            ["y", group],
            PODS,
            f'ClusterRoleBinding "{name}-g" of ClusterRole "{name}" to Group "{group}"',
        ),
        (
            user,
            [],
            {"verb": "list", "resource": "pods", "namespace": ns},
            f'RoleBinding "{name}/{ns}" of Role "{name}" to User "{user}"',
        ),
        (
            f"system:serviceaccount:{ns}:robot",
            [],
            {**PODS, "namespace": ns},
            f'RoleBinding "{name}-c/{ns}" of ClusterRole "{name}" to ServiceAccount "robot/{ns}"',
        ),
        (
            "system:serviceaccount:elsewhere:robot",
            [],
            {"verb": "list", "resource": "pods", "namespace": ns},
            f'RoleBinding "{name}-sa/{ns}" of Role "{name}" to ServiceAccount "robot/elsewhere"',
        ),
    ):
        in_force(client, who, groups, **asked)
        assert ask(client, who, groups, **asked) == {"allowed": True, "reason": f"RBAC: allowed by {reason}"}


def test_masters_have_no_reason(client: Client) -> None:
    assert ask(client, "x", ["system:masters"], **PODS) == {"allowed": True}


def test_a_role_that_is_missing(client: Client, namespace: Namespace) -> None:
    user, name = unique("user"), unique("absent")
    last = unique("last")
    create(
        client,
        binding(name, name, subject("User", user)),
        binding(name, name, subject("User", user), namespace=namespace.name, kind="Role"),
        role(last, rule("get", "core", "pods")),
        binding(last, last, subject("User", last)),
        binding(last, last, subject("User", last), namespace=namespace.name),
    )
    in_force(client, last, **PODS)
    in_force(client, last, **PODS, namespace=namespace.name)
    one = f'clusterrole.{GROUP} "{name}" not found'
    both = f'[{one}, role.{GROUP} "{name}" not found]'
    assert ask(client, user, **PODS) == {"allowed": False, "reason": f"RBAC: {one}"}
    asked = {**PODS, "namespace": namespace.name}
    assert ask(client, user, **asked) == {"allowed": False, "reason": f"RBAC: {both}"}
    refused = f'pods is forbidden: User "{user}" cannot list resource "pods" in API group ""'
    message = f'{refused} in the namespace "{namespace.name}": RBAC: {both}'
    response = client.get(namespace.pods, headers=as_user(user))
    assert_failure(response, 403, "Forbidden", message, {"kind": "pods"})
    response = client.get("/metrics", headers=as_user(user))
    message = f'forbidden: User "{user}" cannot get path "/metrics": RBAC: {one}'
    assert_failure(response, 403, "Forbidden", message, {})
    status = own_review(client, user, "SelfSubjectRulesReview", {"namespace": namespace.name})["status"]
    assert status["evaluationError"] == both
    assert status["incomplete"] is False


@pytest.mark.parametrize(
    ("path", "what", "rest"),
    [
        (
            "/api/v1/namespaces/a%3Cb/pods/x%26y",
            'pods "x&y" is ',
            'get resource "pods"@ in the namespace "a&lt;b"',
        ),
        ("/foo%3Cbar", "", 'get path "/foo&lt;bar"'),
        ("/a%22b", "", 'get path "/a\\"b"'),
        ("/api/v1/watch/pods", "pods is ", 'watch resource "pods"@ at the cluster scope'),
        ("/api/v1/things/a/b", 'things "a" is ', 'get resource "things/b"@ at the cluster scope'),
        (
            "/api/v1/namespaces/n/services/s/proxy/x",
            'services "s" is ',
            'get resource "services/proxy"@ in the namespace "n"',
        ),
        (
            "/apis/e.com/v1/things/a/b",
            'things.e.com "a" is ',
            'get resource "things/b" in API group "e.com" at the cluster scope',
        ),
        ("/logs", "", 'get path "/logs"'),
    ],
)
def test_refusals(client: Client, path: str, what: str, rest: str) -> None:
    user = unique("user")
    response = client.get(path, headers=as_user(user))
    assert response.status == 403
    rest = rest.replace("@", ' in API group ""')
    assert response.json()["message"] == f'{what}forbidden: User "{user}" cannot {rest}'


def test_selecting_by_name_is_asking_for_a_name(client: Client, namespace: Namespace) -> None:
    user = unique("user")
    create(
        client,
        role(
            "named",
            rule("list watch deletecollection", "core", "configmaps", "mine"),
            namespace=namespace.name,
        ),
        binding("named", "named", subject("User", user), namespace=namespace.name, kind="Role"),
    )
    asked = {"verb": "list", "resource": "configmaps", "namespace": namespace.name, "name": "mine"}
    in_force(client, user, **asked)
    headers = as_user(user)
    for selector, may in (
        ("metadata.name=mine", True),
        ("metadata.name==mine", True),
        ("metadata.name=other", False),
        ("metadata.name!=mine", False),
        ("metadata.namespace=mine", False),
        ("metadata.name=mine,metadata.namespace=x", True),
        ("", False),
    ):
        query = {"fieldSelector": selector} if selector else {}
        response = client.get(namespace.config_maps, headers=headers, **query)
        assert response.status == (200 if may else 403), (selector, response.text)
        # Not so for deletes.
        response = client.delete(namespace.config_maps, headers=headers, dryRun="All", **query)
        assert response.status == 403


def test_names_with_quotes(client: Client) -> None:
    user = 'a "quoted" <one> é'
    status = ask(client, user, **PODS)
    assert status == {"allowed": False}


def test_who_may_be_asked_about(client: Client) -> None:
    spec = {"groups": ["system:masters"], "resourceAttributes": PODS, "uid": "u", "extra": {"a/b": ["c"]}}
    made = review(client, "SubjectAccessReview", spec).json()
    assert made["status"] == {"allowed": True}
    assert made["spec"] == spec


@pytest.mark.parametrize(
    ("selectors", "error"),
    [
        ({"fieldSelector": {"rawSelector": "metadata.name=a"}}, ""),
        ({"fieldSelector": {"rawSelector": "nonsense"}}, "fieldSelector ignored"),
        ({"labelSelector": {"rawSelector": "a in (b"}}, "labelSelector ignored"),
        ({"labelSelector": {"requirements": [{"key": "a", "operator": "In", "values": ["b"]}]}}, ""),
        ({"labelSelector": {"requirements": [{"key": "a", "operator": "Is"}]}}, "labelSelector ignored"),
        (
            {
                "labelSelector": {
                    "requirements": [{"key": "a", "operator": "Is"}, {"key": "a", "operator": "Exists"}]
                }
            },
            "labelSelector partially ignored",
        ),
        ({"fieldSelector": {"requirements": [{"key": "a", "operator": "In", "values": ["b"]}]}}, ""),
        ({"fieldSelector": {"requirements": [{"key": "a", "operator": "Exists"}]}}, "fieldSelector ignored"),
        (
            {
                "fieldSelector": {
                    "requirements": [
                        {"key": "a", "operator": "NotIn", "values": ["b"]},
                        {"key": "a", "operator": "In", "values": ["b", "c"]},
                    ]
                }
            },
            "fieldSelector partially ignored",
        ),
    ],
)
def test_selectors_change_no_verdict(client: Client, selectors: dict[str, Any], error: str) -> None:
    spec = {"resourceAttributes": {"verb": "list", "resource": "pods", **selectors}}
    for user, allowed in ((unique("user"), False), ("x", True)):
        groups = ["system:masters"] if allowed else []
        response = review(client, "SubjectAccessReview", {"user": user, "groups": groups, **spec})
        assert response.status == 201, response.text
        status = response.json()["status"]
        assert status["allowed"] is allowed
        told = f"spec.resourceAttributes.{error} due to parse error" if error else None
        assert status.get("evaluationError") == told


def test_local_reviews(client: Client, namespace: Namespace) -> None:
    ns, user = namespace.name, unique("user")
    spec = {"user": user, "resourceAttributes": {**PODS, "namespace": ns}}
    made = review(client, "LocalSubjectAccessReview", spec, namespace=ns, metadata={"namespace": ns})
    assert made.status == 201
    assert made.json()["status"] == {"allowed": False}
    other = {"user": user, "resourceAttributes": {**PODS, "namespace": "other"}}
    wrong = review(client, "LocalSubjectAccessReview", other, namespace=ns, metadata={"namespace": ns})
    assert wrong.status == 422
    bare = review(client, "LocalSubjectAccessReview", spec, namespace=ns)
    assert bare.status == 201
    assert bare.json()["metadata"]["namespace"] == ns
    wrong = review(client, "LocalSubjectAccessReview", spec, namespace=ns, metadata={"namespace": "other"})
    message = "the namespace of the provided object does not match the namespace sent on the request"
    assert_failure(wrong, 400, "BadRequest", message)


def test_own_reviews(client: Client) -> None:
    user = unique("user")
    made = own_review(client, user, "SelfSubjectAccessReview", {"resourceAttributes": PODS})
    assert made["status"] == {"allowed": False}
    asked = {"nonResourceAttributes": {"verb": "get", "path": "/version"}}
    made = own_review(client, user, "SelfSubjectAccessReview", asked)
    assert made["status"]["allowed"] is True
    assert made["status"]["reason"].startswith('RBAC: allowed by ClusterRoleBinding "system:')


def rules_of(made: Any) -> tuple[list[Any], list[Any]]:
    """The rules, sorted: upstream has no order."""
    status = made["status"]
    return sorted(status["resourceRules"], key=str), sorted(status["nonResourceRules"], key=str)


EVERYBODY = (
    [
        {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"]},
        {
            "verbs": ["create"],
            "apiGroups": ["authorization.k8s.io"],
            "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        },
    ],
    [
        {
            "verbs": ["get"],
            "nonResourceURLs": [
                "/api",
                "/api/*",
                "/apis",
                "/apis/*",
                "/healthz",
                "/livez",
                "/openapi",
                "/openapi/*",
                "/readyz",
                "/version",
                "/version/",
            ],
        },
        {
            "verbs": ["get"],
            "nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/version/"],
        },
    ],
)


def test_rules_reviews(client: Client, namespace: Namespace) -> None:
    user, name = unique("user"), unique("r")
    made = own_review(client, user, "SelfSubjectRulesReview", {"namespace": namespace.name})
    assert rules_of(made) == EVERYBODY
    assert {**made, "status": None} == {
        "kind": "SelfSubjectRulesReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": {},
        "spec": {},
        "status": None,
    }
    assert {key: value for key, value in made["status"].items() if not key.endswith("Rules")} == {
        "incomplete": False
    }
    own = [rule("get list", "core apps", "pods pods/log", "a b"), rule("*", "*", "*/status")]
    paths = {"verbs": ["get"], "nonResourceURLs": ["/mine/*"]}
    create(
        client,
        role(name, own[0], paths),
        binding(name, name, subject("User", user)),
        role(name, own[1], namespace=namespace.name),
        binding(name, name, subject("User", user), namespace=namespace.name, kind="Role"),
    )
    in_force(client, user, verb="get", path="/mine/x")
    asked = {"verb": "get", "resource": "x", "subresource": "status"}
    in_force(client, user, **asked, namespace=namespace.name)
    made = own_review(client, user, "SelfSubjectRulesReview", {"namespace": namespace.name})
    assert rules_of(made) == (
        sorted([*EVERYBODY[0], *own], key=str),
        sorted([*EVERYBODY[1], paths], key=str),
    )
    made = own_review(client, user, "SelfSubjectRulesReview", {"namespace": "elsewhere"})
    assert rules_of(made)[0] == sorted([*EVERYBODY[0], own[0]], key=str)


def test_rules_reviews_need_a_namespace(client: Client) -> None:
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": {}}
    response = client.post(f"{API}/selfsubjectrulesreviews", body)
    assert_failure(response, 400, "BadRequest", "no namespace on request")
