"""Mappings that read a kind which no server has, while the manager is told to stop."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from kubewright import Resource, Struct, custom_resource
from kubewright.client.client import Client
from kubewright.controllers import Context, Manager, Request, Source
from kubewright.machinery.errors import NotSynced
from kubewright.models.core_v1 import ConfigMap, Secret
from tests.controllers.running import managed, on_a_cluster, until


class MissingSpec(Struct):
    size: int = 0


@custom_resource(group="missing.example.com", version="v1")
class Missing(Resource):
    """A kind that no server has."""

    spec: MissingSpec


async def reconcile(ctx: Context, request: Request) -> None:
    """Has nothing to do."""


@pytest.mark.parametrize("there_before", [True, False], ids=["at the start", "while it runs"])
def test_a_mapping_that_waits_is_let_go_of_without_a_word(
    caplog: pytest.LogCaptureFixture, there_before: bool
) -> None:
    let_go: list[NotSynced] = []

    async def test(client: Client) -> None:
        began = asyncio.Event()

        def set_up(manager: Manager) -> None:
            async def mapping(secret: Secret) -> list[Request]:
                began.set()
                try:
                    await manager.cached.api(Missing, "default").get(secret.metadata.name)
                except NotSynced as error:
                    let_go.append(error)
                    raise
                return []

            manager.controller(ConfigMap, reconcile, watches=[Source(Secret, mapping)])

        secrets = client.api(Secret, "default")
        if there_before:
            await secrets.create({"metadata": {"name": "a"}})
        async with managed(client, set_up) as manager:
            (controller,) = manager.controllers
            if not there_before:
                await until(lambda: controller.is_synced, "it is synced")
                await secrets.create({"metadata": {"name": "a"}})
            await began.wait()
            await until(lambda: "the informer of Missing" in caplog.text, "it is looked for")

    with caplog.at_level(logging.WARNING):
        on_a_cluster(test)
    assert let_go, "the mapping has not waited until the manager stopped"
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR] == []


def test_a_mapping_that_fails_is_told_of_also_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    """What it raises by itself is a mistake whenever it happens."""

    async def test(client: Client) -> None:
        began, go_on = asyncio.Event(), asyncio.Event()

        async def mapping(_: Secret) -> Any:
            began.set()
            await go_on.wait()
            raise RuntimeError("it is broken")

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile, watches=[Source(Secret, mapping)])

        async with Manager(client, signals=False) as manager:
            set_up(manager)
            running = asyncio.create_task(manager.run())
            await client.api(Secret, "default").create({"metadata": {"name": "a"}})
            await began.wait()
            manager.stop()
            await running
            go_on.set()
            await until(lambda: "it is broken" in caplog.text, "it is told of")

    on_a_cluster(test)
    assert "the mapping of Secret default/a failed" in caplog.text
