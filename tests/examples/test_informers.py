"""The examples with informers and work queues: what they print by themselves, and on a given cluster."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright.sync import Client
from kubewright.testing import Cluster
from tests.examples.programs import ROOT, WITHIN, running

pytestmark = pytest.mark.slow


def printed(module: str) -> list[str]:
    """What a program prints that ends by itself."""
    done = subprocess.run(
        [sys.executable, "-m", module], capture_output=True, text=True, check=True, cwd=ROOT, timeout=WITHIN
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none") as cluster:
        yield cluster


def test_pod_informer() -> None:
    lines = printed("examples.pod_informer")
    # A pod that is deleted at once is modified first, which a handler sees only if it is quick enough.
    assert [line for line in lines if not line.startswith("MODIFIED: default/web-1")] == [
        "ADDED: default/web-0 on node-0, labels {'app': 'web'}",
        "ADDED: default/web-1 on node-1, labels {'app': 'web'}",
        "ADDED: default/web-2 on node-0, labels {'app': 'web'}",
        "synced: 3 pods",
        "node-0 runs web-0, web-2",
        "node-1 runs web-1",
        "MODIFIED: default/web-0 on node-0, labels {'app': 'web', 'canary': 'yes'}",
        "canaries: ['default/web-0']",
        "ADDED: default/web-3 on node-1, labels {'app': 'web'}",
        "DELETED: default/web-1 on node-1, labels {'app': 'web'}",
        "node-0 runs web-0, web-2",
        "node-1 runs web-3",
    ]


def test_pod_informer_on_a_cluster(cluster: Cluster) -> None:
    with Client(cluster.config) as client, running("examples.pod_informer", cluster.kubeconfig) as program:
        pods = client.core_v1.pods("default")
        pods.create({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "main", "image": "i"}]}})
        program.until(r"^ADDED: default/a on no node, labels {}\n")
        pods.delete("a", grace_period=0)
        program.until(r"^DELETED: default/a on no node, labels {}\n")
        assert program.stop(signal.SIGINT) == 0


def test_workqueue_controller() -> None:
    system = ("kube-node-lease", "kube-public", "kube-system")
    lines = printed("examples.workqueue_controller")
    # Two workers take turns, and whether a namespace has the first copy when the second comes is open.
    assert [line for line in lines if line.startswith("shop")] == [
        "shop: copied {'sky': 'blue'}",
        "shop: copied {'sky': 'red'}",
        "shop: copied {'sky': 'red'}",
    ]
    assert {f"{name}: copied {{'sky': 'red'}}" for name in system} < set(lines)


def test_the_controller_tries_again_what_fails(cluster: Cluster) -> None:
    with Client(cluster.config) as client:
        maps = client.core_v1.config_maps
        client.core_v1.namespaces().create({"metadata": {"name": "shop"}})
        fixed = {"metadata": {"name": "settings"}, "data": {"sky": "gray"}, "immutable": True}
        maps("shop").create(fixed)
        maps("default").create({"metadata": {"name": "settings"}, "data": {"sky": "blue"}})
        with running("examples.workqueue_controller", cluster.kubeconfig) as program:
            program.until(r"^shop: try 1 failed: .*immutable.*\n")
            program.until(r"^shop: try 4 failed: .*immutable.*\n")
            maps("shop").delete("settings")
            program.until(r"^shop: copied {'sky': 'blue'}\n")
            assert maps("shop").get("settings").data == {"sky": "blue"}
            assert program.stop(signal.SIGINT) == 0
            assert "Traceback" not in program.printed


@pytest.mark.parametrize("module", ["examples.pod_informer", "examples.workqueue_controller"])
def test_no_such_kubeconfig(module: str) -> None:
    with running(module, "/no/such/file") as program:
        assert program.wait() == 1
        assert program.printed == "there is no kubeconfig /no/such/file; correct the path\n"


def test_the_controller_is_short() -> None:
    source = Path(ROOT, "examples", "workqueue_controller.py").read_text()
    controller = source[source.index("async def reconcile") : source.index("async def main")]
    assert len([line for line in controller.splitlines() if line.strip()]) <= 60
