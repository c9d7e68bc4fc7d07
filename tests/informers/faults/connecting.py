"""Clients of the embedded server, straight and through a proxy that breaks connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.client.request import Request
from kubewright.client.sender import Hooks
from kubewright.config import Config
from kubewright.informers import Informer, Informers
from kubewright.machinery.errors import NotFound
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import FaultProxy
from tests.informers.faults.histories import PATIENCE, History

__all__ = [
    "Server",
    "Setup",
    "config_of",
    "discovered",
    "fresh_namespace",
    "named",
    "same_as_server",
    "served",
    "set_up",
    "short_pause",
]


class Server(Protocol):
    """What tests need to know of a server."""

    @property
    def url(self) -> str:
        """Where it is."""

    @property
    def config(self) -> Config:
        """How the administrator reaches it."""

    def compact(self, revision: int) -> None:
        """Forgets the history before a revision."""


def config_of(server: Server, proxy: FaultProxy) -> Config:
    """How to reach a server through a proxy."""
    return msgspec.structs.replace(server.config, server=proxy.url)


async def short_pause(seconds: float) -> None:
    """A sleep for informers, so that many connections can break in a short time."""
    await asyncio.sleep(min(seconds, 0.01))


async def fresh_namespace(client: Client) -> str:
    made = await client.dynamic("v1", "Namespace").create({"metadata": {"generateName": "informed-"}})
    return made.metadata.name


def named(name: str, labels: dict[str, str] | None = None, **data: str) -> dict[str, Any]:
    """A ConfigMap."""
    return {"metadata": {"name": name, "labels": labels or {}}, "data": data}


@dataclass(frozen=True)
class Setup:
    """ConfigMaps of a fresh namespace, and an informer of them that has them through a proxy."""

    maps: Api[ConfigMap]
    """Straight to the server."""
    informers: Informers
    informer: Informer[ConfigMap]
    history: History
    """The handler of the informer."""
    namespace: str
    asked: list[dict[str, str]] = field(default_factory=list)
    """The queries of what the informer has asked for."""

    def names(self) -> list[str]:
        """What the informer has, by name."""
        return sorted(each.metadata.name for each in self.informer.list())


@asynccontextmanager
async def set_up(
    server: Server,
    proxy: FaultProxy,
    *names: str,
    streams: bool = False,
    idle_timeout: float = 300.0,
    labels: str = "",
    fields: str = "",
    sleep: Callable[[float], Awaitable[object]] = short_pause,
) -> AsyncIterator[Setup]:
    """An informer that knows ConfigMaps of these names, each with `k: "1"`, and has told of them.

    Unless `idle_timeout` says so, it does not take a silent connection for dead as long as a test lasts.
    """
    asked: list[dict[str, str]] = []

    def before(request: Request) -> None:
        asked.append(dict(request.query))

    async with (
        Client(server.config) as direct,
        Client(config_of(server, proxy), timeout=10, hooks=Hooks(before=[before])) as proxied,
        Informers(proxied, streams=streams, idle_timeout=idle_timeout, sleep=sleep) as informers,
    ):
        namespace = await fresh_namespace(direct)
        maps = direct.api(ConfigMap, namespace)
        for name in names:
            await maps.create(named(name, k="1"))
        history = History()
        informer = informers.of(ConfigMap, namespace, labels=labels, fields=fields)
        registration = informer.on_change(history)
        await informers.synced(timeout=PATIENCE)
        await registration.synced(timeout=PATIENCE)
        if not labels and not fields:
            assert sorted(history.short()) == [("ADDED", name) for name in sorted(names)]
            # Then the watch is open, and faults hit it.
            await maps.create(named("first"))
            await maps.delete("first")
            await history.until_told("DELETED", "first")
            history.forget()
        yield Setup(maps, informers, informer, history, namespace, asked)


async def same_as_server(informer: Informer[Any], api: Api[Any], *, labels: str = "") -> None:
    """See that an informer has what a list has, object for object."""
    listed = {obj.key: obj async for obj in api.list(labels=labels)}
    for obj in listed.values():
        obj.metadata.managed_fields = []
    known = {obj.key: obj for obj in informer.list()}
    assert known == listed
    assert sorted(informer.keys()) == sorted(listed)
    assert len(informer) == len(listed)


async def discovered(client: Client, gvk: GroupVersionKind, *, gone: bool = False) -> None:
    """Wait until discovery has a kind, or has it no more: real servers tell some time after it is so."""
    async with asyncio.timeout(PATIENCE):
        served = await client.discovery.refresh()
        while (gvk in {each.gvk for each in served.resources()}) is gone:
            await asyncio.sleep(0.02)
            served = await client.discovery.refresh()


async def served(client: Client, gvk: GroupVersionKind, resource: str) -> None:
    """Wait until a kind is served and discovery has it.

    A real server answers 404 for a moment after the definition is Established.
    """
    path = f"/apis/{gvk.group}/{gvk.version}/{resource}"
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(NotFound):
                await client.raw("GET", path, query={"limit": "1"})
                break
            await asyncio.sleep(0.02)
    await discovered(client, gvk)
