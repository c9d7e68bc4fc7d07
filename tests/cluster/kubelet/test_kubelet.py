"""Pods of a cluster run, end and go, and nodes say that they are well."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kubewright import Client, NotFound
from kubewright.cluster.kubelet.addresses import PodAddresses
from kubewright.cluster.kubelet.kubelet import Kubelet
from kubewright.cluster.kubelet.script import PREFIX
from kubewright.cluster.nodes.pods_by_node import BY_NODE, node_of
from kubewright.controllers.manager import Manager
from kubewright.models.coordination_v1 import Lease
from kubewright.models.core_v1 import Event, Node, Pod
from tests.cluster.clusters import eventually, with_cluster

CONTROLLERS = ("scheduler", "kubelet")


async def create(client: Client, name: str, script: dict[str, str] | None = None, **spec: Any) -> None:
    annotations = {PREFIX + word: text for word, text in (script or {}).items()}
    containers = spec.pop("containers", [{"name": "main", "image": "nginx"}])
    body = {
        "metadata": {"name": name, "annotations": annotations},
        "spec": {"containers": containers, **spec},
    }
    await client.api(Pod, "default").create(body)


async def phase(client: Client, name: str) -> str:
    return (await client.api(Pod, "default").get(name)).status.phase


def has_phase(client: Client, name: str, wanted: str) -> Any:
    async def so() -> bool:
        return await phase(client, name) == wanted

    return so


async def is_gone(client: Client, name: str) -> bool:
    try:
        await client.api(Pod, "default").get(name)
    except NotFound:
        return True
    return False


def test_pods_run_with_addresses_of_their_own() -> None:
    async def test(client: Client) -> None:
        for number in range(20):
            await create(client, f"p{number}")
        await create(client, "host", hostNetwork=True)
        for name in [f"p{number}" for number in range(20)] + ["host"]:
            await eventually(has_phase(client, name, "Running"), f"{name} does not run")
        pods = [each async for each in client.api(Pod, "default").list()]
        addresses = {each.status.pod_ip for each in pods if each.metadata.name != "host"}
        assert len(addresses) == 20
        host = next(each for each in pods if each.metadata.name == "host")
        assert host.status.pod_ip == host.status.host_ip
        assert all(each.status.host_ip for each in pods)
        managers = {each.manager for each in pods[0].metadata.managed_fields if each.subresource == "status"}
        assert "kubelet" in managers

    with_cluster(test, *CONTROLLERS, nodes=2)


def test_tasks_end_and_crash_loops_restart() -> None:
    async def test(client: Client) -> None:
        await create(client, "task", {"run-for": "200ms"}, restartPolicy="Never")
        await create(client, "failure", {"exit-code": "3"}, restartPolicy="Never")
        await create(client, "loop", {"crash-loop": "true"})
        await eventually(has_phase(client, "task", "Succeeded"), "the task does not end")
        await eventually(has_phase(client, "failure", "Failed"), "the failure does not end")

        async def looping() -> bool:
            statuses = (await client.api(Pod, "default").get("loop")).status.container_statuses
            waiting = statuses[0].state.waiting if statuses else None
            return waiting is not None and waiting.reason == "CrashLoopBackOff"

        await eventually(looping, "nothing loops")

        async def told() -> bool:
            reasons = {each.reason async for each in client.api(Event, "default").list()}
            return {"Scheduled", "Pulled", "Created", "Started", "BackOff"} <= reasons

        await eventually(told, "not all is told")

    with_cluster(test, *CONTROLLERS)


def test_a_deleted_pod_ends_in_its_grace_period() -> None:
    async def test(client: Client) -> None:
        await create(client, "quick")
        await create(client, "slow", {"stop-after": "2s"})
        for name in ("quick", "slow"):
            await eventually(has_phase(client, name, "Running"), f"{name} does not run")
        begun = datetime.now(UTC)
        for name in ("slow", "quick"):
            await client.api(Pod, "default").delete(name)
        await eventually(lambda: is_gone(client, "quick"), "the quick one is still there")
        await eventually(lambda: is_gone(client, "slow"), "the slow one is still there")
        # The time of a deletion has whole seconds; and their grace period is 30.
        assert 1 < (datetime.now(UTC) - begun).total_seconds() < 25

        async def told() -> bool:
            reasons = [each.reason async for each in client.api(Event, "default").list()]
            return reasons.count("Killing") == 2

        await eventually(told, "not of both is told that they are killed")

    with_cluster(test, *CONTROLLERS)


def test_nodes_are_ready_and_renew_their_leases() -> None:
    async def test(client: Client) -> None:
        async def ready() -> bool:
            nodes = [each async for each in client.api(Node).list()]
            return len(nodes) == 3 and all(
                any((each.type, each.status) == ("Ready", "True") for each in node.status.conditions)
                and not node.spec.taints
                for node in nodes
            )

        await eventually(ready, "nodes are not ready")
        leases = [each.metadata.name async for each in client.api(Lease, "kube-node-lease").list()]
        assert sorted(leases) == ["node-1", "node-2", "node-3"]
        node = await client.api(Node).get("node-2")
        assert node.status.node_info.kubelet_version.startswith("v1.36")
        assert str(node.status.allocatable["pods"]) == "110"

    with_cluster(test, "kubelet", "nodelifecycle", nodes=3)


def test_a_node_of_ones_own_may_pretend_too() -> None:
    async def test(client: Client) -> None:
        node = {"metadata": {"name": "mine", "annotations": {PREFIX + "pretended": "true"}}}
        await client.api(Node).create(node)
        await create(client, "p", nodeName="mine")
        await eventually(has_phase(client, "p", "Running"), "the pod does not run")
        await client.api(Node).create({"metadata": {"name": "theirs"}})
        await create(client, "q", nodeName="theirs")
        await create(client, "r", nodeName="mine")
        await eventually(has_phase(client, "r", "Running"), "the pod does not run")
        assert await phase(client, "q") == "Pending"

    with_cluster(test, "kubelet", nodes=0)


def test_pods_outlive_a_restart_of_the_cluster(tmp_path: Path) -> None:
    async def before(client: Client) -> None:
        await create(client, "p")
        await create(client, "later", {"start-after": "1s"})
        await eventually(has_phase(client, "p", "Running"), "the pod does not run")

    async def after(client: Client) -> None:
        pod = await client.api(Pod, "default").get("p")
        await create(client, "q")
        await eventually(has_phase(client, "q", "Running"), "the new pod does not run")
        await eventually(has_phase(client, "later", "Running"), "the old pod does not go on")
        again = await client.api(Pod, "default").get("p")
        assert again.status.container_statuses[0].restart_count == 0
        assert again.status.start_time == pod.status.start_time
        addresses = {
            (await client.api(Pod, "default").get(name)).status.pod_ip for name in ("p", "q", "later")
        }
        assert len(addresses) == 3

    with_cluster(before, *CONTROLLERS, data_dir=tmp_path / "data")
    with_cluster(after, *CONTROLLERS, data_dir=tmp_path / "data")


async def events(client: Client, name: str, reason: str) -> list[Event]:
    found = client.api(Event, "default").list()
    return [each async for each in found if (each.involved_object.name, each.reason) == (name, reason)]


def test_a_pod_is_written_once_when_it_starts() -> None:
    async def test(client: Client) -> None:
        await eventually(lambda: client.api(Node).get("node-1"), "there is no node")
        seen: list[str] = []
        revision = (await client.api(Node).get("node-1")).metadata.resource_version
        await create(client, "p")
        async with (
            client.api(Pod, "default").watch(resource_version=revision) as watch,
            asyncio.timeout(60),
        ):
            async for event in watch:
                written = event.object.metadata.managed_fields
                kubelet = any(each.manager == "kubelet" for each in written)
                seen.append(f"{event.type} {kubelet} {event.object.status.phase}")
                if event.object.status.phase == "Running":
                    break
        # Created, assigned, and told of once.
        assert seen == ["ADDED False Pending", "MODIFIED False Pending", "MODIFIED True Running"]

    with_cluster(test, *CONTROLLERS, "nodelifecycle")


def test_pods_that_are_gone_leave_nothing_behind() -> None:
    """What kubelets remember of pods goes with them, whichever way they go."""
    kubelet = Kubelet()

    async def test(client: Client) -> None:
        manager = Manager(client, signals=False)
        manager.index(Pod, {BY_NODE: node_of})
        kubelet.watch(manager)
        async with manager, asyncio.TaskGroup() as group:
            running = group.create_task(manager.run())
            for number in range(4):
                await create(client, f"p{number}", {"stop-after": "1s"} if number else {})
                await eventually(has_phase(client, f"p{number}", "Running"), "it does not run")
            pods = client.api(Pod, "default")
            await pods.delete("p0")
            await pods.delete("p1", grace_period=0)
            await pods.patch("p2", {"metadata": {"finalizers": ["example.com/hold"]}})
            await pods.delete("p2")
            await pods.delete("p3")

            async def only_the_held_one() -> bool:
                found = [each async for each in pods.list()]
                return len(found) == 1 and found[0].metadata.deletion_grace_period_seconds == 0

            await eventually(only_the_held_one, "not all are gone")
            held = await pods.get("p2")
            assert held.status.phase == "Succeeded"
            await pods.patch("p2", {"metadata": {"finalizers": None}})

            async def nothing_is_known() -> bool:
                return not (kubelet._seen or kubelet._times or kubelet._addresses["node-1"]._by_pod)

            await eventually(nothing_is_known, "something is left")

            async def no_exit_is_known() -> bool:
                return not kubelet._exits._codes

            # Whoever is attached may be told of the end after the kubelet.
            kubelet._exits.note(held, "kubewright://gone", 137)
            await eventually(no_exit_is_known, "an exit is left")
            manager.stop()
            await running

    with_cluster(with_own_nodes(test), "scheduler", nodes=0)


def with_own_nodes(test: Any) -> Any:
    """A node as the kubelets make it, for a test that runs them itself."""

    async def run(client: Client) -> None:
        await client.api(Node).create(
            {
                "metadata": {"name": "node-1", "annotations": {PREFIX + "pretended": "true"}},
                "spec": {"podCIDR": "10.244.1.0/24"},
                "status": {
                    "addresses": [{"type": "InternalIP", "address": "172.18.0.2"}],
                    "allocatable": {"cpu": "8", "memory": "8Gi", "pods": "110"},
                },
            }
        )
        await client.api(Node).patch("node-1", {"spec": {"taints": None}})
        await test(client)

    return run


def test_a_pod_that_is_there_before_its_node() -> None:
    async def test(client: Client) -> None:
        await create(client, "p", nodeName="later")
        await create(client, "q", nodeName="never")
        node = {"metadata": {"name": "later", "annotations": {PREFIX + "pretended": "true"}}}
        await client.api(Node).create(node)
        await eventually(has_phase(client, "p", "Running"), "the pod does not run")
        assert (await client.api(Pod, "default").get("p")).status.host_ip
        # Nobody knows the node of the other one yet, which is no reason to delete it so soon.
        assert await phase(client, "q") == "Pending"

    with_cluster(test, "kubelet", "podgc", nodes=0)


def test_a_pod_that_is_deleted_while_it_waits_and_one_that_is_deleted_by_force() -> None:
    async def test(client: Client) -> None:
        await create(client, "waits", {"image-pull-error": "true"})
        await create(client, "runs", {"stop-after": "1h"})
        await create(client, "nowhere", nodeSelector={"a": "b"})

        async def backs_off() -> bool:
            statuses = (await client.api(Pod, "default").get("waits")).status.container_statuses
            return bool(statuses and statuses[0].state.waiting)

        await eventually(backs_off, "it does not wait")
        await eventually(has_phase(client, "runs", "Running"), "it does not run")
        await client.api(Pod, "default").delete("waits")
        await client.api(Pod, "default").delete("nowhere")
        await client.api(Pod, "default").delete("runs", grace_period=0)
        for name in ("waits", "nowhere", "runs"):
            await eventually(partial(is_gone, client, name), f"{name} is still there")

    with_cluster(test, *CONTROLLERS)


def test_images_deadlines_and_debuggers() -> None:
    async def test(client: Client) -> None:
        pods = client.api(Pod, "default")
        await create(client, "p")
        await create(client, "late", activeDeadlineSeconds=1)
        await create(client, "init", initContainers=[{"name": "first", "image": "i"}])
        await eventually(has_phase(client, "p", "Running"), "it does not run")
        patch = {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}}
        await pods.patch("p", patch, type="strategic")

        async def restarted() -> bool:
            status = (await pods.get("p")).status.container_statuses[0]
            return (status.restart_count, status.image) == (1, "nginx:2")

        await eventually(restarted, "the new image does not run")
        debugger = {"spec": {"ephemeralContainers": [{"name": "debugger", "image": "busybox"}]}}
        await pods.patch("p", debugger, type="strategic", subresource="ephemeralcontainers")

        async def debugged() -> bool:
            found = (await pods.get("p")).status.ephemeral_container_statuses
            return bool(found and found[0].state.running)

        await eventually(debugged, "the debugger does not run")
        await eventually(has_phase(client, "late", "Failed"), "it goes on after its deadline")
        assert (await pods.get("late")).status.qos_class == "BestEffort"

        async def told() -> bool:
            found = await events(client, "init", "Started")
            return {each.involved_object.field_path for each in found} == {
                "spec.initContainers{first}",
                "spec.containers{main}",
            }

        await eventually(told, "not all is told")
        killing = (await events(client, "p", "Killing"))[0]
        assert killing.message == "Container main definition changed, will be restarted"
        assert (killing.source.component, killing.source.host) == ("kubelet", "node-1")

    with_cluster(test, *CONTROLLERS)


@pytest.mark.parametrize(
    ("cidr", "different"), [("10.0.0.0/24", 253), ("10.0.0.0/30", 1), ("10.0.0.0/32", 1)]
)
def test_addresses(cidr: str, different: int) -> None:
    addresses = PodAddresses(cidr, {"x": "10.0.0.3"} if cidr.endswith("/24") else {})
    given = {addresses.of(str(number)) for number in range(300)}
    assert len(given) == different - (1 if cidr.endswith("/24") else 0)
    assert not given & {"10.0.0.3"} or not cidr.endswith("/24")
    one = addresses.of("7")
    assert addresses.of("7") == one
    addresses.release("7")
    addresses.release("7")
