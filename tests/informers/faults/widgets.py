"""Definitions of widgets that come and go, each seen by the whole server."""

from __future__ import annotations

from typing import Any

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from tests.informers.faults.connecting import discovered, served
from tests.informers.faults.histories import PATIENCE

__all__ = ["define", "undefine"]


async def define(client: Client, group: str) -> None:
    """Define widgets in a group, and wait until they are served and discovery has them."""
    definitions: Api[CustomResourceDefinition] = client.api(CustomResourceDefinition)
    await definitions.create(_definition(group))
    await definitions.wait_for(f"widgets.{group}", "Established", timeout=PATIENCE)
    await served(client, GroupVersionKind(group, "v1", "Widget"), "widgets")


async def undefine(client: Client, group: str) -> None:
    """Delete the definition, and wait until discovery has forgotten it."""
    definitions: Api[CustomResourceDefinition] = client.api(CustomResourceDefinition)
    await definitions.delete(f"widgets.{group}")
    await definitions.wait_for(f"widgets.{group}", "deleted", timeout=PATIENCE)
    # Or the next one would be taken for discovered already.
    await discovered(client, GroupVersionKind(group, "v1", "Widget"), gone=True)


def _definition(group: str) -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [version],
        },
    }
