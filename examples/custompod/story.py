"""The operator at work: from one pod to three and back, and what is left when it is deleted."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from examples.custompod.controller import IMAGE, LABEL, setup
from examples.custompod.types import CustomPod, CustomPodStatus
from kubewright import Api, ApiError, Client, Manager, ObjectMeta
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.core_v1 import Event, Pod
from kubewright.webhooks import WebhookServer, install, uninstall

NAME: Final = "custompods.zhhnzw.mock.com"
"""Of the definition, of the webhook configuration and of the Lease of the leader."""
WITHIN: Final = 60
"""Seconds that anything may take."""


async def install_definition(client: Client, say: Callable[[str], object] = print) -> None:
    """The definition, made or brought up to date. Raises Conflict where somebody else's says otherwise."""
    definitions = client.api(CustomResourceDefinition)
    await definitions.apply(CustomPod.crd(), manager="kubewright-examples")
    await definitions.wait_for(NAME, "Established", timeout=WITHIN)
    say(f"{NAME} is installed")


async def serve(client: Client, *, asked: bool) -> None:
    """The operator, until Ctrl-C or SIGTERM; `asked` has the API server ask its webhooks, at this machine."""
    async for _ in client.api(CustomPod).list(page_size=1):
        break  # a controller would try again and again where whoever calls this wants to know what is wrong
    webhooks = WebhookServer()
    async with Manager(client, leader_election=NAME, webhooks=webhooks) as manager:
        setup(manager)
        if asked:
            manager.add(partial(have_asked, client, webhooks), leader=False)
        print("the operator runs, until Ctrl-C")
        await manager.run()


@asynccontextmanager
async def operating(client: Client, *setups: Callable[[Manager], object]) -> AsyncIterator[None]:
    """The operator, and what `setups` add, for the length of a block; the API server asks its webhooks."""
    webhooks, is_asked = WebhookServer(), asyncio.Event()
    async with Manager(client, webhooks=webhooks, signals=False) as manager, asyncio.TaskGroup() as tasks:
        for each in (setup, *setups):
            each(manager)
        manager.add(partial(have_asked, client, webhooks, is_asked), leader=False)
        tasks.create_task(manager.run())
        await is_asked.wait()
        yield
        manager.stop()


async def have_asked(client: Client, webhooks: WebhookServer, is_asked: asyncio.Event | None = None) -> None:
    """Have the API server ask the webhooks while the manager serves them, and no longer."""
    try:
        await install(client, webhooks, name=NAME)
        if is_asked is not None:
            is_asked.set()
        await asyncio.Event().wait()
    finally:
        await uninstall(client, name=NAME)


async def tell(client: Client) -> None:
    """The whole story, told while it happens."""
    cpods, pods = client.api(CustomPod, "default"), client.api(Pod, "default")
    async with operating(client):
        print("create the pod stray, with the label of a CustomPod that is not there yet")
        await pods.create(stray("web"))
        print("create web, which asks for one pod by default: it adopts stray")
        await cpods.create(CustomPod(metadata=ObjectMeta(name="web")))
        await show(cpods, 1)
        await scale(cpods, 3)
        await scale(cpods, 0)
        await scale(cpods, 101)
        await scale(cpods, 1)
        print("delete web")
        await cpods.delete("web")
        await cpods.wait_for("web", "deleted", timeout=WITHIN)
        left = len([pod async for pod in pods.list()])
        print(f"  its finalizer has let it go, with {left} pods left")
    events = client.api(Event, "default").list(fields="involvedObject.kind=CustomPod")
    told = Counter([event.reason async for event in events])
    print(f"events: {', '.join(f'{count} {reason}' for reason, count in sorted(told.items()))}")


async def scale(cpods: Api[CustomPod], replicas: int) -> None:
    """Scale as `kubectl scale` does; the schema and the webhook refuse some of it."""
    print(f"scale web to {replicas}")
    try:
        await cpods.set_scale("web", replicas)
    except ApiError as error:
        print(f"  refused: {error}")
    else:
        await show(cpods, replicas)


async def show(cpods: Api[CustomPod], replicas: int) -> None:
    """Wait until the operator has done its part, and tell what the status says."""

    def is_done(cpod: CustomPod) -> bool:
        status = cpod.status or CustomPodStatus()
        return status.observed_generation == cpod.metadata.generation and status.replicas == replicas

    cpod = await cpods.wait_for("web", is_done, timeout=WITHIN)
    if cpod is not None and cpod.status is not None:
        print(f"  status.replicas: {cpod.status.replicas}")


def stray(name: str) -> Pod:
    """A pod that nobody controls, with the label of a CustomPod."""
    return Pod.from_dict(
        {
            "metadata": {"name": "stray", "labels": {LABEL: name}},
            "spec": {"containers": [{"name": "main", "image": IMAGE}]},
        }
    )
