"""Work queues: add, take and done in a row, on one core."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine
from contextlib import suppress
from time import process_time
from typing import Final

from bench.row import Row
from bench.scale import scaled
from kubewright.workqueue import QueueMetrics, ShutDown, WorkQueue

__all__ = ["rows"]

CYCLES: Final = scaled(100_000, tiny=100)
ROUNDS: Final = scaled(7, tiny=1)
"""The best of these counts: other work on the machine can only make a round slower."""

REQUIRED: Final = 300_000
"""Cycles per second of CPU time."""

_ALLOWED: Final = 1e6 / REQUIRED


def rows() -> list[Row]:
    """The rows about queues: microseconds of CPU time for a cycle, against those that the requirement leaves.

    Where workers wait, most of the time is that of waking them: so the peer there is asyncio.
    """
    required = f"{REQUIRED:,}/s"
    waiting = Row(
        "queue cycle, 32 workers that wait", "asyncio.Queue", "µs", _best(_many_workers), _best(_plain_queue)
    )
    return [
        Row("queue cycle, one worker", required, "µs", _best(_one_by_one), _ALLOWED, least=1),
        Row(f"queue cycle, {CYCLES:,} queued first", required, "µs", _best(_queued_first), _ALLOWED, least=1),
        Row("queue cycle, five priorities", required, "µs", _best(_with_priorities), _ALLOWED),
        Row("queue cycle, with metrics", required, "µs", _best(_with_metrics), _ALLOWED),
        waiting,
    ]


def _best(measure: Callable[[], Coroutine[None, None, float]]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        gc.collect()
        best = min(best, asyncio.run(measure()))
    return best / CYCLES * 1e6


def _keys(distinct: int = CYCLES) -> list[str]:
    return [f"default/pod-{number % distinct}" for number in range(CYCLES)]


async def _one_by_one(metrics: QueueMetrics | None = None) -> float:
    queue = WorkQueue[str](metrics=metrics)
    keys = _keys(distinct=1000)
    begin = process_time()
    for key in keys:
        queue.add(key)
        async with queue.take():
            pass
    return process_time() - begin


async def _with_metrics() -> float:
    return await _one_by_one(QueueMetrics())


async def _queued_first() -> float:
    queue = WorkQueue[str]()
    keys = _keys()
    begin = process_time()
    for key in keys:
        queue.add(key)
    for _ in keys:
        async with queue.take():
            pass
    return process_time() - begin


async def _with_priorities() -> float:
    queue = WorkQueue[str]()
    keys = _keys()
    begin = process_time()
    for number, key in enumerate(keys):
        queue.add(key, priority=number % 5)
    for _ in keys:
        async with queue.take():
            pass
    return process_time() - begin


async def _many_workers() -> float:
    """Keys come 32 at a time, so that workers wait, are woken by the event loop and wait again."""
    queue = WorkQueue[str]()
    keys = _keys()

    async def worker() -> None:
        with suppress(ShutDown):
            while True:
                async with queue.take():
                    pass

    async with asyncio.TaskGroup() as group:
        for _ in range(32):
            group.create_task(worker())
        await asyncio.sleep(0)
        begin = process_time()
        for start in range(0, CYCLES, 32):
            for key in keys[start : start + 32]:
                queue.add(key)
            await asyncio.sleep(0)
        await queue.drain()
        return process_time() - begin


async def _plain_queue() -> float:
    """The same with asyncio's queue, which knows no duplicates and hands a key to any number of workers."""
    queue = asyncio.Queue[str]()
    keys = _keys()

    async def worker() -> None:
        while True:
            await queue.get()
            queue.task_done()

    workers = [asyncio.create_task(worker()) for _ in range(32)]
    await asyncio.sleep(0)
    begin = process_time()
    for start in range(0, CYCLES, 32):
        for key in keys[start : start + 32]:
            queue.put_nowait(key)
        await asyncio.sleep(0)
    await queue.join()
    seconds = process_time() - begin
    for task in workers:
        task.cancel()
    await asyncio.wait(workers)
    return seconds
