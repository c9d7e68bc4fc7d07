"""The programs of docs/controllers.md work as written."""

from __future__ import annotations

import asyncio
import sys
from types import ModuleType
from typing import Any

import pytest

from kubewright import Client
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster, run_operator
from tests.docs.pages import programs, run

PAGE = "controllers.md"


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the programs leave behind."""
    module = ModuleType("documented_website")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for program in programs(PAGE):
        asyncio.run(run(program, PAGE, vars(module)))
    return vars(module)


def test_the_test_of_the_page(names: dict[str, Any]) -> None:
    async def main() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            await names["test_a_website_has_a_deployment"](client)

    asyncio.run(main())


def test_the_controller(names: dict[str, Any]) -> None:
    async def main() -> None:
        website, deployment = names["Website"], names["Deployment"]
        async with Cluster() as cluster, Client(cluster.config) as client:
            await client.apiextensions_v1.custom_resource_definitions().create(website.crd())
            sites = client.api(website, "default")
            async with run_operator(client, names["setup"]) as operator:
                await sites.create(
                    {"metadata": {"name": "shop"}, "spec": {"image": "nginx:1", "replicas": 2}}
                )
                await sites.wait_for(
                    "shop", lambda site: site.status is not None and site.status.ready == 2, timeout=30
                )
                await sites.patch("shop", {"spec": {"image": "nginx:2"}})
                await operator.settled()
                made = await client.api(deployment, "default").get("shop")
                assert made.spec.template.spec.containers[0].image == "nginx:2"
                assert made.spec.replicas == 2

    asyncio.run(main())


def test_the_other_sources(names: dict[str, Any]) -> None:
    async def main() -> None:
        website, deployment = names["Website"], names["Deployment"]
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            await client.apiextensions_v1.custom_resource_definitions().create(website.crd())
            await client.api(website, "default").create(
                {"metadata": {"name": "shop"}, "spec": {"image": "nginx"}}
            )
            async with run_operator(client, names["setup_more"]) as operator:
                await operator.settled()
                before = operator.reconciled()
                await client.api(ConfigMap, "default").create({"metadata": {"name": "any"}})
                await operator.settled()
                assert operator.reconciled() == before + 1
                assert await client.api(deployment, "default").get("shop")

    asyncio.run(main())


def test_there_are_no_other_programs() -> None:
    assert len(programs(PAGE)) == 3
