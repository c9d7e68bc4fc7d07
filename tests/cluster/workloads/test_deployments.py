"""Deployments on a cluster with the controllers of workloads alone; pods are ready when a test says so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from kubewright import Client
from kubewright.client.api import Api
from kubewright.cluster.workloads.revisions import DESIRED_REPLICAS, HISTORY, MAX_REPLICAS, REVISION
from kubewright.cluster.workloads.templates import HASH_LABEL, replica_set_name, template_hash
from kubewright.controllers.conditions import find_condition
from kubewright.controllers.owners import controller_of
from kubewright.models.apps_v1 import Deployment, ReplicaSet
from kubewright.models.core_v1 import Event, Pod
from tests.cluster.clusters import eventually, with_cluster
from tests.cluster.workloads.kubelet import becomes, make_ready, ready_pods
from tests.cluster.workloads.objects import template

CAUSE = "kubernetes.io/change-cause"


def run(test: Callable[[Client], Awaitable[None]]) -> None:
    with_cluster(test, "deployment", "replicaset")


def deployment(name: str = "web", **spec: Any) -> dict[str, Any]:
    said = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template(), **spec}
    return {"metadata": {"name": name, "annotations": {CAUSE: "first"}}, "spec": said}


def image(name: str) -> dict[str, Any]:
    return {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": name}]}}}}


def progress_of(found: Deployment) -> tuple[str, str]:
    condition = find_condition(found.status.conditions, "Progressing")
    return ("", "") if condition is None else (condition.status, condition.reason)


async def rolled_out(deployments: Api[Deployment], name: str = "web") -> Deployment:
    """Wait until a Deployment has nothing left to do."""

    def is_so(found: Deployment) -> bool:
        if found.status.observed_generation != found.metadata.generation:
            return False
        status, wanted = found.status, found.spec.replicas or 0
        counts = (status.updated_replicas, status.replicas, status.available_replicas)
        return all((count or 0) == wanted for count in counts) and progress_of(found)[1] == (
            "NewReplicaSetAvailable"
        )

    return await becomes(deployments, name, is_so)


async def progresses(deployments: Api[Deployment], reason: str) -> Deployment:
    return await becomes(deployments, "web", lambda found: progress_of(found)[1] == reason)


async def by_revision(client: Client) -> dict[str, ReplicaSet]:
    sets = client.api(ReplicaSet, "default")
    return {each.metadata.annotations.get(REVISION, ""): each async for each in sets.list()}


async def sizes(client: Client) -> dict[str, int]:
    return {revision: each.spec.replicas or 0 for revision, each in (await by_revision(client)).items()}


async def sizes_become(client: Client, **wanted: int) -> None:
    expected = {revision.removeprefix("r"): size for revision, size in wanted.items()}

    async def are_so() -> bool:
        return await sizes(client) == expected

    try:
        await eventually(are_so, "")
    except AssertionError:
        raise AssertionError(f"sizes are {await sizes(client)}, not {expected}") from None


async def messages(client: Client) -> list[str]:
    events = client.api(Event, "default")
    return [
        event.message
        async for event in events.list()
        if event.reason == "ScalingReplicaSet" and event.source.component == "deployment-controller"
    ]


def test_a_replica_set_is_made_after_the_template() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        made = await deployments.create(deployment())
        found = await progresses(deployments, "ReplicaSetUpdated")
        found = await becomes(deployments, "web", lambda found: found.status.replicas == 3)
        assert found.metadata.annotations[REVISION] == "1"
        (replica_set,) = (await by_revision(client)).values()
        hashed = template_hash(made.spec.template, None)
        assert replica_set.metadata.name == replica_set_name("web", hashed)
        assert replica_set.metadata.labels == {"app": "web", HASH_LABEL: hashed}
        assert replica_set.spec.template.metadata.labels == {"app": "web", HASH_LABEL: hashed}
        assert replica_set.spec.selector.match_labels == {"app": "web", HASH_LABEL: hashed}
        assert replica_set.metadata.annotations == {
            CAUSE: "first",
            REVISION: "1",
            DESIRED_REPLICAS: "3",
            MAX_REPLICAS: "4",
        }
        controller = controller_of(replica_set)
        assert controller is not None
        assert (controller.kind, controller.uid) == ("Deployment", made.metadata.uid)
        said = found.status.to_dict()
        shown = [(each["type"], each["status"], each["reason"]) for each in said.pop("conditions")]
        assert shown == [
            ("Available", "False", "MinimumReplicasUnavailable"),
            ("Progressing", "True", "ReplicaSetUpdated"),
        ]
        assert said == {
            "observedGeneration": 1,
            "replicas": 3,
            "updatedReplicas": 3,
            "unavailableReplicas": 3,
            "terminatingReplicas": 0,
        }
        async with ready_pods(client, "default"):
            found = await rolled_out(deployments)
        shown = [(each.type, each.status, each.reason) for each in found.status.conditions]
        assert shown == [
            ("Available", "True", "MinimumReplicasAvailable"),
            ("Progressing", "True", "NewReplicaSetAvailable"),
        ]
        name = replica_set.metadata.name

        async def told() -> bool:
            return await messages(client) == [f"Scaled up replica set {name} from 0 to 3"]

        await eventually(told, "the event is missing")

    run(test)


def test_a_rolling_update_waits_for_pods() -> None:
    async def test(client: Client) -> None:
        deployments, pods = client.api(Deployment, "default"), client.api(Pod, "default")
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}
        async with ready_pods(client, "default"):
            await deployments.create(deployment(strategy=rolling))
            await rolled_out(deployments)
        await deployments.patch("web", image("nginx:2"), type="strategic")
        # One more than three, and two of those that are available.
        await sizes_become(client, r1=2, r2=2)
        found = await becomes(deployments, "web", lambda found: found.status.updated_replicas == 2)
        assert found.metadata.annotations[REVISION] == "2"
        new = (await by_revision(client))["2"].metadata.labels[HASH_LABEL]

        async def one_more() -> None:
            waiting = [
                pod async for pod in pods.list(labels=f"{HASH_LABEL}={new}") if not pod.status.conditions
            ]
            await make_ready(pods, waiting[0].metadata.name)

        await one_more()
        await sizes_become(client, r1=1, r2=3)
        await one_more()
        await sizes_become(client, r1=0, r2=3)
        await becomes(deployments, "web", lambda found: found.status.replicas == 3)
        await one_more()
        await rolled_out(deployments)
        last = (await by_revision(client))["1"].metadata.name

        async def told() -> bool:
            return f"Scaled down replica set {last} from 1 to 0" in await messages(client)

        await eventually(told, "the last event is missing")
        steps = [message.partition(" from ")[2] for message in await messages(client)]
        assert steps == ["0 to 3", "0 to 1", "3 to 2", "1 to 2", "2 to 1", "2 to 3", "1 to 0"]

    run(test)


def test_recreation_waits_until_all_old_pods_are_gone() -> None:
    async def test(client: Client) -> None:
        deployments, pods = client.api(Deployment, "default"), client.api(Pod, "default")
        async with ready_pods(client, "default"):
            await deployments.create(deployment(replicas=2, strategy={"type": "Recreate"}))
            await rolled_out(deployments)
        # A pod on a node ends when its kubelet says so.
        names = [pod.metadata.name async for pod in pods.list()]
        binding = {
            "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"},
            "metadata": {"name": names[0]},
        }
        await client.raw("POST", f"/api/v1/namespaces/default/pods/{names[0]}/binding", body=binding)
        await deployments.patch("web", image("nginx:2"), type="strategic")
        found = await becomes(
            deployments,
            "web",
            lambda found: found.status.terminating_replicas == 1 and not found.status.replicas,
        )
        assert await sizes(client) == {"1": 0}
        assert found.status.updated_replicas is None
        async with ready_pods(client, "default"):
            await pods.delete(names[0], grace_period=0)
            await rolled_out(deployments)
        assert await sizes(client) == {"1": 0, "2": 2}

    run(test)


def test_scaling_in_the_middle_of_a_rollout_keeps_the_proportions() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": 2}}
        async with ready_pods(client, "default"):
            await deployments.create(deployment(replicas=10, strategy=rolling))
            await rolled_out(deployments)
        await deployments.patch("web", image("nginx:2"), type="strategic")
        await sizes_become(client, r1=8, r2=4)
        await deployments.set_scale("web", 20)
        # 22 pods may be there, where 12 might before.
        await sizes_become(client, r1=15, r2=7)
        for replica_set in (await by_revision(client)).values():
            assert replica_set.metadata.annotations[DESIRED_REPLICAS] == "20"
            assert replica_set.metadata.annotations[MAX_REPLICAS] == "22"
        async with ready_pods(client, "default"):
            await rolled_out(deployments)
        assert await sizes(client) == {"1": 0, "2": 20}

    run(test)


def test_another_size_with_the_same_total_is_noted() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": 0}}
        async with ready_pods(client, "default"):
            await deployments.create(deployment(replicas=4, strategy=rolling))
            await rolled_out(deployments)
        await deployments.patch("web", image("nginx:2"), type="strategic")
        await sizes_become(client, r1=4, r2=2)
        rolling["rollingUpdate"] = {"maxSurge": 0, "maxUnavailable": 2}
        await deployments.patch("web", {"spec": {"replicas": 6, "strategy": rolling}})
        async with ready_pods(client, "default"):
            await rolled_out(deployments)
        assert await sizes(client) == {"1": 0, "2": 6}

    run(test)


def test_what_has_pods_is_kept_whatever_the_limit_of_history() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        async with ready_pods(client, "default"):
            await deployments.create(deployment())
            await rolled_out(deployments)
        await deployments.patch("web", image("nginx:2"), type="strategic")
        await sizes_become(client, r1=3, r2=1)
        await deployments.patch("web", {"spec": {"paused": True, "revisionHistoryLimit": 0}})
        await progresses(deployments, "DeploymentPaused")
        assert await sizes(client) == {"1": 3, "2": 1}

    run(test)


def test_scaling_is_no_rollout() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        async with ready_pods(client, "default"):
            await deployments.create(deployment())
            await rolled_out(deployments)
        await deployments.set_scale("web", 5)
        found = await becomes(deployments, "web", lambda found: found.status.replicas == 5)
        assert progress_of(found) == ("True", "NewReplicaSetAvailable")
        available = find_condition(found.status.conditions, "Available")
        assert available is not None
        assert available.reason == "MinimumReplicasUnavailable"
        assert found.status.unavailable_replicas == 2
        await deployments.set_scale("web", 0)
        await becomes(deployments, "web", lambda found: not found.status.replicas)
        assert await sizes(client) == {"1": 0}

    run(test)


def test_a_paused_deployment_is_scaled_but_not_rolled_out() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        async with ready_pods(client, "default"):
            await deployments.create(deployment())
            await rolled_out(deployments)
            await deployments.patch("web", {"spec": {"paused": True}})
            found = await progresses(deployments, "DeploymentPaused")
            assert progress_of(found)[0] == "Unknown"
            await deployments.patch("web", image("nginx:2"), type="strategic")
            await deployments.set_scale("web", 4)
            await sizes_become(client, r1=4)
            found = await becomes(
                deployments,
                "web",
                lambda found: found.status.observed_generation == found.metadata.generation,
            )
            assert found.status.updated_replicas is None
            await deployments.patch("web", {"spec": {"paused": None}})
            await rolled_out(deployments)
        assert await sizes(client) == {"1": 0, "2": 4}

    run(test)


def test_one_that_begins_paused_makes_nothing() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        await deployments.create(deployment(paused=True))
        await becomes(deployments, "web", lambda found: found.status.observed_generation == 1)
        assert await sizes(client) == {}
        await deployments.patch("web", {"spec": {"paused": False}})
        await sizes_become(client, r1=3)

    run(test)


def test_rolling_back_reuses_the_old_replica_set() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        async with ready_pods(client, "default"):
            await deployments.create(deployment())
            await rolled_out(deployments)
            changed = {**image("nginx:2"), "metadata": {"annotations": {CAUSE: "second"}}}
            await deployments.patch("web", changed, type="strategic")
            await rolled_out(deployments)
            old = (await by_revision(client))["1"]
            assert old.metadata.annotations[CAUSE] == "first"
            await deployments.patch("web", image("nginx:1"), type="strategic")
            await rolled_out(deployments)
        found = await by_revision(client)
        assert set(found) == {"2", "3"}
        assert found["3"].metadata.uid == old.metadata.uid
        assert found["3"].metadata.annotations[HISTORY] == "1"
        assert (await deployments.get("web")).metadata.annotations[REVISION] == "3"

    run(test)


def test_only_so_many_old_replica_sets_are_kept() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        async with ready_pods(client, "default"):
            await deployments.create(deployment(replicas=1, revisionHistoryLimit=2))
            await rolled_out(deployments)
            for number in range(2, 6):
                await deployments.patch("web", image(f"nginx:{number}"), type="strategic")
                await rolled_out(deployments)

            async def are_kept() -> bool:
                return set(await by_revision(client)) == {"3", "4", "5"}

            await eventually(are_kept, "others are kept")

    run(test)


def test_a_deadline_is_exceeded_without_any_other_change() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        # Times are in whole seconds: it takes more than one.
        await deployments.create(deployment(progressDeadlineSeconds=2))
        found = await progresses(deployments, "ProgressDeadlineExceeded")
        assert progress_of(found)[0] == "False"
        (name,) = [each.metadata.name for each in (await by_revision(client)).values()]
        condition = find_condition(found.status.conditions, "Progressing")
        assert condition is not None
        assert condition.message == f'ReplicaSet "{name}" has timed out progressing.'
        async with ready_pods(client, "default"):
            await rolled_out(deployments)

    run(test)


def test_replica_sets_are_adopted_and_released() -> None:
    async def test(client: Client) -> None:
        deployments, sets = client.api(Deployment, "default"), client.api(ReplicaSet, "default")
        labels = {"app": "web", "own": "1"}
        await sets.create(
            {
                "metadata": {"name": "mine", "labels": labels},
                "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template(**labels)},
            }
        )
        made = await deployments.create(deployment())

        async def belongs() -> bool:
            controller = controller_of(await sets.get("mine"))
            return controller is not None and controller.uid == made.metadata.uid

        await eventually(belongs, "it was not adopted")
        async with ready_pods(client, "default"):
            await rolled_out(deployments)
        assert (await sets.get("mine")).spec.replicas == 0
        await sets.patch("mine", {"metadata": {"labels": {"app": "other"}}})

        async def is_free() -> bool:
            return controller_of(await sets.get("mine")) is None

        await eventually(is_free, "it was not released")
        # Also when it comes to match later.
        await sets.patch("mine", {"metadata": {"labels": {"app": "web"}}})
        await eventually(belongs, "it was not adopted again")

    run(test)


def test_a_name_that_is_taken_makes_for_another_hash() -> None:
    async def test(client: Client) -> None:
        deployments, sets = client.api(Deployment, "default"), client.api(ReplicaSet, "default")
        wanted = await deployments.create(deployment(paused=True))
        name = replica_set_name("web", template_hash(wanted.spec.template, None))
        other = {"app": "other"}
        await sets.create(
            {
                "metadata": {"name": name, "labels": other},
                "spec": {"replicas": 0, "selector": {"matchLabels": other}, "template": template(**other)},
            }
        )
        await deployments.patch("web", {"spec": {"paused": False}})
        found = await becomes(deployments, "web", lambda found: found.status.updated_replicas == 3)
        assert found.status.collision_count == 1
        assert await sizes(client) == {"": 0, "1": 3}
        assert template_hash(wanted.spec.template, 1) in [
            each.metadata.labels.get(HASH_LABEL) async for each in sets.list()
        ]

    run(test)


def test_failures_of_pods_are_told_by_the_deployment() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        spec = template()
        spec["spec"]["priorityClassName"] = "absent"
        await deployments.create(deployment(template=spec))

        def has_failed(found: Deployment) -> bool:
            return find_condition(found.status.conditions, "ReplicaFailure") is not None

        found = await becomes(deployments, "web", has_failed)
        failure = find_condition(found.status.conditions, "ReplicaFailure")
        assert failure is not None
        assert (failure.status, failure.reason) == ("True", "FailedCreate")
        assert "absent" in failure.message

    run(test)


def test_to_go_in_the_foreground_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        await deployments.create(deployment())
        await rolled_out(deployments)
        await deployments.delete("web", propagation="Foreground")

        async def is_gone() -> bool:
            return not [each async for each in deployments.list()]

        await eventually(is_gone, "the Deployment stays")

    # Its pods go one by one, and each time its ReplicaSet and itself are looked at.
    with_cluster(test)
    assert [each.getMessage() for each in caplog.records if "failed" in each.getMessage()] == []


def test_a_hundred_pods_cost_few_writes() -> None:
    async def test(client: Client) -> None:
        deployments = client.api(Deployment, "default")
        seen: list[str] = []

        async def count() -> None:
            async for event in deployments.watch():
                seen.append(event.object.metadata.resource_version)  # noqa: PERF401 - it has no end

        counting = asyncio.create_task(count())
        async with ready_pods(client, "default"):
            await deployments.create(deployment(replicas=100))
            await rolled_out(deployments)
        counting.cancel()
        assert len(seen) < 60

    run(test)
