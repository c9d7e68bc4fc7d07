"""Admission policies that refuse what a test wants refused, in one namespace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from kubewright import ApiError, Client, Invalid

__all__ = ["refuse", "refused"]

_GROUP = "admissionregistration.k8s.io/v1"
_ACTIVE_WITHIN = 60.0
"""Seconds in which a policy comes into force; the real server's informers take a few tenths."""


@asynccontextmanager
async def refused(client: Client, name: str, **what: str) -> AsyncIterator[None]:
    """Have something refused while the block lasts; see `refuse`."""
    await refuse(client, name, **what)
    try:
        yield
    finally:
        for kind in ("ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy"):
            await client.dynamic(_GROUP, kind).delete(name)


async def refuse(
    client: Client, name: str, *, resources: str, operation: str, namespace: str, allowed: str = "false"
) -> None:
    """Have an operation on resources of the core group refused in a namespace, unless `allowed`."""
    label = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": [namespace]}
    policy = {
        "metadata": {"name": name},
        "spec": {
            "matchConstraints": {
                "namespaceSelector": {"matchExpressions": [label]},
                "resourceRules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "operations": [operation, "CREATE"],
                        "resources": [resources],
                    }
                ],
            },
            "validations": [
                {
                    # What is created under this name tells that the policy is in force.
                    "expression": f"request.operation == 'CREATE' ? request.name != 'probe' : ({allowed})",
                    "message": "it stays",
                }
            ],
        },
    }
    binding = {
        "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": ["Deny"]},
    }
    await client.dynamic(_GROUP, "ValidatingAdmissionPolicy").create(policy)
    await client.dynamic(_GROUP, "ValidatingAdmissionPolicyBinding").create(binding)
    await _in_force(client, resources, namespace)


async def _in_force(client: Client, resources: str, namespace: str) -> None:
    api = await client.resource(resources, namespace)
    body: dict[str, Any] = {"metadata": {"name": "probe"}}
    if resources == "pods":
        body["spec"] = {"containers": [{"name": "c", "image": "i"}]}
    async with asyncio.timeout(_ACTIVE_WITHIN):
        while True:
            try:
                await api.create(body, dry_run=True)
            except Invalid as error:
                if "it stays" in error.status.message:
                    return
                raise
            except ApiError:
                # The service account of the namespace may not be there yet.
                pass
            await asyncio.sleep(0.05)
