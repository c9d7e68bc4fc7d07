"""Requests of all verbs to resources and paths, each with the question that it is to an authorizer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.conformance.client import Client, Response

__all__ = ["REQUESTS", "Request"]

APPS = "/apis/apps/v1/namespaces/{ns}/deployments"
RBAC = "/apis/rbac.authorization.k8s.io/v1"


@dataclass(frozen=True)
class Request:
    """What is sent, with `{ns}` and `{other}` for two namespaces, and what it asks for."""

    id: str
    method: str
    path: str
    verb: str
    resource: str = ""
    name: str = ""
    group: str = ""
    query: dict[str, str] = field(default_factory=dict)
    body: Any = None

    def send(self, client: Client, headers: dict[str, str], **namespaces: str) -> Response:
        """Sends it; nothing is changed by it."""
        path = self.path.format(**namespaces)
        query = dict(self.query)
        if self.method not in {"GET", "HEAD"}:
            query["dryRun"] = "All"
        sent = dict(headers)
        if self.method == "PATCH":
            sent["Content-Type"] = "application/merge-patch+json"
        return client.request(self.method, path, self.body, headers=sent, **query)

    def namespace(self, **namespaces: str) -> str:
        """The namespace that it is about."""
        found = [name for key, name in namespaces.items() if f"namespaces/{{{key}}}" in self.path]
        return found[0] if found else ""

    def question(self, **namespaces: str) -> dict[str, str]:
        """The attributes of an access review that asks the same."""
        if not self.resource:
            return {"verb": self.verb, "path": self.path}
        resource, _, subresource = self.resource.partition("/")
        asked = {
            "verb": self.verb,
            "group": self.group,
            "resource": resource,
            "subresource": subresource,
            "namespace": self.namespace(**namespaces),
            "name": self.name.format(**namespaces),
        }
        return {name: value for name, value in asked.items() if value}

    def refusal(self, user: str, **namespaces: str) -> str:
        """What somebody is told who may not."""
        if not self.resource:
            return f'forbidden: User "{user}" cannot {self.verb} path "{self.path}"'
        kind = self.resource.partition("/")[0] + (f".{self.group}" if self.group else "")
        name = self.name.format(**namespaces)
        what = f'{kind} "{name}"' if name else kind
        namespace = self.namespace(**namespaces)
        where = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
        return (
            f'{what} is forbidden: User "{user}" cannot {self.verb} resource "{self.resource}" '
            f'in API group "{self.group}" {where}'
        )


def _maps(id: str, method: str, tail: str, verb: str, **more: Any) -> Request:  # noqa: A002
    name = tail.removeprefix("/")
    path = "/api/v1/namespaces/{ns}/configmaps" + tail
    return Request(id, method, path, verb, "configmaps", name, **more)


MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}}
BINDING = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "RoleBinding",
    "metadata": {"name": "b"},
    "roleRef": {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": "system:public-info-viewer",
    },
}
REVIEW = {
    "apiVersion": "authorization.k8s.io/v1",
    "kind": "SelfSubjectAccessReview",
    "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}},
}

REQUESTS = [
    _maps("list", "GET", "", "list"),
    _maps("get", "GET", "/other", "get"),
    _maps("get-mine", "GET", "/mine", "get"),
    _maps("create", "POST", "", "create", body=MAP),
    _maps("update-mine", "PUT", "/mine", "update", body=MAP),
    _maps("patch-mine", "PATCH", "/mine", "patch", body={}),
    _maps("delete-mine", "DELETE", "/mine", "delete"),
    _maps("delete", "DELETE", "/other", "delete"),
    _maps("deletecollection", "DELETE", "", "deletecollection"),
    _maps("watch", "GET", "", "watch", query={"watch": "1", "timeoutSeconds": "0", "resourceVersion": "x"}),
    Request("list-other", "GET", "/api/v1/namespaces/{other}/configmaps", "list", "configmaps"),
    Request("list-all", "GET", "/api/v1/configmaps", "list", "configmaps"),
    Request("secret", "GET", "/api/v1/namespaces/{ns}/secrets/s", "get", "secrets", "s"),
    Request("pods", "GET", "/api/v1/namespaces/{ns}/pods", "list", "pods"),
    Request("log", "GET", "/api/v1/namespaces/{ns}/pods/p/log", "get", "pods/log", "p"),
    Request("pod-status", "GET", "/api/v1/namespaces/{ns}/pods/p/status", "get", "pods/status", "p"),
    Request("exec", "POST", "/api/v1/namespaces/{ns}/pods/p/exec", "create", "pods/exec", "p"),
    Request("deployment", "GET", APPS + "/d", "get", "deployments", "d", "apps"),
    Request("deployment-status", "GET", APPS + "/d/status", "get", "deployments/status", "d", "apps"),
    Request("scale", "PATCH", APPS + "/d/scale", "patch", "deployments/scale", "d", "apps", body={}),
    Request("nodes", "GET", "/api/v1/nodes", "list", "nodes"),
    Request("node", "GET", "/api/v1/nodes/n", "get", "nodes", "n"),
    Request("namespace", "GET", "/api/v1/namespaces/{ns}", "get", "namespaces", "{ns}"),
    Request("namespaces", "GET", "/api/v1/namespaces", "list", "namespaces"),
    Request(
        "bind",
        "POST",
        RBAC + "/namespaces/{ns}/rolebindings",
        "create",
        "rolebindings",
        group="rbac.authorization.k8s.io",
        body=BINDING,
    ),
    Request(
        "custom",
        "GET",
        "/apis/example.com/v1/namespaces/{ns}/widgets/w",
        "get",
        "widgets",
        "w",
        "example.com",
    ),
    Request(
        "self-review",
        "POST",
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "create",
        "selfsubjectaccessreviews",
        group="authorization.k8s.io",
        body=REVIEW,
    ),
    Request("version", "GET", "/version", "get"),
    Request("apis", "GET", "/apis", "get"),
    Request("openapi", "GET", "/openapi/v3", "get"),
    Request("metrics", "GET", "/metrics", "get"),
    Request("post-metrics", "POST", "/metrics", "post"),
    Request("logs", "GET", "/logs/some/file", "get"),
    Request("unheard", "GET", "/unheard", "get"),
]
