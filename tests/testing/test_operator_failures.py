"""What an operator in a test does wrong is told, with the objects that it is about."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright.client.client import Client
from kubewright.controllers import Context, Manager, Request, Source, Terminal
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import ConfigMap, Secret
from kubewright.testing import NotSettled, ReconcilesFailed, RunningOperator, run_operator
from tests.controllers.running import config_map, on_a_cluster
from tests.controllers.servers import App, Server, Setting, app, on


def reconciling(reconcile: Any, **options: Any) -> Any:
    """A setup function with one controller."""

    def set_up(manager: Manager) -> None:
        manager.controller(ConfigMap, reconcile, **options)

    return set_up


async def nothing(ctx: Context, request: Request) -> None:
    """A reconciler that finds all as it should be."""


def test_a_reconciler_that_never_settles() -> None:
    async def reconcile(ctx: Context, request: Request) -> None:
        maps = ctx.client.api(ConfigMap, request.namespace)
        found = await maps.get(request.name)
        await maps.patch(request.name, {"data": {"n": str(int(found.data["n"]) + 1)}})

    async def test(client: Client) -> None:
        async with run_operator(client, reconciling(reconcile)) as operator:
            await client.api(ConfigMap, "default").create(config_map("busy", n="0"))
            with pytest.raises(NotSettled) as raised:
                await operator.settled()
            assert str(raised.value) == (
                "configmap default/busy was reconciled 100 times without settling: "
                "its last writes were ConfigMap default/busy"
            )

    on_a_cluster(test)


def test_writing_often_and_coming_to_an_end_is_no_failure() -> None:
    async def reconcile(ctx: Context, request: Request) -> None:
        maps = ctx.client.api(ConfigMap, request.namespace)
        found = await maps.get(request.name)
        if int(found.data["n"]) < 30:
            await maps.patch(request.name, {"data": {"n": str(int(found.data["n"]) + 1)}})

    async def test(client: Client) -> None:
        async with run_operator(client, reconciling(reconcile)) as operator:
            await client.api(ConfigMap, "default").create(config_map("slow", n="0"))
            with pytest.raises(NotSettled, match="reconciled 10 times"):
                await operator.settled(max_reconciles=10)
            await operator.settled()
            assert (await client.api(ConfigMap, "default").get("slow")).data["n"] == "30"

    on_a_cluster(test)


def test_a_reconciler_that_hangs() -> None:
    hangs = asyncio.Event()

    async def reconcile(ctx: Context, request: Request) -> None:
        if request.name == "stuck":
            hangs.set()
            await _forever()

    async def _forever() -> None:
        await asyncio.Event().wait()  # This line is named.

    line = _forever.__code__.co_firstlineno + 1

    async def test(client: Client) -> None:
        await client.api(ConfigMap, "default").create(config_map("fine"))
        async with run_operator(client, reconciling(reconcile), stop_timeout=0.01) as operator:
            await operator.settled()
            await client.api(ConfigMap, "default").create(config_map("stuck"))
            await hangs.wait()
            with pytest.raises(NotSettled) as raised:
                await operator.settled(timeout=0.2)
        assert str(raised.value) == (
            "the operator did not settle within 0.2 seconds: "
            f"controller configmap is reconciling default/stuck at test_operator_failures.py:{line}"
        )

    on_a_cluster(test)


def test_a_mapping_function_that_hangs() -> None:
    hangs = asyncio.Event()

    async def mapping(_: Secret) -> list[Request]:
        hangs.set()
        await asyncio.Event().wait()
        return []

    async def test(client: Client) -> None:
        async with run_operator(client, reconciling(nothing, watches=[Source(Secret, mapping)])) as operator:
            await operator.settled()
            await client.api(Secret, "default").create({"metadata": {"name": "one"}})
            await hangs.wait()
            with pytest.raises(NotSettled, match="mapping functions of Secret are at work"):
                await operator.settled(timeout=0.2)

    on_a_cluster(test)


async def until_served(setting: Setting, *, served: bool) -> None:
    """Wait until a server serves Apps, or no longer does: real ones hear of definitions a moment later."""
    while served != await is_served(setting):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.02)


async def is_served(setting: Setting) -> bool:
    try:
        await setting.apps.list().to_list()
    except NotFound:
        return False
    return True


async def unsettled(operator: RunningOperator) -> str:
    """What is said of an operator that does not settle."""
    with pytest.raises(NotSettled) as raised:
        await operator.settled(timeout=0.5)
    return str(raised.value)


def test_a_kind_that_is_not_served(server: Server) -> None:
    async def test(setting: Setting) -> None:
        client = setting.client
        definitions = client.apiextensions_v1.custom_resource_definitions()

        def set_up(manager: Manager) -> None:
            manager.controller(App, nothing)
            manager.controller(ConfigMap, nothing)

        await definitions.delete("apps.helpers.example.com")
        await definitions.wait_for("apps.helpers.example.com", "deleted", timeout=60)
        await until_served(setting, served=False)
        async with run_operator(client, set_up, namespaces=setting.namespace) as operator:
            # The rest may take longer to start than this takes to find out.
            while "configmap" in (said := await unsettled(operator)) or "does not serve" not in said:
                continue
            assert f"the cache of App in {setting.namespace} in the manager's cluster is not filled" in said
            assert "does not serve this kind; create its CustomResourceDefinition" in said
            assert "controller app waits for the manager's cluster" in said
            assert "controller configmap" not in said
            await definitions.create(App.crd())
            await definitions.wait_for("apps.helpers.example.com", "Established", timeout=60)
            await until_served(setting, served=True)
            await setting.apps.create(app("web"))
            # Whoever has asked for it in vain waits longer each time.
            await operator.settled(timeout=60)
            assert operator.reconciled("app") == 1

    on(server, test)


def test_a_reconciler_that_fails() -> None:
    async def reconcile(ctx: Context, request: Request) -> None:
        found = await ctx.client.api(ConfigMap, request.namespace).get(request.name)
        if found.data["valid"] == "no":
            raise ValueError(f"{request.name} is not valid")
        if found.data["valid"] == "never":
            raise Terminal("there is no way")

    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        for name, valid in {"a": "yes", "b": "no", "c": "never"}.items():
            await maps.create(config_map(name, valid=valid))
        async with run_operator(client, reconciling(reconcile)) as operator:
            with pytest.raises(ReconcilesFailed) as raised:
                await operator.settled()
            assert "configmap default/b: b is not valid, configmap default/c: there is no way" in str(
                raised.value
            )
            assert {type(each) for each in raised.value.exceptions} == {ValueError, Terminal}
            failed = {(each.controller, each.request.name) for each in raised.value.failures}
            assert failed == {("configmap", "b"), ("configmap", "c")}
            await operator.settled(allow_errors=True)
            assert set(raised.value.failures) == set(operator.errors)
            # What is mended is none any more, and nothing is forgotten that is not.
            await maps.patch("b", {"data": {"valid": "yes"}})
            with pytest.raises(ReconcilesFailed):
                await operator.settled()
            assert [each.request.name for each in operator.errors] == ["c"]
            await maps.patch("c", {"data": {"valid": "yes"}})
            await operator.settled()
            assert operator.errors == []

    on_a_cluster(test)


def test_a_manager_that_ends() -> None:
    async def breaks() -> None:
        raise ValueError("it broke")

    async def test(client: Client) -> None:
        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, nothing)
            manager.add(breaks)

        with pytest.raises(ValueError, match="it broke"):
            async with run_operator(client, set_up) as operator:
                await operator.settled()
        with pytest.raises(ValueError, match="it broke"):
            async with run_operator(client, set_up):
                pass
        async with run_operator(client, reconciling(nothing)) as operator:
            operator.manager.stop()
            with pytest.raises(NotSettled, match="was stopped"):
                await operator.settled()
        with pytest.raises(RuntimeError, match="inside the block"):
            await operator.settled()

    on_a_cluster(test)


def test_what_the_test_says_comes_first() -> None:
    async def breaks() -> None:
        raise ValueError("it broke")

    async def test(client: Client) -> None:
        def set_up(manager: Manager) -> None:
            manager.add(breaks)

        with pytest.raises(AssertionError, match="of the test"):
            async with run_operator(client, set_up):
                raise AssertionError("of the test")

    on_a_cluster(test)


def test_a_setup_that_awaits() -> None:
    async def test(client: Client) -> None:
        async def set_up(manager: Manager) -> None:
            await client.api(ConfigMap, "default").create(config_map("first"))
            manager.controller(ConfigMap, nothing)

        async with run_operator(client, set_up, leader_election="test") as operator:
            await operator.settled()
            assert operator.reconciled() == 1

    on_a_cluster(test)
