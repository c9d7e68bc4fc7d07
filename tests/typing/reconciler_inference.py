"""What a type checker must see of what reconcilers are written with; `test_typing.py` gives it to mypy."""

from __future__ import annotations

from typing import assert_type

from kubewright import Condition, OwnerReference, Resource, Struct, Unstructured
from kubewright.controllers.conditions import find_condition, is_true, remove_condition, set_condition
from kubewright.controllers.context import Context
from kubewright.controllers.finalizers import drop_finalizer, ensure_finalizer, finalize
from kubewright.controllers.owners import controller_of, set_controller_reference
from kubewright.controllers.status import patch_status, status_of
from kubewright.controllers.writes import Operation, apply, create_or_patch, create_or_update
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import ConfigMap, ObjectReference, Pod, PodCondition


class AppStatus(Struct):
    conditions: list[Condition] = []


class App(Resource, api_version="example.com/v1", plural="apps"):
    status: AppStatus | None = None


def named(config_map: ConfigMap) -> None:
    config_map.data["a"] = "b"


async def made_anew(config_map: ConfigMap) -> ConfigMap:
    return config_map.copy()


def of_others(deployment: Deployment) -> None: ...


async def reconcile(ctx: Context, app: App, widget: Unstructured) -> None:
    maps = ctx.client.api(ConfigMap, "default")
    assert_type(await create_or_update(maps, "a", named), tuple[ConfigMap, Operation])
    assert_type(await create_or_update(maps, "a", made_anew), tuple[ConfigMap, Operation])
    assert_type(await create_or_update(ctx, ConfigMap(), named), tuple[ConfigMap, Operation])
    assert_type(await create_or_patch(maps, ConfigMap(), named), tuple[ConfigMap, Operation])
    assert_type(await create_or_update(maps, "a", lambda found: None), tuple[ConfigMap, Operation])
    assert_type(await apply(ctx, app, manager="me"), App)
    assert_type(await apply(ctx, widget, manager="me"), Unstructured)
    assert_type(await patch_status(ctx, app, lambda each: None), App)
    async with status_of(ctx, app) as same:
        assert_type(same, App)
    async with status_of(ctx, widget) as untyped:
        assert_type(untyped, Unstructured)

    async def cleanup(gone: App) -> None: ...

    assert_type(await finalize(ctx, app, "example.com/a", cleanup), App | None)
    assert_type(await ensure_finalizer(ctx, app, "example.com/a"), App)
    await drop_finalizer(ctx.client.api(App), app, "example.com/a")
    await create_or_update(maps, "a", of_others)  # type: ignore[arg-type]
    await create_or_update(maps, app, named)  # type: ignore[misc]
    await finalize(ctx, ConfigMap(), "example.com/a", cleanup)  # type: ignore[arg-type]
    await apply(ctx, app)  # type: ignore[call-arg]


def in_memory(ctx: Context, app: App, pod: Pod, conditions: list[Condition]) -> None:
    assert_type(set_condition(conditions, "Ready", True, reason="Done"), bool)
    assert_type(find_condition(conditions, "Ready"), Condition | None)
    assert_type(find_condition(pod.status.conditions, "Ready"), PodCondition | None)
    assert_type(is_true(pod.status.conditions, "Ready"), bool)
    remove_condition(pod.status.conditions, "Ready")
    set_condition(conditions, "Ready", "Yes", reason="Done")  # type: ignore[arg-type]
    set_condition(conditions, "Ready", True)  # type: ignore[call-arg]
    set_condition(pod.status.conditions, "Ready", True, reason="Done")  # type: ignore[arg-type]
    assert_type(controller_of(pod), OwnerReference | None)
    set_controller_reference(app, pod, block_owner_deletion=False)
    ctx.events.normal(app, "Scaled", "3 replicas", related=pod)
    ctx.events.event(ObjectReference(), "Warning", "Lost", "m", action="Bind")
    ctx.events.event(app, "Error", "Lost", "m")  # type: ignore[arg-type]
    ctx.events.normal("app", "Lost", "m")  # type: ignore[arg-type]
