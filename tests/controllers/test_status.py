"""Statuses are written when they differ, and never over newer ones; on both servers."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright.controllers.conditions import is_true, set_condition
from kubewright.controllers.context import Context
from kubewright.controllers.leader_election import LeadershipLost
from kubewright.controllers.requests import Request
from kubewright.controllers.status import patch_status, status_of
from kubewright.machinery.errors import Conflict, NotFound
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.unstructured import Unstructured
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import ConfigMap, PersistentVolumeClaim
from tests.controllers.running import managed, until
from tests.controllers.servers import App, AppStatus, Server, Setting, app, on


def test_only_what_differs_is_written(server: Server) -> None:
    async def test(setting: Setting) -> None:
        def two(each: App) -> None:
            each.status = AppStatus(pods=2, names=["a", "b"])
            each.spec.size = 99

        made = await setting.apps.create(app())
        written = await patch_status(setting.apps, made, two)
        assert written.status == AppStatus(pods=2, names=["a", "b"])
        assert written.spec.size == 1, "of the change only the status counts"
        assert made.status is None, "what was given is as it was"
        assert written.metadata.generation == made.metadata.generation
        again = await patch_status(setting.apps, written, two)
        assert len(setting.writes) == 2, "nothing was sent"
        assert again is written

        def none(each: App) -> None:
            each.status = None

        emptied = await patch_status(setting.apps, written, none)
        assert emptied.status is None
        await patch_status(setting.apps, emptied, none)
        assert len(setting.writes) == 3

    on(server, test)


def test_a_newer_status_is_never_overwritten(server: Server) -> None:
    async def test(setting: Setting) -> None:
        def of(pods: int) -> Any:
            def change(each: App) -> None:
                each.status = AppStatus(pods=pods)

            return change

        old = await setting.apps.create(app())
        await patch_status(setting.apps, old, of(1))
        with pytest.raises(Conflict):
            await patch_status(setting.apps, old, of(2))
        found = await setting.apps.get("web")
        assert found.status is not None
        assert found.status.pods == 1
        unlocked = await patch_status(setting.apps, old, of(2), lock=False)
        assert unlocked.status is not None
        assert unlocked.status.pods == 2
        with pytest.raises(ValueError, match="has no resourceVersion"):
            await patch_status(setting.apps, app(), of(3))

    on(server, test)


def test_fields_that_a_type_does_not_know_stay(server: Server) -> None:
    async def test(setting: Setting) -> None:
        deployments = setting.client.api(Deployment, setting.namespace)
        container = {"name": "main", "image": "web:1"}
        spec = {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}},
        }
        made = await deployments.create({"metadata": {"name": "web"}, "spec": spec})
        made.status.replicas = 3
        made = await deployments.update_status(made)

        def ready(each: Deployment) -> None:
            each.status.ready_replicas = 1

        written = await patch_status(deployments, made, ready)
        assert (written.status.replicas, written.status.ready_replicas) == (3, 1)

    on(server, test)


def test_values_are_compared_by_what_they_mean(server: Server) -> None:
    async def test(setting: Setting) -> None:
        def of(size: str) -> Any:
            def change(claim: PersistentVolumeClaim) -> None:
                claim.status.capacity = {"storage": Quantity(size)}

            return change

        claims = setting.client.api(PersistentVolumeClaim, setting.namespace)
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        made = await claims.create({"metadata": {"name": "disk"}, "spec": spec})
        written = await patch_status(claims, made, of("1Gi"))
        await patch_status(claims, written, of("1024Mi"))
        assert len(setting.writes) == 2
        assert (await patch_status(claims, written, of("2Gi"))).status.capacity == {
            "storage": Quantity("2Gi")
        }

    on(server, test)


def test_a_block_that_changes_a_status(server: Server) -> None:
    async def test(setting: Setting) -> None:
        made = await setting.apps.create(app())
        async with status_of(setting.apps, made) as same:
            assert same is made
            made.status = AppStatus()
            set_condition(made.status.conditions, "Ready", False, reason="Starting")
        async with status_of(setting.apps, made):
            assert made.status is not None
            set_condition(made.status.conditions, "Ready", True, reason="Done", now=datetime.now(UTC))
        async with status_of(setting.apps, made):
            set_condition(made.status.conditions, "Ready", True, reason="Done")
        assert len(setting.writes) == 3, "the last one changed nothing"
        found = await setting.apps.get("web")
        assert found.status is not None
        assert is_true(found.status.conditions, "Ready")
        assert found.metadata.resource_version == made.metadata.resource_version
        made.spec.size = 2
        assert (await setting.apps.update(made)).spec.size == 2, "it can be written on"

    on(server, test)


async def fail(setting: Setting, obj: App, pods: int, error: BaseException) -> None:
    async with status_of(setting.apps, obj):
        obj.status = AppStatus(pods=pods)
        raise error


def test_a_block_that_raises(server: Server) -> None:
    async def test(setting: Setting) -> None:
        made = await setting.apps.create(app())
        for pods, error, is_written in [
            (1, ZeroDivisionError("x"), True),
            (2, LeadershipLost("x"), False),
            (3, asyncio.CancelledError(), False),
        ]:
            count = len(setting.writes)
            with pytest.raises(type(error)):
                await fail(setting, made, pods, error)
            assert (len(setting.writes) > count) is is_written
        old = await setting.apps.get("web")
        await setting.apps.patch("web", {"metadata": {"labels": {"a": "b"}}})
        with pytest.raises(ZeroDivisionError) as caught:
            await fail(setting, old, 77, ZeroDivisionError())
        assert "the status could not be written either" in caught.value.__notes__[0]

    on(server, test)


def test_without_the_lock_the_rest_does_not_pass_for_newer(server: Server) -> None:
    async def test(setting: Setting) -> None:
        made = await setting.apps.create(app())
        await setting.apps.patch("web", {"spec": {"color": "red"}})
        async with status_of(setting.apps, made, lock=False):
            made.status = AppStatus(pods=1)
        made.spec.size = 5
        with pytest.raises(Conflict):
            await setting.apps.update(made)

    on(server, test)


def test_objects_without_types(server: Server) -> None:
    async def test(setting: Setting) -> None:
        await setting.apps.create(app())
        api = setting.client.dynamic("helpers.example.com/v1", "App", setting.namespace)
        found = await api.get("web")
        async with status_of(api, found):
            found["status"] = {"pods": 1}
        async with status_of(api, found):
            found["status"]["pods"] = 1
        async with status_of(api, found):
            found["status"] |= {"names": ["a"], "unknown": "to the server"}
        assert found["status"] == {"pods": 1, "names": ["a"]}, "as the server has it"
        assert (await api.get("web"))["status"] == {"pods": 1, "names": ["a"]}
        assert len(setting.writes) == 3

        def none(each: Unstructured) -> None:
            del each["status"]

        assert "status" not in await patch_status(api, found, none)

    on(server, test)


def test_kinds_without_a_status(server: Server) -> None:
    async def test(setting: Setting) -> None:
        maps = setting.client.api(ConfigMap, setting.namespace)
        made = await maps.create({"metadata": {"name": "a"}})
        with pytest.raises(TypeError, match="ConfigMap has no field status"):
            await patch_status(maps, made, lambda each: None)
        untyped = setting.client.dynamic("v1", "ConfigMap", setting.namespace)
        found = await untyped.get("a")
        with pytest.raises(NotFound):
            async with status_of(untyped, found):
                found["status"] = {"a": 1}

    on(server, test)


def test_in_a_reconcile(server: Server) -> None:
    async def test(setting: Setting) -> None:
        reconciled = 0

        async def reconcile(ctx: Context, request: Request) -> None:
            nonlocal reconciled
            found = await ctx.client.api(App, request.namespace).get(request.name)
            async with status_of(ctx, found):
                found.status = found.status or AppStatus()
                found.status.pods = found.spec.size
                set_condition(
                    found.status.conditions,
                    "Ready",
                    True,
                    reason="Done",
                    observed_generation=found.metadata.generation,
                )
            reconciled += 1

        def set_up(manager: Any) -> None:
            manager.controller(App, reconcile, resync=0.05)

        await setting.apps.create(app(size=3))
        async with managed(setting.client, set_up, namespaces=[setting.namespace]):
            await until(lambda: reconciled >= 5, "reconciled several times")
            assert len([each for each in setting.writes if "/status" in each]) == 1
            await setting.apps.patch("web", {"spec": {"size": 4}})
            await until(lambda: len([each for each in setting.writes if "/status" in each]) == 2, "written")
        found = await setting.apps.get("web")
        assert found.status is not None
        assert found.status.pods == 4
        assert found.status.conditions[0].observed_generation == 2

    on(server, test)
