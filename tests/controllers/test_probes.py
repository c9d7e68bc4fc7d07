"""Health and readiness: what is told of checks, and of a manager that starts, works and stops."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack

import aiohttp
import pytest

from kubewright import EMPTY, Resource, Struct, custom_resource
from kubewright.client.client import Client
from kubewright.controllers.context import Context
from kubewright.controllers.exposition import Numbers
from kubewright.controllers.http import Address, parse_address
from kubewright.controllers.leader_election import LeaderElection
from kubewright.controllers.manager import Manager
from kubewright.controllers.probes import CheckFailed, Checks, shown
from kubewright.controllers.requests import Request
from kubewright.controllers.serving import Serving
from kubewright.models.core_v1 import ConfigMap
from kubewright.webhooks import WebhookServer
from tests.controllers.running import PATIENCE, config_map, managed, on_a_cluster, until
from tests.controllers.scraping import get, scraped

ANY = "127.0.0.1:0"


class AbsentSpec(Struct):
    """Of a kind that is not there."""

    n: int = 0


@custom_resource(group="example.com", version="v1")
class Absent(Resource):
    """A kind that is not there."""

    spec: AbsentSpec = EMPTY


async def nothing(ctx: Context, request: Request) -> None:
    """A reconciler without work."""


def failing(text: str) -> None:
    raise OSError(text)


def test_all_checks_are_made_and_told() -> None:
    async def well() -> None:
        await asyncio.sleep(0)

    async def main() -> None:
        checks = Checks("readyz")
        checks.add("ping", lambda: None)
        checks.add("database", well, note=lambda: "two replicas")
        results = await checks.run()
        assert shown("readyz", results) == "[+]ping ok\n[+]database ok (two replicas)\nreadyz check passed\n"
        await checks.require()
        checks.add("disk", lambda: failing("it is full"))
        checks.add("fan", lambda: False)
        results = await checks.run(exclude=["ping", "other"])
        assert shown("readyz", results, ["other"]).splitlines() == [
            "[+]ping excluded: ok",
            "[+]database ok (two replicas)",
            "[-]disk failed: reason withheld",
            "[-]fan failed: reason withheld",
            "warn: some health checks cannot be excluded: no matches for other",
            "readyz check failed",
        ]
        with pytest.raises(CheckFailed, match="readyz failed: disk: it is full; fan: it says False"):
            await checks.require()

    asyncio.run(main())


def test_a_check_that_hangs_fails_and_holds_up_no_other() -> None:
    async def main() -> None:
        checks = Checks("healthz", answer_within=0.05)
        checks.add("stuck", lambda: asyncio.sleep(600))
        checks.add("stuck-too", lambda: asyncio.sleep(600))
        began = asyncio.get_running_loop().time()
        first, second = await checks.run()
        assert asyncio.get_running_loop().time() - began < 20
        assert first.failure == second.failure == "it did not end within 0.05 seconds"

        async def late() -> None:
            raise TimeoutError("the database is late")

        checks.add("own", late)
        (own,) = await checks.run(only=["own"])
        assert own.failure == "the database is late"

    asyncio.run(main())


@pytest.mark.parametrize("name", ["", "a/b", "a\n"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(ValueError, match="is no name for a check; it stands in a path: /healthz/<name>"):
        Checks("healthz").add(name, lambda: None)


def test_why_is_logged_when_it_changes(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        why = ["full"]
        checks = Checks("healthz")
        checks.add("disk", lambda: failing(why[0]) if why else None)
        for _ in range(3):
            await checks.run()
        why[0] = "gone"
        await checks.run()
        why.clear()
        await checks.run()
        await checks.run()

    caplog.set_level("INFO", "kubewright.controllers")
    asyncio.run(main())
    assert [record.getMessage() for record in caplog.records] == [
        "healthz: disk failed: full",
        "healthz: disk failed: gone",
        "healthz: disk is well again",
    ]


def test_a_manager_is_ready_when_its_caches_are_synced() -> None:
    async def test(client: Client) -> None:
        async with Manager(client, signals=False, health_address=ANY) as manager:
            at = manager.health_address
            assert await get(at, "/healthz") == (200, "ok", "text/plain; charset=utf-8")
            early = await get(at, "/readyz")
            assert (early.status, early.text.splitlines()) == (
                500,
                ["[-]informer-sync failed: reason withheld", "[+]shutdown ok", "readyz check failed"],
            )
            assert (await get(at, "/readyz/informer-sync")).text == (
                "internal server error: the manager does not run yet\n"
            )
            assert (await get(at, "/readyz?exclude=informer-sync")).status == 200
            manager.controller(ConfigMap, nothing)
            # Its kind is not served, and so waited for.
            manager.controller(Absent, nothing)
            running = asyncio.create_task(manager.run())
            await until(lambda: manager.controller_named("configmap").is_synced, "the first is synced")
            assert (await get(at, "/readyz/informer-sync")).text == (
                "internal server error: the caches of absent are not synced yet\n"
            )
            assert (await get(at, "/healthz")).status == 200
            manager.stop()
            # Who waits for a kind has no reconciles that could end first.
            await asyncio.wait_for(running, 20)

    on_a_cluster(test)


def test_ready_until_it_stops_and_served_until_all_has_ended() -> None:
    async def test(client: Client) -> None:
        begun, may_end = asyncio.Event(), asyncio.Event()

        async def reconcile(ctx: Context, request: Request) -> None:
            if request.name == "a":
                begun.set()
                await may_end.wait()

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with Manager(client, signals=False, health_address=ANY, metrics_address=ANY) as manager:
            # Equal texts are one server; with port 0 that is one port, too.
            assert manager.health_address == manager.metrics_address
            at = manager.health_address
            manager.controller(ConfigMap, reconcile)
            manager.add_ready_check("own", lambda: None)
            running = asyncio.create_task(manager.run())
            await begun.wait()
            assert (await get(at, "/readyz")).text == "ok"
            assert (await get(at, "/readyz?verbose")).text.splitlines() == [
                *("[+]informer-sync ok", "[+]shutdown ok", "[+]own ok", "readyz check passed"),
            ]
            await manager.ready()
            manager.stop()
            # A reconcile is under way: probes and metrics are answered, and Services leave it out.
            assert "[-]shutdown failed" in (await get(at, "/readyz")).text
            assert (await get(at, "/healthz?verbose")).text == "[+]ping ok\nhealthz check passed\n"
            assert "workqueue_depth" in await scraped(at)
            with pytest.raises(CheckFailed, match="readyz failed: shutdown: the manager stops"):
                await manager.ready()
            may_end.set()
            await running
            await manager.healthy()
            assert (await get(at, "/healthz")).status == 200
        with pytest.raises(OSError, match="Cannot connect"):
            await get(at, "/healthz")

    on_a_cluster(test)


def test_the_server_goes_after_all_else() -> None:
    async def test(client: Client) -> None:
        told: list[int] = []

        class LastClient(Client):
            async def close(self) -> None:
                told.append((await get(manager.health_address, "/healthz")).status)
                await super().close()

        manager = Manager(LastClient(client.config), signals=False, health_address=ANY)
        # What was made for a manager is closed by it, as a client that it makes itself.
        manager._owns_client = True  # type: ignore[misc]
        async with manager:
            pass
        assert told == [200]

    on_a_cluster(test)


def test_a_follower_is_ready_and_says_so() -> None:
    election = LeaderElection(name="shop", namespace="default")

    async def test(client: Client) -> None:
        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, nothing)

        options = {"leader_election": election, "health_address": ANY}
        async with managed(client, set_up, **options) as leader:
            await until(lambda: leader.controller_named("configmap").is_synced, "it leads and is synced")
            assert (
                "[+]leader-election ok (leads)" in (await get(leader.health_address, "/readyz?verbose")).text
            )
            async with managed(client, set_up, **options) as follower:
                runner = follower._runner
                await until(lambda: runner._elector and runner._elector.leader, "it knows who leads")
                got = await get(follower.health_address, "/readyz?verbose")
                assert got.status == 200
                assert "[+]leader-election ok (waits to lead)" in got.text

    on_a_cluster(test)


def test_checks_of_ones_own() -> None:
    async def test(client: Client) -> None:
        async with Manager(client, health_address=ANY) as manager:
            manager.add_health_check("disk", lambda: failing("it is full"))
            got = await get(manager.health_address, "/healthz")
            assert got.status == 500
            assert got.text == "[+]ping ok\n[-]disk failed: reason withheld\nhealthz check failed\n"
            one = await get(manager.health_address, "/healthz/disk")
            assert (one.status, one.text) == (500, "internal server error: it is full\n")
            assert (await get(manager.health_address, "/healthz/ping")).text == "ok"
            assert (await get(manager.health_address, "/healthz/none")).status == 404
            with pytest.raises(ValueError, match="there is a check 'shutdown' in readyz already"):
                manager.add_ready_check("shutdown", lambda: None)
            with pytest.raises(CheckFailed, match="healthz failed: disk: it is full"):
                await manager.healthy()

    on_a_cluster(test)


def test_a_webhook_server_answers_probes_on_its_own_port() -> None:
    async def test(client: Client) -> None:
        async with Manager(client, signals=False) as manager, WebhookServer() as webhooks:
            manager.add_ready_check("webhooks", lambda: webhooks.url)
            webhooks.add_probe("/healthz", manager.healthy)
            webhooks.add_probe("/readyz", manager.ready)
            async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=False)) as session:
                for path, expected in (("/healthz", 200), ("/readyz", 500)):
                    async with session.get(f"{webhooks.url}{path}") as answer:
                        assert answer.status == expected
                running = asyncio.create_task(manager.run())
                await asyncio.sleep(0)
                async with session.get(f"{webhooks.url}/readyz") as answer:
                    assert answer.status == 200
            manager.stop()
            await running

    on_a_cluster(test)


def test_a_loop_that_hangs_is_not_well() -> None:
    def probed(address: Address, patience: float) -> bytes:
        with socket.create_connection(address, timeout=patience) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            try:
                return connection.recv(100)
            except TimeoutError:
                return b"no answer"

    async def main() -> None:
        serving = Serving(Numbers(lambda: (), lambda: (), bool, ""), metrics_address="", health_address=ANY)
        async with AsyncExitStack() as stack:
            await serving.start(stack)
            at = parse_address(serving.health_address, "health_address")
            with ThreadPoolExecutor(1) as threads:
                well = asyncio.wrap_future(threads.submit(probed, at, PATIENCE))
                assert (await well).startswith(b"HTTP/1.1 200")
                # In the loop nothing runs meanwhile, as with a reconciler that waits without `await`.
                assert threads.submit(probed, at, 0.2).result() == b"no answer"

    asyncio.run(main())
