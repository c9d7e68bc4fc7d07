"""Signals to a session, of which the third ends it at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.cli.running import session

PROGRAM = """
import asyncio, os, signal
from kubewright.cli.running.session import _Stopping
from kubewright.server.server import APIServer

async def stubborn():
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass

async def main():
    hurry = asyncio.Event()
    with _Stopping(hurry) as stopping:
        (stopping.folder / "account").write_text("token: secret")
        await APIServer().__aenter__()  # of which nobody sees to the end
        stopping.task = task = asyncio.create_task(stubborn())
        print(stopping.folder.stat().st_mode & 0o777 == 0o700)
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.1)
            print(task.cancelling(), hurry.is_set(), flush=True)

asyncio.run(main())
"""


def test_the_third_signal_leaves_nothing_behind(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stdout.splitlines() == ["True", "1 False", "1 True"], ended.stderr
    assert ended.returncode == 128 + signal.SIGINT
    assert list(tmp_path.iterdir()) == []


def test_what_is_told_is_on_one_line(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    session._tell("a\nb\x1b[2J.py changed")
    session._say("export KUBECONFIG=/home/\udcff/kubeconfig")
    out, err = capfdbinary.readouterr()
    assert out == b"export KUBECONFIG=/home/\xff/kubeconfig\n"
    assert err == rb"kubewright: a\nb\x1b[2J.py changed" + b"\n"
