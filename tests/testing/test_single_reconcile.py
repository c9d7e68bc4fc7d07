"""`reconcile_once`: a reconciler without a manager."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright.client.client import Client
from kubewright.controllers import Context, Request, Result, set_condition
from kubewright.controllers.status import status_of
from kubewright.models.core_v1 import ConfigMap, Event
from kubewright.testing import ManualClock, reconcile_once
from tests.controllers.running import config_map, on_a_cluster
from tests.controllers.servers import App, AppStatus, Server, Setting, app, on

WEB = Request("default", "web")


def test_what_it_returns_and_raises() -> None:
    async def test(client: Client) -> None:
        async def later(ctx: Context, request: Request) -> Result:
            assert (ctx.request, request) == (WEB, WEB)
            return Result(requeue_after=5)

        async def never(ctx: Context, request: Request) -> None:
            return None

        async def fails(ctx: Context, request: Request) -> None:
            raise ValueError("it is wrong")

        async def babbles(ctx: Context, request: Request) -> Any:
            return 5

        assert await reconcile_once(client, later, WEB) == Result(requeue_after=5)
        assert await reconcile_once(client, never, WEB) is None
        with pytest.raises(ValueError, match="it is wrong"):
            await reconcile_once(client, fails, WEB)
        with pytest.raises(TypeError, match="None or a Result"):
            await reconcile_once(client, babbles, WEB)
        # An object stands for its request.
        assert await reconcile_once(client, later, config_map("web")) is not None

    on_a_cluster(test)


def test_it_sees_what_it_has_just_written() -> None:
    async def test(client: Client) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            maps = ctx.client.api(ConfigMap, request.namespace)
            for number in range(20):
                found = await maps.get(request.name)
                found.data = {"n": str(number)}
                await maps.update(found)
            assert [each.data async for each in maps.list()] == [{"n": "19"}]

        await client.api(ConfigMap, "default").create(config_map("web"))
        await reconcile_once(client, reconcile, WEB)
        assert (await client.api(ConfigMap, "default").get("web")).data == {"n": "19"}

    on_a_cluster(test)


def test_its_clock_and_events(server: Server) -> None:
    async def test(setting: Setting) -> None:
        clock = ManualClock(date=datetime(2030, 1, 1, tzinfo=UTC))

        async def reconcile(ctx: Context, request: Request) -> None:
            found = await ctx.client.api(App, request.namespace).get(request.name)
            assert ctx.now() == clock.now()
            async with status_of(ctx, found):
                found.status = AppStatus()
                set_condition(found.status.conditions, "Ready", True, reason="Done")
            ctx.events.normal(found, "Done", "it is done")

        made = await setting.apps.create(app("web"))
        await reconcile_once(setting.client, reconcile, made, clock=clock)
        status = (await setting.apps.get("web")).status
        assert status is not None
        assert status.conditions[0].last_transition_time == clock.now()
        events = await setting.client.api(Event, setting.namespace).list().to_list()
        assert [(each.message, each.last_timestamp) for each in events] == [("it is done", clock.now())]

    on(server, test)


def test_its_indexes() -> None:
    async def test(client: Client) -> None:
        found: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            maps = ctx.client.api(ConfigMap, request.namespace)
            found.extend(each.metadata.name for each in await maps.by("color", "red"))

        for name, color in {"a": "red", "b": "blue", "c": "red"}.items():
            await client.api(ConfigMap, "default").create(config_map(name, color=color))
        index: Any = {ConfigMap: {"color": lambda each: [each.data.get("color", "")]}}
        await reconcile_once(client, reconcile, WEB, index=index)
        assert sorted(found) == ["a", "c"]
        with pytest.raises(LookupError, match="color"):
            await reconcile_once(client, reconcile, WEB)

    on_a_cluster(test)
