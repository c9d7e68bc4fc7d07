"""An informer knows whether it has all that the server has."""

from __future__ import annotations

import asyncio

import pytest

from kubewright.client.client import Client
from kubewright.informers import Informers
from kubewright.informers.server_state import ServerState
from kubewright.machinery.errors import NotSynced, WaitTimeout
from kubewright.models.core_v1 import ConfigMap, Secret
from kubewright.testing import Cluster
from tests.controllers.running import config_map
from tests.testing.late_watches import late_client


def test_it_waits_until_the_watch_has_told() -> None:
    async def run() -> None:
        async with (
            Cluster(controllers="none") as cluster,
            Client(cluster.config) as client,
            late_client(cluster) as (behind, watches),
            Informers(behind) as informers,
        ):
            maps = informers.of(ConfigMap, ["default", "kube-system"])
            await maps.caught_up()
            assert maps.is_idle
            watches.hold()
            # What is about other kinds does not matter.
            await client.api(Secret, "default").create({"metadata": {"name": "other"}})
            await maps.caught_up(timeout=20)
            await client.api(ConfigMap, "default").create(config_map("web"))
            with pytest.raises(WaitTimeout, match="ConfigMap in default, kube-system did not catch up"):
                await maps.caught_up(timeout=0.05)
            waiting = asyncio.create_task(maps.caught_up())
            watches.release()
            await waiting
            assert [each.metadata.name for each in maps.list()] == ["web"]
            await maps.close()
            with pytest.raises(NotSynced):
                await maps.caught_up()

    asyncio.run(run())


def test_only_what_is_selected_is_compared() -> None:
    async def run() -> None:
        async with (
            Cluster(controllers="none") as cluster,
            Client(cluster.config) as client,
            Informers(client) as informers,
        ):
            red = informers.of(ConfigMap, "default", labels="color=red")
            await red.caught_up()
            made = await client.api(ConfigMap, "default").create(
                {"metadata": {"name": "one", "labels": {"color": "blue"}}}
            )
            await red.caught_up(timeout=20)
            assert red.has_seen(made.metadata.resource_version)
            await client.api(ConfigMap, "default").patch("one", {"metadata": {"labels": {"color": "red"}}})
            await red.caught_up(timeout=20)
            assert [each.metadata.name for each in red.list()] == ["one"]

    asyncio.run(run())


def test_more_than_a_page() -> None:
    async def run() -> None:
        async with (
            Cluster(controllers="none") as cluster,
            Client(cluster.config) as client,
            late_client(cluster) as (behind, watches),
            Informers(behind) as informers,
        ):
            maps = informers.of(ConfigMap, "default")
            await maps.caught_up()
            watches.lag = 0.05
            for number in range(0, 600, 50):
                new = [
                    client.api(ConfigMap, "default").create(config_map(f"n{number + n}")) for n in range(50)
                ]
                await asyncio.gather(*new)
            await maps.caught_up()
            assert len(maps.list()) == 600

    asyncio.run(run())


def test_objects_are_equal_by_their_uids_and_revisions() -> None:
    def kept(uid: str, revision: str) -> ConfigMap:
        return ConfigMap.from_dict({"metadata": {"name": "a", "uid": uid, "resourceVersion": revision}})

    state = ServerState("9", {"a": ("1", "5")})
    assert state.equals({"a": kept("1", "5")})
    assert not state.equals({"a": kept("2", "5")})
    assert not state.equals({"a": kept("1", "6")})
    assert not state.equals({"b": kept("1", "5")})
    assert not state.equals({})
    assert not state.equals({"a": kept("1", "5"), "b": kept("1", "5")})
