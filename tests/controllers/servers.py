"""Tests that run on both servers: a client that counts its writes, a namespace and a kind for each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.client.request import Request
from kubewright.client.sender import Hooks
from kubewright.crd.declaration import custom_resource
from kubewright.machinery.errors import AlreadyExists
from kubewright.machinery.meta import Condition, ObjectMeta
from kubewright.machinery.resource import Resource
from kubewright.machinery.struct import Struct
from tests.informers.faults.connecting import served

if TYPE_CHECKING:
    from kubewright.testing import Cluster
    from tests.realcluster.server import RealServer

__all__ = ["App", "AppSpec", "AppStatus", "Server", "Setting", "app", "have_apps", "on"]

Server: TypeAlias = "Cluster | RealServer"


class AppSpec(Struct):
    size: int = 1
    color: str = ""


class AppStatus(Struct):
    pods: int | None = None
    names: list[str] = []
    conditions: list[Condition] = []


@custom_resource(group="helpers.example.com", version="v1", subresources=["status"])
class App(Resource):
    """A kind of one's own."""

    spec: AppSpec
    status: AppStatus | None = None


class Setting(NamedTuple):
    """What a test works with."""

    client: Client
    namespace: str
    writes: list[str]
    """The method and path of each write that was sent."""

    @property
    def apps(self) -> Api[App]:
        """The Apps of the namespace."""
        return self.client.api(App, self.namespace)


def app(name: str = "web", **spec: object) -> App:
    """An App with a name."""
    return App.from_dict({"metadata": {"name": name}, "spec": spec})


async def have_apps(client: Client) -> None:
    """Have Apps served, and known to discovery: kubectl and clients without types ask that."""
    definitions = client.apiextensions_v1.custom_resource_definitions()
    with suppress(AlreadyExists):
        await definitions.create(App.crd())
    await definitions.wait_for("apps.helpers.example.com", "Established", timeout=60)
    await served(client, App.gvk, "apps")


def on(server: Server, test: Callable[[Setting], Awaitable[None]]) -> None:
    """Run a test in a fresh namespace of a server, which knows Apps."""
    writes: list[str] = []

    def sending(request: Request) -> None:
        if request.method != "GET":
            writes.append(f"{request.method} {request.path}")

    async def run() -> None:
        async with Client(server.config, hooks=Hooks(before=[sending])) as client, asyncio.timeout(180):
            await have_apps(client)
            made = await client.core_v1.namespaces().create(_namespace())
            writes.clear()
            await test(Setting(client, made.metadata.name, writes))

    asyncio.run(run())


def _namespace() -> dict[str, object]:
    return {"metadata": ObjectMeta(generate_name="helpers-").to_dict()}
