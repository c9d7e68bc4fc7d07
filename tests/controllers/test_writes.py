"""Making objects be as they should be, on both servers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright.controllers.api_of import changed
from kubewright.controllers.context import Context
from kubewright.controllers.owners import set_controller_reference
from kubewright.controllers.requests import Request
from kubewright.controllers.writes import Operation, apply, create_or_patch, create_or_update
from kubewright.machinery.errors import Conflict, DecodeError, NotFound
from kubewright.machinery.meta import LabelSelector, ObjectMeta
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.unstructured import Unstructured
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import ConfigMap, Container, PersistentVolumeClaim, PodSpec, PodTemplateSpec
from tests.controllers.running import managed, until
from tests.controllers.servers import App, AppSpec, AppStatus, Server, Setting, app, on

PVC = {
    "metadata": {"name": "disk"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}


def blue(config_map: ConfigMap) -> None:
    config_map.data["sky"] = "blue"


def test_created_updated_unchanged(server: Server) -> None:
    async def test(setting: Setting) -> None:
        maps = setting.client.api(ConfigMap, setting.namespace)
        made, operation = await create_or_update(maps, "a", blue)
        assert (operation, made.data, made.metadata.uid != "") == (Operation.CREATED, {"sky": "blue"}, True)
        again, operation = await create_or_update(maps, "a", blue)
        assert operation is Operation.UNCHANGED
        assert again.metadata.resource_version == made.metadata.resource_version
        assert len(setting.writes) == 1, "nothing was sent"
        await maps.patch("a", {"data": {"sky": "grey", "sea": "green"}})
        back, operation = await create_or_update(maps, "a", blue)
        assert (operation, back.data) == (Operation.UPDATED, {"sky": "blue", "sea": "green"})

    on(server, test)


def test_ways_to_say_what_and_how(server: Server) -> None:
    async def test(setting: Setting) -> None:
        async def larger(each: App) -> App:
            made = each.copy()
            made.spec.size += 1
            return made

        made, operation = await create_or_update(setting.apps, app(size=3), larger)
        assert (operation, made.spec.size) == (Operation.CREATED, 4), (
            "what is not there begins as it is given"
        )
        made, operation = await create_or_update(setting.apps, app(size=30), larger)
        assert (operation, made.spec.size) == (Operation.UPDATED, 5)
        everywhere = app(size=1)
        everywhere.metadata.namespace = setting.namespace
        made, operation = await create_or_update(setting.client.api(App), everywhere, larger)
        assert (operation, made.spec.size) == (Operation.UPDATED, 6)
        untyped = setting.client.dynamic("helpers.example.com/v1", "App", setting.namespace)

        def smaller(each: Unstructured) -> None:
            each["spec"] = {"size": 2}

        result, operation = await create_or_update(untyped, "web", smaller)
        assert (operation, result["spec"]) == (Operation.UPDATED, {"size": 2})
        _, operation = await create_or_update(untyped, "web", smaller)
        assert operation is Operation.UNCHANGED
        with pytest.raises(DecodeError, match="/other has no spec, which a App must have"):
            await create_or_update(setting.apps, "other", larger)

        def whole(each: App) -> None:
            each.spec = AppSpec(size=8)

        made, operation = await create_or_update(setting.apps, "other", whole)
        assert (operation, made.spec.size) == (Operation.CREATED, 8)

    on(server, test)


def test_an_object_without_a_namespace_is_in_that_of_the_api(server: Server) -> None:
    async def test(setting: Setting) -> None:
        maps = setting.client.api(ConfigMap, setting.namespace)
        owner, _ = await create_or_update(maps, "a", blue)
        given = ConfigMap.from_dict({"metadata": {"name": "b"}})

        def owned(each: ConfigMap) -> None:
            set_controller_reference(owner, each)

        made, _ = await create_or_update(maps, given, owned)
        assert made.metadata.owner_references[0].uid == owner.metadata.uid
        assert given.metadata.namespace == "", "what is given stays as it is"

    on(server, test)


def test_values_are_compared_by_what_they_mean(server: Server) -> None:
    async def test(setting: Setting) -> None:
        claims = setting.client.api(PersistentVolumeClaim, setting.namespace)

        def sized(claim: PersistentVolumeClaim) -> None:
            claim.spec.resources.requests = {"storage": Quantity("1024Mi")}

        await claims.create(PVC)
        _, operation = await create_or_update(claims, "disk", sized)
        assert operation is Operation.UNCHANGED

    on(server, test)


def test_what_only_lacks_its_defaults_is_sent_and_counts_as_unchanged(server: Server) -> None:
    async def test(setting: Setting) -> None:
        labels = {"app": "web"}

        def wanted(deployment: Deployment) -> None:
            deployment.spec.selector = LabelSelector(match_labels=labels)
            deployment.spec.template = PodTemplateSpec(
                metadata=ObjectMeta(labels=labels),
                spec=PodSpec(containers=[Container(name="web", image="nginx")]),
            )

        deployments = setting.client.api(Deployment, setting.namespace)
        made, _ = await create_or_update(deployments, "web", wanted)
        again, operation = await create_or_update(deployments, "web", wanted)
        assert len(setting.writes) == 2, "it was sent: only the server knows its defaults"
        assert operation is Operation.UNCHANGED
        assert again.metadata.resource_version == made.metadata.resource_version

    on(server, test)


def test_a_name_cannot_change(server: Server) -> None:
    async def test(setting: Setting) -> None:
        def renamed(each: ConfigMap) -> None:
            each.metadata.name = "b"

        maps = setting.client.api(ConfigMap, setting.namespace)
        for _ in range(2):
            with pytest.raises(ValueError, match=r"/a' '.*/b'; an object keeps its name"):
                await create_or_update(maps, "a", renamed)
            await maps.apply({"metadata": {"name": "a"}}, manager="test")
        with pytest.raises(NotFound):
            await maps.get("b")

    on(server, test)


def test_somebody_else_is_not_overwritten(server: Server) -> None:
    async def test(setting: Setting) -> None:
        maps = setting.client.api(ConfigMap, setting.namespace)
        await create_or_update(maps, "a", blue)

        async def meanwhile(found: ConfigMap) -> ConfigMap:
            await maps.patch("a", {"data": {"sea": "green"}})
            return ConfigMap.from_dict({"metadata": {"name": "a", "namespace": found.metadata.namespace}})

        with pytest.raises(Conflict):
            await create_or_update(maps, "a", meanwhile)

    on(server, test)


def test_patches_send_what_differs(server: Server) -> None:
    async def test(setting: Setting) -> None:
        def wanted(size: int, pods: int | None) -> Any:
            def change(each: App) -> None:
                each.spec.size = size
                if pods is not None:
                    each.status = AppStatus(pods=pods)

            return change

        made, operation = await create_or_patch(setting.apps, app(), wanted(2, None))
        assert (operation, made.spec.size) == (Operation.CREATED, 2)
        _, operation = await create_or_patch(setting.apps, app(), wanted(2, None))
        assert (operation, len(setting.writes)) == (Operation.UNCHANGED, 1)
        made, operation = await create_or_patch(setting.apps, app(), wanted(3, 1))
        assert (operation, made.spec.size) == (Operation.UPDATED_STATUS, 3)
        assert made.status is not None
        assert made.status.pods == 1
        made, operation = await create_or_patch(setting.apps, app(), wanted(3, 2))
        assert operation is Operation.UPDATED_STATUS_ONLY
        assert setting.writes[-1].endswith("/web/status")

        async def meanwhile(each: App) -> None:
            await setting.apps.patch("web", {"spec": {"color": "red"}})
            each.spec.size = 5

        made, operation = await create_or_patch(setting.apps, app(), meanwhile)
        assert (operation, made.spec.size, made.spec.color) == (Operation.UPDATED, 5, "red")

    on(server, test)


def test_apply_takes_over_and_lets_go(server: Server) -> None:
    async def test(setting: Setting) -> None:
        await setting.apps.apply(app(size=1, color="red"), manager="user")
        with pytest.raises(Conflict, match="user"):
            await apply(setting.apps, app(size=2), manager="app-controller", force=False)
        made = await apply(setting.apps, app(size=2), manager="app-controller")
        assert (made.spec.size, made.spec.color) == (2, "red")
        again = await apply(setting.apps, app(size=2), manager="app-controller")
        assert again.metadata.resource_version == made.metadata.resource_version
        assert len(setting.writes) == 4, "it is sent each time"
        assert (await apply(setting.apps, app(), manager="app-controller")).spec.size == 1, "the default"

    on(server, test)


def test_in_a_reconcile(server: Server) -> None:
    async def test(setting: Setting) -> None:
        done: list[Operation] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            found = await ctx.client.api(App, request.namespace).get(request.name)
            child = ConfigMap.from_dict(
                {"metadata": {"name": f"{request.name}-c", "namespace": request.namespace}}
            )

            def change(each: ConfigMap) -> None:
                set_controller_reference(found, each)
                each.data["size"] = str(found.spec.size)

            made, operation = await create_or_update(ctx, child, change)
            assert made.data == {"size": str(found.spec.size)}
            done.append(operation)
            if operation is not Operation.UNCHANGED:
                applied = await apply(ctx, found.copy(), manager="me", force=False)
                assert applied.metadata.uid == found.metadata.uid

        def set_up(manager: Any) -> None:
            manager.controller(App, reconcile, owns=[ConfigMap])

        created = await setting.apps.create(app(size=7))
        maps = setting.client.api(ConfigMap, setting.namespace)
        async with managed(setting.client, set_up, namespaces=[setting.namespace]):
            await until(lambda: done[-1:] == [Operation.UNCHANGED], "quiet")
            child = await maps.get("web-c")
            assert child.metadata.owner_references[0].uid == created.metadata.uid
            await maps.patch("web-c", {"data": {"size": "0"}})
            await until(lambda: Operation.UPDATED in done and done[-1] is Operation.UNCHANGED, "mended")
        assert done.count(Operation.CREATED) == 1
        assert (await maps.get("web-c")).data == {"size": "7"}

    on(server, test)


def test_what_the_change_returns_is_an_object() -> None:
    async def test() -> None:
        await changed(app("web"), lambda each: set_controller_reference(owner, each))  # type: ignore[arg-type, return-value]

    owner = App.from_dict({"metadata": {"name": "owner", "uid": "1"}, "spec": {}})
    with pytest.raises(TypeError, match="returned bool; have it return the object, or None"):
        asyncio.run(test())


def test_a_name_needs_a_kind() -> None:
    context: Any = Context.__new__(Context)
    with pytest.raises(TypeError, match="which kind is 'a'"):
        asyncio.run(create_or_update(context, "a", lambda each: None))
