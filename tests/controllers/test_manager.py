"""The manager: what it starts and stops, in which order, and what it does when something fails."""

from __future__ import annotations

import asyncio
import logging
import os
import signal

import pytest

from kubewright import EMPTY, Resource, Struct, custom_resource
from kubewright.client.client import Client
from kubewright.controllers.context import Context
from kubewright.controllers.leader_election import LeaderElection, LeadershipLost
from kubewright.controllers.manager import Manager
from kubewright.controllers.requests import Request
from kubewright.machinery.errors import ApiError, DeclarationError, NotFound
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.coordination_v1 import Lease
from kubewright.models.core_v1 import ConfigMap, Secret
from kubewright.webhooks import Denied, Review, WebhookServer, validating
from kubewright.webhooks.installation import install
from tests.controllers.running import PATIENCE, config_map, managed, on_a_cluster, until

QUICK = LeaderElection(name="app", namespace="default", retry_period=0.1)
"""Whose leaders are soon told of what has happened, and do not lose it because a machine is busy."""


class LateSpec(Struct):
    """Of a kind that is not there at first."""

    n: int = 0


@custom_resource(group="example.com", version="v1")
class Late(Resource):
    """A kind that is not there at first."""

    spec: LateSpec = EMPTY


async def nothing(ctx: Context, request: Request) -> None:
    """A reconciler without work."""


def test_a_controller_that_is_added_later_is_started() -> None:
    async def test(client: Client) -> None:
        seen: set[str] = set()

        async def reconcile(ctx: Context, request: Request) -> None:
            seen.add(request.name)

        await client.api(Secret, "default").create({"metadata": {"name": "s"}})
        async with managed(client, lambda manager: manager.controller(ConfigMap, nothing)) as manager:
            await asyncio.sleep(0)
            manager.controller(Secret, reconcile)
            await until(lambda: "s" in seen, "the later one works")

    on_a_cluster(test)


@pytest.mark.parametrize("leader", [True, False])
def test_what_is_added_later_beside_the_controllers_is_started_and_stopped(leader: bool) -> None:
    async def test(client: Client) -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def beside() -> None:
            begun.set()
            try:
                await asyncio.sleep(600)
            finally:
                ended.set()

        async with managed(client, lambda manager: manager.controller(ConfigMap, nothing)) as manager:
            await until(lambda: manager.controller_named("configmap").is_synced, "it runs")
            assert manager.add(beside, leader=leader) is beside
            await asyncio.wait_for(begun.wait(), PATIENCE)
            assert not ended.is_set()
        assert ended.is_set()

    on_a_cluster(test)


def test_two_controllers_of_one_name() -> None:
    async def test(client: Client) -> None:
        async with Manager(client) as manager:
            manager.controller(ConfigMap, nothing)
            with pytest.raises(
                ValueError, match="a controller 'configmap' already; give this one another name="
            ):
                manager.controller(ConfigMap, nothing)
            manager.controller(ConfigMap, nothing, name="other")
            with pytest.raises(LookupError, match="no controller 'third'; there is 'configmap', 'other'"):
                manager.controller_named("third")

    on_a_cluster(test)


def test_reconciles_under_way_may_end() -> None:
    async def test(client: Client) -> None:
        begun, may_end, ended = asyncio.Event(), asyncio.Event(), []

        async def reconcile(ctx: Context, request: Request) -> None:
            if request.name == "a":
                begun.set()
                await may_end.wait()
                await ctx.client.api(ConfigMap, "default").patch("a", {"data": {"done": "yes"}})
                ended.append(request.name)

        maps = client.api(ConfigMap, "default")
        await maps.create(config_map("a"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)) as manager:
            await begun.wait()
            manager.stop()
            await maps.create(config_map("b"))
            asyncio.get_running_loop().call_later(0.2, may_end.set)
        assert ended == ["a"]
        assert (await maps.get("a")).data == {"done": "yes"}

    on_a_cluster(test)


def test_those_that_do_not_end_are_cancelled(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        begun, cancelled = asyncio.Event(), []

        async def reconcile(ctx: Context, request: Request) -> None:
            if request.name == "a":
                begun.set()
                try:
                    await asyncio.sleep(600)
                except asyncio.CancelledError:
                    cancelled.append(request.name)
                    raise

        await client.api(ConfigMap, "default").create(config_map("a"))
        set_up = lambda manager: manager.controller(ConfigMap, reconcile)  # noqa: E731
        async with managed(client, set_up, stop_timeout=0.2):
            await begun.wait()
        assert cancelled == ["a"]

    on_a_cluster(test)
    assert "configmap: default/a did not end within 0.2 seconds and is cancelled" in caplog.text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_reconciles_end_and_the_second_one_does_not(number: signal.Signals) -> None:
    async def test(client: Client) -> None:
        began, cancelled = asyncio.Event(), asyncio.Event()

        async def reconcile(ctx: Context, request: Request) -> None:
            began.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.set()
                raise

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with Manager(client, stop_timeout=600) as manager:
            manager.controller(ConfigMap, reconcile)
            running = asyncio.create_task(manager.run())
            await began.wait()
            os.kill(os.getpid(), number)
            await until(lambda: manager._runner.is_stopping, "it hears of it")
            # Others may have their turn, and still it goes on.
            for _ in range(10):
                await asyncio.sleep(0)
            assert not cancelled.is_set()
            os.kill(os.getpid(), number)
            await asyncio.wait_for(running, PATIENCE)
            assert cancelled.is_set()

    on_a_cluster(test)


def test_ones_own_work_runs_beside_and_is_ended() -> None:
    async def test(client: Client) -> None:
        log: list[str] = []

        def runnable(name: str) -> object:
            async def run() -> None:
                log.append(f"{name} begins")
                try:
                    await asyncio.sleep(600)
                finally:
                    log.append(f"{name} ends")

            return run

        def set_up(manager: Manager) -> None:
            manager.add(runnable("leading"))  # type: ignore[arg-type]
            manager.add(runnable("always"), leader=False)  # type: ignore[arg-type]

        async with managed(client, set_up):
            await until(lambda: len(log) == 2, "both run")
        assert log == ["always begins", "leading begins", "leading ends", "always ends"]

    on_a_cluster(test)


@pytest.mark.parametrize("leader", [True, False])
def test_ones_own_work_that_fails_ends_the_manager(leader: bool) -> None:
    async def test(client: Client) -> None:
        async def fail() -> None:
            raise ZeroDivisionError("the moon")

        async with Manager(client, signals=False) as manager:
            manager.controller(ConfigMap, nothing)
            manager.add(fail, leader=leader)
            with pytest.raises(ZeroDivisionError, match="the moon"):
                await manager.run()

    on_a_cluster(test)


def test_only_the_leader_works_and_the_next_one_follows_at_once() -> None:
    async def test(client: Client) -> None:
        working: list[str] = []

        def set_up(name: str) -> object:
            async def reconcile(ctx: Context, request: Request) -> None:
                working.append(name)

            return lambda manager: manager.controller(ConfigMap, reconcile)

        leases = client.api(Lease, "default")
        maps = client.api(ConfigMap, "default")
        await maps.create(config_map("z"))
        async with managed(client, set_up("second"), leader_election=QUICK) as second:  # type: ignore[arg-type]
            del second  # It leads by itself until the first one below would.
            await until(lambda: "second" in working, "the only one leads")
            async with managed(client, set_up("first"), leader_election=QUICK):  # type: ignore[arg-type]
                await maps.create(config_map("a"))
                await asyncio.sleep(1)
                assert "first" not in working
            holder = (await leases.get("app")).spec.holder_identity
        lease = await leases.get("app")
        assert holder, "the one that never led gave nothing up"
        assert lease.spec.holder_identity == "", "it was given up"
        working.clear()
        began = asyncio.get_running_loop().time()
        async with managed(client, set_up("third"), leader_election=QUICK):  # type: ignore[arg-type]
            await until(lambda: "third" in working, "the next one leads")
        assert asyncio.get_running_loop().time() - began < QUICK.lease_duration
        assert (await leases.get("app")).spec.lease_transitions == 1

    on_a_cluster(test)


def test_leadership_that_is_lost_cancels_the_work() -> None:
    async def test(client: Client) -> None:
        begun, cancelled = asyncio.Event(), []

        async def reconcile(ctx: Context, request: Request) -> None:
            begun.set()
            try:
                await asyncio.sleep(600)
            finally:
                cancelled.append(request.name)

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with Manager(client, leader_election=QUICK, signals=False) as manager:
            manager.controller(ConfigMap, reconcile)
            running = asyncio.create_task(manager.run())
            await begun.wait()
            thief = {"spec": {"holderIdentity": "a thief", "leaseDurationSeconds": 60}}
            await client.api(Lease, "default").patch("app", thief)
            with pytest.raises(LeadershipLost, match="the lease app is lost: a thief has it"):
                await asyncio.wait_for(running, PATIENCE)
            assert cancelled
        assert (await client.api(Lease, "default").get("app")).spec.holder_identity == "a thief"

    on_a_cluster(test)


def test_nothing_is_written_when_leadership_has_run_out() -> None:
    async def test(client: Client) -> None:
        caught: list[Exception] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            # As if the process had been stopped here: the clock goes on, and nobody renews the lease.
            assert manager._runner._elector is not None
            manager._runner._elector._renewed = float("-inf")
            for write in (
                ctx.client.api(ConfigMap, "default").create(config_map("x")),
                ctx.client.api(ConfigMap, "default").patch("x", {}),
                ctx.client.api(ConfigMap, "default").delete("a"),
                ctx.client.uncached.api(ConfigMap, "default").delete("a"),
                client.raw("DELETE", "/api/v1/namespaces/default/configmaps/a"),
            ):
                try:
                    await write
                except LeadershipLost as error:
                    caught.append(error)

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with Manager(client, signals=False, leader_election=QUICK) as manager:
            manager.controller(ConfigMap, reconcile)
            running = asyncio.create_task(manager.run())
            await until(lambda: len(caught) >= 5, "each write was refused")
            with pytest.raises(LeadershipLost):
                await running
        await client.api(ConfigMap, "default").get("a")
        with pytest.raises(NotFound):
            await client.api(ConfigMap, "default").get("x")

    on_a_cluster(test)


def test_a_reconcile_that_outlives_leadership_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        begun = asyncio.Event()

        async def reconcile(ctx: Context, request: Request) -> None:
            begun.set()
            until_then = asyncio.get_running_loop().time() + PATIENCE / 2
            while "outlives" not in caplog.text and asyncio.get_running_loop().time() < until_then:
                try:
                    await asyncio.sleep(0.1)
                except asyncio.CancelledError:
                    continue

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with Manager(client, leader_election=QUICK, signals=False) as manager:
            manager.controller(ConfigMap, reconcile)
            running = asyncio.create_task(manager.run())
            await begun.wait()
            await client.api(Lease, "default").patch("app", {"spec": {"holderIdentity": "a thief"}})
            with pytest.raises(LeadershipLost):
                await asyncio.wait_for(running, PATIENCE)

    with caplog.at_level(logging.WARNING):
        on_a_cluster(test)
    assert "outlives the leadership; it must not catch CancelledError" in caplog.text


def test_a_manager_runs_in_its_block() -> None:
    async def test(client: Client) -> None:
        with pytest.raises(RuntimeError, match="async with Manager"):
            await Manager(client).run()

    on_a_cluster(test)


def test_a_kind_that_comes_later_is_waited_for_and_picked_up_again() -> None:
    async def test(client: Client) -> None:
        seen: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            seen.append(request.name)

        definitions = client.api(CustomResourceDefinition)

        async def define() -> None:
            await definitions.create(Late.crd())
            await definitions.wait_for("lates.example.com", "Established", timeout=PATIENCE)

        async with managed(client, lambda manager: manager.controller(Late, reconcile)):
            await asyncio.sleep(0.2)
            await define()
            await client.api(Late, "default").create({"metadata": {"name": "first"}})
            await until(lambda: "first" in seen, "it was waited for")
            await definitions.delete("lates.example.com")
            await definitions.wait_for("lates.example.com", "deleted", timeout=PATIENCE)
            await define()
            await client.api(Late, "default").create({"metadata": {"name": "second"}})
            await until(lambda: "second" in seen, "it was picked up again")

    on_a_cluster(test)


def test_webhooks_are_served_while_it_runs() -> None:
    async def test(client: Client) -> None:
        server = WebhookServer()
        working = asyncio.Event()

        @validating(ConfigMap)
        async def check(review: Review[ConfigMap]) -> None:
            if review.object.data.get("sky") == "green":
                raise Denied("the sky is not green")

        async with Manager(client, webhooks=server, signals=False) as manager:
            manager.webhook(check)

            async def begin() -> None:
                working.set()

            manager.add(begin)
            running = asyncio.create_task(manager.run())
            await working.wait()
            await install(client, server, name="sky")
            maps = client.api(ConfigMap, "default")
            await maps.create(config_map("a", sky="blue"))
            with pytest.raises(ApiError, match="the sky is not green"):
                await maps.create(config_map("b", sky="green"))
            manager.stop()
            await running

    on_a_cluster(test)


def test_a_webhook_server_that_runs_stays_its_callers() -> None:
    async def test(client: Client) -> None:
        async with WebhookServer() as server:
            url = server.url
            async with Manager(client, webhooks=server, signals=False) as manager, manager.running():
                await manager.ready()
            assert server.url == url, "it runs on"

    on_a_cluster(test)


def test_a_webhook_needs_a_server() -> None:
    @validating(ConfigMap)
    async def check(review: Review[ConfigMap]) -> None: ...

    async def test(client: Client) -> None:
        async with Manager(client) as manager:
            with pytest.raises(DeclarationError, match=r"give Manager\(webhooks=WebhookServer\(...\)\)"):
                manager.webhook(check)

    on_a_cluster(test)
