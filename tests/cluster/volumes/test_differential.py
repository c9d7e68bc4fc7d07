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
from tests.cluster.differential import differences, new_side, observed
from tests.cluster.normalise import Outcome
from tests.cluster.volumes.scenarios import KINDS, SCENARIOS

if TYPE_CHECKING:
    from kubewright.config import Config
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

Played = dict[str, dict[str, Outcome] | BaseException]
"""What was there after each stage of each scenario, or why it could not be played."""


@pytest.fixture(scope="module")
def played(real_cluster: RealCluster) -> tuple[Played, Played]:
    """What ours has made of the scenarios, and the real one."""
    with Cluster.in_thread(controllers=OURS, nodes=0) as ours:
        return asyncio.run(_both(ours.config, real_cluster.config))


async def _both(ours: Config, theirs: Config) -> tuple[Played, Played]:
    async with asyncio.timeout(120):
        mine, real = await asyncio.gather(_on(ours), _on(theirs))
    return mine, real


async def _on(config: Config) -> Played:
    async with Client(config) as client:
        outcomes = await asyncio.gather(
            *(_scenario(client, name) for name in SCENARIOS), return_exceptions=True
        )
    return dict(zip(SCENARIOS, outcomes, strict=True))


async def _scenario(client: Client, name: str) -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    try:
        async with new_side(client) as side:
            for stage, steps in SCENARIOS[name].items():
                for step in steps:
                    await step(side)
                ignored = ("default-scheduler", *CHANCE.get(name, ()))
                found[stage] = await observed(side, KINDS, managers=True, ignored_events=ignored)
    except BaseException as error:
        error.add_note(f"on {client.config.server}, after the stages {list(found)}")
        raise
    return found


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_both_do_the_same(played: tuple[Played, Played], scenario: str) -> None:
    ours, theirs = (_outcomes(side[scenario]) for side in played)
    found = {stage: differences(ours[stage], theirs[stage]) for stage in SCENARIOS[scenario]}
    shown = ["\n".join([f"{stage}:", *lines]) for stage, lines in found.items() if lines]
    assert not shown, "the embedded cluster (+) differs from the real one (-)\n" + "\n".join(shown)


def _outcomes(found: dict[str, Outcome] | BaseException) -> dict[str, Outcome]:
    if isinstance(found, BaseException):
        raise found
    return found
