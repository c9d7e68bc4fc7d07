"""The garbage collector looks at all that there is when the process is at rest, and not while it works."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator

import pytest

from kubewright.server import collecting
from kubewright.server.collecting import collect_at_rest

PATIENCE = 60


class Work:
    """The CPU time of a process: it grows with each look while the process works."""

    def __init__(self) -> None:
        self.used = 0.0
        self.looks = 0
        self.works = True

    def __call__(self) -> float:
        self.looks += 1
        if self.works:
            self.used += 1000.0
        return self.used


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    found = Work()
    monkeypatch.setattr("kubewright.server.collecting.time.process_time", found)
    monkeypatch.setattr(collecting, "_LOOK_AFTER", 0.001)
    yield found
    gc.unfreeze()


def oldest() -> int:
    """How often all was looked at so far."""
    found: int = gc.get_stats()[2]["collections"]
    return found


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - the collector has no events
            await asyncio.sleep(0)


def test_all_is_looked_at_when_the_process_rests(work: Work) -> None:
    async def test() -> None:
        gc.collect()
        with collect_at_rest(asyncio.get_running_loop()):
            before = oldest()
            for _ in range(30):
                gc.collect(1)
            await until(lambda: work.looks > 10)
            assert oldest() == before, "it was in the way of the work"
            work.works = False
            await until(lambda: oldest() > before)
            looked = work.looks
            await asyncio.sleep(0.02)
            assert (oldest(), work.looks) == (before + 1, looked), "nothing polls"

    asyncio.run(test())


def test_what_was_is_restored(work: Work) -> None:
    async def test() -> None:
        before = gc.get_threshold(), list(gc.callbacks)
        with collect_at_rest(asyncio.get_running_loop()):
            assert gc.isenabled()
            for _ in range(30):
                gc.collect(1)
        assert (gc.get_threshold(), list(gc.callbacks)) == before

    asyncio.run(test())
