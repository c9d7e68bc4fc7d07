"""An operator of `examples` on a server, in a namespace of its own, for the length of a test."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import product
from typing import Any

from kubewright import AlreadyExists, Client, Resource
from kubewright.codegen.manifests import manifests_of
from kubewright.codegen.project import load_project
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.authorization_v1 import SubjectAccessReview
from kubewright.models.core_v1 import Namespace, ServiceAccount
from kubewright.models.rbac_v1 import ClusterRole, ClusterRoleBinding
from tests.examples.programs import ROOT
from tests.examples.servers import Server

__all__ = ["PATIENCE", "in_a_namespace", "install_definition", "rights_of"]

PATIENCE = 60.0
"""Seconds that anything may take on a busy machine."""


def in_a_namespace(
    server: Server, kind: type[Resource], test: Callable[[Client, str], Awaitable[None]]
) -> None:
    """Run a test with a client and the name of a fresh namespace, in which pods can be made."""

    async def run() -> None:
        async with Client(server.config) as client, asyncio.timeout(4 * PATIENCE):
            await install_definition(client, kind)
            made = await client.api(Namespace).create({"metadata": {"generateName": "operated-"}})
            namespace = made.metadata.name
            # Which a controller makes, where there is one.
            with suppress(AlreadyExists):
                await client.api(ServiceAccount, namespace).create({"metadata": {"name": "default"}})
            await test(client, namespace)

    asyncio.run(run())


async def rights_of(client: Client, package: str, setup: str) -> str:
    """A user who has the rights of a package's manifests, and no others; they count already."""
    manifests = manifests_of(load_project(ROOT, package), setup=setup).in_order()
    (role,) = (each for each in manifests if each["kind"] == "ClusterRole")
    name = f"{package}-{secrets.token_hex(4)}"
    await client.api(ClusterRole).create({**role, "metadata": {"name": name}})
    await client.api(ClusterRoleBinding).create(
        {
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}],
        }
    )
    for rule in role["rules"]:
        await _counts(client, name, rule)
    return name


async def _counts(client: Client, user: str, rule: dict[str, Any]) -> None:
    """Wait until a user has the rights of a rule: a real server hears of roles a moment later."""
    reviews = client.api(SubjectAccessReview)
    for verb, group, resource in product(rule["verbs"], rule["apiGroups"], rule["resources"]):
        name, _, subresource = resource.partition("/")
        asked = {
            "verb": verb,
            "group": group,
            "resource": name,
            "subresource": subresource,
            "name": rule.get("resourceNames", [""])[0],
        }
        question = SubjectAccessReview.from_dict({"spec": {"user": user, "resourceAttributes": asked}})
        async with asyncio.timeout(PATIENCE):
            while not (await reviews.create(question)).status.allowed:  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.02)


async def install_definition(client: Client, kind: type[Resource]) -> None:
    """Have a server know a kind."""
    definitions, definition = client.api(CustomResourceDefinition), kind.crd()
    await definitions.apply(definition, manager="kubewright-examples")
    await definitions.wait_for(definition.metadata.name, "Established", timeout=PATIENCE)
