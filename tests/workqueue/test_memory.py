"""A queue that was busy keeps nothing of it."""

from __future__ import annotations

import asyncio
import gc
import sys
import types
import weakref
from collections.abc import Callable

import pytest

from kubewright.testing.clock import ManualClock
from kubewright.workqueue import QueueMetrics, WorkQueue
from tests.workqueue.running import run

MILLION = 1_000_000
MANY = 20_000


def _size(root: object) -> int:
    """The bytes of all objects that can be reached, but for code and types."""
    seen: dict[int, object] = {}
    ahead = [root]
    while ahead:
        item = ahead.pop()
        if id(item) in seen or isinstance(item, type | types.ModuleType | types.FunctionType):
            continue
        seen[id(item)] = item
        ahead += gc.get_referents(item)
    return sum(sys.getsizeof(item) for item in seen.values())


async def _work_off(queue: WorkQueue[str]) -> None:
    while len(queue):
        async with queue.take() as key:
            queue.forget(key)
    # A worker that finds nothing to do waits, and is then cancelled.
    waiting = asyncio.create_task(queue.get())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])


def _plain(queue: WorkQueue[str], clock: ManualClock, name: str) -> None:
    queue.add(name)


def _priorities(queue: WorkQueue[str], clock: ManualClock, name: str) -> None:
    number = int(name.rpartition("/")[2])
    queue.add(name, priority=number % 5 - 2)
    queue.add(name, priority=number % 7 - 2)


def _delays(queue: WorkQueue[str], clock: ManualClock, name: str) -> None:
    queue.add_after(name, 10)
    queue.add_after(name, 5)
    clock.advance(0)


def _failures(queue: WorkQueue[str], clock: ManualClock, name: str) -> None:
    queue.add_rate_limited(name)


@pytest.mark.parametrize("add", [_priorities, _delays, _failures])
@pytest.mark.parametrize("measured", [False, True])
def test_nothing_is_kept_of_many_keys(
    add: Callable[[WorkQueue[str], ManualClock, str], None], measured: bool
) -> None:
    async def main() -> None:
        clock = ManualClock()
        queue = WorkQueue[str](clock=clock, metrics=QueueMetrics() if measured else None)
        for number in range(10):
            add(queue, clock, f"before/{number}")
        clock.advance(1e6)
        await _work_off(queue)
        before = _size(queue)
        for number in range(MANY):
            add(queue, clock, f"many/{number}")
        assert _size(queue) > before + MANY * 50
        clock.advance(1e6)
        await _work_off(queue)
        assert _size(queue) < before + 1000

    run(main())


@pytest.mark.parametrize("keys", [MILLION // 10, pytest.param(MILLION, marks=pytest.mark.slow)])
def test_nothing_is_kept_of_a_million_keys(keys: int) -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        before = _size(queue)
        for start in range(0, keys, MANY):
            for number in range(start, start + MANY):
                queue.add(f"default/pod-{number}")
            await _work_off(queue)
        assert _size(queue) < before + 1000

    run(main())


def test_a_queue_that_is_let_go_is_freed_without_the_garbage_collector() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        queue.add("a")
        async with queue.take():
            queue.add("a")
        await _work_off(queue)
        gone = weakref.ref(queue)
        del queue
        assert gone() is None

    gc.collect()
    gc.disable()
    try:
        run(main())
    finally:
        gc.enable()
