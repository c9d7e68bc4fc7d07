"""Sides that are compared: what comes late is waited for, and what differs is seen."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright import Client
from tests.cluster import differential
from tests.cluster.clusters import with_cluster
from tests.cluster.differential import Side, agreed, compared, created

CONFIG = [{"kind": "ConfigMap", "metadata": {"name": "config"}, "data": {"a": "b"}}]


async def sides_of(client: Client) -> tuple[Side, Side]:
    for name in ("here", "there"):
        await client.core_v1.namespaces().create({"metadata": {"name": name}})
    return Side(client, "here"), Side(client, "there")


def test_what_comes_late_is_waited_for() -> None:
    async def test(client: Client) -> None:
        here, there = await sides_of(client)
        await created(CONFIG)(here)
        looks = 0

        def seen_as(outcome: Any) -> Any:
            nonlocal looks
            looks += 1
            return outcome

        looking = asyncio.create_task(agreed((here, there), ["ConfigMap"], seen_as=seen_as))
        # It has looked at both more than once.
        while looks < 4:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
        assert not looking.done()
        await created(CONFIG)(there)
        mine, theirs = await looking
        assert mine == theirs
        assert [each["data"] for each in mine["ConfigMap"]] == [{"a": "b"}]

    with_cluster(test, "none")


def test_what_never_comes_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differential, "_LATE", 0.2)

    async def only_here(side: Side) -> None:
        if side.namespace == "here":
            await created(CONFIG)(side)

    async def test(client: Client) -> None:
        here, there = await sides_of(client)
        with pytest.raises(AssertionError, match=r"\+ConfigMap config data.a: 'b'"):
            await compared(here, there, [only_here], ["ConfigMap"])

    with_cluster(test, "none")
