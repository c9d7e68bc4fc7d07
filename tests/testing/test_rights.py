"""Operators in tests under the rights that are derived for them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from kubewright import Client, Context, Manager, Request, rbac
from kubewright.controllers import ensure_finalizer
from kubewright.machinery.errors import Forbidden
from kubewright.models.core_v1 import ConfigMap, Node, Secret, ServiceAccount
from kubewright.models.rbac_v1 import ClusterRole, ClusterRoleBinding, Role
from kubewright.testing import Cluster, ReconcilesFailed, run_operator
from kubewright.testing.rights import derive_rights
from tests.codegen.manifest_project import write_package

KINDS: dict[str, Any] = {}


def on_a_cluster(test: Callable[[Client], Awaitable[None]]) -> None:
    async def main() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            await client.api(ConfigMap, "default").create({"metadata": {"name": "a"}})
            await test(client)

    asyncio.run(main())


async def finalized(ctx: Context, request: Request) -> None:
    config = await ctx.client.api(ConfigMap, request.namespace).get(request.name)
    await ensure_finalizer(ctx, config, "example.com/x")


async def without_a_mark(ctx: Context, request: Request) -> None:
    await ctx.client.uncached.api(KINDS["kind"]).list().to_list()


@rbac(Secret, verbs=["list"])
async def with_a_mark(ctx: Context, request: Request) -> None:
    await without_a_mark(ctx, request)


def of(reconcile: Callable[..., Any]) -> Callable[[Manager], None]:
    def setup(manager: Manager) -> None:
        manager.controller(ConfigMap, reconcile)

    return setup


def test_the_operator_has_its_rights_and_no_others() -> None:
    async def test(client: Client) -> None:
        async with run_operator(client, of(finalized), rights="derived") as operator:
            await operator.settled()
            assert (await client.api(ConfigMap, "default").get("a")).metadata.finalizers == ["example.com/x"]
            with pytest.raises(Forbidden):
                await operator.manager.client.api(Secret, "default").get("password")

    on_a_cluster(test)


def test_a_right_that_is_missing_fails_the_test(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        async with run_operator(client, of(without_a_mark), rights="derived") as operator:
            KINDS["kind"] = Node
            with pytest.raises(ReconcilesFailed) as failed:
                await operator.settled()
            assert failed.group_contains(Forbidden, match='cannot list resource "nodes"')

    KINDS.clear()
    on_a_cluster(test)
    # What could not be told was said beforehand.
    assert "add @rbac(Kind, verbs=" in caplog.text


def test_a_mark_grants_it() -> None:
    async def test(client: Client) -> None:
        async with run_operator(client, of(with_a_mark), rights="derived") as operator:
            KINDS["kind"] = Secret
            await operator.settled()

    KINDS.clear()
    on_a_cluster(test)


def test_the_account_is_gone_afterwards() -> None:
    async def names(client: Client) -> set[str]:
        kinds: list[Any] = [ServiceAccount, ClusterRole, ClusterRoleBinding, Role]
        return {str(obj) for kind in kinds for obj in await client.api(kind).list().to_list()}

    async def test(client: Client) -> None:
        before = await names(client)
        async with run_operator(client, of(finalized), rights="derived", leader_election="x") as operator:
            await operator.settled()
            assert len(await names(client)) > len(before)
        assert await names(client) == before

    on_a_cluster(test)


def test_words_that_mean_nothing() -> None:
    async def test(client: Client) -> None:
        wrong: Any = "all"
        with pytest.raises(ValueError, match="give 'client' or 'derived'"):
            async with run_operator(client, of(finalized), rights=wrong):
                pass

    on_a_cluster(test)


def test_marks_of_a_project_count_wherever_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "controllers.py": """
            from kubewright.models.core_v1 import ConfigMap

            async def reconcile(ctx, request): ...

            def setup(manager):
                manager.controller(ConfigMap, reconcile)
        """,
        "elsewhere.py": """
            from kubewright import rbac
            from kubewright.models.core_v1 import Node

            @rbac(Node, verbs=["get"])
            def look(): ...
        """,
    }
    write_package(tmp_path, "project_of_rights", files)
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    from project_of_rights.controllers import setup  # type: ignore[import-not-found]

    rights = asyncio.run(derive_rights(setup))
    assert ("nodes",) in [each.resources for each in rights.permissions]
