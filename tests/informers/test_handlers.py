"""Handlers and their queues: what may be left out, what may not, and who holds up whom."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.informers.changes import Change
from kubewright.informers.handlers import Registration, resync
from kubewright.machinery.errors import WaitTimeout
from kubewright.models.core_v1 import ConfigMap
from tests.informers.objects import kept, state_of

Handler = Callable[[Change[ConfigMap]], Awaitable[object] | object]


async def turns(count: int = 10) -> None:
    """Let the tasks of the loop run until those that wait for nothing have done what they can."""
    for _ in range(count):
        await asyncio.sleep(0)


async def stop(registration: Registration[ConfigMap], task: asyncio.Task[None]) -> None:
    registration.remove()
    await asyncio.wait_for(task, 5)


def start(handler: Handler) -> tuple[Registration[ConfigMap], asyncio.Task[None]]:
    registration = Registration(handler, "handler test")
    return registration, asyncio.create_task(registration.run())


def added(name: str, revision: int, uid: str = "") -> Change[ConfigMap]:
    return Change(f"default/{name}", None, kept(name, revision, uid))


def modified(name: str, old: int, new: int) -> Change[ConfigMap]:
    return Change(f"default/{name}", kept(name, old), kept(name, new))


def deleted(name: str, revision: int, uid: str = "") -> Change[ConfigMap]:
    return Change(f"default/{name}", kept(name, revision, uid), None)


def seen_by(changes: list[Change[ConfigMap]]) -> list[tuple[str, str, int]]:
    told: list[tuple[str, str, int]] = []
    for change in changes:
        state = state_of(change.object)
        assert state is not None
        told.append((change.type, change.key.removeprefix("default/"), state[1]))
    return told


class Truth:
    """What happens to some objects, as a reflector pushes it, and what a handler must make of it."""

    def __init__(self) -> None:
        self.revision = 0
        self.now: dict[str, ConfigMap] = {}
        self.last: dict[str, int] = {}
        """The last state of each uid."""
        self.deleted: list[str] = []
        self.told: dict[str, tuple[str, int]] = {}
        self.told_deleted: list[str] = []

    def write(self, key: str) -> Change[ConfigMap]:
        self.revision += 1
        old = self.now.get(key)
        known = state_of(old)
        uid = known[0] if known is not None else f"{key} since {self.revision}"
        self.now[key] = kept(key, self.revision, uid, namespace="")
        self.last[uid] = self.revision
        return Change(key, old, self.now[key])

    def delete(self, key: str) -> Change[ConfigMap]:
        self.revision += 1
        known = state_of(self.now.pop(key))
        assert known is not None
        self.last[known[0]] = self.revision
        self.deleted.append(known[0])
        return Change(key, kept(key, self.revision, known[0], namespace=""), None)

    def handle(self, change: Change[ConfigMap]) -> None:
        """Hold the handler's history to the guarantee."""
        state, before = state_of(change.object), self.told.get(change.key)
        assert state is not None
        if change.type == "ADDED":
            assert before is None, "added twice"
        elif change.type == "DELETED":
            assert before is not None, "deleted before it was added"
            assert before[0] == state[0]
            assert state[1] == self.last[state[0]], "not the last state"
            self.told_deleted.append(state[0])
            del self.told[change.key]
            return
        else:
            assert state_of(change.old) == before, "not what this handler was told last"
            assert before is not None
            assert before[0] == state[0], "another object"
            assert before[1] <= state[1] if change.resync else before[1] < state[1], "back in time"
        self.told[change.key] = state

    def check(self) -> None:
        assert self.told == {key: state_of(obj) for key, obj in self.now.items()}
        assert sorted(self.told_deleted) == sorted(self.deleted)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from("abc")),
        st.tuples(st.just("delete"), st.sampled_from("abc")),
        st.tuples(st.just("resync"), st.sampled_from("abc")),
        st.tuples(st.just("deliver"), st.integers(1, 4)),
        st.just(("run", None)),
    ),
    max_size=40,
)


@given(STEPS, st.booleans())
def test_whatever_happens_meanwhile_a_handler_hears_one_history(steps: Any, slow: bool) -> None:
    async def test() -> None:
        truth, permits = Truth(), asyncio.Semaphore(0)

        async def handler(change: Change[ConfigMap]) -> None:
            # A slow one has changes pushed while it is at one.
            if not slow:
                await permits.acquire()
            truth.handle(change)
            if slow:
                await permits.acquire()

        registration, task = start(handler)
        for step, argument in steps:
            if step == "write":
                registration.push(truth.write(argument))
            elif step == "deliver":
                for _ in range(argument):
                    permits.release()
                await turns()
            elif step == "run":
                await turns(2)
            elif argument in truth.now and step == "delete":
                registration.push(truth.delete(argument))
            elif argument in truth.now:
                obj = truth.now[argument]
                registration.push(Change(argument, obj, obj, resync=True))
            assert len(registration) <= 3
        for _ in range(len(steps) + 1):
            permits.release()
        await turns(5 * len(steps) + 10)
        assert len(registration) == 0
        assert not task.done(), "a law was broken, which the log tells"
        truth.check()
        await stop(registration, task)

    broken: list[logging.LogRecord] = []

    class Watcher(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            broken.append(record)

    watcher = Watcher()
    log = logging.getLogger("kubewright.informers")
    log.addHandler(watcher)
    try:
        asyncio.run(test())
    finally:
        log.removeHandler(watcher)
    assert [record.exc_info for record in broken] == []


def test_changes_that_were_not_told_become_one() -> None:
    async def test() -> None:
        heard: list[Change[ConfigMap]] = []
        registration = Registration(heard.append, "handler test")
        for change in (added("a", 1), added("b", 2), modified("a", 1, 3), modified("a", 3, 4)):
            registration.push(change)
        for change in (added("c", 5), deleted("c", 6), added("c", 7, "other"), deleted("b", 8)):
            registration.push(change)
        assert len(registration) == 3
        task = asyncio.create_task(registration.run())
        await turns()
        assert seen_by(heard) == [
            ("ADDED", "a", 4),
            ("ADDED", "b", 2),
            ("DELETED", "b", 8),
            ("ADDED", "c", 5),
            ("DELETED", "c", 6),
            ("ADDED", "c", 7),
        ]
        heard.clear()
        for change in (modified("a", 4, 9), modified("a", 9, 10), deleted("a", 11)):
            registration.push(change)
        await turns()
        assert seen_by(heard) == [("MODIFIED", "a", 10), ("DELETED", "a", 11)]
        await stop(registration, task)

    asyncio.run(test())


def test_a_million_updates_of_ten_objects_wait_as_ten() -> None:
    async def test() -> None:
        heard: list[Change[ConfigMap]] = []
        registration = Registration(heard.append, "handler test")
        states = [kept("x", revision) for revision in range(3)]
        updates = [Change(f"default/{number}", states[1], states[2]) for number in range(10)]
        for number in range(10):
            registration.push(Change(f"default/{number}", states[0], states[1]))
        for _ in range(100_000):
            for update in updates:
                registration.push(update)
        assert len(registration) == 10
        task = asyncio.create_task(registration.run())
        await turns()
        assert [(change.key, state_of(change.old), state_of(change.new)) for change in heard] == [
            (f"default/{number}", state_of(states[0]), state_of(states[2])) for number in range(10)
        ]
        await stop(registration, task)

    asyncio.run(test())


def test_what_a_handler_raises_is_logged_and_the_next_change_follows(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        heard: list[str] = []

        def handler(change: Change[ConfigMap]) -> Awaitable[None] | None:
            heard.append(change.key)
            if len(heard) == 1:
                raise ValueError("no")
            return late() if len(heard) == 2 else None

        async def late() -> None:
            await asyncio.sleep(0)
            raise KeyError("later")

        registration, task = start(handler)
        for change in (added("a", 1), deleted("b", 2), added("c", 3)):
            registration.push(change)
        await turns()
        assert heard == ["default/a", "default/b", "default/c"]
        await stop(registration, task)

    with caplog.at_level(logging.ERROR, "kubewright.informers"):
        asyncio.run(test())
    assert [record.getMessage() for record in caplog.records] == [
        "handler test failed when told that default/a was added",
        "handler test failed when told that default/b was deleted",
    ]
    assert all(record.exc_info for record in caplog.records)


def test_what_a_handler_waited_for_may_be_cancelled_and_the_handler_goes_on() -> None:
    async def test() -> None:
        heard: list[str] = []
        waited: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def handler(change: Change[ConfigMap]) -> None:
            heard.append(change.key)
            if len(heard) == 1:
                await waited

        registration, task = start(handler)
        registration.push(added("a", 1))
        registration.push(added("b", 2))
        await turns()
        waited.cancel()
        await turns()
        assert heard == ["default/a", "default/b"]
        await stop(registration, task)

    asyncio.run(test())


def test_a_handler_whose_task_is_cancelled_ends() -> None:
    async def test() -> None:
        async def handler(change: Change[ConfigMap]) -> None:
            await asyncio.Event().wait()

        registration, task = start(handler)
        registration.push(added("a", 1))
        await turns()
        task.cancel()
        await asyncio.wait([task], timeout=5)
        assert task.cancelled()

    asyncio.run(test())


def test_one_change_at_a_time_and_a_slow_handler_holds_up_no_other() -> None:
    async def test() -> None:
        gate, running, quick_heard = asyncio.Event(), 0, 0

        async def slow(change: Change[ConfigMap]) -> None:
            nonlocal running
            running += 1
            assert running == 1
            await gate.wait()
            running -= 1

        def quick(change: Change[ConfigMap]) -> None:
            nonlocal quick_heard
            quick_heard += 1

        first, first_task = start(slow)
        second, second_task = start(quick)
        for number in range(20):
            for registration in (first, second):
                registration.push(added(f"a{number}", number))
        await turns()
        assert quick_heard == 20
        assert len(first) == 19
        gate.set()
        await turns(50)
        assert len(first) == 0
        await stop(first, first_task)
        await stop(second, second_task)

    asyncio.run(test())


def test_a_handler_that_never_waits_lets_others_run() -> None:
    async def test() -> None:
        heard = 0

        def handler(change: Change[ConfigMap]) -> None:
            nonlocal heard
            heard += 1

        registration, task = start(handler)
        for number in range(1000):
            registration.push(added(f"a{number}", 1))
        await turns(3)
        assert 0 < heard < 1000
        await turns(30)
        assert heard == 1000
        await stop(registration, task)

    asyncio.run(test())


def test_a_handler_that_is_removed_by_itself_hears_no_more() -> None:
    async def test() -> None:
        heard: list[str] = []
        removed: list[str] = []

        def handler(change: Change[ConfigMap]) -> None:
            heard.append(change.type)
            registration.remove()
            registration.remove()

        registration, task = start(handler)
        registration.when_removed(lambda: removed.append("once"))
        # Two that wait as a list, and one of another object.
        for change in (added("a", 1), deleted("a", 2), added("b", 3)):
            registration.push(change)
        await asyncio.wait_for(task, 5)
        assert heard == ["ADDED"]
        assert removed == ["once"]
        assert len(registration) == 0
        assert registration.is_removed

    asyncio.run(test())


def test_one_that_waits_for_changes_ends_when_it_is_removed() -> None:
    async def test() -> None:
        registration, task = start(lambda change: None)
        await turns()
        await stop(registration, task)
        assert task.done()

    asyncio.run(test())


def test_synced_waits_until_the_handler_has_heard_of_all_that_was_there() -> None:
    async def test() -> None:
        gate, heard = asyncio.Event(), []

        async def handler(change: Change[ConfigMap]) -> None:
            await gate.wait()
            heard.append(change.key)

        registration, task = start(handler)
        registration.push(added("a", 1))
        registration.push(added("b", 2))
        registration.push_mark()
        registration.push(added("c", 3))
        waiter = asyncio.create_task(registration.synced())
        await turns()
        assert not waiter.done()
        with pytest.raises(
            WaitTimeout, match=r"handler test was not told of all within 0 seconds: 2 are waiting"
        ):
            await registration.synced(timeout=0)
        gate.set()
        await asyncio.wait_for(waiter, 5)
        assert heard[:2] == ["default/a", "default/b"]
        await registration.synced(timeout=0)
        await turns()
        assert heard == ["default/a", "default/b", "default/c"]
        await stop(registration, task)

    asyncio.run(test())


def test_the_mark_wakes_a_handler_that_was_told_all() -> None:
    async def test() -> None:
        registration, task = start(lambda change: None)
        await turns()
        registration.push_mark()
        await registration.synced(timeout=5)
        await stop(registration, task)

    asyncio.run(test())


def test_a_resync_tells_of_all_that_there_is_but_not_of_what_waits() -> None:
    async def test() -> None:
        heard: list[Change[ConfigMap]] = []
        objects = {"default/a": kept("a", 1), "default/b": kept("b", 2)}
        slept: list[float] = []
        next_round = asyncio.Semaphore(0)

        async def sleep(seconds: float) -> None:
            slept.append(seconds)
            await next_round.acquire()

        registration = Registration(heard.append, "handler test")
        resyncs = asyncio.create_task(resync(registration, 60, objects.items, sleep))
        registration.push(added("a", 1))
        next_round.release()
        await turns()
        task = asyncio.create_task(registration.run())
        await turns()
        assert [(change.type, change.key, change.resync) for change in heard] == [
            ("ADDED", "default/a", False),
            ("MODIFIED", "default/b", True),
        ]
        heard.clear()
        next_round.release()
        await turns()
        assert [change.key for change in heard if change.resync] == ["default/a", "default/b"]
        assert all(state_of(change.old) == state_of(change.new) for change in heard)
        assert slept == [60, 60, 60]
        await stop(registration, task)
        next_round.release()
        await asyncio.wait_for(resyncs, 5)
        assert len(heard) == 2, "told after it was removed"

    asyncio.run(test())


def test_a_change_after_a_resync_that_waits_is_a_change() -> None:
    async def test() -> None:
        heard: list[Change[ConfigMap]] = []
        registration = Registration(heard.append, "handler test")
        state = kept("a", 1)
        registration.push(Change("default/a", state, state, resync=True))
        registration.push(modified("a", 1, 2))
        task = asyncio.create_task(registration.run())
        await turns()
        assert [(change.resync, state_of(change.old), state_of(change.new)) for change in heard] == [
            (False, state_of(state), state_of(kept("a", 2)))
        ]
        await stop(registration, task)

    asyncio.run(test())
