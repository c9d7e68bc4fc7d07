"""What is started here ends for certain."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.realcluster.processes import ProcessGroups

# Starts a program that starts another, tells their ids, and waits to be killed.
_VICTIM = """
import sys
from pathlib import Path
from tests.realcluster.processes import ProcessGroups

directory = Path(sys.argv[1])
groups = ProcessGroups(directory)
groups.start(["/bin/sh", "-c", "sleep 600 & echo $! $$; wait"], log=directory / "log")
sys.stdin.read()
"""


def test_stop_ends_what_was_started(tmp_path: Path) -> None:
    groups = ProcessGroups(tmp_path)
    process = groups.start(["sleep", "600"], log=tmp_path / "log")
    groups.stop()
    assert process.returncode == -signal.SIGTERM
    groups.stop()


def test_output_goes_to_the_log(tmp_path: Path) -> None:
    groups = ProcessGroups(tmp_path)
    process = groups.start(["/bin/sh", "-c", "echo out; echo err >&2"], log=tmp_path / "log")
    process.wait()
    groups.stop()
    assert (tmp_path / "log").read_text() == "out\nerr\n"


def test_the_guard_ends_all_when_the_parent_is_killed(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    with subprocess.Popen([sys.executable, "-c", _VICTIM, str(directory)], stdin=subprocess.PIPE) as victim:
        log = directory / "log"
        _eventually(lambda: log.exists() and log.read_text().endswith("\n"))
        pids = [int(pid) for pid in log.read_text().split()]
        assert all(map(_alive, pids))
        victim.kill()
    _eventually(lambda: not any(map(_alive, pids)))
    _eventually(lambda: not directory.exists())


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"


def _eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
