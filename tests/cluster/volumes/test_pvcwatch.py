"""The example pvcwatch on a cluster where claims are really bound, resized and held."""

from __future__ import annotations

import re
import signal

from kubewright.sync import Client
from kubewright.testing import Cluster
from tests.cluster.clusters import PATIENCE
from tests.cluster.volumes.objects import pod_using
from tests.examples.programs import running

MODULE = "examples.pvcwatch"


def test_pvcwatch_runs_on_it_unchanged() -> None:
    with (
        Cluster.in_thread(controllers="*") as cluster,
        Client(cluster.config) as client,
    ):
        claims = client.core_v1.persistent_volume_claims("default")
        pods = client.core_v1.pods("default")

        def create(name: str, size: str) -> None:
            spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
            claims.create({"metadata": {"name": name}, "spec": spec})
            claims.wait_for(name, lambda claim: claim.status.phase == "Bound", timeout=PATIENCE)

        create("data", "40Gi")
        create("logs", "20Gi")
        pods.create(pod_using("web", "logs"))
        pods.wait_for("web", lambda pod: pod.status.phase == "Running", timeout=PATIENCE)
        claims.delete("logs")  # which is there as long as the pod
        options = ("-n", "default", "--max-claims", "100Gi", "--kubeconfig", cluster.kubeconfig)
        with running(MODULE, *options) as program:
            table = program.until(r"60.0% in use \(60Gi of 100Gi\)\n")
            assert re.search(r"^default +data +Bound +40Gi$", table, re.MULTILINE)
            assert re.search(r"^default +logs +Terminating +20Gi$", table, re.MULTILINE)
            claims.patch("data", {"spec": {"resources": {"requests": {"storage": "90Gi"}}}})
            program.until(r"default/data resized from 40Gi to 90Gi: 110.0% in use")
            program.until(r"ALARM: 10Gi over the limit of 100Gi\n")
            pods.delete("web", grace_period=0)
            program.until(r"default/logs deleted with 20Gi: 90.0% in use \(90Gi of 100Gi\)\n")
            program.until(r"CLEAR")
            assert program.stop(signal.SIGINT) == 0
        grown = claims.wait_for(
            "data", lambda claim: str(claim.status.capacity["storage"]) == "90Gi", timeout=PATIENCE
        )
        assert grown.status.phase == "Bound"
