"""An operator whose work can be checked: each App has a ConfigMap and a status, and nothing else is left.

There is no garbage collector here, so the operator deletes the children of Apps that are gone by itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any
from unittest import mock

import msgspec
import pytest

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.config import Config
from kubewright.controllers import Context, Manager, Request, controller_of, finalize, managed_cluster
from kubewright.controllers.owners import set_controller_reference
from kubewright.controllers.status import status_of
from kubewright.controllers.writes import create_or_update
from kubewright.informers import Informers
from kubewright.machinery.errors import NotFound
from kubewright.machinery.meta import ObjectMeta
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import FaultProxy
from tests.controllers.running import managed, until
from tests.controllers.servers import App, AppStatus, Server, have_apps

__all__ = [
    "HEALED_WITHIN",
    "Operator",
    "World",
    "check_log",
    "define",
    "differences",
    "operating",
    "quick",
    "reported",
    "set_up",
    "world_of",
]

HEALED_WITHIN = 60.0
"""Seconds in which all must be as it should, once a fault is over, on a busy machine.

Reconciles that fail are tried again after about as long as they have been failing.
"""

SILENT_FOR = 300.0
"""Seconds after which a silent connection is taken for dead: so many that no test passes because of that."""

FINALIZER = "helpers.example.com/child"


class Operator:
    """Makes a ConfigMap and a status for each App, and notes what it was asked for."""

    def __init__(self, *, finalizer: bool = False) -> None:
        """With `finalizer` children go before their App does, and else after it."""
        self._finalizer = finalizer
        self._busy: set[Request] = set()
        self.reconciles: Counter[Request] = Counter()
        self.doubled: list[Request] = []
        """Which keys were with two workers at once."""

    async def reconcile(self, ctx: Context, request: Request) -> None:
        """What the controller calls."""
        if request in self._busy:
            self.doubled.append(request)
        self._busy.add(request)
        self.reconciles[request] += 1
        try:
            await self._reconcile(ctx, request)
        finally:
            self._busy.discard(request)

    async def _reconcile(self, ctx: Context, request: Request) -> None:
        children = ctx.client.api(ConfigMap, request.namespace)
        try:
            found = await ctx.client.api(App, request.namespace).get(request.name)
        except NotFound:
            await remove(children, request.name)
            return
        app: App | None = found
        if self._finalizer:
            app = await finalize(ctx, found, FINALIZER, lambda app: remove(children, app.metadata.name))
        if app is not None:
            await self._keep(ctx, app, children)

    async def _keep(self, ctx: Context, app: App, children: Api[ConfigMap]) -> None:
        await remove(children, app.metadata.name, but_of=app)

        def wanted(child: ConfigMap) -> None:
            set_controller_reference(app, child)
            child.data = content(app)

        metadata = ObjectMeta(name=app.metadata.name, namespace=app.metadata.namespace)
        await create_or_update(ctx, ConfigMap(metadata=metadata), wanted)
        async with status_of(ctx, app):
            app.status = AppStatus(pods=app.spec.size, names=[app.metadata.name])


def content(app: App) -> dict[str, str]:
    """What the child of an App has."""
    return {"size": str(app.spec.size), "color": app.spec.color}


async def remove(children: Api[ConfigMap], name: str, *, but_of: App | None = None) -> None:
    """Delete a child, unless it is that of an App that is there."""
    with suppress(NotFound):
        child = await children.get(name)
        owner = controller_of(child)
        if owner is not None and (but_of is None or owner.uid != but_of.metadata.uid):
            await children.delete(name, uid=child.metadata.uid)


async def define(client: Client) -> str:
    """Have Apps served, and return the name of a fresh namespace."""
    await have_apps(client)
    made = await client.core_v1.namespaces().create({"metadata": {"generateName": "operated-"}})
    return made.metadata.name


async def differences(direct: Client, namespace: str) -> list[str]:
    """In what a namespace is not as the operator should have made it."""
    apps = {app.metadata.name: app async for app in direct.api(App, namespace).list()}
    found = {child.metadata.name: child async for child in direct.api(ConfigMap, namespace).list()}
    children = {name: child for name, child in found.items() if controller_of(child) is not None}
    wrong = [f"{name} is left over" for name in children if name not in apps]
    for name, app in apps.items():
        child = children.get(name)
        owner = controller_of(child) if child is not None else None
        if app.metadata.deletion_timestamp is not None:
            wrong.append(f"{name} is still being deleted")
        elif child is None or owner is None:
            wrong.append(f"{name} has no child")
        elif owner.uid != app.metadata.uid:
            wrong.append(f"{name} has the child of another {name}")
        elif dict(child.data) != content(app):
            wrong.append(f"the child of {name} has {dict(child.data)}, not {content(app)}")
        if app.status is None or app.status.pods != app.spec.size or app.status.names != [name]:
            wrong.append(f"{name} has not its status")
    return wrong


class World(msgspec.Struct):
    """A namespace with Apps, straight to the server, and the operator that works on it through something."""

    direct: Client
    namespace: str
    operator: Operator
    manager: Manager

    @property
    def apps(self) -> Api[App]:
        """Straight to the server."""
        return self.direct.api(App, self.namespace)

    @property
    def children(self) -> Api[ConfigMap]:
        """Straight to the server."""
        return self.direct.api(ConfigMap, self.namespace)

    async def create(self, *names: str, **spec: object) -> None:
        """Apps, by somebody who is not the operator."""
        for name in names:
            await self.apps.create(App.from_dict({"metadata": {"name": name}, "spec": spec}))

    async def change(self, name: str, **spec: object) -> None:
        """What an App should be."""
        await self.apps.patch(name, {"spec": spec})

    async def healed(self) -> None:
        """Wait until all is as it should, and nothing is left to be done."""
        await healed(self.direct, self.namespace)
        await until(lambda: self.manager.controller_named("app").queue.is_idle, "it is quiet")
        assert await differences(self.direct, self.namespace) == []
        assert self.operator.doubled == []

    async def caught_up(self) -> None:
        """Wait until the operator has heard of all that was written, also by itself, and has seen to it."""
        running = self.manager._clusters.own.cache.running
        controller = self.manager.controller_named("app")
        for kind in (App, ConfigMap):
            [informer] = running(kind.gvk)
            async for each in self.direct.api(kind, self.namespace).list():
                await informer.seen(each)
        await until(lambda: controller.is_idle, "it is quiet")


async def healed(direct: Client, namespace: str) -> None:
    """Wait until a namespace is as it should be."""
    loop = asyncio.get_running_loop()
    until = loop.time() + HEALED_WITHIN
    while wrong := await differences(direct, namespace):
        assert loop.time() < until, f"after {HEALED_WITHIN:g} seconds {len(wrong)} are wrong: {wrong[:5]}"
        await asyncio.sleep(0.02)


async def short_pause(seconds: float) -> None:
    """A sleep for informers, so that many connections can break in a short time."""
    await asyncio.sleep(min(seconds, 0.05))


def quick(*, idle_timeout: float = SILENT_FOR) -> Any:
    """Informers of managers that are made in the block notice dead connections soon, and come back soon."""
    return mock.patch.object(
        managed_cluster, "Informers", partial(Informers, idle_timeout=idle_timeout, sleep=short_pause)
    )


@asynccontextmanager
async def world_of(direct: Client, config: Config, *, finalizer: bool = False) -> AsyncIterator[World]:
    """A fresh namespace, and an operator of it that reaches the server by a configuration."""
    namespace = await define(direct)
    operator = Operator(finalizer=finalizer)
    async with (
        Client(config, timeout=2) as client,
        operating(client, operator, namespace) as running,
    ):
        yield World(direct, namespace, operator, running)


@asynccontextmanager
async def operating(client: Client, operator: Operator, namespace: str) -> AsyncIterator[Manager]:
    """A manager that runs the operator in the block."""

    def controllers(made: Manager) -> None:
        made.controller(App, operator.reconcile, owns=[ConfigMap], workers=4)

    async with managed(client, controllers, namespaces=namespace, stop_timeout=5) as running:
        yield running


@asynccontextmanager
async def set_up(
    server: Server, proxy: FaultProxy, *names: str, finalizer: bool = False, idle_timeout: float = SILENT_FOR
) -> AsyncIterator[World]:
    """An operator behind a proxy that has done its work for Apps of these names, and now watches."""
    through = msgspec.structs.replace(server.config, server=proxy.url)
    with quick(idle_timeout=idle_timeout):
        async with Client(server.config) as direct, world_of(direct, through, finalizer=finalizer) as world:
            await world.create(*names, size=1)
            await world.healed()
            yield world


def reported(caplog: pytest.LogCaptureFixture, logger: str) -> list[str]:
    """The warnings and errors of a logger."""
    return [
        record.getMessage()
        for record in caplog.get_records("call")
        if record.name.startswith(logger) and record.levelno >= logging.WARNING
    ]


def check_log(caplog: pytest.LogCaptureFixture, *, retries: int = 15) -> None:
    """See that what went wrong was said once, that of one key little was said, and that nothing escaped.

    What goes wrong with a watch is said again only when it had gone on meanwhile. Delays double, so that a
    key fails `retries` times in a minute at most.
    """
    assert reported(caplog, "asyncio") == []
    told: dict[str, set[str]] = {}
    for record in caplog.get_records("call"):
        if record.name == "kubewright.informers":
            of_it = told.setdefault(str(record.args[0]) if isinstance(record.args, tuple) else "", set())
            if record.levelno < logging.WARNING:
                of_it.clear()
            assert record.getMessage() not in of_it, f"it was said twice: {record.getMessage()}"
            of_it.add(record.getMessage())
    said = Counter(
        getattr(record, "object", "")
        for record in caplog.get_records("call")
        if record.name == "kubewright.controllers" and record.levelno >= logging.WARNING
    )
    assert all(count <= retries for count in said.values()), said
    assert not any(record.exc_info for record in caplog.get_records("call")), "our own errors need no trace"
