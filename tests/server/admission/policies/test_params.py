"""The parameters of policies: where they are looked for, and that what changes is seen at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from kubewright.machinery.errors import ApiError
from tests.server.admission.policies.registries import Server, serving


def run(test: Callable[[Server], Awaitable[None]]) -> None:
    async def served() -> None:
        async with serving() as server:
            await test(server)

    asyncio.run(served())


async def param(server: Server, name: str, value: str, namespace: str = "default") -> None:
    body = {"metadata": {"name": name, "labels": {"param": "yes"}}, "data": {"value": value}}
    await server.create("configmaps", body, namespace=namespace)


async def judge(server: Server, **reference: Any) -> None:
    """A policy that refuses everything, with the parameter's value for its message."""
    await server.validating(
        "p",
        {"paramRef": {"parameterNotFoundAction": "Deny", **reference}},
        paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
        validations=[{"expression": "false", "messageExpression": "string(params.data.value)"}],
    )


async def said(server: Server) -> str:
    with pytest.raises(ApiError) as refused:
        await server.config_map()
    return (refused.value.status.message or "").partition(" denied request: ")[2]


def test_changes_are_seen_at_once() -> None:
    async def test(server: Server) -> None:
        await param(server, "one", "first")
        await judge(server, name="one")
        assert await said(server) == "first"
        store = server.store("configmaps")
        entry = store.get("default", "one")
        changed = {**store.type.decode(entry.value), "data": {"value": "second"}}
        entry = await store.storage.update(
            entry.key, store.type.encode(changed), expected_revision=entry.revision
        )
        assert await said(server) == "second"
        await store.storage.delete(entry.key, store.type.encode(changed), expected_revision=entry.revision)
        assert "no params found" in await said(server)

    run(test)


def test_namespaces() -> None:
    """That of the write, unless the binding names one."""

    async def test(server: Server) -> None:
        await param(server, "one", "here")
        await param(server, "one", "there", namespace="kube-system")
        await judge(server, name="one", namespace="kube-system")
        assert await said(server) == "there"

    run(test)


def test_selected_are_of_one_namespace() -> None:
    async def test(server: Server) -> None:
        await param(server, "other", "there", namespace="kube-system")
        await judge(server, selector={"matchLabels": {"param": "yes"}})
        assert "no params found" in await said(server)
        store = server.store("configmaps")
        metadata = {"name": "b", "namespace": "default", "labels": {"param": "yes"}}
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"value": "here"}}
        # Past the policy, which refuses all config maps.
        await store.storage.create(store.key("default", "b"), store.type.encode(obj))
        assert await said(server) == "here"

    run(test)
