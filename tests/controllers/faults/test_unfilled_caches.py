"""Reconciles under way that read a kind for the first time while the manager is told to stop."""

from __future__ import annotations

import asyncio
import logging

import pytest

from kubewright import Resource, Struct, custom_resource
from kubewright.client.client import Client
from kubewright.controllers import Context, Manager, Request
from kubewright.machinery.errors import NotSynced
from kubewright.models.core_v1 import ConfigMap
from tests.client.peers import Asked, run
from tests.controllers.faults.gateway import Gateway
from tests.controllers.faults.operators import define
from tests.controllers.running import managed, until
from tests.controllers.servers import App, Server


class AbsentSpec(Struct):
    size: int = 0


@custom_resource(group="absent.example.com", version="v1")
class Absent(Resource):
    """A kind that no server has."""

    spec: AbsentSpec


def test_a_kind_that_is_absent_does_not_hold_up_the_end(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        raised: list[Exception] = []
        began = asyncio.Event()

        async def reconcile(ctx: Context, request: Request) -> None:
            began.set()
            try:
                await ctx.client.api(Absent, request.namespace).get("a")
            except NotSynced as error:
                raised.append(error)
                raise

        def controllers(manager: Manager) -> None:
            manager.controller(App, reconcile)

        async with Client(server.config) as client:
            namespace = await define(client)
            await client.api(App, namespace).create({"metadata": {"name": "a"}, "spec": {}})
            # It would have so long; `managed` waits for less.
            async with managed(client, controllers, namespaces=namespace, stop_timeout=120) as manager:
                await began.wait()
                # It is waited for, however long that takes.
                await until(lambda: "the informer of Absent" in caplog.text, "it is looked for")
                assert manager.controller_named("app").running
            missing = "the server does not serve Absent of absent.example.com/v1; is its definition there?"
            assert str(raised[0]) == (
                f"the manager stops, and the cache of Absent in {namespace} was never filled: {missing}"
            )
            assert f"the informer of Absent in {namespace} tries again: {missing}" in caplog.messages

    with caplog.at_level(logging.WARNING):
        run(test)
    assert "is cancelled" not in caplog.text


def test_a_cache_that_is_being_filled_is_waited_for(server: Server) -> None:
    """What a reconcile has begun it may end, with what it reads for that."""

    async def test() -> None:
        gateway, ended = Gateway(server), list[str]()
        held, go_on = asyncio.Event(), asyncio.Event()

        async def hold(asked: Asked) -> None:
            if asked.method == "GET" and "/configmaps" in asked.target and "watch" not in asked.target:
                held.set()
                await go_on.wait()

        gateway.wait = hold

        async def reconcile(ctx: Context, request: Request) -> None:
            found = [each async for each in ctx.client.api(ConfigMap, request.namespace).list()]
            ended.extend(each.metadata.name for each in found)

        def controllers(manager: Manager) -> None:
            manager.controller(App, reconcile)

        async with gateway.serving() as config, Client(server.config) as direct, Client(config) as client:
            namespace = await define(direct)
            await direct.api(App, namespace).create({"metadata": {"name": "a"}, "spec": {}})
            await direct.api(ConfigMap, namespace).create({"metadata": {"name": "mine"}})
            async with managed(client, controllers, namespaces=namespace) as manager:
                await held.wait()
                manager.stop()
                await asyncio.sleep(0)
                assert manager.controller_named("app").running
                go_on.set()
            assert "mine" in ended

    run(test)
