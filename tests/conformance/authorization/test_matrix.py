"""A matrix of callers, verbs and resources: who may send what, and what the others are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.conformance.authorization.policies import (
    as_user,
    ask,
    binding,
    create,
    in_force,
    role,
    rule,
    subject,
)
from tests.conformance.authorization.requests import REQUESTS
from tests.conformance.client import Client
from tests.conformance.namespaces import new_namespace, unique

READ = "get list watch"
EVERYBODY = "version"
AUTHENTICATED = f"{EVERYBODY} apis openapi self-review"
NOT_BOUND = "system:authenticated"

MAY: dict[str, str] = {
    "anonymous": EVERYBODY,
    "nobody": AUTHENTICATED,
    "reader": f"{AUTHENTICATED} list get get-mine watch",
    "named": f"{AUTHENTICATED} get-mine update-mine patch-mine delete-mine",
    "writer": f"{AUTHENTICATED} create update-mine patch-mine delete-mine delete deletecollection",
    "cluster-reader": (
        f"{AUTHENTICATED} list get get-mine watch list-other list-all nodes node namespaces namespace"
    ),
    "subresources": f"{AUTHENTICATED} log pod-status deployment-status scale",
    "apps": f"{AUTHENTICATED} deployment deployment-status scale",
    "account": f"{AUTHENTICATED} secret pods",
    "in-group": f"{AUTHENTICATED} exec custom",
    "urls": f"{AUTHENTICATED} metrics logs",
    "admin": " ".join(each.id for each in REQUESTS),
    "local-admin": (
        f"{AUTHENTICATED} list get get-mine create update-mine patch-mine delete-mine delete "
        "deletecollection watch secret pods log pod-status exec deployment deployment-status scale "
        "namespace bind custom"
    ),
}
"""Which requests callers may send; taken from kube-apiserver 1.36."""


@dataclass(frozen=True)
class Caller:
    user: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """Two namespaces, and who has which rights in them."""

    namespaces: dict[str, str]
    callers: dict[str, Caller]


def _grants(ns: str, callers: dict[str, Caller]) -> list[dict[str, Any]]:
    def local(caller: str, *rules: Any) -> list[dict[str, Any]]:
        given = callers[caller]
        to = subject("User", given.user)
        return [
            role(caller, *rules, namespace=ns),
            binding(caller, caller, to, namespace=ns, kind="Role"),
        ]

    def everywhere(caller: str, *rules: Any) -> list[dict[str, Any]]:
        name = unique(caller)
        to = subject("User", callers[caller].user)
        return [role(name, *rules), binding(name, name, to)]

    urls = [
        {"verbs": ["get"], "nonResourceURLs": ["/metrics", "/logs/*"]},
    ]
    return [
        *local("reader", rule(READ, "core", "configmaps")),
        *local("named", rule("*", "core", "configmaps", "mine")),
        *local("writer", rule("create update patch delete deletecollection", "core", "configmaps")),
        *everywhere("cluster-reader", rule(READ, "core", "configmaps nodes namespaces")),
        *local("subresources", rule("get", "core apps", "pods/log */status"), rule("patch", "*", "*/scale")),
        *local("apps", rule("*", "apps", "*")),
        role("account", rule("get list", "core", "secrets pods"), namespace=ns),
        binding("account", "account", subject("ServiceAccount", "robot"), namespace=ns, kind="Role"),
        role(
            "grouped",
            rule("create", "core", "pods/exec"),
            rule("get", "example.com", "widgets"),
            namespace=ns,
        ),
        binding(
            "grouped", "grouped", subject("Group", callers["in-group"].groups[0]), namespace=ns, kind="Role"
        ),
        *everywhere("urls", *urls),
        binding(unique("admin"), "cluster-admin", subject("User", callers["admin"].user)),
        binding("local-admin", "cluster-admin", subject("User", callers["local-admin"].user), namespace=ns),
    ]


@pytest.fixture(scope="module")
def scene(client: Client) -> Scene:
    """Everybody's rights, in force."""
    namespaces = {"ns": new_namespace(client).name, "other": new_namespace(client).name}
    ns = namespaces["ns"]
    callers = {name: Caller(unique(name)) for name in MAY}
    callers["anonymous"] = Caller("system:anonymous", ("system:unauthenticated",))
    callers["account"] = Caller(f"system:serviceaccount:{ns}:robot")
    callers["in-group"] = Caller(unique("in-group"), (unique("group"),))
    create(client, *_grants(ns, callers))
    by_id = {each.id: each for each in REQUESTS}
    for name, caller in callers.items():
        for wanted in MAY[name].split():
            groups = (*caller.groups, *(() if name == "anonymous" else (NOT_BOUND,)))
            in_force(client, caller.user, groups, **by_id[wanted].question(**namespaces))
    return Scene(namespaces, callers)


def test_the_matrix_is_large() -> None:
    assert len(MAY) * len(REQUESTS) >= 200
    assert all(set(may.split()) <= {each.id for each in REQUESTS} for may in MAY.values())


@pytest.mark.parametrize("name", MAY)
def test_requests(client: Client, scene: Scene, name: str) -> None:
    caller = scene.callers[name]
    headers = as_user(caller.user, *caller.groups)
    allowed = set()
    for request in REQUESTS:
        response = request.send(client, headers, **scene.namespaces)
        if response.status != 403:
            allowed.add(request.id)
        else:
            assert response.json()["message"] == request.refusal(caller.user, **scene.namespaces)
    assert allowed == set(MAY[name].split())


@pytest.mark.parametrize("name", MAY)
def test_reviews(client: Client, scene: Scene, name: str) -> None:
    caller = scene.callers[name]
    groups = (*caller.groups, *(() if name == "anonymous" else (NOT_BOUND,)))
    verdicts = {
        request.id: ask(client, caller.user, groups, **request.question(**scene.namespaces))
        for request in REQUESTS
    }
    assert {each for each, status in verdicts.items() if status["allowed"]} == set(MAY[name].split())
    assert all(status == {"allowed": False} for status in verdicts.values() if not status["allowed"])
    assert all(
        status["reason"].startswith("RBAC: allowed by ") for status in verdicts.values() if status["allowed"]
    )
