"""A queue under random operations, against a model without event loop, heap or deque."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kubewright.testing.clock import ManualClock
from kubewright.workqueue import FastSlow, QueueMetrics, ShutDown, WorkQueue

NAMES = "abc"
"""Few, so that they meet: most of what can go wrong takes one key in several places."""

KEYS = st.sampled_from(NAMES)
PRIORITIES = st.sampled_from([0, 0, 0, -1, 1, 2])
SECONDS = st.integers(-1, 6)
FAST, SLOW, ATTEMPTS = 1.0, 4.0, 2


@dataclass
class Model:
    """What the documentation says, in the plainest way."""

    now: float = 0.0
    ready: list[tuple[str, int]] = field(default_factory=list)
    processing: set[str] = field(default_factory=set)
    dirty: dict[str, int] = field(default_factory=dict)
    delays: list[tuple[float, str, int]] = field(default_factory=list)
    """In the order in which keys got their times."""
    failures: dict[str, int] = field(default_factory=dict)
    adds: int = 0
    retries: int = 0
    shut: bool = False

    def add(self, key: str, priority: int) -> None:
        if self.shut:
            return
        if key in self.processing:
            self.adds += key not in self.dirty
            self.dirty[key] = max(priority, self.dirty.get(key, priority))
        else:
            self.adds += self._push(key, priority)

    def add_after(self, key: str, seconds: float, priority: int) -> None:
        if self.shut:
            return
        self.retries += 1
        if seconds <= 0:
            self.add(key, priority)
            return
        when = self.now + seconds
        for place, (its, other, present) in enumerate(self.delays):
            if other == key:
                highest = max(priority, present)
                if its <= when:
                    self.delays[place] = (its, key, highest)
                else:
                    del self.delays[place]
                    self.delays.append((when, key, highest))
                return
        self.delays.append((when, key, priority))

    def add_rate_limited(self, key: str, priority: int) -> None:
        if not self.shut:
            self.failures[key] = self.failures.get(key, 0) + 1
            self.add_after(key, FAST if self.failures[key] <= ATTEMPTS else SLOW, priority)

    def advance(self, seconds: float) -> None:
        self.now += seconds
        due = sorted([delay for delay in self.delays if delay[0] <= self.now], key=lambda delay: delay[0])
        self.delays = [delay for delay in self.delays if delay[0] > self.now]
        for _, key, priority in due:
            self.add(key, priority)

    def hand_out(self) -> str:
        first = max(self.ready, key=lambda item: item[1])  # the first of several
        self.ready.remove(first)
        assert first[0] not in self.processing
        self.processing.add(first[0])
        return first[0]

    def done(self, key: str) -> None:
        self.processing.remove(key)
        if key in self.dirty:
            self._push(key, self.dirty.pop(key))

    def shut_down(self) -> None:
        self.shut = True
        self.delays.clear()

    @property
    def idle(self) -> bool:
        return not self.ready and not self.processing

    def _push(self, key: str, priority: int) -> bool:
        present = dict(self.ready).get(key)
        if present is None or priority > present:
            self.ready = [*((other, its) for other, its in self.ready if other != key), (key, priority)]
        return present is None


class Worker:
    """Somebody who asked for a key, with `take` or with `get`."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, queue: WorkQueue[str], served: list[Worker], *, with_take: bool
    ) -> None:
        self.queue = queue
        self.take = queue.take() if with_take else None
        self.task = loop.create_task(self._run(served))
        self.began = False
        """Whether it waited already when the event loop ran last."""

    async def _run(self, served: list[Worker]) -> str:
        key = await (self.take.__aenter__() if self.take else self.queue.get())
        served.append(self)
        return key

    def finish(self) -> None:
        if self.take is None:
            self.queue.done(self.task.result())
        else:
            with suppress(StopIteration):  # ends in its first step: nothing is awaited
                self.take.__aexit__(None, None, None).send(None)


class Queues(RuleBasedStateMachine):
    """The queue beside its model. Workers run in `settle` only, so that what happens before it races."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.clock = ManualClock()
        self.metrics = QueueMetrics()
        self.queue = WorkQueue[str](
            clock=self.clock, rate_limiter=FastSlow(FAST, SLOW, ATTEMPTS), metrics=self.metrics
        )
        self.model = Model()
        self.served: list[Worker] = []
        """Those who got a key since the event loop ran last, in that order."""
        self.waiting: list[Worker] = []
        self.working: list[Worker] = []
        self.drains: list[asyncio.Task[None]] = []

    @rule(key=KEYS, priority=PRIORITIES)
    def add(self, key: str, priority: int) -> None:
        self.queue.add(key, priority=priority)
        self.model.add(key, priority)

    @rule(key=KEYS, seconds=SECONDS, priority=PRIORITIES)
    def add_after(self, key: str, seconds: float, priority: int) -> None:
        self.queue.add_after(key, seconds, priority=priority)
        self.model.add_after(key, seconds, priority)

    @rule(key=KEYS, priority=PRIORITIES)
    def add_rate_limited(self, key: str, priority: int) -> None:
        self.queue.add_rate_limited(key, priority=priority)
        self.model.add_rate_limited(key, priority)

    @rule(key=KEYS)
    def forget(self, key: str) -> None:
        self.queue.forget(key)
        self.model.failures.pop(key, None)

    @rule(seconds=st.integers(0, 4))
    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.model.advance(seconds)

    @rule(with_take=st.booleans())
    def ask(self, with_take: bool) -> None:
        self.waiting.append(Worker(self.loop, self.queue, self.served, with_take=with_take))

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        worker = data.draw(st.sampled_from(self.waiting))
        worker.task.cancel()
        self.waiting.remove(worker)

    @precondition(lambda self: self.working)
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        worker = data.draw(st.sampled_from(self.working))
        self.working.remove(worker)
        worker.finish()
        self.model.done(worker.task.result())

    @rule()
    def settle(self) -> None:
        self._run()
        fortunate = self.waiting[: len(self.model.ready)]
        assert set(self.served) == set(fortunate), "others were served than those who waited longest"
        waited = [worker for worker in fortunate if worker.began]
        assert waited == [worker for worker in self.served if worker.began]
        for worker in self.served:
            assert worker.task.result() == self.model.hand_out()
        self.working += self.served
        self.waiting = self.waiting[len(fortunate) :]
        self.served.clear()
        for worker in self.waiting:
            worker.began = True
            if self.model.shut:
                assert isinstance(worker.task.exception(), ShutDown)
            else:
                assert not worker.task.done()
        if self.model.shut:
            self.waiting.clear()
        assert all(drain.done() == self.model.idle for drain in self.drains)

    @precondition(lambda self: self.model.adds > 6)
    @rule(often=st.integers(0, 3))
    def shut_down(self, often: int) -> None:
        if often == 0:  # seldom, for what comes after is less interesting
            self.queue.shut_down()
            self.model.shut_down()
            drains, self.drains = self.drains, []
            self.settle()
            assert all(drain.done() for drain in drains)

    @precondition(lambda self: self.model.adds > 6)
    @rule(often=st.integers(0, 3))
    def drain(self, often: int) -> None:
        if often == 0:
            self.settle()
            self.drains.append(self.loop.create_task(self.queue.drain()))
            self.model.shut_down()
            self.settle()

    @invariant()
    def same(self) -> None:
        working = [worker.task.result() for worker in self.working]
        assert len(working) == len(set(working)), "a key is with two workers"
        assert set(working) == self.model.processing
        assert len(self.queue) == len(self.model.ready)
        assert all(key in self.queue for key, _ in self.model.ready)
        assert self.queue.shutting_down == self.model.shut
        assert [self.queue.retries(key) for key in NAMES] == [
            self.model.failures.get(key, 0) for key in NAMES
        ]
        snapshot = self.metrics.snapshot()
        assert (snapshot.adds, snapshot.retries) == (self.model.adds, self.model.retries)
        assert snapshot.depth == len(self.model.ready) + len(self.model.dirty)

    def teardown(self) -> None:
        """All that was added comes out: workers that take until the end get just what the model has left."""
        self.settle()
        self.advance(10)
        for _ in range(100):
            if not (self.working or self.model.ready or self.waiting):
                break
            for worker in self.working[:]:
                self.working.remove(worker)
                worker.finish()
                self.model.done(worker.task.result())
            if not self.model.shut and self.model.idle:
                self.queue.shut_down()
                self.model.shut_down()
            if self.model.ready:
                self.ask(True)
            self.settle()
        assert len(self.queue) == 0
        assert self.metrics.snapshot().depth == 0
        assert self.queue._woken == 0
        assert not self.queue._waiters
        self._run()
        self.loop.close()

    def _run(self) -> None:
        async def steps() -> None:
            for _ in range(6):
                await asyncio.sleep(0)

        self.loop.run_until_complete(steps())


TestQueues = Queues.TestCase
