"""ReplicaSets and ReplicationControllers on a cluster that has their controllers alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from kubewright import Client
from kubewright.client.api import Api
from kubewright.controllers.owners import controller_of
from kubewright.models.apps_v1 import ReplicaSet
from kubewright.models.core_v1 import Event, Pod, ReplicationController
from tests.cluster.clusters import eventually, with_cluster
from tests.cluster.workloads.kubelet import becomes, make_ready, ready_pods
from tests.cluster.workloads.objects import template

CONTROLLERS = ("replicaset", "replicationcontroller")


def run(test: Callable[[Client], Awaitable[None]]) -> None:
    with_cluster(test, *CONTROLLERS)


def replica_set(name: str = "web", **spec: Any) -> dict[str, Any]:
    said = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template(), **spec}
    return {"metadata": {"name": name}, "spec": said}


def bare_pod(name: str, **labels: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "c", "image": "x"}]},
    }


async def reaches(sets: Api[Any], name: str = "web", **status: int) -> Any:
    """Wait until the status of an object has these counts, which are 0 where it does not say."""

    def is_so(found: Any) -> bool:
        return found is not None and all(
            (getattr(found.status, field) or 0) == wanted for field, wanted in status.items()
        )

    return await sets.wait_for(name, is_so, timeout=60)


async def events_of(client: Client, name: str) -> list[tuple[str, str, str]]:
    events = client.api(Event, "default")
    return [
        (event.type, event.reason, event.message)
        async for event in events.list()
        if event.involved_object.name == name
    ]


def test_pods_are_created_and_counted() -> None:
    async def test(client: Client) -> None:
        sets, pods = client.api(ReplicaSet, "default"), client.api(Pod, "default")
        made = await sets.create(replica_set(replicas=3))
        await reaches(sets, replicas=3, fully_labeled_replicas=3, ready_replicas=0)
        found = [pod async for pod in pods.list()]
        assert len(found) == 3
        for pod in found:
            assert pod.metadata.name.startswith("web-")
            assert pod.metadata.labels == {"app": "web"}
            controller = controller_of(pod)
            assert controller is not None
            assert (controller.api_version, controller.kind, controller.uid) == (
                "apps/v1",
                "ReplicaSet",
                made.metadata.uid,
            )
            assert controller.block_owner_deletion
        await make_ready(pods, found[0].metadata.name)
        status = (await reaches(sets, ready_replicas=1, available_replicas=1)).status
        assert status.to_dict() == {
            "replicas": 3,
            "fullyLabeledReplicas": 3,
            "readyReplicas": 1,
            "availableReplicas": 1,
            "terminatingReplicas": 0,
            "observedGeneration": 1,
        }
        expected = {("Normal", "SuccessfulCreate", f"Created pod: {pod.metadata.name}") for pod in found}

        async def told() -> bool:
            return set(await events_of(client, "web")) == expected

        await eventually(told, "the events are not as they should be")

    run(test)


def test_scaling_deletes_pods_that_are_not_ready_first() -> None:
    async def test(client: Client) -> None:
        sets, pods = client.api(ReplicaSet, "default"), client.api(Pod, "default")
        await sets.create(replica_set(replicas=4))
        await reaches(sets, replicas=4)
        ready = [pod.metadata.name async for pod in pods.list()][:2]
        for name in ready:
            await make_ready(pods, name)
        await reaches(sets, ready_replicas=2)
        await sets.set_scale("web", 2)
        await reaches(sets, replicas=2, ready_replicas=2, observed_generation=2)
        assert sorted(ready) == sorted([pod.metadata.name async for pod in pods.list()])
        await sets.set_scale("web", 0)
        await reaches(sets, replicas=0)
        assert [pod async for pod in pods.list()] == []

    run(test)


def test_a_pod_that_is_deleted_or_fails_is_replaced() -> None:
    async def test(client: Client) -> None:
        sets, pods = client.api(ReplicaSet, "default"), client.api(Pod, "default")
        await sets.create(replica_set(replicas=2))
        await reaches(sets, replicas=2)
        first, second = [pod.metadata.name async for pod in pods.list()]
        await pods.delete(first)
        await pods.patch(second, {"status": {"phase": "Failed"}}, subresource="status")

        async def replaced() -> bool:
            names = {pod.metadata.name async for pod in pods.list()}
            return len(names) == 3 and second in names and first not in names

        # The one that failed stays, for those who want to know why.
        await eventually(replaced, "there are no new pods")
        await reaches(sets, replicas=2)

    run(test)


def test_pods_that_match_are_adopted_and_those_that_do_not_are_released() -> None:
    async def test(client: Client) -> None:
        sets, pods = client.api(ReplicaSet, "default"), client.api(Pod, "default")
        await pods.create(bare_pod("before", app="web"))
        made = await sets.create(replica_set(replicas=2))
        await reaches(sets, replicas=2)

        async def belongs(name: str) -> bool:
            controller = controller_of(await pods.get(name))
            return controller is not None and controller.uid == made.metadata.uid

        assert await belongs("before")
        assert len([pod async for pod in pods.list()]) == 2
        await pods.create(bare_pod("other", app="other"))
        assert not await belongs("other")
        await pods.patch("before", {"metadata": {"labels": {"app": "gone"}}})

        async def released() -> bool:
            return (
                not await belongs("before") and len([pod async for pod in pods.list(labels="app=web")]) == 2
            )

        await eventually(released, "it was not released, or not replaced")

    run(test)


def test_a_pod_that_comes_to_match_is_adopted() -> None:
    async def test(client: Client) -> None:
        sets, pods = client.api(ReplicaSet, "default"), client.api(Pod, "default")
        await pods.create(bare_pod("late", app="other"))
        await sets.create(replica_set(replicas=1))
        await reaches(sets, replicas=1)
        ours = [pod.metadata.name async for pod in pods.list(labels="app=web")]
        await make_ready(pods, ours[0])
        await reaches(sets, ready_replicas=1)
        await pods.patch("late", {"metadata": {"labels": {"app": "web"}}})

        async def one_is_left() -> bool:
            return [pod.metadata.name async for pod in pods.list()] == ours

        await eventually(one_is_left, "the one that is not ready was not adopted and deleted")
        await pods.create(bare_pod("new", app="web"))
        await eventually(one_is_left, "a new one was not adopted and deleted")

    run(test)


def test_a_controller_that_is_being_deleted_does_nothing() -> None:
    async def test(client: Client) -> None:
        sets, pods = client.api(ReplicaSet, "default"), client.api(Pod, "default")
        made = replica_set(replicas=2)
        made["metadata"]["finalizers"] = ["example.com/hold"]
        await sets.create(made)
        await reaches(sets, replicas=2)
        await sets.delete("web", propagation="Background")
        await pods.create(bare_pod("orphan", app="web"))
        victim = next(iter([pod.metadata.name async for pod in pods.list() if controller_of(pod)]))
        await pods.delete(victim)
        await reaches(sets, replicas=1)
        assert controller_of(await pods.get("orphan")) is None
        await sets.patch("web", {"metadata": {"finalizers": []}})

    run(test)


def test_pods_become_available_after_a_while() -> None:
    async def test(client: Client) -> None:
        sets = client.api(ReplicaSet, "default")
        async with ready_pods(client, "default"):
            # Times are in whole seconds: it takes more than one.
            await sets.create(replica_set(replicas=2, minReadySeconds=2))
            await reaches(sets, ready_replicas=2)
            # Nothing happens meanwhile: the controller looks again by itself.
            await reaches(sets, available_replicas=2)

    run(test)


def test_what_cannot_be_created_is_reported() -> None:
    async def test(client: Client) -> None:
        sets, pods = client.api(ReplicaSet, "default"), client.api(Pod, "default")
        spec = template()
        # Which templates may have, and pods may not.
        spec["spec"]["priorityClassName"] = "absent"
        await sets.create(replica_set(replicas=5, template=spec))
        found = await becomes(sets, "web", lambda found: bool(found.status.conditions))
        (failure,) = found.status.conditions
        assert (failure.type, failure.status, failure.reason) == ("ReplicaFailure", "True", "FailedCreate")
        assert failure.message.startswith('pods "web-')
        assert "absent" in failure.message
        assert found.status.replicas == 0

        async def told() -> bool:
            events = await events_of(client, "web")
            return ("Warning", "FailedCreate", f"Error creating: {failure.message}") in events

        await eventually(told, "the failure is not told")
        assert [pod async for pod in pods.list()] == []
        await client.scheduling_v1.priority_classes().create({"metadata": {"name": "absent"}, "value": 1})
        found = await reaches(sets, replicas=5)
        assert found.status.conditions == []

    run(test)


def test_a_namespace_that_ends_is_no_failure() -> None:
    async def test(client: Client) -> None:
        namespaces, sets = client.core_v1.namespaces(), client.api(ReplicaSet, "ending")
        await namespaces.create({"metadata": {"name": "ending"}})
        await sets.create(replica_set(replicas=1))
        await reaches(sets, replicas=1)
        # Nobody empties it here.
        await namespaces.delete("ending")
        await sets.patch("web", {"spec": {"replicas": 2}})
        found = await reaches(sets, observed_generation=2)
        assert found.status.replicas == 1
        assert found.status.conditions == []

    run(test)


def test_many_pods_are_counted_in_few_writes() -> None:
    async def test(client: Client) -> None:
        sets, pods = client.api(ReplicaSet, "default"), client.api(Pod, "default")
        before = await sets.create(replica_set(replicas=100))
        await reaches(sets, replicas=100)
        names = [pod.metadata.name async for pod in pods.list()]
        writes: list[str] = []

        async def count() -> None:
            async for event in sets.watch():
                writes.append(event.object.metadata.resource_version)  # noqa: PERF401 - it has no end

        counting = asyncio.create_task(count())
        async with asyncio.TaskGroup() as tasks:
            for name in names:
                tasks.create_task(make_ready(pods, name))
        after = await reaches(sets, ready_replicas=100)
        assert int(after.metadata.resource_version) - int(before.metadata.resource_version) > 200
        counting.cancel()
        assert len(writes) < 50

    run(test)


@pytest.mark.parametrize("replicas", [0, 2])
def test_replication_controllers_are_kept_by_the_same_code(replicas: int) -> None:
    async def test(client: Client) -> None:
        controllers, pods = client.api(ReplicationController, "default"), client.api(Pod, "default")
        await controllers.create(
            {"metadata": {"name": "web"}, "spec": {"replicas": replicas, "template": template()}}
        )
        found = await reaches(controllers, replicas=replicas, observed_generation=1)
        assert found.status.to_dict().get("terminatingReplicas") is None
        made = [pod async for pod in pods.list()]
        assert [(controller_of(pod) or pod).kind for pod in made] == ["ReplicationController"] * replicas
        if replicas:
            await controllers.set_scale("web", 1)
            await reaches(controllers, replicas=1)

            async def told() -> set[tuple[str, str]]:
                events = client.api(Event, "default")
                said = {(event.reason, event.source.component) async for event in events.list()}
                return {each for each in said if each[0] == "SuccessfulDelete"}

            await eventually(told, "no event tells of the deletion")
            assert await told() == {("SuccessfulDelete", "replication-controller")}

    run(test)
