"""The controller of examples.custompod: which pods it makes, takes over, lets go of and deletes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from examples.custompod.controller import FINALIZER, LABEL, deleted_first, setup
from examples.custompod.types import CustomPod, CustomPodStatus
from kubewright import Api, Client, NotFound
from kubewright.config import load_config
from kubewright.controllers import controller_of, find_condition
from kubewright.machinery.meta import LabelSelector
from kubewright.models.core_v1 import Event, Pod
from kubewright.webhooks import Denied, Review, WebhookServer, install, uninstall, validating
from tests.controllers.running import managed
from tests.examples.operators import PATIENCE, in_a_namespace, rights_of
from tests.examples.servers import BOTH, Server, kubeconfig_of, started


@pytest.fixture(scope="module", params=BOTH)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with started(request.param) as server:
        yield server


class Operated:
    """A namespace in which the operator runs."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace
        self.cpods: Api[CustomPod] = client.api(CustomPod, namespace)
        self.pods: Api[Pod] = client.api(Pod, namespace)

    async def create(self, replicas: int, name: str = "web") -> CustomPod:
        return await self.cpods.create({"metadata": {"name": name}, "spec": {"replicas": replicas}})

    async def stray(self, name: str, *, dry_run: bool = False, **metadata: Any) -> Pod:
        """A pod of somebody else, which no scheduler and no kubelet touches."""
        containers = [{"name": "main", "image": "busybox"}]
        return await self.pods.create(
            {
                "metadata": {"name": name, "labels": {LABEL: "web"}, **metadata},
                "spec": {"containers": containers, "schedulingGates": [{"name": "example.com/never"}]},
            },
            dry_run=dry_run,
        )

    async def settled(self, replicas: int, name: str = "web") -> CustomPodStatus:
        """The status when there are so many pods, for the spec as it is."""

        def is_done(cpod: CustomPod) -> bool:
            status = cpod.status or CustomPodStatus()
            return (status.observed_generation, status.replicas) == (cpod.metadata.generation, replicas)

        cpod = await self.cpods.wait_for(name, is_done, timeout=PATIENCE)
        assert cpod is not None
        assert cpod.status is not None
        return cpod.status

    async def names(self) -> list[str]:
        """The pods that are not being deleted."""
        return sorted(
            [pod.metadata.name async for pod in self.pods.list() if pod.metadata.deletion_timestamp is None]
        )

    async def events(self) -> list[str]:
        """The reasons, when the operator has stopped."""
        events = self.client.api(Event, self.namespace).list(fields="involvedObject.kind=CustomPod")
        return sorted([event.reason async for event in events])


def operated(server: Server, test: Callable[[Operated], Awaitable[None]], *reasons: str) -> None:
    """Run a test while the operator works, and compare the reasons of the events that it leaves."""

    async def run(client: Client, namespace: str) -> None:
        here = Operated(client, namespace)
        async with managed(client, setup, webhooks=WebhookServer(), namespaces=namespace):
            await test(here)
        if reasons:
            assert await here.events() == sorted(reasons)

    in_a_namespace(server, CustomPod, run)


def test_pods_come_and_go_with_the_number(server: Server) -> None:
    async def test(here: Operated) -> None:
        made = await here.create(3)
        status = await here.settled(3)
        assert status.pod_names == await here.names()
        assert status.selector == f"{LABEL}=web"
        async for pod in here.pods.list():
            owner = controller_of(pod)
            assert owner is not None
            assert (owner.kind, owner.name, owner.uid) == ("CustomPod", "web", made.metadata.uid)
            assert pod.metadata.labels == {LABEL: "web"}
        before = status.pod_names
        await here.cpods.set_scale("web", 1)
        status = await here.settled(1)
        assert status.pod_names == await here.names()
        assert set(status.pod_names) < set(before)
        await here.pods.delete(status.pod_names[0], grace_period=0)
        await here.cpods.wait_for(
            "web",
            lambda cpod: cpod.status is not None and cpod.status.pod_names not in ([], status.pod_names),
            timeout=PATIENCE,
        )
        await here.cpods.set_scale("web", 0)
        assert (await here.settled(0)).pod_names == await here.names() == []

    operated(server, test, *["SuccessfulCreate"] * 4, *["SuccessfulDelete"] * 3)


def test_the_conditions_and_the_scale(server: Server) -> None:
    async def test(here: Operated) -> None:
        await here.stray("stray")
        await here.create(1)
        await here.settled(1)
        ready = {"conditions": [{"type": "Ready", "status": "True"}]}
        await here.pods.patch("stray", {"status": ready}, subresource="status")
        cpod = await here.cpods.wait_for("web", "Ready", timeout=PATIENCE)
        assert cpod is not None
        assert cpod.status is not None
        assert cpod.status.ready_replicas == 1
        scaled = await here.cpods.set_scale("web", 2)
        assert (scaled.spec.replicas, scaled.status.replicas) == (2, 1)
        assert scaled.status.selector == f"{LABEL}=web"
        cpod = await here.cpods.wait_for(
            "web", lambda cpod: cpod.status is not None and cpod.status.replicas == 2, timeout=PATIENCE
        )
        assert cpod is not None
        assert cpod.status is not None
        condition = find_condition(cpod.status.conditions, "Ready")
        assert condition is not None
        assert condition.observed_generation == cpod.metadata.generation == 2

    operated(server, test, "Adopted", "SuccessfulCreate")


def test_pods_with_the_label_are_adopted_and_others_released(server: Server) -> None:
    async def test(here: Operated) -> None:
        await here.stray("stray")
        made = await here.create(1)
        assert (await here.settled(1)).pod_names == ["stray"]
        owner = controller_of(await here.pods.get("stray"))
        assert owner is not None
        assert owner.uid == made.metadata.uid
        await here.pods.patch("stray", {"metadata": {"labels": {LABEL: "nobody"}}})
        released = await here.pods.wait_for("stray", lambda pod: controller_of(pod) is None, timeout=PATIENCE)
        assert released is not None
        assert released.metadata.deletion_timestamp is None
        await here.cpods.wait_for(
            "web",
            lambda cpod: cpod.status is not None and cpod.status.pod_names not in ([], ["stray"]),
            timeout=PATIENCE,
        )
        # Back again it is one too many, and one of the two goes.
        await here.pods.patch("stray", {"metadata": {"labels": {LABEL: "web"}}})
        while len(await here.names()) != 1:
            async for _ in here.pods.watch():
                break

    # The same event a second time has the first one counted up.
    operated(server, test, "Adopted", "Released", "SuccessfulCreate", "SuccessfulDelete")


def test_a_pod_of_another_controller_stays_alone(server: Server) -> None:
    async def test(here: Operated) -> None:
        other = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "x", "uid": "1", "controller": True}
        try:
            await here.stray("stray", ownerReferences=[other], finalizers=["example.com/hold"])
            await here.create(1)
            assert "stray" not in (await here.settled(1)).pod_names
        finally:
            await here.pods.patch("stray", {"metadata": {"finalizers": None}})

    operated(server, test, "SuccessfulCreate")


def test_what_terminates_or_has_ended_is_replaced(server: Server) -> None:
    async def test(here: Operated) -> None:
        await here.stray("held", finalizers=["example.com/hold"])
        await here.stray("ended")
        await here.create(2)
        assert (await here.settled(2)).pod_names == ["ended", "held"]
        await here.pods.delete("held", grace_period=0)
        await here.pods.patch("ended", {"status": {"phase": "Failed"}}, subresource="status")
        await here.pods.wait_for("ended", "deleted", timeout=PATIENCE)
        status = await here.cpods.wait_for(
            "web",
            lambda cpod: (
                cpod.status is not None
                and len({"ended", "held", *cpod.status.pod_names}) == 4
                and cpod.status.replicas == 2
            ),
            timeout=PATIENCE,
        )
        assert status is not None
        assert (await here.pods.get("held")).metadata.deletion_timestamp is not None
        await here.pods.patch("held", {"metadata": {"finalizers": None}})

    operated(server, test, *["Adopted", "SuccessfulCreate"] * 2, "SuccessfulDelete")


def test_the_ready_ones_stay_longest(server: Server) -> None:
    async def test(here: Operated) -> None:
        for name in ("a", "b", "c"):
            await here.stray(name)
        await here.create(3)
        await here.settled(3)
        ready = {"conditions": [{"type": "Ready", "status": "True"}]}
        await here.pods.patch("b", {"status": ready}, subresource="status")
        await here.cpods.wait_for(
            "web", lambda cpod: cpod.status is not None and cpod.status.ready_replicas == 1, timeout=PATIENCE
        )
        await here.cpods.set_scale("web", 1)
        assert (await here.settled(1)).pod_names == ["b"]

    operated(server, test, *["Adopted"] * 3, *["SuccessfulDelete"] * 2)


def test_the_order_of_deletion() -> None:
    def pod(name: str, age: int, *, node: str = "", ready: bool = False) -> Pod:
        made = datetime(2026, 1, 1, tzinfo=UTC) - timedelta(seconds=age)
        conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
        return Pod.from_dict(
            {
                "metadata": {"name": name, "creationTimestamp": made.isoformat()},
                "spec": {"nodeName": node, "containers": []},
                "status": {"conditions": conditions},
            }
        )

    pods = [
        pod("old-and-ready", 9, node="n1", ready=True),
        pod("young-and-ready", 1, node="n1", ready=True),
        pod("old-and-not-ready", 8, node="n1"),
        pod("young-and-not-ready", 2, node="n1"),
        pod("old-without-a-node", 7),
        pod("young-without-a-node", 3),
    ]
    assert [each.metadata.name for each in deleted_first(pods)] == [
        "young-without-a-node",
        "old-without-a-node",
        "young-and-not-ready",
        "old-and-not-ready",
        "young-and-ready",
        "old-and-ready",
    ]


def test_it_goes_when_its_pods_are_gone(server: Server) -> None:
    async def test(here: Operated) -> None:
        await here.stray("held", finalizers=["example.com/hold"])
        await here.create(3)
        await here.settled(3)
        assert (await here.cpods.get("web")).metadata.finalizers == [FINALIZER]
        await here.cpods.delete("web")
        await here.pods.wait_for(
            "held", lambda pod: pod.metadata.deletion_timestamp is not None, timeout=PATIENCE
        )
        # Long enough for whoever would let it go at once.
        await here.create(0, "other")
        await here.settled(0, "other")
        assert (await here.cpods.get("web")).metadata.finalizers == [FINALIZER]
        await here.pods.patch("held", {"metadata": {"finalizers": None}})
        await here.cpods.wait_for("web", "deleted", timeout=PATIENCE)
        assert [pod async for pod in here.pods.list()] == []

    pods = [*["SuccessfulCreate"] * 2, *["SuccessfulDelete"] * 3]
    operated(server, test, "Adopted", *pods, "CleanedUp")


def test_orphans_are_left_alone(server: Server) -> None:
    async def test(here: Operated) -> None:
        await here.create(2)
        before = (await here.settled(2)).pod_names
        await here.cpods.delete("web", propagation="Orphan")
        try:
            await here.cpods.wait_for(
                "web", lambda cpod: FINALIZER not in cpod.metadata.finalizers, timeout=PATIENCE
            )
            # The garbage collector's part, where there is none.
            await here.cpods.patch("web", {"metadata": {"finalizers": None}})
        except NotFound:
            pass
        assert await here.names() == before

    operated(server, test, *["SuccessfulCreate"] * 2, "CleanedUp")


def test_nothing_is_written_when_nothing_changes(server: Server) -> None:
    async def test(here: Operated) -> None:
        await here.create(2)
        await here.settled(2)
        labelled = await here.cpods.patch("web", {"metadata": {"labels": {"a": "b"}}})
        # What is reconciled after it shows that it was looked at.
        await here.create(1, "other")
        await here.settled(1, "other")
        after = await here.cpods.get("web")
        assert after.metadata.resource_version == labelled.metadata.resource_version

    operated(server, test, *["SuccessfulCreate"] * 3)


def test_pods_that_are_refused(server: Server) -> None:
    async def run(client: Client, namespace: str) -> None:
        here = Operated(client, namespace)
        selector = LabelSelector(match_labels={"kubernetes.io/metadata.name": namespace})

        asked = asyncio.Event()

        @validating(Pod, operations=["CREATE"], namespace_selector=selector)
        async def no_more_than_two(review: Review[Pod]) -> None:
            asked.set()
            if len(await here.names()) >= 2:
                raise Denied("two pods are enough")

        async with WebhookServer() as webhooks:
            webhooks.add(no_more_than_two)
            await install(client, webhooks, name=namespace)
            try:
                # A real server hears of webhooks a moment after they are installed.
                while not asked.is_set():
                    await here.stray("tried", dry_run=True)
                async with managed(client, setup, webhooks=WebhookServer(), namespaces=namespace):
                    await here.create(3)
                    status = await here.settled(2)
                    condition = find_condition(status.conditions, "Ready")
                    assert condition is not None
                    assert condition.reason == "FailedCreate"
                    assert "two pods are enough" in condition.message
                    await uninstall(client, name=namespace)
                    assert (await here.settled(3)).pod_names == await here.names()
            finally:
                await uninstall(client, name=namespace)
        assert set(await here.events()) == {"SuccessfulCreate", "FailedCreate"}

    in_a_namespace(server, CustomPod, run)


def test_the_rights_of_the_manifests_suffice(server: Server, tmp_path: Path) -> None:
    async def run(client: Client, namespace: str) -> None:
        here = Operated(client, namespace)
        user = await rights_of(client, "examples.custompod", "examples.custompod.controller:setup")
        config = load_config(kubeconfig=kubeconfig_of(server.kubeconfig, tmp_path, user=user))
        async with Client(config) as allowed, managed(allowed, setup, webhooks=WebhookServer()):
            await here.stray("stray")
            await here.create(2)
            await here.settled(2)
            await here.pods.patch("stray", {"metadata": {"labels": {LABEL: "nobody"}}})
            await here.pods.wait_for("stray", lambda pod: controller_of(pod) is None, timeout=PATIENCE)
            await here.cpods.set_scale("web", 1)
            await here.settled(1)
            await here.cpods.delete("web")
            await here.cpods.wait_for("web", "deleted", timeout=PATIENCE)
        assert {"Adopted", "Released", "CleanedUp"} < set(await here.events())

    in_a_namespace(server, CustomPod, run)
