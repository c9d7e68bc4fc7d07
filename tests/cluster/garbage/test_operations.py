"""What the collector asks of the server when objects have changed since it judged them."""

from __future__ import annotations

import pytest

from kubewright import ApiError, Client, Conflict, NotFound
from kubewright.cluster.garbage.feed import ServedKind
from kubewright.cluster.garbage.node import Coordinates, Node
from kubewright.cluster.garbage.operations import NotOwnable, NotServed, Operations, Seen
from kubewright.models.core_v1 import ConfigMap
from tests.cluster.clusters import with_cluster
from tests.cluster.garbage.test_collector import make


def operations(client: Client) -> Operations:
    kinds = {("v1", "ConfigMap"): ServedKind("v1", "ConfigMap", True, "")}
    return Operations(client, lambda api_version, kind: kinds.get((api_version, kind)))


def node(of: ConfigMap) -> tuple[Node, Seen]:
    made = Node(of.metadata.uid)
    made.appear(Coordinates("v1", "ConfigMap", "default", of.metadata.name))
    return made, Seen(of.metadata.resource_version, tuple(of.metadata.owner_references))


def test_an_object_that_has_changed_is_deleted_if_its_owners_are_the_same() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        owner = await make(client, "owner")
        judged, seen = node(await make(client, "child", owner))
        await maps.patch("child", {"data": {"changed": "yes"}})
        assert await operations(client).delete(judged, seen, "Background")
        with pytest.raises(NotFound):
            await maps.get("child")
        assert not await operations(client).delete(judged, seen, "Background")

        judged, seen = node(await make(client, "child", owner))
        await maps.patch("child", {"metadata": {"ownerReferences": None}})
        with pytest.raises(Conflict):
            await operations(client).delete(judged, seen, "Background")
        await maps.get("child")

    with_cluster(test, "none")


def test_another_object_of_the_name_is_left_alone() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        owner = await make(client, "owner")
        judged, seen = node(await make(client, "child", owner))
        await maps.delete("child")
        await operations(client).remove_owners(judged, {owner.metadata.uid})
        again = await make(client, "child", owner, finalizers=["orphan"])
        assert not await operations(client).delete(judged, seen, "Background")
        await operations(client).remove_finalizer(judged, "orphan")
        # The graph hears of it, and then there is nothing to remove.
        with pytest.raises(ApiError):
            await operations(client).remove_owners(judged, {owner.metadata.uid})
        after = await maps.get("child")
        assert after.metadata.resource_version == again.metadata.resource_version
        assert await operations(client).owner(judged.coordinates, judged.uid) is None
        assert await operations(client).owner(judged.coordinates, again.metadata.uid) is not None

    with_cluster(test, "none")


def test_owners_that_cannot_be_looked_for() -> None:
    async def test(client: Client) -> None:
        asked = operations(client)
        with pytest.raises(NotServed):
            await asked.owner(Coordinates("nowhere.example.com/v1", "Nothing", "default", "n"), "u")
        with pytest.raises(NotOwnable):
            await asked.owner(Coordinates("v1", "ConfigMap", "", "n"), "u")

    with_cluster(test, "none")


def test_a_finalizer_goes_and_others_stay() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        held, _ = node(await make(client, "held", finalizers=["example.com/a", "orphan", "example.com/b"]))
        await operations(client).remove_finalizer(held, "orphan")
        assert (await maps.get("held")).metadata.finalizers == ["example.com/a", "example.com/b"]

    with_cluster(test, "none")
