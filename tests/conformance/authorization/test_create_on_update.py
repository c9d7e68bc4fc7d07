"""Updates and applies that create: who may only update what is there creates nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.authorization.policies import as_user, binding, create, in_force, role, rule, subject
from tests.conformance.client import Client
from tests.conformance.custom_resources import Widgets
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.statuses import assert_failure

LEASES = "coordination.k8s.io"


@pytest.fixture
def user(client: Client, namespace: Namespace) -> str:
    """May update and patch leases and apply namespaces, and creates nothing but the lease `mine`."""
    name = unique("updater")
    to = subject("User", name)
    rules = [
        rule("get update patch", LEASES, "leases"),
        rule("create", LEASES, "leases", "mine"),
        rule("patch", "core", "namespaces services services/status"),
    ]
    create(client, role(name, *rules), binding(name, name, to))
    in_force(client, name, verb="patch", resource="namespaces", name="x")
    return name


def lease(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"{LEASES}/v1",
        "kind": "Lease",
        "metadata": {"name": name},
        "spec": {"leaseDurationSeconds": 10, **spec},
    }


def message(user: str, name: str, namespace: str) -> str:
    return (
        f'leases.{LEASES} "{name}" is forbidden: User "{user}" cannot create resource "leases" in API group '
        f'"{LEASES}" in the namespace "{namespace}"'
    )


@pytest.mark.parametrize("method", ["PUT", "APPLY"])
@pytest.mark.parametrize("dry_run", [{}, {"dryRun": "All"}], ids=["", "dry run"])
def test_nothing_is_created(
    client: Client, namespace: Namespace, user: str, method: str, dry_run: dict[str, str]
) -> None:
    path = f"/apis/{LEASES}/v1/namespaces/{namespace.name}/leases"
    send = client.put if method == "PUT" else client.apply
    response = send(f"{path}/a", lease("a"), headers=as_user(user), **dry_run)
    details = {"name": "a", "group": LEASES, "kind": "leases"}
    assert_failure(response, 403, "Forbidden", message(user, "a", namespace.name), details)
    assert client.get(f"{path}/a").status == 404


@pytest.mark.parametrize("method", ["PUT", "APPLY"])
def test_by_its_name_one_may_be_created(client: Client, namespace: Namespace, user: str, method: str) -> None:
    path = f"/apis/{LEASES}/v1/namespaces/{namespace.name}/leases/mine"
    send = client.put if method == "PUT" else client.apply
    assert send(path, lease("mine"), headers=as_user(user)).status == 201
    assert client.apply(path, lease("mine"), headers=as_user(user)).status == 200


def test_what_is_invalid_is_told_first(client: Client, namespace: Namespace, user: str) -> None:
    path = f"/apis/{LEASES}/v1/namespaces/{namespace.name}/leases/a"
    body = lease("a", leaseDurationSeconds=-1)
    assert client.put(path, body, headers=as_user(user)).status == 422


def test_an_applied_namespace_is_in_itself(client: Client, user: str) -> None:
    name = unique("applied")
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    response = client.apply(f"/api/v1/namespaces/{name}", body, headers=as_user(user))
    text = (
        f'namespaces "{name}" is forbidden: User "{user}" cannot create resource "namespaces" in API group '
        f'"" in the namespace "{name}"'
    )
    assert_failure(response, 403, "Forbidden", text, {"name": name, "kind": "namespaces"})
    assert client.get(f"/api/v1/namespaces/{name}").status == 404


def test_custom_resources(client: Client, namespace: Namespace, widgets: Widgets) -> None:
    name = unique("updater")
    create(client, role(name, rule("patch", widgets.group, "*")), binding(name, name, subject("User", name)))
    in_force(client, name, verb="patch", group=widgets.group, resource="widgets")
    path = f"{widgets.path(namespace.name)}/a"
    response = client.apply(path, widgets.widget("a", size=1), headers=as_user(name))
    assert (response.status, response.json()["reason"]) == (403, "Forbidden")
    assert client.get(path).status == 404
