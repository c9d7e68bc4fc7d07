"""Reads of a reconcile that are answered from memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from uuid import uuid4

from kubewright.client.client import Client
from kubewright.client.request import Request as Sent
from kubewright.client.sender import Hooks
from kubewright.controllers.context import Context
from kubewright.controllers.manager import Manager
from kubewright.controllers.requests import Request
from kubewright.informers import Change
from kubewright.machinery.errors import KubewrightError
from kubewright.models.core_v1 import ConfigMap, Secret
from tests.controllers.running import config_map, managed, on_a_cluster, until
from tests.controllers.servers import Server

NAME = f"reads-{uuid4().hex[:8]}"


def test_names_are_refused_as_the_client_refuses_them() -> None:
    async def test(client: Client) -> None:
        answers: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            if request.name != "a" or answers:
                return
            here, anywhere = ctx.client.api(ConfigMap, "default"), ctx.client.api(ConfigMap)
            # The last one is the key that the object has in the cache.
            for api, name in (
                (here, "a"),
                (here, "b"),
                (here, "x/y"),
                (anywhere, "a"),
                (anywhere, "default/a"),
            ):
                try:
                    answers.append((await api.get(name)).metadata.name)
                except KubewrightError as error:
                    answers.append(type(error).__name__)

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(lambda: len(answers) == 5, "all answers")
        assert answers == ["a", "NotFound", "ParseError", "ParseError", "ParseError"]

    on_a_cluster(test)


def test_reads_are_answered_from_memory_unless_asked_otherwise(server: Server) -> None:
    """What goes to the server is counted: of kinds that are cached nothing, by `uncached` everything."""

    async def test() -> None:
        sent: list[str] = []
        asked: dict[str, list[str]] = {}

        def sending(request: Sent) -> None:
            # The caches watch, whenever they come to it.
            if "watch" not in dict(request.query):
                sent.append(f"{request.method} {request.path.rpartition('/')[2]}")

        async def reconcile(ctx: Context, request: Request) -> None:
            maps, secrets = ctx.client.api(ConfigMap, NAME), ctx.client.api(Secret, NAME)
            await maps.list().to_list()  # The first read waits until the cache is filled.
            for what, read in {
                "get": maps.get("a"),
                "list": maps.list(labels="app=web").to_list(),
                "by": maps.by("color", "red"),
                "get uncached": ctx.client.uncached.api(ConfigMap, NAME).get("a"),
                "list uncached": ctx.client.uncached.api(ConfigMap, NAME).list().to_list(),
                "get of an uncached kind": secrets.get("s"),
                "list with fields": maps.list(fields="metadata.name=a").to_list(),
                "list of another namespace": ctx.client.api(ConfigMap, "default").list().to_list(),
            }.items():
                sent.clear()
                await read
                asked[what] = list(sent)
            done.set()

        done = asyncio.Event()
        async with Client(server.config, hooks=Hooks(before=[sending])) as client, asyncio.timeout(60):
            await client.core_v1.namespaces().create({"metadata": {"name": NAME}})
            await client.api(ConfigMap, NAME).create(
                {"metadata": {"name": "a", "labels": {"app": "web"}}, "data": {"color": "red"}}
            )
            await client.api(Secret, NAME).create({"metadata": {"name": "s"}})

            def set_up(manager: Manager) -> None:
                manager.index(ConfigMap, {"color": lambda each: [each.data.get("color", "")]})
                manager.controller(ConfigMap, reconcile, predicates=[has_name("a")])

            async with managed(client, set_up, namespaces=NAME, uncached=[Secret]):
                await done.wait()
            await client.core_v1.namespaces().delete(NAME)
        assert asked == {
            "get": [],
            "list": [],
            "by": [],
            "get uncached": ["GET a"],
            "list uncached": ["GET configmaps"],
            "get of an uncached kind": ["GET s"],
            "list with fields": ["GET configmaps"],
            "list of another namespace": ["GET configmaps"],
        }

    asyncio.run(test())


def has_name(name: str) -> Callable[[Change[ConfigMap]], bool]:
    return lambda change: change.key.endswith(f"/{name}")
