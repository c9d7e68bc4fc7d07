"""A manager that works with several clusters, over real sockets."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import msgspec
import pytest

from kubewright.client.client import Client
from kubewright.controllers.context import Context
from kubewright.controllers.leader_election import LeaderElection, LeadershipLost
from kubewright.controllers.managed_cluster import ManagedCluster
from kubewright.controllers.manager import Manager
from kubewright.controllers.outcomes import OutcomeKind
from kubewright.controllers.probes import CheckFailed
from kubewright.controllers.requests import Request, Result
from kubewright.controllers.sources import Source, owned
from kubewright.machinery.errors import AlreadyExists, KubewrightError, NotFound
from kubewright.models.core_v1 import ConfigMap, Event, Secret
from kubewright.testing import Cluster, FaultProxy
from tests.controllers.running import PATIENCE, config_map, managed, until
from tests.controllers.scraping import scraped, value

LAG = 0.03
"""Seconds: several times what a request takes here."""

STOPS_WITHIN = 25.0
"""Seconds on a busy machine; who waited for a reconcile to end would wait for 30."""


class Two(NamedTuple):
    """Two clusters: clients of both, and one of the second through a proxy that can be told to fail."""

    home: Client
    eu: Client
    through_proxy: Client
    proxy: FaultProxy

    def away(self) -> None:
        """Have the second cluster answer nobody who comes through the proxy."""
        self.proxy.refuse()
        self.proxy.cut()


def on_two_clusters(test: Callable[[Two], Awaitable[None]]) -> None:
    """Run a test with two fresh clusters."""

    async def run() -> None:
        async with (
            Cluster(controllers="none") as home,
            Cluster(controllers="none") as eu,
            FaultProxy(eu.url) as proxy,
            Client(home.config) as home_client,
            Client(eu.config) as eu_client,
            Client(msgspec.structs.replace(eu.config, server=proxy.url)) as through_proxy,
            asyncio.timeout(60),
        ):
            await test(Two(home_client, eu_client, through_proxy, proxy))

    asyncio.run(run())


async def nothing(ctx: Context, request: Request) -> None:
    """A reconciler without work."""


async def copied(ctx: Context, request: Request) -> None:
    """Has the config maps of the manager's cluster in the cluster eu, too."""
    there = ctx.cluster("eu").api(ConfigMap, request.namespace)
    try:
        found = await ctx.client.api(ConfigMap, request.namespace).get(request.name)
    except NotFound:
        await there.delete(request.name)
        return
    try:
        present = await there.get(request.name)
    except NotFound:
        await there.create(config_map(request.name, **found.data))
        return
    if present.data != found.data:
        present.data = found.data
        await there.update(present)


def same_name(obj: ConfigMap) -> list[Request]:
    return [Request(obj.metadata.namespace, obj.metadata.name)]


async def data_of(client: Client, name: str) -> dict[str, str] | None:
    try:
        return dict((await client.api(ConfigMap, "default").get(name)).data)
    except (NotFound, KubewrightError):
        return None


async def until_data(client: Client, name: str, wanted: dict[str, str] | None) -> None:
    """Wait for what a config map should have; None for its absence."""
    async with asyncio.timeout(PATIENCE):
        while await data_of(client, name) != wanted:  # noqa: ASYNC110 - a watch may be what is tested
            await asyncio.sleep(0.01)


def test_objects_are_kept_alike_in_two_clusters() -> None:
    async def test(two: Two) -> None:
        def set_up(manager: Manager) -> None:
            eu = manager.cluster(two.eu, name="eu")
            manager.controller(ConfigMap, copied, watches=[Source(ConfigMap, same_name, cluster=eu)])

        here, there = two.home.api(ConfigMap, "default"), two.eu.api(ConfigMap, "default")
        await here.create(config_map("a", x="1"))
        async with managed(two.home, set_up) as manager:
            await until_data(two.eu, "a", {"x": "1"})
            await here.patch("a", {"data": {"x": "2"}})
            await until_data(two.eu, "a", {"x": "2"})
            await there.patch("a", {"data": {"x": "somebody else's"}})
            await until_data(two.eu, "a", {"x": "2"})
            await there.delete("a")
            await until_data(two.eu, "a", {"x": "2"})
            await here.delete("a")
            await until_data(two.eu, "a", None)
            await manager.ready()

    on_two_clusters(test)


def test_a_controller_of_another_cluster() -> None:
    async def test(two: Two) -> None:
        seen: set[str] = set()

        async def reconcile(ctx: Context, request: Request) -> None:
            maps = ctx.client.api(ConfigMap, "default")
            found = await maps.get(request.name)
            seen.add(request.name)
            children = [each async for each in ctx.client.api(Secret, "default").list()]
            assert await ctx.client.api(ConfigMap, "default").by("x", "1") == [found]
            if request.name == "a" and not children:
                reference = {
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "name": "a",
                    "uid": found.metadata.uid,
                    "controller": True,
                }
                await ctx.client.api(Secret, "default").create(
                    {"metadata": {"name": "child", "ownerReferences": [reference]}}
                )
                ctx.events.normal(found, "Made", "a child")
            with pytest.raises(NotFound):
                await ctx.cluster("").api(ConfigMap, "default").get("a")

        def set_up(manager: Manager) -> None:
            eu = manager.cluster(two.eu, name="eu")
            eu.index(ConfigMap, {"x": lambda found: [found.data.get("x", "")]})
            manager.controller(ConfigMap, reconcile, cluster=eu, owns=[Secret], name="there")
            manager.controller(ConfigMap, nothing, cluster="eu", name="by-its-name")

        await two.eu.api(ConfigMap, "default").create(config_map("a", x="1"))
        await two.home.api(ConfigMap, "default").create(config_map("not-this-one"))
        async with managed(two.home, set_up):
            children = two.eu.api(Secret, "default")
            await children.wait_for("child", lambda _: True, timeout=PATIENCE)
            await children.delete("child")
            await children.wait_for("child", lambda _: True, timeout=PATIENCE)
        assert "not-this-one" not in seen
        told = [each.message async for each in two.eu.api(Event, "default").list()]
        assert set(told) == {"a child"}
        assert not [each async for each in two.home.api(Event, "default").list()]

    on_two_clusters(test)


def test_a_reconcile_sees_what_the_last_one_wrote_in_another_cluster() -> None:
    async def test(two: Two) -> None:
        stale: list[str] = []
        written = 0

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            nonlocal written
            there = ctx.cluster(eu[0]).api(ConfigMap, "default")
            found = {each.metadata.name async for each in there.list(labels="ours")}
            if len(found) != written:
                stale.append(f"{len(found)}, and {written} were written")
            if written >= 15:
                return None
            try:
                await there.create({"metadata": {"name": f"n{written}", "labels": {"ours": ""}}})
            except AlreadyExists as error:
                stale.append(str(error))
            written += 1
            return Result(requeue_after=0.0001)

        eu: list[ManagedCluster] = []

        def set_up(manager: Manager) -> None:
            late = manager.cluster(two.through_proxy, name="eu")
            # Written at once, and heard of through the proxy: else a write would be as late as its event.
            late.client = two.eu  # type: ignore[misc]
            eu.append(late)
            manager.controller(
                ConfigMap,
                reconcile,
                predicates=[lambda each: each.key == "default/a"],
                watches=[Source(ConfigMap, lambda _: [], cluster=late)],
            )

        two.proxy.delay(LAG)
        await two.home.api(ConfigMap, "default").create(config_map("a"))
        async with managed(two.home, set_up):
            await until(lambda: written >= 15, "all are written")
        assert not stale

    on_two_clusters(test)


def test_a_cluster_that_is_down_at_the_start_comes_later(caplog: pytest.LogCaptureFixture) -> None:
    async def test(two: Two) -> None:
        seen: set[str] = set()

        async def reconcile(ctx: Context, request: Request) -> None:
            seen.add(request.name)

        def set_up(manager: Manager) -> None:
            # Where objects are is not known before the cluster answers: by namespaces, and without a type.
            eu = manager.cluster(two.through_proxy, name="eu", namespaces="default")
            untyped = eu.client.dynamic("v1", "ConfigMap")
            manager.controller(
                ConfigMap, copied, name="copier", watches=[Source(untyped, same_name, cluster=eu)]
            )
            manager.controller(ConfigMap, reconcile)

        two.away()
        await two.home.api(ConfigMap, "default").create(config_map("a", x="1"))
        async with managed(two.home, set_up, health_address="127.0.0.1:0") as manager:
            await until(lambda: "a" in seen, "the other controller works")
            with pytest.raises(CheckFailed, match="the caches of copier in the cluster 'eu' are not synced"):
                await manager.ready()
            await manager.healthy()
            await until(waiting, "it says for what it waits")
            tried = two.proxy.connections
            await until(lambda: two.proxy.connections > tried + 4, "it tries again")
            two.proxy.resume()
            await until_data(two.eu, "a", {"x": "1"})
            await manager.ready()
        assert len(waiting()) == len(set(waiting()))
        assert "copier goes on: the cluster 'eu' answers" in caplog.messages

    def waiting() -> list[str]:
        return [each for each in caplog.messages if "copier waits for the cluster 'eu': " in each]

    with caplog.at_level(logging.INFO):
        on_two_clusters(test)


def test_a_cluster_that_goes_away_holds_up_nobody_else(caplog: pytest.LogCaptureFixture) -> None:
    async def test(two: Two) -> None:
        seen: set[str] = set()

        async def reconcile(ctx: Context, request: Request) -> None:
            seen.add(request.name)

        def set_up(manager: Manager) -> None:
            eu = manager.cluster(two.through_proxy, name="eu")
            manager.controller(
                ConfigMap, copied, name="copier", watches=[Source(ConfigMap, same_name, cluster=eu)]
            )
            manager.controller(ConfigMap, reconcile)

        here = two.home.api(ConfigMap, "default")
        await here.create(config_map("a", x="1"))
        async with managed(two.home, set_up) as manager:
            await until_data(two.eu, "a", {"x": "1"})
            two.away()
            await here.create(config_map("b", x="2"))
            await until(lambda: "b" in seen, "the other controller works")
            failed = manager.controller_named("copier").metrics
            await until(lambda: failed.results[OutcomeKind.ERROR], "what needs it is tried again")
            two.proxy.resume()
            await until_data(two.eu, "b", {"x": "2"})

    on_two_clusters(test)


def test_a_manager_stops_while_a_cluster_is_down() -> None:
    async def test(two: Two) -> None:
        def set_up(manager: Manager) -> None:
            eu = manager.cluster(two.through_proxy, name="eu", namespaces="default")
            manager.controller(ConfigMap, nothing, cluster=eu)

        two.away()
        async with asyncio.timeout(STOPS_WITHIN), managed(two.home, set_up) as manager:
            await until(lambda: manager._runner._running, "it runs")

    on_two_clusters(test)


def test_a_manager_stops_while_a_reconcile_waits_for_caches_that_hear_nothing() -> None:
    async def test(two: Two) -> None:
        written: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> Result:
            two.proxy.stall()
            await ctx.cluster("eu").api(ConfigMap, "default").create(config_map(f"n{len(written)}"))
            written.append(request.name)
            return Result(requeue_after=0.0001)

        def set_up(manager: Manager) -> None:
            late = manager.cluster(two.through_proxy, name="eu")
            late.client = two.eu  # type: ignore[misc]
            manager.controller(
                ConfigMap,
                reconcile,
                predicates=[lambda change: change.key == "default/a"],
                watches=[Source(ConfigMap, lambda _: [], cluster=late)],
            )

        await two.home.api(ConfigMap, "default").create(config_map("a"))
        async with asyncio.timeout(STOPS_WITHIN), managed(two.home, set_up) as manager:
            controller = manager.controller_named("configmap")
            await until(lambda: controller._waiting, "it waits")
        assert written == ["a"]
        two.proxy.resume()

    on_two_clusters(test)


def test_clusters_may_be_added_at_any_time() -> None:
    async def test(two: Two) -> None:
        seen: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            if request.name == "a" and not seen:
                later = manager.cluster(two.eu, name="later")
                seen.append((await ctx.cluster(later).api(ConfigMap, "default").get("there")).metadata.name)

        await two.home.api(ConfigMap, "default").create(config_map("a"))
        await two.eu.api(ConfigMap, "default").create(config_map("there"))
        manager = Manager(two.home, signals=False)
        before = manager.cluster(two.eu, name="before")
        manager.controller(ConfigMap, nothing, cluster=before, name="before")
        async with manager:
            inside = manager.cluster(two.eu, name="inside")
            manager.controller(ConfigMap, nothing, cluster=inside, name="inside")
            manager.controller(ConfigMap, reconcile, name="own")
            running = asyncio.create_task(manager.run())
            await until(lambda: seen == ["there"], "one that is added in a reconcile is read at once")
            manager.controller(ConfigMap, nothing, cluster="later", name="later")
            for name in ("before", "inside", "later"):
                await until(lambda name=name: manager.controller_named(name).is_synced, name)  # type: ignore[misc]
            manager.stop()
            await running
        assert not (before.cache.running(ConfigMap.gvk) + inside.cache.running(ConfigMap.gvk))

    on_two_clusters(test)


def test_nothing_is_written_anywhere_when_leadership_has_run_out() -> None:
    async def test(two: Two) -> None:
        caught: list[KubewrightError] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            # As if the process had been stopped here: the clock goes on, and nobody renews the lease.
            assert manager._runner._elector is not None
            manager._runner._elector._renewed = float("-inf")
            for client in (ctx.client, ctx.cluster("eu")):
                try:
                    await client.api(ConfigMap, "default").create(config_map("x"))
                except LeadershipLost as error:
                    caught.append(error)

        election = LeaderElection(
            name="app", namespace="default", lease_duration=3.0, renew_deadline=2.0, retry_period=0.1
        )
        await two.home.api(ConfigMap, "default").create(config_map("a"))
        async with Manager(two.home, leader_election=election, signals=False) as manager:
            manager.cluster(two.eu, name="eu")
            manager.controller(ConfigMap, reconcile)
            with pytest.raises(LeadershipLost):
                await asyncio.wait_for(manager.run(), PATIENCE)
        assert len(caught) >= 2
        assert await data_of(two.eu, "x") is None

    on_two_clusters(test)


def test_names_and_clusters_that_do_not_fit() -> None:
    async def test(two: Two) -> None:
        manager, other = Manager(two.home), Manager(two.home)
        eu = manager.cluster(two.eu, name="eu")
        foreign = other.cluster(two.eu, name="eu")
        with pytest.raises(ValueError, match="there is a cluster 'eu' already; give this one another name="):
            manager.cluster(two.eu, name="eu")
        with pytest.raises(ValueError, match="a cluster without a name is the manager's own"):
            manager.cluster(two.eu, name="")
        with pytest.raises(LookupError, match="the manager has no cluster 'us'; it has 'eu'"):
            manager.controller(ConfigMap, nothing, cluster="us")
        with pytest.raises(LookupError, match="the cluster 'eu' is another manager's"):
            manager.controller(ConfigMap, nothing, cluster=foreign)
        with pytest.raises(LookupError, match="the manager has no cluster 'us'"):
            manager.controller(ConfigMap, nothing, watches=[Source(Secret, same_name, cluster="us")])
        with pytest.raises(ValueError, match="owns has Secret of a certain cluster, but owner references"):
            manager.controller(ConfigMap, nothing, owns=[Source(Secret, same_name, cluster=eu)])
        wrong = "the Api of Secret is one of the manager's cluster, and is to be watched in the cluster 'eu'"
        secrets = two.home.dynamic("v1", "Secret")
        for refused in (
            {"watches": [Source(secrets, same_name, cluster=eu)]},
            {"owns": [owned(secrets)], "cluster": eu},
        ):
            options: dict[str, Any] = refused
            with pytest.raises(ValueError, match=wrong):
                manager.controller(ConfigMap, nothing, **options)
        manager.controller(ConfigMap, nothing)  # None of those has taken the name.

    on_two_clusters(test)


@asynccontextmanager
async def synced(two: Two) -> AsyncIterator[Manager]:
    def set_up(manager: Manager) -> None:
        eu = manager.cluster(two.eu, name="eu")
        manager.cluster(two.eu, name="the-same")
        manager.controller(ConfigMap, nothing, cluster=eu)
        manager.controller(Secret, nothing)

    async with managed(two.home, set_up, metrics_address="127.0.0.1:0") as manager:
        for name in ("configmap", "secret"):
            await until(lambda name=name: manager.controller_named(name).is_synced, name)  # type: ignore[misc]
        yield manager


def test_requests_are_counted_by_server() -> None:
    async def test(two: Two) -> None:
        await two.eu.api(ConfigMap, "default").create(config_map("a"))
        async with synced(two) as manager:
            families = await scraped(manager.metrics_address)
            hosts = {client.config.server.removeprefix("https://") for client in (two.home, two.eu)}
            counted = {each.labels["host"] for each in families["rest_client_requests"].samples}
            assert counted == hosts
            eu = two.eu.config.server.removeprefix("https://")
            posted = value(families, "rest_client_requests_total", code="201", method="POST", host=eu)
            assert posted == 1

    on_two_clusters(test)
