"""The event loop in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from kubewright.machinery.errors import KubewrightError
from kubewright.sync.loop import LoopThread


def test_results_and_errors_come_back() -> None:
    loop = LoopThread()

    async def work(number: int) -> str:
        await asyncio.sleep(0)
        if number:
            raise LookupError("no")
        return threading.current_thread().name

    assert loop.run(work(0)) == "kubewright-sync"
    with pytest.raises(LookupError, match="no"):
        loop.run(work(1))
    loop.close()


def test_it_starts_with_the_first_call_and_ends_with_close() -> None:
    loop = LoopThread()
    assert not loop.is_running
    loop.close()
    before = threading.active_count()
    loop = LoopThread()
    loop.run(asyncio.sleep(0))
    assert threading.active_count() == before + 1
    loop.close()
    loop.close()
    assert threading.active_count() == before
    with pytest.raises(KubewrightError, match="the client is closed; make another one"):
        loop.run(asyncio.sleep(0))


def test_what_still_runs_is_cancelled_by_close() -> None:
    loop = LoopThread()
    ended: list[str] = []

    async def forever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def start() -> asyncio.Task[None]:
        task = asyncio.ensure_future(forever())
        await asyncio.sleep(0)
        return task

    loop.run(start())
    loop.close()
    assert ended == ["cancelled"]


def test_it_works_where_a_loop_runs_already() -> None:
    async def notebook() -> int:
        loop = LoopThread()
        try:
            return loop.run(asyncio.sleep(0, 7))
        finally:
            loop.close()

    assert asyncio.run(notebook()) == 7


def test_an_iteration_that_is_left_is_closed() -> None:
    loop = LoopThread()
    closed: list[int] = []

    async def numbers() -> AsyncIterator[int]:
        try:
            for number in range(10):
                yield number
        finally:
            closed.append(1)

    assert list(loop.iterate(numbers())) == list(range(10))
    iteration = loop.iterate(numbers())
    assert next(iteration) == 0
    iteration.close()  # type: ignore[attr-defined]
    assert closed == [1, 1]
    loop.close()


def test_its_own_thread_cannot_wait_for_itself() -> None:
    loop = LoopThread()

    async def inside() -> None:
        loop.run(asyncio.sleep(0))

    with pytest.raises(KubewrightError, match="cannot be used in its own thread"):
        loop.run(inside())
    loop.close()


def test_many_threads_may_use_it() -> None:
    loop = LoopThread()
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(loop.run(asyncio.sleep(0, n)))) for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(20))
    loop.close()


def test_who_waits_when_it_is_closed_is_told() -> None:
    loop = LoopThread()
    waiting = threading.Event()

    async def wait() -> None:
        waiting.set()
        await asyncio.Event().wait()

    def close() -> None:
        waiting.wait()
        loop.close()

    closing = threading.Thread(target=close)
    closing.start()
    with pytest.raises(KubewrightError, match="the client was closed while it waited"):
        loop.run(wait())
    closing.join()
