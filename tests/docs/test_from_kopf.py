"""The programs of docs/from-kopf.md work as written."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any

import pytest

from kubewright import Client
from kubewright.controllers import is_false, is_true
from kubewright.testing import Cluster, run_operator
from tests.docs.pages import programs, run

PAGE = "from-kopf.md"
KOPF = "kopf.zalando.org/KopfFinalizerMarker"


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the programs leave behind."""
    module = ModuleType("documented_databases")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for program in programs(PAGE):
        asyncio.run(run(program, PAGE, vars(module)))
    return vars(module)


def on_a_cluster(names: dict[str, Any], test: Callable[[Client], Awaitable[None]]) -> None:
    async def main() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            definitions = client.apiextensions_v1.custom_resource_definitions()
            await definitions.create(names["Database"].crd())
            await definitions.wait_for("databases.example.com", "Established", timeout=10)
            await test(client)

    asyncio.run(main())


def test_the_operator(names: dict[str, Any]) -> None:
    async def test(client: Client) -> None:
        api = client.api(names["Database"], "default")
        server = names["Server"]()

        def setup(manager: Any) -> None:
            manager.controller(names["Database"], names["Databases"](server).reconcile)

        async with run_operator(client, setup) as operator:
            await api.create({"metadata": {"name": "orders"}, "spec": {"size": 2}})
            await operator.settled()
            made = await api.get("orders")
            assert made.status.address == "default-orders.db.example.com"
            assert made.status.used == 1
            assert is_true(made.status.conditions, "Ready")
            server.sizes.clear()  # somebody took it away
            await operator.advance(61)
            assert server.sizes == {"default-orders": 2}
            await api.patch("orders", {"spec": {"size": 1}})
            await operator.settled(allow_errors=True)
            refused = await api.get("orders")
            assert is_false(refused.status.conditions, "Ready")
            await api.delete("orders")
            await operator.settled(allow_errors=True)
            assert server.sizes == {}
            assert not await api.list().to_list()

    on_a_cluster(names, test)


def test_a_task_for_each_object(names: dict[str, Any]) -> None:
    async def test(client: Client) -> None:
        api = client.api(names["Database"], "default")
        followers = names["Followers"]()
        names["Followers"] = lambda: followers
        async with run_operator(client, names["setup_followers"]) as operator:
            for name in ("orders", "users"):
                await api.create({"metadata": {"name": name}, "spec": {}})
            await operator.settled()
            orders, users = followers.running.values()
            await api.delete("orders")
            await operator.settled()
            assert list(followers.running.values()) == [users]
        await asyncio.wait({orders, users}, timeout=10)
        assert orders.cancelled()
        assert users.cancelled()

    on_a_cluster(names, test)


def test_what_kopf_left(names: dict[str, Any]) -> None:
    async def test(client: Client) -> None:
        api = client.api(names["Database"])
        for name, finalizers in {
            "kept": [KOPF, "other.example.com/theirs"],
            "going": [KOPF],
            "clean": [],
        }.items():
            annotations = {"kopf.zalando.org/last-handled-configuration": "{}", "mine": "stays"}
            await api.in_namespace("default").create(
                {
                    "metadata": {
                        "name": name,
                        "finalizers": finalizers,
                        "annotations": annotations if finalizers else {},
                    },
                    "spec": {},
                }
            )
        await api.in_namespace("default").delete("going")
        for kind in (client.dynamic("example.com/v1", "Database"), api):
            cleaned = await names["forget_kopf_in_all"](kind)
            assert cleaned == (2 if kind is not api else 0)
        left = {obj.metadata.name: obj.metadata async for obj in api.list()}
        assert set(left) == {"kept", "clean"}
        assert left["kept"].finalizers == ["other.example.com/theirs"]
        assert left["kept"].annotations == {"mine": "stays"}

    on_a_cluster(names, test)


def test_there_are_no_other_programs() -> None:
    assert len(programs(PAGE)) == 3
