"""Measures our informer in a process of its own and prints JSON: seconds, CPU seconds and memory.

python -m bench.informer_ours sync|lookups|replay KUBECONFIG COUNT

`sync` ends when COUNT pods are in the store, `replay` with the pod "end" that the replay server sends after
COUNT events, `lookups` reads from a store of COUNT pods. Wall and CPU seconds are counted from just before
the informer is made, as in `bench/clientgo/informer`; imports and the making of the client are not.
"""

from __future__ import annotations

import asyncio
import encodings.idna  # noqa: F401 - loaded with the first connection, as aiohttp below
import gc
import json
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import aiohttp  # noqa: F401 - loaded with the first request; a Go program has all it needs by now

from bench.scale import scaled
from kubewright.client.client import Client
from kubewright.config import config_from_kubeconfig
from kubewright.informers import Change, Informers
from kubewright.models.core_v1 import Pod

_SETTLED = scaled(2.0, tiny=0.1)
"""The seconds after the first sync when the memory is steady."""

_LIMIT = 300.0
"""The seconds that nothing measured takes."""

_KEYS = scaled(20_000, tiny=20)
_ROUNDS = scaled(5, tiny=1)
"""Lookups of keys in a round, and rounds, of which the best counts."""


class Costs:
    """What this process has used since."""

    def __init__(self) -> None:
        self._modules = len(sys.modules)
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def so_far(self) -> dict[str, float]:
        seconds, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        imported = len(sys.modules) - self._modules
        if imported:
            late = ", ".join(list(sys.modules)[-imported:])
            print(f"bench/informer_ours: imported while it was measured: {late}", file=sys.stderr)
        return {"seconds": seconds, "cpu": cpu, "peak": _memory("VmHWM")}


async def sync(client: Client, count: int) -> dict[str, float]:
    """The first sync, and the memory after it."""
    costs = Costs()
    async with Informers(client) as informers:
        pods = informers.of(Pod)
        await informers.synced()
        found = costs.so_far()
        await asyncio.sleep(_SETTLED)
        found["steady"] = _memory("VmRSS")
        held = sum(1 for _ in pods.list())
        assert held == count, f"{held} pods are in the store, not {count}"
        gc.collect()
        found["steady_after_gc"] = _memory("VmRSS")
    return found


async def replay(client: Client, count: int) -> dict[str, float]:
    """All events of the replay server, with handlers that read what they are given."""
    ended = asyncio.Event()
    handled = changed = 0

    def told(change: Change[Pod]) -> None:
        nonlocal handled, changed
        old, new = change.old, change.new
        if old is not None and new is not None:
            older, newer = old.metadata.resource_version, new.metadata.resource_version
            if older != newer and _node(old) == _node(new):
                changed += 1
        elif new is not None and new.metadata.name == "end":
            ended.set()
            return
        handled += 1

    costs = Costs()
    async with Informers(client) as informers:
        # One handler for all three, as client-go's is: of two handlers each has a pace of its own.
        informers.of(Pod).on_change(told)
        await ended.wait()
        found = costs.so_far()
    # A state that a newer one replaces while it waits may be skipped; more than there were it cannot be.
    assert 0 < handled <= count, f"{handled} of {count} events were handled"
    return {**found, "events": handled, "updates": changed}


async def lookups(client: Client, count: int) -> dict[str, float]:
    """Microseconds of a key, of an index with small answers, and of one with large answers."""
    async with Informers(client) as informers:
        pods = informers.of(Pod, index={"node": lambda pod: [_node(pod)], "namespace": _namespaces})
        await informers.synced()
        some = random.Random(42)  # noqa: S311 - the same keys in every run
        held = list(pods.list())
        assert len(held) == count, f"{len(held)} pods are in the store, not {count}"
        keys = [f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in some.choices(held, k=_KEYS)]
        nodes, namespaces = {_node(pod) for pod in held}, {_namespaces(pod)[0] for pod in held}
        del held

        def get_each() -> None:
            for key in keys:
                assert pods.get(key) is not None

        # All values of both indexes, so that both read every pod once: a few that are read again and again
        # would be in the processor's cache.
        def find_each(index: str, values: set[str]) -> None:
            assert sum(len(pods.by(index, value)) for value in values) == count

        return {
            "key_us": _best(get_each) / _KEYS,
            "few": count / len(nodes),
            "few_us": _best(lambda: find_each("node", nodes)) / len(nodes),
            "many": count / len(namespaces),
            "many_us": _best(lambda: find_each("namespace", namespaces)) / len(namespaces),
        }


def _node(pod: Pod) -> str:
    return pod.spec.node_name or ""


def _namespaces(pod: Pod) -> list[str]:
    return [pod.metadata.namespace or ""]


def _best(work: Callable[[], object]) -> float:
    """The microseconds of the fastest round."""
    best = float("inf")
    for _ in range(_ROUNDS):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best * 1e6


def _memory(line: str) -> float:
    """A line of /proc/self/status, in MB; getrusage's peak would be that of the process before exec."""
    found = re.search(rf"{line}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024 / 1e6


def main(what: str, kubeconfig: str, count: str) -> None:
    """Do one of them."""
    measure = {"sync": sync, "replay": replay, "lookups": lookups}[what]
    config = config_from_kubeconfig(Path(kubeconfig).read_text())

    async def measured() -> dict[str, float]:
        async with asyncio.timeout(_LIMIT), Client(config) as client:
            return await measure(client, int(count))

    print(json.dumps(asyncio.run(measured())))


if __name__ == "__main__":
    main(*sys.argv[1:])
