"""A controller with a work queue: each namespace gets a copy of the config map default/settings.

`python -m examples.workqueue_controller` runs on a cluster in the process, and ends by itself.
`python -m examples.workqueue_controller ~/.kube/config` runs on your cluster, until Ctrl-C.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

from kubewright import Client, ConfigError, Informer, Informers, KubewrightError
from kubewright.config import load_config
from kubewright.models.core_v1 import ConfigMap, Namespace
from kubewright.testing import Cluster
from kubewright.workqueue import ShutDown, WorkQueue


async def reconcile(
    client: Client, maps: Informer[ConfigMap], namespaces: Informer[Namespace], name: str
) -> None:
    """Bring one namespace into the state it should have, whatever has happened."""
    namespace, source, copy = namespaces.get(name), maps.get("default/settings"), maps.get(f"{name}/settings")
    if source is None or namespace is None or namespace.metadata.deletion_timestamp is not None:
        return
    if copy is None or copy.data != source.data:
        wanted = {"metadata": {"name": "settings"}, "data": source.data}
        written = await client.api(ConfigMap, name).apply(wanted, manager="settings", force=True)
        print(f"{name}: copied {source.data}")
        await maps.seen(written)  # so that the next look at this namespace sees it


async def work(
    client: Client, maps: Informer[ConfigMap], namespaces: Informer[Namespace], queue: WorkQueue[str]
) -> None:
    """One worker: takes what is to be done, one after the other, and again later what failed."""
    with suppress(ShutDown):
        while True:
            async with queue.take() as name:  # nobody else has it until the block ends
                try:
                    await reconcile(client, maps, namespaces, name)
                    queue.forget(name)
                except KubewrightError as error:
                    queue.add_rate_limited(name)  # after 5 ms, 10 ms, 20 ms, ...
                    print(f"{name}: try {queue.retries(name)} failed: {error}")


async def run(client: Client, queue: WorkQueue[str], *, workers: int = 2) -> None:
    """The controller, until the queue is shut down."""
    async with Informers(client) as informers, asyncio.TaskGroup() as tasks:
        namespaces, maps = informers.of(Namespace), informers.of(ConfigMap, fields="metadata.name=settings")

        def changed(key: str) -> None:
            for name in namespaces.keys() if key == "default/settings" else [key.partition("/")[0]]:
                queue.add(name)

        await informers.synced()  # or a worker would take what it does not know yet for missing
        namespaces.on_change(lambda change: queue.add(change.key))
        maps.on_change(lambda change: changed(change.key))
        for _ in range(workers):
            tasks.create_task(work(client, maps, namespaces, queue))


async def main(kubeconfig: str | None) -> None:
    """Run on the cluster of a kubeconfig, or on one of our own."""
    queue = WorkQueue[str](name="settings")
    if kubeconfig is not None:
        async with Client(load_config(kubeconfig=kubeconfig)) as client:
            await run(client, queue)
        return
    async with Cluster() as cluster, Client(cluster.config) as client, asyncio.TaskGroup() as tasks:
        tasks.create_task(run(client, queue))
        sources, copies = client.api(ConfigMap, "default"), client.api(ConfigMap, "shop")
        await client.api(Namespace).create({"metadata": {"name": "shop"}})
        await sources.create({"metadata": {"name": "settings"}, "data": {"sky": "blue"}})
        async for event in copies.watch(name="settings"):
            sky = event.object.data["sky"]
            if event.type == "ADDED" and sky == "blue":
                await sources.patch("settings", {"data": {"sky": "red"}})
            elif event.type == "MODIFIED":
                await copies.delete("settings")
            elif event.type == "ADDED":
                break
        await queue.drain()


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
    except ConfigError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        pass
