"""News comes before what was there at the start, also when that is tried again."""

from __future__ import annotations

import asyncio

import pytest

from kubewright.client.client import Client
from kubewright.controllers.context import Context
from kubewright.controllers.manager import Manager
from kubewright.controllers.requests import Request, Result
from kubewright.controllers.sources import LOW_PRIORITY
from kubewright.informers import Change
from kubewright.machinery.errors import Conflict
from kubewright.machinery.status import Status
from kubewright.models.core_v1 import ConfigMap
from tests.controllers.running import config_map, managed, on_a_cluster, until


@pytest.mark.parametrize("came", [ValueError("not yet"), Conflict(Status()), Result(requeue_after=0.001)])
def test_what_is_tried_again_keeps_its_priority(came: Exception | Result) -> None:
    async def test(client: Client) -> None:
        order: list[str] = []
        blocked, go_on = asyncio.Event(), asyncio.Event()

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            order.append(request.name)
            if request.name == "b":
                blocked.set()
                await go_on.wait()
            elif request.name == "a" and order.count("a") == 1:
                if isinstance(came, Result):
                    return came
                raise came
            return None

        maps = client.api(ConfigMap, "default")
        for name in ("a", "b"):
            await maps.create(config_map(name))

        def is_ours(change: Change[ConfigMap]) -> bool:
            return change.key in {"default/a", "default/b", "default/z"}

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile, predicates=[is_ours])

        async with managed(client, set_up) as manager:
            queue = manager.controller_named("configmap").queue
            await blocked.wait()
            await until(lambda: Request("default", "a") in queue, "it is to be tried again")
            assert queue.depths()[LOW_PRIORITY] == 1
            await maps.create(config_map("z"))
            await until(lambda: Request("default", "z") in queue, "there is news")
            go_on.set()
            await until(lambda: len(order) == 4, f"{order}")
        assert order == ["a", "b", "z", "a"]

    on_a_cluster(test)


def test_what_is_urgent_is_said_by_a_function() -> None:
    async def test(client: Client) -> None:
        order: list[str] = []
        blocked, go_on = asyncio.Event(), asyncio.Event()

        async def reconcile(ctx: Context, request: Request) -> None:
            order.append(request.name)
            if request.name == "first":
                blocked.set()
                await go_on.wait()

        def urgency(change: Change[ConfigMap]) -> int:
            return int(change.object.data["urgency"])

        def is_ours(change: Change[ConfigMap]) -> bool:
            return "urgency" in change.object.data

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile, predicates=[is_ours], priority=urgency)

        maps = client.api(ConfigMap, "default")
        await maps.create(config_map("first", urgency="0"))
        async with managed(client, set_up) as manager:
            queue = manager.controller_named("configmap").queue
            await blocked.wait()
            for name, number in (("low", -5), ("middle", 1), ("high", 20), ("middle-too", 1)):
                await maps.create(config_map(name, urgency=str(number)))
            await until(lambda: len(queue) == 4, "all wait")
            go_on.set()
            await until(lambda: len(order) == 5, f"{order}")
        assert order == ["first", "high", "middle", "middle-too", "low"]

    on_a_cluster(test)
