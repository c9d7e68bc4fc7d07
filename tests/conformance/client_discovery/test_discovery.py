"""What is served: the aggregated form against the old one, and definitions that come and go."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import msgspec
import pytest

from kubewright.client.client import Client
from kubewright.client.discovery import Discovery, Served, ServedResource
from kubewright.client.sender import Hooks, Sender, SendOptions
from kubewright.machinery import yaml
from kubewright.machinery.errors import NotFound
from kubewright.machinery.gvk import GroupVersionKind, GroupVersionResource
from tests.conformance.client import Client as PlainClient
from tests.conformance.client import ServerUnderTest
from tests.conformance.client_discovery.connecting import PATIENCE, connected, until
from tests.conformance.custom_resources import define, definition, new_group, version, widgets_definition
from tests.conformance.waiting import eventually


def test_both_forms_say_the_same(server: ServerUnderTest) -> None:
    async def test(client: Client) -> None:
        asked: list[str] = []

        def in_the_old_form(request: Any) -> Any:
            asked.append(request.path)
            return msgspec.structs.replace(request, accept="application/json")

        async def both() -> tuple[Served, Served]:
            sender = Sender(client.config, SendOptions(hooks=Hooks(before=[in_the_old_form])))
            try:
                old = await Discovery(sender).served()
            finally:
                await sender.close()
            return await client.discovery.refresh(), old

        def same(new: Served, old: Served) -> bool:
            return _comparable(new) == _comparable(old) and not new.failed and not old.failed

        new, old = await both()
        deadline = time.monotonic() + PATIENCE / 2
        while not same(new, old) and time.monotonic() < deadline:
            # A real server is later in the one form than in the other to know what other tests deleted.
            new, old = await both()
        assert len(asked) > 20
        assert _differing(_comparable(new), _comparable(old)) == []
        assert same(new, old)
        assert not new.failed
        assert not old.failed

    connected(server, test)


def _comparable(served: Served) -> tuple[list[Any], list[Any]]:
    groups = [(each.name, each.versions, each.preferred) for each in served.groups]
    # A real server has an order of its own in each form for the definitions of one group.
    resources = sorted(served.resources(), key=lambda each: each.gvr)
    return groups, [_resource(each) for each in resources]


def _differing(*forms: tuple[list[Any], list[Any]]) -> list[Any]:
    """What one form has and the other has not, for a message that can be read."""
    new, old = ([*groups, *resources] for groups, resources in forms)
    return [each for each in new if each not in old] + [each for each in old if each not in new]


def _resource(resource: ServedResource) -> tuple[Any, ...]:
    """What has an order of its own in each form, without it."""
    return (
        resource.gvk,
        resource.gvr,
        resource.namespaced,
        resource.singular,
        resource.short_names,
        resource.categories,
        set(resource.verbs),
        {(each.name, each.gvk, frozenset(each.verbs)) for each in resource.subresources},
    )


def test_every_resource_is_found_by_all_its_names(server: ServerUnderTest) -> None:
    async def test(client: Client) -> None:
        for resource in await client.discovery.resources():
            gvr, gvk = resource.gvr, resource.gvk
            assert await client.mapper.endpoint(gvk) == resource.endpoint
            assert await client.mapper.kind_for(gvr) == gvk
            names = {gvr.resource, resource.singular, gvk.kind, gvk.kind.upper(), *resource.short_names}
            for name in names:
                assert await client.mapper.resource(f"{name}.{gvr.version}.{gvr.group}") == resource.endpoint
        for resource in await client.discovery.resources(preferred=True):
            if resource.gvr.group:
                for name in (resource.gvr.resource, resource.singular, resource.gvk.kind):
                    assert await client.mapper.resource(f"{name}.{resource.gvr.group}") == resource.endpoint

    connected(server, test)


def test_subresources_have_their_kinds(server: ServerUnderTest) -> None:
    async def test(client: Client) -> None:
        found = {each.gvr: each for each in await client.discovery.resources()}
        deployments = found[GroupVersionResource("apps", "v1", "deployments")]
        scale, state = deployments.subresource("scale"), deployments.subresource("status")
        assert scale is not None
        assert scale.gvk == GroupVersionKind("autoscaling", "v1", "Scale")
        assert set(scale.verbs) == {"get", "patch", "update"}
        assert state is not None
        assert state.gvk == deployments.gvk
        eviction = found[GroupVersionResource("", "v1", "pods")].subresource("eviction")
        assert eviction is not None
        assert eviction.gvk == GroupVersionKind("policy", "v1", "Eviction")

    connected(server, test)


def test_definitions_come_and_go(server: ServerUnderTest, client: PlainClient) -> None:
    group = new_group()

    async def test(ours: Client) -> None:
        await ours.discovery.served()
        widgets = await asyncio.to_thread(define, client, widgets_definition(group))
        # Known at once, though discovery was asked before it was there.
        endpoint = await ours.mapper.resource(f"wd.{group}")
        assert endpoint.gvk == GroupVersionKind(group, "v1", "Widget")
        assert await ours.mapper.resource(f"Widget.v1beta1.{group}") == await ours.mapper.endpoint(
            GroupVersionKind(group, "v1beta1", "Widget")
        )
        assert endpoint in await ours.mapper.category("all")
        assert await ours.discovery.preferred_version(group) == "v1"

        assert client.delete(widgets.definition).status == 200
        await asyncio.to_thread(
            eventually, lambda: client.get(widgets.definition).status == 404, "the definition is gone"
        )
        gvk = GroupVersionKind(group, "v1", "Widget")

        async def gone() -> bool:
            return gvk not in {each.gvk for each in (await ours.discovery.refresh()).resources()}

        await until(gone)
        with pytest.raises(NotFound, match=f"serves no Widget in {group}/v1; "):
            await ours.mapper.endpoint(gvk)

    connected(server, test)


def test_a_version_that_is_added_is_found_and_one_that_is_not_is_told(
    server: ServerUnderTest, client: PlainClient
) -> None:
    group = new_group()

    async def test(ours: Client) -> None:
        await asyncio.to_thread(define, client, definition(group, version()))
        with pytest.raises(NotFound, match=f"no Widget in {group}/v2; it serves it in the version v1 "):
            await ours.mapper.endpoint(GroupVersionKind(group, "v2", "Widget"))
        changed = definition(group, version(), version("v2"))
        await ours.apply_yaml(yaml.dump(changed), manager="tests", force=True)
        endpoint = await ours.mapper.endpoint(GroupVersionKind(group, "v2", "Widget"))
        assert endpoint.gvr == GroupVersionResource(group, "v2", "widgets")

        async def preferred() -> bool:
            await ours.discovery.refresh()
            return await ours.discovery.preferred_version(group) == "v2"

        # A real server adds a version and then puts it in its place.
        await until(preferred)
        assert (await ours.mapper.resource(f"widgets.{group}")).gvr.version == "v2"

    connected(server, test)


@pytest.mark.differs("aggregation")
def test_a_group_whose_server_is_dead(server: ServerUnderTest, client: PlainClient) -> None:
    """The real server lists it and says that it is stale; the rest is as it was."""
    group = new_group()
    service = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": f"v1.{group}"},
        "spec": {
            "group": group,
            "version": "v1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"name": "nobody", "namespace": "default"},
        },
    }

    async def test(ours: Client) -> None:
        async def listed() -> bool:
            return group in {each.name for each in (await ours.discovery.refresh()).groups}

        async def forgotten() -> bool:
            return not await listed()

        made = client.post("/apis/apiregistration.k8s.io/v1/apiservices", service)
        assert made.status == 201, made.text
        try:
            await until(listed)
            assert (await ours.mapper.resource("deploy")).gvk.kind == "Deployment"
            with pytest.raises(NotFound, match=f"not known: .*{group}/v1 .*503 ServiceUnavailable"):
                await ours.mapper.resource(f"things.{group}")
        finally:
            client.delete(f"/apis/apiregistration.k8s.io/v1/apiservices/v1.{group}")
            await until(forgotten)

    connected(server, test)
