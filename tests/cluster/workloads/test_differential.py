"""ReplicaSets, ReplicationControllers and Deployments compared with a real cluster, stage by stage.

All scenarios are played at once on both, each in a namespace of its own, as most of their time is waiting.
Compared are children, owners, annotations, statuses, conditions, who manages fields, and events.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from kubewright.client.client import Client
from kubewright.testing import Cluster
from tests.cluster.differential import Side, differences, observed
from tests.cluster.normalise import Outcome
from tests.cluster.workloads.scenarios import KINDS, SCENARIOS

if TYPE_CHECKING:
    from kubewright.config import Config
    from tests.realcluster.cluster import RealCluster

pytestmark = [pytest.mark.real, pytest.mark.slow]

OURS = (
    "deployment",
    "replicaset",
    "replicationcontroller",
    "garbagecollector",
    "serviceaccount",
    "root-ca-cert-publisher",
)
"""The controllers that are compared, and those that they need: there are neither kubelets nor a scheduler."""

_UNDER_WAY = ("NewReplicaSetCreated", "ReplicaSetUpdated")
"""Which of the two a real Deployment says is a matter of time: of whether its first status after the creation
conflicts with what it has written just before."""

Played = dict[str, dict[str, Outcome]]
"""What was there after each stage of each scenario."""


@pytest.fixture(scope="module")
def played(real_cluster: RealCluster) -> tuple[Played, Played]:
    """What ours has made of the scenarios, and the real one."""
    with Cluster.in_thread(controllers=OURS) as ours:
        return asyncio.run(_both(ours.config, real_cluster.config))


async def _both(ours: Config, theirs: Config) -> tuple[Played, Played]:
    async with asyncio.timeout(180):
        mine, real = await asyncio.gather(_on(ours), _on(theirs))
    return mine, real


async def _on(config: Config) -> Played:
    async with Client(config) as client:
        outcomes = await asyncio.gather(*(_scenario(client, name) for name in SCENARIOS))
    return dict(zip(SCENARIOS, outcomes, strict=True))


async def _scenario(client: Client, name: str) -> dict[str, Outcome]:
    namespaces = client.core_v1.namespaces()
    made = await namespaces.create({"metadata": {"generateName": "workloads-"}})
    side = Side(client, made.metadata.name)
    await client.core_v1.service_accounts(side.namespace).wait_for("default", _is_there, timeout=30)
    found = {}
    try:
        for stage, (steps, way) in SCENARIOS[name].items():
            for step in steps:
                await step(side)
            how: dict[str, Any] = {"hashes": False, "managers": True, "ignored_events": ("FailedScheduling",)}
            found[stage] = _comparable(await observed(side, KINDS, **how), way=way)
    except BaseException as error:
        error.add_note(f"in the scenario {name!r}, after the stages {list(found)}")
        raise
    await namespaces.delete(side.namespace)
    return found


def _is_there(_: object) -> bool:
    return True


def _comparable(outcome: Outcome, *, way: bool) -> Outcome:
    """Without what the scheduler and admission do to pods; and perhaps without what tells of the way."""
    for pod in outcome.get("Pod", []):
        pod["status"] = {"phase": pod["status"].get("phase")}
        del pod["spec"]
        del pod["metadata"]["managers"]
    for deployment in outcome.get("Deployment", []):
        for condition in deployment["status"].get("conditions", []):
            if condition["reason"] in _UNDER_WAY:
                condition["reason"] = condition["message"] = "<under way>"
    if not way:
        outcome.pop("Event", None)
        for replica_set in outcome.get("ReplicaSet", []):
            del replica_set["metadata"]["generation"]
            del replica_set["status"]["observedGeneration"]
    return outcome


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_both_do_the_same(played: tuple[Played, Played], scenario: str) -> None:
    ours, theirs = (side[scenario] for side in played)
    found = {stage: differences(ours[stage], theirs[stage]) for stage in SCENARIOS[scenario]}
    shown = ["\n".join([f"{stage}:", *lines]) for stage, lines in found.items() if lines]
    assert not shown, "the embedded cluster (+) differs from the real one (-)\n" + "\n".join(shown)
