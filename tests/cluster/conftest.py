"""The real cluster and the embedded one, and both beside each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from kubewright.testing import Cluster
    from tests.cluster.differential import Step
    from tests.cluster.normalise import Outcome
    from tests.realcluster.cluster import RealCluster

Both: TypeAlias = "Callable[..., Outcome]"

PATIENCE = 300.0
"""Seconds that all stages of a comparison may take on a busy machine."""


@pytest.fixture(scope="package")
def real_cluster() -> Iterator[RealCluster]:
    """kube-apiserver, kube-controller-manager and kube-scheduler; tests that use it are marked `real`.

    Files that use it stand in `tests/scheduling.py`, so that there is one at a time.
    """
    from tests.realcluster.cluster import RealCluster

    with RealCluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def embedded_cluster() -> Iterator[Cluster]:
    """All of our controllers, and as the real one has it no node and no kubelet."""
    from kubewright.testing import Cluster

    with Cluster.in_thread(controllers="*,-kubelet", nodes=0) as cluster:
        yield cluster


@pytest.fixture
def both(embedded_cluster: Cluster, real_cluster: RealCluster) -> Both:
    """Does steps in a new namespace of either cluster, and fails where the outcomes differ.

    `both(steps, more_steps, kinds=["Deployment", "Pod"])` compares after the steps and again after more of
    them, and returns the last outcome. Further options are those of Normaliser.
    """
    from kubewright.client.client import Client
    from tests.cluster.differential import compared, new_side

    def run(*stages: Sequence[Step], kinds: Sequence[str], **how: Any) -> Outcome:
        async def on_both() -> Outcome:
            async with (
                asyncio.timeout(PATIENCE),
                Client(embedded_cluster.config) as ours,
                Client(real_cluster.config) as theirs,
                new_side(ours) as embedded,
                new_side(theirs) as real,
            ):
                return [await compared(embedded, real, steps, kinds, **how) for steps in stages][-1]

        return asyncio.run(on_both())

    return run
