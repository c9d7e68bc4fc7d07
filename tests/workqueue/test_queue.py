"""What is added is handed out: once, in order, to one worker at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from kubewright.workqueue import ShutDown, WorkQueue
from tests.workqueue.running import run


def handed_out(queue: WorkQueue[str]) -> list[str]:
    """All that is ready, in order; needs no waiting."""

    async def main() -> list[str]:
        keys = []
        while len(queue):
            async with queue.take() as key:
                keys.append(key)
        return keys

    return run(main())


def test_keys_come_in_the_order_of_adding_each_once() -> None:
    queue = WorkQueue[str]()
    for key in ("a", "b", "a", "c", "b"):
        queue.add(key)
    assert len(queue) == 3
    assert handed_out(queue) == ["a", "b", "c"]


def test_len_and_in_count_what_can_be_handed_out() -> None:
    async def main() -> None:
        queue = WorkQueue[str](name="pods")
        assert len(queue) == 0
        queue.add("a")
        assert len(queue) == 1
        assert "a" in queue
        assert "b" not in queue
        async with queue.take():
            queue.add("a")
            assert len(queue) == 0
            assert "a" not in queue
            assert repr(queue) == "<WorkQueue 'pods': 0 ready, 1 worked on, 0 delayed>"
        assert "a" in queue
        queue.shut_down()
        assert repr(queue) == "<WorkQueue 'pods': 1 ready, 0 worked on, 0 delayed, shutting down>"

    run(main())


def test_an_empty_queue_is_true() -> None:
    assert WorkQueue[str]()


def test_a_key_added_while_worked_on_comes_again_at_the_end() -> None:
    async def main() -> list[str]:
        queue = WorkQueue[str]()
        queue.add("a")
        queue.add("b")
        seen = []
        async with queue.take() as key:
            seen.append(key)
            queue.add("a")
            queue.add("a")
            queue.add("c")
        while len(queue):
            async with queue.take() as key:
                seen.append(key)
        return seen

    assert run(main()) == ["a", "b", "c", "a"]


def test_a_key_is_never_with_two_workers() -> None:
    async def main() -> int:
        queue = WorkQueue[str]()
        working: set[str] = set()
        rounds = 0
        enough = asyncio.Event()

        async def worker() -> None:
            nonlocal rounds
            with suppress(ShutDown):
                while True:
                    async with queue.take() as key:
                        assert key not in working
                        working.add(key)
                        rounds += 1
                        await asyncio.sleep(0)
                        if rounds < 200:
                            queue.add(key)
                            queue.add("abc"[rounds % 3])
                        else:
                            enough.set()
                        await asyncio.sleep(0)
                        working.remove(key)

        async with asyncio.TaskGroup() as group:
            for _ in range(5):
                group.create_task(worker())
            queue.add("a")
            await enough.wait()
            await queue.drain()
        return rounds

    assert run(main()) >= 200


def test_higher_priorities_come_first_and_equal_ones_in_order() -> None:
    queue = WorkQueue[str]()
    for key, priority in [("a", 0), ("b", 5), ("c", -5), ("d", 0), ("e", 5), ("f", 7), ("g", -5)]:
        queue.add(key, priority=priority)
    assert handed_out(queue) == ["f", "b", "e", "a", "d", "c", "g"]


def test_a_low_priority_starves_while_there_is_a_higher_one() -> None:
    async def main() -> list[str]:
        queue = WorkQueue[str]()
        queue.add("low", priority=-1)
        seen = []
        for number in range(100):
            queue.add(f"high-{number}")
            async with queue.take() as key:
                seen.append(key)
        return [*seen, await queue.get()]

    seen = run(main())
    assert seen == [*(f"high-{number}" for number in range(100)), "low"]


def test_adding_again_raises_a_priority_and_never_lowers_it() -> None:
    queue = WorkQueue[str]()
    queue.add("a")
    queue.add("b", priority=3)
    queue.add("c", priority=3)
    queue.add("d")
    queue.add("d", priority=3)  # behind those that had the priority before
    queue.add("b", priority=-1)
    queue.add("c")
    assert handed_out(queue) == ["b", "c", "d", "a"]


def test_a_raised_key_is_not_handed_out_at_its_old_place_as_well() -> None:
    queue = WorkQueue[str]()
    for key in "abc":
        queue.add(key)
    queue.add("b", priority=1)
    assert len(queue) == 3
    assert handed_out(queue) == ["b", "a", "c"]


def test_a_raised_key_that_comes_back_is_at_the_end() -> None:
    async def main() -> list[str]:
        queue = WorkQueue[str]()
        for key in "abcd":
            queue.add(key)
        queue.add("b", priority=1)
        assert await queue.get() == "b"
        queue.done("b")
        queue.add("b")
        return [await queue.get() for _ in range(4)]

    assert run(main()) == ["a", "c", "d", "b"]


def test_priorities_count_for_keys_added_while_worked_on() -> None:
    async def main() -> list[str]:
        queue = WorkQueue[str]()
        queue.add("a")
        async with queue.take():
            queue.add("b", priority=2)
            queue.add("a", priority=3)
            queue.add("a", priority=1)
        return [await queue.get(), await queue.get()]

    assert run(main()) == ["a", "b"]


def test_the_priority_that_a_key_had_when_it_was_handed_out() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        queue.add("a", priority=-3)
        queue.add("b", priority=-3)
        queue.add("b", priority=2)
        queue.add("c")
        for key, priority in (("b", 2), ("c", 0), ("a", -3)):
            async with queue.take() as taken:
                queue.add(taken, priority=9)  # For the next time.
                assert (taken, queue.priority_of(taken)) == (key, priority)
            async with queue.take() as taken:
                assert (taken, queue.priority_of(taken)) == (key, 9)
            with pytest.raises(ValueError, match="is for a key that is being worked on"):
                queue.priority_of(key)

    run(main())


def test_the_highest_priority_at_the_moment_a_worker_runs_wins() -> None:
    async def main() -> list[str]:
        queue = WorkQueue[str]()
        first, second = asyncio.create_task(queue.get()), asyncio.create_task(queue.get())
        await asyncio.sleep(0)
        queue.add("low")  # wakes the first worker
        queue.add("high", priority=1)
        queue.add("low")
        return [await first, await second]

    assert run(main()) == ["high", "low"]


@pytest.mark.parametrize("error", [ValueError("x"), asyncio.CancelledError(), KeyboardInterrupt()])
def test_done_is_called_however_a_block_ends(error: BaseException) -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        queue.add("a")

        async def work() -> None:
            async with queue.take():
                queue.add("a")
                raise error

        with pytest.raises(type(error)):
            await work()
        assert "a" in queue
        async with queue.take() as key:
            assert key == "a"
        assert len(queue) == 0
        await queue.drain()

    run(main())


def test_a_cancelled_worker_gives_its_key_up() -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        queue.add("a")

        async def worker() -> None:
            async with queue.take():
                await asyncio.Event().wait()

        task = asyncio.create_task(worker())
        await asyncio.sleep(0)
        queue.add("a")
        assert "a" not in queue
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert "a" in queue

    run(main())


async def _done_without_get(queue: WorkQueue[str]) -> None:
    queue.done("a")


async def _done_twice(queue: WorkQueue[str]) -> None:
    queue.done(await queue.get())
    queue.done("a")


async def _done_in_take(queue: WorkQueue[str]) -> None:
    async with queue.take() as key:
        queue.done(key)


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (_done_without_get, "it is not being worked on"),
        (_done_twice, "it is not being worked on"),
        (_done_in_take, r"take\(\) calls done itself"),
    ],
)
def test_done_is_for_keys_from_get(misuse: Callable[[WorkQueue[str]], Awaitable[None]], message: str) -> None:
    async def main() -> None:
        queue = WorkQueue[str]()
        queue.add("a")
        with pytest.raises(ValueError, match=message):
            await misuse(queue)
        await asyncio.sleep(0)
        queue.add("a")
        assert await queue.get() == "a"

    run(main())


def test_any_hashable_value_is_a_key() -> None:
    async def main() -> None:
        queue = WorkQueue[tuple[str, int] | None]()
        queue.add(None)
        queue.add(("a", 1), priority=1)
        queue.add(("a", 1))
        assert await queue.get() == ("a", 1)
        assert await queue.get() is None

    run(main())


def test_take_does_not_yield_while_there_are_keys() -> None:
    async def main() -> None:
        queue = WorkQueue[int]()
        turns = 0

        def count() -> None:
            nonlocal turns
            turns += 1
            asyncio.get_running_loop().call_soon(count)

        asyncio.get_running_loop().call_soon(count)
        for number in range(50):
            queue.add(number)
        for _ in range(50):
            async with queue.take():
                pass
        assert turns == 0

    run(main())
