"""The official client, `kubernetes`; its calls block, so that threads make several of them at once."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from kubernetes import client, config

from bench.clients.flight import fly


async def listed(kubeconfig: str, namespace: str) -> Any:
    config.load_kube_config(kubeconfig)
    return client.CoreV1Api().list_namespaced_pod(namespace).items


async def gets(kubeconfig: str, namespace: str, name: str, count: int, flight: int) -> None:
    config.load_kube_config(kubeconfig)
    api = _api(flight)
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(flight) as pool:

        async def get(_: int) -> None:
            found = await loop.run_in_executor(pool, api.read_namespaced_pod, name, namespace)
            assert found.metadata.name == name

        await fly(get, count, flight)


async def creates(kubeconfig: str, namespace: str, pod: dict[str, Any], count: int, flight: int) -> None:
    config.load_kube_config(kubeconfig)
    api = _api(flight)
    loop = asyncio.get_running_loop()
    make = api.create_namespaced_pod if pod["kind"] == "Pod" else api.create_namespaced_config_map
    with ThreadPoolExecutor(flight) as pool:

        async def create(number: int) -> None:
            named = f"{pod['metadata']['name']}-{number}"
            body = {**pod, "metadata": {**pod["metadata"], "name": named}}
            made = await loop.run_in_executor(pool, make, namespace, body)
            assert made.metadata.uid

        await fly(create, count, flight)


def _api(flight: int) -> client.CoreV1Api:
    configuration = client.Configuration.get_default_copy()
    configuration.connection_pool_maxsize = flight
    return client.CoreV1Api(client.ApiClient(configuration))
