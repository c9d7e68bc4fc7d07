"""Random graphs of owners, deleted with random policies: what remains is what the real collector leaves.

Both clusters get the same graphs, each several times, since the real collector comes to things in no order,
and a graph may have more than one outcome. Whatever becomes of a graph in the embedded cluster must be one of
them. `KUBEWRIGHT_GRAPHS=300` tries so many, others each time, with custom resources among them.
"""

from __future__ import annotations

import asyncio
import logging
import os
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from kubewright import Client, Resource, Struct, custom_resource
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.core_v1 import ConfigMap
from tests.cluster.garbage.owner_graphs import Graph, Outcome, graphs, outcomes

if TYPE_CHECKING:
    from kubewright.config import Config
    from kubewright.testing import Cluster
    from tests.realcluster.cluster import RealCluster

_log: Final = logging.getLogger(__name__)

pytestmark = pytest.mark.real

DEEP: Final = int(os.environ.get("KUBEWRIGHT_GRAPHS", "0"))
COPIES: Final = 3
"""How often a graph is tried at first, in each cluster."""
MORE_COPIES: Final = 24
"""How often it is tried in the real cluster before a difference is believed."""
BATCH: Final = 40
KNOWN_WITHIN: Final = 60.0
"""Seconds in which the real collector comes to know a new kind; it asks every 30."""


class Nothing(Struct):
    pass


@custom_resource(group="graphs.example.com", version="v1", plural="sprockets")
class Sprocket(Resource):
    spec: Nothing | None = None


def drawn(count: int, kinds: list[str]) -> list[Graph]:
    found: list[Graph] = []

    @settings(
        max_examples=count,
        derandomize=not DEEP,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(graph=graphs(kinds=kinds))
    def draw(graph: Graph) -> None:
        found.append(graph)

    draw()
    return found


async def define(client: Client) -> None:
    """Have a custom resource, and wait until the collector follows it: a child of one that is gone goes."""
    definitions = client.api(CustomResourceDefinition)
    await definitions.create(Sprocket.crd())
    await definitions.wait_for("sprockets.graphs.example.com", "Established", timeout=20)
    sprocket = await client.api(Sprocket, "default").create(Sprocket.from_dict({"metadata": {"name": "s"}}))
    owner = {
        "apiVersion": sprocket.api_version,
        "kind": "Sprocket",
        "name": "s",
        "uid": sprocket.metadata.uid,
    }
    await client.api(ConfigMap, "default").create({"metadata": {"name": "child", "ownerReferences": [owner]}})
    await client.api(Sprocket, "default").delete("s")
    await client.api(ConfigMap, "default").wait_for("child", "deleted", timeout=KNOWN_WITHIN)


def test_what_remains_is_what_the_real_collector_leaves(
    embedded_cluster: Cluster, real_cluster: RealCluster
) -> None:
    kinds = ["ConfigMap", "Secret", "ClusterRole", *(["Sprocket"] if DEEP else [])]
    found = drawn(DEEP or 25, kinds)

    async def tried(config: Config, some: list[Graph], copies: int) -> list[set[Outcome]]:
        async with Client(config) as client:
            return await outcomes(client, some, copies=copies, kinds=kinds)

    async def run() -> None:
        if DEEP:
            async with Client(embedded_cluster.config) as ours, Client(real_cluster.config) as theirs:
                await asyncio.gather(define(ours), define(theirs))
        several = 0
        for start in range(0, len(found), BATCH):
            batch = found[start : start + BATCH]
            embedded, real = await asyncio.gather(
                tried(embedded_cluster.config, batch, COPIES), tried(real_cluster.config, batch, COPIES)
            )
            several += sum(len(each) > 1 for each in real)
            doubtful = [index for index in range(len(batch)) if not embedded[index] <= real[index]]
            if doubtful:
                again = await tried(real_cluster.config, [batch[index] for index in doubtful], MORE_COPIES)
                for index, outcome in zip(doubtful, again, strict=True):
                    real[index] |= outcome
            wrong = [
                f"{batch[index]}\n  here:  {embedded[index] - real[index]}\n  there: {real[index]}"
                for index in doubtful
                if not embedded[index] <= real[index]
            ]
            counts = f"{start + len(batch)} graphs, {several} with several outcomes, {len(doubtful)} doubtful"
            _log.info(counts)
            assert not wrong, "\n".join([counts, *wrong])

    asyncio.run(run())
