"""What a manager serves, read over a socket as Prometheus and the kubelet read it."""

from __future__ import annotations

from typing import NamedTuple

import aiohttp
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

__all__ = ["Got", "get", "scraped", "value"]


class Got(NamedTuple):
    """An answer."""

    status: int
    text: str
    content_type: str


async def get(address: str, path: str, *, method: str = "GET") -> Got:
    """Ask for a page, on a connection of its own."""
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, f"http://{address}{path}") as answer,
    ):
        return Got(answer.status, await answer.text(), answer.headers.get("Content-Type", ""))


async def scraped(address: str) -> dict[str, Metric]:
    """The families of /metrics by name, as Prometheus' own parser for Python reads them."""
    got = await get(address, "/metrics")
    assert got.status == 200
    assert got.content_type == "text/plain; version=0.0.4; charset=utf-8"
    return {family.name: family for family in text_string_to_metric_families(got.text)}


def value(families: dict[str, Metric], sample: str, **labels: str) -> float:
    """The value of one series."""
    found = [
        each.value
        for family in families.values()
        for each in family.samples
        if each.name == sample and each.labels == labels
    ]
    assert len(found) == 1, (sample, labels, found)
    return found[0]
