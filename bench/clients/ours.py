"""kubewright."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aiohttp  # noqa: F401 - the client loads it with its first request; the others have all they need by now

from bench.clients.flight import fly
from kubewright.client.client import Client
from kubewright.config import config_from_kubeconfig
from kubewright.models.core_v1 import ConfigMap, Pod


def _client(kubeconfig: str) -> Client:
    return Client(config_from_kubeconfig(Path(kubeconfig).read_text()))


async def listed(kubeconfig: str, namespace: str) -> Any:
    async with _client(kubeconfig) as client:
        return await client.api(Pod, namespace).list().to_list()


async def gets(kubeconfig: str, namespace: str, name: str, count: int, flight: int) -> None:
    async with _client(kubeconfig) as client:
        pods = client.api(Pod, namespace)

        async def get(_: int) -> None:
            assert (await pods.get(name)).metadata.name == name

        await fly(get, count, flight)


async def creates(kubeconfig: str, namespace: str, pod: dict[str, Any], count: int, flight: int) -> None:
    async with _client(kubeconfig) as client:
        objects = client.api(Pod if pod["kind"] == "Pod" else ConfigMap, namespace)

        async def create(number: int) -> None:
            named = f"{pod['metadata']['name']}-{number}"
            made = await objects.create({**pod, "metadata": {**pod["metadata"], "name": named}})
            assert made.metadata.uid

        await fly(create, count, flight)
