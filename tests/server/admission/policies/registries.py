"""A registry with policies and nothing around it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from kubewright.server.admission import Admission, AdmissionPolicies
from kubewright.server.authorization import EverybodyMay
from kubewright.server.bootstrap import bootstrap_namespaces
from kubewright.server.registry.create import create
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.write import User, Write
from kubewright.server.storage import MemoryStorage

__all__ = ["GROUP", "Server", "serving", "write_for"]

GROUP = "admissionregistration.k8s.io"


class Server:
    """Writes objects as the administrator."""

    def __init__(self, registry: Registry, policies: AdmissionPolicies) -> None:
        self.registry = registry
        self.policies = policies

    def store(self, resource: str, group: str = "") -> Store:
        found = self.registry.find(group, "v1", resource)
        assert found is not None
        return found

    async def create(
        self, resource: str, obj: dict[str, Any], group: str = "", namespace: str = "default"
    ) -> Write:
        """Create an object; what came of the write besides it. Raises ApiError."""
        store = self.store(resource, group)
        write = write_for(store, namespace)
        read = store.type.read(json.dumps(obj).encode(), strict=True).obj
        await create(store, read, write)
        return write

    async def config_map(self, name: str = "a", **data: str) -> Write:
        return await self.create("configmaps", {"metadata": {"name": name}, "data": data})

    async def validating(self, name: str, binding: dict[str, Any] | None = None, **spec: Any) -> None:
        """A policy for config maps, with a binding of the same name."""
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}
        body = {"metadata": {"name": name}, "spec": {"matchConstraints": {"resourceRules": [rule]}, **spec}}
        await self.create("validatingadmissionpolicies", body, GROUP)
        bound = {"policyName": name, "validationActions": ["Deny"], **(binding or {})}
        await self.create(
            "validatingadmissionpolicybindings", {"metadata": {"name": name}, "spec": bound}, GROUP
        )


def write_for(store: Store, namespace: str = "default") -> Write:
    """A write of the administrator, in a namespace if there must be one."""
    return Write(
        user=User("admin", groups=("system:masters",)),
        now=datetime.now(UTC),
        namespace=namespace if store.type.served.namespaced else "",
    )


@asynccontextmanager
async def serving() -> AsyncIterator[Server]:
    """A registry with policies, and the namespaces that every cluster has."""
    plugins: list[Admission] = []
    registry = Registry(MemoryStorage(), admission=plugins)
    policies = AdmissionPolicies(registry, EverybodyMay())
    plugins += [policies.mutating, policies.validating]
    try:
        await bootstrap_namespaces(registry)
        yield Server(registry, policies)
    finally:
        policies.close()
