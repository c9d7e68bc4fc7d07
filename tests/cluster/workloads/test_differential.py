"""ReplicaSets, ReplicationControllers and Deployments compared with a real cluster, stage by stage.

All scenarios are played at once on both, each in a namespace of its own, as most of their time is waiting.
Compared are children, owners, annotations, statuses, conditions, who manages fields, and events.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from kubewright.client.client import Client
from kubewright.testing import Cluster
from tests.cluster.differential import agreed, differences, done_on, new_side, play
from tests.cluster.normalise import Outcome
from tests.cluster.workloads.scenarios import KINDS, SCENARIOS

if TYPE_CHECKING:
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

PATIENCE = 400.0
"""Seconds that all scenarios may take on a busy machine."""

Found = dict[str, list[str]]
"""The lines that differ after each stage of a scenario."""


@pytest.fixture(scope="module")
def played(real_cluster: RealCluster) -> dict[str, Found | BaseException]:
    """How our cluster and the real one differ in each scenario, or why it could not be played."""
    with Cluster.in_thread(controllers=OURS) as ours:
        return asyncio.run(play(_scenario, SCENARIOS, ours.config, real_cluster.config, within=PATIENCE))


async def _scenario(mine: Client, real: Client, name: str) -> Found:
    """The stages, each on both: what the next one makes of them depends on all of it being done."""
    how: dict[str, Any] = {"hashes": False, "managers": True, "ignored_events": ("FailedScheduling",)}
    found: Found = {}
    try:
        async with new_side(mine) as embedded, new_side(real) as there:
            for stage, (steps, way) in SCENARIOS[name].items():
                await done_on((embedded, there), steps)
                comparable = partial(_comparable, way=way)
                ours, theirs = await agreed((embedded, there), KINDS, seen_as=comparable, **how)
                found[stage] = differences(ours, theirs)
    except BaseException as error:
        error.add_note(f"in the scenario {name!r}, after the stages {list(found)}")
        raise
    return found


def _comparable(outcome: Outcome, *, way: bool) -> Outcome:
    """Without what the scheduler and admission do to pods; and perhaps without what tells of the way."""
    for pod in outcome.get("Pod", []):
        pod["status"] = {"phase": pod["status"].get("phase")}
        del pod["spec"]
        del pod["metadata"]["managers"]
    if not way:
        outcome.pop("Event", None)
        for replica_set in outcome.get("ReplicaSet", []):
            del replica_set["metadata"]["generation"]
            del replica_set["status"]["observedGeneration"]
    return outcome


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_both_do_the_same(played: dict[str, Found | BaseException], scenario: str) -> None:
    found = played[scenario]
    if isinstance(found, BaseException):
        raise found
    assert list(found) == list(SCENARIOS[scenario])
    shown = ["\n".join([f"{stage}:", *lines]) for stage, lines in found.items() if lines]
    assert not shown, "the embedded cluster (+) differs from the real one (-)\n" + "\n".join(shown)
