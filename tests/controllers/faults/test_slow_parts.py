"""Reconciles, mappings and predicates that hang, fail or take long: they hold up nobody else."""

from __future__ import annotations

import asyncio
import time

import pytest

from kubewright.client.client import Client
from kubewright.controllers import Context, Manager, Request, Source
from kubewright.models.core_v1 import ConfigMap, Secret
from kubewright.testing import FaultProxy
from tests.client.peers import Asked, run
from tests.controllers.faults.gateway import Gateway
from tests.controllers.faults.operators import Operator, World, define, reported, set_up
from tests.controllers.running import managed, until
from tests.controllers.servers import App, Server

STOPS_WITHIN = 20.0
"""Seconds on a busy machine; without a limit of its own a manager would wait for 30."""


async def hang(*_: object) -> None:
    await asyncio.Event().wait()


def test_a_controller_that_hangs_holds_up_no_other(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """All of its workers hang; the other one works, and the stop cancels those that hang."""

    async def test() -> None:
        async with Client(server.config) as client:
            namespace, operator = await define(client), Operator()
            hanging: set[str] = set()

            async def stuck(ctx: Context, request: Request) -> None:
                hanging.add(request.name)
                await hang()

            def controllers(manager: Manager) -> None:
                manager.controller(App, stuck, name="stuck", workers=3)
                manager.controller(App, operator.reconcile, owns=[ConfigMap], workers=2)

            async with managed(client, controllers, namespaces=namespace, stop_timeout=0.2) as manager:
                world = World(client, namespace, operator, manager)
                await world.create(*(f"a{number}" for number in range(20)), size=1)
                await world.healed()
                await until(lambda: len(hanging) == 3, "its workers hang")
                for number in range(20):
                    await world.change(f"a{number}", size=2)
                await world.apps.delete("a3")
                await world.healed()
                assert len(hanging) == 3
                # What waits for the stuck one is each object once, however often it changed.
                assert len(manager.controller_named("stuck").queue) <= 20
                begun = time.monotonic()
            assert time.monotonic() - begun < STOPS_WITHIN
            [said] = [each for each in reported(caplog, "kubewright") if "did not end" in each]
            assert said.startswith("stuck: ")

    run(test)


def test_one_key_that_hangs_or_fails_holds_up_no_other_key(server: Server) -> None:
    async def test() -> None:
        async with Client(server.config) as client:
            namespace, operator = await define(client), Operator()
            failed = 0

            async def reconcile(ctx: Context, request: Request) -> None:
                nonlocal failed
                if request.name == "hangs":
                    await hang()
                if request.name == "fails":
                    failed += 1
                    raise RuntimeError("it never works")
                await operator.reconcile(ctx, request)

            def controllers(manager: Manager) -> None:
                manager.controller(App, reconcile, owns=[ConfigMap], workers=2)

            async with managed(client, controllers, namespaces=namespace, stop_timeout=0.1) as manager:
                world = World(client, namespace, operator, manager)
                await world.create("hangs", "fails", *(f"a{number}" for number in range(10)), size=1)
                for number in range(10):
                    await world.change(f"a{number}", size=2)

                [maps] = manager._clusters.own.cache.running(ConfigMap.gvk)
                await until(
                    lambda: [each.data.get("size") for each in maps.list()].count("2") == 10,
                    "the others have their children",
                )
                await until(lambda: failed >= 3, "it is tried again")
                assert failed < 15

    run(test)


@pytest.mark.parametrize("how", ["hangs", "fails"])
def test_a_mapping_that_hangs_or_fails_holds_up_no_other_source(server: Server, how: str) -> None:
    """Changes of the kind itself, of what it owns, and of other sources still lead to reconciles."""

    async def test() -> None:
        async with Client(server.config) as client:
            namespace, operator = await define(client), Operator()
            asked: list[str] = []

            async def mapping(secret: Secret) -> list[Request]:
                asked.append(secret.metadata.name)
                if how == "hangs":
                    await hang()
                raise RuntimeError("it does not know")

            def controllers(manager: Manager) -> None:
                manager.controller(
                    App, operator.reconcile, owns=[ConfigMap], watches=[Source(Secret, mapping)], workers=2
                )

            async with managed(client, controllers, namespaces=namespace, stop_timeout=1) as manager:
                world = World(client, namespace, operator, manager)
                await world.create("a", "b", size=1)
                await world.healed()
                secrets = client.api(Secret, namespace)
                for number in range(5):
                    await secrets.create({"metadata": {"name": f"s{number}"}})
                await until(lambda: asked, "it is asked")
                await world.change("a", size=2)
                await world.children.delete("b")
                await world.create("c", size=3)
                await world.healed()
                if how == "fails":
                    await until(lambda: len(asked) >= 5, "it is asked of each")
                begun = time.monotonic()
            assert time.monotonic() - begun < STOPS_WITHIN

    run(test)


def test_a_slow_server_only_makes_it_slow(server: Server, proxy: FaultProxy) -> None:
    async def test() -> None:
        async with set_up(server, proxy, "a", "b") as world:
            proxy.delay(0.03)
            await world.create(*(f"c{number}" for number in range(5)), size=1)
            await world.change("a", size=2)
            await world.apps.delete("b")
            await world.healed()

    run(test)


def test_reconciles_that_time_out_are_tried_again(server: Server) -> None:
    """Three of their writes are never answered, and would be waited for 90 seconds."""

    async def test() -> None:
        gateway, operator = Gateway(server), Operator()
        held: list[str] = []

        def hold(asked: Asked) -> bool:
            if asked.method == "GET" or len(held) == 3:
                return False
            held.append(asked.target)
            return True

        def controllers(manager: Manager) -> None:
            manager.controller(App, operator.reconcile, owns=[ConfigMap], workers=2, timeout=0.5)

        async with gateway.serving() as config, Client(server.config) as direct, Client(config) as client:
            namespace = await define(direct)
            async with managed(client, controllers, namespaces=namespace) as manager:
                world = World(direct, namespace, operator, manager)
                await world.create(*"abc", size=1)
                await world.healed()
                gateway.hold = hold
                for name in "abc":
                    await world.change(name, size=2)
                await world.healed()
                assert len(held) == 3
                assert manager.controller_named("app").metrics.timeouts >= 2

    run(test)
