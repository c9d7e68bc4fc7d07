"""The real cluster comes up with its controllers, and leaves nothing behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kubewright.sync import Client
from tests.realcluster.cluster import RealCluster
from tests.realcluster.server import ServerFailed

pytestmark = pytest.mark.real

STORAGE_CLASS = {"metadata": {"name": "standard"}, "provisioner": "kubernetes.io/host-path"}
CLAIM = {
    "metadata": {"name": "data"},
    "spec": {
        "storageClassName": "standard",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    },
}
NODE = {"metadata": {"name": "node"}}
NODE_STATUS = {
    "status": {
        "allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"},
        "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2100-01-01T00:00:00Z"}],
    }
}
POD = {"metadata": {"name": "pod"}, "spec": {"containers": [{"name": "c", "image": "image"}]}}


# The node has no heart: it is well until somebody misses its beats, which is to be long after a pod has it.
PATIENT = ("--node-monitor-grace-period=300s", "--node-startup-grace-period=300s")


def test_from_start_to_end() -> None:
    with RealCluster(controller_flags=PATIENT) as cluster:
        pids = dict(cluster.pids)
        assert set(pids) == {"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}
        with Client(cluster.config) as client:
            accounts = client.core_v1.service_accounts("default")
            accounts.wait_for("default", lambda _: True, timeout=90)
            client.storage_v1.storage_classes().create(STORAGE_CLASS)
            claims = client.core_v1.persistent_volume_claims("default")
            claims.create(CLAIM)
            claim = claims.wait_for("data", lambda claim: claim.status.phase == "Bound", timeout=90)
            assert claim is not None
            client.core_v1.nodes().create(NODE)
            client.core_v1.nodes().patch("node", NODE_STATUS, subresource="status")
            pods = client.core_v1.pods("default")
            pods.create(POD)
            bound = pods.wait_for("pod", lambda pod: pod.spec.node_name == "node", timeout=90)
            assert bound is not None
            assert bound.spec.service_account_name == "default"
            volume = client.core_v1.persistent_volumes().get(claim.spec.volume_name)
            assert volume.spec.host_path is not None
            path = Path(volume.spec.host_path.path)
            assert path.is_dir()
        data = Path(cluster.data_dir)
    assert not data.parent.exists()
    assert not path.exists()
    for pid in pids.values():
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_flag_that_there_is_not() -> None:
    with pytest.raises(ServerFailed, match="kube-controller-manager ended with code 1; the end of the logs"):
        RealCluster(controller_flags=["--unheard-of"], scheduler=False).__enter__()
