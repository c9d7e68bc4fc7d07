"""What becomes of objects whose owners are deleted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright import Client, NotFound, Resource, Struct, custom_resource
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.core_v1 import ConfigMap, Namespace
from kubewright.models.rbac_v1 import ClusterRole
from tests.cluster.clusters import eventually, with_cluster


class WidgetSpec(Struct):
    size: int = 1


@custom_resource(group="garbage.example.com", version="v1")
class Widget(Resource):
    """A kind that comes and goes."""

    spec: WidgetSpec


async def make(
    client: Client,
    name: str,
    *owners: ConfigMap | Widget | ClusterRole,
    block: bool = False,
    namespace: str = "default",
    **metadata: Any,
) -> ConfigMap:
    references = [
        {
            "apiVersion": owner.api_version,
            "kind": owner.kind,
            "name": owner.metadata.name,
            "uid": owner.metadata.uid,
            "blockOwnerDeletion": block,
        }
        for owner in owners
    ]
    return await client.api(ConfigMap, namespace).create(
        {"metadata": {"name": name, "ownerReferences": references, **metadata}}
    )


async def names(client: Client, namespace: str = "default") -> set[str]:
    return {each.metadata.name async for each in client.api(ConfigMap, namespace).list()}


def becomes(client: Client, *expected: str) -> Any:
    async def so() -> bool:
        return await names(client) == set(expected)

    return so


async def uncertain(client: Client) -> None:
    """Wait until the collector has done all that it wants to do: it deletes something that was made last."""
    owner = await make(client, "last-owner")
    await make(client, "last", owner)
    await client.api(ConfigMap, "default").delete("last-owner")

    async def gone() -> bool:
        return not {"last", "last-owner"} & await names(client)

    await eventually(gone, "the collector does not work")


def test_dependents_go_in_the_background() -> None:
    async def test(client: Client) -> None:
        owner = await make(client, "owner")
        child = await make(client, "child", owner)
        await make(client, "grandchild", child)
        await make(client, "other")
        await client.api(ConfigMap, "default").delete("owner", propagation="Background")
        await eventually(becomes(client, "other"), "dependents are still there")

    with_cluster(test, "garbagecollector")


def test_the_owner_goes_last_in_the_foreground() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        owner = await make(client, "owner")
        await make(client, "held", owner, block=True, finalizers=["example.com/hold"])
        await make(client, "blocking", owner, block=True)
        await make(client, "not-blocking", owner)
        await maps.delete("owner", propagation="Foreground")
        await eventually(becomes(client, "owner", "held"), "dependents are still there")
        await uncertain(client)
        assert (await maps.get("owner")).metadata.finalizers == ["foregroundDeletion"]
        await maps.patch("held", {"metadata": {"finalizers": None}})
        await eventually(becomes(client), "the owner is still there")

    with_cluster(test, "garbagecollector")


def test_orphans_stay_and_forget_their_owner() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        owner = await make(client, "owner")
        other = await make(client, "other")
        await make(client, "child", owner, other)
        await make(client, "only", owner)
        await maps.delete("owner", propagation="Orphan")
        await eventually(becomes(client, "other", "child", "only"), "the owner is still there")
        assert [each.name for each in (await maps.get("child")).metadata.owner_references] == ["other"]
        assert (await maps.get("only")).metadata.owner_references == []
        await uncertain(client)
        assert "only" in await names(client)

    with_cluster(test, "garbagecollector")


def test_one_of_two_owners() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        first, second = await make(client, "first"), await make(client, "second")
        await make(client, "child", first, second)
        await maps.delete("first")

        async def forgotten() -> bool:
            return [each.name for each in (await maps.get("child")).metadata.owner_references] == ["second"]

        await eventually(forgotten, "the owner that is gone is still named")
        await maps.delete("second")
        await eventually(becomes(client), "the child is still there")

    with_cluster(test, "garbagecollector")


@pytest.mark.parametrize(
    "change",
    [{"uid": "11111111-2222-3333-4444-555555555555"}, {"name": "nobody"}, {"kind": "Secret"}],
    ids=["uid", "name", "kind"],
)
def test_an_owner_that_is_not_there(change: dict[str, str]) -> None:
    async def test(client: Client) -> None:
        owner = await make(client, "owner")
        reference = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": "owner",
            "uid": owner.metadata.uid,
            **change,
        }
        body = {"metadata": {"name": "child", "ownerReferences": [reference]}}
        await client.api(ConfigMap, "default").create(body)
        await eventually(becomes(client, "owner"), "the child is still there")

    with_cluster(test, "garbagecollector")


def test_an_owner_in_another_namespace_is_none() -> None:
    async def test(client: Client) -> None:
        await client.api(Namespace).create(Namespace.from_dict({"metadata": {"name": "other"}}))
        owner = await make(client, "owner", namespace="other")
        await make(client, "child", owner)
        await eventually(becomes(client), "the child is still there")
        assert await names(client, "other") == {"owner"}

    with_cluster(test, "garbagecollector")


def test_an_owner_of_the_cluster() -> None:
    async def test(client: Client) -> None:
        owner = await client.api(ClusterRole).create(ClusterRole.from_dict({"metadata": {"name": "owner"}}))
        await make(client, "child", owner)
        await uncertain(client)
        assert await names(client) == {"child"}
        await client.api(ClusterRole).delete("owner")
        await eventually(becomes(client), "the child is still there")

    with_cluster(test, "garbagecollector")


def test_a_circle_that_waits_for_itself() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        first = await make(client, "first")
        second = await make(client, "second", first, block=True)
        reference = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": "second",
            "uid": second.metadata.uid,
            "blockOwnerDeletion": True,
        }
        await maps.patch("first", {"metadata": {"ownerReferences": [reference]}})
        await uncertain(client)
        assert await names(client) == {"first", "second"}
        await maps.delete("first", propagation="Foreground")
        await eventually(becomes(client), "the circle is still there")

    with_cluster(test, "garbagecollector")


def test_kinds_that_come_and_go() -> None:
    async def test(client: Client) -> None:
        definitions = client.api(CustomResourceDefinition)
        for _ in range(2):
            await definitions.create(Widget.crd())
            await definitions.wait_for("widgets.garbage.example.com", "Established", timeout=60)
            widget = await client.api(Widget, "default").create(
                Widget.from_dict({"metadata": {"name": "w"}, "spec": {}})
            )
            await make(client, "child", widget)
            await uncertain(client)
            assert await names(client) == {"child"}
            await client.api(Widget, "default").delete("w")
            await eventually(becomes(client), "the child is still there")
            again = await client.api(Widget, "default").create(
                Widget.from_dict({"metadata": {"name": "w"}, "spec": {}})
            )
            await make(client, "child", again)
            await definitions.delete("widgets.garbage.example.com")
            await eventually(becomes(client), "the child of a kind that is gone is still there")

            async def gone() -> bool:
                try:
                    await definitions.get("widgets.garbage.example.com")
                except NotFound:
                    return True
                return False

            await eventually(gone, "the definition is still there")

    with_cluster(test, "garbagecollector")


def test_many_at_once() -> None:
    async def test(client: Client) -> None:
        owner = await make(client, "owner")
        async with asyncio.TaskGroup() as tasks:
            for number in range(200):
                tasks.create_task(make(client, f"c{number}", owner))
        await client.api(ConfigMap, "default").delete("owner")
        await eventually(becomes(client), "some are still there")

    with_cluster(test, "garbagecollector")
