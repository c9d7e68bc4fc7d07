"""Answers that servers and proxies give now and then: 410 in both forms, 401, and news that comes late."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from aiohttp import web

from kubewright.client.client import Client
from kubewright.config import Config
from kubewright.config.credentials import TokenFile
from kubewright.controllers import Context, Manager, Request
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import ConfigMap
from tests.client.peers import Asked, run, status
from tests.controllers.faults.gateway import Gateway, is_watch
from tests.controllers.faults.operators import World, check_log, define, quick, reported, world_of
from tests.controllers.running import managed, until
from tests.controllers.servers import App, Server


@asynccontextmanager
async def behind(gateway: Gateway, server: Server, *names: str) -> AsyncIterator[World]:
    """An operator behind a gateway that has done its work for Apps of these names."""
    async with gateway.serving() as config, Client(server.config) as direct:
        with quick():
            async with world_of(direct, config) as world:
                await world.create(*names, size=1)
                await world.healed()
                yield world


def revision_of(asked: Asked) -> int:
    """Where a watch is to begin."""
    return int(parse_qs(urlsplit(asked.target).query)["resourceVersion"][0])


EXPIRED = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Expired", "code": 410}


def gone(form: str) -> web.Response:
    """410 as a status, and as an event of a watch that began well."""
    if form == "status":
        return status(410, "Gone")
    return web.Response(
        body=json.dumps({"type": "ERROR", "object": EXPIRED}) + "\n", content_type="application/json"
    )


@pytest.mark.parametrize("form", ["status", "event"])
def test_history_that_the_server_has_forgotten(
    server: Server, form: str, caplog: pytest.LogCaptureFixture
) -> None:
    """What changed meanwhile is found by a list, deletions included."""

    async def test() -> None:
        gateway = Gateway(server)
        refused: Counter[str] = Counter()

        def answer(asked: Asked) -> web.Response | None:
            resource = asked.target.partition("?")[0].rpartition("/")[2]
            if not is_watch(asked):
                return None
            if disconnected:
                return status(503)
            if revision_of(asked) >= forgotten:
                return None
            refused[resource] += 1
            return gone(form)

        async with behind(gateway, server, *"abcd") as world:
            disconnected, forgotten = True, 0
            gateway.answer = answer
            gateway.end_watches()
            await until(lambda: not gateway.watches, "they have ended")
            await world.apps.delete("a")
            await world.apps.delete("b")
            await world.create("b", size=2)
            await world.change("c", size=3)
            await world.children.delete("d")
            forgotten = int((await world.apps.get("c")).metadata.resource_version)
            disconnected = False
            await world.healed()
            assert refused == {"apps": 1, "configmaps": 1}

    with caplog.at_level(logging.INFO):
        run(test)
    check_log(caplog)


def test_a_token_that_is_rotated(server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The old one is refused from one moment to the other, and the new one is there before or after that."""
    path = tmp_path / "token"
    path.write_text("first")

    async def test() -> None:
        gateway, word = Gateway(server), "first"
        refused = 0

        def answer(asked: Asked) -> web.Response | None:
            nonlocal refused
            if asked.headers.get("Authorization") == f"Bearer {word}":
                return None
            refused += 1
            return status(401, "Unauthorized")

        gateway.answer = answer
        async with gateway.serving() as config, Client(server.config) as direct:
            rotated: Config = msgspec.structs.replace(config, credentials=TokenFile(path))
            with quick():
                async with world_of(direct, rotated) as world:
                    await world.create(*"abc", size=1)
                    await world.healed()
                    # The file first, as with kubelets: nobody notices.
                    path.write_text("second")
                    word = "second"
                    gateway.end_watches()
                    await world.change("a", size=2)
                    await world.healed()
                    assert reported(caplog, "kubewright.controllers") == []
                    # The server first: reconciles fail until the file is there, and then are tried again.
                    word = "third"
                    gateway.end_watches()
                    await world.change("b", size=3)
                    await world.apps.delete("c")
                    before = refused
                    await until(lambda: refused >= before + 6, "it is refused")
                    path.write_text("third")
                    await world.healed()

    with caplog.at_level(logging.INFO):
        run(test)
    check_log(caplog)
    assert not any(word in caplog.text for word in ("first", "second", "third")), "no token in the log"


def test_reads_after_writes_when_news_comes_late(server: Server) -> None:
    """Children with generated names: who reads what was there before its own write makes a second one."""

    async def test() -> None:
        gateway = Gateway(server)
        reconciles: Counter[str] = Counter()

        async def reconcile(ctx: Context, request: Request) -> None:
            children = ctx.client.api(ConfigMap, request.namespace)
            selector = f"app={request.name}"
            found = [child async for child in children.list(labels=selector)]
            try:
                app = await ctx.client.api(App, request.namespace).get(request.name)
            except NotFound:
                for child in found:
                    await children.delete(child.metadata.name)
                return
            if not found:
                labels = {"app": app.metadata.name}
                await children.create({"metadata": {"generateName": "child-", "labels": labels}})
            elif len(found) > 1:
                raise AssertionError(f"{request.name} has {len(found)} children")
            reconciles[request.name] += 1

        async with gateway.serving() as config, Client(server.config) as direct, Client(config) as client:
            namespace = await define(direct)

            def controllers(manager: Manager) -> None:
                manager.controller(App, reconcile, workers=3)

            async with managed(client, controllers, namespaces=namespace) as manager:
                queue = manager.controller_named("app").queue
                await until(lambda: manager.controller_named("app").is_synced, "it runs")
                gateway.lag = 0.1
                names = [f"a{number}" for number in range(10)]
                for name in names:
                    await direct.api(App, namespace).create({"metadata": {"name": name}, "spec": {}})
                while min(reconciles[name] for name in names) < 5:
                    for name in names:
                        queue.add(Request(namespace, name))
                    await asyncio.sleep(0.01)
            made: Any = [each async for each in direct.api(ConfigMap, namespace).list(labels="app")]
            assert Counter(each.metadata.labels["app"] for each in made) == dict.fromkeys(names, 1)

    run(test)
