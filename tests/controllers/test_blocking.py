"""A reconcile that blocks the event loop is reported while it does, with its place, and counted."""

from __future__ import annotations

import asyncio
import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from kubewright import Context, Request
from kubewright.client.client import Client
from kubewright.controllers.blocking import BlockedTime, LoopWatchdog, Silence, is_in_debugger
from kubewright.controllers.exposition import rendered
from kubewright.controllers.manager import Manager
from kubewright.models.core_v1 import ConfigMap
from tests.controllers.running import PATIENCE, config_map, managed, on_a_cluster, until

LOGGER = "kubewright.controllers.blocking"
AFTER = 0.2
"""Seconds: a block ends only when it was reported, so that this is no race."""


class TestSilence:
    def test_looks_add_up(self) -> None:
        silence = Silence(0.25)
        assert [silence.look(0.25) for _ in range(4)] == [0.25, 0.5, 0.75, 1.0]
        assert silence.restart() == 1.0
        assert silence.seconds == 0

    def test_a_process_that_was_stopped(self) -> None:
        silence = Silence(0.25)
        assert silence.look(3600) == 0.25

    def test_a_thread_that_holds_the_lock_of_the_interpreter(self) -> None:
        silence = Silence(0.25)
        assert silence.look(5.0, computed=4.9) == 4.9
        assert silence.look(0.3, computed=9.0) == pytest.approx(5.2)


def test_a_debugger_is_known_by_its_frames() -> None:
    names: dict[str, Any] = {"__name__": "pdb", "sys": sys}
    exec("def frame(): return sys._getframe()", names)  # noqa: S102 - its module is another
    assert is_in_debugger(names["frame"]())
    assert not is_in_debugger(sys._getframe())
    assert not is_in_debugger(None)


class Gate:
    """Blocks a thread until the log has a line."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self._caplog = caplog
        self._over = threading.Event()

    def block(self) -> None:
        """What a reconcile must not do; it ends when that was reported."""
        until_ = time.monotonic() + PATIENCE
        while not reported(self._caplog, "blocks the event loop") and time.monotonic() < until_:
            self._over.wait(0.01)


def reported(caplog: pytest.LogCaptureFixture, words: str) -> list[logging.LogRecord]:
    return [each for each in caplog.records if each.name == LOGGER and words in each.getMessage()]


def metric(manager: Manager, name: str, controller: str) -> float:
    value = manager.registry.get_sample_value(name, {"controller": controller})
    assert value is not None
    return value


def test_a_reconcile_that_blocks(caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate(caplog)

    async def reconcile(ctx: Context, request: Request) -> None:
        if request.name == "slow":
            gate.block()

    async def test(client: Client) -> None:
        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile, name="copier")

        async with managed(client, set_up, blocked_after=AFTER) as manager:
            assert metric(manager, "kubewright_event_loop_blocks_total", "copier") == 0
            await client.api(ConfigMap, "default").create(config_map("slow"))
            await until(lambda: reported(caplog, "blocked the event loop for"), "the second line")
            assert metric(manager, "kubewright_event_loop_blocks_total", "copier") >= 1
            assert metric(manager, "kubewright_event_loop_blocked_seconds_total", "copier") >= AFTER
            assert b"# HELP kubewright_event_loop_blocked_seconds_total" in rendered(manager.registry)[0]

    with caplog.at_level(logging.WARNING, logger=LOGGER):
        on_a_cluster(test)
    first = reported(caplog, "blocks the event loop")[0]
    assert first.getMessage().startswith("copier: the reconcile of default/slow blocks the event loop, for ")
    assert "asyncio.to_thread" in first.getMessage()
    assert f"{__file__}:" in first.getMessage()
    assert " in Gate.block;" in first.getMessage()
    fields = vars(first)
    assert (fields["controller"], fields["object"]) == ("copier", "default/slow")
    assert fields["blocked_seconds"] >= AFTER
    assert first.stack_info is not None
    assert "gate.block()" in first.stack_info
    assert "run_forever" not in first.stack_info
    last = reported(caplog, "blocked the event loop for")[0]
    assert "copier: the reconcile of default/slow blocked the event loop for " in last.getMessage()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 does not tell the context of a task")
def test_a_task_of_a_reconcile_that_blocks(caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate(caplog)

    async def inner() -> None:
        gate.block()

    async def reconcile(ctx: Context, request: Request) -> None:
        if request.name == "slow":
            await asyncio.create_task(inner())

    async def test(client: Client) -> None:
        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile)

        async with managed(client, set_up, blocked_after=AFTER):
            await client.api(ConfigMap, "default").create(config_map("slow"))
            await until(lambda: reported(caplog, "blocked the event loop for"), "the second line")

    with caplog.at_level(logging.WARNING, logger=LOGGER):
        on_a_cluster(test)
    assert reported(caplog, "configmap: the reconcile of default/slow blocks the event loop")


def in_a_loop(work: Callable[[], object], blocked: BlockedTime) -> None:
    """Watch a loop in which a callback is called, until the watchdog has counted that or it has returned."""

    async def main() -> None:
        with LoopWatchdog(AFTER, blocked).watching():
            asyncio.get_running_loop().call_soon(work)
            await asyncio.sleep(0)
            await until(lambda: blocked.blocks, "the block is counted")

    asyncio.run(main())


def test_a_callback_that_blocks(caplog: pytest.LogCaptureFixture) -> None:
    blocked = BlockedTime()
    with caplog.at_level(logging.WARNING, logger=LOGGER):
        in_a_loop(Gate(caplog).block, blocked)
    assert reported(caplog, "a callback blocks the event loop")
    assert set(blocked.blocks) == {""}
    assert blocked.seconds[""] >= AFTER


@pytest.mark.parametrize("wrong", [0, -1, True, "1"])
def test_a_time_that_cannot_be(wrong: Any) -> None:
    async def main() -> None:
        with pytest.raises(ValueError, match=r"blocked_after is .*None for no watch"):
            Manager(blocked_after=wrong)

    asyncio.run(main())


def test_it_can_be_switched_off() -> None:
    async def test(client: Client) -> None:
        async with managed(client, lambda manager: None, blocked_after=None):
            await asyncio.sleep(0)
            names = [thread.name for thread in threading.enumerate()]
            assert not any("watchdog" in name for name in names)

    on_a_cluster(test)


def test_the_thread_ends_with_the_manager() -> None:
    async def test(client: Client) -> None:
        async with managed(client, lambda manager: None) as manager:
            await until(lambda: any("watchdog" in each.name for each in threading.enumerate()), "it runs")
            assert manager is not None
        assert not any("watchdog" in each.name for each in threading.enumerate())

    on_a_cluster(test)


PROGRAM = f"""
import asyncio, logging, sys
from kubewright.controllers.blocking import BlockedTime, LoopWatchdog

logging.basicConfig(stream=sys.stdout)

async def main():
    with LoopWatchdog({AFTER}, BlockedTime()).watching():
        print("watching", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)

asyncio.run(main())
"""


def test_a_process_that_is_stopped_is_not_reported() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdin is not None
        assert program.stdout.readline() == "watching\n"
        for _ in range(5):
            program.send_signal(signal.SIGSTOP)
            time.sleep(2 * AFTER)  # it must be stopped for longer than a block may be
            program.send_signal(signal.SIGCONT)
        said, _ = program.communicate("\n", timeout=PATIENCE)
    assert said == ""
