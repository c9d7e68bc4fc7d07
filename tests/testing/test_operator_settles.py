"""`settled` returns when an operator has done all that it does of itself, and not before."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random

import msgspec
import pytest

from kubewright.client.client import Client
from kubewright.controllers import Context, Manager, Request, Source, finalize, set_controller_reference
from kubewright.controllers.status import status_of
from kubewright.controllers.writes import create_or_update
from kubewright.machinery.errors import AlreadyExists, NotFound
from kubewright.machinery.meta import ObjectMeta
from kubewright.models.core_v1 import ConfigMap, Secret
from kubewright.testing import Cluster, FaultProxy, run_operator
from tests.controllers.running import config_map, on_a_cluster
from tests.controllers.servers import App, AppStatus, Server, Setting, app, on
from tests.testing.late_watches import late_client

FINALIZER = "helpers.example.com/test"

_RETURNS_IF_WRONG = 0.25
"""Seconds in which a wait that does not know of anything to wait for has long returned."""


async def cleaned_up(_: App) -> None:
    """There is nothing to clean up."""


async def make_config(ctx: Context, request: Request) -> None:
    """Each App has a ConfigMap with its size, and says how many Secrets have been made for that."""
    try:
        found = await ctx.client.api(App, request.namespace).get(request.name)
    except NotFound:
        return
    owner = await finalize(ctx, found, FINALIZER, cleaned_up)
    if owner is None:
        return

    def wanted(config: ConfigMap) -> None:
        set_controller_reference(owner, config)
        config.data = {"size": str(owner.spec.size)}

    await create_or_update(ctx, ConfigMap(metadata=_named(request.namespace, request.name)), wanted)
    secrets = await ctx.client.api(Secret, request.namespace).list(labels=f"app={request.name}").to_list()
    async with status_of(ctx, owner):
        owner.status = AppStatus(pods=len(secrets))


async def make_secrets(ctx: Context, request: Request) -> None:
    """Each ConfigMap with a size has so many Secrets, which come and go one by one."""
    try:
        config = await ctx.client.api(ConfigMap, request.namespace).get(request.name)
    except NotFound:
        return
    secrets = ctx.client.api(Secret, request.namespace)
    there = await secrets.list(labels=f"app={request.name}").to_list()
    wanted = int(config.data.get("size", "0"))
    if len(there) < wanted:
        await secrets.create(
            {"metadata": {"generateName": f"{request.name}-", "labels": {"app": request.name}}}
        )
    elif len(there) > wanted:
        await secrets.delete(there[0].metadata.name)


def by_label(secret: Secret) -> list[Request]:
    name = secret.metadata.labels.get("app")
    return [Request(secret.metadata.namespace, name)] if name else []


def chain(manager: Manager) -> None:
    manager.controller(App, make_config, owns=[ConfigMap], watches=[Source(Secret, by_label)])
    manager.controller(ConfigMap, make_secrets, watches=[Source(Secret, by_label)])


def _named(namespace: str, name: str) -> ObjectMeta:
    return ObjectMeta(name=name, namespace=namespace)


async def secrets_of(setting: Setting, name: str) -> int:
    found = await setting.client.api(Secret, setting.namespace).list(labels=f"app={name}").to_list()
    return len(found)


async def pods_of(setting: Setting, name: str) -> int | None:
    found = await setting.apps.get(name)
    return found.status.pods if found.status is not None else None


@pytest.mark.parametrize("lag", [0.0, 0.03])
def test_controllers_that_feed_one_another(server: Server, lag: float) -> None:
    async def test(setting: Setting) -> None:
        async with late_client(server) as (behind, watches):
            watches.lag = lag
            async with run_operator(behind, chain, namespaces=setting.namespace) as operator:
                await operator.settled()
                for size in (3, 5, 1, 0):
                    if size == 3:
                        await setting.apps.create(app("web", size=size))
                    else:
                        await setting.apps.patch("web", {"spec": {"size": size}})
                    await operator.settled()
                    assert await secrets_of(setting, "web") == size
                    assert await pods_of(setting, "web") == size
                reconciled = operator.reconciled()
                await operator.settled()
                assert operator.reconciled() == reconciled
                assert operator.reconciled("app") + operator.reconciled("configmap") == reconciled
                await setting.apps.delete("web")
                await operator.settled()
                with pytest.raises(NotFound):
                    await setting.apps.get("web")

    on(server, test)


async def write_at_random(setting: Setting, random: Random, sizes: dict[str, int]) -> None:
    """Make, change and delete Apps, and what the operator has made for them; some come and go at once."""
    for _ in range(random.randint(1, 4)):
        name = f"n{random.randint(1, 3)}"
        match random.choice(["create", "resize", "delete", "break", "brief"]):
            case "create" if name not in sizes:
                sizes[name] = random.randint(0, 3)
                with suppress(AlreadyExists):  # Its finalizer is not off yet.
                    await setting.apps.create(app(name, size=sizes[name]))
                    continue
                del sizes[name]
            case "resize" if name in sizes:
                sizes[name] = random.randint(0, 3)
                await setting.apps.patch(name, {"spec": {"size": sizes[name]}})
            case "delete" if name in sizes:
                del sizes[name]
                await setting.apps.delete(name)
            case "break" if name in sizes:
                with suppress(NotFound):
                    await setting.client.api(ConfigMap, setting.namespace).delete(name)
            case "brief":
                maps = setting.client.api(ConfigMap, setting.namespace)
                await maps.create({"metadata": {"name": "brief"}})
                await maps.delete("brief")


@pytest.mark.parametrize("seed", range(2))
def test_when_it_has_settled_all_is_done_and_nothing_more_happens(server: Server, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - to write this and that

    async def test(setting: Setting) -> None:
        sizes: dict[str, int] = {}
        async with (
            late_client(server) as (behind, watches),
            run_operator(behind, chain, namespaces=setting.namespace) as operator,
        ):
            for _ in range(8):
                watches.lag = random.choice([0, 0.005, 0.02])
                await write_at_random(setting, random, sizes)
                await operator.settled()
                done = operator.reconciled()
                assert {name: await pods_of(setting, name) for name in sizes} == sizes
                assert {name: await secrets_of(setting, name) for name in sizes} == sizes
                # Everything that was on its way has come by now.
                await asyncio.sleep(2 * watches.lag)
                assert operator.reconciled() == done

    on(server, test)


async def create(setting: Setting) -> None:
    await setting.apps.create(app("new", size=1))


async def update(setting: Setting) -> None:
    await setting.apps.patch("old", {"spec": {"size": 2}})


async def delete_a_child(setting: Setting) -> None:
    await setting.client.api(ConfigMap, setting.namespace).delete("old")


async def delete_what_only_maps(setting: Setting) -> None:
    secrets = setting.client.api(Secret, setting.namespace)
    (one,) = await secrets.list(labels="app=old").to_list()
    await secrets.delete(one.metadata.name)


async def replace(setting: Setting) -> None:
    maps = setting.client.api(ConfigMap, setting.namespace)
    await maps.delete("old")
    await maps.create({"metadata": {"name": "old"}, "data": {"size": "7"}})


@pytest.mark.parametrize("write", [create, update, delete_a_child, delete_what_only_maps, replace])
def test_it_waits_for_watches_that_are_late(
    server: Server, write: Callable[[Setting], Awaitable[None]]
) -> None:
    async def test(setting: Setting) -> None:
        async with (
            late_client(server) as (behind, watches),
            run_operator(behind, chain, namespaces=setting.namespace) as operator,
        ):
            await setting.apps.create(app("old", size=1))
            await operator.settled()
            reconciled = operator.reconciled()
            watches.hold()
            await write(setting)
            settling = asyncio.create_task(operator.settled())
            await asyncio.wait({settling}, timeout=_RETURNS_IF_WRONG)
            assert not settling.done()
            assert operator.reconciled() == reconciled
            watches.release()
            await settling
            assert operator.reconciled() > reconciled

    on(server, test)


def test_what_came_and_went_meanwhile_is_not_told_later(server: Server) -> None:
    async def test(setting: Setting) -> None:
        asked: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            asked.append(request.name)

        def set_up(manager: Manager) -> None:
            manager.controller(App, reconcile)

        async with (
            late_client(server) as (behind, watches),
            run_operator(behind, set_up, namespaces=setting.namespace) as operator,
        ):
            await setting.apps.create(app("first"))
            await operator.settled()
            watches.hold()
            await setting.apps.create(app("brief"))
            await setting.apps.delete("brief")
            await operator.settled()
            assert asked == ["first"]
            watches.release()
            await setting.apps.create(app("last"))
            await operator.settled()
            assert asked == ["first", "last"]

    on(server, test)


def test_kinds_that_are_only_read_are_current_too(server: Server) -> None:
    async def test(setting: Setting) -> None:
        seen: list[int] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            seen.append(len(await ctx.client.api(Secret, request.namespace).list().to_list()))

        def set_up(manager: Manager) -> None:
            manager.controller(App, reconcile)

        async with (
            late_client(server) as (behind, watches),
            run_operator(behind, set_up, namespaces=setting.namespace) as operator,
        ):
            await setting.apps.create(app("web"))
            await operator.settled()
            watches.lag = 0.1
            await setting.client.api(Secret, setting.namespace).create({"metadata": {"name": "one"}})
            await operator.settled()
            watches.lag = 0
            operator.manager.controller_named("app").queue.add(Request(setting.namespace, "web"))
            await operator.settled()
            assert seen == [0, 1]

    on(server, test)


def test_conflicts_are_retried_at_once(server: Server) -> None:
    async def test(setting: Setting) -> None:
        tries = 0

        async def reconcile(ctx: Context, request: Request) -> None:
            nonlocal tries
            tries += 1
            apps = ctx.client.api(App, request.namespace)
            found = await apps.get(request.name)
            if found.spec.color == "red":
                return
            if tries <= 3:
                await setting.apps.patch(request.name, {"metadata": {"labels": {"try": str(tries)}}})
            found.spec.color = "red"
            await apps.update(found)

        def set_up(manager: Manager) -> None:
            manager.controller(App, reconcile, predicates=[lambda change: change.type == "ADDED"])

        async with run_operator(setting.client, set_up, namespaces=setting.namespace) as operator:
            await setting.apps.create(app("web"))
            await operator.settled()
            assert (await setting.apps.get("web")).spec.color == "red"
            assert tries == 4
            assert operator.errors == []
            # The delays after the conflicts have gone with them.
            await operator.advance(100)
            assert tries == 4

    on(server, test)


def test_a_conflict_without_end_is_told(server: Server) -> None:
    async def test(setting: Setting) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            found = await setting.apps.get(request.name)
            await setting.apps.patch(request.name, {"metadata": {"labels": {"a": str(id(found))}}})
            await ctx.client.api(App, request.namespace).update(found)

        def set_up(manager: Manager) -> None:
            manager.controller(App, reconcile, predicates=[lambda change: change.type == "ADDED"])

        async with run_operator(setting.client, set_up, namespaces=setting.namespace) as operator:
            await setting.apps.create(app("web"))
            with pytest.raises(AssertionError, match=r"web was reconciled 5 times .* conflicts"):
                await operator.settled(max_reconciles=5)

    on(server, test)


def test_a_slow_network() -> None:
    async def run() -> None:
        async with Cluster(controllers="none") as cluster, FaultProxy(cluster.url) as proxy:
            far = msgspec.structs.replace(cluster.config, server=proxy.url)
            async with (
                Client(cluster.config) as client,
                Client(far) as slow,
                run_operator(slow, configs) as operator,
            ):
                maps = client.api(ConfigMap, "default")
                await maps.create(config_map("web", size="0"))
                await operator.settled()
                proxy.delay(0.03)
                for size in (2, 1):
                    await maps.patch("web", {"data": {"size": str(size)}})
                    await operator.settled()
                    assert len(await client.api(Secret, "default").list(labels="app=web").to_list()) == size

    def configs(manager: Manager) -> None:
        manager.controller(ConfigMap, make_secrets, watches=[Source(Secret, by_label)])

    asyncio.run(run())


def test_several_clusters() -> None:
    async def run() -> None:
        async with (
            Cluster(controllers="none") as here,
            Cluster(controllers="none") as there,
            Client(here.config) as client,
            Client(there.config) as other,
            late_client(there) as (behind, watches),
        ):

            async def reconcile(ctx: Context, request: Request) -> None:
                names = [each.metadata.name async for each in ctx.cluster("there").api(Secret).list()]
                await ctx.client.api(ConfigMap, "default").patch("web", {"data": {"names": " ".join(names)}})

            def set_up(manager: Manager) -> None:
                manager.cluster(behind, name="there")
                everything = Source(Secret, lambda _: [Request("default", "web")], cluster="there")
                manager.controller(
                    ConfigMap, reconcile, watches=[everything], predicates=[lambda each: each.type == "ADDED"]
                )

            await client.api(ConfigMap, "default").create(config_map("web"))
            async with run_operator(client, set_up) as operator:
                await operator.settled()
                watches.lag = 0.1
                await other.api(Secret, "default").create({"metadata": {"name": "one"}})
                await operator.settled()
                assert (await client.api(ConfigMap, "default").get("web")).data == {"names": "one"}

    asyncio.run(run())


def test_a_kind_that_is_not_served_and_not_needed() -> None:
    async def test(client: Client) -> None:
        found: list[bool] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            try:
                async with asyncio.timeout(0.1):
                    found.append(bool(await ctx.client.api(App, "default").list().to_list()))
            except TimeoutError:
                found.append(False)

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile)

        async with run_operator(client, set_up) as operator:
            await client.api(ConfigMap, "default").create(config_map("web"))
            await operator.settled()
            assert found == [False]

    on_a_cluster(test)


def test_a_controller_that_comes_later() -> None:
    async def test(client: Client) -> None:
        asked: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            asked.append(request.name)

        await client.api(ConfigMap, "default").create(config_map("web"))
        async with run_operator(client, lambda _: None) as operator:
            await operator.settled()
            operator.manager.controller(ConfigMap, reconcile)
            await operator.settled()
            assert asked == ["web"]
            assert operator.reconciled("configmap") == 1

    on_a_cluster(test)
