"""What a manager's `/metrics` tells of its webhooks."""

from __future__ import annotations

import asyncio

import pytest

from kubewright.client.client import Client
from kubewright.controllers.manager import Manager
from kubewright.machinery.errors import ApiError
from kubewright.models.core_v1 import ConfigMap
from kubewright.webhooks import Denied, Review, WebhookServer, validating
from kubewright.webhooks.installation import install
from tests.controllers.running import config_map, managed, on_a_cluster, until
from tests.controllers.scraping import scraped, value
from tests.controllers.test_metrics_served import UPSTREAM_WEBHOOKS

PATH = "/validate--v1-configmap"
NAMES = tuple(UPSTREAM_WEBHOOKS)


def test_reviews_are_counted() -> None:
    async def test(client: Client) -> None:
        under_way, go_on = asyncio.Event(), asyncio.Event()

        @validating(ConfigMap, failure_policy="Ignore")
        async def check(review: Review[ConfigMap]) -> None:
            match review.name:
                case "denied":
                    raise Denied("no")
                case "broken":
                    raise ValueError("a mistake in it")
                case "slow":
                    under_way.set()
                    await go_on.wait()

        server = WebhookServer()

        def set_up(manager: Manager) -> None:
            manager.webhook(check)

        async with managed(client, set_up, webhooks=server, metrics_address="127.0.0.1:0") as manager:
            maps = client.api(ConfigMap, "default")
            families = await scraped(manager.metrics_address)
            for code in ("200", "500"):
                assert value(families, f"{NAMES[0]}_total", webhook=PATH, code=code) == 0
            await until(lambda: server._bound, "the webhooks are served")
            await install(client, server, name="checks")
            await maps.create(config_map("fine"))
            await maps.create(config_map("broken"))  # Which is ignored.
            with pytest.raises(ApiError):
                await maps.create(config_map("denied"))
            slow = asyncio.create_task(maps.create(config_map("slow")))
            await under_way.wait()
            families = await scraped(manager.metrics_address)
            assert value(families, f"{NAMES[0]}_total", webhook=PATH, code="200") == 2
            assert value(families, f"{NAMES[0]}_total", webhook=PATH, code="500") == 1
            assert value(families, NAMES[2], webhook=PATH) == 1
            go_on.set()
            await slow
            families = await scraped(manager.metrics_address)
            assert value(families, f"{NAMES[0]}_total", webhook=PATH, code="200") == 3
            assert value(families, NAMES[2], webhook=PATH) == 0
            for name, (kind, labels) in UPSTREAM_WEBHOOKS.items():
                assert families[name].type == kind
                assert {frozenset(each.labels) - {"le"} for each in families[name].samples} == {
                    frozenset(labels)
                }
            latency = families[NAMES[1]]
            assert value(families, f"{NAMES[1]}_count", webhook=PATH) == 4
            assert 0 < value(families, f"{NAMES[1]}_sum", webhook=PATH) < 60
            # controller-runtime's, with the rounding errors of Go.
            bounds = [each.labels["le"] for each in latency.samples if each.name.endswith("_bucket")]
            assert bounds == [
                *("1e-08", "1e-07", "1e-06", "9.999999999999999e-06", "9.999999999999999e-05"),
                *("0.001", "0.01", "0.1", "1", "10", "100", "1000", "+Inf"),
            ]
            assert value(families, f"{NAMES[1]}_bucket", webhook=PATH, le="1000") == 4

    on_a_cluster(test)


def test_a_manager_without_webhooks_tells_nothing_of_them() -> None:
    async def test(client: Client) -> None:
        async with Manager(client, signals=False, metrics_address="127.0.0.1:0") as manager:
            assert not set(NAMES) & (await scraped(manager.metrics_address)).keys()

    on_a_cluster(test)
