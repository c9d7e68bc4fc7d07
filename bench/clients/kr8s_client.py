"""`kr8s`."""

from __future__ import annotations

from typing import Any

import kr8s.asyncio
from kr8s.asyncio.objects import ConfigMap, Pod

from bench.clients.flight import fly


async def listed(kubeconfig: str, namespace: str) -> Any:
    api = await kr8s.asyncio.api(kubeconfig=kubeconfig)
    return [pod async for pod in api.get("pods", namespace=namespace)]


async def gets(kubeconfig: str, namespace: str, name: str, count: int, flight: int) -> None:
    api = await kr8s.asyncio.api(kubeconfig=kubeconfig)

    async def get(_: int) -> None:
        assert (await Pod.get(name, namespace=namespace, api=api)).name == name

    await fly(get, count, flight)


async def creates(kubeconfig: str, namespace: str, pod: dict[str, Any], count: int, flight: int) -> None:
    api = await kr8s.asyncio.api(kubeconfig=kubeconfig)

    kind = Pod if pod["kind"] == "Pod" else ConfigMap

    async def create(number: int) -> None:
        named = f"{pod['metadata']['name']}-{number}"
        made = await kind(
            {**pod, "metadata": {**pod["metadata"], "name": named, "namespace": namespace}}, api=api
        )
        await made.create()

    await fly(create, count, flight)
