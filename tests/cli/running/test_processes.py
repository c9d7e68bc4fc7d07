"""Children: how they end, and that nothing of them stays."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from kubewright.cli.running import processes
from kubewright.cli.running.processes import Child
from kubewright.server.event_loop import new_event_loop
from tests.cli.run_process import left_in, processes_in

STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("ready", "w").close()
time.sleep(60)
"""

OBEDIENT = """
import signal, sys, time
def ended(number, frame):
    open("ended", "w").close()
    sys.exit(7)
signal.signal(signal.SIGTERM, ended)
open("ready", "w").close()
time.sleep(60)
"""


def child(folder: Path, program: str, hurry: asyncio.Event, **options: Any) -> Child:
    given = {"tell": print, **options}
    return Child(["-c", program], folder=folder, environment=dict(os.environ), hurry=hurry, **given)


async def until_there(path: Path) -> None:
    async with asyncio.timeout(30):
        while not path.exists():  # noqa: ASYNC110, ASYNC240 - another process makes it
            await asyncio.sleep(0.02)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


def test_it_ends_in_good_order(tmp_path: Path) -> None:
    async def test() -> None:
        async with child(tmp_path, OBEDIENT, asyncio.Event()) as made:
            await until_there(tmp_path / "ready")
        assert (tmp_path / "ended").exists()
        assert await made.ended() == 7

    run(test())
    assert left_in(tmp_path) == {}


def test_one_that_does_not_is_killed_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    async def test() -> None:
        async with child(tmp_path, STUBBORN, asyncio.Event(), tell=told.append) as made:
            await until_there(tmp_path / "ready")
            assert len(processes_in(tmp_path)) == 3
        assert await made.ended() == 128 + signal.SIGKILL

    monkeypatch.setattr(processes, "_PATIENCE", 0.1)
    run(test())
    assert left_in(tmp_path) == {}
    (sentence,) = told
    assert sentence.startswith("the program has not stopped")
    assert sentence.endswith("it is killed in 0.1 s")


def test_haste_kills_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        hurry = asyncio.Event()
        async with child(tmp_path, STUBBORN, hurry, tell=told.append):
            await until_there(tmp_path / "ready")
            asyncio.get_running_loop().call_later(0.1, hurry.set)

    told: list[str] = []
    # So long that nothing else takes as long, on no machine.
    monkeypatch.setattr(processes, "_PATIENCE", 300.0)
    began = time.monotonic()
    run(test())
    assert time.monotonic() - began < processes._PATIENCE
    assert told == []
    assert left_in(tmp_path) == {}


def test_who_is_cancelled_again_and_again_still_waits_for_the_end(tmp_path: Path) -> None:
    async def test() -> None:
        async def work() -> None:
            async with child(tmp_path, OBEDIENT, asyncio.Event()):
                await until_there(tmp_path / "ready")
                await asyncio.sleep(60)

        working = asyncio.create_task(work())
        await until_there(tmp_path / "ready")
        for _ in range(3):
            working.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await working
        assert (tmp_path / "ended").exists()

    run(test())
    assert left_in(tmp_path) == {}


@pytest.mark.parametrize("turns", range(4))
def test_cancelled_while_it_starts_it_does_not_stay(tmp_path: Path, turns: int) -> None:
    async def test() -> None:
        async def work() -> None:
            async with child(tmp_path, "import time; time.sleep(60)", asyncio.Event()):
                await asyncio.sleep(60)

        working = asyncio.create_task(work())
        for _ in range(turns):
            await asyncio.sleep(0)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working

    run(test())
    assert left_in(tmp_path) == {}


@pytest.mark.parametrize("turns", range(4))
def test_cancelled_again_while_it_starts_it_does_not_stay(
    tmp_path: Path, turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        begun = asyncio.Event()
        start = asyncio.create_subprocess_exec

        async def slow(*arguments: Any, **options: Any) -> asyncio.subprocess.Process:
            made = await start(*arguments, **options)
            begun.set()
            await asyncio.sleep(0.1)  # as asyncio does between the start and its answer
            return made

        async def work() -> None:
            async with child(tmp_path, "import time; time.sleep(60)", asyncio.Event()):
                await asyncio.sleep(60)

        monkeypatch.setattr(asyncio, "create_subprocess_exec", slow)
        working = asyncio.create_task(work())
        await begun.wait()
        for _ in range(2):
            working.cancel()
            for _ in range(turns):
                await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await working

    run(test())
    assert left_in(tmp_path) == {}


def test_what_it_leaves_behind_keeps_nobody_waiting(tmp_path: Path) -> None:
    async def test() -> None:
        sleeper = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
        program = f"import subprocess, sys; {sleeper}; print('tea')"
        async with child(tmp_path, program, asyncio.Event(), captured=True) as made:
            async with asyncio.timeout(30):
                assert await made.output() == b"tea\n"
                assert await made.ended() == 0
            assert left_in(tmp_path) == {}

    run(test())


def test_what_it_prints_and_how_it_ends(tmp_path: Path) -> None:
    async def test() -> None:
        program = "import os; print('tea', flush=True); os.kill(os.getpid(), 15)"
        async with child(tmp_path, program, asyncio.Event(), captured=True) as made:
            assert await made.output() == b"tea\n"
            assert await made.ended() == 143

    run(test())


def test_it_dies_with_who_started_it_and_with_all_that_it_started(tmp_path: Path) -> None:
    parent = f"""
import asyncio, os
from pathlib import Path
from kubewright.cli.running.processes import Child

async def main():
    folder, environment = Path({str(tmp_path)!r}), dict(os.environ)
    options = dict(folder=folder, environment=environment, hurry=asyncio.Event(), tell=print)
    async with Child(["-c", {STUBBORN!r}], **options):
        await asyncio.sleep(60)

asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", parent]) as process:
        asyncio.run(until_there(tmp_path / "ready"))
        assert len(processes_in(tmp_path)) == 3
        process.kill()
    try:
        assert left_in(tmp_path) == {}
    finally:
        for pid in processes_in(tmp_path):
            os.kill(pid, signal.SIGKILL)


def test_it_does_not_begin_when_who_started_it_has_died_before(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(writer)
    program = "import time; time.sleep(60)"
    ended = subprocess.run(
        [sys.executable, "-I", "-S", processes._LAUNCH, str(reader), sys.executable, "-c", program],
        pass_fds=[reader],
        cwd=tmp_path,
        start_new_session=True,
        timeout=30,
        check=False,
    )
    os.close(reader)
    assert ended.returncode == -signal.SIGKILL
    assert left_in(tmp_path) == {}


def test_it_has_nothing_open_that_is_not_its_own(tmp_path: Path) -> None:
    async def test() -> None:
        program = "import os; print(sorted(os.listdir('/proc/self/fd')), os.getppid() != os.getpgrp())"
        async with child(tmp_path, program, asyncio.Event(), captured=True) as made:
            # The last one is that of the list itself.
            assert await made.output() == b"['0', '1', '2', '3'] False\n"
        before = os.listdir("/proc/self/fd")
        for _ in range(3):
            async with child(tmp_path, "", asyncio.Event(), captured=True) as made:
                await made.ended()
        assert len(os.listdir("/proc/self/fd")) <= len(before)

    run(test())


@pytest.mark.parametrize("hurry", [False, True])
def test_with_the_other_event_loop(tmp_path: Path, *, hurry: bool) -> None:
    async def test() -> None:
        hurried = asyncio.Event()
        async with child(tmp_path, OBEDIENT, hurried) as made:
            await until_there(tmp_path / "ready")
            if hurry:
                hurried.set()
        assert await made.ended() == (128 + signal.SIGKILL if hurry else 7)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(test())
    assert left_in(tmp_path) == {}
