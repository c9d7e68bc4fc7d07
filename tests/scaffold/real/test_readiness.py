"""Why pods with webhooks are ready before their caches are filled: their first list may need themselves."""

from __future__ import annotations

import asyncio
import copy
import json
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from kubewright import Client
from kubewright.testing import Cluster
from tests.realcluster.server import free_ports
from tests.scaffold.real.deployment import GROUP, PATIENCE, AuditedServer, Deployment, Manifest, Project
from tests.scaffold.real.programs import the_program


def definition_of(project: Project) -> Manifest:
    (found,) = (each for each in project.objects if each["kind"] == "CustomResourceDefinition")
    return found


def stored_in(version: str, definition: Manifest) -> Manifest:
    """The definition as an earlier release had it."""
    found = copy.deepcopy(definition)
    for each in found["spec"]["versions"]:
        each["storage"] = each["name"] == version
    found["spec"]["conversion"] = {"strategy": "None"}
    return found


def asked(port: int, path: str) -> int:
    """The status of a probe; 0 while nobody listens."""
    try:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code
    except OSError:
        return 0


async def becomes(port: int, path: str, status: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while await asyncio.to_thread(asked, port, path) != status:  # noqa: ASYNC110 - of another process
            await asyncio.sleep(0.05)


@pytest.mark.slow
def test_a_list_that_needs_objects_converted(project: Project, tmp_path: Path) -> None:
    (probed,) = (each for each in project.objects if each["kind"] == "Deployment")
    (container,) = probed["spec"]["template"]["spec"]["containers"]
    path = container["readinessProbe"]["httpGet"]["path"]
    assert path == "/readyz?exclude=informer-sync"
    (port,) = free_ports(1)
    log = tmp_path / "program.log"

    async def main(cluster: Cluster) -> None:
        async with Client(cluster.config) as admin:
            deployment = Deployment(admin, AuditedServer(cluster, tmp_path / "audit.log"), project)
            earlier = stored_in("v2", definition_of(project))
            await admin.apply_yaml(json.dumps(earlier), manager="test")
            pods = admin.dynamic(f"{GROUP}/v2", "CustomPod", "default")
            await pods.create({"metadata": {"name": "old"}, "spec": {"replicas": 2}})
            await deployment.apply(ready=False)
            probes = f"--health-probe-bind-address=127.0.0.1:{port}"
            with the_program(project, deployment.kubeconfig, log, probes):
                await becomes(port, path, 200)
                # It leads and lists; the server asks nobody, since no endpoint is ready.
                await becomes(port, "/readyz/leader-election", 200)
                async with asyncio.timeout(PATIENCE):
                    while "conversion webhook" not in log.read_text():  # noqa: ASYNC110 - of another process
                        await asyncio.sleep(0.05)
                assert asked(port, "/readyz") == 500
                # Which the cluster finds ready, as the probe said, and makes an endpoint of.
                await deployment.apply(ready=True)
                await becomes(port, "/readyz", 200)

    with Cluster.in_thread(controllers="none") as cluster:
        asyncio.run(main(cluster))
