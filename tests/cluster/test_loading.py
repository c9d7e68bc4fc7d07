"""The rules of workloads are there before the first workload is."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import asyncio, json, sys
from kubewright import Client
from kubewright.models.apps_v1 import Deployment
from kubewright.testing import Cluster

DEPLOYMENT = {
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "main", "image": "nginx"}]},
        },
    },
}

def rules():
    return {name for name in sys.modules if name.startswith("kubewright.server.kinds.")}

async def main():
    async with asyncio.timeout(90), Cluster() as cluster, Client(cluster.config) as client:
        ready = rules()
        while any(task.get_name() == "rules of workloads" for task in asyncio.all_tasks()):
            await asyncio.sleep(0.01)
        loaded = rules()
        deployments = client.api(Deployment, "default")
        await deployments.create(Deployment.from_dict(DEPLOYMENT))
        await deployments.wait_for("web", lambda each: each.status.ready_replicas == 1, timeout=60)
        print(json.dumps([sorted(loaded - ready), sorted(rules() - loaded)]))

asyncio.run(main())
"""


def test_the_first_workload_has_no_rules_loaded() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    after_the_start, by_the_workload = json.loads(ended.stdout)
    assert "kubewright.server.kinds.core.pod" in after_the_start, "it is not what the start waits for"
    assert by_the_workload == []
