"""What the controller does when networks come, overlap, change and go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from examples.network.client import Clientset
from examples.network.controller import setup
from examples.network.types import Network, NetworkSpec, NetworkStatus
from kubewright import Api, Client, Invalid, Manager, ObjectMeta
from kubewright.controllers import find_condition
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.core_v1 import ConfigMap

__all__ = ["install", "serve", "tell"]

NAME: Final = "networks.samplecrd.k8s.io"
"""Of the definition, and of the Lease of the leader."""
WITHIN: Final = 60
"""Seconds that anything may take."""


async def install(client: Client) -> None:
    """The definition, made or brought up to date. Raises Conflict where somebody else's says otherwise."""
    definitions = client.api(CustomResourceDefinition)
    await definitions.apply(Network.crd(), manager="kubewright-examples")
    await definitions.wait_for(NAME, "Established", timeout=WITHIN)
    print(f"{NAME} is installed")


async def serve(client: Client) -> None:
    """The controller, until Ctrl-C or SIGTERM."""
    async for _ in Clientset(client).samplecrd_v1.networks().list(page_size=1):
        break  # a controller would try again and again where whoever calls this wants to know what is wrong
    async with Manager(client, leader_election=NAME) as manager:
        setup(manager)
        print("the controller runs, until Ctrl-C")
        await manager.run()


@asynccontextmanager
async def controlling(client: Client) -> AsyncIterator[None]:
    """The controller for the length of a block."""
    async with Manager(client, signals=False) as manager, asyncio.TaskGroup() as tasks:
        setup(manager)
        tasks.create_task(manager.run())
        yield
        manager.stop()


async def tell(client: Client) -> None:
    """Create, change and delete networks, each time until the controller has done its part."""
    networks, maps = Clientset(client).samplecrd_v1.networks("default"), client.api(ConfigMap, "default")
    async with controlling(client):
        for name, cidr, gateway in (("office", "10.0.0.0/16", "10.0.0.1"), ("lab", "fd00::/64", "fd00::1")):
            print(f"create {name}")
            await networks.create(network(name, cidr, gateway))
            await show(networks, name)
        print("create branch, which overlaps office")
        await networks.create(network("branch", "10.0.128.0/24", "10.0.128.1"))
        await show(networks, "branch")
        await refusals(networks)
        print("change the gateway of office")
        await networks.patch("office", {"spec": {"gateway": "10.0.255.254"}})
        await show(networks, "office")
        plan = (await maps.get("office-plan")).data
        print(f"  office-plan: {plan['first']} to {plan['last']}, gateway {plan['gateway']}")
        print("delete office, whose finalizer gives its addresses back")
        await networks.delete("office")
        await networks.wait_for("office", "deleted", timeout=WITHIN)
        await networks.wait_for("branch", "Ready", timeout=WITHIN)
        await show(networks, "branch")


async def refusals(networks: Api[Network]) -> None:
    """What the schema and its rules refuse."""
    for cidr, gateway in (("10.1.0.0/16", "10.0.0.1"), ("10.1.0.0", "10.0.0.1"), ("10.1.0.0/16", "here")):
        try:
            await networks.create(network("wrong", cidr, gateway))
        except Invalid as error:
            print(f"create wrong: refused: {error}")


async def show(networks: Api[Network], name: str) -> None:
    """Wait until the controller has looked at a network as it is, and tell what it says of it."""

    def is_seen(network: Network) -> bool:
        return (network.status or NetworkStatus()).observed_generation == network.metadata.generation

    seen = await networks.wait_for(name, is_seen, timeout=WITHIN)
    status = (seen.status if seen is not None else None) or NetworkStatus()
    condition = find_condition(status.conditions, "Ready")
    if condition is not None:
        print(f"  {name}: {condition.reason}: {condition.message}")


def network(name: str, cidr: str, gateway: str) -> Network:
    """A network of a name."""
    return Network(metadata=ObjectMeta(name=name), spec=NetworkSpec(cidr=cidr, gateway=gateway))
