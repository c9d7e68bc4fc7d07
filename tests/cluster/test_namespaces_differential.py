"""Namespaces that do not go: what the embedded cluster says of them is what the real one says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from kubewright import Client
from tests.cluster.differential import (
    Side,
    State,
    Step,
    assert_same,
    created,
    deleted,
    new_side,
    outcome_of,
    patched,
    settled,
)
from tests.cluster.normalise import Outcome
from tests.cluster.policies import refuse

if TYPE_CHECKING:
    from kubewright.config import Config
    from kubewright.testing import Cluster
    from tests.realcluster.cluster import RealCluster

pytestmark = pytest.mark.real

KINDS = ["Namespace", "ConfigMap", "Secret", "ServiceAccount"]
"""What is compared. Pods that hang are another controller's, whose rounds are 20 seconds apart."""


def held(kind: str, name: str, *finalizers: str, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "finalizers": [f"example.com/{each}" for each in finalizers]}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **more}


def pod(name: str, *finalizers: str, **spec: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "c", "image": "i"}], "schedulerName": "nobody", **spec}
    return held("Pod", name, *finalizers, spec=spec)


def condition(kind: str, status: str) -> Callable[[State], object]:
    def holds(state: State) -> object:
        found = state["Namespace"][0]["status"].get("conditions", [])
        return any((each["type"], each["status"]) == (kind, status) for each in found)

    return holds


def ends(until: Callable[[State], object]) -> list[Step]:
    return [deleted("Namespace", "<namespace>"), settled(kinds=[*KINDS, "Pod"], until=until)]


def told(text: str) -> Callable[[State], object]:
    return lambda state: text in str(state["Namespace"][0]["status"])


async def secrets_stay(side: Side) -> None:
    """For good: names of policies are not compared where they are the same in both clusters."""
    await refuse(
        side.client, "nothing-goes", resources="secrets", operation="DELETE", namespace=side.namespace
    )


REMAINS = condition("NamespaceContentRemaining", "True")
FAILS = condition("NamespaceDeletionContentFailure", "True")

CASES: Mapping[str, list[Step]] = {
    "finalizers": [
        created(
            [
                held("ConfigMap", "one", "first"),
                held("ConfigMap", "two", "first", "second"),
                held("ConfigMap", "goes"),
                held("Secret", "three", "second"),
            ]
        ),
        *ends(REMAINS),
        patched("ConfigMap", "one", {"metadata": {"finalizers": None}}),
        settled(kinds=KINDS, until=told("configmaps. has 1 resource instances"), patience=60),
    ],
    "pods first": [
        created([pod("held", "first"), pod("goes"), held("ConfigMap", "later")]),
        *ends(condition("NamespaceContentRemaining", "False")),
    ],
    "pods, then the rest": [
        created([pod("held", "first"), held("ConfigMap", "two", "second")]),
        *ends(condition("NamespaceContentRemaining", "False")),
        patched("Pod", "held", {"metadata": {"finalizers": None}}),
        settled(kinds=[*KINDS, "Pod"], until=REMAINS, patience=60),
    ],
    "refused": [created([held("Secret", "stays"), held("ConfigMap", "goes")]), secrets_stay, *ends(FAILS)],
    "a finalizer of its own": [
        patched("Namespace", "<namespace>", {"metadata": {"finalizers": ["example.com/mine"]}}),
        *ends(lambda state: not state["Namespace"][0]["spec"].get("finalizers")),
    ],
}


async def outcomes(config: Config) -> dict[str, Outcome]:
    async def outcome(client: Client, steps: list[Step]) -> Outcome:
        async with new_side(client) as side:
            return await outcome_of(side, steps, KINDS)

    async with Client(config) as client, asyncio.timeout(120):
        found = await asyncio.gather(*(outcome(client, steps) for steps in CASES.values()))
    return dict(zip(CASES, found, strict=True))


@pytest.fixture(scope="module")
def found(embedded_cluster: Cluster, real_cluster: RealCluster) -> tuple[dict[str, Outcome], ...]:
    async def run() -> tuple[dict[str, Outcome], ...]:
        return tuple(await asyncio.gather(outcomes(embedded_cluster.config), outcomes(real_cluster.config)))

    return asyncio.run(run())


@pytest.mark.parametrize("case", CASES)
def test_both_clusters_say_the_same(found: tuple[dict[str, Outcome], ...], case: str) -> None:
    embedded, real = found
    assert_same(embedded[case], real[case])
    assert len(real[case]["Namespace"][0]["status"]["conditions"]) == 5
