"""The programs in docs/operating.md work as written, and what it says is told is told."""

from __future__ import annotations

import ast
import asyncio
import io
import json
import logging
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kubewright.client.client import Client
from kubewright.controllers import logs
from kubewright.controllers.blocking import Block, report_begin, report_end
from kubewright.controllers.context import Context
from kubewright.controllers.denials import Denial
from kubewright.controllers.manager import Manager
from kubewright.controllers.outcomes import outcome_of
from kubewright.controllers.reconciling import Reconciling
from kubewright.controllers.reporting import report
from kubewright.controllers.requests import Request, Result
from kubewright.machinery.errors import NotFound
from kubewright.machinery.status import Status
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster
from tests.controllers.running import config_map, managed, on_a_cluster, until
from tests.controllers.scraping import get, scraped, value
from tests.controllers.test_metrics_served import OWN, UPSTREAM, UPSTREAM_WEBHOOKS

PAGE = (Path(__file__).parents[2] / "docs" / "operating.md").read_text()
MAIN, COUNTER, CHECKS, LOGGING = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def run(program: str, names: dict[str, Any]) -> None:
    ast.parse(program)
    exec(program, names)  # noqa: S102 - our own page


def shown_as(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)\n```", PAGE, re.DOTALL)


@pytest.fixture(autouse=True)
def as_before() -> Any:
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers


def test_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            monkeypatch.setenv("KUBECONFIG", cluster.kubeconfig)
            await client.api(ConfigMap, "default").create(config_map("a"))
            managers: list[Manager] = []

            async def reconcile(ctx: Context, request: Request) -> None:
                managers[0].stop()

            class Kept(Manager):
                def __init__(self, **options: Any) -> None:
                    super().__init__(**options)
                    managers.append(self)

            program = MAIN.replace('":8080"', '":0"').replace('":8081"', '"127.0.0.1:0"')
            names: dict[str, Any] = {"ConfigMap": ConfigMap, "reconcile": reconcile}
            run(program, names)
            names["Manager"] = Kept
            async with asyncio.timeout(30):
                await names["main"]()
            assert managers[0].metrics_address.startswith(":")

    asyncio.run(main())


def test_metrics_and_checks_of_ones_own() -> None:
    async def test(client: Client) -> None:
        address = "127.0.0.1:0"
        async with Manager(client, metrics_address=address, health_address=address) as manager:
            warehouse = SimpleNamespace(is_connected=False)

            async def check_disk() -> None:
                pass

            names: dict[str, Any] = {"manager": manager, "warehouse": warehouse, "check_disk": check_disk}
            run(COUNTER, names)
            run(CHECKS, names)
            assert value(await scraped(manager.metrics_address), "shop_sold_total", what="tea") == 1
            assert (await get(manager.health_address, "/healthz/disk")).text == "ok"
            assert (await get(manager.health_address, "/readyz/warehouse")).status == 500
            warehouse.is_connected = True
            assert (await get(manager.health_address, "/readyz/warehouse")).status == 200

    on_a_cluster(test)


def test_the_lines_that_are_shown() -> None:
    async def test(client: Client) -> None:
        names: dict[str, Any] = {"Context": Context, "Request": Request, "logging": logging}
        run(LOGGING, names)
        await client.api(ConfigMap, "default").create(config_map("a"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, names["reconcile"])):
            await until(lambda: "no tea is left" in stream.getvalue(), "it is logged")

    (text, *_), (shown,) = (shown_as(kind) for kind in ("text", "json"))
    stream = io.StringIO()
    logs.configure(stream=stream)
    on_a_cluster(test)
    (line,) = [each for each in stream.getvalue().splitlines() if "no tea" in each]
    hidden = r"\d{4}-\S+Z|[0-9a-f]{16}"
    assert re.sub(hidden, "*", line) == re.sub(hidden, "*", text)
    stream = io.StringIO()
    logs.configure(format="json", stream=stream)
    on_a_cluster(test)
    (record,) = [json.loads(each) for each in stream.getvalue().splitlines() if "no tea" in each]
    example = json.loads(shown)
    assert list(record) == list(example)
    changing = ("ts", "reconcileID")
    assert all(record[key] == example[key] for key in example if key not in changing)


def test_the_lines_of_reconciles() -> None:
    _, shown, *_ = shown_as("text")
    (level,) = re.findall(r'level="(info,.*?)"', PAGE)
    answers: list[tuple[object, float, float | None]] = [
        (None, 0.012, None),
        (Result(requeue_after=30), 0.0012, 30),
        (NotFound(Status(message="the server could not find the requested resource")), 0.0031, 0.005),
    ]
    stream = io.StringIO()
    logs.configure(stream=stream, level=level)
    for name, (returned, took, again) in zip("abc", answers, strict=True):
        of = Reconciling("configmap", "", "ConfigMap", "default", name, "0123456789abcdef")
        report(outcome_of(returned), of, duration=took, again=again)
    logs.configure()
    hidden = r"\d{4}-\S+Z|[0-9a-f]{16}"
    assert re.sub(hidden, "*", stream.getvalue().strip()) == re.sub(hidden, "*", shown)


SITE = Reconciling("site", "example.com", "Site", "default", "shop", "0123456789abcdef")


def lines_of(stream: io.StringIO) -> str:
    logs.configure()
    return re.sub(r"\d{4}-\S+Z|[0-9a-f]{16}", "*", stream.getvalue().strip())


def test_the_line_of_a_missing_right() -> None:
    _, _, shown, _ = shown_as("text")
    stream = io.StringIO()
    logs.configure(stream=stream)
    denial = Denial("system:serviceaccount:shop:operator", "patch", "example.com", "sites/status", "default")
    report(outcome_of(ValueError()), SITE, duration=0.0031, again=0.005, denial=denial)
    assert lines_of(stream) == re.sub(r"\d{4}-\S+Z|[0-9a-f]{16}", "*", shown)


def test_the_lines_of_a_blocked_loop() -> None:
    _, _, _, shown = shown_as("text")
    stream = io.StringIO()
    logs.configure(stream=stream)
    what = f"{SITE.controller}: the reconcile of {SITE.object}"
    block = Block(SITE.controller, what, "/app/shop/prices.py:12 in fetch", SITE.extra())
    report_begin(block, 1.0, None)
    report_end(block, 4.4)
    assert lines_of(stream) == re.sub(r"\d{4}-\S+Z|[0-9a-f]{16}", "*", shown)


def test_the_table_has_all_metrics() -> None:
    groups = "controller_runtime|workqueue|rest_client|leader_election|kubewright"
    told = set(re.findall(rf"`((?:{groups})_\w+)`", PAGE))
    families = UPSTREAM | UPSTREAM_WEBHOOKS | OWN
    served = {f"{name}_total" if kind == "counter" else name for name, (kind, _) in families.items()}
    assert told == served | {"controller_runtime_reconcile_panics_total"}
