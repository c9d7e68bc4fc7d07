"""Metrics of a manager that runs, scraped over a socket."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys

import pytest
from prometheus_client import Counter, Metric

from kubewright.client.client import Client
from kubewright.controllers.context import Context
from kubewright.controllers.leader_election import LeaderElection
from kubewright.controllers.manager import Manager
from kubewright.controllers.metric_families import bound
from kubewright.controllers.metrics import RECONCILE_BUCKETS
from kubewright.controllers.requests import Request, Result, Terminal
from kubewright.controllers.sources import LOW_PRIORITY
from kubewright.machinery.errors import Conflict
from kubewright.models.core_v1 import ConfigMap
from tests.controllers.running import config_map, managed, on_a_cluster, until
from tests.controllers.scraping import get, scraped, value

UPSTREAM = {
    "controller_runtime_reconcile": ("counter", {"controller", "result"}),
    "controller_runtime_reconcile_errors": ("counter", {"controller"}),
    "controller_runtime_terminal_reconcile_errors": ("counter", {"controller"}),
    "controller_runtime_reconcile_timeouts": ("counter", {"controller"}),
    "controller_runtime_reconcile_time_seconds": ("histogram", {"controller"}),
    "controller_runtime_max_concurrent_reconciles": ("gauge", {"controller"}),
    "controller_runtime_active_workers": ("gauge", {"controller"}),
    "workqueue_depth": ("gauge", {"name", "controller", "priority"}),
    "workqueue_adds": ("counter", {"name", "controller"}),
    "workqueue_queue_duration_seconds": ("histogram", {"name", "controller"}),
    "workqueue_work_duration_seconds": ("histogram", {"name", "controller"}),
    "workqueue_unfinished_work_seconds": ("gauge", {"name", "controller"}),
    "workqueue_longest_running_processor_seconds": ("gauge", {"name", "controller"}),
    "workqueue_retries": ("counter", {"name", "controller"}),
    "rest_client_requests": ("counter", {"code", "method", "host"}),
    "leader_election_master_status": ("gauge", {"name"}),
}
"""controller-runtime's families (in August 2026), counters without their `_total`, that mean the same here.

Left out: controller_runtime_reconcile_panics_total (what a reconciler raises is an error here),
controller_runtime_conversion_webhook_* and certwatcher_*, and go_*.
"""

UPSTREAM_WEBHOOKS = {
    "controller_runtime_webhook_requests": ("counter", {"webhook", "code"}),
    "controller_runtime_webhook_latency_seconds": ("histogram", {"webhook"}),
    "controller_runtime_webhook_requests_in_flight": ("gauge", {"webhook"}),
}
"""The same, for managers with webhooks."""

PROCESS = {
    "process_cpu_seconds",
    "process_resident_memory_bytes",
    "process_open_fds",
    "process_start_time_seconds",
}
"""Of those that Go's and Python's collectors of the process have both."""

OWN = {
    "kubewright_event_loop_blocks": ("counter", {"controller"}),
    "kubewright_event_loop_blocked_seconds": ("counter", {"controller"}),
}
"""What a program has that runs in one event loop, and Go's does not."""

ELECTION = LeaderElection(name="shop", namespace="default")


async def nothing(ctx: Context, request: Request) -> None:
    """A reconciler without work."""


def labels_of(family: Metric) -> set[str]:
    return {label for sample in family.samples for label in sample.labels} - {"le"}


def test_names_types_and_labels_are_those_of_controller_runtime() -> None:
    async def test(client: Client) -> None:
        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, nothing)

        options = {"metrics_address": "127.0.0.1:0", "leader_election": ELECTION}
        async with managed(client, set_up, **options) as manager:
            controller = manager.controller_named("configmap")
            await until(lambda: controller.is_synced, "it is synced")
            families = await scraped(manager.metrics_address)
        ours = {
            name: (family.type, labels_of(family))
            for name, family in families.items()
            if not name.startswith(("process_", "python_"))
        }
        assert ours == UPSTREAM | OWN
        assert families.keys() >= PROCESS
        assert value(families, "leader_election_master_status", name="shop") == 1

    on_a_cluster(test)


def test_what_is_counted() -> None:
    async def test(client: Client) -> None:
        seen: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            seen.append(request.name)
            first = seen.count(request.name) == 1
            match request.name:
                case "later":
                    return Result(requeue_after=600)
                case "wrong":
                    raise Terminal("it cannot be")
                case "failing" if first:
                    raise OSError("for once")
                case "changed" if first:
                    raise Conflict("it has changed")
                case "slow" if first:
                    await asyncio.sleep(600)
            return None

        for name in ("good", "later", "wrong", "failing", "changed", "slow"):
            await client.api(ConfigMap, "shop").create({"metadata": {"name": name}})

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile, name="shop", workers=3, timeout=0.05)

        options = {"metrics_address": "127.0.0.1:0", "namespaces": "shop"}
        async with managed(client, set_up, **options) as manager:
            controller = manager.controller_named("shop")
            await until(lambda: len(seen) == 9 and not controller.running, "all are done")
            families = await scraped(manager.metrics_address)

        def told(sample: str, **labels: str) -> float:
            return value(families, f"controller_runtime_{sample}", controller="shop", **labels)

        results = ("success", "requeue_after", "requeue", "error")
        # good and the second time of three; later; changed; wrong, failing and slow
        assert [told("reconcile_total", result=each) for each in results] == [4, 1, 1, 3]
        assert told("reconcile_errors_total") == 3
        assert told("terminal_reconcile_errors_total") == 1
        assert told("reconcile_timeouts_total") == 1
        assert told("max_concurrent_reconciles") == 3
        assert told("active_workers") == 0
        assert told("reconcile_time_seconds_count") == 9
        assert told("reconcile_time_seconds_bucket", le="+Inf") == 9
        assert told("reconcile_time_seconds_bucket", le="0.025") <= 8
        assert told("reconcile_time_seconds_sum") > 0.05
        queue = {"name": "shop", "controller": "shop"}
        assert value(families, "workqueue_adds_total", **queue) == 9
        assert value(families, "workqueue_retries_total", **queue) == 4
        assert value(families, "workqueue_work_duration_seconds_count", **queue) == 9
        assert value(families, "workqueue_depth", **queue, priority="0") == 0

    async def with_namespace(client: Client) -> None:
        await client.core_v1.namespaces().create({"metadata": {"name": "shop"}})
        await test(client)

    on_a_cluster(with_namespace)


def test_what_is_under_way() -> None:
    async def test(client: Client) -> None:
        begun, may_end = asyncio.Event(), asyncio.Event()

        async def reconcile(ctx: Context, request: Request) -> None:
            begun.set()
            await may_end.wait()

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile)

        maps = client.api(ConfigMap, "default")
        for name in "ab":
            await maps.create(config_map(name))
        async with managed(client, set_up, metrics_address="127.0.0.1:0") as manager:
            await begun.wait()
            queue = manager.controller_named("configmap").queue
            await until(lambda: len(queue) == 1, "the other one waits")
            queue.add(Request("default", "c"), priority=7)
            families = await scraped(manager.metrics_address)
            name = {"name": "configmap", "controller": "configmap"}
            assert value(families, "controller_runtime_active_workers", controller="configmap") == 1
            assert value(families, "workqueue_depth", **name, priority="7") == 1
            assert value(families, "workqueue_depth", **name, priority=str(LOW_PRIORITY)) == 1
            assert value(families, "workqueue_depth", **name, priority="0") == 0
            assert value(families, "workqueue_unfinished_work_seconds", **name) > 0
            may_end.set()
            await until(lambda: not len(queue), "all are done")
            families = await scraped(manager.metrics_address)
            # A series that was there goes to 0, and does not end.
            assert value(families, "workqueue_depth", **name, priority="7") == 0

    on_a_cluster(test)


def test_priorities_that_are_too_many_are_one_series() -> None:
    async def test(client: Client) -> None:
        async with Manager(client, metrics_address="127.0.0.1:0") as manager:
            queue = manager.controller(ConfigMap, nothing).queue
            for number in range(40):
                queue.add(Request("", f"n{number}"), priority=number)
            depth = (await scraped(manager.metrics_address))["workqueue_depth"]
            assert len(depth.samples) == 26
            assert sum(sample.value for sample in depth.samples) == 40
            rest = [each for each in depth.samples if each.labels["priority"] == "exceeded_cardinality_limit"]
            assert [each.value for each in rest] == [15]

    on_a_cluster(test)


def test_requests_of_the_client_by_code_method_and_host() -> None:
    async def test(client: Client) -> None:
        host = client.config.server.removeprefix("http://").removeprefix("https://")
        async with Manager(client, metrics_address="127.0.0.1:0") as manager:
            for name in "abc":
                await client.api(ConfigMap, "default").create(config_map(name))
            families = await scraped(manager.metrics_address)
        assert value(families, "rest_client_requests_total", code="201", method="POST", host=host) == 3

    on_a_cluster(test)


def test_bounds_are_spelled_as_go_spells_them() -> None:
    assert [bound(each) for each in (0.005, 1.0, 1.25, 5, 60, 1000.0, math.inf)] == [
        *("0.005", "1", "1.25", "5", "60", "1000", "+Inf"),
    ]
    # strconv.FormatFloat(1e-08, 'g', -1, 64), and of what multiplying it up gives.
    assert bound(10e-9) == "1e-08"
    assert bound(9.999999999999999e-06) == "9.999999999999999e-06"
    assert len(RECONCILE_BUCKETS) == 40


def test_metrics_of_ones_own() -> None:
    async def test(client: Client) -> None:
        async with Manager(client, metrics_address="127.0.0.1:0") as manager:
            sold = Counter("shop_sold", "What was sold.", ["what"], registry=manager.registry)
            sold.labels("tea").inc(3)
            assert value(await scraped(manager.metrics_address), "shop_sold_total", what="tea") == 3
            with pytest.raises(ValueError, match="Duplicated timeseries"):
                Counter("workqueue_adds", "Taken.", registry=manager.registry)

    on_a_cluster(test)


def test_a_follower_says_that_it_does_not_lead() -> None:
    async def test(client: Client) -> None:
        async with managed(client, lambda manager: None, leader_election=ELECTION) as leader:
            await until(leader._runner.leads, "the first one leads")
            options = {"leader_election": ELECTION, "metrics_address": "127.0.0.1:0"}
            async with managed(client, lambda manager: None, **options) as follower:
                families = await scraped(follower.metrics_address)
                assert value(families, "leader_election_master_status", name="shop") == 0

    on_a_cluster(test)


def test_nothing_is_served_or_loaded_unless_asked_for() -> None:
    program = (
        "import sys, kubewright.controllers.manager\n"
        "assert 'prometheus_client' not in sys.modules, 'prometheus_client'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)

    async def test(client: Client) -> None:
        async with Manager(client) as manager:
            assert (manager.metrics_address, manager.health_address) == ("", "")
        async with Manager(client, metrics_address="0", health_address="0") as manager:
            assert (manager.metrics_address, manager.health_address) == ("", "")
        async with Manager(client, metrics_address="127.0.0.1:0") as manager:
            assert (await get(manager.metrics_address, "/healthz")).status == 404
            assert (await get(manager.metrics_address, "/metrics/more")).status == 404

    on_a_cluster(test)
