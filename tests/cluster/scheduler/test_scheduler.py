"""Pods are assigned, or told why not, and assigned when that changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from kubewright import Client
from kubewright.models.core_v1 import Event, Node, PersistentVolumeClaim, Pod
from kubewright.models.storage_v1 import StorageClass
from tests.cluster.clusters import eventually, with_cluster

CONTROLLERS = ("scheduler", "kubelet")

NOT_HELPFUL = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
NO_VICTIMS = "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."


async def create(client: Client, name: str, **spec: Any) -> None:
    containers = spec.pop("containers", [{"name": "c", "image": "i"}])
    await client.api(Pod, "default").create(
        {"metadata": {"name": name}, "spec": {"containers": containers, **spec}}
    )


async def node_of(client: Client, name: str) -> str:
    return (await client.api(Pod, "default").get(name)).spec.node_name


async def refusal(client: Client, name: str) -> str:
    conditions = (await client.api(Pod, "default").get(name)).status.conditions
    return next(
        (each.message for each in conditions if (each.type, each.status) == ("PodScheduled", "False")), ""
    )


def is_told(client: Client, name: str, why: str) -> Callable[[], Awaitable[bool]]:
    """Whether this is why a pod is not assigned; before there are nodes, that is another reason."""

    async def so() -> bool:
        return await refusal(client, name) == why

    return so


async def events(client: Client, pod: str) -> list[Event]:
    found = client.api(Event, "default").list()
    return [each async for each in found if each.involved_object.name == pod]


def big(cpu: str) -> dict[str, Any]:
    return {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}


def test_pods_are_spread() -> None:
    async def test(client: Client) -> None:
        # Those that can have one node each tell that the scheduler knows of all three.
        for number in (1, 2, 3):
            only = {"kubernetes.io/hostname": f"node-{number}"}
            await create(client, f"first-{number}", nodeSelector=only)
            await eventually(partial(node_of, client, f"first-{number}"), "it is not assigned")
        for number in range(6):
            await create(client, f"p{number}")

        async def assigned() -> bool:
            return all([await node_of(client, f"p{number}") for number in range(6)])

        await eventually(assigned, "not all pods are assigned")
        nodes = [await node_of(client, f"p{number}") for number in range(6)]
        assert sorted(nodes) == ["node-1", "node-1", "node-2", "node-2", "node-3", "node-3"]

    with_cluster(test, *CONTROLLERS, nodes=3)


def test_one_that_fits_nowhere_is_told_and_assigned_when_there_is_room() -> None:
    async def test(client: Client) -> None:
        await create(client, "first", **big("20"))
        await eventually(lambda: node_of(client, "first"), "the first is not assigned")
        await create(client, "second", **big("20"))
        await eventually(lambda: refusal(client, "second"), "nothing is told")
        told = f"0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, {NO_VICTIMS}"
        assert await refusal(client, "second") == told
        await eventually(lambda: events(client, "second"), "there is no event")
        event = (await events(client, "second"))[0]
        assert (event.message, event.action, event.count) == (told, "Scheduling", None)
        assert event.reporting_component == "default-scheduler"
        assert event.reporting_instance.startswith("default-scheduler-")
        assert event.source.component == ""
        assert event.event_time is not None
        await client.api(Pod, "default").delete("first", grace_period=0)
        await eventually(lambda: node_of(client, "second"), "the second is not assigned")
        assert await refusal(client, "second") == ""

    with_cluster(test, *CONTROLLERS)


def test_a_pod_that_is_over_takes_nothing() -> None:
    async def test(client: Client) -> None:
        await create(client, "task", restartPolicy="Never", **big("20"))
        await create(client, "next", **big("20"))
        await eventually(lambda: node_of(client, "next"), "the next is not assigned")

    with_cluster(test, *CONTROLLERS)


def test_cordon_and_uncordon() -> None:
    async def test(client: Client) -> None:
        # Cordoned from the start: the scheduler may hear of a pod before it hears of a change of a node.
        room = {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}}
        node = {"metadata": {"name": "mine"}, "spec": {"unschedulable": True}, "status": room}
        await client.api(Node).create(node)
        await client.api(Node).patch("mine", {"spec": {"taints": None}})
        await create(client, "p")
        told = "0/1 nodes are available: 1 node(s) were unschedulable. no new claims to deallocate, "
        await eventually(is_told(client, "p", told + NOT_HELPFUL), "that is not told")
        await client.api(Node).patch("mine", {"spec": {"unschedulable": None}})
        await eventually(lambda: node_of(client, "p"), "the pod is not assigned")

    with_cluster(test, "scheduler", nodes=0)


def test_without_nodes() -> None:
    async def test(client: Client) -> None:
        await create(client, "p")
        await eventually(lambda: refusal(client, "p"), "nothing is told")
        assert await refusal(client, "p") == "no nodes available to schedule pods"

    with_cluster(test, *CONTROLLERS, nodes=0)


def test_gates_and_other_schedulers() -> None:
    async def test(client: Client) -> None:
        await create(client, "gated", schedulingGates=[{"name": "example.com/wait"}])
        await create(client, "other", schedulerName="mine")
        await create(client, "last")
        await eventually(lambda: node_of(client, "last"), "the last is not assigned")
        assert await node_of(client, "gated") == ""
        assert await node_of(client, "other") == ""
        await client.api(Pod, "default").patch("gated", {"spec": {"schedulingGates": []}})
        await eventually(lambda: node_of(client, "gated"), "the gated one is not assigned")

    with_cluster(test, *CONTROLLERS)


def test_a_claim_is_waited_for() -> None:
    async def test(client: Client) -> None:
        volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
        await create(client, "p", volumes=volumes)
        told = '0/1 nodes are available: persistentvolumeclaim "data" not found. not found'
        await eventually(is_told(client, "p", told), "that is not told")
        claims = client.api(PersistentVolumeClaim, "default")
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        await claims.create({"metadata": {"name": "data"}, "spec": spec})

        async def unbound() -> bool:
            return "unbound" in await refusal(client, "p")

        await eventually(unbound, "nothing new is told")
        await claims.patch("data", {"status": {"phase": "Bound"}}, subresource="status")
        await eventually(lambda: node_of(client, "p"), "the pod is not assigned")

    with_cluster(test, *CONTROLLERS)


def test_a_claim_that_waits_for_a_pod_gets_its_node() -> None:
    async def test(client: Client) -> None:
        await client.api(StorageClass).create(
            {
                "metadata": {"name": "late"},
                "provisioner": "example.com/nobody",
                "volumeBindingMode": "WaitForFirstConsumer",
            }
        )
        claims = client.api(PersistentVolumeClaim, "default")
        spec = {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "late",
        }
        await claims.create({"metadata": {"name": "data"}, "spec": spec})
        volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
        await create(client, "p", volumes=volumes, nodeSelector={"kubernetes.io/hostname": "node-2"})

        async def selected() -> bool:
            found = (await claims.get("data")).metadata.annotations
            return found.get("volume.kubernetes.io/selected-node") == "node-2"

        await eventually(selected, "no node is selected")
        assert await node_of(client, "p") == ""
        await claims.patch("data", {"status": {"phase": "Bound"}}, subresource="status")
        await eventually(lambda: node_of(client, "p"), "the pod is not assigned")

    with_cluster(test, *CONTROLLERS, nodes=2)
