"""The clock of an operator in a test stands still, and everything that waits follows it."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kubewright.client.client import Client
from kubewright.client.request import Request as SentRequest
from kubewright.client.sender import Hooks
from kubewright.controllers import Context, Manager, Request, Result, set_condition
from kubewright.controllers.status import status_of
from kubewright.models.core_v1 import ConfigMap, Event
from kubewright.testing import ManualClock, ReconcilesFailed, run_operator
from kubewright.workqueue import ExponentialBackoff
from tests.controllers.running import config_map, on_a_cluster
from tests.controllers.servers import App, AppStatus, Server, Setting, app, on

START = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


def reconciling(reconcile: Any, **options: Any) -> Any:
    """A setup function with one controller."""

    def set_up(manager: Manager) -> None:
        manager.controller(ConfigMap, reconcile, **options)

    return set_up


def test_requeue_after() -> None:
    async def test(client: Client) -> None:
        times: list[float] = []

        async def reconcile(ctx: Context, request: Request) -> Result:
            times.append((ctx.now() - START).total_seconds())
            return Result(requeue_after=10)

        await client.api(ConfigMap, "default").create(config_map("web"))
        async with run_operator(client, reconciling(reconcile), clock=ManualClock(date=START)) as operator:
            await operator.settled()
            operator.clock.advance(9.9)
            await operator.settled()
            assert times == [0]
            operator.clock.advance(0.1)
            await operator.settled()
            assert times == [0, 10]
            # From moment to moment, where the clock alone jumps.
            await operator.advance(35)
            assert times == [0, 10, 20, 30, 40]
            operator.clock.advance(60)
            await operator.settled()
            assert times == [0, 10, 20, 30, 40, 105]
            assert operator.clock.now() == START + timedelta(seconds=105)
            with pytest.raises(ValueError, match="0 or more"):
                await operator.advance(-1)

    on_a_cluster(test)


def test_retries_of_what_failed() -> None:
    async def test(client: Client) -> None:
        times: list[float] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            times.append((ctx.now() - START).total_seconds())
            if len(times) < 4:
                raise OSError("not yet")

        slowly: Any = ExponentialBackoff(first=1, longest=100)
        await client.api(ConfigMap, "default").create(config_map("web"))
        set_up = reconciling(reconcile, rate_limiter=slowly)
        async with run_operator(client, set_up, clock=ManualClock(date=START)) as operator:
            with pytest.raises(ReconcilesFailed, match="default/web: not yet"):
                await operator.settled()
            assert times == [0]
            with pytest.raises(ReconcilesFailed):
                await operator.advance(1)
            await operator.advance(60, allow_errors=True)
            assert times == [0, 1, 3, 7]
            assert operator.errors == []
            await operator.settled()

    on_a_cluster(test)


def test_the_rate_limit_of_all_retries() -> None:
    async def test(client: Client) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            raise OSError("never")

        for number in range(3):
            await client.api(ConfigMap, "default").create(config_map(f"n{number}"))
        async with run_operator(client, reconciling(reconcile)) as operator:
            await operator.settled(allow_errors=True)
            assert operator.reconciled() == 3
            # From 5 ms on, doubled each time: 0.005 * (2**n - 1) is reached n times.
            await operator.advance(0.02, allow_errors=True)
            assert operator.reconciled() == 9
            assert len(operator.errors) == 3

    on_a_cluster(test)


def test_resyncs() -> None:
    async def test(client: Client) -> None:
        times: list[float] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            times.append((ctx.now() - START).total_seconds())

        await client.api(ConfigMap, "default").create(config_map("web"))
        set_up = reconciling(reconcile, resync=300)
        async with run_operator(client, set_up, clock=ManualClock(date=START)) as operator:
            await operator.advance(299)
            assert times == [0]
            await operator.advance(1)
            assert times == [0, 300]
            operator.clock.advance(300)
            await operator.settled()
            assert times == [0, 300, 600]
            await operator.advance(3600)
            assert times == [300 * number for number in range(15)]

    on_a_cluster(test)


def test_times_of_conditions_and_events(server: Server) -> None:
    async def test(setting: Setting) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            found = await ctx.client.api(App, request.namespace).get(request.name)
            async with status_of(ctx, found):
                found.status = found.status or AppStatus()
                is_big = found.spec.size > 5
                if set_condition(found.status.conditions, "Big", is_big, reason="Measured"):
                    ctx.events.normal(found, "Measured", f"it is {found.spec.size}")
                    ctx.events.warning(found, "Counted", f"it counts {found.spec.size}")

        def set_up(manager: Manager) -> None:
            manager.controller(App, reconcile)

        async def look() -> tuple[str, datetime | None]:
            status = (await setting.apps.get("web")).status
            assert status is not None
            return status.conditions[0].status, status.conditions[0].last_transition_time

        clock = ManualClock(date=START)
        async with run_operator(
            setting.client, set_up, clock=clock, namespaces=setting.namespace
        ) as operator:
            await setting.apps.create(app("web", size=1))
            await operator.settled()
            assert await look() == ("False", START)
            await operator.advance(90)
            await setting.apps.patch("web", {"spec": {"size": 9}})
            await operator.settled()
            assert await look() == ("True", START + timedelta(seconds=90))
            # They are there, also those of one moment, and stand at their time.
            told = {
                (event.reason, event.message, event.last_timestamp)
                async for event in setting.client.api(Event, setting.namespace).list()
            }
            assert told == {
                ("Measured", "it is 1", START),
                ("Counted", "it counts 1", START),
                ("Measured", "it is 9", START + timedelta(seconds=90)),
                ("Counted", "it counts 9", START + timedelta(seconds=90)),
            }

    on(server, test)


def test_events_are_sent_when_it_has_settled() -> None:
    async def slowly(request: SentRequest) -> None:
        if request.path.endswith("/events"):
            await asyncio.sleep(0.1)

    async def test(client: Client) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            ctx.events.normal(await ctx.client.api(ConfigMap, "default").get("web"), "Seen", "it is there")

        await client.api(ConfigMap, "default").create(config_map("web"))
        async with (
            Client(client.config, hooks=Hooks(before=[slowly])) as slow,
            run_operator(slow, reconciling(reconcile)) as operator,
        ):
            await operator.settled()
            events = await client.api(Event, "default").list().to_list()
            assert [each.message for each in events] == ["it is there"]

    on_a_cluster(test)


def test_a_reconcile_that_takes_long_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            # It is as if it had taken so long.
            operator.clock.advance(61)
            await ctx.client.uncached.api(ConfigMap, "default").get("web")

        await client.api(ConfigMap, "default").create(config_map("web"))
        async with run_operator(client, reconciling(reconcile)) as operator:
            await operator.settled()
            assert "default/web has been running for 61 seconds" in caplog.text

    with caplog.at_level(logging.WARNING):
        on_a_cluster(test)


def test_the_clock_begins_now_and_needs_a_time_zone() -> None:
    before = datetime.now(UTC)
    clock = ManualClock()
    assert before - timedelta(seconds=1) <= clock.now() <= datetime.now(UTC)
    assert clock.now().microsecond == 0
    assert ManualClock(start=100, date=START).now() == START
    with pytest.raises(ValueError, match="time zone"):
        ManualClock(date=START.replace(tzinfo=None))


def test_moving_a_clock_to_its_next_call() -> None:
    clock = ManualClock()
    called: list[float] = []
    clock.call_at(0.1 + 0.2, lambda: called.append(clock.time()))
    gone = clock.call_at(0.1, lambda: called.append(-1))
    gone.cancel()
    assert clock.next_call == 0.1 + 0.2
    clock.advance_to(0.1 + 0.2)
    assert called == [0.1 + 0.2]
    assert not clock.pending
    with pytest.raises(ValueError, match="does not go back"):
        clock.advance_to(0.1)
