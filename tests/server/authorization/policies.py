"""Roles and bindings in a store of their own, and questions about them."""

from __future__ import annotations

import json
from typing import Any

from kubewright.server.authorization import RBAC, Attributes, Decision
from kubewright.server.registry.write import User
from kubewright.server.storage import MemoryStorage, Value

__all__ = ["GROUP", "Policies", "question", "rule", "subject"]

GROUP = "rbac.authorization.k8s.io"


def rule(
    verbs: str = "get", groups: str = "", resources: str = "pods", names: str = "", urls: str = ""
) -> Any:
    """A rule; texts are lists with spaces between, and `core` stands for the group without a name."""
    if urls:
        return {"verbs": verbs.split(), "nonResourceURLs": urls.split()}
    made: dict[str, Any] = {
        "verbs": verbs.split(),
        "apiGroups": [group.removeprefix("core") for group in (groups or "core").split()],
        "resources": resources.split(),
    }
    if names:
        made["resourceNames"] = names.split()
    return made


def subject(kind: str, name: str, namespace: str = "") -> Any:
    """Whom a binding is for."""
    made = {"kind": kind, "name": name}
    if kind != "ServiceAccount":
        made["apiGroup"] = GROUP
    if namespace:
        made["namespace"] = namespace
    return made


def question(user: str, verb: str, resource: str, *groups: str, **more: Any) -> Attributes:
    """A question about a resource, or about a path, which begins with a slash."""
    who = User(name=user, groups=groups)
    if resource.startswith("/"):
        return Attributes(user=who, verb=verb, is_resource_request=False, path=resource)
    resource, _, subresource = resource.partition("/")
    return Attributes(user=who, verb=verb, resource=resource, subresource=subresource, **more)


class Policies:
    """A store with roles and bindings, and who decides by them."""

    def __init__(self, *, max_waiting: int = 10_000) -> None:
        self.storage = MemoryStorage(max_waiting=max_waiting)
        self.rbac = RBAC(self.storage)

    async def role(self, name: str, *rules: Any, namespace: str = "") -> None:
        """Write a Role, or a ClusterRole when it has no namespace."""
        resource = "roles" if namespace else "clusterroles"
        await self._put(resource, name, namespace, {"rules": list(rules) or None})

    async def binding(
        self, name: str, role: str, *subjects: Any, namespace: str = "", kind: str = "ClusterRole"
    ) -> None:
        """Write a RoleBinding, or a ClusterRoleBinding when it has no namespace."""
        resource = "rolebindings" if namespace else "clusterrolebindings"
        ref = {"apiGroup": GROUP, "kind": kind, "name": role}
        await self._put(resource, name, namespace, {"subjects": list(subjects) or None, "roleRef": ref})

    async def delete(self, resource: str, name: str, namespace: str = "") -> None:
        """Delete an object."""
        key = _key(resource, name, namespace)
        entry = self.storage.get(key)
        assert entry is not None
        gone = Value(b'{"metadata":{"name":"gone","resourceVersion":"', b'"}}')
        await self.storage.delete(key, gone, expected_revision=entry.revision)

    def asks(self, user: str, verb: str, resource: str, *groups: str, **more: str) -> Decision:
        """What is decided."""
        return self.rbac.authorize(question(user, verb, resource, *groups, **more))

    async def _put(self, resource: str, name: str, namespace: str, fields: dict[str, Any]) -> None:
        metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
        text = json.dumps({"metadata": {**metadata, "resourceVersion": "@"}, **fields})
        before, _, after = text.partition("@")
        value = Value(before.encode(), after.encode())
        key = _key(resource, name, namespace)
        entry = self.storage.get(key)
        if entry is None:
            await self.storage.create(key, value)
        else:
            await self.storage.update(key, value, expected_revision=entry.revision)


def _key(resource: str, name: str, namespace: str) -> str:
    return f"/registry/{resource}/{namespace}/{name}" if namespace else f"/registry/{resource}/{name}"
