"""Managers that are stopped and go on at any time: there are never two leaders."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from pathlib import Path
from random import Random

import pytest

from tests.controllers.leadership.history import overlaps, read_acts, stale_writes, uneven
from tests.controllers.leadership.processes import Operator
from tests.controllers.leadership.scenes import PATIENCE, Scene, on_stage, two_leaders
from tests.controllers.leadership.small_operator import Timing
from tests.controllers.servers import Server

TIMING = Timing(lease=1.0, renew=0.6, retry=0.12)
"""The shortest: a Lease counts in whole seconds."""

PAUSES = 200

HAND_OVERS = 10
"""How often another one must have led, or the test says little; by chance it is about twice as often."""

COUNTERS = 3
"""Each is added to every 20 milliseconds, so that pauses meet with writes under way."""

_log = logging.getLogger(__name__)


async def pause(operator: Operator, seconds: float) -> None:
    """Stop a process for so long."""
    operator.signal(signal.SIGSTOP)
    try:
        await asyncio.sleep(seconds)
    finally:
        operator.signal(signal.SIGCONT)


async def pause_until_replaced(scene: Scene) -> None:
    """Stop the leader until another one is at work."""
    before, history, leader = scene.history.holder, scene.history, scene.leader

    def is_replaced() -> bool:
        at_work = {act.identity for act in read_acts(scene.folder.glob("*.acts"))}
        return history.holder != before and history.holder in at_work

    leader.signal(signal.SIGSTOP)
    try:
        await history.until(is_replaced, within=PATIENCE)
    finally:
        leader.signal(signal.SIGCONT)


async def pause_at_random(scene: Scene, random: Random) -> None:
    """Stop processes at random moments, both at times, for shorter and for longer than the lease."""
    paused: dict[str, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as tasks:
        for number in range(PAUSES):
            running = [each for each in scene.operators if each.options.name not in paused]
            if not running:
                await asyncio.wait(paused.values(), return_when=asyncio.FIRST_COMPLETED)
                paused = {name: task for name, task in paused.items() if not task.done()}
                running = [each for each in scene.operators if each.options.name not in paused]
            # Longer than the lease mostly for the leader, with somebody there who can take over.
            is_long = random.random() < (0.35 if len(running) > 1 else 0.05)
            leading = [each for each in running if f".{each.pid}." in scene.history.holder]
            chosen = leading[0] if is_long and leading and random.random() < 0.8 else random.choice(running)
            assert not chosen.has_ended, f"{chosen.options.name} has ended: {chosen.log.read_text()[-2000:]}"
            # On a busy machine it takes half a second beyond the lease until another one leads.
            seconds = random.uniform(1.0, 1.9) if is_long else random.uniform(0.01, 0.15)
            paused[chosen.options.name] = tasks.create_task(pause(chosen, seconds), name=f"pause {number}")
            await asyncio.sleep(random.expovariate(1 / 0.25))
            paused = {name: task for name, task in paused.items() if not task.done()}


@pytest.mark.slow
def test_there_are_never_two_leaders(server: Server, tmp_path: Path) -> None:
    seed = int(os.environ.get("KUBEWRIGHT_SEED") or Random().getrandbits(32))  # noqa: S311 - for times

    async def test() -> Scene:
        async with on_stage(server, tmp_path, TIMING, count=2, again=True) as scene:
            for number in range(COUNTERS):
                await scene.create("counter", f"counter-{number}")
            await pause_at_random(scene, Random(seed))  # noqa: S311 - for times
            while scene.history.hand_overs < HAND_OVERS:
                # On a machine that is so busy that pauses end before anybody has taken over.
                await pause_until_replaced(scene)
            written = len(scene.history.written)
            await scene.history.until(lambda: len(scene.history.written) > written, within=PATIENCE)
        return scene

    began = asyncio.run(test())
    history = began.history
    _log.info("%d pauses, %d hand-overs, %d writes", PAUSES, history.hand_overs, len(history.written))
    found = two_leaders(began)
    assert not found, f"KUBEWRIGHT_SEED={seed}: {found}"
    assert history.hand_overs >= HAND_OVERS


@pytest.mark.slow
def test_the_oracles_see_two_leaders(server: Server, tmp_path: Path) -> None:
    """The same with operators that believe for ever that they lead."""

    async def test() -> Scene:
        async with on_stage(server, tmp_path, TIMING, count=2, again=True, unfenced=True) as scene:
            for number in range(COUNTERS):
                await scene.create("counter", f"counter-{number}")
            history = scene.history
            await history.until(lambda: history.written, within=PATIENCE)
            for _ in range(20):
                await pause_until_replaced(scene)
                await asyncio.sleep(0.2)
                if all(seen(scene)):
                    break
        return scene

    stale, twice, together = seen(asyncio.run(test()))
    assert stale
    assert twice
    assert together


def seen(scene: Scene) -> tuple[object, object, object]:
    """What each of the three oracles has found by now."""
    history = scene.history
    return (
        stale_writes(history.held, history.written),
        uneven(history.written),
        overlaps(read_acts(scene.folder.glob("*.acts"))),
    )
