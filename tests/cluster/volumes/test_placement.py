"""Where pods are, by their volumes, and claims that are bound only then."""

from __future__ import annotations

from typing import Any

from kubewright import Client
from kubewright.cluster.volumes.names import SELECTED_NODE
from kubewright.cluster.volumes.placement import Delayed, Placement
from kubewright.models.core_v1 import Node, PersistentVolume, PersistentVolumeClaim, Pod
from kubewright.models.storage_v1 import StorageClass
from tests.cluster.clusters import PATIENCE, eventually, with_cluster
from tests.cluster.volumes.objects import claim, pod_using, storage_class, volume

CONTROLLERS = ("persistentvolume-binder", "persistentvolume-provisioner", "scheduler", "kubelet")
LATER = {"volumeBindingMode": "WaitForFirstConsumer"}
NONE_TO_BIND = ["node(s) didn't find available persistent volumes to bind"]


def on(node: str) -> dict[str, Any]:
    expression = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


def node(name: str, **labels: str) -> Node:
    return Node.from_dict({"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}})


def delayed(wanted: PersistentVolumeClaim, *volumes: PersistentVolume, **fields: Any) -> Delayed:
    return Delayed(wanted, storage_class(**fields), volumes)


def test_bound_volumes_are_where_they_are() -> None:
    placed = Placement([volume(), volume(nodeAffinity=on("a"))])
    assert placed.misfit(node("a")) == []
    assert placed.misfit(node("b")) == ["node(s) didn't match PersistentVolume's node affinity"]
    lost = Placement([None]).misfit(node("a"))
    assert lost == ["node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"]


def test_claims_that_wait_get_volumes_of_the_node_and_none_twice() -> None:
    here = [volume("small", nodeAffinity=on("a")), volume("large", "9Gi", nodeAffinity=on("a"))]
    by_hand = {"provisioner": "kubernetes.io/no-provisioner"}
    two = Placement((), [delayed(claim(each), *here, **by_hand) for each in ("one", "two")])
    plan = two.plan(node("a"))
    assert plan is not None
    assert sorted(found.metadata.name for _, found in plan if found is not None) == ["large", "small"]
    assert two.misfit(node("b")) == NONE_TO_BIND
    three = Placement((), [delayed(claim(each), *here, **by_hand) for each in ("one", "two", "three")])
    assert three.misfit(node("a")) == NONE_TO_BIND
    meant = Placement(
        (), [delayed(claim(), volume(claimed_by="data", nodeAffinity=on("b")), *here, **by_hand)]
    )
    assert meant.misfit(node("a")) == NONE_TO_BIND


def test_claims_that_wait_for_a_volume_to_be_made() -> None:
    plan = Placement((), [delayed(claim(), volume(size="1Mi"))]).plan(node("a"))
    assert plan is not None
    assert [found for _, found in plan] == [None]
    selected = Placement((), [delayed(claim(annotations={SELECTED_NODE: "b"}), volume())])
    assert selected.misfit(node("a")) == NONE_TO_BIND
    assert selected.misfit(node("b")) == []
    topology = {"allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["z"]}]}]}
    zoned = Placement((), [delayed(claim(), **topology)])
    assert zoned.misfit(node("a", zone="z")) == []
    assert zoned.misfit(node("a", zone="y")) == NONE_TO_BIND


async def running(client: Client, name: str) -> Pod:
    pods = client.api(Pod, "default")
    return await pods.wait_for(name, lambda pod: pod.status.phase == "Running", timeout=PATIENCE)


async def make(client: Client, name: str, storage: str) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    body = {"metadata": {"name": name}, "spec": {**spec, "storageClassName": storage}}
    await client.api(PersistentVolumeClaim, "default").create(body)


def test_a_volume_is_made_when_a_pod_wants_it() -> None:
    async def test(client: Client) -> None:
        fields = {"provisioner": "pretended.kubewright.dev", **LATER}
        await client.api(StorageClass).create({"metadata": {"name": "later"}, **fields})
        await make(client, "data", "later")
        await client.api(Pod, "default").create(pod_using("web", "data"))
        pod = await running(client, "web")
        found = await client.api(PersistentVolumeClaim, "default").get("data")
        assert found.status.phase == "Bound"
        assert found.metadata.annotations[SELECTED_NODE] == pod.spec.node_name
        refused = [each for each in pod.status.conditions if each.reason == "Unschedulable"]
        assert refused == []

    with_cluster(test, *CONTROLLERS, nodes=3)


def test_a_pod_is_where_its_claim_was_bound_for() -> None:
    async def test(client: Client) -> None:
        pods, claims = client.api(Pod, "default"), client.api(PersistentVolumeClaim, "default")
        await client.api(StorageClass).create(
            {"metadata": {"name": "others"}, "provisioner": "example.com/disks", **LATER}
        )
        await make(client, "data", "others")
        await pods.create(pod_using("web", "data"))
        found = await claims.wait_for(
            "data", lambda it: SELECTED_NODE in it.metadata.annotations, timeout=PATIENCE
        )
        node_name = found.metadata.annotations[SELECTED_NODE]
        # By now other nodes have more left.
        await pods.create(pod_using("neighbour", "data", nodeName=node_name))
        await running(client, "neighbour")
        disk = volume("disk", storageClassName="others", claimed_by="data")
        await client.api(PersistentVolume).create(disk)
        assert (await running(client, "web")).spec.node_name == node_name

    with_cluster(test, *CONTROLLERS, nodes=3)


def test_pods_go_where_their_volumes_are() -> None:
    async def test(client: Client) -> None:
        pods = client.api(Pod, "default")
        fields = {"provisioner": "kubernetes.io/no-provisioner", **LATER}
        await client.api(StorageClass).create({"metadata": {"name": "local"}, **fields})
        await make(client, "data", "local")
        await pods.create(pod_using("web", "data"))

        async def told() -> bool:
            conditions = (await pods.get("web")).status.conditions
            return any(NONE_TO_BIND[0] in each.message for each in conditions)

        await eventually(told, "nothing is told")
        there = volume("disk", storageClassName="local", nodeAffinity=on("node-2"), hostPath=None)
        there.spec.local = {"path": "/srv"}
        await client.api(PersistentVolume).create(there)
        assert (await running(client, "web")).spec.node_name == "node-2"
        await pods.create(pod_using("second", "data"))
        assert (await running(client, "second")).spec.node_name == "node-2"

    with_cluster(test, *CONTROLLERS, nodes=3)
