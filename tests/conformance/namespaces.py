"""A namespace of one test's own, and the paths of what is in it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from tests.conformance.client import Client

__all__ = ["Namespace", "new_namespace", "unique"]


def unique(prefix: str) -> str:
    """A name that no other test uses, for what has no namespace."""
    return f"{prefix}-{uuid.uuid4().hex[:10]}"


@dataclass(frozen=True)
class Namespace:
    """The name, and the paths of its collections, each ready for `/name` to be appended."""

    client: Client
    name: str

    def path(self, resource: str, group_version: str = "v1") -> str:
        """The path of a collection: `path("deployments", "apps/v1")`."""
        root = "/api" if group_version == "v1" else "/apis"
        return f"{root}/{group_version}/namespaces/{self.name}/{resource}"

    @property
    def config_maps(self) -> str:
        return self.path("configmaps")

    @property
    def pods(self) -> str:
        return self.path("pods")

    @property
    def services(self) -> str:
        return self.path("services")

    @property
    def deployments(self) -> str:
        return self.path("deployments", "apps/v1")

    @property
    def leases(self) -> str:
        return self.path("leases", "coordination.k8s.io/v1")

    def create(self, path: str, obj: dict[str, Any], **query: Any) -> Any:
        """Creates an object, which must succeed, and gives it back."""
        response = self.client.post(path, obj, **query)
        assert response.status == 201, response.text
        return response.json()


def new_namespace(client: Client) -> Namespace:
    """Creates a namespace."""
    name = unique("conformance")
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    response = client.post("/api/v1/namespaces", body)
    assert response.status == 201, response.text
    return Namespace(client, name)
