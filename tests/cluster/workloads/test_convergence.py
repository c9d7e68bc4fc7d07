"""Whatever is done to a Deployment, it ends in what was wanted last, and then nothing is written any more."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from kubewright import Client
from kubewright.client.api import Api
from kubewright.machinery.errors import NotFound
from kubewright.models.apps_v1 import Deployment, ReplicaSet
from kubewright.models.core_v1 import Pod
from tests.cluster.clusters import eventually, with_cluster
from tests.cluster.workloads.kubelet import make_ready, ready_pods
from tests.cluster.workloads.objects import template
from tests.cluster.workloads.test_deployments import image, rolled_out

STRATEGIES: tuple[dict[str, Any], ...] = (
    {"type": "Recreate", "rollingUpdate": None},
    {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
    {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "50%", "maxUnavailable": 0}},
    {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": "30%"}},
)


async def disturb(chance: random.Random, deployments: Api[Deployment], pods: Api[Pod]) -> None:
    """Do something to the Deployment, or to one of its pods."""
    match chance.randrange(7):
        case 0:
            await deployments.patch("web", image(f"nginx:{chance.randrange(4)}"), type="strategic")
        case 1:
            await deployments.set_scale("web", chance.randrange(8))
        case 2:
            await deployments.patch("web", {"spec": {"paused": chance.random() < 0.5}})
        case 3:
            await deployments.patch("web", {"spec": {"strategy": chance.choice(STRATEGIES)}})
        case 4:
            await deployments.patch("web", {"spec": {"revisionHistoryLimit": chance.randrange(3)}})
        case kind:
            names = [pod.metadata.name async for pod in pods.list()]
            if names and kind == 5:
                await pods.delete(chance.choice(names))
            elif names:
                await make_ready(pods, chance.choice(names), ready=False)


async def revisions(client: Client, namespace: str) -> dict[str, str]:
    kinds: list[Api[Any]] = [client.api(kind, namespace) for kind in (Deployment, ReplicaSet, Pod)]
    return {each.metadata.uid: each.metadata.resource_version for api in kinds async for each in api.list()}


async def is_quiet(client: Client, namespace: str) -> bool:
    """Whether nothing is written for a while."""
    before = await revisions(client, namespace)
    await asyncio.sleep(0.5)
    return await revisions(client, namespace) == before


async def one(client: Client, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    namespace = f"seed-{seed}"
    await client.core_v1.namespaces().create({"metadata": {"name": namespace}})
    deployments, pods = client.api(Deployment, namespace), client.api(Pod, namespace)
    selector = {"matchLabels": {"app": "web"}}
    spec = {"replicas": 3, "selector": selector, "template": template()}
    await deployments.create({"metadata": {"name": "web"}, "spec": spec})
    async with ready_pods(client, namespace):
        for _ in range(25):
            try:
                await disturb(chance, deployments, pods)
            except NotFound:
                continue
            await asyncio.sleep(chance.choice([0, 0, 0.01, 0.05]))
        wanted = {"replicas": 4, "paused": False, "strategy": STRATEGIES[2], "revisionHistoryLimit": 1}
        await deployments.patch("web", {"spec": wanted})
        await deployments.patch("web", image("nginx:9"), type="strategic")
        # Pods that were said not to be ready any more stay so.
        async for pod in pods.list():
            await make_ready(pods, pod.metadata.name)
        await rolled_out(deployments)
    sets = [each async for each in client.api(ReplicaSet, namespace).list() if each.spec.replicas]
    assert [each.spec.template.spec.containers[0].image for each in sets] == ["nginx:9"]
    assert len([pod async for pod in pods.list()]) == 4
    # The last status, the clean-up; then quiet.
    await eventually(lambda: is_quiet(client, namespace), "things are written again and again")
    assert len([each async for each in client.api(ReplicaSet, namespace).list()]) <= 2


@pytest.mark.slow
def test_any_disturbance_ends_in_what_was_wanted_last() -> None:
    async def test(client: Client) -> None:
        await asyncio.gather(*(one(client, seed) for seed in range(12)))

    with_cluster(test, "deployment", "replicaset")


def test_a_cluster_that_starts_again_changes_nothing(tmp_path: Path) -> None:
    found: list[dict[str, str]] = []

    async def make(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        selector = {"matchLabels": {"app": "web"}}
        spec = {"replicas": 2, "selector": selector, "template": template()}
        async with ready_pods(client, "default"):
            await deployments.create({"metadata": {"name": "web"}, "spec": spec})
            await rolled_out(deployments)
        found.append(await revisions(client, "default"))

    async def look(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        # While this waits for its pod, the controllers come to what was there.
        await deployments.create(
            {
                "metadata": {"name": "other"},
                "spec": {
                    "replicas": 1,
                    "selector": {"matchLabels": {"app": "other"}},
                    "template": template(app="other"),
                },
            }
        )
        async with ready_pods(client, "default", which=lambda pod: pod.metadata.labels["app"] == "other"):
            await rolled_out(deployments, "other")
        found.append(await revisions(client, "default"))

    with_cluster(make, "deployment", "replicaset", data_dir=tmp_path)
    with_cluster(look, "deployment", "replicaset", data_dir=tmp_path)
    before, after = found
    assert before.items() <= after.items()
