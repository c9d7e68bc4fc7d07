"""The controller of examples.network: who has which addresses, and who has to wait for them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from ipaddress import ip_network
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from examples.network.addresses import LEDGER, NAMESPACE
from examples.network.client import Clientset
from examples.network.controller import FINALIZER, plan_of, setup
from examples.network.types import Network, NetworkSpec
from kubewright import Api, Client, NotFound, ObjectMeta
from kubewright.codegen.manifests import declarations_of
from kubewright.config import load_config
from kubewright.controllers import controller_of, find_condition, is_true
from kubewright.models.core_v1 import ConfigMap, Event
from tests.controllers.running import managed
from tests.examples.operators import PATIENCE, in_a_namespace, rights_of
from tests.examples.servers import BOTH, Server, kubeconfig_of, started


@pytest.fixture(scope="module", params=BOTH)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with started(request.param) as server:
        yield server


def network(name: str, cidr: str, gateway: str = "") -> Network:
    spec = NetworkSpec(cidr=cidr, gateway=gateway or cidr.partition("/")[0])
    return Network(metadata=ObjectMeta(name=name), spec=spec)


class Controlled:
    """A namespace in which the controller runs."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace
        self.networks: Api[Network] = Clientset(client).samplecrd_v1.networks(namespace)
        self.maps = client.api(ConfigMap, namespace)

    async def says(self, name: str, reason: str) -> str:
        """The message of the condition Ready, when it has a reason and is about the spec as it is."""

        def is_so(network: Network) -> bool:
            conditions = network.status.conditions if network.status is not None else []
            found = find_condition(conditions, "Ready")
            seen = found is not None and found.observed_generation == network.metadata.generation
            return seen and found is not None and found.reason == reason

        found = await self.networks.wait_for(name, is_so, timeout=PATIENCE)
        assert found is not None
        assert found.status is not None
        assert found.status.observed_generation == found.metadata.generation
        return found.status.conditions[0].message

    async def held(self) -> Counter[str]:
        """What the networks of this namespace hold, as the config map of all of them has it."""
        ledger = await self.client.api(ConfigMap, NAMESPACE).get(LEDGER)
        lines = [line.split() for line in ledger.data.values()]
        return Counter(cidr for cidr, holder in lines if holder.startswith(f"{self.namespace}/"))


def controlled(server: Server, test: Callable[[Controlled], Awaitable[None]]) -> None:
    """Run a test while the controller works, everywhere; after it there is no network."""

    async def run(client: Client, namespace: str) -> None:
        here = Controlled(client, namespace)
        async with managed(client, setup):
            try:
                await test(here)
            finally:
                left = [each.metadata.name async for each in here.networks.list()]
                for name in left:
                    await here.networks.delete(name)
                for name in left:
                    await here.networks.wait_for(name, "deleted", timeout=PATIENCE)
        assert await here.held() == {}

    in_a_namespace(server, Network, run)


def test_a_network_gets_its_addresses_and_a_plan(server: Server) -> None:
    async def test(here: Controlled) -> None:
        made = await here.networks.create(network("a", "10.0.0.0/24", "10.0.0.1"))
        assert await here.says("a", "Allocated") == "10.0.0.0/24 with the gateway 10.0.0.1"
        assert (await here.networks.get("a")).metadata.finalizers == [FINALIZER]
        plan = await here.maps.get("a-plan")
        owner = controller_of(plan)
        assert owner is not None
        assert owner.uid == made.metadata.uid
        assert plan.data == {
            "cidr": "10.0.0.0/24",
            "gateway": "10.0.0.1",
            "netmask": "255.255.255.0",
            "first": "10.0.0.0",
            "last": "10.0.0.255",
        }
        assert await here.held() == {"10.0.0.0/24": 1}
        # What others do to it is undone.
        await here.maps.patch("a-plan", {"data": {"gateway": "10.9.9.9"}})
        await here.maps.wait_for("a-plan", lambda plan: plan.data["gateway"] == "10.0.0.1", timeout=PATIENCE)
        await here.maps.delete("a-plan")
        await here.maps.wait_for("a-plan", lambda plan: plan.data["gateway"] == "10.0.0.1", timeout=PATIENCE)
        await here.networks.patch("a", {"spec": {"gateway": "10.0.0.9"}})
        await here.says("a", "Allocated")
        assert (await here.maps.get("a-plan")).data["gateway"] == "10.0.0.9"

    controlled(server, test)


def test_who_overlaps_waits_until_the_other_is_gone(server: Server) -> None:
    async def test(here: Controlled) -> None:
        await here.networks.create(network("first", "10.0.0.0/16"))
        await here.says("first", "Allocated")
        await here.networks.create(network("second", "10.0.128.0/24"))
        message = f"10.0.128.0/24 overlaps 10.0.0.0/16 of {here.namespace}/first"
        assert await here.says("second", "Overlaps") == message
        with pytest.raises(NotFound):
            await here.maps.get("second-plan")
        await here.networks.delete("first")
        assert await here.says("second", "Allocated") == "10.0.128.0/24 with the gateway 10.0.128.0"
        assert await here.held() == {"10.0.128.0/24": 1}
        # And who is moved away makes room as well.
        await here.networks.create(network("third", "10.0.128.64/26"))
        await here.says("third", "Overlaps")
        spec = {"cidr": "10.7.0.0/24", "gateway": "10.7.0.1"}
        await here.networks.patch("second", {"spec": spec})
        await here.says("third", "Allocated")
        await here.says("second", "Allocated")
        assert await here.held() == {"10.7.0.0/24": 1, "10.0.128.64/26": 1}

    controlled(server, test)


def test_who_cannot_move_keeps_what_it_has(server: Server) -> None:
    async def test(here: Controlled) -> None:
        await here.networks.create(network("a", "10.0.0.0/24"))
        await here.networks.create(network("b", "10.1.0.0/24"))
        await here.says("a", "Allocated")
        await here.says("b", "Allocated")
        await here.networks.patch("b", {"spec": {"cidr": "10.0.0.0/25", "gateway": "10.0.0.1"}})
        await here.says("b", "Overlaps")
        found = await here.networks.get("b")
        assert found.status is not None
        assert found.status.cidr == "10.1.0.0/24"
        assert await here.held() == {"10.0.0.0/24": 1, "10.1.0.0/24": 1}
        assert (await here.maps.get("b-plan")).data["cidr"] == "10.1.0.0/24"

    controlled(server, test)


def test_nothing_is_written_when_nothing_changes(server: Server) -> None:
    async def test(here: Controlled) -> None:
        await here.networks.create(network("a", "10.0.0.0/24"))
        await here.says("a", "Allocated")
        plan = await here.maps.get("a-plan")
        labelled = await here.networks.patch("a", {"metadata": {"labels": {"floor": "3"}}})
        # What is reconciled after it shows that it was looked at.
        await here.networks.create(network("b", "10.1.0.0/24"))
        await here.says("b", "Allocated")
        found = await here.networks.get("a")
        assert found.metadata.resource_version == labelled.metadata.resource_version
        assert (await here.maps.get("a-plan")).metadata.resource_version == plan.metadata.resource_version

    controlled(server, test)


def test_what_people_are_told(server: Server) -> None:
    async def run(client: Client, namespace: str) -> None:
        here = Controlled(client, namespace)
        async with managed(client, setup):
            await here.networks.create(network("a", "10.0.0.0/24"))
            await here.says("a", "Allocated")
            await here.networks.create(network("b", "10.0.0.0/25"))
            await here.says("b", "Overlaps")
            for name in ("a", "b"):
                await here.networks.delete(name)
                await here.networks.wait_for(name, "deleted", timeout=PATIENCE)
        events = [event async for event in client.api(Event, namespace).list()]
        told = {(event.involved_object.name, event.type, event.reason) for event in events}
        assert {
            ("a", "Normal", "Allocated"),
            ("a", "Normal", "Planned"),
            ("b", "Warning", "Overlaps"),
        } <= told

    in_a_namespace(server, Network, run)


def test_two_managers_never_give_the_same_addresses_to_two(server: Server) -> None:
    async def run(client: Client, namespace: str) -> None:
        here, random = Controlled(client, namespace), Random(3)  # noqa: S311 - for what the test does
        cidrs = [f"10.0.{random.randrange(16) * 8}.0/{random.choice((20, 21, 22, 24))}" for _ in range(12)]
        wanted = {f"n{number}": str(ip_network(cidr, strict=False)) for number, cidr in enumerate(cidrs)}
        async with managed(client, setup), managed(client, setup):  # and no election between them
            async with asyncio.TaskGroup() as tasks:
                for name, cidr in wanted.items():
                    tasks.create_task(here.networks.create(network(name, cidr)))
            left = len(wanted)
            while left:
                ready = [each async for each in here.networks.list() if holds(each)]
                held = [ip_network(each.status.cidr) for each in ready if each.status is not None]
                assert not [pair for pair in combinations(held, 2) if pair[0].overlaps(pair[1])]
                for each in ready:
                    await here.networks.delete(each.metadata.name)
                left -= len(ready)
            for name in wanted:
                await here.networks.wait_for(name, "deleted", timeout=PATIENCE)
        assert await here.held() == {}

    def holds(network: Network) -> bool:
        conditions = network.status.conditions if network.status is not None else []
        return network.metadata.deletion_timestamp is None and is_true(conditions, "Ready")

    in_a_namespace(server, Network, run)


def test_the_rights_of_the_manifests_suffice(server: Server, tmp_path: Path) -> None:
    async def run(client: Client, namespace: str) -> None:
        here = Controlled(client, namespace)
        user = await rights_of(client, "examples.network", "examples.network.controller:setup")
        config = load_config(kubeconfig=kubeconfig_of(server.kubeconfig, tmp_path, user=user))
        async with Client(config) as allowed, managed(allowed, setup):
            await here.networks.create(network("a", "10.0.0.0/24"))
            await here.says("a", "Allocated")
            await here.networks.create(network("b", "10.0.0.0/25"))
            await here.says("b", "Overlaps")
            await here.networks.delete("a")
            await here.says("b", "Allocated")
            await here.networks.delete("b")
            await here.networks.wait_for("b", "deleted", timeout=PATIENCE)

    in_a_namespace(server, Network, run)


def test_the_plan() -> None:
    assert plan_of(network("a", "fd00::5/126", "fd00::6")) == {
        "cidr": "fd00::4/126",
        "gateway": "fd00::6",
        "netmask": "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffc",
        "first": "fd00::4",
        "last": "fd00::7",
    }


def test_what_it_declares() -> None:
    declared = declarations_of("examples.network.controller:setup")
    (controller,) = declared.controllers
    assert (controller.kind, controller.owns, controller.watches) == (Network, (ConfigMap,), (ConfigMap,))
    assert declared.indexed == [Network]
