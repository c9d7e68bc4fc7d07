"""Owners and namespaces: the embedded cluster beside the real one; and the real one beside itself.

What two namespaces of the real one make of the same steps is equal. So what the comparison with the embedded
cluster shows is a difference of behaviour; and a difference that is made on purpose is seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from kubewright.client.api import Propagation
from kubewright.client.client import Client
from kubewright.machinery.errors import ApiError
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
    outcome_of,
    scaled,
    settled,
    state_of,
)
from tests.cluster.differential_report import differences
from tests.cluster.normalise import Outcome

if TYPE_CHECKING:
    from kubewright.testing import Cluster
    from tests.cluster.conftest import Both
    from tests.realcluster.cluster import RealCluster

pytestmark = pytest.mark.real

PATIENCE = 300.0
"""Seconds that all cases may take on a busy machine."""

WORKLOADS = ("Deployment", "ReplicaSet", "Pod")

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {schedulerName: nobody, containers: [{name: c, image: "nginx:1"}]}
"""
"""Its pods have no scheduler: what one says of pods without nodes depends on when it comes to them."""


Case = tuple[list[Step], Sequence[str]]


def pods(count: int) -> Callable[[State], bool]:
    return lambda state: len(state["Pod"]) == count


def owned(name: str, owner: str, **reference: object) -> Step:
    """A ConfigMap that is owned by another, with a finalizer that keeps it."""

    async def step(side: Side) -> None:
        config_maps = (await state_of(side, ["ConfigMap"]))["ConfigMap"]
        uid = next(each["metadata"]["uid"] for each in config_maps if each["metadata"]["name"] == owner)
        owners = [{"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": uid, **reference}]
        metadata = {"name": name, "ownerReferences": owners, "finalizers": ["example.com/hold"]}
        await side.api("ConfigMap").create({"metadata": metadata})

    return step


def owners(policy: Propagation) -> Case:
    """An owner that is deleted, and two that it owns, of which one keeps it from going."""
    left = 3 if policy == "Foreground" else 2

    def over(state: State) -> bool:
        mine = [each for each in state["ConfigMap"] if each["metadata"]["name"] != "kube-root-ca.crt"]
        ending = [each for each in mine if "deletionTimestamp" in each["metadata"]]
        return len(mine) == left and len(ending) == (0 if policy == "Orphan" else left)

    steps = [
        created("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: owner}\n"),
        owned("blocking", "owner", blockOwnerDeletion=True),
        owned("free", "owner"),
        settled(kinds=["ConfigMap"]),
        deleted("ConfigMap", "owner", policy),
        settled(kinds=["ConfigMap"], until=over),
    ]
    return steps, ["ConfigMap"]


def end_of_a_namespace() -> Case:
    """A namespace that is deleted, with an object that does not go."""

    def told(state: State) -> bool:
        return len(state["Namespace"][0]["status"].get("conditions", [])) == 5

    held = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, finalizers: [example.com/hold]}\n"
    steps = [
        created(held),
        deleted("Namespace", "<namespace>"),
        settled(kinds=["Namespace", "ConfigMap"], until=told),
    ]
    return steps, ["Namespace", "ConfigMap", "ServiceAccount"]


def end_of_a_deployment(policy: Propagation) -> Case:
    """A Deployment that is deleted with all that it owns."""
    steps = [
        created(DEPLOYMENT),
        settled(until=pods(3)),
        deleted("Deployment", "web", policy),
        settled(until=pods(0)),
    ]
    return steps, WORKLOADS


def admitted_pods() -> Case:
    """What the plugins of admission make of pods: accounts, tokens, secrets, priorities, tolerations."""
    mount = {"name": "mine", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    container = {"name": "c", "image": "i"}
    quick = [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute", "operator": "Exists"}]
    specs: dict[str, dict[str, Any]] = {
        "plain": {"initContainers": [{**container, "name": "first"}]},
        "without-token": {"automountServiceAccountToken": False},
        "quiet": {"serviceAccountName": "quiet"},
        "quiet-by-its-older-name": {"serviceAccount": "quiet"},
        "quiet-with-token": {"serviceAccountName": "quiet", "automountServiceAccountToken": True},
        "own-secrets": {"serviceAccountName": "quiet", "imagePullSecrets": [{"name": "own"}]},
        "own-mount": {
            "volumes": [{"name": "mine", "emptyDir": {}}],
            "containers": [{**container, "volumeMounts": [mount]}, {**container, "name": "other"}],
        },
        "critical": {"priorityClassName": "system-node-critical"},
        "tolerant": {"tolerations": [{**quick[0], "tolerationSeconds": 10}]},
        "tolerant-for-ever": {"tolerations": quick},
        "of-nobody": {"serviceAccountName": "absent"},
        "of-no-class": {"priorityClassName": "absent"},
        "of-its-own-priority": {"priority": 7},
    }
    account = {"metadata": {"name": "quiet"}, "automountServiceAccountToken": False}
    account |= {"kind": "ServiceAccount", "apiVersion": "v1", "imagePullSecrets": [{"name": "registry"}]}

    async def step(side: Side) -> None:
        refused = {}
        for name, spec in specs.items():
            whole = {"schedulerName": "nobody", "containers": [container], **spec}
            try:
                await side.api("Pod").create({"metadata": {"name": name}, "spec": whole})
            except ApiError as error:
                refused[name] = f"{error.status.code} {error.status.reason}: {error.status.message}"
        await side.api("ConfigMap").create({"metadata": {"name": "refused"}, "data": refused})

    return [created([account]), step], ["Pod", "ConfigMap"]


CASES: Mapping[str, Case] = {
    "a new namespace": ([], ["Namespace", "ConfigMap", "ServiceAccount", "Secret"]),
    "the end of a namespace": end_of_a_namespace(),
    "owners, background": owners("Background"),
    "owners, foreground": owners("Foreground"),
    "owners, orphan": owners("Orphan"),
    "pods as they are admitted": admitted_pods(),
    "a deployment": ([created(DEPLOYMENT), settled(until=pods(3))], WORKLOADS),
    "a deployment, background": end_of_a_deployment("Background"),
    "a deployment, foreground": end_of_a_deployment("Foreground"),
}

Found = dict[str, Outcome]


async def outcomes(ours: Client, theirs: Client, case: Case) -> list[Outcome]:
    """What becomes of a case in a namespace of the embedded cluster, and in two of the real one."""
    steps, kinds = case
    async with new_side(ours) as embedded, new_side(theirs) as real, new_side(theirs) as again:
        sides = (embedded, real, again)
        await done_on(sides, steps)
        return await agreed(sides, kinds)


@pytest.fixture(scope="module")
def found(embedded_cluster: Cluster, real_cluster: RealCluster) -> tuple[Found, ...]:
    """What came of the cases, all at the same time: on the embedded cluster, on the real one, and again."""

    async def run() -> list[list[Outcome]]:
        async with (
            asyncio.timeout(PATIENCE),
            Client(embedded_cluster.config) as ours,
            Client(real_cluster.config) as theirs,
        ):
            return await asyncio.gather(*(outcomes(ours, theirs, case) for case in CASES.values()))

    return tuple(dict(zip(CASES, each, strict=True)) for each in zip(*asyncio.run(run()), strict=True))


@pytest.mark.parametrize("case", CASES)
def test_both_clusters_do_the_same(found: tuple[Found, ...], case: str) -> None:
    embedded, real, _ = found
    assert_same(embedded[case], real[case])


@pytest.mark.parametrize("case", CASES)
def test_the_real_cluster_does_the_same_again(found: tuple[Found, ...], case: str) -> None:
    _, real, again = found
    assert_same(again[case], real[case])


def test_there_is_something_to_compare(found: tuple[Found, ...]) -> None:
    real = found[1]
    new = real["a new namespace"]
    assert new["ConfigMap"][0]["data"] == {"ca.crt": "<certificates>"}
    assert new["ServiceAccount"][0]["metadata"]["name"] == "default"
    assert list(real["the end of a namespace"]) == ["ConfigMap", "Namespace"]
    admitted = real["pods as they are admitted"]
    assert len(admitted["Pod"]) == 10
    assert [len(each["data"]) for each in admitted["ConfigMap"] if each["metadata"]["name"] == "refused"] == [
        3
    ]
    policies = ("background", "foreground", "orphan")
    assert [len(real[f"owners, {policy}"]["ConfigMap"]) for policy in policies] == [3, 4, 3]
    names = [each["metadata"]["name"] for each in real["a deployment"]["Pod"]]
    assert names == ["web-<hash 1>-*"] * 3
    assert {event["reason"] for event in real["a deployment"]["Event"]} == {
        "ScalingReplicaSet",
        "SuccessfulCreate",
    }
    assert list(real["a deployment, background"]) == ["Event"]


def test_a_difference_is_seen(real_cluster: RealCluster) -> None:
    async def run() -> list[str]:
        async with (
            Client(real_cluster.config) as client,
            new_side(client) as side,
            new_side(client) as other_side,
        ):
            await created(DEPLOYMENT)(other_side)
            one = await outcome_of(side, [created(DEPLOYMENT), settled(until=pods(3))], WORKLOADS)
            more = [settled(until=pods(3)), scaled("Deployment", "web", 2), settled(until=pods(2))]
            return differences(one, await outcome_of(other_side, more, WORKLOADS))

    lines = asyncio.run(run())
    assert "+Deployment web spec.replicas: 3" in lines
    assert "-Deployment web spec.replicas: 2" in lines
    # The pod that went, and the event that told of it.
    assert "+Pod web-<hash 1>-*[3] status.phase: 'Pending'" in lines
    assert any(line.startswith("-Event Normal SuccessfulDelete ReplicaSet/web-<hash 1>") for line in lines)


def test_stages_are_compared_one_after_another(both: Both) -> None:
    outcome = both(
        [created(DEPLOYMENT), settled(until=pods(3))],
        [scaled("Deployment", "web", 1), settled(until=pods(1))],
        kinds=["Deployment", "ReplicaSet"],
    )
    assert outcome["Deployment"][0]["status"]["replicas"] == 1
