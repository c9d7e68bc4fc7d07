"""`lightkube`."""

from __future__ import annotations

from typing import Any

from lightkube import AsyncClient, KubeConfig
from lightkube.resources.core_v1 import ConfigMap, Pod

from bench.clients.flight import fly


def _client(kubeconfig: str, namespace: str) -> AsyncClient:
    return AsyncClient(config=KubeConfig.from_file(kubeconfig), namespace=namespace)


async def listed(kubeconfig: str, namespace: str) -> Any:
    return [pod async for pod in _client(kubeconfig, namespace).list(Pod)]


async def gets(kubeconfig: str, namespace: str, name: str, count: int, flight: int) -> None:
    client = _client(kubeconfig, namespace)

    async def get(_: int) -> None:
        found = await client.get(Pod, name)
        assert found.metadata is not None
        assert found.metadata.name == name

    await fly(get, count, flight)


async def creates(kubeconfig: str, namespace: str, pod: dict[str, Any], count: int, flight: int) -> None:
    client = _client(kubeconfig, namespace)
    kind = Pod if pod["kind"] == "Pod" else ConfigMap

    async def create(number: int) -> None:
        named = f"{pod['metadata']['name']}-{number}"
        made = await client.create(kind.from_dict({**pod, "metadata": {**pod["metadata"], "name": named}}))
        assert made.metadata is not None
        assert made.metadata.uid

    await fly(create, count, flight)
