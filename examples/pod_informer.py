"""Pods in memory: a handler that is told of changes, a lister that reads, an index by node.

`python -m examples.pod_informer` runs on a cluster in the process, and ends by itself.
`python -m examples.pod_informer ~/.kube/config` follows the pods of your cluster, until Ctrl-C.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from kubewright import Client, ConfigError, Informers
from kubewright.config import load_config
from kubewright.informers import Change, Informer, Lister
from kubewright.models.core_v1 import Pod
from kubewright.testing import Cluster


def told(change: Change[Pod]) -> None:
    """A handler: told first of what is there, then of what happens, for each pod in order."""
    pod = change.object  # yours: change it as you like
    print(f"{change.type}: {change.key} on {pod.spec.node_name or 'no node'}, labels {pod.metadata.labels}")


def nodes(pods: Lister[Pod], *names: str) -> None:
    """What only reads asks for a lister. Nothing is sent to the server: all of this is in memory."""
    for name in names:
        print(f"{name} runs {', '.join(sorted(pod.metadata.name for pod in pods.by('node', name)))}")


async def follow(informers: Informers) -> Informer[Pod]:
    """Have an informer of all pods; whoever asks these informers for the same gets the same one."""
    pods = informers.of(Pod, index={"node": lambda pod: [pod.spec.node_name] if pod.spec.node_name else []})
    pods.on_change(told)
    await informers.synced()
    return pods


async def demo(client: Client, informers: Informers) -> None:
    """Write, wait until it is seen, and read from memory."""
    api = client.api(Pod, "default")
    for number in range(3):
        await api.create(pod(f"web-{number}", node=f"node-{number % 2}"))
    pods = await follow(informers)
    print(f"synced: {len(pods)} pods")
    nodes(pods, "node-0", "node-1")
    written = await api.patch("web-0", {"metadata": {"labels": {"canary": "yes"}}})
    await pods.seen(written)  # read-your-writes: now the memory is as new as what was written
    print(f"canaries: {pods.keys('default', labels='app=web,canary')}")
    await pods.seen(await api.create(pod("web-3", node="node-1")))
    deleted = asyncio.Event()
    pods.on_delete(lambda pod: deleted.set())
    await api.delete("web-1", grace_period=0)
    await deleted.wait()
    nodes(pods, "node-0", "node-1")


def pod(name: str, *, node: str) -> dict[str, Any]:
    """A pod that stands on a node already, so that it needs no scheduler."""
    containers = [{"name": "main", "image": "web:1"}]
    return {
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"nodeName": node, "containers": containers},
    }


async def main(kubeconfig: str | None) -> None:
    """Run on the cluster of a kubeconfig, or on one of our own."""
    if kubeconfig is not None:
        async with Client(load_config(kubeconfig=kubeconfig)) as client, Informers(client) as informers:
            await follow(informers)
            await asyncio.Event().wait()
    # Without controllers nothing happens to these pods but what happens here.
    async with (
        Cluster(controllers="none") as cluster,
        Client(cluster.config) as client,
        Informers(client) as informers,
    ):
        await demo(client, informers)


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
    except ConfigError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        pass
