from __future__ import annotations

import asyncio

import pytest

from kubewright.client.deadlines import Deadlines


class Late(Exception):
    pass


async def _limited(deadlines: Deadlines) -> None:
    deadline = deadlines.begin()
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        if not deadline.absorbs():
            raise
        raise Late from None
    finally:
        deadline.end()


def test_a_limit_that_expires_is_not_a_cancellation() -> None:
    async def test() -> None:
        deadlines = Deadlines(0.001)
        for _ in range(2):
            task = asyncio.create_task(_limited(deadlines))
            with pytest.raises(Late):
                await task
            assert task.cancelling() == 0
        assert not deadlines._running

    asyncio.run(test())


def test_a_task_that_is_also_cancelled_by_others_is_cancelled() -> None:
    async def test() -> None:
        deadlines = Deadlines(3600)
        task = asyncio.create_task(_limited(deadlines))
        await asyncio.sleep(0)
        (deadline,) = deadlines._running
        deadline.expire()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        deadlines.close()

    asyncio.run(test())


def test_limits_expire_in_the_order_in_which_they_began_with_one_timer() -> None:
    async def test() -> None:
        deadlines = Deadlines(0.001)
        ended: list[int] = []

        async def numbered(number: int) -> None:
            with pytest.raises(Late):
                await _limited(deadlines)
            ended.append(number)

        async with asyncio.TaskGroup() as tasks:
            for number in range(3):
                tasks.create_task(numbered(number))
        assert ended == [0, 1, 2]
        assert deadlines._timer is None

    asyncio.run(test())


def test_a_limit_that_has_ended_cancels_nothing() -> None:
    async def test() -> None:
        deadlines = Deadlines(0.001)
        deadlines.begin().end()
        while deadlines._timer is not None:  # noqa: ASYNC110 - the timer finds nothing to do
            await asyncio.sleep(0.001)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0

    asyncio.run(test())
