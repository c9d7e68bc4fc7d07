"""A cluster in the process, and a client of it: create, watch, apply, scale, wait."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from kubewright import Client, Conflict, NotFound
from kubewright.models.apps_v1 import Deployment
from kubewright.testing import Cluster


def deployment(name: str, replicas: int) -> dict[str, Any]:
    """What a Deployment must say; a typed `Deployment(...)` will do as well."""
    labels = {"app": name}
    return {
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": "web:1"}]},
            },
        },
    }


async def use(client: Client) -> None:
    """Everything here works the same on any cluster that `Client()` finds."""
    version = await client.version()
    print(f"Kubernetes {version.major}.{version.minor}")

    deployments = client.api(Deployment, "default")
    made = await deployments.apply(deployment("web", 2), manager="team")
    print(
        f"applied {made.key}: {made.spec.replicas} replicas of {made.spec.template.spec.containers[0].image}"
    )
    try:
        await deployments.apply(deployment("web", 5), manager="autoscaler")
    except Conflict as error:
        print(f"refused: {error}")

    changes: list[Callable[[], Awaitable[object]]] = [
        lambda: deployments.set_scale("web", 4),
        lambda: deployments.patch("web", {"metadata": {"labels": {"tier": "front"}}}),
        lambda: deployments.delete("web"),
    ]
    async for event in deployments.watch(name="web"):
        print(f"{event.type}: {event.object.spec.replicas} replicas, labels {event.object.metadata.labels}")
        if event.type == "DELETED":
            break
        await changes.pop(0)()
    try:
        await deployments.get("web")
    except NotFound as error:
        print(error)


async def main() -> None:
    """Start a cluster for as long as this takes, without controllers, so that nobody else writes."""
    async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
        await use(client)


if __name__ == "__main__":
    asyncio.run(main())
