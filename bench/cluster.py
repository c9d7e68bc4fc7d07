"""The cluster in a process: how quickly workloads are ready, what it costs at rest, and how soon it is there.

The server runs in a process of its own, as `kubewright server` does; whoever measures is a client of it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from bench.row import Row
from bench.scale import scaled
from bench.servers import cpu_seconds, memory
from kubewright import Client
from kubewright.config import config_from_kubeconfig
from kubewright.models.apps_v1 import Deployment

__all__ = ["rows"]

_LIMIT = "the limit"

_NODES = scaled(12, tiny=1)
"""Each takes 110 pods."""

_LARGE, _MANY, _MORE = scaled((100, 300, 34), tiny=(3, 2, 1))
"""The replicas of the large Deployment; how many small ones there are, and how many come later."""

_ROUNDS = scaled(3, tiny=1)
"""Of the short measurements the best of so many counts."""

_IDLE_FOR = scaled(10.0, tiny=0.5)
"""Seconds over which the CPU of a cluster at rest is measured; heartbeats come every ten."""

_SETTLED_AFTER = scaled(3.0, tiny=0.5)
"""Seconds after which a cluster that has just become ready is at rest."""

_START = """
import asyncio, time
from kubewright.testing import Cluster
async def main():
    async def once():
        begin = time.perf_counter()
        async with Cluster():
            return time.perf_counter() - begin
    print(min([await once() for _ in range(3)]))
asyncio.run(main())
"""


def rows() -> Iterator[Row]:
    """All of it on fresh clusters."""
    with tempfile.TemporaryDirectory() as bytecode:
        # With bytecode, as it is installed, even if the machine was told to write none: else what is loaded
        # with the first pods is compiled while somebody waits.
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": bytecode}
        yield from asyncio.run(_one_large(environment))
        yield from asyncio.run(_many_small(environment))
    yield Row("cluster: `Cluster()` in a test, ready", _LIMIT, "ms", _start() * 1e3, 500, 1)


async def _one_large(environment: Mapping[str, str]) -> list[Row]:
    best = float("inf")
    for _ in range(_ROUNDS):
        async with _cluster(environment) as (client, _):
            begin = time.perf_counter()
            await _create(client, "web", _LARGE)
            await _ready(client, {"web": _LARGE})
            best = min(best, time.perf_counter() - begin)
    return [Row("cluster: a Deployment of 100 ready", _LIMIT, "ms", best * 1e3, 2000, 1)]


async def _many_small(environment: Mapping[str, str]) -> list[Row]:
    """300 Deployments of 3 with GETs beside, then 34 more, and the cluster at rest with 1,000 pods."""
    async with _cluster(environment) as (client, process):
        resting = await _resting(process.pid)
        begin = time.perf_counter()
        asking = asyncio.create_task(_longest_get(client))
        wanted = {f"web-{number}": 3 for number in range(_MANY)}
        for name, replicas in wanted.items():
            await _create(client, name, replicas)
        await _ready(client, wanted)
        took = time.perf_counter() - begin
        asking.cancel()
        longest = await asking
        more = {f"more-{number}": 3 for number in range(_MORE)}
        for name, replicas in more.items():
            await _create(client, name, replicas)
        await _ready(client, more)
        used = memory([process.pid])
        full = await _resting(process.pid)
    return [
        Row("cluster: 300 Deployments of 3 ready", _LIMIT, "s", took, 30, 1),
        Row("cluster: the slowest GET meanwhile", _LIMIT, "ms", longest * 1e3, 50, 1),
        Row("cluster: CPU at rest, empty", _LIMIT, "%", resting, 2, 1),
        Row("cluster: CPU at rest, 1,000 pods", _LIMIT, "%", full, 2, 1),
        Row("cluster: memory with 1,000 pods", _LIMIT, "MB", used, 120, 1),
    ]


@asynccontextmanager
async def _cluster(
    environment: Mapping[str, str],
) -> AsyncIterator[tuple[Client, subprocess.Popen[str]]]:
    """A cluster at rest, for the length of a block."""
    with _server(environment) as (process, kubeconfig):
        async with Client(config_from_kubeconfig(kubeconfig)) as client:
            await asyncio.sleep(_SETTLED_AFTER)
            yield client, process


@contextmanager
def _server(environment: Mapping[str, str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and its kubeconfig."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kubeconfig"
        options = [f"--nodes={_NODES}", f"--kubeconfig={path}"]
        process = subprocess.Popen(
            [sys.executable, "-m", "kubewright", "server", *options],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        try:
            assert process.stdout is not None
            next(line for line in process.stdout if line.startswith("ready"))
            yield process, path.read_text()
        finally:
            process.terminate()
            process.wait(30)


async def _create(client: Client, name: str, replicas: int) -> None:
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": pod}
    await client.api(Deployment, "default").create(
        Deployment.from_dict({"metadata": {"name": name}, "spec": spec})
    )


async def _ready(client: Client, wanted: dict[str, int]) -> None:
    """Return when all Deployments have the replicas that are wanted of them."""
    missing = dict(wanted)
    async with asyncio.timeout(120):
        async for event in client.api(Deployment, "default").watch():
            status, name = event.object.status, event.object.metadata.name
            if status.ready_replicas == missing.get(name):
                missing.pop(name, None)
            if not missing:
                return


async def _longest_get(client: Client) -> float:
    """The longest that a GET took, asked a hundred times a second until it is cancelled."""
    longest = 0.0
    try:
        while True:
            begin = time.perf_counter()
            await client.raw("GET", "/api/v1/namespaces/default")
            longest = max(longest, time.perf_counter() - begin)
            await asyncio.sleep(0.01)
    except asyncio.CancelledError:
        return longest


async def _resting(pid: int) -> float:
    """The share of a core that a process uses at rest, in percent."""
    await asyncio.sleep(_SETTLED_AFTER)
    before = cpu_seconds([pid])
    await asyncio.sleep(_IDLE_FOR)
    return (cpu_seconds([pid]) - before) / _IDLE_FOR * 100


def _start() -> float:
    """The seconds that a cluster takes in a process that has started one before."""
    done = subprocess.run([sys.executable, "-c", _START], check=True, capture_output=True, text=True)
    return float(done.stdout)
