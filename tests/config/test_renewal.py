"""One run for all who wait: who starts it, who ends it, and who may join."""

from __future__ import annotations

import asyncio

import pytest

from kubewright.config import ConfigError
from kubewright.config.renewal import Renewal


class Work:
    """Something slow that ends when it is told, and takes its time to be cancelled."""

    def __init__(self) -> None:
        self.runs = 0
        self.cancelled = 0
        self.finish = asyncio.Event()
        self.let_go = asyncio.Event()

    async def __call__(self) -> None:
        self.runs += 1
        try:
            await self.finish.wait()
        except asyncio.CancelledError:
            await self.let_go.wait()
            self.cancelled += 1
            raise


async def settled() -> None:
    """Everybody who can go on has gone on."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_nobody_joins_a_run_that_is_being_cancelled() -> None:
    async def body() -> None:
        work = Work()
        renewal = Renewal(work)
        first = asyncio.create_task(renewal.done())
        await settled()
        first.cancel()
        await settled()
        assert not first.done()
        second = asyncio.create_task(renewal.done())
        await settled()
        assert work.runs == 2
        work.let_go.set()
        work.finish.set()
        await second
        with pytest.raises(asyncio.CancelledError):
            await first
        assert work.cancelled == 1

    asyncio.run(body())


def test_a_run_goes_on_while_somebody_waits() -> None:
    async def body() -> None:
        work = Work()
        renewal = Renewal(work)
        waiters = [asyncio.create_task(renewal.done()) for _ in range(3)]
        await settled()
        for waiter in waiters[:2]:
            waiter.cancel()
        await settled()
        work.finish.set()
        await waiters[2]
        assert (work.runs, work.cancelled) == (1, 0)
        assert all(waiter.cancelled() for waiter in waiters[:2])

    asyncio.run(body())


def test_close_tells_those_who_wait_and_leaves_those_who_come_later() -> None:
    async def body() -> None:
        work = Work()
        work.let_go.set()
        renewal = Renewal(work)
        waiter = asyncio.create_task(renewal.done())
        await settled()
        await renewal.close()
        with pytest.raises(ConfigError, match="closed"):
            await waiter
        work.finish.set()
        await renewal.done()
        await renewal.close()
        assert (work.runs, work.cancelled) == (2, 1)

    asyncio.run(body())


def test_an_error_that_nobody_waits_for_any_more_is_not_reported() -> None:
    complaints: list[object] = []

    async def fails() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ConfigError("too late") from None

    async def body() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        waiter = asyncio.create_task(Renewal(fails).done())
        await settled()
        waiter.cancel()
        await asyncio.wait([waiter])
        assert waiter.cancelled()

    asyncio.run(body())
    assert not complaints


def test_each_event_loop_has_its_own_run() -> None:
    async def renew() -> None:
        pass

    renewal = Renewal(renew)
    for _ in range(3):
        asyncio.run(renewal.done())
