"""What the controller does when networks come, change and go."""

from __future__ import annotations

import asyncio

from examples.network import controller
from examples.network.client import Clientset
from examples.network.types import Network, NetworkSpec
from kubewright import Client, Invalid, ObjectMeta
from kubewright.models.apiextensions_v1 import CustomResourceDefinition


async def install(client: Client) -> None:
    """The definition, made or brought up to date. Raises Conflict where somebody else's says otherwise."""
    definitions = client.api(CustomResourceDefinition)
    definition = Network.crd()
    await definitions.apply(definition, manager="kubewright-examples")
    await definitions.wait_for(definition.metadata.name, "Established", timeout=60)
    print(f"{definition.metadata.name} is installed")


async def serve(client: Client) -> None:
    """The controller, until it is cancelled."""
    async for _ in Clientset(client).samplecrd_v1.networks().list(page_size=1):
        break  # an informer would try again and again where whoever calls this wants to know what is wrong
    await controller.run(client, lambda line: print(f"controller: {line}"))


async def tell(client: Client) -> None:
    """Create, change and delete networks, each time until the controller has said what it would do."""
    networks = Clientset(client).samplecrd_v1.networks("default")
    told: asyncio.Queue[str] = asyncio.Queue()
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(controller.run(client, told.put_nowait))
        await heard(told)
        for name, cidr, gateway in (("office", "10.0.0.0/16", "10.0.0.1"), ("lab", "fd00::/64", "fd00::1")):
            print(f"create {name}")
            await networks.create(network(name, cidr, gateway))
            await heard(told)
        for cidr, gateway in (("10.1.0.0/16", "10.0.0.1"), ("10.1.0.0", "10.0.0.1"), ("10.1.0.0/16", "here")):
            try:
                await networks.create(network("branch", cidr, gateway))
            except Invalid as error:
                print(f"create branch: refused: {error}")
        print("change the gateway of office")
        await networks.patch("office", {"spec": {"gateway": "10.0.255.254"}})
        await heard(told)
        print("label office, which changes nothing that the controller does")
        await networks.patch("office", {"metadata": {"labels": {"floor": "3"}}})
        for name in ("office", "lab"):
            print(f"delete {name}")
            await networks.delete(name)
            await heard(told)
        running.cancel()


async def heard(told: asyncio.Queue[str]) -> None:
    """Wait for the controller's next line."""
    print(f"  controller: {await told.get()}")


def network(name: str, cidr: str, gateway: str) -> Network:
    """A network of a name."""
    return Network(metadata=ObjectMeta(name=name), spec=NetworkSpec(cidr=cidr, gateway=gateway))
