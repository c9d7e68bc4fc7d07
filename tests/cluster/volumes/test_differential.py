"""Claims and volumes compared with a real cluster, stage by stage.

All scenarios are played at once on both, each in a namespace of its own, as most of their time is waiting.
Compared are claims, volumes, who manages their fields, and the events about claims. The real cluster has no
driver that makes volumes, so ours is without its provisioner, and without a default class.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from kubewright.client.client import Client
from kubewright.testing import Cluster
from tests.cluster.differential import agreed, differences, done_on, new_side, play
from tests.cluster.volumes.scenarios import SCENARIOS
from tests.cluster.volumes.steps import KINDS

if TYPE_CHECKING:
    from tests.realcluster.cluster import RealCluster

pytestmark = [pytest.mark.real, pytest.mark.slow]

OURS = (
    "persistentvolume-binder",
    "persistentvolume-expander",
    "pvc-protection",
    "pv-protection",
    "scheduler",
    "serviceaccount",
    "root-ca-cert-publisher",
)
"""The controllers that are compared, and those without which pods cannot be created in a namespace."""

CHANCE = {"a pod for whose volumes the scheduler looks": ("WaitForPodScheduled",)}
"""Events that are told by a cluster that looks at a claim at a certain moment."""

PATIENCE = 300.0
"""Seconds that all scenarios may take on a busy machine."""

Found = dict[str, list[str]]
"""The lines that differ after each stage of a scenario."""


@pytest.fixture(scope="module")
def played(real_cluster: RealCluster) -> dict[str, Found | BaseException]:
    """How our cluster and the real one differ in each scenario, or why it could not be played."""
    with Cluster.in_thread(controllers=OURS, nodes=0) as ours:
        return asyncio.run(play(_scenario, SCENARIOS, ours.config, real_cluster.config, within=PATIENCE))


async def _scenario(mine: Client, real: Client, name: str) -> Found:
    """The stages, each on both: what the next one makes of them depends on all of it being done."""
    ignored = ("default-scheduler", *CHANCE.get(name, ()))
    found: Found = {}
    try:
        async with new_side(mine) as embedded, new_side(real) as there:
            for stage, steps in SCENARIOS[name].items():
                await done_on((embedded, there), steps)
                ours, theirs = await agreed((embedded, there), KINDS, managers=True, ignored_events=ignored)
                found[stage] = differences(ours, theirs)
    except BaseException as error:
        error.add_note(f"in the scenario {name!r}, after the stages {list(found)}")
        raise
    return found


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_both_do_the_same(played: dict[str, Found | BaseException], scenario: str) -> None:
    found = played[scenario]
    if isinstance(found, BaseException):
        raise found
    assert list(found) == list(SCENARIOS[scenario])
    shown = ["\n".join([f"{stage}:", *lines]) for stage, lines in found.items() if lines]
    assert not shown, "the embedded cluster (+) differs from the real one (-)\n" + "\n".join(shown)
