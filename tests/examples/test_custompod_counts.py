"""The controller of examples.custompod never makes a pod too many, at no revision.

Its cache of pods hears of everything late. Without that it would mostly know of a pod before its creation is
answered, and this would hold for any controller.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest

from examples.custompod.controller import LABEL, setup
from examples.custompod.types import CustomPod, CustomPodStatus
from kubewright import Api, Client, NotFound
from kubewright.client.request import Request
from kubewright.models.core_v1 import Pod
from kubewright.testing import FaultProxy
from kubewright.webhooks import WebhookServer
from tests.controllers.running import managed, until
from tests.examples.operators import PATIENCE, in_a_namespace
from tests.examples.servers import BOTH, Server, started

LAG = 0.05
"""Seconds by which the watch of pods is late: many times what a write takes here."""
NAMES = ("a", "b", "c")
ROUNDS = 4


class Change(NamedTuple):
    """What a watch tells, in the order of the revisions."""

    revision: int
    pod: str
    of: str
    is_there: bool


class History:
    """The pods of a namespace, as a watch from the beginning tells of them, without a gap."""

    def __init__(self) -> None:
        self.changes: list[Change] = []

    @asynccontextmanager
    async def kept(self, client: Client, namespace: str) -> AsyncIterator[None]:
        """Write it down for the length of a block."""
        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(self._watch(client, namespace))
            yield
            watching.cancel()

    async def _watch(self, client: Client, namespace: str) -> None:
        async for event in client.api(Pod, namespace).watch():
            metadata = event.object.metadata
            is_there = event.type != "DELETED" and metadata.deletion_timestamp is None
            revision, of = int(metadata.resource_version), metadata.labels[LABEL]
            self.changes.append(Change(revision, metadata.name, of, is_there))

    async def ends(self, last: Pod) -> None:
        """Wait until it has told of a pod."""
        await until(lambda: any(change.pod == last.metadata.name for change in self.changes), "the last pod")

    def most(self, name: str, bounds: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """How many pods one had at once at most, and may have had, from each revision on until the next."""
        there: set[str] = set()
        found = []
        changes = [change for change in self.changes if change.of == name]
        for (_, allowed), (end, _) in pairwise(bounds):
            most = len(there)
            while changes and changes[0].revision <= end:
                change = changes.pop(0)
                (there.add if change.is_there else there.discard)(change.pod)
                most = max(most, len(there))
            found.append((most, allowed))
        return found


@asynccontextmanager
async def behind(server: Server) -> AsyncIterator[Client]:
    """A client whose watches of pods are late, and nothing else."""
    async with FaultProxy(server.url) as proxy, Client(server.config) as client:
        proxy.delay(LAG)
        async with Client(msgspec.structs.replace(server.config, server=proxy.url)) as late:
            at_once = client._sender.stream

            def stream(request: Request) -> Any:
                return late._sender.stream(request) if "/pods" in request.path else at_once(request)

            client._sender.stream = stream  # type: ignore[method-assign]
            yield client


async def settled(cpods: Api[CustomPod], name: str) -> int:
    """The revision at which the status says that all is as it should be."""

    def is_done(cpod: CustomPod) -> bool:
        status, wanted = cpod.status or CustomPodStatus(), cpod.spec.replicas
        return (status.observed_generation, status.replicas) == (cpod.metadata.generation, wanted)

    cpod = await cpods.wait_for(name, is_done, timeout=PATIENCE)
    assert cpod is not None
    return int(cpod.metadata.resource_version)


async def scale(random: Random, cpods: Api[CustomPod], pods: Api[Pod], name: str) -> list[tuple[int, int]]:
    """Scale at random, and let others delete pods: from which revision on, how many there may be."""
    wanted, since, bounds = 0, 0, []
    for _ in range(ROUNDS):
        # From when all was settled, there are never more than the most that was asked for since.
        most = wanted
        for _ in range(random.randint(1, 3)):
            wanted = random.randint(1, 8)
            most = max(most, wanted)
            await cpods.set_scale(name, wanted)
            found = [pod.metadata.name async for pod in pods.list(labels={LABEL: name})]
            if found and random.random() < 0.3:
                with suppress(NotFound):
                    await pods.delete(random.choice(found), grace_period=0)
        bounds.append((since, most))
        since = await settled(cpods, name)
    return bounds


@pytest.mark.parametrize("name", BOTH)
def test_never_a_pod_too_many(name: str) -> None:
    async def test(client: Client, namespace: str) -> None:
        cpods, pods, history = client.api(CustomPod, namespace), client.api(Pod, namespace), History()
        async with (
            history.kept(client, namespace),
            behind(server) as late,
            managed(late, setup, webhooks=WebhookServer(), namespaces=namespace),
        ):
            for each in NAMES:
                await cpods.create({"metadata": {"name": each}, "spec": {"replicas": 0}})
            async with asyncio.TaskGroup() as tasks:
                random = Random(7)  # noqa: S311 - for what the test does
                scaling = {each: tasks.create_task(scale(random, cpods, pods, each)) for each in NAMES}
            await history.ends(await pods.create(marker()))
        for each, task in scaling.items():
            found = history.most(each, [*task.result(), (sys.maxsize, 0)])
            assert all(count <= most for count, most in found), (each, found)
        assert len(history.changes) > 20

    with started(name) as server:
        in_a_namespace(server, CustomPod, test)


def marker() -> dict[str, object]:
    """A pod that comes after all others."""
    return {
        "metadata": {"name": "last", "labels": {LABEL: "nobody"}},
        "spec": {"containers": [{"name": "main", "image": "busybox"}]},
    }
