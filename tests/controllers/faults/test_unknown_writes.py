"""A reconcile sees what the last one of its key wrote, also where no answer told at which revision.

The caches hear of everything late: without that they would mostly know of a write before its answer has come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal, NamedTuple

import pytest

from kubewright.client.client import Client
from kubewright.controllers import Context, Manager, Request
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import ConfigMap, Pod
from tests.client.peers import Asked, run
from tests.controllers.faults.gateway import Gateway
from tests.controllers.faults.operators import define
from tests.controllers.running import managed, until
from tests.controllers.servers import App, Server

LAG = 0.2
"""Seconds by which the caches are behind: many times what a reconcile takes here."""

Step = Callable[[Client, str], Awaitable[object]]


class Steps(NamedTuple):
    """What two reconciles of one object do, the second one right after the first."""

    write: Step
    """Of the first, which may fail."""
    read: Step
    """Of the second; the caches must show what was written."""


Lose = Callable[[Asked], Literal["", "cut", "hold", "fail"]]


async def second_reconcile(
    server: Server, steps: Steps, lose: Lose = lambda asked: "", patience: float = 30.0
) -> object:
    """What the second reconcile read; caches know what was there before the first, and hear late of more."""
    gateway, caches, seen = Gateway(server), asyncio.Event(), list[object]()

    async def reconcile(ctx: Context, request: Request) -> None:
        if not caches.is_set():
            # So that there are filled caches before anything is written.
            for kind in (ConfigMap, Pod):
                await ctx.client.api(kind, request.namespace).list().to_list()
            caches.set()
            queue.add(request)
        elif not seen:
            gateway.lag, gateway.lose = LAG, lose
            seen.append("written")
            queue.add(request)
            await steps.write(ctx.client, request.namespace)
        elif len(seen) == 1:
            seen.append(await steps.read(ctx.client, request.namespace))

    def controllers(manager: Manager) -> None:
        manager.controller(App, reconcile, timeout=patience)

    async with gateway.serving() as config, Client(server.config) as direct, Client(config) as client:
        namespace = await define(direct)
        maps = direct.api(ConfigMap, namespace)
        for name in ("one", "two"):
            await maps.create({"metadata": {"name": name, "labels": {"child": ""}}})
        await maps.create({"metadata": {"name": "held", "labels": {"child": ""}, "finalizers": ["a.b/c"]}})
        await direct.core_v1.service_accounts(namespace).apply(
            {"metadata": {"name": "default"}}, manager="test"
        )
        await direct.api(Pod, namespace).create(
            {"metadata": {"name": "pod"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        )
        await direct.api(App, namespace).create({"metadata": {"name": "go"}, "spec": {}})
        async with managed(client, controllers, namespaces=namespace) as manager:
            queue = manager.controller_named("app").queue
            await until(lambda: len(seen) > 1, "both reconciles")
        await maps.patch("held", {"metadata": {"finalizers": None}})
    return seen[1]


async def delete_all(client: Client, namespace: str) -> None:
    await client.api(ConfigMap, namespace).delete_collection(labels="child")


async def left(client: Client, namespace: str) -> list[str]:
    maps = client.api(ConfigMap, namespace)
    return [
        f"{each.metadata.name} {each.metadata.deletion_timestamp is not None}"
        async for each in maps.list(labels="child")
    ]


async def evict(client: Client, namespace: str) -> None:
    await client.api(Pod, namespace).evict("pod")


async def is_gone(client: Client, namespace: str) -> bool:
    try:
        pod = await client.api(Pod, namespace).get("pod")
    except NotFound:
        return True
    return pod.metadata.deletion_timestamp is not None


async def bind(client: Client, namespace: str) -> None:
    await client.api(Pod, namespace).bind("pod", "some-node")


async def node(client: Client, namespace: str) -> str:
    return (await client.api(Pod, namespace).get("pod")).spec.node_name


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param(Steps(delete_all, left), ["held True"], id="delete_collection"),
        pytest.param(Steps(evict, is_gone), True, id="evict"),
        pytest.param(Steps(bind, node), "some-node", id="bind"),
    ],
)
def test_answers_that_say_no_revision(server: Server, steps: Steps, expected: object) -> None:
    async def test() -> None:
        assert await second_reconcile(server, steps) == expected

    run(test)


async def create(client: Client, namespace: str) -> None:
    await client.api(ConfigMap, namespace).create(
        {"metadata": {"generateName": "made-", "labels": {"made": ""}}}
    )


async def made(client: Client, namespace: str) -> int:
    return len([each async for each in client.api(ConfigMap, namespace).list(labels="made")])


async def patch(client: Client, namespace: str) -> None:
    await client.api(ConfigMap, namespace).patch("one", {"data": {"done": "yes"}})


async def data(client: Client, namespace: str) -> str:
    return (await client.api(ConfigMap, namespace).get("one")).data.get("done", "")


async def delete(client: Client, namespace: str) -> None:
    await client.api(ConfigMap, namespace).delete("one")


async def is_there(client: Client, namespace: str) -> bool:
    return any(each.startswith("one ") for each in await left(client, namespace))


@pytest.mark.parametrize("how", ["cut", "hold", "fail"])
@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param(Steps(create, made), 1, id="create"),
        pytest.param(Steps(patch, data), "yes", id="patch"),
        pytest.param(Steps(delete, is_there), False, id="delete"),
    ],
)
def test_answers_that_are_lost(
    server: Server, steps: Steps, expected: object, how: Literal["cut", "hold", "fail"]
) -> None:
    """The connection breaks, the reconcile is cancelled by its timeout, or the server says that it failed."""

    async def test() -> None:
        lost: list[str] = []

        def lose(asked: Asked) -> Literal["", "cut", "hold", "fail"]:
            if asked.method == "GET" or lost:
                return ""
            lost.append(asked.method)
            return how

        # What is held is given up by the timeout of the reconcile.
        patience = 2.0 if how == "hold" else 30.0
        assert await second_reconcile(server, steps, lose, patience) == expected
        assert len(lost) == 1

    run(test)
