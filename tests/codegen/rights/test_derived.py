"""The rights that are derived from the code of reconcilers: no more, and no less unless a note says so."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import pytest

from kubewright import (
    EMPTY,
    Client,
    Context,
    Manager,
    ObjectMeta,
    Request,
    Resource,
    Source,
    Struct,
    Unstructured,
    custom_resource,
    rbac,
)
from kubewright.client.api import Api
from kubewright.codegen.rights.derived import Rights, derived_rights
from kubewright.codegen.rights.needs import API_METHODS
from kubewright.controllers import (
    apply,
    create_or_patch,
    create_or_update,
    drop_finalizer,
    ensure_finalizer,
    finalize,
    patch_status,
    set_controller_reference,
    set_owner_reference,
    status_of,
)
from kubewright.controllers.cached_client import CachedApi
from kubewright.controllers.declared import Declarations
from kubewright.controllers.roles import policy_rules
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import ConfigMap, Node, Pod, Secret
from kubewright.webhooks import Review, validating

K = TypeVar("K", bound=Resource)

READ = {"get", "list", "watch"}


class Spec(Struct):
    size: int = 0


@custom_resource(group="example.com", version="v1", subresources=["status"])
class Site(Resource):
    spec: Spec = EMPTY
    status: Spec = EMPTY


@custom_resource(group="example.com", version="v1")
class Plain(Resource):
    spec: Spec = EMPTY


def derive(set_up: Callable[[Any], object]) -> Rights:
    declared = Declarations()
    set_up(declared)
    return derived_rights(declared, [Site, Plain])


def granted(rights: Rights) -> dict[str, set[str]]:
    """What is granted besides reading sites, and events."""
    verbs = {
        f"{resource}.{group}".rstrip("."): set(rule.verbs)
        for rule in policy_rules(rights.permissions)
        for group in rule.api_groups
        for resource in rule.resources
    }
    assert verbs.pop("events") == {"create", "patch"}
    verbs["sites.example.com"] -= READ
    return {resource: each for resource, each in verbs.items() if each}


def of(reconcile: Callable[..., Awaitable[object]], **options: Any) -> dict[str, set[str]]:
    """What a reconciler of sites is granted, when all of it can be told."""
    rights = derive(lambda manager: manager.controller(Site, reconcile, **options))
    assert rights.notes == []
    return granted(rights)


def notes_of(reconcile: Callable[..., Awaitable[object]], **options: Any) -> list[str]:
    return derive(lambda manager: manager.controller(Site, reconcile, **options)).notes


async def read(ctx: Context, request: Request) -> Site:
    return await ctx.client.api(Site, request.namespace).get(request.name)


class TestHelpers:
    def test_finalize_reads_and_patches_the_object(self) -> None:
        async def clean_up(site: Site) -> None: ...

        async def reconcile(ctx: Context, request: Request) -> None:
            await finalize(ctx, await read(ctx, request), "example.com/x", clean_up)

        assert of(reconcile) == {"sites.example.com": {"patch"}}

    def test_the_two_halves_of_it(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            site = await read(ctx, request)
            site = await ensure_finalizer(ctx, site, "example.com/x")
            await drop_finalizer(ctx, site, "example.com/x")

        assert of(reconcile) == {"sites.example.com": {"patch"}}

    def test_the_cleanup_of_a_finalizer_is_followed(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            async def clean_up(site: Site) -> None:
                await ctx.client.api(Secret, site.metadata.namespace).delete(site.metadata.name)

            await finalize(ctx, await read(ctx, request), "example.com/x", clean_up)

        assert of(reconcile) == {"sites.example.com": {"patch"}, "secrets": {"delete"}}

    @pytest.mark.parametrize("by_function", [True, False])
    def test_a_status(self, by_function: bool) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            async with status_of(ctx, await read(ctx, request)) as site:
                site.status.size = 1

        async def reconcile_otherwise(ctx: Context, request: Request) -> None:
            def change(site: Site) -> None:
                site.status.size = 1

            await patch_status(ctx, await read(ctx, request), change)

        chosen = reconcile_otherwise if by_function else reconcile
        assert of(chosen) == {"sites/status.example.com": {"patch"}}

    def test_apply_may_create(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            await apply(ctx, Deployment(metadata=ObjectMeta(name="a")), manager="me")

        assert of(reconcile) == {"deployments.apps": {"create", "patch"}}

    def test_apply_of_a_status(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            await apply(ctx, Site(metadata=ObjectMeta(name="a")), manager="me", subresource="status")

        assert of(reconcile) == {"sites/status.example.com": {"patch"}}

    def test_create_or_update_reads_through_the_cache(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            def change(config: ConfigMap) -> None:
                config.data = {}

            await create_or_update(ctx, ConfigMap(metadata=ObjectMeta(name="a")), change)

        assert of(reconcile) == {"configmaps": {*READ, "create", "update"}}

    def test_create_or_patch_writes_a_status_only_where_it_is_changed(self) -> None:
        async def without(ctx: Context, request: Request) -> None:
            def change(site: Site) -> None:
                site.spec.size = 2

            await create_or_patch(ctx, Site(metadata=ObjectMeta(name="a")), change)

        async def with_status(ctx: Context, request: Request) -> None:
            def change(site: Site) -> None:
                site.status.size = 2

            await create_or_patch(ctx, Site(metadata=ObjectMeta(name="a")), change)

        assert of(without) == {"sites.example.com": {"create", "patch"}}
        assert of(with_status)["sites/status.example.com"] == {"patch"}

    def test_an_owner_that_waits_for_its_children(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            site = await read(ctx, request)
            set_controller_reference(site, Pod())

        async def without(ctx: Context, request: Request) -> None:
            site = await read(ctx, request)
            set_controller_reference(site, Pod(), block_owner_deletion=False)
            set_owner_reference(site, Pod())

        assert of(reconcile) == {"sites/finalizers.example.com": {"update"}}
        assert of(without) == {}

    def test_an_api_says_what_is_meant(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            maps = ctx.client.uncached.api(ConfigMap, request.namespace)
            await create_or_update(maps, "a", lambda config: None)

        assert of(reconcile) == {"configmaps": {"get", "create", "update"}}

    def test_an_unstructured_object_that_is_written_out(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            obj = Unstructured({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}})
            await apply(ctx, obj, manager="me")

        assert of(reconcile) == {"deployments.apps": {"create", "patch"}}


class TestRequests:
    def test_every_request_of_an_api_is_known(self) -> None:
        """A method that is added to `Api` must say here what it needs."""
        public = {
            name for name in dir(CachedApi) if not name.startswith("_") and callable(getattr(CachedApi, name))
        }
        assert public - API_METHODS.keys() == {"in_namespace", "metadata", "endpoint"}
        assert API_METHODS.keys() <= public

    def test_what_is_read_through_the_cache_is_listed_and_watched(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            await ctx.client.api(Pod, "a").get("b")
            await ctx.client.uncached.api(Node).get("c")

        assert of(reconcile) == {"pods": READ, "nodes": {"get"}}

    def test_one_variable_for_two_kinds(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            api: Any = ctx.client.api(Pod, "a")
            await api.create({})
            api = ctx.client.api(Secret, "a")
            await api.delete("b")

        assert of(reconcile) == {"pods": {"create"}, "secrets": {"delete"}}

    def test_branches_loops_and_returns(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            api: Any = ctx.client.api(Pod, "a")
            if request.name == "x":
                api = ctx.client.api(Secret, "a")
                return
            for _ in range(3):
                with suppress(ValueError):
                    await api.update({})
            try:
                target = ctx.client.api(Node)
            except ValueError:
                return
            while request.name:
                await target.patch("a", {}, subresource="status")

        assert of(reconcile) == {"pods": {"update"}, "nodes/status": {"patch"}}

    def test_the_clientset_and_texts(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            await ctx.client.core_v1.pods("a").evict("b")
            await ctx.client.apps_v1.deployments("a").set_scale("b", 2)
            await ctx.client.dynamic("example.com/v1", "Site", "a").delete("b")
            pods = await ctx.client.resource("po", "a")
            await pods.delete_collection()

        assert of(reconcile) == {
            "pods/eviction": {"create"},
            "deployments/scale.apps": {"patch"},
            "sites.example.com": {"delete"},
            "pods": {"deletecollection"},
        }

    def test_streams_and_logs(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            pods = ctx.client.api(Pod, "a")
            await pods.exec("b", ["id"])
            async for _ in pods.logs("b"):
                pass

        assert of(reconcile) == {"pods/exec": {"create", "get"}, "pods/log": {"get"}}

    def test_another_cluster_needs_nothing_here(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            await ctx.cluster("eu").api(Secret, "a").delete("b")
            await ctx.cluster("").api(Pod, "a").delete("b")

        assert of(reconcile) == {"pods": {"delete"}}

    def test_a_controller_of_another_cluster(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            async with status_of(ctx, await read(ctx, request)):
                await ctx.client.api(Pod, "a").delete("b")
            await ctx.cluster("").api(Secret, "a").get("b")

        rights = derive(lambda manager: manager.controller(Site, reconcile, cluster="eu"))
        rules = policy_rules(rights.permissions)
        assert [(rule.resources, set(rule.verbs)) for rule in rules] == [(["secrets"], READ)]

    def test_events_of_the_newer_api(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            ctx.events.named("x", api="events.k8s.io").normal(await read(ctx, request), "A", "b")

        assert of(reconcile) == {"events.events.k8s.io": {"create", "patch"}}


class Reconciler:
    kind = Secret

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    async def reconcile(self, ctx: Context, request: Request) -> None:
        await self.write(ctx.client.api(self.kind, request.namespace))

    async def write(self, secrets: Api[Any]) -> None:
        await secrets.create({"metadata": {"name": self.prefix}})


class Writer:
    """Keeps its Api."""

    def __init__(self, client: Client) -> None:
        self.pods = client.api(Pod, "a")

    @property
    def own(self) -> Api[Pod]:
        return self.pods

    async def write(self) -> None:
        await self.own.create({})


@asynccontextmanager
async def borrowed(ctx: Context) -> AsyncIterator[Api[Secret]]:
    yield ctx.client.api(Secret, "a")


async def generic(ctx: Context, kind: type[K], name: str) -> K:
    return await ctx.client.uncached.api(kind, "a").get(name)


def logged(function: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    @functools.wraps(function)
    async def run(*args: Any, **kwargs: Any) -> None:
        await function(*args, **kwargs)

    return run


class TestFollowing:
    def test_methods_and_attributes_of_an_object(self) -> None:
        assert of(Reconciler("a").reconcile) == {"secrets": {"create"}}

    def test_an_object_that_the_code_makes(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            await Writer(ctx.client).write()

        assert of(reconcile) == {"pods": {"create"}}

    def test_partials_tasks_and_collections(self) -> None:
        async def delete(ctx: Context, name: str) -> None:
            await ctx.client.api(Node).delete(name)

        async def reconcile(ctx: Context, request: Request) -> None:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(delete(ctx, "a"))
            await asyncio.gather(*(api.delete("b") for api in [ctx.client.api(Pod, "a")]))
            later = functools.partial(ctx.client.api(Secret, "a").create)
            await later({})
            apis = {"a": ctx.client.api(ConfigMap, "a")}
            await apis["a"].delete("b")

        assert of(reconcile) == {
            "nodes": {"delete"},
            "pods": {"delete"},
            "secrets": {"create"},
            "configmaps": {"delete"},
        }

    def test_generic_functions_and_context_managers(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            await generic(ctx, Node, "a")
            async with borrowed(ctx) as secrets:
                await secrets.delete("a")

        assert of(reconcile) == {"nodes": {"get"}, "secrets": {"delete"}}

    def test_decorated_and_recursive_functions(self) -> None:
        @logged
        async def reconcile(ctx: Context, request: Request) -> None:
            await ctx.client.api(Pod, "a").delete("b")
            await reconcile(ctx, request)

        assert of(reconcile) == {"pods": {"delete"}}

    def test_a_client_that_is_known_by_its_use(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            await HOLDER["client"].api(Pod, "a").delete("b")

        assert of(reconcile) == {"pods": {"delete"}}

    def test_mappings_webhooks_and_runnables(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None: ...

        @validating(Site)
        async def check(review: Review[Site]) -> None:
            await review.client.api(Node).list().to_list()

        def setup(manager: Manager) -> None:
            async def users_of(config: ConfigMap) -> Iterable[Request]:
                return [Request.of(pod) async for pod in manager.cached.api(Pod).list()]

            async def sweep() -> None:
                await manager.client.api(Secret, "a").delete("b")

            manager.controller(Site, reconcile, watches=[Source(ConfigMap, users_of)])
            manager.webhook(check)
            manager.add(sweep)

        rights = derive(setup)
        assert rights.notes == []
        assert granted(rights) == {
            "configmaps": READ,
            "pods": READ,
            "nodes": READ,
            "secrets": {"delete"},
        }


HOLDER: dict[str, Any] = {}


def elsewhere(*args: Any) -> Any:
    """Stands for code whose source is not there."""


exec("async def unreadable(ctx, request): await ctx.client.api(None).get('a')")  # noqa: S102 - as is


class TestNotes:
    def test_a_kind_that_cannot_be_told(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            obj = HOLDER["obj"]
            await finalize(ctx, obj, "example.com/x", lambda obj: asyncio.sleep(0))

        (note,) = notes_of(reconcile)
        line = reconcile.__code__.co_firstlineno + 2
        assert note.startswith(f"tests/codegen/rights/test_derived.py:{line}: ")
        assert "finalize()" in note
        assert '@rbac(Kind, verbs=["get", "patch"])' in note
        assert note.endswith("TestNotes.test_a_kind_that_cannot_be_told.reconcile")

    def test_a_mark_that_says_it(self) -> None:
        @rbac(Plain, verbs=["get", "patch"])
        async def reconcile(ctx: Context, request: Request) -> None:
            await finalize(ctx, HOLDER["obj"], "example.com/x", lambda obj: asyncio.sleep(0))

        assert notes_of(reconcile) == []

    def test_a_mark_for_something_else_does_not_hide_it(self) -> None:
        @rbac(Plain, verbs=["get"], subresource="status")
        async def reconcile(ctx: Context, request: Request) -> None:
            await ctx.client.api(HOLDER["kind"], "a").delete("b")

        (note,) = notes_of(reconcile)
        assert '@rbac(Kind, verbs=["delete"])' in note

    def test_a_text_that_is_not_a_built_in_kind(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            await ctx.client.dynamic("cert-manager.io/v1", "Certificate", "a").get("b")

        (note,) = notes_of(reconcile)
        assert '@rbac(Kind, verbs=["get", "list", "watch"])' in note

    def test_a_client_that_goes_where_nothing_can_be_seen(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            await HOLDER["library"].sync(ctx.client)

        (note,) = notes_of(reconcile)
        assert "the client goes to HOLDER['library'].sync()" in note

    def test_code_without_source(self) -> None:
        (note,) = notes_of(globals()["unreadable"])
        assert note == "the source of unreadable cannot be read; add @rbac(Kind, verbs=[...]) to it"

    def test_a_controller_that_is_not_all_known_keeps_the_usual_rights(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            await HOLDER["library"].sync(ctx)

        rights = derive(lambda manager: manager.controller(Site, reconcile, owns=[Pod]))
        assert granted(rights) == {
            "pods": {*READ, "create", "update", "patch", "delete"},
            "sites/status.example.com": {"get", "update", "patch"},
            "sites/finalizers.example.com": {"update"},
        }

    def test_objects_may_go_anywhere(self) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            elsewhere(await read(ctx, request), request)
            HOLDER["library"].render(request)

        assert of(reconcile) == {}
