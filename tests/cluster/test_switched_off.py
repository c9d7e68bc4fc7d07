"""Every controller can be switched off: the others run, nothing fails, and nobody acts in its name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubewright import Client
from kubewright.cluster.selection import CONTROLLERS, ControllerEntry
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import (
    ConfigMap,
    Namespace,
    PersistentVolumeClaim,
    Pod,
    ReplicationController,
    ServiceAccount,
)
from tests.cluster.clusters import PATIENCE, eventually, with_cluster

pytestmark = pytest.mark.slow

LABELS = {"app": "web"}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "c", "image": "i"}]}}

IDLE = {"node-controller", "pod-garbage-collector"}
"""Those who have nothing to do as long as nodes are well."""


async def work_for_all(client: Client) -> None:
    """What most controllers have to do something about."""
    await client.api(Deployment, "default").create(
        {
            "metadata": {"name": "web"},
            "spec": {"selector": {"matchLabels": LABELS}, "template": TEMPLATE},
        }
    )
    await client.api(ReplicationController, "default").create(
        {"metadata": {"name": "web"}, "spec": {"selector": LABELS, "template": TEMPLATE}}
    )
    claim: dict[str, Any] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    await client.api(PersistentVolumeClaim, "default").create({"metadata": {"name": "data"}, "spec": claim})
    namespaces = client.api(Namespace)
    await namespaces.create({"metadata": {"name": "team"}})
    await namespaces.delete("team")


async def some_was_done(client: Client, off: str) -> None:
    """Wait for one of two controllers that make something in each namespace."""
    if off == "serviceaccount-controller":
        await client.api(ConfigMap, "default").wait_for("kube-root-ca.crt", lambda _: True, timeout=PATIENCE)
    else:
        await client.api(ServiceAccount, "default").wait_for("default", lambda _: True, timeout=PATIENCE)


def actors(log: Path) -> set[str]:
    """Who has sent requests, by the audit log."""
    # The last line may be on its way.
    lines = [json.loads(line) for line in log.read_bytes().split(b"\n")[:-1]]
    names = {each["user"]["username"].removeprefix("system:serviceaccount:kube-system:") for each in lines}
    return {"system:node" if each.startswith("system:node:") else each for each in names}


@pytest.mark.parametrize("entry", CONTROLLERS, ids=lambda entry: entry.name)
def test_all_but_one(entry: ControllerEntry, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        await some_was_done(client, entry.name)
        await work_for_all(client)
        if entry.name not in {"kubelet", "replicationcontroller-controller", "kube-scheduler"}:
            await eventually(lambda: has_a_running_pod(client), "no pod runs")

    log = tmp_path / "audit.log"
    with_cluster(test, f"-{entry.name}", audit_log=log)
    assert [each.getMessage() for each in caplog.records if "failed" in each.getMessage()] == []
    shared = [each for each in CONTROLLERS if each.account == entry.account and each is not entry]
    assert shared or entry.account not in actors(log)


async def has_a_running_pod(client: Client) -> bool:
    pods = [each async for each in client.api(Pod, "default").list()]
    return any(each.status.phase == "Running" for each in pods)


def test_all(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    wanted = {each.account for each in CONTROLLERS} - IDLE

    async def test(client: Client) -> None:
        await some_was_done(client, "")
        await work_for_all(client)
        claims = client.api(PersistentVolumeClaim, "default")
        await claims.wait_for("data", lambda claim: claim.status.phase == "Bound", timeout=PATIENCE)
        await claims.patch("data", {"spec": {"resources": {"requests": {"storage": "2Gi"}}}})
        await claims.wait_for(
            "data", lambda claim: str(claim.status.capacity.get("storage")) == "2Gi", timeout=PATIENCE
        )
        await claims.delete("data")
        await client.api(Deployment, "default").delete("web", propagation="Foreground")

        async def all_have_acted() -> bool:
            return wanted <= actors(log)

        await eventually(all_have_acted, f"not all of {sorted(wanted)} have done something")

    with_cluster(test, audit_log=log)
