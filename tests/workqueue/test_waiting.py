"""Workers that wait, are cancelled, and end with the queue."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from kubewright.testing.clock import ManualClock
from kubewright.workqueue import ShutDown, WorkQueue
from tests.workqueue.running import run


async def _settle() -> None:
    """Let everything run that can."""
    for _ in range(5):
        await asyncio.sleep(0)


def _get(queue: WorkQueue[str]) -> asyncio.Task[str]:
    return asyncio.create_task(queue.get())


def test_waiting_workers_are_served_in_order() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        workers = [_get(queue) for _ in range(4)]
        await _settle()
        for key in "abcd":
            queue.add(key)
        assert await asyncio.gather(*workers) == ["a", "b", "c", "d"]

    run(main())


def test_who_comes_later_does_not_overtake_those_who_wait() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        first = _get(queue)
        await _settle()
        second = _get(queue)  # runs before the first is woken, and finds a key that is spoken for
        queue.add("a")
        await _settle()
        assert first.done()
        assert first.result() == "a"
        assert not second.done()
        queue.add("b")
        assert await second == "b"

    run(main())


def test_a_worker_that_finishes_does_not_overtake_those_who_wait() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        seen: list[tuple[int, str]] = []

        async def worker(number: int) -> None:
            with suppress(ShutDown):
                while True:
                    async with queue.take() as key:
                        seen.append((number, key))

        async with asyncio.TaskGroup() as group:
            for number in range(3):
                group.create_task(worker(number))
            await _settle()
            for key in ("a", "b", "c"):
                queue.add(key)
                await _settle()
            queue.shut_down()
        assert seen == [(0, "a"), (1, "b"), (2, "c")]

    run(main())


def test_a_key_added_while_worked_on_wakes_a_worker_when_it_is_done() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        queue.add("a")
        await queue.get()
        waiting = _get(queue)
        await _settle()
        queue.add("a")
        await _settle()
        assert not waiting.done()
        queue.done("a")
        assert await waiting == "a"

    run(main())


def test_a_waiter_cancelled_before_a_key_comes_takes_none() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        first, second = _get(queue), _get(queue)
        await _settle()
        first.cancel()
        queue.add("a")  # the first worker is cancelled, but did not run since
        assert await second == "a"
        assert first.cancelled()

    run(main())


@pytest.mark.parametrize("others", [0, 1, 3])
def test_a_waiter_cancelled_at_the_moment_it_is_woken_loses_no_key(others: int) -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        workers = [_get(queue) for _ in range(1 + others)]
        await _settle()
        queue.add("a")  # wakes the first
        workers[0].cancel()
        await _settle()
        assert workers[0].cancelled()
        if others:
            assert await workers[1] == "a"
            assert not any(worker.done() for worker in workers[2:])
        else:
            assert "a" in queue
            async with asyncio.timeout(20):
                assert await queue.get() == "a"
        for worker in workers[2:]:
            worker.cancel()

    run(main())


def test_all_waiters_cancelled_when_woken_leave_all_keys() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        workers = [_get(queue) for _ in range(3)]
        await _settle()
        for key in "abc":
            queue.add(key)
        for worker in workers:
            worker.cancel()
        await _settle()
        assert [await queue.get() for _ in range(3)] == ["a", "b", "c"]

    run(main())


def test_take_cancelled_at_the_moment_it_is_woken_loses_no_key() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()

        async def worker() -> None:
            async with queue.take():
                raise AssertionError("a cancelled worker got a key")

        task = asyncio.create_task(worker())
        await _settle()
        queue.add("a")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert "a" in queue
        async with asyncio.timeout(20), queue.take() as key:
            assert key == "a"

    run(main())


def test_a_timeout_at_the_moment_of_the_key_loses_none() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        loop = asyncio.get_running_loop()
        taken = 0
        for number in range(50):
            # The key comes before, with, or after the end of the timeout.
            at = loop.time() + 0.0005
            loop.call_at(at + (number % 3 - 1) * 1e-5, queue.add, f"key-{number}")
            with suppress(TimeoutError):
                async with asyncio.timeout_at(at), queue.take():
                    taken += 1
        async with asyncio.timeout(20):
            while taken < 50:
                async with queue.take():
                    taken += 1
        assert len(queue) == 0

    run(main())


def test_cancelled_waiters_leave_nothing_behind() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        for _ in range(100):
            worker = _get(queue)
            await _settle()
            worker.cancel()
            await _settle()
        assert not queue._waiters
        assert queue._woken == 0

    run(main())


def test_a_closed_coroutine_does_not_count_as_woken() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        worker = _get(queue)
        await _settle()
        waiting = queue.get()
        waiting.send(None)
        waiting.close()
        await _settle()
        assert not worker.done()
        queue.add("a")
        assert await worker == "a"

    run(main())


def test_shut_down_hands_out_what_is_ready_then_ends_workers() -> None:
    async def main() -> None:
        queue = WorkQueue[str](name="pods")
        queue.add("a")
        queue.add("b")
        assert not queue.shutting_down
        queue.shut_down()
        assert queue.shutting_down
        queue.add("c")
        queue.add("a", priority=1)
        assert await queue.get() == "a"
        assert await queue.get() == "b"
        for _ in range(2):
            with pytest.raises(ShutDown, match="the queue 'pods' is shut down"):
                async with queue.take():
                    raise AssertionError("a key from nowhere")
        with pytest.raises(ShutDown):
            await queue.get()

    run(main())


def test_shut_down_ends_those_who_wait() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        workers = [_get(queue) for _ in range(3)]
        await _settle()
        queue.add("a")
        queue.shut_down()
        queue.shut_down()
        results = await asyncio.gather(*workers, return_exceptions=True)
        assert results[0] == "a"
        assert [type(result) for result in results[1:]] == [ShutDown, ShutDown]

    run(main())


def test_a_key_left_by_a_worker_cancelled_during_shut_down_goes_to_the_next() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        first, second = _get(queue), _get(queue)
        await _settle()
        late = _get(queue)
        queue.add("a")
        queue.shut_down()
        first.cancel()
        assert await second == "a"
        with pytest.raises(ShutDown):
            await late

    run(main())


def test_one_who_comes_late_ends_when_all_keys_are_taken() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        first = _get(queue)
        await _settle()
        late = _get(queue)  # runs after shut_down, and before the first takes its key
        queue.add("a")
        queue.shut_down()
        with pytest.raises(ShutDown):
            await late
        assert await first == "a"

    run(main())


def test_one_who_comes_late_gets_what_cancelled_workers_left() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        first = _get(queue)
        await _settle()
        late = _get(queue)
        await asyncio.sleep(0)
        later = _get(queue)
        queue.add("a")
        queue.shut_down()
        first.cancel()
        late.cancel()
        assert await later == "a"

    run(main())


def test_a_key_added_while_worked_on_before_shut_down_comes_again() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        queue.add("a")
        key = await queue.get()
        queue.add("a")
        queue.shut_down()
        queue.add("b")
        queue.done(key)
        assert await queue.get() == "a"
        queue.add("a")
        queue.done("a")
        with pytest.raises(ShutDown):
            await queue.get()

    run(main())


def test_shut_down_drops_delays() -> None:
    async def main() -> None:
        clock = ManualClock()
        queue = WorkQueue[str](clock=clock)
        queue.add_after("a", 5)
        queue.shut_down()
        assert clock.pending == 0
        queue.add_after("b", 5)
        queue.add_after("b", 0)
        queue.add_rate_limited("c")
        assert queue.retries("c") == 0
        clock.advance(10)
        with pytest.raises(ShutDown):
            await queue.get()

    run(main())


def test_drain_waits_for_what_is_ready_and_worked_on() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        queue.add("a")
        queue.add("b")
        assert await queue.get() == "a"
        queue.add("a")  # worked on: comes again
        drain = asyncio.create_task(queue.drain())
        await _settle()
        assert queue.shutting_down
        queue.add("c")
        queue.done("a")
        await _settle()
        assert not drain.done()
        for expected in ("b", "a"):
            assert await queue.get() == expected
            assert not drain.done()
            queue.done(expected)
        await drain
        with pytest.raises(ShutDown):
            await queue.get()

    run(main())


def test_drain_waits_for_keys_that_nobody_took_yet() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        queue.add("a")
        queue.add("b")
        await queue.get()
        drain = asyncio.create_task(queue.drain())
        await _settle()
        queue.done("a")
        await _settle()
        assert not drain.done()
        async with queue.take():
            pass
        await drain

    run(main())


def test_drain_of_an_idle_queue_returns_at_once() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        worker = _get(queue)
        await _settle()
        await queue.drain()
        with pytest.raises(ShutDown):
            await worker
        await queue.drain()

    run(main())


def test_shut_down_ends_a_drain() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        queue.add("a")
        await queue.get()
        drains = [asyncio.create_task(queue.drain()) for _ in range(2)]
        cancelled = asyncio.create_task(queue.drain())
        await _settle()
        cancelled.cancel()
        assert not any(drain.done() for drain in drains)
        queue.shut_down()
        await asyncio.gather(*drains)
        assert not queue._drains

    run(main())


def test_workers_and_drain_together() -> None:
    async def main() -> None:
        queue = WorkQueue[int]()
        done = set()

        async def worker() -> None:
            with suppress(ShutDown):
                while True:
                    async with queue.take() as key:
                        await asyncio.sleep(0)
                        done.add(key)

        async with asyncio.TaskGroup() as group:
            for _ in range(4):
                group.create_task(worker())
            for key in range(100):
                queue.add(key)
            await queue.drain()
            assert done == set(range(100))

    run(main())
