"""The steps of the demo: one pod, three, one again, none; and what a view is told of them."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

from examples.custompod.live import PodRow, Told, View, view_on
from examples.custompod.story import WITHIN, install_definition, operating
from examples.custompod.types import CustomPod, CustomPodStatus
from kubewright import Client, Informers, Manager, ObjectMeta, OwnerReference
from kubewright.informers import Change
from kubewright.models.core_v1 import ConfigMap, Pod
from kubewright.testing import Cluster
from kubewright.webhooks import Review, defaulting

__all__ = ["demonstrate"]

SAMPLE: Final = Path(__file__).parent / "sample.yaml"
NAMESPACE: Final = "default"
NODES: Final = 3
"""So many that pods are seen on different ones."""
NOTES: Final = "web-notes"
"""A config map that the CustomPod owns, and of which its operator knows nothing."""
PACE: Final = {"start-after": "700ms", "ready-after": "500ms", "stop-after": "1s"}
"""What pretended nodes do at once takes so long here that each phase of a pod can be seen."""


def slow_pods(manager: Manager) -> None:
    """Have the containers of pods take the time that real ones take; docs/cluster.md has the annotations."""

    # In here, so that `kubewright manifests` does not take it for a part of the operator.
    @defaulting(Pod, operations=["CREATE"], failure_policy="Ignore")
    async def take_time(review: Review[Pod]) -> None:
        for name, value in PACE.items():
            review.object.metadata.annotations.setdefault(f"kubelet.kubewright.dev/{name}", value)

    manager.webhook(take_time)


async def demonstrate(*, stay: bool) -> None:
    """The whole demo, on standard output; with `stay` it lasts until it is cancelled."""
    view, begun = view_on(sys.stdout), time.monotonic()
    logging.basicConfig(handlers=[Told(view)], format="%(message)s", level=logging.WARNING)
    async with Cluster(nodes=NODES) as cluster, Client(cluster.config) as client:
        version, seconds = await client.version(), time.monotonic() - begun
        kubernetes = f"Kubernetes {version.major}.{version.minor}"
        view.say(f"a cluster in this process: {cluster.url}, {kubernetes}, up in {seconds:.1f} s")
        await install_definition(client, view.say)
        async with operating(client, slow_pods), Informers(client) as informers:
            view.say("its operator runs; pods take a second to start and to stop here, to be seen")
            objects = Objects(view, informers)
            await informers.synced(timeout=WITHIN)
            async with ticking(view):
                await steps(client, view, objects)
                if stay:
                    view.step("the cluster stays until Ctrl-C, and the table goes on")
                    view.say(how_to_go_on_here(cluster.kubeconfig))
                    await asyncio.Event().wait()
    view.end(how_to_go_on())


class Objects:
    """What there is, as informers have it; a view is told of each change."""

    def __init__(self, view: View, informers: Informers) -> None:
        self._view: Final = view
        self._changed: Final = asyncio.Event()
        self.pods: Final[dict[str, PodRow]] = {}
        self.others: Final[dict[str, CustomPod | ConfigMap]] = {}
        """CustomPods, and config maps that have an owner, by their kinds and names."""
        informers.of(Pod, NAMESPACE).on_change(self._of_pod)
        informers.of(CustomPod, NAMESPACE).on_change(self._of_custom_pod)
        informers.of(ConfigMap, NAMESPACE).on_change(self._of_config_map)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until the view was told of what a function is true for. Raises TimeoutError."""
        async with asyncio.timeout(WITHIN):
            while not is_so():
                self._changed.clear()
                await self._changed.wait()

    def _of_pod(self, change: Change[Pod]) -> None:
        name, new = change.object.metadata.name, change.new
        if new is None:
            self.pods.pop(name, None)
        else:
            self.pods[name] = row_of(new)
        self._view.pod(name, self.pods.get(name))
        self._changed.set()

    def _of_custom_pod(self, change: Change[CustomPod]) -> None:
        new = change.new
        self._of_other(f"custompod/{change.object.metadata.name}", new, said_of(new) if new else None)

    def _of_config_map(self, change: Change[ConfigMap]) -> None:
        if owners := change.object.metadata.owner_references:
            said = f"owned by {owners[0].name}, of which the operator knows nothing" if change.new else None
            self._of_other(f"configmap/{change.object.metadata.name}", change.new, said)

    def _of_other(self, name: str, new: CustomPod | ConfigMap | None, said: str | None) -> None:
        if new is None:
            self.others.pop(name, None)
        else:
            self.others[name] = new
        self._view.note(name, said)
        self._changed.set()


def row_of(pod: Pod) -> PodRow:
    """A pod as kubectl shows it."""
    meta, statuses = pod.metadata, pod.status.container_statuses
    phase = pod.status.phase if meta.deletion_timestamp is None else "Terminating"
    ready = f"{sum(each.ready for each in statuses)}/{len(pod.spec.containers)}"
    assert meta.creation_timestamp is not None  # noqa: S101 - what a server has was created
    return PodRow(meta.name, phase, ready, pod.spec.node_name or "<none>", meta.creation_timestamp)


def said_of(wanted: CustomPod) -> str:
    """A CustomPod in words."""
    if wanted.metadata.deletion_timestamp is not None:
        return f"being deleted, kept by {', '.join(wanted.metadata.finalizers) or 'nothing'}"
    status = wanted.status or CustomPodStatus()
    return f"{wanted.spec.replicas} wanted, {status.replicas} there, {status.ready_replicas} ready"


async def steps(client: Client, view: View, objects: Objects) -> None:
    """The story: each step lasts until all is as it should be, and a little longer for those who look."""
    cpods, web = client.api(CustomPod, NAMESPACE), CustomPod.from_yaml(SAMPLE.read_text())
    for replicas in (1, 3, 1):
        view.step(f"apply {_from_here(SAMPLE)} with replicas: {replicas}")
        web.spec.replicas = replicas
        applied = await cpods.apply(web, manager="kubewright-demo")
        await objects.until(partial(has_settled, objects, replicas))
        if f"configmap/{NOTES}" not in objects.others:
            await client.api(ConfigMap, NAMESPACE).create(notes_of(applied))
            await objects.until(lambda: f"configmap/{NOTES}" in objects.others)
        await asyncio.sleep(view.pause)
    view.step("delete web: the operator deletes its pods, and then takes its finalizer away")
    await cpods.delete("web")
    await objects.until(lambda: "custompod/web" not in objects.others)
    view.say("  web is gone, after its pods; the garbage collector deletes what else it owned")
    await objects.until(lambda: not objects.others and not objects.pods)
    view.say(f"  {NOTES} is gone")


def notes_of(web: CustomPod) -> ConfigMap:
    """Something that a CustomPod owns, and that its operator does not delete."""
    owner = OwnerReference(
        api_version=web.api_version, kind=web.kind, name=web.metadata.name, uid=web.metadata.uid
    )
    return ConfigMap(metadata=ObjectMeta(name=NOTES, owner_references=[owner]))


def has_settled(objects: Objects, replicas: int) -> bool:
    """Whether the pods are there and ready, and the status says so, with none left that terminates."""
    web = objects.others.get("custompod/web")
    status = (web.status if isinstance(web, CustomPod) else None) or CustomPodStatus()
    ready = [row for row in objects.pods.values() if row.phase == "Running" and row.ready == "1/1"]
    return len(objects.pods) == len(ready) == status.ready_replicas == replicas


@asynccontextmanager
async def ticking(view: View) -> AsyncIterator[None]:
    """Tell a view of each second, for the length of a block."""

    async def tick() -> None:
        while True:
            await asyncio.sleep(1)
            view.tick()

    task = asyncio.create_task(tick())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def how_to_go_on_here(kubeconfig: str) -> str:
    """What to type while the cluster of the demo stays."""
    return f"""\
  In another terminal:
    export KUBECONFIG={kubeconfig}
    kubectl apply -f {_from_here(SAMPLE)}
    kubectl scale custompod web --replicas 3
    kubectl get custompods,pods
    kubectl delete custompod web"""


def how_to_go_on() -> str:
    """What to type after the demo."""
    python, kubectl = _from_here(Path(sys.executable)), "kubectl --kubeconfig cluster/kubeconfig"
    return f"""
The cluster is gone. To go on with kubectl, have the demo keep it until Ctrl-C:
  make demo STAY=1
Or run a cluster that keeps its objects, and the operator, in two terminals:
  {python} -m kubewright server --data-dir cluster
  {python} -m examples.custompod --kubeconfig cluster/kubeconfig
and in a third one:
  {kubectl} apply -f {_from_here(SAMPLE)}
  {kubectl} scale custompod web --replicas 3
  {kubectl} get custompods,pods
  {kubectl} delete custompod web"""


def _from_here(path: Path) -> str:
    """A path as one would type it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
