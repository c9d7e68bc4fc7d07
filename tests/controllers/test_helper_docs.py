"""The programs of docs/controllers-helpers.md work as written."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kubewright.client.client import Client
from kubewright.controllers.conditions import is_true
from kubewright.controllers.context import Context
from kubewright.controllers.manager import Manager
from kubewright.controllers.requests import Request, Result
from kubewright.models.core_v1 import ConfigMap, Event
from kubewright.testing import Cluster
from tests.controllers.running import managed, on_a_cluster, until

PAGE = (Path(__file__).parents[2] / "docs" / "controllers-helpers.md").read_text()
RECONCILER, HALVES, CLUSTERS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the programs leave behind."""
    module = ModuleType("documented_reconciler")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for program in (RECONCILER, HALVES, CLUSTERS):
        exec(compile(program, "docs/controllers-helpers.md", "exec", dont_inherit=True), vars(module))  # noqa: S102 - our own words
    return vars(module)


async def defined(client: Client, kind: Any) -> None:
    definitions = client.apiextensions_v1.custom_resource_definitions()
    await definitions.create(kind.crd())
    await definitions.wait_for("sites.example.com", "Established", timeout=20)


def test_the_reconciler(names: dict[str, Any]) -> None:
    async def test(client: Client) -> None:
        await defined(client, names["Site"])
        sites = client.api(names["Site"], "default")

        def set_up(manager: Manager) -> None:
            manager.controller(names["Site"], names["reconcile"], owns=[ConfigMap])

        async with managed(client, set_up):
            await sites.create({"metadata": {"name": "shop"}, "spec": {"host": "shop.example.com"}})
            ready: Any = await sites.wait_for("shop", "Ready", timeout=20)
            assert is_true(ready.status.conditions, "Ready")
            assert ready.metadata.finalizers == ["example.com/dns"]
            assert names["dns"] == {"shop.example.com"}
            child = await client.api(ConfigMap, "default").get("shop-config")
            assert child.data == {"host": "shop.example.com"}
            assert child.metadata.owner_references[0].kind == "Site"
            await sites.delete("shop")
            await sites.wait_for("shop", "deleted", timeout=20)
            assert not names["dns"]
        told = [each.message async for each in client.api(Event, "default").list()]
        assert told == ["ConfigMap default/shop-config was created"]

    on_a_cluster(test)


def test_the_two_halves(names: dict[str, Any]) -> None:
    async def test(client: Client) -> None:
        await defined(client, names["Site"])
        sites = client.api(names["Site"], "default")

        asked = 0

        async def reconcile(ctx: Context, request: Request) -> Any:
            nonlocal asked
            result = await names["reconcile_slowly"](ctx, request)
            asked += isinstance(result, Result)
            return result

        def set_up(manager: Manager) -> None:
            manager.controller(names["Site"], reconcile)

        async with managed(client, set_up):
            names["dns"].add("shop.example.com")
            await sites.create({"metadata": {"name": "shop"}, "spec": {"host": "shop.example.com"}})
            await sites.wait_for("shop", lambda site: bool(site.metadata.finalizers), timeout=20)
            await sites.delete("shop")
            await until(lambda: asked >= 3, "asked again and again")
            assert (await sites.get("shop")).metadata.deletion_timestamp is not None
            names["dns"].clear()
            await sites.wait_for("shop", "deleted", timeout=20)

    on_a_cluster(test)


def test_several_clusters(names: dict[str, Any]) -> None:
    async def test(client: Client) -> None:
        async with (
            Cluster(controllers="none") as other,
            Client(other.config) as eu,
            managed(client, lambda manager: names["set_up"](manager, eu)),
        ):
            metadata = {"name": "motd", "labels": {"example.com/everywhere": ""}}
            await client.api(ConfigMap, "default").create({"metadata": metadata, "data": {"text": "hello"}})
            there = eu.api(ConfigMap, "default")
            await there.wait_for("motd", lambda copy: copy.data == {"text": "hello"}, timeout=20)
            await there.delete("motd")
            await there.wait_for("motd", lambda copy: copy.data == {"text": "hello"}, timeout=20)

    on_a_cluster(test)
