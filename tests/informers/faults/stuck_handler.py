"""A program of its own: an informer with a handler that is stuck, and many events; prints its memory.

`python -m tests.informers.faults.stuck_handler EVENTS` prints the resident kilobytes when it was synced, the
most since, and how many objects wait for the handler.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from aiohttp import web

from kubewright.client.client import Client
from kubewright.informers import Change, Informers
from kubewright.models.core_v1 import ConfigMap
from tests.client.peers import Asked, peer
from tests.client.watch_script import config_map, event

OBJECTS = 50
AT_ONCE = 500


def kilobytes(name: str) -> int:
    """A line of what Linux says of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


FRAME = event("MODIFIED", config_map("m%d", 0, data={"x": "x" * 600})).replace(b'"0"', b'"%d"')


def frame(number: int) -> bytes:
    name = number % OBJECTS
    return FRAME % (name, name, 100 + number)


class Flood:
    """A server with some objects that change as fast as anybody reads."""

    def __init__(self, events: int) -> None:
        self._events = events
        self.go = asyncio.Event()
        self.finished = asyncio.Event()

    async def __call__(self, asked: Asked, request: web.BaseRequest) -> web.StreamResponse:
        if "watch=" not in asked.target:
            items = [config_map(f"m{number}", 1 + number, data={"x": ""}) for number in range(OBJECTS)]
            meta = {"resourceVersion": "99"}
            body: dict[str, Any] = {
                "apiVersion": "v1",
                "kind": "ConfigMapList",
                "metadata": meta,
                "items": items,
            }
            return web.json_response(body)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        await self.go.wait()
        for start in range(0, self._events, AT_ONCE):
            await response.write(b"".join(map(frame, range(start, start + AT_ONCE))))
        await self.finished.wait()
        return response


async def main(events: int) -> None:
    flood = Flood(events)

    async def stuck(change: Change[ConfigMap]) -> None:
        await asyncio.Event().wait()

    told = 0

    def fast(change: Change[ConfigMap]) -> None:
        nonlocal told
        told += 1

    async with peer(flood, tls=False) as server:
        async with Client(server.config) as client, Informers(client) as informers:
            informer = informers.of(ConfigMap)
            waiting = informer.on_change(stuck)
            informer.on_change(fast)
            await informer.synced()
            before = kilobytes("VmRSS")
            flood.go.set()
            await informer.seen(str(99 + events), timeout=None)
            sys.stdout.write(json.dumps([before, kilobytes("VmHWM"), len(waiting), told]))
        flood.finished.set()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
