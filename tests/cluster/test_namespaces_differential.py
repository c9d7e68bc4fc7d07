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
    agreed,
    assert_same,
    created,
    deleted,
    done_on,
    new_side,
    patched,
    settled,
)
from tests.cluster.normalise import Outcome
from tests.cluster.policies import refuse

if TYPE_CHECKING:
    from kubewright.testing import Cluster
    from tests.realcluster.cluster import RealCluster

pytestmark = pytest.mark.real

PATIENCE = 300.0
"""Seconds that all cases may take on a busy machine."""

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
        settled(kinds=KINDS, until=told("configmaps. has 1 resource instances")),
    ],
    "pods first": [
        created([pod("held", "first"), pod("goes"), held("ConfigMap", "later")]),
        *ends(condition("NamespaceContentRemaining", "False")),
    ],
    "pods, then the rest": [
        created([pod("held", "first"), held("ConfigMap", "two", "second")]),
        *ends(condition("NamespaceContentRemaining", "False")),
        patched("Pod", "held", {"metadata": {"finalizers": None}}),
        settled(kinds=[*KINDS, "Pod"], until=REMAINS),
    ],
    "refused": [created([held("Secret", "stays"), held("ConfigMap", "goes")]), secrets_stay, *ends(FAILS)],
    "a finalizer of its own": [
        patched("Namespace", "<namespace>", {"metadata": {"finalizers": ["example.com/mine"]}}),
        *ends(lambda state: not state["Namespace"][0]["spec"].get("finalizers")),
    ],
}


async def outcomes(ours: Client, theirs: Client, steps: list[Step]) -> list[Outcome]:
    async with new_side(ours) as embedded, new_side(theirs) as real:
        await done_on((embedded, real), steps)
        return await agreed((embedded, real), KINDS)


@pytest.fixture(scope="module")
def found(embedded_cluster: Cluster, real_cluster: RealCluster) -> dict[str, list[Outcome]]:
    """What came of the cases, all at the same time, on the embedded cluster and on the real one."""

    async def run() -> list[list[Outcome]]:
        async with (
            asyncio.timeout(PATIENCE),
            Client(embedded_cluster.config) as ours,
            Client(real_cluster.config) as theirs,
        ):
            return await asyncio.gather(*(outcomes(ours, theirs, steps) for steps in CASES.values()))

    return dict(zip(CASES, asyncio.run(run()), strict=True))


@pytest.mark.parametrize("case", CASES)
def test_both_clusters_say_the_same(found: dict[str, list[Outcome]], case: str) -> None:
    embedded, real = found[case]
    assert_same(embedded, real)
    assert len(real["Namespace"][0]["status"]["conditions"]) == 5
