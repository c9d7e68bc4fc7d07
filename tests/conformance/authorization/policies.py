"""Roles and bindings, callers by impersonation, and what servers say of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.conformance.client import Client
from tests.conformance.waiting import eventually

__all__ = [
    "GROUP",
    "RBAC",
    "as_user",
    "ask",
    "binding",
    "create",
    "in_force",
    "path_of",
    "role",
    "rule",
    "subject",
]

GROUP = "rbac.authorization.k8s.io"
RBAC = f"/apis/{GROUP}/v1"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


def rule(verbs: str, groups: str, resources: str, names: str = "") -> dict[str, Any]:
    """A rule for resources; texts are lists with spaces between, and `core` is the group without a name."""
    made: dict[str, Any] = {
        "verbs": verbs.split(),
        "apiGroups": [group.removeprefix("core") for group in groups.split()],
        "resources": resources.split(),
    }
    if names:
        made["resourceNames"] = names.split()
    return made


def subject(kind: str, name: str, namespace: str = "") -> dict[str, str]:
    """Whom a binding is for."""
    if kind == "ServiceAccount":
        return {"kind": kind, "name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiGroup": GROUP, "kind": kind, "name": name}


def role(name: str, *rules: dict[str, Any], namespace: str = "", **more: Any) -> dict[str, Any]:
    """A Role, or a ClusterRole when it has no namespace."""
    kind = "Role" if namespace else "ClusterRole"
    return _object(kind, name, namespace, {"rules": list(rules), **more})


def binding(
    name: str, to: str, *subjects: dict[str, str], namespace: str = "", kind: str = "ClusterRole"
) -> dict[str, Any]:
    """A RoleBinding, or a ClusterRoleBinding when it has no namespace."""
    ref = {"apiGroup": GROUP, "kind": kind, "name": to}
    made = "RoleBinding" if namespace else "ClusterRoleBinding"
    return _object(made, name, namespace, {"subjects": list(subjects), "roleRef": ref})


def _object(kind: str, name: str, namespace: str, fields: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": metadata, **fields}


def path_of(obj: dict[str, Any]) -> str:
    """Where objects of its kind are created."""
    namespace = obj["metadata"].get("namespace")
    place = f"namespaces/{namespace}/" if namespace else ""
    return f"{RBAC}/{place}{obj['kind'].lower()}s"


def create(client: Client, *objects: dict[str, Any]) -> None:
    """Create roles and bindings as the administrator."""
    for obj in objects:
        response = client.post(path_of(obj), obj)
        assert response.status == 201, response.text


def as_user(user: str, *groups: str) -> dict[str, str]:
    """The headers of a request that is somebody else's; one group at most, as headers are a dict here."""
    assert len(groups) <= 1
    return {"Impersonate-User": user, **({"Impersonate-Group": groups[0]} if groups else {})}


def ask(client: Client, user: str, groups: Iterable[str] = (), **attributes: Any) -> dict[str, Any]:
    """The status of a SubjectAccessReview."""
    field = "nonResourceAttributes" if "path" in attributes else "resourceAttributes"
    spec = {"user": user, "groups": list(groups), field: attributes}
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    response = client.post(REVIEWS, body)
    assert response.status == 201, response.text
    status: dict[str, Any] = response.json()["status"]
    return status


def in_force(client: Client, user: str, groups: Iterable[str] = (), **attributes: Any) -> None:
    """Wait until the server has heard of a right: real ones hear of writes a moment later."""
    eventually(
        lambda: ask(client, user, groups, **attributes)["allowed"],
        f"{user} may not {attributes}",
    )
