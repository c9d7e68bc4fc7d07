"""What kubectl makes of workloads: rollout, scale, set image, describe."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest

from kubewright import Client
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import Pod
from kubewright.testing import Cluster
from tests.cluster.workloads.kubelet import ready_pods
from tests.realcluster.binaries import find_kubectl

pytestmark = pytest.mark.slow

MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations:
    kubernetes.io/change-cause: first
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: c, image: "nginx:1"}]
"""

Kubectl: TypeAlias = Callable[..., Awaitable[str]]


def run(test: Callable[[Kubectl, Client], Awaitable[None]]) -> None:
    """Run a test with kubectl and a client of a fresh cluster, where pods become ready."""

    async def main() -> None:
        controllers = ("deployment", "replicaset", "replicationcontroller")
        async with (
            Cluster(controllers=controllers) as cluster,
            Client(cluster.config) as client,
            asyncio.timeout(300),
        ):

            async def kubectl(*arguments: str, stdin: str = "") -> str:
                process = await asyncio.create_subprocess_exec(
                    find_kubectl(),
                    f"--kubeconfig={cluster.kubeconfig}",
                    *arguments,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.STDOUT,
                )
                output, _ = await process.communicate(stdin.encode())
                return f"{output.decode()}{f'({process.returncode})' if process.returncode else ''}".strip()

            async with ready_pods(client, "default"):
                await test(kubectl, client)

    asyncio.run(main())


async def shown_at_last(kubectl: Kubectl, pattern: str, *arguments: str) -> str:
    """What kubectl shows as soon as there is something in it: events are sent in the background."""
    while not re.search(pattern, shown := await kubectl(*arguments)):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.1)
    return shown


def test_a_rollout_its_history_and_its_undoing() -> None:
    async def test(kubectl: Kubectl, client: Client) -> None:
        assert await kubectl("apply", "-f", "-", stdin=MANIFEST) == "deployment.apps/web created"
        status = await kubectl("rollout", "status", "deployment/web", "--timeout=60s")
        assert status.endswith('deployment "web" successfully rolled out')
        await kubectl("set", "image", "deployment/web", "c=nginx:2")
        await kubectl("annotate", "deployment/web", "kubernetes.io/change-cause=second", "--overwrite")
        status = await kubectl("rollout", "status", "deployment/web", "--timeout=60s")
        assert status.endswith('deployment "web" successfully rolled out')
        history = await kubectl("rollout", "history", "deployment/web")
        assert re.search(r"^1 +first\n2 +second$", history, re.MULTILINE)
        of_first = await kubectl("rollout", "history", "deployment/web", "--revision=1")
        assert "nginx:1" in of_first
        assert await kubectl("rollout", "undo", "deployment/web") == "deployment.apps/web rolled back"
        await kubectl("rollout", "status", "deployment/web", "--timeout=60s")
        history = await kubectl("rollout", "history", "deployment/web")
        assert re.search(r"^2 +second\n3 +first$", history, re.MULTILINE)
        images = await kubectl("get", "pods", "-o", "jsonpath={.items[*].spec.containers[0].image}")
        assert images == "nginx:1 nginx:1 nginx:1"
        again = await kubectl("rollout", "undo", "deployment/web", "--to-revision=3")
        assert "skipped rollback" in again

    run(test)


def test_restart_pause_resume_and_scale() -> None:
    async def test(kubectl: Kubectl, client: Client) -> None:
        await kubectl("apply", "-f", "-", stdin=MANIFEST)
        await kubectl("rollout", "status", "deployment/web", "--timeout=60s")
        before = {pod.metadata.name async for pod in client.api(Pod, "default").list()}
        assert await kubectl("rollout", "restart", "deployment/web") == "deployment.apps/web restarted"
        await kubectl("rollout", "status", "deployment/web", "--timeout=60s")
        await kubectl("wait", "deployment/web", "--for=condition=Available", "--timeout=60s")
        after = {pod.metadata.name async for pod in client.api(Pod, "default").list()}
        assert len(after) == 3
        assert not before & after
        assert await kubectl("rollout", "pause", "deployment/web") == "deployment.apps/web paused"
        await kubectl("set", "image", "deployment/web", "c=nginx:2")
        refused = await kubectl("rollout", "undo", "deployment/web")
        assert "paused" in refused
        assert await kubectl("scale", "deployment/web", "--replicas=5") == "deployment.apps/web scaled"
        await kubectl("wait", "deployment/web", "--for=jsonpath={.status.readyReplicas}=5", "--timeout=60s")
        images = await kubectl("get", "pods", "-o", "jsonpath={.items[*].spec.containers[0].image}")
        assert set(images.split()) == {"nginx:1"}
        assert await kubectl("rollout", "resume", "deployment/web") == "deployment.apps/web resumed"
        await kubectl("rollout", "status", "deployment/web", "--timeout=60s")
        images = await kubectl("get", "pods", "-o", "jsonpath={.items[*].spec.containers[0].image}")
        assert images.split() == ["nginx:2"] * 5
        found = await client.api(Deployment, "default").get("web")
        assert found.status.available_replicas == 5
        refused = await kubectl("scale", "deployment/web", "--current-replicas=3", "--replicas=1")
        assert "Expected replicas to be 3, was 5" in refused

    run(test)


def test_what_get_and_describe_show() -> None:
    async def test(kubectl: Kubectl, client: Client) -> None:
        await kubectl("apply", "-f", "-", stdin=MANIFEST)
        await kubectl("rollout", "status", "deployment/web", "--timeout=60s")
        shown = await kubectl("get", "deployment,replicaset", "--no-headers")
        assert re.search(r"^deployment.apps/web +3/3 +3 +3 ", shown, re.MULTILINE)
        assert re.search(r"^replicaset.apps/web-\w+ +3 +3 +3 ", shown, re.MULTILINE)
        told = r"ScalingReplicaSet +\S+ +deployment-controller +Scaled up replica"
        described = await shown_at_last(kubectl, told, "describe", "deployment/web")
        assert re.search(
            r"Replicas: +3 desired \| 3 updated \| 3 total \| 3 available \| 0 unavail", described
        )
        assert re.search(r"NewReplicaSet: +web-\w+ \(3/3 replicas created\)", described)
        assert re.search(r"Available +True +MinimumReplicasAvailable", described)
        told = r"SuccessfulCreate +\S+ +replicaset-controller +Created pod: web-"
        of_set = await shown_at_last(kubectl, told, "describe", "replicaset")
        assert re.search(r"Controlled By: +Deployment/web", of_set)

    run(test)


def test_a_rollout_that_gets_nowhere_fails() -> None:
    async def test(kubectl: Kubectl, client: Client) -> None:
        await kubectl("apply", "-f", "-", stdin=MANIFEST)
        await kubectl("rollout", "status", "deployment/web", "--timeout=60s")
        quick = MANIFEST.replace("  replicas: 3", "  replicas: 3\n  progressDeadlineSeconds: 1")
        stuck = f"{quick.rstrip()}\n      priorityClassName: absent\n"
        assert await kubectl("apply", "-f", "-", stdin=stuck) == "deployment.apps/web configured"
        status = await kubectl("rollout", "status", "deployment/web", "--timeout=60s")
        assert status.endswith('error: deployment "web" exceeded its progress deadline\n(1)')
        described = await shown_at_last(
            kubectl, r"ReplicaFailure +True +FailedCreate", "describe", "deployment/web"
        )
        assert re.search(r"Progressing +False +ProgressDeadlineExceeded", described)

    run(test)
