"""What the garbage collector makes of wrong references, of refusals, and of kinds that come and go."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from kubewright import Client, NotFound
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.core_v1 import ConfigMap, Event, Namespace
from kubewright.models.rbac_v1 import ClusterRole
from tests.cluster.clusters import eventually, with_cluster
from tests.cluster.garbage.test_collector import Widget, becomes, make, names, uncertain
from tests.cluster.policies import refused

ABSENT = "11111111-2222-3333-4444-555555555555"


def reference(kind: str, name: str, uid: str, api_version: str = "v1", **more: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid, **more}


async def owned(client: Client, name: str, *references: dict[str, Any], **metadata: Any) -> ConfigMap:
    body = {"metadata": {"name": name, "ownerReferences": list(references), **metadata}}
    return await client.api(ConfigMap, "default").create(body)


async def events(client: Client) -> list[Event]:
    return [each async for each in client.api(Event).list() if each.reason == "OwnerRefInvalidNamespace"]


def test_owners_in_other_namespaces_are_told_of() -> None:
    async def test(client: Client) -> None:
        await client.api(Namespace).create(Namespace.from_dict({"metadata": {"name": "other"}}))
        owner = await make(client, "owner", namespace="other")
        uid = owner.metadata.uid
        child = await make(client, "child", owner)
        role = await client.api(ClusterRole).create(
            {"metadata": {"name": "role", "ownerReferences": [reference("ConfigMap", "owner", uid)]}}
        )
        await eventually(becomes(client), "the child is still there")

        async def told() -> bool:
            return len(await events(client)) == 2

        await eventually(told, "nothing is told")
        found = {each.involved_object.kind: each for each in await events(client)}
        event = found["ConfigMap"]
        assert (event.type, event.source.component) == ("Warning", "garbage-collector-controller")
        assert event.metadata.namespace == "default"
        assert (event.involved_object.name, event.involved_object.uid) == ("child", child.metadata.uid)
        where = f"[v1/ConfigMap, namespace: default, name: owner, uid: {uid}]"
        assert event.message == f'ownerRef {where} does not exist in namespace "default"'
        event = found["ClusterRole"]
        # Events about objects without a namespace are in this one.
        assert event.metadata.namespace == "default"
        assert (event.involved_object.namespace, event.involved_object.uid) == ("", role.metadata.uid)
        where = f"[v1/ConfigMap, namespace: , name: owner, uid: {uid}]"
        assert event.message == f'ownerRef {where} does not exist in namespace ""'
        await uncertain(client)
        await client.api(ClusterRole).get("role")

    with_cluster(test, "garbagecollector")


def test_who_names_an_owner_that_is_gone_goes_also_when_another_dependent_is_held() -> None:
    async def test(client: Client) -> None:
        owner = await make(client, "owner")
        await make(client, "held", owner, finalizers=["example.com/hold"])
        await client.api(ConfigMap, "default").delete("owner")
        await eventually(becomes(client, "held"), "the owner is still there")
        await make(client, "late", owner)
        await eventually(becomes(client, "held"), "the late one is still there")

    with_cluster(test, "garbagecollector")


def test_an_owner_that_is_made_anew_is_another() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        owner = await make(client, "owner")
        await make(client, "child", owner)
        await maps.delete("owner")
        again = await make(client, "owner")
        await make(client, "its-child", again)
        await eventually(becomes(client, "owner", "its-child"), "the child of the first is still there")
        await make(client, "of-the-first", owner)
        await eventually(becomes(client, "owner", "its-child"), "what names the first is still there")

    with_cluster(test, "garbagecollector")


def test_what_is_refused_is_tried_again() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        owner = await make(client, "owner")
        await make(client, "child", owner)
        # In whose name it acts, by the way.
        user = "request.userInfo.username == 'system:serviceaccount:kube-system:generic-garbage-collector'"
        async with refused(
            client,
            "stay",
            resources="configmaps",
            operation="DELETE",
            namespace="default",
            allowed=f"oldObject.metadata.name != 'child' || !({user})",
        ):
            await maps.delete("owner")
            await uncertain(client)
            assert await names(client) == {"child"}
        await eventually(becomes(client), "the child is still there")

    with_cluster(test, "garbagecollector")


def test_an_owner_stays_until_all_its_orphans_have_forgotten_it() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        owner = await make(client, "owner")
        for number in range(5):
            await make(client, f"c{number}", owner)

        async def those_that_name_it() -> list[str]:
            return [each.metadata.name async for each in maps.list() if each.metadata.owner_references]

        async with refused(
            client,
            "keep",
            resources="configmaps",
            operation="UPDATE",
            namespace="default",
            allowed="object.metadata.name != 'c2'",
        ):
            await maps.delete("owner", propagation="Orphan")

            async def all_but_one() -> bool:
                return await those_that_name_it() == ["c2"]

            await eventually(all_but_one, "others wait for the one that is refused")
            await uncertain(client)
            assert (await maps.get("owner")).metadata.finalizers == ["orphan"]
        await eventually(becomes(client, *(f"c{number}" for number in range(5))), "the owner is still there")
        assert await those_that_name_it() == []

    with_cluster(test, "garbagecollector")


def test_kinds_that_are_not_served_keep_their_dependents(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        unknown = reference("Widget", "w", ABSENT, "garbage.example.com/v1")
        for number in range(20):
            await owned(client, f"c{number}", unknown)
        await owned(client, "version", reference("Deployment", "d", ABSENT, "apps/v7"))
        await uncertain(client)
        assert len(await names(client)) == 21
        # When the kind comes, it turns out that there is no such object.
        await client.api(CustomResourceDefinition).create(Widget.crd())
        await eventually(becomes(client, "version"), "those of the kind that has come are still there")

    with caplog.at_level(logging.INFO, logger="kubewright"):
        with_cluster(test, "garbagecollector")
    assert [each.message for each in caplog.records if "garbage" in each.message] == []


def test_custom_resources_forget_owners_and_leave_circles() -> None:
    async def test(client: Client) -> None:
        definitions = client.api(CustomResourceDefinition)
        await definitions.create(Widget.crd())
        await definitions.wait_for("widgets.garbage.example.com", "Established", timeout=60)
        widgets = client.api(Widget, "default")

        async def create(name: str, *owners: ConfigMap | Widget) -> Widget:
            references = [
                reference(
                    each.kind,
                    each.metadata.name,
                    each.metadata.uid,
                    each.api_version,
                    blockOwnerDeletion=True,
                )
                for each in owners
            ]
            body = {"metadata": {"name": name, "ownerReferences": references}, "spec": {}}
            return await widgets.create(Widget.from_dict(body))

        async def remain(*expected: str) -> bool:
            return {each.metadata.name async for each in widgets.list()} == set(expected)

        owner = await make(client, "owner")
        await create("orphan", owner)
        await client.api(ConfigMap, "default").delete("owner", propagation="Orphan")
        await eventually(becomes(client), "the owner is still there")
        assert (await widgets.get("orphan")).metadata.owner_references == []

        first = await create("first")
        second = await create("second", first)
        circle = reference(
            "Widget", "second", second.metadata.uid, second.api_version, blockOwnerDeletion=True
        )
        await widgets.patch("first", {"metadata": {"ownerReferences": [circle]}})
        await uncertain(client)
        assert await remain("orphan", "first", "second")
        await widgets.delete("first", propagation="Foreground")
        await eventually(lambda: remain("orphan"), "the circle is still there")

    with_cluster(test, "garbagecollector")


def test_an_owner_that_is_named_in_another_version() -> None:
    async def test(client: Client) -> None:
        crd = Widget.crd().to_dict()
        first = crd["spec"]["versions"][0]
        crd["spec"]["versions"] = [{**first, "name": "v2"}, {**first, "storage": False}]
        definitions = client.api(CustomResourceDefinition)
        await definitions.create(crd)
        await definitions.wait_for("widgets.garbage.example.com", "Established", timeout=60)
        widgets = client.dynamic("garbage.example.com/v2", "Widget", "default")
        widget = await widgets.create({"metadata": {"name": "w"}, "spec": {}})
        for version in ("v1", "v2"):
            await owned(
                client,
                f"of-{version}",
                reference("Widget", "w", widget.metadata.uid, f"garbage.example.com/{version}"),
            )
        await uncertain(client)
        assert await names(client) == {"of-v1", "of-v2"}
        # The version that is preferred goes; its objects stay, and with them their dependents.
        crd["spec"]["versions"][0]["served"] = False
        await definitions.patch(crd["metadata"]["name"], {"spec": {"versions": crd["spec"]["versions"]}})
        await uncertain(client)
        assert await names(client) == {"of-v1", "of-v2"}
        crd["spec"]["versions"][0]["served"] = True
        await definitions.patch(crd["metadata"]["name"], {"spec": {"versions": crd["spec"]["versions"]}})
        await widgets.delete("w")
        await eventually(becomes(client), "dependents are still there")

    with_cluster(test, "garbagecollector")


def test_events_are_let_be() -> None:
    async def test(client: Client) -> None:
        absent = reference("ConfigMap", "nobody", ABSENT)
        body = {
            "metadata": {"name": "event", "namespace": "default", "ownerReferences": [absent]},
            "involvedObject": {"kind": "ConfigMap", "namespace": "default", "name": "nobody"},
        }
        await client.api(Event, "default").create(body)
        await uncertain(client)
        await client.api(Event, "default").get("event")

    with_cluster(test, "garbagecollector")


def test_changes_of_other_things_do_not_keep_an_object() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        owner = await make(client, "owner")
        await make(client, "child", owner)
        await maps.delete("owner")
        gone = False
        for number in range(1000):
            try:
                await maps.patch("child", {"data": {"number": str(number)}})
            except NotFound:
                gone = True
                break
        assert gone

    with_cluster(test, "garbagecollector")
