"""Our operator in a process of its own; `bench/controllerruntime` is the same program on controller-runtime.

python -m bench.controller_ours run KUBECONFIG WORKERS
python -m bench.controller_ours resync KUBECONFIG COUNT
python -m bench.controller_ours react KUBECONFIG COUNT

Every Widget gets a ConfigMap that it controls, and a status. `run` prints "ready" once it is synced, runs
until its input ends, and answers each line of it with "done". `resync` prints as JSON the CPU seconds of
looking again at COUNT objects that are as they should be. `react` prints "ready" too, and when a Widget was
reconciled for each size from 1 to COUNT, as JSON when these reconciles began, by the monotonic clock of the
system.
"""

from __future__ import annotations

import asyncio
import encodings.idna  # noqa: F401 - loaded with the first connection, as aiohttp below
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import aiohttp  # noqa: F401 - loaded with the first request; a Go program has all it needs by now

from bench.scale import scaled
from kubewright.client.client import Client
from kubewright.config import config_from_kubeconfig
from kubewright.controllers.context import Context
from kubewright.controllers.manager import Manager
from kubewright.controllers.owners import set_controller_reference
from kubewright.controllers.requests import Request
from kubewright.crd.declaration import custom_resource
from kubewright.machinery.errors import NotFound
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.resource import Resource
from kubewright.machinery.struct import Struct
from kubewright.models.core_v1 import ConfigMap

__all__ = ["Widget"]

_RESYNC, _RESYNCS = scaled((6.0, 3), tiny=(0.5, 1))
"""The seconds between resyncs, which are several times what one takes, and of how many the best counts."""

_PAUSE = 0.05
"""The seconds between looks whether something has happened, which are measured as well."""


class WidgetSpec(Struct):
    size: int = 0


class WidgetStatus(Struct):
    phase: str = ""
    observed: int = 0


@custom_resource(group="bench.example.com", version="v1", subresources=["status"])
class Widget(Resource):
    """What is reconciled."""

    spec: WidgetSpec
    status: WidgetStatus | None = None


async def reconcile(ctx: Context, request: Request) -> None:
    """As controller-runtime's does it, call by call."""
    widgets = ctx.client.api(Widget, request.namespace)
    try:
        widget = await widgets.get(request.name)
    except NotFound:
        return
    await _child(ctx, widget)
    generation, status = widget.metadata.generation or 0, widget.status
    if status is not None and status.phase == "Ready" and status.observed == generation:
        return
    widget.status = WidgetStatus(phase="Ready", observed=generation)
    await widgets.update_status(widget)


async def _child(ctx: Context, widget: Widget) -> None:
    name, namespace, size = widget.metadata.name, widget.metadata.namespace, str(widget.spec.size)
    children = ctx.client.api(ConfigMap, namespace)
    try:
        child = await children.get(name)
    except NotFound:
        child = ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace), data={"size": size})
        set_controller_reference(widget, child)
        await children.create(child)
        return
    if child.data["size"] != size:
        child.data["size"] = size
        await children.update(child)


async def run(manager: Manager, workers: int) -> None:
    """The operator, until its input ends."""
    controller = manager.controller(Widget, reconcile, owns=[ConfigMap], workers=workers)

    async def serve() -> None:
        await _until(lambda: controller.is_synced)
        print("ready", flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            gc.collect()
            print("done", flush=True)
        manager.stop()

    manager.add(serve)
    await manager.run()


async def resync(manager: Manager, count: int) -> None:
    """The CPU seconds of a resync that finds nothing to do: those of the whole process meanwhile."""
    done = 0

    async def counted(ctx: Context, request: Request) -> None:
        nonlocal done
        await reconcile(ctx, request)
        done += 1

    def has_done(wanted: int) -> bool:
        return done >= wanted

    manager.controller(Widget, counted, owns=[ConfigMap], workers=10, resync=_RESYNC)

    async def measure() -> None:
        # What is there at the start is looked at for each kind, and so is done in one go or in two.
        await _until(partial(has_done, count))
        await asyncio.sleep(_RESYNC / 3)
        first, found = done, []
        for number in range(1, _RESYNCS + 1):
            wanted, used = first + number * count, time.process_time()
            await _until(partial(has_done, wanted))
            found.append(time.process_time() - used)
        assert all(method == "GET" for method, _ in manager.client.request_counts), "it has written something"
        print(json.dumps({"cpu": min(found)}))
        manager.stop()

    manager.add(measure)
    await manager.run()


async def react(manager: Manager, count: int) -> None:
    """When the reconciles for sizes 1 to `count` began."""
    began: dict[int, float] = {}

    async def noted(ctx: Context, request: Request) -> None:
        now = time.monotonic()
        widget = await ctx.client.api(Widget, request.namespace).get(request.name)
        began.setdefault(widget.spec.size, now)

    controller = manager.controller(Widget, noted)

    async def measure() -> None:
        await _until(lambda: controller.is_synced)
        print("ready", flush=True)
        await _until(lambda: count in began)
        print(json.dumps(_filled(began, count)))
        manager.stop()

    manager.add(measure)
    await manager.run()


def _filled(began: dict[int, float], count: int) -> list[float]:
    """The times for sizes 1 to `count`; a size that was overtaken by a later one counts with that."""
    times: list[float] = []
    for size in range(count, 0, -1):
        times.append(began[size] if size in began else times[-1])
    return times[::-1]


async def _until(is_so: Callable[[], bool]) -> None:
    while not is_so():  # noqa: ASYNC110 - what is measured is to do nothing more for it
        await asyncio.sleep(_PAUSE)


def main(what: str, kubeconfig: str, number: str) -> None:
    """Do one of them."""
    measures: dict[str, Callable[[Manager, int], Awaitable[None]]] = {
        "run": run,
        "resync": resync,
        "react": react,
    }
    config = config_from_kubeconfig(Path(kubeconfig).read_text())

    async def measured() -> None:
        async with Client(config) as client, Manager(client) as manager:
            await measures[what](manager, int(number))

    asyncio.run(measured())


if __name__ == "__main__":
    main(*sys.argv[1:])
