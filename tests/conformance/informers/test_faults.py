"""Informers over connections that break, beyond a compaction, and of kinds that come and go."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from kubewright.client.client import Client
from kubewright.config import Config
from kubewright.informers import Informers
from kubewright.machinery.errors import NotFound
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.coordination_v1 import Lease
from kubewright.models.events_v1 import Event
from kubewright.testing import FaultProxy
from tests.client.watch_script import eventually
from tests.conformance.api.conftest import Use
from tests.conformance.api.test_watch import event
from tests.conformance.client import ServerUnderTest
from tests.conformance.custom_resources import definition, new_group
from tests.conformance.informers.leases import lease
from tests.conformance.namespaces import Namespace
from tests.informers.faults.connecting import same_as_server, short_pause
from tests.informers.faults.histories import PATIENCE, History

both = pytest.mark.parametrize("streams", [False, True], ids=["pages", "streams"])


@both
def test_what_the_server_has_forgotten(
    use: Use[object], server: ServerUnderTest, namespace: Namespace, config: Config, streams: bool
) -> None:
    """With events, which kube-apiserver does not cache, so that it sees the compaction of etcd at once."""

    async def test(client: Client) -> None:
        api = client.api(Event, namespace.name)
        for name in ("changed", "deleted", "kept", "recreated"):
            await api.create(event(name, namespace.name))
        with FaultProxy(config.server) as proxy:
            through = msgspec.structs.replace(config, server=proxy.url)
            async with (
                Client(through) as broken,
                Informers(broken, streams=streams, sleep=short_pause) as informers,
            ):
                history = History()
                informer = informers.of(Event, namespace.name)
                await informer.on_change(history).synced(timeout=PATIENCE)
                history.forget()
                proxy.refuse()
                proxy.cut()
                await api.patch("changed", {"metadata": {"labels": {"a": "b"}}})
                await api.delete("deleted")
                await api.delete("recreated")
                await api.create(event("recreated", namespace.name))
                last = await api.create(event("new", namespace.name))
                server.compact(int(last.metadata.resource_version))
                proxy.resume()
                await informer.seen(last)
                await same_as_server(informer, api)
                await history.until_told("ADDED", "new")
                assert sorted(history.short()) == [
                    ("ADDED", "new"),
                    ("ADDED", "recreated"),
                    ("DELETED", "deleted"),
                    ("DELETED", "recreated"),
                    ("MODIFIED", "changed"),
                ]
                history.check()
                await informer.seen(await api.create(event("newer", namespace.name)))

    use(test)


@both
def test_connections_that_break(
    use: Use[object], namespace: Namespace, config: Config, streams: bool
) -> None:
    async def test(client: Client) -> None:
        api = client.api(Lease, namespace.name)
        with FaultProxy(config.server) as proxy:
            through = msgspec.structs.replace(config, server=proxy.url)
            async with (
                Client(through, timeout=5) as broken,
                Informers(broken, streams=streams, idle_timeout=1, sleep=short_pause) as informers,
            ):
                history = History()
                informer = informers.of(Lease, namespace.name)
                await informer.on_change(history).synced(timeout=PATIENCE)
                for number in range(12):
                    if number % 6 == 5:
                        proxy.black_hole()
                    elif number % 6 == 4:
                        proxy.cut_after(5000)
                    else:
                        proxy.cut(reset=number % 2 == 0)
                    written = await api.create(lease(f"l{number}"))
                    if number % 3 == 0:
                        await api.delete(f"l{number}")
                        written = await api.create(lease(f"l{number}", "anew"))
                    proxy.cut_after(None)
                    await informer.seen(written)
                    await same_as_server(informer, api)
                await history.until_told("ADDED", "l11")
                history.check()
                assert len([each for each in history.told if each.type == "DELETED"]) == 4

    use(test)


async def define(client: Client, group: str) -> None:
    definitions = client.api(CustomResourceDefinition)
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    await definitions.create(definition(group, version))
    await definitions.wait_for(f"widgets.{group}", "Established", timeout=PATIENCE)


async def create_widget(client: Client, group: str, namespace: str, name: str) -> None:
    """Creates a widget; kube-apiserver serves a kind some time after it is established."""
    widget: dict[str, Any] = {
        "apiVersion": f"{group}/v1",
        "kind": "Widget",
        "metadata": {"name": name},
        "spec": {"size": 1},
    }
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await client.dynamic(f"{group}/v1", "Widget", namespace).create(widget)
                break
            except NotFound:
                await asyncio.sleep(0.05)


def test_a_definition_that_comes_goes_and_comes_back(use: Use[object], namespace: Namespace) -> None:
    group = new_group()

    async def test(client: Client) -> None:
        async with Informers(client, sleep=short_pause) as informers:
            history = History()
            informer = informers.of(client.dynamic(f"{group}/v1", "Widget"))
            informer.on_change(history)
            await eventually(lambda: isinstance(informer.last_error, NotFound), within=PATIENCE)
            assert not informer.is_synced
            await define(client, group)
            await informer.synced(timeout=PATIENCE)
            for name in ("a", "b"):
                await create_widget(client, group, namespace.name, name)
            await history.until(lambda: len(history.told) == 2)
            assert sorted(informer.keys()) == [f"{namespace.name}/{name}" for name in ("a", "b")]
            await client.api(CustomResourceDefinition).delete(f"widgets.{group}")
            await history.until(lambda: len(history.told) == 4)
            assert sorted(history.short()[2:]) == [("DELETED", "a"), ("DELETED", "b")]
            assert informer.list() == []
            await client.api(CustomResourceDefinition).wait_for(
                f"widgets.{group}", "deleted", timeout=PATIENCE
            )
            await define(client, group)
            await create_widget(client, group, namespace.name, "a")
            await history.until(lambda: len(history.told) == 5)
            history.check()
            assert informer.keys() == [f"{namespace.name}/a"]

    use(test)
