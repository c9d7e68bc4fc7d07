"""`kubernetes_asyncio`, the official client's async twin."""

from __future__ import annotations

from typing import Any

from kubernetes_asyncio import client, config

from bench.clients.flight import fly


async def listed(kubeconfig: str, namespace: str) -> Any:
    await config.load_kube_config(kubeconfig)
    async with client.ApiClient() as api:
        return (await client.CoreV1Api(api).list_namespaced_pod(namespace)).items


async def gets(kubeconfig: str, namespace: str, name: str, count: int, flight: int) -> None:
    await config.load_kube_config(kubeconfig)
    async with client.ApiClient() as api:
        pods = client.CoreV1Api(api)

        async def get(_: int) -> None:
            assert (await pods.read_namespaced_pod(name, namespace)).metadata.name == name

        await fly(get, count, flight)


async def creates(kubeconfig: str, namespace: str, pod: dict[str, Any], count: int, flight: int) -> None:
    await config.load_kube_config(kubeconfig)
    async with client.ApiClient() as api:
        pods = client.CoreV1Api(api)

        make = pods.create_namespaced_pod if pod["kind"] == "Pod" else pods.create_namespaced_config_map

        async def create(number: int) -> None:
            named = f"{pod['metadata']['name']}-{number}"
            body = {**pod, "metadata": {**pod["metadata"], "name": named}}
            assert (await make(namespace, body)).metadata.uid

        await fly(create, count, flight)
