"""The client in the process: it sees what a client over sockets sees."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from kubewright import AlreadyExists, Client, Invalid, NotFound
from kubewright.client.sender import Hooks
from kubewright.cluster.loopback import LoopbackConnections, loopback_client
from kubewright.config import Config, config_from_kubeconfig
from kubewright.informers import Informers
from kubewright.machinery.errors import ClientClosed, TransportError
from kubewright.models.core_v1 import ConfigMap, Pod
from kubewright.server.registry.write import User
from kubewright.server.server import APIServer

JANE = User(name="jane", groups=("system:authenticated",))


def with_clients(test: Callable[[Client, Client], Awaitable[None]]) -> None:
    """Run a test with a client in the process and one over sockets."""

    async def run() -> None:
        async with APIServer() as server, asyncio.timeout(120):
            config = _config(server)
            async with (
                loopback_client(server, user=lambda: JANE, user_agent="inside/1.0") as inside,
                Client(config) as outside,
            ):
                await test(inside, outside)

    asyncio.run(run())


def _config(server: APIServer) -> Config:
    return config_from_kubeconfig(Path(server.kubeconfig).read_text())


def config_map(name: str, **data: str) -> ConfigMap:
    return ConfigMap.from_dict({"metadata": {"name": name}, "data": data})


def test_what_one_writes_the_other_reads() -> None:
    async def test(inside: Client, outside: Client) -> None:
        made = await inside.api(ConfigMap, "default").create(config_map("a", k="1"))
        assert (await outside.api(ConfigMap, "default").get("a")).to_dict() == made.to_dict()
        assert made.metadata.managed_fields[0].manager == "inside"
        await outside.api(ConfigMap, "default").patch("a", {"data": {"k": "2"}})
        seen = [each.data async for each in inside.api(ConfigMap, "default").list()]
        assert seen == [{"k": "2"}]

    with_clients(test)


def test_refusals_are_the_same() -> None:
    async def test(inside: Client, outside: Client) -> None:
        for client in (inside, outside):
            maps = client.api(ConfigMap, "default")
            with pytest.raises(NotFound, match='configmaps "x" not found'):
                await maps.get("x")
            with pytest.raises(Invalid, match="a lowercase RFC 1123 subdomain"):
                await maps.create(config_map("Bad_Name"))
            with pytest.raises(NotFound):
                await client.dynamic("nowhere.example.com/v1", "Nothing", "default").get("x")
        await inside.api(ConfigMap, "default").create(config_map("a"))
        with pytest.raises(AlreadyExists):
            await inside.api(ConfigMap, "default").create(config_map("a"))

    with_clients(test)


def test_warnings_come_through() -> None:
    told: list[str] = []

    async def run() -> None:
        async with APIServer() as server:
            connections = LoopbackConnections(server.loopback(lambda: JANE))
            config = Config(server=server.url)
            async with Client(config, connections=connections, hooks=Hooks(warning=told.append)) as client:
                spec = {
                    "containers": [{"name": "c", "image": "i"}],
                    "nodeSelector": {"beta.kubernetes.io/os": "x"},
                }
                await client.api(Pod, "default").create(
                    Pod.from_dict({"metadata": {"name": "p"}, "spec": spec})
                )

    asyncio.run(run())
    assert len(told) == 1
    assert "beta.kubernetes.io/os" in told[0]


def test_an_informer_follows_and_ends_with_its_client() -> None:
    async def test(inside: Client, outside: Client) -> None:
        for number in range(200):
            await outside.api(ConfigMap, "default").create(config_map(f"c{number}", k="0"))
        async with Informers(inside) as informers:
            maps = informers.of(ConfigMap)
            await informers.synced()
            assert len(maps) == 200
            written = await outside.api(ConfigMap, "default").patch("c7", {"data": {"k": "1"}})
            await maps.seen(written.metadata.resource_version, namespace="default")
            found = maps.get("default/c7")
            assert found is not None
            assert found.data == {"k": "1"}

    with_clients(test)


def test_a_watch_of_a_closed_client_ends() -> None:
    async def test(inside: Client, outside: Client) -> None:
        watching = asyncio.ensure_future(anext(aiter(inside.api(ConfigMap, "default").watch())))
        await asyncio.sleep(0)
        await inside.close()
        with pytest.raises(ClientClosed):
            await watching
        with pytest.raises(ClientClosed):
            await inside.api(ConfigMap, "default").get("a")

    with_clients(test)


def test_a_burst_is_not_lost_to_a_slow_reader() -> None:
    """More events than are read ahead, while nobody reads."""

    async def test(inside: Client, outside: Client) -> None:
        events = aiter(inside.api(ConfigMap, "default").watch())
        first = asyncio.ensure_future(anext(events))
        await outside.api(ConfigMap, "default").create(config_map("c", k="first"))
        await first
        for number in range(300):
            await outside.api(ConfigMap, "default").patch("c", {"data": {"k": str(number)}})
        seen = [(await anext(events)).object.data["k"] for _ in range(300)]
        assert seen == [str(number) for number in range(300)]

    with_clients(test)


def test_there_are_no_web_sockets() -> None:
    async def test(inside: Client, outside: Client) -> None:
        with pytest.raises(TransportError, match="no WebSockets within the process"):
            await inside.api(Pod, "default").exec("p", ["true"])

    with_clients(test)
